// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Crowds, eight legs at a time: AVX2. Compiled for it function by function, so that the rest runs anywhere.

#include <string.h>

#include "crowd/crowd_internal.h"

#if SFT_CROWD_HAS_AVX
#include <immintrin.h>
#endif

#if SFT_CROWD_HAS_AVX

#define WIDTH 8
#define LANES inline __attribute__((always_inline, unused, target("avx2")))
#define APART __attribute__((noinline, target("avx2")))

// Operators, not intrinsics, for + - * /, so that what is said about contraction here holds for them.
typedef __attribute__((vector_size(32))) float vf;
typedef __attribute__((vector_size(32))) int32_t vm;

static LANES vf all(float x)
{
    return (vf){x, x, x, x, x, x, x, x};
}

static LANES vf load(const float* p)
{
    return (vf)_mm256_loadu_ps(p);
}

static LANES void store(float* p, vf x)
{
    _mm256_storeu_ps(p, (__m256)x);
}

static LANES void store_flags(uint32_t* p, vf x)
{
    const __m256i flags = _mm256_cvttps_epi32((__m256)x);
    memcpy(p, &flags, sizeof flags);
}

static LANES vf root(vf x)
{
    return (vf)_mm256_sqrt_ps((__m256)x);
}

static LANES vf size_of(vf x)
{
    return (vf)_mm256_andnot_ps((__m256)all(-0.0f), (__m256)x);
}

static LANES vm below(vf a, vf b)
{
    return (vm)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LT_OQ);
}

static LANES vm at_most(vf a, vf b)
{
    return (vm)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LE_OQ);
}

static LANES vm equal(vf a, vf b)
{
    return (vm)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_EQ_OQ);
}

static LANES vm both(vm a, vm b)
{
    return a & b;
}

static LANES vm either(vm a, vm b)
{
    return a | b;
}

static LANES vm outside(vm a)
{
    return ~a;
}

static LANES vf pick(vm mask, vf yes, vf no)
{
    return (vf)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
}

static LANES bool any(vm mask)
{
    return _mm256_movemask_ps((__m256)mask) != 0;
}

#include "crowd/kernel.inc"

#endif

bool sft_crowd_run_avx2(const sft_crowd_job* job, int32_t count)
{
#if SFT_CROWD_HAS_AVX
    return run_job(job, count);
#else
    return sft_crowd_run_scalar(job, count);
#endif
}
