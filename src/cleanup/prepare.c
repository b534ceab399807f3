// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Takes the source motion of every leg apart, in model space, and chooses the scales that the solver measures change
// by. A change counts against what the joint does in the source anyway: the 99.9th percentile of its own angular
// acceleration.

#include "cleanup/problem.h"

#define HEADING_UP_DOT                                                                                                 \
    0.1 // a foot flatter than this much of its length horizontally says nothing about its lateral axis

static const double SHORT_BONE = 0.25;                   // of the shin above it
static const double FLOOR_WINDOW_S = 0.5;                // each way: floors are local, so that steps and slopes work
static const double ACCEL_MIN = 20.0, ACCEL_MAX = 400.0; // rad/s^2: a still joint may move; noise is no licence
static const double PELVIS_ACCEL_MIN = 0.5, PELVIS_ACCEL_MAX = 15.0; // m/s^2

typedef struct track
{
    sft_xformd* model; // one frame, joint_count
    int32_t* order;    // joints needed, parents first
    int32_t order_count;
    double* heights; // of one point of one leg
    int32_t* queue;
    double* values;
} track;

static void release_track(const cu_problem* p, track* t)
{
    const size_t joints = (size_t)p->skeleton->joint_count, frames = (size_t)p->frames;
    sft_core_free(&p->allocator, t->model, joints, sizeof *t->model);
    sft_core_free(&p->allocator, t->order, joints, sizeof *t->order);
    sft_core_free(&p->allocator, t->heights, frames, sizeof(double));
    sft_core_free(&p->allocator, t->queue, 2 * frames, sizeof *t->queue);
    sft_core_free(&p->allocator, t->values, frames, sizeof(double));
}

static bool create_track(const cu_problem* p, track* t)
{
    const size_t joints = (size_t)p->skeleton->joint_count, frames = (size_t)p->frames;
    memset(t, 0, sizeof *t);
    t->model = sft_core_alloc(&p->allocator, joints, sizeof *t->model);
    t->order = sft_core_alloc(&p->allocator, joints, sizeof *t->order);
    t->heights = sft_core_alloc(&p->allocator, frames, sizeof(double));
    t->queue = sft_core_alloc(&p->allocator, 2 * frames, sizeof *t->queue);
    t->values = sft_core_alloc(&p->allocator, frames, sizeof(double));
    return t->model && t->order && t->heights && t->queue && t->values;
}

static void mark_chain(const sft_skeleton* s, int32_t joint, int32_t* marks)
{
    for (; joint >= 0 && !marks[joint]; joint = s->parents[joint])
        marks[joint] = 1;
}

// The joints above and in the legs: all that forward kinematics has to visit.
static void order_joints(const cu_problem* p, track* t)
{
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        mark_chain(p->skeleton, p->legs[l].toe, t->order);
        if (p->legs[l].toe_end >= 0) mark_chain(p->skeleton, p->legs[l].toe_end, t->order);
        mark_chain(p->skeleton, p->legs[l].pelvis, t->order);
    }
    t->order_count = 0;
    for (int32_t j = 0; j < p->skeleton->joint_count; ++j)
        if (t->order[j]) t->order[t->order_count++] = j;
}

static void forward(const cu_problem* p, const sft_clip* clip, int32_t frame, track* t)
{
    const size_t base = (size_t)(p->first + frame) * (size_t)clip->joint_count;
    for (int32_t k = 0; k < t->order_count; ++k)
    {
        const int32_t j = t->order[k], parent = p->skeleton->parents[j];
        const sft_xformd local = {clip->translations[base + (size_t)j], clip->rotations[base + (size_t)j]};
        t->model[j] = parent < 0 ? local : sft_xformd_mul(t->model[parent], local);
    }
}

static void read_leg(const sft_leg* leg, int32_t sole, const track* t, cu_leg_frame* f)
{
    const sft_v3d hip = t->model[leg->hip].t, knee = t->model[leg->knee].t, heel = t->model[leg->heel].t;
    const sft_v3d toe = t->model[leg->toe].t;
    f->hip = hip;
    f->toe = toe;
    f->thigh = sft_v3d_sub(knee, hip);
    f->shin = sft_v3d_sub(heel, knee);
    f->foot = sft_v3d_sub(heel, toe);
    f->sole = sole >= 0 ? sft_v3d_sub(t->model[sole].t, toe) : sft_v3d_make(0, 0, 0);
    f->tip = leg->toe_end >= 0 ? sft_v3d_sub(t->model[leg->toe_end].t, toe) : sft_v3d_make(0, 0, 0);
    f->side = sft_quatd_rotate(t->model[leg->knee].r, leg->knee_side);
    f->along = sft_v3d_normalize_or(sft_v3d_sub(heel, hip), sft_v3d_make(0, -1, 0));
    const sft_v3d flat = sft_v3d_madd(f->side, -sft_v3d_dot(f->side, f->along), f->along);
    f->e_side = sft_v3d_normalize_or(flat, sft_v3d_any_perp(f->along));
    f->e_front = sft_v3d_cross(f->e_side, f->along);
    // thigh . turn(shin, angle) = const + r cos(knee_angle + angle)
    const double across = sft_v3d_dot(f->thigh, f->side) * sft_v3d_dot(f->shin, f->side);
    f->knee_angle =
        sft_atan2(-sft_v3d_dot(f->thigh, sft_v3d_cross(f->side, f->shin)), sft_v3d_dot(f->thigh, f->shin) - across);
}

// Lateral axis of the foot in ankle space, from the frames in which the foot lies flattest.
static sft_v3d finish_pitch(sft_v3d sum, sft_v3d foot)
{
    const sft_v3d length = sft_v3d_normalize_or(foot, sft_v3d_make(0, 1, 0));
    const sft_v3d axis = sft_v3d_madd(sum, -sft_v3d_dot(sum, length), length);
    return sft_v3d_normalize_or(axis, sft_v3d_any_perp(length));
}

static void add_pitch(const cu_leg_frame* f, sft_quatd heel, sft_v3d* sum, sft_v3d* foot)
{
    const sft_v3d heading = sft_v3d_make(-f->foot.x, 0.0, -f->foot.z);
    const double flat = sft_v3d_dot(heading, heading), all = sft_v3d_dot(f->foot, f->foot);
    *foot = sft_v3d_add(*foot, sft_quatd_unrotate(heel, f->foot));
    if (!(flat > HEADING_UP_DOT * all)) return;
    const sft_v3d lateral = sft_v3d_cross(sft_v3d_make(0, 1, 0), heading);
    *sum = sft_v3d_madd(*sum, flat / all, sft_quatd_unrotate(heel, lateral));
}

// Smallest of values[i - radius .. i + radius], by a queue of rising values; O(frames). In a cycle the window wraps:
// the values are read as if repeated before and after; the queue then takes count + 2 * radius entries, radius <= count
// / 2.
static void window_min(const double* values, int32_t count, int32_t radius, bool cycle, int32_t* queue, double* out)
{
    int32_t head = 0, tail = 0, next = cycle ? -radius : 0;
    const int32_t end = cycle ? count + radius : count;
    for (int32_t i = 0; i < count; ++i)
    {
        for (; next < end && next <= i + radius; ++next)
        {
            while (tail > head && values[(queue[tail - 1] + count) % count] >= values[(next + count) % count])
                --tail;
            queue[tail++] = next;
        }
        while (queue[head] < i - radius)
            ++head;
        out[i] = values[(queue[head] + count) % count];
    }
}

// Floor asked for; point as in cu_leg_frame: ankle, tip, sole.
static double asked_floor(const cu_problem* p, int32_t leg, int point, int32_t frame)
{
    const sft_cleanup_def* d = p->def;
    if (!d->floors || d->method != SFT_CLEANUP_DIRECT) return -INFINITY;
    // An ankle over a heel joint is no part of the sole.
    if (point == 0 && p->soles[leg] >= 0) return -INFINITY;
    const int given = point == 1 ? (p->legs[leg].toe_end >= 0 ? 2 : 1) : 0;
    const size_t row = (size_t)p->rows[leg] * 3 + (size_t)given;
    const double y = d->floors[row * (size_t)p->clip_frames + (size_t)(p->first + frame)];
    return fabs(y) <= SFT_HUGE ? y : -INFINITY;
}

static void set_floors(cu_problem* p, int32_t leg, track* t)
{
    const int32_t n = p->frames;
    cu_leg_frame* f = p->source + (size_t)leg * (size_t)n;
    const double frames = FLOOR_WINDOW_S / p->dt;
    const int32_t most = p->loop ? n / 2 : n, radius = frames < (double)most ? (int32_t)frames : most;
    for (int k = 0; k < (p->soles[leg] >= 0 ? 3 : 2); ++k)
    {
        for (int32_t i = 0; i < n; ++i)
            t->heights[i] = f[i].toe.y + (k == 0 ? f[i].foot.y : k == 1 ? f[i].tip.y : f[i].sole.y);
        window_min(t->heights, n, radius, p->loop, t->queue, t->values);
        for (int32_t i = 0; i < n; ++i)
        {
            // A floor that is asked for counts alone: a clip that hovers for a while would else never come down to it.
            const double asked = asked_floor(p, leg, k, i);
            f[i].floor[k] = asked > -INFINITY ? asked : t->values[i];
        }
    }
}

static double percentile(double* values, int32_t count, double share, double low, double high)
{
    if (count < 1) return low;
    const double at = share * (double)(count - 1);
    return sft_clampd(sft_core_select(values, (size_t)count, (size_t)at), low, high);
}

// Rotation from a to b as a vector; between neighbouring frames twice the vector part is within 1e-3 of it up to 9
// degrees.
static sft_v3d small_turn(sft_quatd a, sft_quatd b)
{
    const sft_quatd d = sft_quatd_mul(sft_quatd_conjugate(a), b);
    const double s = d.w < 0.0 ? -2.0 : 2.0;
    return sft_v3d_make(s * d.x, s * d.y, s * d.z);
}

static double joint_accel(const cu_problem* p, const sft_clip* clip, int32_t joint, double* values)
{
    const size_t step = (size_t)clip->joint_count;
    const sft_quatd* r = clip->rotations + (size_t)p->first * step + (size_t)joint;
    int32_t count = 0;
    sft_v3d before = {0};
    const int32_t n = p->frames, end = p->loop ? n + 1 : n - 1;
    for (int32_t i = 0; i < end; ++i)
    {
        const sft_v3d turn = small_turn(r[(size_t)(i % n) * step], r[(size_t)((i + 1) % n) * step]);
        if (i > 0) values[count++] = sft_v3d_distance(turn, before) / (p->dt * p->dt);
        before = turn;
    }
    return percentile(values, count, 0.999, ACCEL_MIN, ACCEL_MAX);
}

// Of a foot in model space, whose pitch is an unknown. Its joint turns against the shin as much as the leg swings,
// however still the foot.
static double foot_accel(const cu_problem* p, const sft_clip* clip, int32_t joint, double* values)
{
    int32_t count = 0;
    sft_quatd last = sft_quatd_identity();
    sft_v3d before = {0};
    const int32_t n = p->frames, end = p->loop ? n + 2 : n;
    for (int32_t i = 0; i < end; ++i)
    {
        const size_t row = (size_t)(p->first + i % n) * (size_t)clip->joint_count;
        const sft_quatd now =
            sft_skeleton_joint_model(p->skeleton, clip->translations + row, clip->rotations + row, joint).r;
        const sft_v3d turn = small_turn(last, now);
        if (i > 1 && i - 2 < n) values[count++] = sft_v3d_distance(turn, before) / (p->dt * p->dt);
        before = turn;
        last = now;
    }
    return percentile(values, count, 0.999, ACCEL_MIN, ACCEL_MAX);
}

static double pelvis_accel(const cu_problem* p, const sft_v3d* pelvis, double* values)
{
    int32_t count = 0;
    for (int32_t i = 0; i + 2 < p->frames; ++i)
    {
        const sft_v3d sum = sft_v3d_add(pelvis[i], pelvis[i + 2]);
        values[count++] = sft_v3d_length(sft_v3d_madd(sum, -2.0, pelvis[i + 1])) / (p->dt * p->dt);
    }
    return percentile(values, count, 0.99, PELVIS_ACCEL_MIN, PELVIS_ACCEL_MAX);
}

static void set_weights(cu_problem* p, const sft_clip* clip, double pelvis, double* values)
{
    // 0.1 rad of lasting change costs as much as acceleration changed by a quarter of the joint's peak, or by half of
    // the pelvis's. Tuned on eleven clips slid by 0.75 and 1.25: with weaker legs landings show as small kinks, with
    // stronger ones the pelvis jerks. Where the root is to pay, its acceleration counts half of that and its speed not
    // at all.
    const double per_angle = 10.0;
    // They were tuned on two legs. Where four pull at one body, its acceleration counts as much more: a fox that sneaks
    // came out with 1.8 times its own. Eight do not pull together: a spider's body is smooth enough, and its joints
    // would pay.
    const double crowd = p->leg_count == 3 || p->leg_count == 4 ? sqrt(0.5 * (double)p->leg_count) : 1.0;
    const bool root_pays = p->def->give_way == SFT_GIVE_WAY_ROOT;
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        cu_weights* w = p->weights + l;
        const sft_leg* leg = p->legs + l;
        w->accel[0] = w->accel[1] = 4.0 / joint_accel(p, clip, leg->hip, values);
        w->accel[2] = 4.0 / joint_accel(p, clip, leg->knee, values);
        // Whoever asks for floors gets feet that keep as still as they were: floors are what pitches them.
        w->accel[3] = 4.0 / (p->def->floors ? foot_accel : joint_accel)(p, clip, leg->heel, values);
        for (int k = 0; k < 4; ++k)
            w->angle[k] = per_angle;
        w->pelvis_accel = crowd * (root_pays ? 1.0 : 2.0) / pelvis;
        w->pelvis_speed = root_pays ? 0.0 : 0.05;
        w->pelvis_shift =
            sft_maxd(0.0005, p->def->hold_path);    // only picks one of the places where the whole clip may lie: more
                                                    // would lean legs where it has got far from the source
        w->pelvis_height = root_pays ? 25.0 : 50.0; // against 2 cm
    }
}

// One block for everything that has a frame's length: allocators keep and reuse one large block better than a dozen.
static bool allocate(cu_problem* p)
{
    const size_t legs = (size_t)p->leg_count, frames = (size_t)p->frames, both = legs * frames;
    const size_t source = both * sizeof *p->source, angles = both * 4 * sizeof(double);
    const size_t shift = frames * sizeof *p->shift, miss = both * sizeof(double);
    const size_t plants = both * sizeof *p->plant_of, gave_up = both * sizeof *p->gave_up;
    p->weights = sft_core_alloc(&p->allocator, legs, sizeof *p->weights);
    p->pitch_local = sft_core_alloc(&p->allocator, legs, sizeof *p->pitch_local);
    p->block_size = source + angles + 2 * shift + miss + plants + gave_up;
    p->block = p->allocator.allocate(p->allocator.user, p->block_size);
    if (!p->block || !p->weights || !p->pitch_local) return false;
    char* at = p->block;
    p->source = (cu_leg_frame*)at;
    p->angles = (double*)(at += source);
    p->shift = (sft_v3d*)(at += angles);
    p->anchor = (sft_v3d*)(at += shift);
    p->miss = (double*)(at += shift);
    p->plant_of = (int32_t*)(at += miss);
    p->gave_up = (uint32_t*)(at + plants);
    memset(p->angles, 0, p->block_size - source);
    return true;
}

void cu_problem_release(cu_problem* p)
{
    const size_t legs = (size_t)p->leg_count;
    const sft_allocator* a = &p->allocator;
    if (p->block) a->release(a->user, p->block, p->block_size);
    sft_core_free(a, p->legs, legs, sizeof *p->legs);
    sft_core_free(a, p->soles, legs, sizeof *p->soles);
    sft_core_free(a, p->pitch_local, legs, sizeof *p->pitch_local);
    sft_core_free(a, p->weights, legs, sizeof *p->weights);
    sft_core_free(a, p->plants, (size_t)p->plant_capacity, sizeof *p->plants);
}

// Joints that end the shin: up from the heel while the bone in between is short against what is left of the shin.
static int32_t find_ankle(const sft_skeleton* s, const sft_clip* clip, int32_t frame, const sft_leg* leg)
{
    const size_t base = (size_t)frame * (size_t)clip->joint_count;
    const sft_v3d* t = clip->translations + base;
    const sft_quatd* r = clip->rotations + base;
    const sft_v3d knee = sft_skeleton_joint_model(s, t, r, leg->knee).t;
    int32_t ankle = leg->heel;
    while (s->parents[ankle] != leg->knee)
    {
        const sft_v3d above = sft_skeleton_joint_model(s, t, r, s->parents[ankle]).t;
        if (!(sft_v3d_length(t[ankle]) < SHORT_BONE * sft_v3d_distance(above, knee))) break;
        ankle = s->parents[ankle];
    }
    return ankle;
}

sft_result cu_legs_copy(cu_problem* p, const sft_leg* legs, const sft_clip* clip)
{
    const size_t count = (size_t)p->leg_count;
    p->legs = sft_core_alloc(&p->allocator, count, sizeof *p->legs);
    p->soles = sft_core_alloc(&p->allocator, count, sizeof *p->soles);
    if (!p->legs || !p->soles) return SFT_ERR_MEMORY;
    memcpy(p->legs, legs, count * sizeof *p->legs);
    for (size_t l = 0; l < count; ++l)
    {
        const int32_t ankle = find_ankle(p->skeleton, clip, p->first, legs + l);
        p->soles[l] = ankle == legs[l].heel ? -1 : legs[l].heel;
        p->legs[l].heel = ankle;
    }
    return SFT_OK;
}

sft_result cu_problem_prepare(cu_problem* p, const sft_clip* clip)
{
    track t;
    const bool have_track = create_track(p, &t);
    if (!have_track || !allocate(p))
    {
        release_track(p, &t);
        return SFT_ERR_MEMORY;
    }
    order_joints(p, &t);
    const int32_t n = p->frames;
    // The shift array holds the pelvis path until the weights are known.
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        sft_v3d sum = {0}, foot = {0};
        for (int32_t i = 0; i < n; ++i)
        {
            cu_leg_frame* f = p->source + (size_t)l * (size_t)n + (size_t)i;
            if (l == 0)
            {
                forward(p, clip, i, &t);
                for (int32_t m = 0; m < p->leg_count; ++m)
                {
                    cu_leg_frame* g = p->source + (size_t)m * (size_t)n + (size_t)i;
                    read_leg(p->legs + m, p->soles[m], &t, g);
                    // Heel rotation is needed twice; keep it where the axes go later.
                    const sft_quatd r = t.model[p->legs[m].heel].r;
                    g->pitch = sft_v3d_make(r.x, r.y, r.z);
                    g->floor[0] = r.w;
                }
                p->shift[i] = t.model[p->legs[0].pelvis].t;
            }
            add_pitch(f, (sft_quatd){f->pitch.x, f->pitch.y, f->pitch.z, f->floor[0]}, &sum, &foot);
        }
        p->pitch_local[l] = finish_pitch(sum, foot);
        for (int32_t i = 0; i < n; ++i)
        {
            cu_leg_frame* f = p->source + (size_t)l * (size_t)n + (size_t)i;
            const sft_quatd heel = {f->pitch.x, f->pitch.y, f->pitch.z, f->floor[0]};
            f->pitch = sft_quatd_rotate(heel, p->pitch_local[l]);
        }
        set_floors(p, l, &t);
    }
    set_weights(p, clip, pelvis_accel(p, p->shift, t.values), t.values);
    memset(p->shift, 0, (size_t)n * sizeof *p->shift);
    release_track(p, &t);
    return SFT_OK;
}
