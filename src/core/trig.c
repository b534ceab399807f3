// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Trigonometry with the same bits everywhere. libm implementations differ in the last bit, and golden hashes would see
// it. Arguments are reduced to a small interval, where Taylor series with exact rational coefficients are as good as
// anything fitted: the first term left out is below 2^-60 of the result.

#include "surefoot/math.h"

// pi/2 in three parts of 33 bits: n * part is exact for n below 2^20, which covers |x| <= 1e6.
#define HALF_PI_1 0x1.921fb54400000p+0
#define HALF_PI_2 0x1.0b4611a600000p-34
#define HALF_PI_3 0x1.3198a2e037073p-69
#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define RADIANS_PER_DEGREE 0x1.1df46a2529d39p-6

// sin on [-pi/4 - tiny, pi/4 + tiny]; terms to r^17 / 17!.
static double sine_kernel(double r)
{
    const double z = r * r;
    double s = 1.0 / 355687428096000.0;
    s = s * z - 1.0 / 1307674368000.0;
    s = s * z + 1.0 / 6227020800.0;
    s = s * z - 1.0 / 39916800.0;
    s = s * z + 1.0 / 362880.0;
    s = s * z - 1.0 / 5040.0;
    s = s * z + 1.0 / 120.0;
    s = s * z - 1.0 / 6.0;
    return r + r * (z * s);
}

// cos on the same interval; terms to r^18 / 18!.
static double cosine_kernel(double r)
{
    const double z = r * r;
    double c = -1.0 / 6402373705728000.0;
    c = c * z + 1.0 / 20922789888000.0;
    c = c * z - 1.0 / 87178291200.0;
    c = c * z + 1.0 / 479001600.0;
    c = c * z - 1.0 / 3628800.0;
    c = c * z + 1.0 / 40320.0;
    c = c * z - 1.0 / 720.0;
    c = c * z + 1.0 / 24.0;
    c = c * z - 1.0 / 2.0;
    return 1.0 + z * c;
}

static double sine_of_quadrant(double r, unsigned quadrant)
{
    const double value = (quadrant & 1u) != 0 ? cosine_kernel(r) : sine_kernel(r);
    return (quadrant & 2u) != 0 ? -value : value;
}

// x = n * pi/2 + r. Out-of-range and NaN count as 0.
static double reduce(double x, unsigned* quadrant)
{
    if (!(fabs(x) <= 1e6)) x = 0.0;
    const double n = floor(x * TWO_OVER_PI + 0.5);
    *quadrant = (unsigned)(int)n & 3u;
    return ((x - n * HALF_PI_1) - n * HALF_PI_2) - n * HALF_PI_3;
}

double sft_sin(double x)
{
    unsigned quadrant;
    const double r = reduce(x, &quadrant);
    return sine_of_quadrant(r, quadrant);
}

double sft_cos(double x)
{
    unsigned quadrant;
    const double r = reduce(x, &quadrant);
    return sine_of_quadrant(r, quadrant + 1u);
}

void sft_sincos_deg(double degrees, double* sine, double* cosine)
{
    if (!(fabs(degrees) <= 1.7976931348623157e308)) degrees = 0.0;
    // fmod is exact, so whole turns drop out without a trace.
    if (fabs(degrees) > 1e9) degrees = fmod(degrees, 360.0);
    const double n = floor(degrees / 90.0 + 0.5);
    const double r = (degrees - n * 90.0) * RADIANS_PER_DEGREE;
    const unsigned quadrant = (unsigned)(int)n & 3u;
    *sine = sine_of_quadrant(r, quadrant);
    *cosine = sine_of_quadrant(r, quadrant + 1u);
}

// atan on [0, 1]: atan(t) = atan(c) + atan((t - c) / (1 + t c)) with c the nearest quarter, so that the series runs on
// at most 1/8; terms to u^17 / 17.
static double arctangent_unit(double t)
{
    static const double hi[5] = {0.0, 0x1.f5b75f92c80ddp-3, 0x1.dac670561bb4fp-2, 0x1.4978fa3269ee1p-1,
                                 0x1.921fb54442d18p-1};
    static const double lo[5] = {0.0, 0x1.8ab6e3cf7afbdp-57, 0x1.a2b7f222f65e2p-56, 0x1.2419a87f2a458p-56,
                                 0x1.1a62633145c07p-55};
    const int k = (int)(t * 4.0 + 0.5);
    const double c = 0.25 * k;
    const double u = (t - c) / (1.0 + t * c);
    const double z = u * u;
    double s = 1.0 / 17.0;
    s = s * z - 1.0 / 15.0;
    s = s * z + 1.0 / 13.0;
    s = s * z - 1.0 / 11.0;
    s = s * z + 1.0 / 9.0;
    s = s * z - 1.0 / 7.0;
    s = s * z + 1.0 / 5.0;
    s = s * z - 1.0 / 3.0;
    return hi[k] + (lo[k] + (u + u * (z * s)));
}

double sft_atan2(double y, double x)
{
    const double ax = fabs(x), ay = fabs(y);
    const double big = sft_maxd(ax, ay), small = sft_mind(ax, ay);
    if (!(big > 0.0) || x != x || y != y) return 0.0;
    // Infinite arguments divide to NaN: their ratio is 1 by convention, 0 against a finite one.
    const double t = small == big ? 1.0 : small / big;
    double angle = arctangent_unit(t);
    if (ay > ax) angle = 0x1.921fb54442d18p+0 - (angle - 0x1.1a62633145c07p-54);
    if (x < 0.0) angle = 0x1.921fb54442d18p+1 - (angle - 0x1.1a62633145c07p-53);
    return y < 0.0 ? -angle : angle;
}

double sft_acos(double x)
{
    // Two square roots instead of 1 - x*x: no cancellation near either end.
    const double c = sft_clampd(x, -1.0, 1.0);
    return 2.0 * sft_atan2(sqrt(1.0 - c), sqrt(1.0 + c));
}

double sft_exp(double x)
{
    if (x != x) return 1.0;
    if (x > 709.7) return 1.7976931348623157e308;
    if (x < -745.0) return 0.0;
    const double n = floor(x * 0x1.71547652b82fep+0 + 0.5);
    const double r = (x - n * 0x1.62e42fefa2000p-1) - n * 0x1.9ef35793c7673p-41;
    double s = 1.0 / 87178291200.0;
    s = s * r + 1.0 / 6227020800.0;
    s = s * r + 1.0 / 479001600.0;
    s = s * r + 1.0 / 39916800.0;
    s = s * r + 1.0 / 3628800.0;
    s = s * r + 1.0 / 362880.0;
    s = s * r + 1.0 / 40320.0;
    s = s * r + 1.0 / 5040.0;
    s = s * r + 1.0 / 720.0;
    s = s * r + 1.0 / 120.0;
    s = s * r + 1.0 / 24.0;
    s = s * r + 1.0 / 6.0;
    s = s * r + 0.5;
    return ldexp(1.0 + (r + r * (r * s)), (int)n);
}
