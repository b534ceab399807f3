// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Draws what rays and spheres find on a profile, a height field and a mesh, as SVG on standard output: the picture of
// docs/ground.md. All of it lies in the plane of z (to the right) and y (up).
//
//     ground_slice > docs/images/ground.svg
#include <stdio.h>

#include "surefoot/surefoot.h"

#define SCALE 130.0

static double draw(uint64_t* state, double lo, double hi)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (hi - lo) * ((double)(*state >> 11) * 0x1p-53);
}

typedef struct panel
{
    double x, y; ///< of the place (0, 0) in the picture
} panel;

static void line(panel p, sft_v3d a, sft_v3d b, const char* colour, double width)
{
    printf("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>\n",
           p.x + SCALE * a.z, p.y - SCALE * a.y, p.x + SCALE * b.z, p.y - SCALE * b.y, colour, width);
}

static void circle(panel p, sft_v3d a, double radius, const char* fill, const char* stroke)
{
    printf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" stroke=\"%s\"/>\n", p.x + SCALE * a.z,
           p.y - SCALE * a.y, SCALE * radius, fill, stroke);
}

static void title(panel p, const char* text)
{
    printf("<text x=\"%.0f\" y=\"%.0f\" font-family=\"sans-serif\" font-size=\"13\">%s</text>\n", p.x, p.y - 152.0,
           text);
}

/// A ray and where it ends, with the normal there. What hits nothing stays pale.
static void ray(panel p, const sft_ground* ground, sft_v3d origin, sft_v3d direction, double distance)
{
    sft_ground_hit hit;
    if (!sft_ground_cast(ground, origin, direction, distance, 0.0, &hit))
    {
        line(p, origin, sft_v3d_madd(origin, sft_mind(distance, 0.9), direction), "#d8d8d8", 1.0);
        return;
    }
    line(p, origin, hit.point, "#83b0e4", 1.0);
    line(p, hit.point, sft_v3d_madd(hit.point, 0.12, hit.normal), "#c03030", 1.5);
    circle(p, hit.point, 0.015, "#20407a", "none");
}

static void ball(panel p, const sft_ground* ground, sft_v3d origin, sft_v3d direction, double radius)
{
    sft_ground_hit hit;
    if (!sft_ground_cast(ground, origin, direction, 3.0, radius, &hit)) return;
    const sft_v3d centre = sft_v3d_madd(origin, hit.distance, direction);
    line(p, origin, centre, "#83b0e4", 1.0);
    circle(p, centre, radius, "none", "#2f5a9c");
    line(p, hit.point, centre, "#c03030", 1.5);
    circle(p, hit.point, 0.015, "#20407a", "none");
}

/// Eight points and the level ground before and after.
static void outline(panel p, const double* s, const double* y)
{
    line(p, sft_v3d_make(0, y[0], s[0] - 0.5), sft_v3d_make(0, y[0], s[0]), "#404040", 2.0);
    for (int i = 1; i < 8; ++i)
        if (y[i - 1] == y[i - 1] && y[i] == y[i])
            line(p, sft_v3d_make(0, y[i - 1], s[i - 1]), sft_v3d_make(0, y[i], s[i]), "#404040", 2.0);
    line(p, sft_v3d_make(0, y[7], s[7]), sft_v3d_make(0, y[7], s[7] + 0.3), "#404040", 2.0);
}

static void draw_profile(panel p)
{
    // Two steps, a gap and a ramp.
    static const double s[] = {0.4, 0.4, 0.8, 0.8, 1.3, 1.3, 1.7, 2.4}, y[] = {0, 0.25, 0.25, 0.5, 0.5, NAN, 0.5, 0.1};
    const sft_ground_profile profile = {.count = 8, .distances = s, .heights = y};
    const sft_ground ground = sft_ground_from_profile(&profile);
    title(p, "A profile: stairs, a gap, a ramp; rays straight down, and balls dropped on the same");
    outline(p, s, y);
    for (int i = 0; i < 28; ++i)
        ray(p, &ground, sft_v3d_make(0, 1.05, 0.1 * i - 0.05), sft_v3d_make(0, -1, 0), 1.2);
    panel right = p;
    right.x += 400.0;
    outline(right, s, y);
    const double starts[] = {0.2, 0.34, 0.74, 1.35, 1.63, 2.0, 2.4};
    for (int i = 0; i < 7; ++i)
        ball(right, &ground, sft_v3d_make(0, 1.05, starts[i]),
             i % 2 == 0 ? sft_v3d_make(0, -1, 0) : sft_v3d_make(0, -0.96, 0.28), 0.1);
}

static void draw_heights(panel p)
{
    enum
    {
        COUNT = 15
    };
    static double y[2 * COUNT];
    uint64_t state = 4;
    for (int i = 0; i < COUNT; ++i)
        y[2 * i] = y[2 * i + 1] = i == 9 ? NAN : draw(&state, 0.0, 0.35);
    const sft_ground_heights field = {
        .origin = {-0.5, 0, 0}, .step_x = 1.0, .step_z = 0.2, .count_x = 2, .count_z = COUNT, .heights = y};
    const sft_ground ground = sft_ground_from_heights(&field);
    title(p, "A height field with a hole, rays from two eyes; a mesh of rubble, rays from below and from one eye");
    for (int i = 1; i < COUNT; ++i)
        if (i != 9 && i != 10)
            line(p, sft_v3d_make(0, y[2 * i - 2], 0.2 * (i - 1)), sft_v3d_make(0, y[2 * i], 0.2 * i), "#404040", 2.0);
    for (int i = 0; i < 32; ++i)
    {
        const double turn = 0.5 + 0.14 * (i % 16);
        const sft_v3d d = {0, -sft_sin(turn), sft_cos(turn)};
        ray(p, &ground, sft_v3d_make(0, 0.95, i < 16 ? 0.7 : 2.1), d, 1.3);
    }
}

#define STONES 9

/// Stones as long prisms of three sides, lying about.
static bool draw_rubble(panel p)
{
    float v[18 * STONES];
    int32_t index[18 * STONES];
    uint64_t state = 11;
    for (int32_t s = 0; s < STONES; ++s)
    {
        const double z = 0.25 + 0.28 * s, y = draw(&state, 0.15, 0.7), turn = draw(&state, 0.0, 6.0);
        for (int32_t c = 0; c < 3; ++c)
        {
            const double angle = turn + 2.0943951 * c, size = draw(&state, 0.1, 0.22);
            for (int32_t side = 0; side < 2; ++side)
            {
                float* at = v + 18 * s + 6 * c + 3 * side;
                at[0] = side == 0 ? -1.0f : 1.0f;
                at[1] = (float)(y + size * sft_sin(angle));
                at[2] = (float)(z + size * sft_cos(angle));
            }
            const int32_t a = 6 * s + 2 * c, b = 6 * s + 2 * ((c + 1) % 3);
            const int32_t face[6] = {a, b, b + 1, a, b + 1, a + 1};
            for (int32_t k = 0; k < 6; ++k)
                index[18 * s + 6 * c + k] = face[k];
        }
        for (int32_t c = 0; c < 3; ++c)
        {
            const float *a = v + 18 * s + 6 * c, *b = v + 18 * s + 6 * ((c + 1) % 3);
            line(p, sft_v3d_make(0, (double)a[1], (double)a[2]), sft_v3d_make(0, (double)b[1], (double)b[2]), "#404040",
                 2.0);
        }
    }
    const sft_ground_mesh_def def = {6 * STONES, v, 6 * STONES, index, NULL};
    sft_ground_mesh* mesh = NULL;
    if (sft_ground_mesh_create(&def, NULL, &mesh, NULL) != SFT_OK) return false;
    const sft_ground ground = sft_ground_from_mesh(mesh);
    for (int i = 0; i < 10; ++i)
        ray(p, &ground, sft_v3d_make(0.3, -0.1, 0.15 + 0.27 * i), sft_v3d_make(0, 1, 0), 1.2);
    for (int i = 0; i < 18; ++i)
    {
        const double turn = 3.25 + 0.171 * i;
        ray(p, &ground, sft_v3d_make(0.3, 0.95, 1.35), sft_v3d_make(0, sft_sin(turn), sft_cos(turn)), 1.3);
    }
    sft_ground_mesh_destroy(mesh, NULL);
    return true;
}

int main(void)
{
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"410\" viewBox=\"0 0 800 410\">\n"
           "<rect width=\"800\" height=\"410\" fill=\"white\"/>\n");
    draw_profile((panel){25.0, 175.0});
    draw_heights((panel){15.0, 380.0});
    const bool fine = draw_rubble((panel){430.0, 380.0});
    printf("</svg>\n");
    return fine ? 0 : 1;
}
