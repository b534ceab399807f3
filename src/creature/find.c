// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A creature seen in a skeleton. Problem: legs, trunk and tail are known by their meaning; homes, reach and thresholds
// must follow from lengths alone, so that what is seen can walk at once. Space: the rest pose (creature space, metres).

#include "creature/creature.h"
#include "surefoot/rig.h"

#define DEGREES(d) ((d) * (3.14159265358979323846 / 180.0))
// Reach that feet may ask for, of the whole chain: what lies beyond looks stretched, and leaves no room for the bob.
#define REACH_MAX 0.98
#define REACH_MIN 0.30
// Where legs stand straighter than this, of the chain, the body is lowered to it: straight legs cannot step.
#define STAND_MAX 0.90
// Of the room fore and aft of a foot, what a step's threshold takes. Homes lead a moving body: at its speed a foot uses
// four tenths of its threshold to either side; slower, it lifts where its leg is all but stretched.
#define STEP_OF_ROOM 2.1
// Part of the speed that legs can serve that is gone: so all feet stand for a moment between two turns.
#define SPEED_PART 0.87
// A heel that stands higher than this, of its hip's height, and steeper over the toe than this slope, is a hock: the
// toe is the foot. People have high ankles, so two legs need more of a slope than more do.
#define HOCK_HEIGHT 0.08
#define HOCK_SLOPE 0.5
#define HOCK_SLOPE_TWO 1.3
// Room that a foot should have fore and aft, of its reach. Where it rests too far ahead or behind for that, its home is
// nearer to below the hip.
#define ROOM_MIN 0.35

// Two legs stand at most this part of their length aside of their hips: rest poses made for skinning stand astride.
#define ASTRIDE 0.08
// Two legs whose knee is less than this part of their length off its line bend ahead, whatever way it is off.
#define KNEE_STRAIGHT 0.03

typedef struct finder
{
    const sft_rig* rig;
    const sft_skeleton* skeleton;
    sft_xformd* rest;
    sft_creature_def* def;
    sft_error* error;
    double leg_length; // [m] mean of the chains
    double hip_height; // [m] mean over the soles
} finder;

static bool below(const sft_skeleton* s, int32_t joint, int32_t above)
{
    while (joint > above)
        joint = s->parents[joint];
    return joint == above;
}

static int32_t common(const sft_skeleton* s, int32_t a, int32_t b)
{
    while (a != b)
    {
        if (a > b)
            a = s->parents[a];
        else
            b = s->parents[b];
        if (a < 0 || b < 0) return -1;
    }
    return a;
}

static sft_result refuse(const finder* f, int32_t joint, const char* message)
{
    return sft_core_fail(f->error, SFT_ERR_UNSUPPORTED, 0, 0, joint >= 0 ? f->skeleton->names[joint] : NULL, "%s",
                         message);
}

// ---- legs ----

// Hip, knee, heel and, where the heel is a hock in the air, the toe: the last one is what stands.
static void take_joints(const finder* f, const sft_leg* from, sft_creature_leg* leg)
{
    const sft_v3d heel = f->rest[from->heel].t, toe = from->toe >= 0 ? f->rest[from->toe].t : heel;
    const double flat = sqrt((toe.x - heel.x) * (toe.x - heel.x) + (toe.z - heel.z) * (toe.z - heel.z));
    const double stand = f->rest[from->hip].t.y - (heel.y - from->heel_min);
    const bool hock = from->toe != from->heel && from->toe >= 0 && from->heel_min > HOCK_HEIGHT * stand &&
                      heel.y - toe.y > (f->rig->leg_count > 2 ? HOCK_SLOPE : HOCK_SLOPE_TWO) * flat;
    leg->side = from->side;
    leg->pair = from->pair;
    leg->joints[0] = from->hip;
    leg->joints[1] = from->knee;
    leg->joints[2] = from->heel;
    leg->joint_count = 3;
    leg->ankle_offset = sft_maxd(from->heel_min, 0);
    if (!hock) return;
    leg->joints[3] = from->toe;
    leg->joint_count = 4;
    leg->ankle_offset = sft_maxd(from->toe_min, 0);
}

static double chain_length(const finder* f, const sft_creature_leg* leg)
{
    double length = 0;
    for (int32_t k = 1; k < leg->joint_count; ++k)
        length += sft_v3d_length(sft_v3d_sub(f->rest[leg->joints[k]].t, f->rest[leg->joints[k - 1]].t));
    return length;
}

// How far a foot may go fore and aft of its home until the leg's reach ends, the body where it stands at rest.
static double room(const finder* f, const sft_creature_leg* leg)
{
    const sft_v3d d = sft_v3d_sub(leg->home, f->rest[leg->joints[0]].t);
    const double along = sft_v3d_dot(d, f->def->forward);
    const double across2 = sft_v3d_dot(d, d) - along * along;
    const double half = sqrt(sft_maxd(leg->reach_max * leg->reach_max - across2, 0));
    return sft_maxd(half - fabs(along), 0);
}

// A person's foot is below the hip, and the knee bends ahead.
static void stand_upright(const finder* f, sft_creature_leg* leg, double length)
{
    const sft_v3d forward = f->def->forward, left = sft_v3d_cross(sft_v3d_make(0, 1, 0), forward);
    const sft_v3d hip = f->rest[leg->joints[0]].t, knee = f->rest[leg->joints[1]].t, way = sft_v3d_sub(leg->home, hip);
    const sft_v3d along = sft_v3d_normalize_or(way, sft_v3d_make(0, -1, 0)), bone = sft_v3d_sub(knee, hip);
    const sft_v3d lean = sft_v3d_madd(bone, -sft_v3d_dot(bone, along), along);
    const double off = sft_v3d_length(lean), aside = sft_v3d_dot(way, left);
    if (leg->joint_count == 3 && off < KNEE_STRAIGHT * length && sft_v3d_dot(lean, forward) < 0.9 * off)
        leg->bend = forward;
    const double out = leg->side == SFT_LEG_RIGHT ? -aside : aside, much = out - ASTRIDE * length;
    if (leg->side != SFT_LEG_MIDDLE && much > 0)
        leg->home = sft_v3d_madd(leg->home, leg->side == SFT_LEG_RIGHT ? much : -much, left);
}

static sft_result take_leg(finder* f, const sft_leg* from)
{
    sft_creature_leg* leg = &f->def->legs[f->def->leg_count];
    *leg = (sft_creature_leg){0};
    take_joints(f, from, leg);
    const double length = chain_length(f, leg);
    const int32_t foot = leg->joints[leg->joint_count - 1];
    leg->home = f->rest[foot].t;
    if (!(length > 1e-6)) return refuse(f, from->hip, "this leg has no length");
    if (f->rig->leg_count == 2) stand_upright(f, leg, length);
    leg->reach_max = REACH_MAX * length;
    leg->reach_min = REACH_MIN * length;
    leg->step_angle = DEGREES(35);
    f->def->leg_count++;
    f->leg_length += length;
    f->hip_height += f->rest[from->hip].t.y - (leg->home.y - leg->ankle_offset);
    return SFT_OK;
}

static void make_room(const finder* f, sft_creature_leg* leg)
{
    const double lacks = ROOM_MIN * leg->reach_max - room(f, leg);
    if (!(lacks > 0)) return;
    const double along = sft_v3d_dot(sft_v3d_sub(leg->home, f->rest[leg->joints[0]].t), f->def->forward);
    const double shift = sft_mind(lacks, fabs(along)) * (along > 0 ? -1 : 1);
    leg->home = sft_v3d_add(leg->home, sft_v3d_scale(shift, f->def->forward));
}

// One amount for all legs, so that the body is lowered and not tilted: what the straightest asks for.
static void bend_knees(finder* f)
{
    sft_creature_def* def = f->def;
    double lower = 0, shortest = SFT_HUGE;
    for (int32_t l = 0; l < def->leg_count; ++l)
    {
        const sft_creature_leg* leg = &def->legs[l];
        const sft_v3d d = sft_v3d_sub(leg->home, f->rest[leg->joints[0]].t);
        const double stand = STAND_MAX * leg->reach_max / REACH_MAX;
        const double flat = d.x * d.x + d.z * d.z, high = sqrt(sft_maxd(stand * stand - flat, 0));
        if (sft_v3d_length(d) > stand) lower = sft_maxd(lower, -d.y - high);
    }
    for (int32_t l = 0; l < def->leg_count; ++l)
    {
        sft_creature_leg* leg = &def->legs[l];
        leg->home.y += lower;
        make_room(f, leg);
        leg->step_distance = sft_maxd(STEP_OF_ROOM * room(f, leg), 0.05 * leg->reach_max);
        shortest = sft_mind(shortest, leg->step_distance);
        const sft_v3d d = sft_v3d_sub(leg->home, f->rest[leg->joints[0]].t);
        leg->reach_min = sft_mind(leg->reach_min, 0.8 * sft_v3d_length(d));
    }
    // All step as far, so that they keep time.
    for (int32_t l = 0; l < def->leg_count; ++l)
        def->legs[l].step_distance = shortest;
    f->hip_height -= lower;
}

static sft_result find_legs(finder* f)
{
    const sft_rig* rig = f->rig;
    for (int32_t l = 0; l < rig->leg_count; ++l)
    {
        const sft_result result = take_leg(f, &rig->legs[l]);
        if (result != SFT_OK) return result;
    }
    if (f->def->leg_count == 0)
    {
        char why[SFT_LEG_NONE_SIZE] = "";
        sft_leg_explain_none(f->skeleton, NULL, NULL, why);
        sft_core_fail(f->error, SFT_ERR_UNSUPPORTED, 0, 0, NULL,
                      "no legs are seen in this skeleton%s%s; name them in a creature file", why[0] != '\0' ? ": " : "",
                      why);
        return SFT_ERR_UNSUPPORTED;
    }
    f->leg_length /= f->def->leg_count;
    f->hip_height /= f->def->leg_count;
    bend_knees(f);
    return SFT_OK;
}

// ---- trunk, head, tail ----

static void push_link(const finder* f, int32_t joint, int32_t* count, sft_creature_link* links)
{
    if (*count == SFT_CREATURE_LINKS || !below(f->skeleton, joint, f->def->body) || joint == f->def->body) return;
    // A chain is a chain: what hangs beside it is left alone.
    if (*count > 0 && !below(f->skeleton, joint, links[*count - 1].joint)) return;
    links[(*count)++] = (sft_creature_link){.joint = joint};
}

static void spread(sft_creature_link* links, int32_t count, double yaw, double pitch, bool whole)
{
    for (int32_t i = 0; i < count; ++i)
    {
        const int32_t left = count - i;
        links[i].share = whole ? 1.0 / left : 0.5 / left;
        links[i].max_yaw = yaw / count;
        links[i].max_pitch = pitch / count;
    }
}

// A joint that all legs hang from bends nothing: it turns the whole creature.
static bool carries_all(const finder* f, int32_t joint)
{
    for (int32_t l = 0; l < f->def->leg_count; ++l)
        if (!below(f->skeleton, f->def->legs[l].joints[0], joint)) return false;
    return true;
}

static bool is_eye(const char* name)
{
    for (; *name != '\0'; ++name)
    {
        const char c = name[0], d = c != '\0' ? name[1] : '\0', e = d != '\0' ? name[2] : '\0';
        // Brows, lids and lashes are called after eyes too.
        if ((c == 'e' || c == 'E') && (d == 'y' || d == 'Y') && (e == 'e' || e == 'E'))
        {
            const char n = name[3] | 0x20;
            return n != 'b' && n != 'l' && n != 'c';
        }
    }
    return false;
}

// Wings are arms by their bones, but do not hang.
static bool is_wing(const char* name)
{
    for (; *name != '\0'; ++name)
        if ((name[0] | 0x20) == 'w' && (name[1] | 0x20) == 'i' && (name[2] | 0x20) == 'n' && (name[3] | 0x20) == 'g')
            return true;
    return false;
}

// The first joint of a part below one, on its side; -1: none.
static int32_t find_below(const finder* f, int32_t joint, sft_part part)
{
    const sft_joint_meaning* m = f->rig->meanings;
    for (int32_t j = joint + 1; joint >= 0 && j < f->skeleton->joint_count; ++j)
        if (m[j].part == part && m[j].side == m[joint].side && below(f->skeleton, j, joint)) return j;
    return -1;
}

static void find_arms(finder* f)
{
    sft_creature_def* def = f->def;
    const sft_skeleton* s = f->skeleton;
    const sft_joint_meaning* m = f->rig->meanings;
    for (int32_t j = 0; j < s->joint_count && def->arm_count < SFT_CREATURE_LINKS; ++j)
    {
        if (m[j].part != SFT_PART_UPPER_ARM || m[j].index != 0 || !below(s, j, def->body) || j == def->body) continue;
        const int32_t elbow = find_below(f, j, SFT_PART_FOREARM), hand = find_below(f, elbow, SFT_PART_HAND);
        bool free = elbow >= 0 && hand >= 0 && !is_wing(s->names[j]) && !is_wing(s->names[hand]);
        for (int32_t l = 0; free && l < def->leg_count; ++l)
            free = !below(s, j, def->legs[l].joints[0]) && !below(s, def->legs[l].joints[0], j);
        if (!free) continue;
        def->arms[def->arm_count++] = (sft_creature_arm){.side = m[j].side,
                                                         .joints = {j, elbow, hand},
                                                         .hang = DEGREES(12),
                                                         .swing = DEGREES(18),
                                                         .bend = DEGREES(12)};
    }
}

static void find_trunk(finder* f)
{
    sft_creature_def* def = f->def;
    const sft_skeleton* s = f->skeleton;
    const sft_joint_meaning* m = f->rig->meanings;
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        if (m[j].part == SFT_PART_SPINE && !carries_all(f, j)) push_link(f, j, &def->spine_count, def->spine);
        if (m[j].part == SFT_PART_NECK || m[j].part == SFT_PART_HEAD) push_link(f, j, &def->head_count, def->head);
        const bool tail = m[j].part == SFT_PART_TAIL && def->tail_count < SFT_CREATURE_LINKS;
        if (tail && (def->tail_count == 0 || below(s, j, def->tail[def->tail_count - 1])))
            def->tail[def->tail_count++] = j;
    }
    const int32_t head = def->head_count > 0 ? def->head[def->head_count - 1].joint : -1;
    for (int32_t j = 0; j < s->joint_count && head >= 0; ++j)
        if (j != head && below(s, j, head) && is_eye(s->names[j]) && def->eye_count < SFT_CREATURE_LINKS)
            def->eyes[def->eye_count++] = (sft_creature_eye){.joint = j,
                                                             .forward = def->forward,
                                                             .max_in = DEGREES(15),
                                                             .max_out = DEGREES(35),
                                                             .max_pitch = DEGREES(25)};
    spread(def->spine, def->spine_count, DEGREES(35), DEGREES(10), false);
    spread(def->head, def->head_count, DEGREES(75), DEGREES(50), true);
}

static sft_result find_body(finder* f)
{
    sft_creature_def* def = f->def;
    const sft_skeleton* s = f->skeleton;
    int32_t body = s->parents[def->legs[0].joints[0]];
    for (int32_t l = 1; l < def->leg_count && body >= 0; ++l)
        body = common(s, body, s->parents[def->legs[l].joints[0]]);
    for (int32_t j = 0; j < s->joint_count && body >= 0; ++j)
    {
        const sft_part part = f->rig->meanings[j].part;
        // Spine and tail hang from the body too: one above all legs may still be below these.
        if (part == SFT_PART_HIPS || (part == SFT_PART_SPINE && s->parents[j] >= 0) || part == SFT_PART_TAIL)
        {
            const int32_t c = common(s, body, part == SFT_PART_HIPS ? j : s->parents[j]);
            if (c >= 0) body = c;
        }
    }
    if (body < 0) return refuse(f, def->legs[0].joints[0], "legs hang from no common joint that could be the body");
    def->body = body;
    return SFT_OK;
}

// ---- what follows from lengths ----

static double fastest(const sft_creature_def* def)
{
    double step = def->legs[0].step_distance;
    int32_t turns = SFT_MAX_LEGS;
    for (int32_t l = 1; l < def->leg_count; ++l)
        step = sft_mind(step, def->legs[l].step_distance);
    for (int32_t g = 0; g < SFT_GAIT_COUNT; ++g)
    {
        int32_t last = -1;
        if ((def->gaits & 1u << g) == 0) continue;
        for (int32_t l = 0; l < def->leg_count; ++l)
            last = def->legs[l].group[g] > last ? def->legs[l].group[g] : last;
        if (last >= 0 && last + 1 < turns) turns = last + 1;
    }
    return step * (1 + def->swing.overshoot) / (turns * def->swing.time);
}

// How a body goes to and fro over its legs, of a leg's length and in degrees. Two legs shift the whole weight and rise
// over the one that stands; four sway the less the more upright they stand, and swing their hips where they sprawl,
// which makes their steps longer; more keep the body still.
static void sway(finder* f)
{
    sft_creature_def* def = f->def;
    const sft_v3d left = sft_v3d_cross(sft_v3d_make(0, 1, 0), def->forward);
    double aside = 0;
    for (int32_t l = 0; l < def->leg_count; ++l)
    {
        const sft_v3d hip = f->rest[def->legs[l].joints[0]].t;
        aside += fabs(sft_v3d_dot(sft_v3d_sub(def->legs[l].home, hip), left)) / def->leg_count;
    }
    const double sprawl = sft_clampd(aside / sft_maxd(f->hip_height, 1e-6), 0, 1), length = f->leg_length;
    sft_creature_bob* bob = &def->bob;
    if (def->leg_count <= 2)
    {
        bob->amplitude = (sft_v3d){0.025 * length, 0.028 * length, 0};
        bob->turn = (sft_v3d){0, DEGREES(6), DEGREES(4)};
    }
    else if (def->leg_count <= 4)
    {
        bob->amplitude = (sft_v3d){(0.012 + 0.018 * sprawl) * length, 0.02 * length, 0};
        bob->turn = (sft_v3d){0, DEGREES(4 + 9 * sprawl), DEGREES(4)};
    }
    else
    {
        bob->amplitude = (sft_v3d){0.012 * length, 0.016 * length, 0};
        bob->turn = (sft_v3d){0, DEGREES(3), DEGREES(2)};
    }
}

static void measure(finder* f)
{
    sft_creature_def* def = f->def;
    double lo = INFINITY, hi = -INFINITY, wide = 0;
    for (int32_t l = 0; l < def->leg_count; ++l)
    {
        const double along = sft_v3d_dot(def->legs[l].home, def->forward);
        lo = sft_mind(lo, along);
        hi = sft_maxd(hi, along);
        const sft_v3d hip = f->rest[def->legs[l].joints[0]].t;
        const sft_v3d aside = sft_v3d_sub(hip, sft_v3d_scale(sft_v3d_dot(hip, def->forward), def->forward));
        wide = sft_maxd(wide, sqrt(aside.x * aside.x + aside.z * aside.z));
    }
    const double length = hi - lo + 0.5 * f->leg_length;
    // Steps of like creatures take as long as their legs would swing: by the root of their length.
    def->swing.time = 0.45 * sqrt(f->leg_length);
    // Legs that sprawl step higher than their hips are.
    def->swing.probe_above = 0.6 * sft_maxd(f->hip_height, f->leg_length);
    def->swing.probe_below = 0.8 * f->leg_length;
    def->swing.clearance = 0.05 * f->leg_length;
    sft_creature_motion* m = &def->motion;
    m->max_speed = SPEED_PART * fastest(def);
    m->back_speed = 0.25 * m->max_speed;
    // It is reached, and lost, within a step's time.
    m->acceleration = m->max_speed / def->swing.time;
    m->stop_distance = 0.6 * length;
    m->approach_distance = 0.9 * length;
    m->back_distance = 0.3 * length;
    m->body_radius = sft_maxd(wide, 0.15 * f->leg_length);
    m->body_height = f->hip_height;
    sway(f);
}

sft_result sft_creature_find(const sft_skeleton* skeleton, const sft_clip* clip, const sft_allocator* allocator,
                             sft_creature_def* def, sft_error* error)
{
    if (skeleton == NULL || def == NULL)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "a skeleton and a place for the creature are needed");
    sft_rig_def rig_def = sft_default_rig_def();
    rig_def.pose_frame = SFT_RIG_POSE_REST;
    sft_rig* rig = NULL;
    sft_result result = sft_rig_create(&rig_def, skeleton, clip, allocator, &rig);
    if (result != SFT_OK) return sft_core_fail(error, result, 0, 0, NULL, "the skeleton cannot be read");
    const size_t n = (size_t)skeleton->joint_count;
    finder f = {.rig = rig, .skeleton = rig->skeleton, .error = error};
    f.rest = sft_core_alloc(allocator, n, sizeof *f.rest);
    f.def = sft_core_alloc(allocator, 1, sizeof *f.def);
    if (f.rest == NULL || f.def == NULL)
        result = sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "there is no memory for a creature");
    else
    {
        *f.def = sft_default_creature_def();
        f.def->forward = sft_v3d_make(0.0 - sft_sin(rig->facing), 0, sft_cos(rig->facing));
        sft_skeleton_forward(skeleton, skeleton->rest_translations, skeleton->rest_rotations, f.rest);
        result = find_legs(&f);
        if (result == SFT_OK) result = find_body(&f);
        if (result == SFT_OK)
        {
            find_trunk(&f);
            find_arms(&f);
            result = sft_creature_propose_groups(f.def);
        }
        if (result == SFT_OK) measure(&f);
        if (result == SFT_OK) *def = *f.def;
    }
    sft_core_free(allocator, f.rest, n, sizeof *f.rest);
    sft_core_free(allocator, f.def, 1, sizeof *f.def);
    sft_rig_destroy(rig, allocator);
    return result;
}
