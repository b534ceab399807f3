// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Feet that something holds: a clip that was cleaned or made by a program has plants in which the toe keeps one place
// to within numerical noise, and swings that ease out of it. The plain rule goes by speed and takes the first and last
// hundredths of a second of such a swing for standing, or the whole of it where the figure is small. Where the still
// frames are most of a plant, they are the plant, and what only eases out of them, into a swing that goes up, is none.
// What leaves its place along the ground skates, and stays planted. Captured feet roll and creep by more than noise
// within a few frames, so their labels stay what they were.

#include "contact/contact_internal.h"

#include "core/core.h"

#define HELD_NOISE 2e-5  // [m] single precision of figures some tens of metres from the origin, and of BVH's decimals
#define HELD_TIME 0.05   // [s] a toe within noise of where it was for so long is held
#define COARSE_TIME 0.02 // [s] of a frame, from which one step under a moving body must do: small figures step fast
#define MOSTLY_HELD 0.4  // share of a plant's frames: half of a small figure's walk is swing
#define EASE_RISE 0.2    // of its way along the ground that a foot rises or sinks by in a swing
#define STEP_RISE 0.005  // [m of a 0.9 m leg] that it rises or sinks by in a swing at least
#define LOOK_TIME 0.1    // [s] of the swing beyond a plant that are looked at
#define EDGE_TIME 0.14   // [s] plants and ends of plants that the clip cuts off before more can be seen

typedef struct held_foot
{
    const contact_view* view;
    const sft_v3d* toe;
    uint8_t* held;  ///< frames that lie in a held run
    uint8_t* plant; ///< what is left of the plants
    bool steps;     ///< out of held places, as was seen somewhere
} held_foot;

static bool is_held(const held_foot* f, int32_t start, int32_t end)
{
    const double dt = f->view->dt;
    if (end - start >= 3) return (double)(end - start - 1) * dt >= HELD_TIME;
    // Repeated frames of a capture stop the body as well.
    const sft_v3d* pelvis = f->view->pelvis;
    return end - start == 2 && dt >= COARSE_TIME &&
           sft_v3d_distance(pelvis[start], pelvis[start + 1]) > 10.0 * HELD_NOISE;
}

// Marks frames of [start, end) that lie in a held run; returns their number. Runs start anew at each frame that is out
// of the noise about the first of its run.
static int32_t mark_held(const held_foot* f, int32_t start, int32_t end)
{
    int32_t marked = 0;
    for (int32_t i = start, next; i < end; i = next)
    {
        next = i + 1;
        while (next < end && sft_v3d_distance(f->toe[next], f->toe[i]) <= HELD_NOISE)
            ++next;
        if (!is_held(f, i, next)) next = i + 1;
        const bool held = next > i + 1;
        memset(f->held + i, held, (size_t)(next - i));
        if (held) marked += next - i;
    }
    return marked;
}

typedef struct held_way
{
    double rise, along; ///< [m] farthest over or under the straight way, and from its nearer end along the ground
} held_way;

static double along_ground(sft_v3d a, sft_v3d b)
{
    const double x = a.x - b.x, z = a.z - b.z;
    return sqrt(x * x + z * z);
}

// How far frames [start, end) are from the straight way of `from` to `to`.
static held_way way_off(const held_foot* f, int32_t start, int32_t end, sft_v3d from, sft_v3d to)
{
    held_way way = {0.0, 0.0};
    for (int32_t i = start; i < end; ++i)
    {
        const sft_v3d p = f->toe[i];
        const double a = along_ground(p, from), b = along_ground(p, to), part = a + b > 0.0 ? a / (a + b) : 0.0;
        way.rise = sft_maxd(way.rise, fabs(p.y - from.y - part * (to.y - from.y)));
        way.along = sft_maxd(way.along, sft_mind(a, b));
    }
    return way;
}

// The nearest planted frame from `at` on, one way or the other; -1: the clip ends before.
static int32_t next_plant(const held_foot* f, int32_t at, int32_t way)
{
    while (at >= 0 && at < f->view->frames && !f->plant[at])
        at += way;
    return at < f->view->frames ? at : -1;
}

// The other end of a swing that leaves a held place (way 1, from frame `beyond` on) or comes to it (-1). Where the clip
// cuts it off, it goes on as the swing at the other side of the place; where there is none, the place itself.
static sft_v3d other_end(const held_foot* f, int32_t place, int32_t beyond, int32_t way)
{
    const sft_v3d here = f->toe[place];
    const int32_t next = next_plant(f, beyond, way);
    if (next >= 0) return f->toe[next];
    int32_t at = place;
    while (at >= 0 && at < f->view->frames && f->plant[at])
        at -= way;
    const int32_t last = next_plant(f, at, -way);
    return last >= 0 ? sft_v3d_sub(sft_v3d_scale(2, here), f->toe[last]) : here;
}

// Whether frames [start, end) of a plant, none of them held, are a foot on its way up from a held place or down to one,
// and not one that skates. On sides that are not held, the swing goes on beyond the plant and is looked at too: it has
// to get somewhere, but where the clip cuts it off and the foot was seen to step elsewhere.
static bool eases(const held_foot* f, int32_t start, int32_t end, bool held_before, bool held_after)
{
    const contact_view* view = f->view;
    const int32_t n = view->frames, look = sft_contact_frames(LOOK_TIME, view->dt, n);
    int32_t first = start, last = end;
    while (!held_before && first > 0 && first > start - look && !f->plant[first - 1])
        --first;
    while (!held_after && last < n && last < end + look && !f->plant[last])
        ++last;
    const bool cut = (!held_before && first == 0) || (!held_after && last == n);
    // Where no side is held, the clip's first or last frame stands for the place.
    const int32_t before = held_before ? start - 1 : held_after ? end : first == 0 ? 0 : n - 1;
    const int32_t after = held_after ? end : before;
    const sft_v3d from = f->toe[before];
    sft_v3d to = f->toe[after];
    // On a slope a swing goes up from the line of its two places, not from the level of one.
    if (held_before != held_after) to = other_end(f, before, held_before ? end : start - 1, held_before ? 1 : -1);
    held_way near = way_off(f, start, end, from, to);
    // A swing seen nearly whole, but for the frame in which it lands or leaves.
    if (cut && held_before != held_after && near.rise < EASE_RISE * near.along)
        near = way_off(f, start, end, from, f->toe[held_before ? n - 1 : 0]);
    if (near.rise < EASE_RISE * near.along) return false;
    if (cut && f->steps && (double)(end - start) * view->dt <= EDGE_TIME) return true;
    return way_off(f, first, last, from, to).rise >= STEP_RISE * view->scale;
}

// Takes what eases out of plant [start, end): before, after and between held runs.
static void trim_plant(held_foot* f, int32_t start, int32_t end)
{
    for (int32_t i = start, next; i < end; i = next)
    {
        next = i + 1;
        if (f->held[i]) continue;
        while (next < end && !f->held[next])
            ++next;
        if (!eases(f, i, next, i > start, next < end)) continue;
        memset(f->plant + i, 0, (size_t)(next - i));
        f->steps = true;
    }
}

// A plant of a foot that steps, cut off by the clip's end before it is held for long enough, comes down from a swing
// (or goes up into one, at the clip's start).
static bool cut_off(const held_foot* f, int32_t start, int32_t end)
{
    const bool at_start = start == 0, at_end = end == f->view->frames;
    return f->steps && at_start != at_end && (double)(end - start) * f->view->dt <= EDGE_TIME &&
           eases(f, start, end, false, false);
}

static void trim_foot(held_foot* f)
{
    const int32_t n = f->view->frames;
    // Twice: the clip's ends go by what was seen elsewhere.
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t start = 0, end; start < n; start = end + 1)
        {
            end = start;
            while (end < n && f->plant[end])
                ++end;
            const int32_t frames = end - start, marked = mark_held(f, start, end);
            if (marked < frames && (double)marked >= MOSTLY_HELD * (double)frames)
                trim_plant(f, start, end);
            else if (marked < frames && cut_off(f, start, end))
                memset(f->plant + start, 0, (size_t)frames);
        }
}

bool sft_contact_trim_held(const contact_view* view, const sft_allocator* allocator, uint8_t* plant)
{
    uint8_t* held = sft_core_alloc(allocator, (size_t)view->frames, 1);
    if (held == NULL) return false;
    for (int32_t i = 0; i < view->foot_count; ++i)
    {
        held_foot foot = {view, view->feet[i].toe, held, plant + (size_t)i * (size_t)view->frames, false};
        trim_foot(&foot);
    }
    sft_core_free(allocator, held, (size_t)view->frames, 1);
    return true;
}
