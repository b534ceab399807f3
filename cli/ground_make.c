// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Grounds laid where a clip walks. What the SPEC leaves open is chosen here, and said.

#include "ground.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Rough ground and what is written reach so far beyond the feet [m]: probes look no further than a leg.
#define MARGIN 2.0
#define MOST_POINTS 4000000.0
// A ramp without end is so long [m].
#define ENDLESS 1e4

// ---- where the clip walks ----

static void grow(ground_place* p, const sft_v3d* points, int32_t first, int32_t count)
{
    for (int32_t i = first; points != NULL && i < count; ++i)
    {
        p->low = sft_v3d_make(sft_mind(p->low.x, points[i].x), sft_mind(p->low.y, points[i].y),
                              sft_mind(p->low.z, points[i].z));
        p->high = sft_v3d_make(sft_maxd(p->high.x, points[i].x), sft_maxd(p->high.y, points[i].y),
                               sft_maxd(p->high.z, points[i].z));
    }
}

ground_place ground_find_place(const loaded* file, const tracks* t, double floor_height)
{
    const int32_t first = file->first_frame, count = file->frame_count;
    ground_place p = {.floor = floor_height};
    (void)sft_tracks_find_way(t, &p.way); // frames there are: feet were labelled in them
    p.low = p.high = p.way.start;
    for (int32_t l = 0; l < file->leg_count; ++l)
    {
        grow(&p, t->feet[l].heel, first, count);
        grow(&p, t->feet[l].toe, first, count);
        grow(&p, t->feet[l].toe_end, first, count);
    }
    return p;
}

// ---- what was chosen, as text ----

static void say(made_ground* g, const char* key, double value)
{
    char number[32];
    const size_t size = strlen(g->text);
    const bool begins = size > 0 && g->text[size - 1] == ':';
    snprintf(g->text + size, sizeof g->text - size, "%s%s=%s", begins ? "" : ",", key, cli_number(value, number));
}

static double take(const ground_spec* spec, ground_key key, double otherwise)
{
    return spec->given[key] ? spec->values[key] : otherwise;
}

// Where the ground lies and which way it runs.
typedef struct laid
{
    sft_v3d origin;
    double heading; // [degrees]
    double start;
} laid;

static laid lay(const ground_spec* spec, const ground_place* place)
{
    const sft_tracks_way* way = &place->way;
    // To a centimetre: what is chosen is a number that people can read.
    const double middle = sft_maxd(floor(50.0 * way->travel + 0.5) / 100.0, 0.4);
    return (laid){sft_v3d_make(take(spec, KEY_X, way->origin.x), take(spec, KEY_Y, place->floor),
                               take(spec, KEY_Z, way->origin.z)),
                  take(spec, KEY_HEADING, way->heading_degrees),
                  take(spec, KEY_START, spec->kind == GROUND_GAP ? middle : sft_tracks_approach(way->travel))};
}

static void say_place(made_ground* g, const laid* at, bool turns)
{
    say(g, "x", at->origin.x);
    say(g, "y", at->origin.y);
    say(g, "z", at->origin.z);
    if (turns) say(g, "heading", at->heading);
}

// ---- made grounds ----

static int make_plane(const ground_spec* spec, const ground_place* place, made_ground* g)
{
    const laid at = lay(spec, place);
    const double height = take(spec, KEY_HEIGHT, 0.0), pitch = take(spec, KEY_PITCH, 0.0),
                 roll = take(spec, KEY_ROLL, 0.0);
    double sp, cp, sr, cr, sh, ch;
    sft_sincos_deg(pitch, &sp, &cp);
    sft_sincos_deg(roll, &sr, &cr);
    sft_sincos_deg(at.heading, &sh, &ch);
    const double ahead = sp / cp, left = sr / cr; // rises
    g->plane = (sft_ground_plane){sft_v3d_make(at.origin.x, at.origin.y + height, at.origin.z),
                                  sft_v3d_make(-ahead * sh - left * ch, 1.0, -ahead * ch + left * sh), 0};
    g->ground = sft_ground_from_plane(&g->plane);
    snprintf(g->text, sizeof g->text, "plane:");
    say(g, "height", height);
    say(g, "pitch", pitch);
    say(g, "roll", roll);
    say_place(g, &at, true);
    return EXIT_DONE;
}

static int begin_profile(made_ground* g, const laid* at, size_t count)
{
    g->block = calloc(2 * count, sizeof *g->block);
    if (g->block == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    g->profile = (sft_ground_profile){.origin = at->origin,
                                      .heading = at->heading * SFT_PI / 180.0,
                                      .count = (int32_t)count,
                                      .distances = g->block,
                                      .heights = g->block + count};
    g->ground = sft_ground_from_profile(&g->profile);
    return EXIT_DONE;
}

static void put(made_ground* g, size_t i, double distance, double height)
{
    g->block[i] = distance;
    g->block[(size_t)g->profile.count + i] = height;
}

static int make_slope(const ground_spec* spec, const ground_place* place, made_ground* g)
{
    const laid at = lay(spec, place);
    const double angle = take(spec, KEY_ANGLE, 10.0), length = take(spec, KEY_LENGTH, ENDLESS);
    double sine, cosine;
    sft_sincos_deg(angle, &sine, &cosine);
    if (begin_profile(g, &at, 2) != EXIT_DONE) return EXIT_MEMORY;
    put(g, 0, at.start, 0.0);
    put(g, 1, at.start + length, sine / cosine * length);
    snprintf(g->text, sizeof g->text, "slope:");
    say(g, "angle", angle);
    say(g, "start", at.start);
    if (length < ENDLESS) say(g, "length", length);
    say_place(g, &at, true);
    return EXIT_DONE;
}

static int make_stairs(const ground_spec* spec, const ground_place* place, made_ground* g)
{
    const laid at = lay(spec, place);
    const bool down = take(spec, KEY_DOWN, 0.0) > 0.0;
    const double said = take(spec, KEY_RISE, 0.17), run = take(spec, KEY_RUN, 0.29);
    const double rise = down ? -said : said;
    const size_t count = (size_t)take(spec, KEY_COUNT, 8.0);
    if (begin_profile(g, &at, 2 * count) != EXIT_DONE) return EXIT_MEMORY;
    for (size_t i = 0; i < count; ++i)
    {
        put(g, 2 * i, at.start + (double)i * run, (double)i * rise);
        put(g, 2 * i + 1, at.start + (double)i * run, (double)(i + 1) * rise);
    }
    snprintf(g->text, sizeof g->text, "stairs:");
    say(g, "rise", said);
    say(g, "run", run);
    say(g, "count", (double)count);
    say(g, "start", at.start);
    if (down) say(g, "down", 1.0);
    say_place(g, &at, true);
    return EXIT_DONE;
}

static int make_gap(const ground_spec* spec, const ground_place* place, made_ground* g)
{
    const laid at = lay(spec, place);
    const double width = take(spec, KEY_WIDTH, 0.3);
    const bool pit = spec->given[KEY_DEPTH];
    const double depth = take(spec, KEY_DEPTH, 0.0);
    if (begin_profile(g, &at, pit ? 4 : 3) != EXIT_DONE) return EXIT_MEMORY;
    put(g, 0, at.start, 0.0);
    put(g, 1, at.start, pit ? -depth : (double)NAN);
    if (pit) put(g, 2, at.start + width, -depth);
    put(g, pit ? 3 : 2, at.start + width, 0.0);
    snprintf(g->text, sizeof g->text, "gap:");
    say(g, "width", width);
    say(g, "start", at.start);
    if (pit) say(g, "depth", depth);
    say_place(g, &at, true);
    return EXIT_DONE;
}

// A number in [0, 1) of a grid point, whatever part of the grid is made: SplitMix64 over seed, column and row.
static double height_at(uint64_t seed, int64_t column, int64_t row)
{
    uint64_t h = seed;
    const uint64_t steps[2] = {(uint64_t)column, (uint64_t)row};
    for (int i = 0; i < 2; ++i)
    {
        h += UINT64_C(0x9e3779b97f4a7c15) + steps[i];
        h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
        h ^= h >> 31;
    }
    return (double)(h >> 11) * 0x1p-53;
}

static int make_rough(const ground_spec* spec, const ground_place* place, made_ground* g)
{
    const laid at = lay(spec, place);
    const double height = take(spec, KEY_HEIGHT, 0.08), cell = take(spec, KEY_CELL, 0.25);
    const double seed = take(spec, KEY_SEED, 1.0);
    // In cells from the origin.
    const double left = floor((place->low.x - MARGIN - at.origin.x) / cell),
                 right = ceil((place->high.x + MARGIN - at.origin.x) / cell),
                 near = floor((place->low.z - MARGIN - at.origin.z) / cell),
                 far = ceil((place->high.z + MARGIN - at.origin.z) / cell);
    const double columns = right - left + 1.0, rows = far - near + 1.0;
    if (!(columns * rows <= MOST_POINTS))
        return cli_fail(EXIT_MEMORY,
                        "--ground: rough ground under this clip has more than %g points; give a larger cell",
                        MOST_POINTS);
    const int32_t nx = (int32_t)columns, nz = (int32_t)rows;
    g->block = malloc((size_t)nx * (size_t)nz * sizeof *g->block);
    if (g->block == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    for (int32_t k = 0; k < nz; ++k)
        for (int32_t i = 0; i < nx; ++i)
            g->block[(size_t)k * (size_t)nx + (size_t)i] =
                height * (height_at((uint64_t)seed, (int64_t)left + i, (int64_t)near + k) - 0.5);
    g->heights =
        (sft_ground_heights){.origin = sft_v3d_make(at.origin.x + left * cell, at.origin.y, at.origin.z + near * cell),
                             .step_x = cell,
                             .step_z = cell,
                             .count_x = nx,
                             .count_z = nz,
                             .heights = g->block};
    g->ground = sft_ground_from_heights(&g->heights);
    snprintf(g->text, sizeof g->text, "rough:");
    say(g, "height", height);
    say(g, "cell", cell);
    say(g, "seed", seed);
    say_place(g, &at, false);
    return EXIT_DONE;
}

// ---- a profile from a table ----

static int fail_line(const ground_spec* spec, size_t line, const char* what)
{
    return cli_fail(EXIT_READ, "%s:%llu: %s", spec->path, (unsigned long long)line, what);
}

// One line, without its end, into two numbers; false where it says nothing (empty, a comment, headings).
static int take_line(const ground_spec* spec, size_t line, const char* text, double* out, bool* said)
{
    char* end = NULL;
    text += strspn(text, " \t");
    *said = false;
    if (*text == '\0' || *text == '#') return EXIT_DONE;
    out[0] = strtod(text, &end);
    const bool number = end != text;
    if (!number && line == 1) return EXIT_DONE;
    end += strspn(end, " \t");
    if (!number || (*end != ',' && *end != ';') || !(fabs(out[0]) <= 1e5))
        return fail_line(spec, line, "a line is `distance,height` in metres, within 100 km");
    const char* second = end + 1;
    out[1] = strtod(second, &end);
    if (end == second || end[strspn(end, " \t")] != '\0' || !(isnan(out[1]) || fabs(out[1]) <= 1e5))
        return fail_line(spec, line, "the height must be metres within 100 km, or nan where a gap begins");
    *said = true;
    return EXIT_DONE;
}

static int read_profile(const ground_spec* spec, char* text, double* out, size_t* count)
{
    size_t line = 1;
    *count = 0;
    for (char* at = text; at != NULL; ++line)
    {
        char* next = strpbrk(at, "\r\n");
        if (next != NULL)
        {
            const bool both = next[0] == '\r' && next[1] == '\n';
            *next = '\0';
            next += both ? 2 : 1;
        }
        bool said;
        double* pair = out + 2 * *count;
        const int code = take_line(spec, line, at, pair, &said);
        if (code != EXIT_DONE) return code;
        if (said && *count > 0 && pair[0] < pair[-2]) return fail_line(spec, line, "distances must not decrease");
        *count += said;
        at = next;
    }
    if (*count == 0) return cli_fail(EXIT_READ, "%s: holds no line `distance,height`", spec->path);
    return EXIT_DONE;
}

static int make_profile(const ground_spec* spec, const ground_place* place, made_ground* g)
{
    const laid at = lay(spec, place);
    void* bytes = NULL;
    size_t size = 0, count = 0;
    int code = cli_read_bytes(spec->path, &bytes, &size);
    if (code != EXIT_DONE) return code;
    if (memchr(bytes, '\0', size) != NULL) code = cli_fail(EXIT_READ, "%s: is no text", spec->path);
    // A line has two bytes at least, its end among them.
    double* pairs = code == EXIT_DONE ? calloc(size + 2, sizeof *pairs) : NULL;
    if (code == EXIT_DONE && pairs == NULL) code = cli_fail(EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE) code = read_profile(spec, bytes, pairs, &count);
    if (code == EXIT_DONE && count > INT32_MAX / 2) code = cli_fail(EXIT_MEMORY, "%s: too many lines", spec->path);
    if (code == EXIT_DONE) code = begin_profile(g, &at, count);
    for (size_t i = 0; i < count && code == EXIT_DONE; ++i)
        put(g, i, at.start + pairs[2 * i], pairs[2 * i + 1]);
    free(pairs);
    free(bytes);
    if (code != EXIT_DONE) return code;
    snprintf(g->text, sizeof g->text, "profile:%.200s", spec->path);
    say(g, "start", at.start);
    say_place(g, &at, true);
    return EXIT_DONE;
}

// ---- a file ----

static int read_file(const ground_spec* spec, made_ground* g)
{
    sft_io_mesh_def def = sft_default_io_mesh_def();
    def.unit_metres = take(spec, KEY_UNIT, 1.0) * take(spec, KEY_SCALE, 1.0);
    def.up = spec->given[KEY_UP] ? (int)spec->values[KEY_UP] : -1;
    if (!(def.unit_metres >= 1e-6 && def.unit_metres <= 1e6))
        return cli_fail(EXIT_USAGE, "--ground: unit times scale must be within 1e-6 and 1e6 m");
    sft_error error = {0};
    cli_progress("reading %s ...", spec->path);
    const sft_result result = sft_io_mesh_read_file(&def, spec->path, NULL, &g->triangles, &error);
    cli_progress("%s", "");
    if (result != SFT_OK) return cli_fail_error(spec->path, result, &error);
    const sft_io_mesh_contents* v = sft_io_mesh_view(g->triangles);
    for (int32_t i = 0; i < v->warning_count; ++i)
        if (v->warnings[i].line > 0)
            cli_warn("%s:%u: %s", spec->path, (unsigned)v->warnings[i].line, v->warnings[i].message);
        else
            cli_warn("%s: %s", spec->path, v->warnings[i].message);
    return EXIT_DONE;
}

// Turned about the vertical, then moved.
static int move_file(const ground_spec* spec, made_ground* g)
{
    const sft_ground_mesh_def* m = &sft_io_mesh_view(g->triangles)->ground;
    const size_t count = (size_t)m->vertex_count;
    double sine, cosine;
    sft_sincos_deg(take(spec, KEY_HEADING, 0.0), &sine, &cosine);
    const sft_v3d to = sft_v3d_make(take(spec, KEY_X, 0.0), take(spec, KEY_Y, 0.0), take(spec, KEY_Z, 0.0));
    g->moved = malloc((3 * count + 1) * sizeof *g->moved);
    if (g->moved == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    for (size_t i = 0; i < count; ++i)
    {
        const float* v = m->vertices + 3 * i;
        g->moved[3 * i] = (float)((double)v[0] * cosine + (double)v[2] * sine + to.x);
        g->moved[3 * i + 1] = (float)((double)v[1] + to.y);
        g->moved[3 * i + 2] = (float)((double)v[2] * cosine - (double)v[0] * sine + to.z);
    }
    return EXIT_DONE;
}

static int make_file(const ground_spec* spec, made_ground* g)
{
    if (g->mesh == NULL)
    {
        int code = read_file(spec, g);
        if (code == EXIT_DONE) code = move_file(spec, g);
        if (code != EXIT_DONE) return code;
        sft_ground_mesh_def def = sft_io_mesh_view(g->triangles)->ground;
        def.vertices = g->moved;
        int32_t skipped = 0;
        cli_progress("sorting %d triangles ...", (int)def.triangle_count);
        const sft_result result = sft_ground_mesh_create(&def, NULL, &g->mesh, &skipped);
        cli_progress("%s", "");
        if (result != SFT_OK)
            return cli_fail(result == SFT_ERR_MEMORY || result == SFT_ERR_LIMIT ? EXIT_MEMORY : EXIT_READ, "%s: %s",
                            spec->path, sft_result_string(result));
        if (skipped == def.triangle_count)
            return cli_fail(EXIT_READ, "%s: none of its %d triangles has an area; export the ground again", spec->path,
                            (int)skipped);
        if (skipped > 0) cli_warn("%s: %d triangles of no area are left out", spec->path, (int)skipped);
    }
    g->ground = sft_ground_from_mesh(g->mesh);
    snprintf(g->text, sizeof g->text, "%.200s", spec->path);
    if (spec->given[KEY_UNIT]) say(g, "unit", spec->values[KEY_UNIT]);
    if (spec->given[KEY_UP])
        snprintf(g->text + strlen(g->text), 16, ",up=%s", cli_axis_name((sft_axis)spec->values[KEY_UP]));
    static const struct
    {
        ground_key key;
        const char* name;
    } rest[] = {{KEY_SCALE, "scale"}, {KEY_HEADING, "heading"}, {KEY_X, "x"}, {KEY_Y, "y"}, {KEY_Z, "z"}};
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; ++i)
        if (spec->given[rest[i].key]) say(g, rest[i].name, spec->values[rest[i].key]);
    return EXIT_DONE;
}

int ground_make(const ground_spec* spec, const ground_place* place, made_ground* out)
{
    ground_drop(out);
    out->kind = spec->kind;
    switch (spec->kind)
    {
    case GROUND_FILE:
        return make_file(spec, out);
    case GROUND_PLANE:
        return make_plane(spec, place, out);
    case GROUND_SLOPE:
        return make_slope(spec, place, out);
    case GROUND_STAIRS:
        return make_stairs(spec, place, out);
    case GROUND_GAP:
        return make_gap(spec, place, out);
    case GROUND_ROUGH:
        return make_rough(spec, place, out);
    case GROUND_PROFILE:
        return make_profile(spec, place, out);
    }
    return cli_fail(EXIT_USAGE, "--ground: an unknown kind");
}

void ground_drop(made_ground* ground)
{
    free(ground->block);
    ground->block = NULL;
    ground->text[0] = '\0';
}

void ground_release(made_ground* ground)
{
    ground_drop(ground);
    sft_ground_mesh_destroy(ground->mesh, NULL);
    sft_io_mesh_destroy(ground->triangles);
    free(ground->moved);
    *ground = (made_ground){.kind = GROUND_FILE};
}
