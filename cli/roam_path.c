// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Where a creature is led: a line of points, and a goal that runs along it ahead of the creature.

#include "roam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define ROUND_POINTS 256
#define MAX_POINTS 100000

static const struct
{
    const char* name;
    path_kind kind;
    bool round; // has a radius
} words[] = {{"line", PATH_LINE, false},
             {"circle", PATH_CIRCLE, true},
             {"figure8", PATH_FIGURE8, true},
             {"stand", PATH_STAND, false}};

// The word before ':' and the radius behind it; *radius stays where none is said.
static int read_spec(const char* spec, path_kind* kind, double* radius)
{
    const char* colon = strchr(spec, ':');
    const size_t length = colon != NULL ? (size_t)(colon - spec) : strlen(spec);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
    {
        if (strlen(words[i].name) != length || strncmp(spec, words[i].name, length) != 0) continue;
        *kind = words[i].kind;
        if (colon == NULL) return EXIT_DONE;
        if (!words[i].round || strncmp(colon, ":radius=", 8) != 0)
            return cli_fail(EXIT_USAGE, "roam: --path %s: '%s' takes %s", spec, words[i].name,
                            words[i].round ? "radius=METRES behind its colon" : "nothing behind it");
        return cli_take_number("roam", "--path radius", colon + 8, 1e-3, 1e5, radius);
    }
    *kind = PATH_POINTS;
    return EXIT_DONE;
}

int roam_path_check(const char* spec)
{
    path_kind kind = PATH_LINE;
    double radius = 0;
    return read_spec(spec, &kind, &radius);
}

static bool reserve(roam_path* path, int count)
{
    path->points = calloc((size_t)count, sizeof *path->points);
    path->along = calloc((size_t)count, sizeof *path->along);
    return path->points != NULL && path->along != NULL;
}

// Circles begin at the origin, along +Z, to the left; an eight goes on to the right.
static bool make_round(roam_path* path, double radius)
{
    const int turns = path->kind == PATH_FIGURE8 ? 2 : 1;
    if (!reserve(path, turns * ROUND_POINTS)) return false;
    for (int i = 0; i < turns * ROUND_POINTS; ++i)
    {
        const double angle = 2 * PI * (i % ROUND_POINTS) / ROUND_POINTS;
        const double side = i < ROUND_POINTS ? 1 : -1;
        path->points[i] = (sft_v3d){side * radius * (1 - sft_cos(angle)), 0, radius * sft_sin(angle)};
    }
    path->count = turns * ROUND_POINTS;
    path->closed = true;
    return true;
}

bool roam_is_slip(const char* word)
{
    if (strpbrk(word, "./\\") != NULL) return false;
    FILE* file = fopen(word, "rb");
    if (file != NULL) fclose(file);
    return file == NULL;
}

// A line a point: x,z or x,y,z in metres; empty lines and those with # are passed over.
static int read_points(const char* file, roam_path* path)
{
    void* bytes = NULL;
    size_t size = 0;
    if (roam_is_slip(file))
        return cli_fail(EXIT_USAGE, "roam: --path %s is no file, nor one of line, circle, figure8, stand", file);
    int code = cli_read_bytes(file, &bytes, &size);
    if (code != EXIT_DONE) return code;
    char* text = bytes;
    int lines = 1, line = 0;
    for (size_t i = 0; i < size; ++i)
        lines += text[i] == '\n';
    if (lines > MAX_POINTS)
        code = cli_fail(EXIT_READ, "%s: more than %d lines are no path", file, MAX_POINTS);
    else if (!reserve(path, lines + 1))
        code = cli_fail(EXIT_MEMORY, "out of memory");
    for (char* p = text; code == EXIT_DONE && p < text + size;)
    {
        char* end = memchr(p, '\n', (size_t)(text + size - p));
        if (end == NULL) end = text + size;
        *end = '\0'; // cli_read_bytes leaves room for one more
        ++line;
        double v[3] = {0, 0, 0};
        int n = 0;
        char* at = p + strspn(p, " \t\r");
        if (*at != '\0' && *at != '#')
        {
            for (char* next = at; n < 3; at = next + strspn(next, ", \t\r"))
            {
                v[n] = strtod(at, &next);
                if (next == at || !(fabs(v[n]) <= 1e6)) break;
                ++n;
            }
            if (n < 2 || *at != '\0')
                code = cli_fail(EXIT_READ, "%s:%d: a point is x,z or x,y,z in metres", file, line);
            else
                path->points[path->count++] = n == 2 ? (sft_v3d){v[0], 0, v[1]} : (sft_v3d){v[0], v[1], v[2]};
        }
        p = end + 1;
    }
    if (code == EXIT_DONE && path->count < 1) code = cli_fail(EXIT_READ, "%s: holds no point", file);
    free(bytes);
    return code;
}

int roam_path_make(const char* spec, double size, roam_path* out)
{
    double radius = 3 * size;
    *out = (roam_path){0};
    int code = read_spec(spec, &out->kind, &radius);
    if (code != EXIT_DONE) return code;
    bool fine = true;
    if (out->kind == PATH_POINTS) code = read_points(spec, out);
    if (out->kind == PATH_CIRCLE || out->kind == PATH_FIGURE8) fine = make_round(out, radius);
    if (out->kind == PATH_LINE || out->kind == PATH_STAND)
    {
        fine = reserve(out, 2);
        if (fine) out->points[1].z = out->kind == PATH_LINE ? 1e5 : 0;
        out->count = 2;
    }
    for (int i = 1; fine && i < out->count; ++i)
    {
        const sft_v3d d = sft_v3d_sub(out->points[i], out->points[i - 1]);
        out->along[i] = out->along[i - 1] + sqrt(d.x * d.x + d.z * d.z);
    }
    return fine ? code : cli_fail(EXIT_MEMORY, "out of memory");
}

void roam_path_free(roam_path* path)
{
    free(path->points);
    free(path->along);
    *path = (roam_path){0};
}

static double whole_length(const roam_path* path)
{
    double length = path->along[path->count - 1];
    if (!path->closed) return length;
    const sft_v3d d = sft_v3d_sub(path->points[0], path->points[path->count - 1]);
    return length + sqrt(d.x * d.x + d.z * d.z);
}

static sft_v3d point_at(const roam_path* path, double s)
{
    const double length = whole_length(path);
    if (path->count == 1 || !(length > 0)) return path->points[0];
    if (path->closed) s -= length * floor(s / length);
    s = fmin(fmax(s, 0), length);
    int i = 1;
    while (i < path->count && path->along[i] < s)
        ++i;
    const sft_v3d a = path->points[i - 1], b = path->points[i < path->count ? i : 0];
    const double start = path->along[i - 1], end = i < path->count ? path->along[i] : length;
    const double t = end > start ? (s - start) / (end - start) : 0;
    return sft_v3d_add(sft_v3d_scale(1 - t, a), sft_v3d_scale(t, b));
}

sft_v3d roam_path_goal(roam_path* path, sft_v3d place, double lead)
{
    // The nearest place within the lead ahead: further on, a path may come by again.
    double best = INFINITY, found = path->at;
    for (int i = 0; i <= 32; ++i)
    {
        const double s = path->at + lead * i / 32;
        const sft_v3d d = sft_v3d_sub(point_at(path, s), place);
        const double far = d.x * d.x + d.z * d.z;
        if (far < best)
        {
            best = far;
            found = s;
        }
    }
    path->at = found;
    return point_at(path, found + lead);
}
