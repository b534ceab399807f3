// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Crowds, one leg at a time: the kernel's steps on plain floats, for any processor.

#include <string.h>

#include "crowd/crowd_internal.h"

#define WIDTH 1
#if defined(__GNUC__)
#define LANES inline __attribute__((always_inline, unused))
#define APART __attribute__((noinline))
#elif defined(_MSC_VER)
#define LANES __forceinline // MSVC
#define APART __declspec(noinline)
#else
#define LANES inline // or not, as the compiler likes
#define APART
#endif

typedef float vf;
typedef int vm;

static LANES vf all(float x)
{
    return x;
}

static LANES vf load(const float* p)
{
    return *p;
}

static LANES void store(float* p, vf x)
{
    *p = x;
}

static LANES void store_flags(uint32_t* p, vf x)
{
    *p = (uint32_t)x;
}

static LANES vf root(vf x)
{
    return sqrtf(x);
}

static LANES vf size_of(vf x)
{
    return fabsf(x);
}

static LANES vm below(vf a, vf b)
{
    return a < b;
}

static LANES vm at_most(vf a, vf b)
{
    return a <= b;
}

static LANES vm equal(vf a, vf b)
{
    return a == b;
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
    return !a;
}

static LANES vf pick(vm mask, vf yes, vf no)
{
    return mask ? yes : no;
}

static LANES bool any(vm mask)
{
    return mask != 0;
}

#include "crowd/kernel.inc"

bool sft_crowd_run_scalar(const sft_crowd_job* job, int32_t count)
{
    return run_job(job, count);
}
