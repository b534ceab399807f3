// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// `surefoot clean in.glb -o out.glb` on a file of 100 MB: a mesh of three and a half million vertices with 10,000
// frames of a walk. Time, and the most memory the process held against the size of the file.
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sample/walker.h"
#include "surefoot/surefoot.h"

#define FRAMES 10000
#define VERTICES 3500000u
#define INDICES 3000000u
#define MOST_MEMORY 2.0 // times the file

typedef struct glb
{
    FILE* file;
    char* json;
    size_t json_size, json_capacity;
    bool failed;
} glb;

static void text(glb* g, const char* format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(g->json + g->json_size, g->json_capacity - g->json_size, format, list);
    va_end(list);
    if (length < 0 || (size_t)length >= g->json_capacity - g->json_size)
        g->failed = true;
    else
        g->json_size += (size_t)length;
}

static void put(glb* g, const void* bytes, size_t size)
{
    g->failed = g->failed || fwrite(bytes, 1, size, g->file) != size;
}

static void put_u32(glb* g, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    put(g, bytes, sizeof bytes);
}

static void put_float(glb* g, double value)
{
    const float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    put_u32(g, bits);
}

// ---- the document ----

static void put_nodes(glb* g, const sft_skeleton* s)
{
    text(g, "\"nodes\":[{\"name\":\"Body\",\"mesh\":0}");
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        const sft_v3d t = s->rest_translations[j];
        const bool end = (s->flags[j] & SFT_JOINT_END_SITE) != 0;
        text(g, ",{\"name\":\"%s%s\",\"translation\":[%.9g,%.9g,%.9g]", s->names[j], end ? "_end" : "", t.x, t.y, t.z);
        const char* before = ",\"children\":[";
        for (int32_t k = j + 1; k < s->joint_count; ++k)
        {
            if (s->parents[k] != j) continue;
            text(g, "%s%d", before, (int)k + 1);
            before = ",";
        }
        text(g, before[1] == '\0' ? "]}" : "}");
    }
    text(g, "],\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],\"skins\":[{\"joints\":[");
    for (int32_t j = 0; j < s->joint_count; ++j)
        text(g, "%s%d", j > 0 ? "," : "", (int)j + 1);
    text(g, "]}],");
}

/// Accessors: 0 times, 1 to joints the rotations, then the hips' translations, positions, normals, indices.
static void put_animation(glb* g, int32_t joints)
{
    text(g, "\"animations\":[{\"name\":\"Walk\",\"channels\":[");
    for (int32_t c = 0; c <= joints; ++c)
        text(g, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", c > 0 ? "," : "", (int)c,
             c < joints ? (int)c + 1 : 1, c < joints ? "rotation" : "translation");
    text(g, "],\"samplers\":[");
    for (int32_t c = 0; c <= joints; ++c)
        text(g, "%s{\"input\":0,\"output\":%d}", c > 0 ? "," : "", (int)c + 1);
    text(g, "]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d},\"indices\":%d}]}],",
         (int)joints + 2, (int)joints + 3, (int)joints + 4);
}

static void put_accessor(glb* g, int32_t* view, uint64_t* offset, uint32_t count, int32_t width, const char* more)
{
    static const char* const types[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    text(g, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%u,\"type\":\"%s\"%s}", *view > 0 ? "," : "",
         (int)*view, strcmp(more, "u32") == 0 ? 5125 : 5126, (unsigned)count, types[width],
         strcmp(more, "u32") == 0 ? "" : more);
    *view += 1;
    *offset += (uint64_t)4 * count * (uint64_t)width;
}

static uint64_t put_data_description(glb* g, int32_t joints, double frame_time)
{
    char range[96];
    int32_t view = 0;
    uint64_t size = 0;
    snprintf(range, sizeof range, ",\"min\":[0],\"max\":[%.9g]", (double)(float)((FRAMES - 1) * frame_time));
    text(g, "\"accessors\":[");
    put_accessor(g, &view, &size, FRAMES, 1, range);
    for (int32_t j = 0; j < joints; ++j)
        put_accessor(g, &view, &size, FRAMES, 4, "");
    put_accessor(g, &view, &size, FRAMES, 3, "");
    put_accessor(g, &view, &size, VERTICES, 3, ",\"min\":[-1,0,-1],\"max\":[1,2,1]");
    put_accessor(g, &view, &size, VERTICES, 3, "");
    put_accessor(g, &view, &size, INDICES, 1, "u32");
    text(g, "],\"bufferViews\":[");
    uint64_t at = 0;
    for (int32_t v = 0; v < view; ++v)
    {
        const uint64_t count = v == 0            ? FRAMES
                               : v <= joints     ? 4ull * FRAMES
                               : v == joints + 1 ? 3ull * FRAMES
                               : v < joints + 4  ? 3ull * VERTICES
                                                 : INDICES;
        text(g, "%s{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu}", v > 0 ? "," : "", (unsigned long long)at,
             (unsigned long long)(4 * count));
        at += 4 * count;
    }
    text(g, "],\"buffers\":[{\"byteLength\":%llu}]}", (unsigned long long)at);
    return at;
}

// ---- the data ----

static void put_motion(glb* g, const sft_clip* clip)
{
    const size_t joints = (size_t)clip->joint_count;
    for (int32_t f = 0; f < FRAMES; ++f)
        put_float(g, (double)f * clip->frame_time);
    for (size_t j = 0; j < joints; ++j)
        for (size_t f = 0; f < FRAMES; ++f)
        {
            const sft_quatd q = clip->rotations[f * joints + j];
            const double v[4] = {q.x, q.y, q.z, q.w};
            for (int k = 0; k < 4; ++k)
                put_float(g, v[k]);
        }
    for (size_t f = 0; f < FRAMES; ++f)
    {
        const sft_v3d t = clip->translations[f * joints];
        put_float(g, t.x);
        put_float(g, t.y);
        put_float(g, t.z);
    }
}

static void put_mesh(glb* g)
{
    for (uint32_t v = 0; v < VERTICES; ++v)
    {
        put_float(g, (double)(v % 1999) / 999.0 - 1.0);
        put_float(g, (double)(v % 2011) / 1005.0);
        put_float(g, (double)(v % 2003) / 1001.0 - 1.0);
    }
    for (uint32_t v = 0; v < VERTICES; ++v)
    {
        put_float(g, 0.0);
        put_float(g, v % 2 == 0 ? 1.0 : 0.0);
        put_float(g, v % 2 == 0 ? 0.0 : 1.0);
    }
    for (uint32_t i = 0; i < INDICES; ++i)
        put_u32(g, (uint32_t)((uint64_t)i * 7919u % VERTICES));
}

static size_t put_document(glb* g, const walker* w)
{
    text(g, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"surefoot-bench\"},");
    put_nodes(g, w->skeleton);
    put_animation(g, w->skeleton->joint_count);
    const uint64_t data = put_data_description(g, w->skeleton->joint_count, w->clip->frame_time);
    while (!g->failed && g->json_size % 4 != 0)
        text(g, " ");
    const uint64_t total = 12 + 8 + (uint64_t)g->json_size + 8 + data;
    put(g, "glTF", 4);
    put_u32(g, 2);
    put_u32(g, (uint32_t)total);
    put_u32(g, (uint32_t)g->json_size);
    put(g, "JSON", 4);
    put(g, g->json, g->json_size);
    put_u32(g, (uint32_t)data);
    put(g, "BIN\0", 4);
    put_motion(g, w->clip);
    put_mesh(g);
    return g->failed ? 0 : (size_t)total;
}

/// Size of the file, 0 where something failed.
static size_t make_input(const char* path)
{
    walker walk;
    walker_def def = walker_default_def();
    def.frames = FRAMES;
    def.root_scale = 0.75;
    if (walker_create(&def, &walk) != SFT_OK) return 0;
    glb g = {.file = fopen(path, "wb"), .json_capacity = 1 << 16};
    g.json = malloc(g.json_capacity);
    size_t size = g.file != NULL && g.json != NULL ? put_document(&g, &walk) : 0;
    if (g.file != NULL && fclose(g.file) != 0) size = 0;
    free(g.json);
    walker_release(&walk);
    return size;
}

// ---- the command ----

typedef struct command
{
    char program[1024];
    char in[1024];
    char out[1024];
    int status; ///< exit status of the last run that failed, 0 where none did
} command;

static pid_t start_command(const command* c)
{
    const pid_t child = fork();
    if (child != 0) return child;
    const int quiet = open("/dev/null", O_WRONLY);
    if (quiet >= 0) dup2(quiet, STDOUT_FILENO);
    execl(c->program, c->program, "clean", c->in, "-o", c->out, (char*)NULL);
    _exit(127);
}

static void end_command(command* c, pid_t child, int status)
{
    if (child < 0 || !WIFEXITED(status))
        c->status = -1;
    else if (WEXITSTATUS(status) != 0)
        c->status = WEXITSTATUS(status);
}

static void run_command(void* data)
{
    command* c = data;
    const pid_t child = start_command(c);
    int status = -1;
    if (child > 0 && waitpid(child, &status, 0) != child) status = -1;
    end_command(c, child, status);
}

/// Most resident memory so far [bytes], of the program alone; 0 where the system does not say.
static double high_water(pid_t child)
{
    char path[64], line[256];
    double kilobytes = 0.0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)child);
    FILE* file = fopen(path, "r");
    if (file == NULL) return 0.0;
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "VmHWM:", 6) == 0) kilobytes = strtod(line + 6, NULL);
    fclose(file);
    return 1024.0 * kilobytes;
}

/// One more run, watched: a child's rusage would count what this program itself held when it forked.
static double measure_memory(command* c)
{
    const pid_t child = start_command(c);
    const struct timespec pause = {0, 1000000};
    double most = 0.0;
    int status = -1;
    // Until the child is another program its memory is ours.
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    while (child > 0 && waitpid(child, &status, WNOHANG) == 0)
    {
        const double now = high_water(child);
        most = now > most ? now : most;
        nanosleep(&pause, NULL);
    }
    end_command(c, child, status);
    return most;
}

static void report(bench_context* context, command* c, size_t size)
{
    bench_entry entry = bench_time_entry("glb_clean", "s", bench_measure(context, NULL, run_command, c), 1.0);
    const double most = measure_memory(c);
    bench_add_field(&entry, "frames", FRAMES);
    bench_add_field(&entry, "file_mb", (double)size / 1e6);
    if (most > 0.0) bench_add_field(&entry, "memory_mb", most / 1e6);
    if (most > 0.0) bench_add_field(&entry, "memory_per_file", most / (double)size);
    if (c->status != 0)
        bench_fail(context, "glb_clean", "surefoot clean ended with an error");
    else
        bench_report(context, &entry);
    if (most > MOST_MEMORY * (double)size) bench_fail(context, "glb_clean", "holds more than twice the file");
}

void bench_scene_glb_clean(bench_context* context)
{
    command c = {.status = 0};
    char folder[] = "/tmp/surefoot-bench-XXXXXX";
    if (!bench_beside_program(context, "surefoot", c.program, sizeof c.program))
    {
        bench_skip(context, "glb_clean", "the surefoot command is not beside surefoot-bench");
        return;
    }
    if (mkdtemp(folder) == NULL)
    {
        bench_fail(context, "glb_clean", "no folder for temporary files");
        return;
    }
    snprintf(c.in, sizeof c.in, "%s/in.glb", folder);
    snprintf(c.out, sizeof c.out, "%s/out.glb", folder);
    const size_t size = make_input(c.in);
    if (size == 0)
        bench_fail(context, "glb_clean", "the input could not be written");
    else
        report(context, &c, size);
    unlink(c.in);
    unlink(c.out);
    rmdir(folder);
}
