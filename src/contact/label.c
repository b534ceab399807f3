// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The labeller from end to end: check, cut at the first frame, explain the slide, take it out of the tracks, label the
// plants and touches of what is left.

#include "contact/contact_internal.h"

#include "core/core.h"

#define CONTACT_COOKIE 0x53434f4eu
#define MAX_FRAMES 16000000
#define REFERENCE_LEG 0.9
// Slide is known to a few hundredths of the body's speed only.
#define SLIDE_DOUBT 0.025
// [m/s] Feet whose median is nearer than this to one velocity ride it: a clip that was cleaned.
#define RIDES 0.02

sft_v3d sft_contact_ground_velocity(const sft_contact_def* def, const sft_contact_mismatch* mismatch)
{
    if (def != NULL && def->given_ground) return def->ground_velocity;
    const bool moves = mismatch != NULL && mismatch->known && mismatch->moving_ground;
    return moves ? mismatch->ground_velocity : sft_v3d_make(0.0, 0.0, 0.0);
}

sft_contact_def sft_default_contact_def(void)
{
    return (sft_contact_def){.plant_speed = 0.25,
                             .filter_window = 5.0 / 60.0,
                             .explain_slide = true,
                             .held_only = false,
                             .given_ground = false,
                             .ground_velocity = {0.0, 0.0, 0.0},
                             .cookie = CONTACT_COOKIE};
}

sft_result sft_contact_labels_create(int32_t frame_count, int32_t foot_count, const sft_allocator* allocator,
                                     sft_contact_labels** out)
{
    if (out == NULL || frame_count <= 0 || foot_count < 0 || foot_count > SFT_MAX_FEET) return SFT_ERR_ARG;
    const size_t count = (size_t)frame_count * (size_t)foot_count;
    sft_contact_labels* labels = sft_core_alloc(allocator, 1, sizeof *labels);
    if (labels == NULL) return SFT_ERR_MEMORY;
    labels->frame_count = frame_count;
    labels->foot_count = foot_count;
    labels->plant = sft_core_alloc(allocator, count, sizeof *labels->plant);
    labels->touch = sft_core_alloc(allocator, count, sizeof *labels->touch);
    if (labels->plant == NULL || labels->touch == NULL)
    {
        sft_contact_labels_destroy(labels, allocator);
        return SFT_ERR_MEMORY;
    }
    *out = labels;
    return SFT_OK;
}

void sft_contact_labels_destroy(sft_contact_labels* labels, const sft_allocator* allocator)
{
    if (labels == NULL) return;
    const size_t count = (size_t)labels->frame_count * (size_t)labels->foot_count;
    sft_core_free(allocator, labels->plant, count, sizeof *labels->plant);
    sft_core_free(allocator, labels->touch, count, sizeof *labels->touch);
    sft_core_free(allocator, labels, 1, sizeof *labels);
}

static bool def_ok(const sft_contact_def* def)
{
    return def->cookie == CONTACT_COOKIE && def->plant_speed > 0.0 && def->plant_speed <= 100.0 &&
           def->filter_window >= 0.0 && def->filter_window <= 10.0 && sft_v3d_in_range(def->ground_velocity);
}

static bool track_ok(const sft_v3d* track, int32_t first, int32_t count)
{
    for (int32_t i = first; i < count; ++i)
        if (!sft_v3d_in_range(track[i])) return false;
    return true;
}

static sft_result check(const sft_contact_def* def, const sft_contact_input* in, const sft_contact_labels* labels)
{
    if (def == NULL || in == NULL || labels == NULL || in->pelvis == NULL) return SFT_ERR_ARG;
    if (in->frame_count <= 0 || in->frame_count > MAX_FRAMES || in->first_frame < 0) return SFT_ERR_ARG;
    if (in->foot_count < 0 || in->foot_count > SFT_MAX_FEET || (in->foot_count > 0 && in->feet == NULL))
        return SFT_ERR_ARG;
    if (labels->frame_count != in->frame_count || labels->foot_count != in->foot_count) return SFT_ERR_ARG;
    if (in->foot_count > 0 && (labels->plant == NULL || labels->touch == NULL)) return SFT_ERR_ARG;
    for (int32_t f = 0; f < in->foot_count; ++f)
        if (in->feet[f].toe == NULL || (in->bodies != NULL && in->bodies[f].pelvis == NULL)) return SFT_ERR_ARG;
    if (!def_ok(def)) return SFT_ERR_DEF;
    if (!(in->frame_time >= 1e-6 && in->frame_time <= 1e4)) return SFT_ERR_RANGE;
    if (!(in->leg_length >= 0.0 && in->leg_length <= SFT_HUGE)) return SFT_ERR_RANGE;
    if (!track_ok(in->pelvis, in->first_frame, in->frame_count)) return SFT_ERR_RANGE;
    for (int32_t f = 0; f < in->foot_count; ++f)
    {
        const sft_foot_tracks* foot = &in->feet[f];
        const sft_contact_body* body = in->bodies != NULL ? &in->bodies[f] : NULL;
        if (body != NULL && !(body->leg_length >= 0.0 && body->leg_length <= SFT_HUGE)) return SFT_ERR_RANGE;
        if (body != NULL && !track_ok(body->pelvis, in->first_frame, in->frame_count)) return SFT_ERR_RANGE;
        if (!track_ok(foot->toe, in->first_frame, in->frame_count)) return SFT_ERR_RANGE;
        if (foot->heel != NULL && !track_ok(foot->heel, in->first_frame, in->frame_count)) return SFT_ERR_RANGE;
        if (foot->toe_end != NULL && !track_ok(foot->toe_end, in->first_frame, in->frame_count)) return SFT_ERR_RANGE;
    }
    return SFT_OK;
}

static contact_view view_of(const sft_contact_input* in)
{
    contact_view view = {.frames = in->frame_count - in->first_frame, .foot_count = in->foot_count};
    view.dt = in->frame_time;
    view.scale = in->leg_length > 0.0 ? sft_clampd(in->leg_length / REFERENCE_LEG, 0.01, 100.0) : 1.0;
    view.pelvis = in->pelvis + in->first_frame;
    for (int32_t f = 0; f < in->foot_count; ++f)
    {
        const sft_foot_tracks* foot = &in->feet[f];
        view.feet[f].toe = foot->toe + in->first_frame;
        view.feet[f].heel = foot->heel != NULL ? foot->heel + in->first_frame : NULL;
        view.feet[f].toe_end = foot->toe_end != NULL ? foot->toe_end + in->first_frame : NULL;
    }
    return view;
}

// Tracks as they would be without the slide: the pelvis' horizontal travel times slope, less the ground's.
static void take_slide_out(const contact_view* view, const contact_explanation* e, const sft_v3d* from, sft_v3d* to)
{
    const sft_v3d origin = view->pelvis[0];
    for (int32_t i = 0; i < view->frames; ++i)
    {
        const double t = (double)i * view->dt, s = e->slope - 1.0;
        to[i].x = from[i].x + s * (view->pelvis[i].x - origin.x) - t * e->ground.x;
        to[i].y = from[i].y;
        to[i].z = from[i].z + s * (view->pelvis[i].z - origin.z) - t * e->ground.z;
    }
}

// Copies of all tracks of `view` without the slide, in one block of (1 + 3 feet) tracks; `still` looks at them.
static bool still_view(const contact_view* view, const contact_explanation* e, const sft_allocator* allocator,
                       sft_v3d** block, contact_view* still)
{
    const size_t n = (size_t)view->frames, tracks = 1 + 3 * (size_t)view->foot_count;
    sft_v3d* next = *block = sft_core_alloc(allocator, n * tracks, sizeof **block);
    if (next == NULL) return false;
    *still = *view;
    take_slide_out(view, e, view->pelvis, next);
    still->pelvis = next;
    for (int32_t f = 0; f < view->foot_count; ++f)
    {
        const sft_v3d* from[3] = {view->feet[f].heel, view->feet[f].toe, view->feet[f].toe_end};
        const sft_v3d* to[3] = {NULL, NULL, NULL};
        for (int k = 0; k < 3; ++k)
        {
            if (from[k] == NULL) continue;
            next += n;
            take_slide_out(view, e, from[k], next);
            to[k] = next;
        }
        still->feet[f] = (sft_foot_tracks){to[0], to[1], to[2]};
    }
    return true;
}

// Steps that lead to a planted frame: their median velocity into *ground if it is asked for, else that of ground at
// rest is meant, and the median of their speeds over it into *speed [m/s]. Without plants *ground stays and *speed is
// 0. False: out of memory.
static bool planted_motion(const contact_view* view, const uint8_t* plant, const sft_allocator* allocator,
                           sft_v3d* ground, double* speed)
{
    const size_t n = (size_t)view->frames, all = n * (size_t)view->foot_count;
    double* values = sft_core_alloc(allocator, all, sizeof *values);
    if (values == NULL) return false;
    sft_v3d median = {0.0, 0.0, 0.0};
    *speed = 0.0;
    // East and north first, as the speeds want both.
    for (int pass = ground != NULL ? 0 : 2; pass < 3; ++pass)
    {
        size_t count = 0;
        for (int32_t f = 0; f < view->foot_count; ++f)
            for (size_t i = 1; i < n; ++i)
            {
                if (!plant[(size_t)f * n + i]) continue;
                const sft_v3d* toe = view->feet[f].toe;
                const sft_v3d v = sft_v3d_scale(1.0 / view->dt, sft_v3d_sub(toe[i], toe[i - 1]));
                values[count++] = pass == 0 ? v.x : pass == 1 ? v.z : sft_v3d_distance(v, median);
            }
        if (count == 0) break;
        *(pass == 0 ? &median.x : pass == 1 ? &median.z : speed) = sft_core_select(values, count, count / 2);
        if (pass == 1) *ground = median;
    }
    sft_core_free(allocator, values, all, sizeof *values);
    return true;
}

// Plants of the tracks without slide. Ground that was found says how feet move in the mean; what they do about it is
// taken out by the plants that it gives, and labels are those of what is left.
static bool find_plants(const sft_contact_def* def, const contact_explanation* e, const contact_view* still,
                        const sft_allocator* allocator, sft_v3d* tracks, uint8_t* plant)
{
    const size_t all = (size_t)still->frames * (size_t)still->foot_count;
    if (!sft_contact_plants(def, still, allocator, plant)) return false;
    if (!e->moving_ground || e->uneven || def->given_ground) return true;
    // Twice, as the first plants lack what the sway hides.
    for (int round = 0; round < 2; ++round)
    {
        if (!sft_contact_take_sway_out(still, plant, allocator, tracks, 1 + 3 * (size_t)still->foot_count))
            return false;
        memset(plant, 0, all);
        if (!sft_contact_plants(def, still, allocator, plant)) return false;
    }
    return true;
}

// The mean of the same steps: what costs least to bring feet to that keep no one speed.
static sft_v3d planted_mean(const contact_view* view, const uint8_t* plant)
{
    const size_t n = (size_t)view->frames;
    sft_v3d sum = {0.0, 0.0, 0.0};
    double count = 0.0;
    for (int32_t f = 0; f < view->foot_count; ++f)
        for (size_t i = 1; i < n; ++i)
        {
            if (!plant[(size_t)f * n + i]) continue;
            sum = sft_v3d_add(sum, sft_v3d_sub(view->feet[f].toe[i], view->feet[f].toe[i - 1]));
            count += view->dt;
        }
    return count > 0.0 ? sft_v3d_make(sum.x / count, 0.0, sum.z / count) : sum;
}

static double two_decimals(double x)
{
    return floor(100.0 * x + 0.5) / 100.0;
}

static void say(sft_contact_mismatch* m, bool uneven)
{
    const sft_v3d g = m->ground_velocity;
    const double speed = two_decimals(sqrt(g.x * g.x + g.z * g.z)), travel = two_decimals(m->root_travel);
    if (uneven)
        sft_core_format(m->text, sizeof m->text,
                        "planted feet move at %g m/s in the mean, but keep no one speed: an in-place clip", speed);
    else if (m->moving_ground && travel == 1.0)
        sft_core_format(m->text, sizeof m->text, "planted feet move at a steady %g m/s: a treadmill or in-place clip",
                        speed);
    else if (!m->known)
        sft_core_format(m->text, sizeof m->text,
                        "not enough evidence to tell whether the root's travel matches the feet");
    else if (travel == 1.0)
        sft_core_format(m->text, sizeof m->text, "the root's travel matches what the feet support");
    else if (m->moving_ground)
        sft_core_format(m->text, sizeof m->text,
                        "the root travels %g times what the feet support, on ground that moves at %g m/s", travel,
                        speed);
    else
        sft_core_format(m->text, sizeof m->text, "the root travels %g times what the feet support", travel);
}

static void report(const contact_explanation* e, double speed, sft_contact_mismatch* out)
{
    sft_contact_mismatch m = {.known = e->known,
                              .root_travel = 1.0,
                              .ground_velocity = e->ground,
                              .moving_ground = e->moving_ground,
                              .evidence_frames = e->evidence_frames,
                              .residual_cm_s = 100.0 * speed};
    if (e->known)
    {
        m.root_travel = 1.0 / e->slope;
        m.root_travel_error = e->slope_error / (e->slope * e->slope);
    }
    say(&m, e->uneven);
    *out = m;
}

static void write_labels(const sft_contact_input* in, const uint8_t* plant, const uint8_t* touch,
                         sft_contact_labels* labels)
{
    const int32_t n = in->frame_count - in->first_frame;
    for (int32_t f = 0; f < in->foot_count; ++f)
        for (int32_t i = 0; i < in->frame_count; ++i)
        {
            const size_t to = (size_t)f * (size_t)in->frame_count + (size_t)i;
            const size_t from = (size_t)f * (size_t)n + (size_t)(i - in->first_frame);
            const bool real = i >= in->first_frame;
            labels->plant[to] = real && plant[from] ? 1.0f : 0.0f;
            // A toe that stands bears, whatever its height says.
            labels->touch[to] = real && (touch[from] || plant[from]) ? 1.0f : 0.0f;
        }
}

static const sft_contact_mismatch no_evidence = {.root_travel = 1.0};

sft_result sft_contact_label_one(const sft_contact_def* def, const sft_contact_input* input,
                                 const sft_allocator* allocator, sft_contact_labels* labels,
                                 sft_contact_mismatch* mismatch)
{
    if (input->first_frame >= input->frame_count || input->foot_count == 0)
    {
        sft_contact_mismatch m = no_evidence;
        say(&m, false);
        for (size_t i = 0; i < (size_t)input->frame_count * (size_t)input->foot_count; ++i)
            labels->plant[i] = labels->touch[i] = 0.0f;
        if (mismatch != NULL) *mismatch = m;
        return SFT_OK;
    }
    const contact_view view = view_of(input);
    const size_t all = (size_t)view.frames * (size_t)view.foot_count;
    const size_t points = (size_t)view.frames * (1 + 3 * (size_t)view.foot_count);
    contact_explanation why = {.slope = 1.0};
    contact_view still;
    sft_v3d* block = NULL;
    double speed = 0.0;
    uint8_t* plant = sft_core_alloc(allocator, all, 1);
    uint8_t* touch = sft_core_alloc(allocator, all, 1);
    bool ok = plant != NULL && touch != NULL;
    if (def->given_ground && !def->explain_slide)
        why.ground = sft_v3d_make(def->ground_velocity.x, 0.0, def->ground_velocity.z);
    if (def->explain_slide) ok = ok && sft_contact_explain(def, &view, allocator, &why);
    ok = ok && still_view(&view, &why, allocator, &block, &still);
    if (why.slope != 1.0 || (why.moving_ground && !def->given_ground))
    {
        ok = ok && sft_contact_mean_body_speed(&still, allocator, &speed);
        still.doubt = SLIDE_DOUBT * speed;
        if (why.uneven) still.uneven = why.ground;
    }
    ok = ok && find_plants(def, &why, &still, allocator, block, plant);
    ok = ok && sft_contact_touches(def, &still, allocator, touch);
    // What moves is the ground under the feet that were found: so a clip whose feet ride exactly says exactly that
    // ground. Where it moves nothing else was taken out of the given tracks but what the body lost.
    const bool found_ground = why.moving_ground && !def->given_ground;
    ok = ok && (found_ground ? planted_motion(&view, plant, allocator, &why.ground, &speed)
                             : planted_motion(&still, plant, allocator, NULL, &speed));
    if (ok && why.uneven && speed > RIDES) why.ground = planted_mean(&view, plant);
    if (ok)
    {
        write_labels(input, plant, touch, labels);
        if (mismatch != NULL) report(&why, speed, mismatch);
    }
    sft_core_free(allocator, block, points, sizeof *block);
    sft_core_free(allocator, touch, all, 1);
    sft_core_free(allocator, plant, all, 1);
    return ok ? SFT_OK : SFT_ERR_MEMORY;
}

sft_result sft_contact_label_bodies(const sft_contact_def* def, const sft_contact_input* input,
                                    const sft_allocator* allocator, sft_contact_labels* labels,
                                    sft_contact_mismatch* mismatches)
{
    sft_result result = check(def, input, labels);
    if (result != SFT_OK) return result;
    sft_contact_mismatch own[SFT_MAX_FEET];
    if (input->bodies != NULL && input->foot_count > 0)
        result = sft_contact_label_groups(def, input, allocator, labels, own);
    else
    {
        result = sft_contact_label_one(def, input, allocator, labels, &own[0]);
        for (int32_t f = 1; f < input->foot_count; ++f)
            own[f] = own[0];
    }
    if (result == SFT_OK && mismatches != NULL) memcpy(mismatches, own, (size_t)input->foot_count * sizeof *own);
    return result;
}

sft_result sft_contact_label(const sft_contact_def* def, const sft_contact_input* input, const sft_allocator* allocator,
                             sft_contact_labels* labels, sft_contact_mismatch* mismatch)
{
    sft_contact_mismatch all[SFT_MAX_FEET];
    sft_result result = check(def, input, labels);
    if (result != SFT_OK) return result;
    if (input->bodies == NULL || input->foot_count == 0)
        return sft_contact_label_one(def, input, allocator, labels, mismatch);
    result = sft_contact_label_bodies(def, input, allocator, labels, all);
    if (result == SFT_OK && mismatch != NULL) *mismatch = all[0];
    return result;
}

sft_result sft_contact_label_plain(const sft_contact_def* def, const sft_contact_input* input,
                                   const sft_allocator* allocator, sft_contact_labels* labels)
{
    const sft_result bad = check(def, input, labels);
    if (bad != SFT_OK) return bad;
    const int32_t n = input->frame_count - input->first_frame;
    if (n <= 0 || input->foot_count == 0)
    {
        for (size_t i = 0; i < (size_t)input->frame_count * (size_t)input->foot_count; ++i)
            labels->plant[i] = labels->touch[i] = 0.0f;
        return SFT_OK;
    }
    const contact_view view = view_of(input);
    const size_t all = (size_t)n * (size_t)view.foot_count;
    uint8_t* plant = sft_core_alloc(allocator, all, 1);
    int32_t* cumulative = sft_core_alloc(allocator, (size_t)n + 1, sizeof *cumulative);
    const bool ok = plant != NULL && cumulative != NULL;
    if (ok)
    {
        for (int32_t f = 0; f < view.foot_count; ++f)
            sft_contact_plain(view.feet[f].toe, n, view.dt, def->plant_speed, def->filter_window,
                              plant + (size_t)f * (size_t)n, cumulative);
        write_labels(input, plant, plant, labels);
    }
    sft_core_free(allocator, cumulative, (size_t)n + 1, sizeof *cumulative);
    sft_core_free(allocator, plant, all, 1);
    return ok ? SFT_OK : SFT_ERR_MEMORY;
}
