// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Crowds, four legs at a time: SSE2, WebAssembly SIMD or NEON, which are what every processor of their kind has.

#include <string.h>

#include "crowd/crowd_internal.h"

#if SFT_CROWD_HAS_SSE2
#include <emmintrin.h>
#elif SFT_CROWD_HAS_WASM
#include <wasm_simd128.h>
#elif SFT_CROWD_HAS_NEON
#include <arm_neon.h>
#endif

#if SFT_CROWD_HAS_SSE2 || SFT_CROWD_HAS_WASM || SFT_CROWD_HAS_NEON

#define WIDTH 4
#define LANES inline __attribute__((always_inline, unused))
#define APART __attribute__((noinline))

// Operators, not intrinsics, for + - * /, so that what is said about contraction here holds for them.
typedef __attribute__((vector_size(16))) float vf;
typedef __attribute__((vector_size(16))) int32_t vm;

static LANES vf all(float x)
{
    return (vf){x, x, x, x};
}

static LANES vf load(const float* p)
{
    vf x;
    memcpy(&x, p, sizeof x);
    return x;
}

static LANES void store(float* p, vf x)
{
    memcpy(p, &x, sizeof x);
}

static LANES vm below(vf a, vf b)
{
    return (vm)(a < b);
}

static LANES vm at_most(vf a, vf b)
{
    return (vm)(a <= b);
}

static LANES vm equal(vf a, vf b)
{
    return (vm)(a == b);
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

static LANES vf size_of(vf x)
{
    return (vf)((vm)x & (vm){INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX});
}

#if SFT_CROWD_HAS_SSE2
static LANES void store_flags(uint32_t* p, vf x)
{
    const __m128i flags = _mm_cvttps_epi32((__m128)x);
    memcpy(p, &flags, sizeof flags);
}

static LANES vf root(vf x)
{
    return (vf)_mm_sqrt_ps((__m128)x);
}

static LANES vf pick(vm mask, vf yes, vf no)
{
    return (vf)((mask & (vm)yes) | (~mask & (vm)no));
}

static LANES bool any(vm mask)
{
    return _mm_movemask_ps((__m128)mask) != 0;
}
#elif SFT_CROWD_HAS_WASM
static LANES void store_flags(uint32_t* p, vf x)
{
    wasm_v128_store(p, wasm_i32x4_trunc_sat_f32x4((v128_t)x));
}

static LANES vf root(vf x)
{
    return (vf)wasm_f32x4_sqrt((v128_t)x);
}

static LANES vf pick(vm mask, vf yes, vf no)
{
    return (vf)wasm_v128_bitselect((v128_t)yes, (v128_t)no, (v128_t)mask);
}

static LANES bool any(vm mask)
{
    return wasm_v128_any_true((v128_t)mask);
}
#else
static LANES void store_flags(uint32_t* p, vf x)
{
    vst1q_u32(p, vcvtq_u32_f32((float32x4_t)x));
}

static LANES vf root(vf x)
{
    return (vf)vsqrtq_f32((float32x4_t)x);
}

static LANES vf pick(vm mask, vf yes, vf no)
{
    return (vf)vbslq_f32((uint32x4_t)mask, (float32x4_t)yes, (float32x4_t)no);
}

static LANES bool any(vm mask)
{
    return vmaxvq_u32((uint32x4_t)mask) != 0;
}
#endif

#include "crowd/kernel.inc"

#endif

bool sft_crowd_run_vec4(const sft_crowd_job* job, int32_t count)
{
#if SFT_CROWD_HAS_SSE2 || SFT_CROWD_HAS_WASM || SFT_CROWD_HAS_NEON
    return run_job(job, count);
#else
    return sft_crowd_run_scalar(job, count);
#endif
}
