// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Keys of the channels that move joints: are they there, are they of the right kind, do their times grow. What breaks
// the document is an error; what keeps one animation from being sampled becomes its `problem`, so that the others stay
// of use. Several channels share accessors, so what was found is remembered for each.

#include "gltf/read.h"

#include <math.h>

// Found of an accessor, as key times, as values and as values of a spline. Bad ones are remembered too: thousands of
// animations may share one.
enum
{
    TIMES_GOOD = 1,
    TIMES_BAD = 2,
    VALUES_GOOD = 4,
    VALUES_BAD = 8,
    SPLINE_GOOD = 16,
    SPLINE_BAD = 32
};

#define BLOCK 256

typedef struct judge
{
    gltf_reader* reader;
    sft_gltf* gltf;
    uint8_t* found; ///< accessor_count
    int32_t* seen;  ///< node_count * 3: the animation that moved a node's translation, rotation, scale last, plus one
    int32_t animation;
    char* problem; ///< of that animation
} judge;

static const char* const path_names[] = {"translation", "rotation", "scale"};
static const char* const type_names[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};

// The first problem of an animation stands.
static void set_problem(judge* j, const char* format, ...)
{
    if (j->problem[0] != '\0') return;
    va_list args;
    va_start(args, format);
    sft_core_vformat(j->problem, sizeof((sft_gltf_animation*)NULL)->problem, format, args);
    va_end(args);
    sft_gltf_tidy(j->problem);
}

// ---- accessors ----

static const char* compression_of(const sft_gltf* gltf, int32_t view)
{
    return view >= 0 ? gltf->views[view].compression : NULL;
}

// True where the accessor's bytes mean what the core standard says.
static bool plain(judge* j, int32_t sampler, const char* role, int32_t accessor)
{
    const sft_gltf* gltf = j->gltf;
    const gltf_accessor* a = &gltf->accessors[accessor];
    const char* name = compression_of(gltf, a->view);
    if (name == NULL && a->sparse != NULL) name = compression_of(gltf, a->sparse->index_view);
    if (name == NULL && a->sparse != NULL) name = compression_of(gltf, a->sparse->value_view);
    if (name == NULL) return true;
    set_problem(j,
                "sampler %d: its %s accessor %d is compressed with %s; export without compression, or decompress first "
                "(gltfpack -noq)",
                sampler, role, accessor, name);
    return false;
}

static sft_result check_kind(judge* j, int32_t accessor, int32_t width, int32_t sampler, const char* what)
{
    const gltf_accessor* a = &j->gltf->accessors[accessor];
    if (a->width == width && !a->matrix) return SFT_OK;
    return sft_gltf_fail(j->gltf, j->reader->error, SFT_ERR_SYNTAX, a->start,
                         "accessor %d is %s, but %s of sampler %d of animation %d must be %s; export again", accessor,
                         a->matrix ? "a matrix" : type_names[a->width], what, sampler, j->animation, type_names[width]);
}

// ---- key times ----

// What one pass over key times remembers.
typedef struct times
{
    double before;     ///< the last time
    uint32_t equal_at; ///< first key at the time of the one before it; UINT32_MAX: none
    bool was_equal;    ///< the last key was such a one
} times;

// False, with the problem set, where the key cannot stand. Two keys at one time are a jump: exporters write them, and
// players take the later from then on. More than two would let a short file claim any number of keys.
static bool judge_time(judge* j, int32_t sampler, int32_t accessor, uint32_t key, double time, times* t)
{
    if (!isfinite(time))
        set_problem(j, "sampler %d: the time of key %u (accessor %d) is no finite number; export again", sampler, key,
                    accessor);
    else if (time < t->before || (time == t->before && t->was_equal))
        set_problem(j,
                    "sampler %d: key %u at %g s does not come after key %u at %g s (accessor %d); sort the keys or "
                    "export again",
                    sampler, key, time, key - 1, t->before, accessor);
    else
    {
        t->was_equal = time == t->before;
        if (t->was_equal && t->equal_at == UINT32_MAX) t->equal_at = key;
        t->before = time;
        return true;
    }
    j->found[accessor] |= TIMES_BAD;
    return false;
}

static void judge_times(judge* j, int32_t sampler, int32_t accessor)
{
    if ((j->found[accessor] & TIMES_GOOD) != 0) return;
    if ((j->found[accessor] & TIMES_BAD) != 0)
    {
        set_problem(j, "sampler %d: key times (accessor %d) that fall or are no finite numbers; export again", sampler,
                    accessor);
        return;
    }
    const gltf_accessor* a = &j->gltf->accessors[accessor];
    double block[BLOCK], start = 0.0;
    times t = {-(double)INFINITY, UINT32_MAX, false};
    for (uint32_t first = 0; first < a->count; first += BLOCK)
    {
        const uint32_t some = a->count - first < BLOCK ? a->count - first : BLOCK;
        sft_gltf_read_values(j->gltf, accessor, first, some, block);
        if (first == 0) start = block[0];
        for (uint32_t i = 0; i < some; ++i)
            if (!judge_time(j, sampler, accessor, first + i, block[i], &t)) return;
        // The last block of 2^32 keys would begin anew.
        if (some < BLOCK) break;
    }
    j->found[accessor] |= TIMES_GOOD;
    if (t.equal_at != UINT32_MAX)
        sft_gltf_warn(j->gltf, a->start,
                      "sampler %d of animation %d has keys %u and %u at one time; the later counts from then on",
                      sampler, j->animation, t.equal_at - 1, t.equal_at);
    if (start < 0.0)
        sft_gltf_warn(j->gltf, a->start,
                      "sampler %d of animation %d begins at %g s, before time 0; it is read as it stands", sampler,
                      j->animation, start);
}

// ---- values ----

// Length from 1 that rounding of the component type explains; eight bits are coarse.
static double unit_tolerance(const gltf_accessor* a)
{
    return a->component == GLTF_I8 || a->component == GLTF_U8 ? 0.02 : 1e-3;
}

// Worst rotation so far.
typedef struct unit_check
{
    double worst, length;
    uint32_t element;
} unit_check;

// False, with the problem set, where an element cannot be used.
static bool check_element(judge* j, int32_t sampler, const gltf_accessor* a, uint32_t index, const double* v,
                          unit_check* unit)
{
    double square = 0.0;
    for (uint32_t c = 0; c < a->width; ++c)
        square += v[c] * v[c];
    if (!(square < 1e30))
    {
        set_problem(j, "sampler %d: value %u (accessor %d) is no number of sensible size; export again", sampler, index,
                    (int)(a - j->gltf->accessors));
        return false;
    }
    if (unit == NULL) return true;
    if (!(square > 1e-12))
    {
        set_problem(j, "sampler %d: value %u (accessor %d) is a quaternion of no length; export again", sampler, index,
                    (int)(a - j->gltf->accessors));
        return false;
    }
    const double length = sqrt(square), off = fabs(length - 1.0);
    if (off > unit->worst) *unit = (unit_check){off, length, index};
    return true;
}

static void judge_values(judge* j, int32_t sampler, int32_t accessor, bool rotation, bool cubic)
{
    const uint8_t good = cubic ? SPLINE_GOOD : VALUES_GOOD, bad = cubic ? SPLINE_BAD : VALUES_BAD;
    if ((j->found[accessor] & good) != 0) return;
    if ((j->found[accessor] & bad) != 0)
    {
        set_problem(j, "sampler %d: values (accessor %d) that are no numbers or have no length; export again", sampler,
                    accessor);
        return;
    }
    const gltf_accessor* a = &j->gltf->accessors[accessor];
    double block[BLOCK * 4];
    unit_check unit = {0.0, 1.0, 0};
    for (uint32_t first = 0; first < a->count; first += BLOCK)
    {
        const uint32_t some = a->count - first < BLOCK ? a->count - first : BLOCK;
        sft_gltf_read_values(j->gltf, accessor, first, some, block);
        for (uint32_t i = 0; i < some; ++i)
        {
            // Of a spline's three elements a key, the tangents are no rotations.
            const bool turns = rotation && (!cubic || (first + i) % 3 == 1);
            if (check_element(j, sampler, a, first + i, block + (size_t)i * a->width, turns ? &unit : NULL)) continue;
            j->found[accessor] |= bad;
            return;
        }
        if (some < BLOCK) break;
    }
    j->found[accessor] |= good;
    if (unit.worst <= unit_tolerance(a)) return;
    sft_gltf_warn(
        j->gltf, a->start,
        "sampler %d of animation %d holds rotations of other length than 1 (%g at value %u); they are read as "
        "of length 1",
        sampler, j->animation, unit.length, unit.element);
}

// ---- channels ----

static sft_result judge_sampler(judge* j, const gltf_channel* channel)
{
    const sft_gltf* gltf = j->gltf;
    const int32_t index = channel->sampler;
    const gltf_sampler* sampler = &gltf->animations[j->animation].samplers[index];
    if (!plain(j, index, "input", sampler->input) || !plain(j, index, "output", sampler->output)) return SFT_OK;
    sft_result result = sft_gltf_check_accessor(j->gltf, sampler->input, j->reader->error);
    if (result == SFT_OK) result = sft_gltf_check_accessor(j->gltf, sampler->output, j->reader->error);
    if (result == SFT_OK) result = check_kind(j, sampler->input, 1, index, "the key times");
    if (result == SFT_OK)
        result =
            check_kind(j, sampler->output, channel->path == GLTF_ROTATION ? 4 : 3, index, path_names[channel->path]);
    if (result != SFT_OK) return result;
    const bool cubic = sampler->interpolation == GLTF_CUBICSPLINE;
    const uint32_t keys = gltf->accessors[sampler->input].count, values = gltf->accessors[sampler->output].count;
    if (sampler->interpolation == GLTF_UNKNOWN_INTERPOLATION)
        set_problem(j, "sampler %d: its interpolation is none of LINEAR, STEP and CUBICSPLINE; export again", index);
    if (keys == 0)
        set_problem(j, "sampler %d: it has no keys (accessor %d); remove its channels", index, sampler->input);
    if ((uint64_t)keys * (cubic ? 3 : 1) != values)
        set_problem(j, "sampler %d: %u keys (accessor %d) and %u values (accessor %d)%s; export again", index, keys,
                    sampler->input, values, sampler->output, cubic ? " where three a key should be" : "");
    if (j->problem[0] != '\0') return SFT_OK;
    judge_times(j, index, sampler->input);
    // Keys that fit to times that grow are no more than the file has bytes for, so now the values may be walked.
    if (j->problem[0] == '\0') judge_values(j, index, sampler->output, channel->path == GLTF_ROTATION, cubic);
    return SFT_OK;
}

static sft_result judge_channel(judge* j, int32_t index)
{
    const sft_gltf* gltf = j->gltf;
    const gltf_channel* channel = &gltf->animations[j->animation].channels[index];
    if (channel->node < 0 || gltf->node_joints[channel->node] < 0) return SFT_OK;
    if (channel->path == GLTF_POINTER)
        set_problem(j,
                    "channel %d: KHR_animation_pointer moves the joint %s; export joints with plain translation, "
                    "rotation and scale channels",
                    index, sft_gltf_label(gltf, channel->node).text);
    if (channel->path > GLTF_SCALE) return SFT_OK;
    int32_t* seen = &j->seen[(size_t)channel->node * 3 + channel->path];
    if (*seen == j->animation + 1)
        set_problem(j, "channel %d: another channel sets the %s of %s too; remove one of them", index,
                    path_names[channel->path], sft_gltf_label(gltf, channel->node).text);
    *seen = j->animation + 1;
    return judge_sampler(j, channel);
}

sft_result sft_gltf_judge_animations(gltf_reader* reader)
{
    sft_gltf* gltf = reader->gltf;
    const size_t accessors = (size_t)gltf->accessor_count, nodes = (size_t)gltf->node_count;
    judge j = {.reader = reader, .gltf = gltf};
    j.found = sft_core_alloc(&gltf->allocator, accessors, 1);
    j.seen = sft_core_alloc(&gltf->allocator, nodes, 3 * sizeof *j.seen);
    sft_result result = j.found != NULL && j.seen != NULL ? SFT_OK : sft_gltf_no_memory(reader->error);
    for (j.animation = 0; j.animation < gltf->animation_count && result == SFT_OK; ++j.animation)
    {
        j.problem = gltf->infos[j.animation].problem;
        for (int32_t c = 0; c < gltf->animations[j.animation].channel_count && result == SFT_OK; ++c)
            result = judge_channel(&j, c);
    }
    sft_core_free(&gltf->allocator, j.seen, nodes, 3 * sizeof *j.seen);
    sft_core_free(&gltf->allocator, j.found, accessors, 1);
    return result;
}
