// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// 50 MB of glTF JSON as exporters write it: nodes with transforms, accessors, buffer views, meshes, animations with
// samplers and channels, extras. The peer reads the very same bytes in the same run. Both check the whole text and can
// then give any value; ours keeps numbers and strings as text until they are asked for, so an entry of its own, on 10
// MB, has every number of the text on the clock, too.
#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"

#ifdef SFT_HAVE_JSON_C
#include <json-c/json.h>
#endif

#define PARSE_BYTES 50000000u
#define WALK_BYTES 10000000u

typedef struct json_job
{
    char* text;
    size_t size, capacity;
    double sum;
    bool failed;
} json_job;

static void put(json_job* job, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    job->size += (size_t)vsnprintf(job->text + job->size, job->capacity - job->size, format, args);
    va_end(args);
}

static void put_node(json_job* job, int i)
{
    const double a = 0.37 * i;
    put(job,
        "%s\n    {\n      \"name\": \"mixamorig:Joint_%d\",\n      \"translation\": [%.9g, %.9g, %.9g],\n      "
        "\"rotation\": [%.9g, %.9g, %.9g, %.9g],\n      \"children\": [%d, %d],\n      \"extras\": {\"id\": %d, "
        "\"layer\": \"default\", \"locked\": false}\n    }",
        i > 0 ? "," : "", i, sin(a), cos(a), sin(2 * a), sin(a / 3), cos(a / 3), 0.0, 1.0, 2 * i + 1, 2 * i + 2, i);
}

static void put_accessor(json_job* job, int i)
{
    put(job,
        "%s{\"bufferView\":%d,\"byteOffset\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"%s\",\"min\":[%.8g],"
        "\"max\":[%.8g]}",
        i > 0 ? "," : "", i, 4 * i, 60 + i % 240, i % 3 == 0 ? "SCALAR" : "VEC4", 0.0, i / 60.0);
}

static void put_view(json_job* job, int i)
{
    put(job, "%s\n{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d,\"name\":\"view_%d\"}", i > 0 ? "," : "", 960 * i,
        960, i);
}

static void put_mesh(json_job* job, int i)
{
    put(job,
        "%s\n\t\t{\n\t\t\t\"name\" : \"mesh %d \\u00e9\",\n\t\t\t\"primitives\" : [ { \"attributes\" : { \"POSITION\" "
        ": %d, "
        "\"NORMAL\" : %d, \"JOINTS_0\" : %d, \"WEIGHTS_0\" : %d }, \"indices\" : %d, \"material\" : 0 } ]\n\t\t}",
        i > 0 ? "," : "", i, 5 * i, 5 * i + 1, 5 * i + 2, 5 * i + 3, 5 * i + 4);
}

static void put_animation(json_job* job, int i)
{
    put(job, "%s\n    {\n      \"name\": \"take %d\",\n      \"samplers\": [", i > 0 ? "," : "", i);
    for (int k = 0; k < 60; ++k)
        put(job,
            "%s\n        {\n          \"input\": %d,\n          \"interpolation\": \"LINEAR\",\n          \"output\": "
            "%d\n        }",
            k > 0 ? "," : "", 1000 + i, 2000 + 60 * i + k);
    put(job, "],\n      \"channels\": [");
    for (int k = 0; k < 60; ++k)
        put(job,
            "%s\n        {\n          \"sampler\": %d,\n          \"target\": {\n            \"node\": %d,\n           "
            " "
            "\"path\": \"rotation\"\n          }\n        }",
            k > 0 ? "," : "", k, k);
    put(job, "]\n    }");
}

// Members one after the other, each until its share of the text is full.
static void make_text(json_job* job, size_t bytes)
{
    static const struct
    {
        const char* name;
        void (*put)(json_job*, int);
    } parts[] = {{"nodes", put_node},
                 {"accessors", put_accessor},
                 {"bufferViews", put_view},
                 {"meshes", put_mesh},
                 {"animations", put_animation}};
    job->capacity = bytes + 65536;
    job->text = malloc(job->capacity);
    if (job->text == NULL) return;
    put(job, "{\n  \"asset\": {\"version\": \"2.0\", \"generator\": \"surefoot-bench\"}");
    for (size_t part = 0; part < 5; ++part)
    {
        put(job, ",\n  \"%s\": [", parts[part].name);
        for (int i = 0; job->size < bytes / 5 * (part + 1); ++i)
            parts[part].put(job, i);
        put(job, "]");
    }
    put(job, "\n}\n");
}

static void parse_own(void* data)
{
    json_job* job = data;
    sft_json* json = NULL;
    if (sft_json_parse(NULL, job->text, job->size, NULL, &json, NULL) != SFT_OK) job->failed = true;
    bench_keep(json);
    sft_json_destroy(json);
}

static double sum_own(const sft_json* json, sft_json_value v)
{
    double number = 0.0;
    sft_json_double(json, v, &number);
    for (sft_json_iter it = sft_json_iterate(json, v); sft_json_next(json, &it);)
        number += sum_own(json, it.value);
    return number;
}

static void walk_own(void* data)
{
    json_job* job = data;
    sft_json* json = NULL;
    if (sft_json_parse(NULL, job->text, job->size, NULL, &json, NULL) != SFT_OK)
        job->failed = true;
    else
        job->sum = sum_own(json, sft_json_root(json));
    sft_json_destroy(json);
}

#ifdef SFT_HAVE_JSON_C
static json_object* parse_peer_text(json_job* job)
{
    json_tokener* tokener = json_tokener_new();
    json_object* object = json_tokener_parse_ex(tokener, job->text, (int)job->size);
    if (json_tokener_get_error(tokener) != json_tokener_success) job->failed = true;
    json_tokener_free(tokener);
    return object;
}

static void parse_peer(void* data)
{
    json_object* object = parse_peer_text(data);
    bench_keep(object);
    json_object_put(object);
}

static double sum_peer(json_object* object)
{
    double number = 0.0;
    switch (json_object_get_type(object))
    {
    case json_type_double:
    case json_type_int:
        return json_object_get_double(object);
    case json_type_array:
        for (size_t i = 0; i < json_object_array_length(object); ++i)
            number += sum_peer(json_object_array_get_idx(object, i));
        return number;
    case json_type_object:
        for (struct lh_entry* entry = json_object_get_object(object)->head; entry != NULL; entry = entry->next)
            number += sum_peer((json_object*)(uintptr_t)entry->v);
        return number;
    default:
        return 0.0;
    }
}

static void walk_peer(void* data)
{
    json_job* job = data;
    json_object* object = parse_peer_text(job);
    job->sum = sum_peer(object);
    json_object_put(object);
}
#endif

static void compare(bench_context* context, json_job* job, const char* name, void (*own_run)(void*),
                    void (*peer_run)(void*))
{
    const double megabytes = (double)job->size / 1e6;
    bench_entry own = bench_rate_entry(name, "MB/s", bench_measure(context, NULL, own_run, job), megabytes);
    bench_add_field(&own, "megabytes", megabytes);
    if (peer_run != NULL)
    {
        const double sum = job->sum;
        job->sum = 0.0;
        const bench_entry peer =
            bench_rate_entry("json-c", "MB/s", bench_measure(context, NULL, peer_run, job), megabytes);
        bench_set_peer(&own, &peer, "json-c", true);
        // Same text, same order, so the very same sum.
        if (memcmp(&sum, &job->sum, sizeof sum) != 0) job->failed = true;
    }
    else
        bench_skip(context, name, "no json-c to compare with (Debian: libjson-c-dev)");
    if (job->failed)
        bench_fail(context, name, "a reader refused the text, or the readers disagree");
    else
        bench_report(context, &own);
}

static void measure(bench_context* context, size_t bytes, const char* name, void (*own_run)(void*),
                    void (*peer_run)(void*))
{
    json_job job = {0};
    make_text(&job, bytes);
    if (job.text != NULL)
        compare(context, &job, name, own_run, peer_run);
    else
        bench_fail(context, name, "no memory for the text");
    free(job.text);
}

void bench_scene_json(bench_context* context)
{
#ifdef SFT_HAVE_JSON_C
    measure(context, PARSE_BYTES, "gltf_json", parse_own, parse_peer);
    measure(context, WALK_BYTES, "gltf_json_walk", walk_own, walk_peer);
#else
    measure(context, PARSE_BYTES, "gltf_json", parse_own, NULL);
    measure(context, WALK_BYTES, "gltf_json_walk", walk_own, NULL);
#endif
}
