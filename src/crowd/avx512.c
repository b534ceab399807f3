// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Crowds, sixteen legs at a time: AVX-512 F. Compiled for it function by function, so that the rest runs anywhere.

#include <string.h>

#include "crowd/crowd_internal.h"

#if SFT_CROWD_HAS_AVX
#include <immintrin.h>
#endif

#if SFT_CROWD_HAS_AVX

#define WIDTH 16
#define LANES inline __attribute__((always_inline, unused, target("avx512f")))
#define APART __attribute__((noinline, target("avx512f")))

// Operators, not intrinsics, for + - * /, so that what is said about contraction here holds for them.
typedef __attribute__((vector_size(64))) float vf;
typedef __mmask16 vm;

static LANES vf all(float x)
{
    return (vf)_mm512_set1_ps(x);
}

static LANES vf load(const float* p)
{
    return (vf)_mm512_loadu_ps(p);
}

static LANES void store(float* p, vf x)
{
    _mm512_storeu_ps(p, (__m512)x);
}

static LANES void store_flags(uint32_t* p, vf x)
{
    _mm512_storeu_si512(p, _mm512_cvttps_epi32((__m512)x));
}

static LANES vf root(vf x)
{
    return (vf)_mm512_sqrt_ps((__m512)x);
}

static LANES vf size_of(vf x)
{
    return (vf)_mm512_abs_ps((__m512)x);
}

static LANES vm below(vf a, vf b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
}

static LANES vm at_most(vf a, vf b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ);
}

static LANES vm equal(vf a, vf b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_EQ_OQ);
}

static LANES vm both(vm a, vm b)
{
    return (vm)(a & b);
}

static LANES vm either(vm a, vm b)
{
    return (vm)(a | b);
}

static LANES vm outside(vm a)
{
    return (vm)~a;
}

static LANES vf pick(vm mask, vf yes, vf no)
{
    return (vf)_mm512_mask_blend_ps(mask, (__m512)no, (__m512)yes);
}

static LANES bool any(vm mask)
{
    return mask != 0;
}

#include "crowd/kernel.inc"

#endif

bool sft_crowd_run_avx512(const sft_crowd_job* job, int32_t count)
{
#if SFT_CROWD_HAS_AVX
    return run_job(job, count);
#else
    return sft_crowd_run_scalar(job, count);
#endif
}
