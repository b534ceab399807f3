// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One foothold a plant, found at the frame in which the foot lies flattest and kept for the whole plant. A sole that
// would stand across an edge is moved along its own length, to where it stands on one level with room to spare, where
// that is near enough; else to where its toe is carried.

#include "adapt/clip_problem.h"

static const double MOVE_STEP = 0.005;                // [m] between places tried
static const double LEAST_ROOM = 0.01;                // [m] to an edge beyond which it is lower
static const double FOLLOW_STEP = 0.05;               // [m] between queries on the way from plant to plant
static const double MOST_FOLLOW_STEPS = 1000;         // a jump further than 50 m is looked at less closely
static const double ROOM[] = {0.06, 0.04, 0.02, 0.0}; // [m] to the next edge before heel and behind toe end, as wished

// Source pose of the plant, moved and raised to where the walk has got to.
static sft_leg_pose pose_at(const ad_problem* p, const ad_plant* plant, int32_t frame, sft_v3d by)
{
    const size_t base = (size_t)(p->first + frame) * (size_t)p->clip->joint_count;
    sft_leg_pose pose;
    // Read once already; it cannot fail.
    (void)sft_leg_pose_read(p->skeleton, p->legs + plant->leg, p->clip->translations + base, p->clip->rotations + base,
                            &pose);
    sft_xformd* joints[5] = {&pose.hip, &pose.knee, &pose.heel, &pose.toe, &pose.toe_end};
    for (int k = 0; k < 5; ++k)
        joints[k]->t = sft_v3d_add(joints[k]->t, by);
    return pose;
}

// `by`: level, how far it is moved; up, the rise of the ground.
static sft_adapt_foothold foothold_at(const ad_problem* p, const ad_plant* plant, int32_t frame, sft_v3d by)
{
    sft_adapt_def def = p->def->foot;
    def.floor = plant->level + by.y;
    const sft_leg_pose pose = pose_at(p, plant, frame, by);
    sft_leg leg = p->legs[plant->leg];
    if (plant->heel_up || !ad_heel_bears(p, plant->leg)) leg.heel = leg.toe; // what lies below it carries nothing
    sft_adapt_foothold out = {0};
    (void)sft_adapt_find_foothold(&def, &leg, &pose, p->ground, &out);
    return out;
}

static sft_adapt_foothold try_place(const ad_problem* p, const ad_plant* plant, sft_v3d by)
{
    return foothold_at(p, plant, plant->flattest, by);
}

static bool good(const sft_adapt_foothold* f)
{
    return f->on_ground && !f->on_edge;
}

// Whether the foot, which may turn over the plant, has nothing below it that is higher than an edge over its sole, as
// it begins, lies and ends.
static bool stays_clear(const ad_problem* p, const ad_plant* plant, const sft_adapt_foothold* f, sft_v3d by)
{
    const sft_leg* g = p->legs + plant->leg;
    const sft_v3d n = f->normal;
    const int32_t frames[3] = {plant->first, plant->flattest, plant->last};
    for (int k = 0; k < 3; ++k)
    {
        double soles[3];
        const sft_leg_pose pose = pose_at(p, plant, frames[k], by);
        const sft_v3d points[3] = {pose.toe.t, pose.heel.t, pose.toe_end.t};
        const bool has[3] = {true, ad_heel_bears(p, plant->leg), g->toe_end >= 0};
        ad_sole_heights(p, plant->leg, frames[k], soles);
        // In the order of the points, over the plant's level.
        const double over[3] = {soles[1] - plant->level, soles[0] - plant->level, soles[2] - plant->level};
        for (int m = 0; m < 3; ++m)
        {
            if (!has[m]) continue;
            const double ground = ad_ground_under(p, points[m], f->point.y);
            const double plane =
                f->point.y - (n.x * (points[m].x - f->point.x) + n.z * (points[m].z - f->point.z)) / n.y;
            if (ground > plane + sft_maxd(over[m], 0.0) + p->def->foot.edge_height) return false;
        }
    }
    return true;
}

// Whether the foot stands on one level, and stays clear of what is higher when moved by `room` either way: a step right
// behind the heel or before the toe would have to be passed straight up or down.
static bool has_room(const ad_problem* p, const ad_plant* plant, sft_v3d by, sft_v3d forward, double room)
{
    const double margin = sft_mind(room, LEAST_ROOM);
    const sft_adapt_foothold f = try_place(p, plant, by);
    if (!good(&f) || !stays_clear(p, plant, &f, by)) return false;
    for (int sign = -1; sign <= 1; sign += 2)
    {
        const sft_adapt_foothold near = try_place(p, plant, sft_v3d_madd(by, sign * margin, forward));
        if (!good(&near)) return false;
        const sft_adapt_foothold far = try_place(p, plant, sft_v3d_madd(by, sign * room, forward));
        if (far.on_ground && far.on_edge && far.point.y > f.point.y + p->def->foot.edge_height) return false;
    }
    return true;
}

// Whether what the sole stands on carries the toe joint too, with a little to spare: a foot that is held by its heel
// alone stands on nothing once the heel rises.
static bool carries_toe(const ad_problem* p, const ad_plant* plant, sft_v3d by, sft_v3d forward)
{
    const sft_adapt_foothold f = try_place(p, plant, by);
    if (!f.on_ground || !stays_clear(p, plant, &f, by)) return false;
    const sft_v3d toe = sft_v3d_add(ad_foot_at(p, plant->leg, plant->flattest)->toe, by);
    for (int sign = -1; sign <= 1; ++sign)
    {
        const double ground = ad_ground_under(p, sft_v3d_madd(toe, sign * LEAST_ROOM, forward), f.point.y);
        if (!(fabs(ground - f.point.y) <= 0.5 * p->def->foot.edge_height)) return false;
    }
    return true;
}

// The nearest place, up to `most` away along the foot and, if `aside`, across it, that carries the toe. False: none.
static bool find_toe_place(const ad_problem* p, const ad_plant* plant, double most, bool aside, sft_v3d* by)
{
    const sft_v3d f = ad_foot_at(p, plant->leg, plant->flattest)->forward;
    const sft_v3d ways[4] = {f, sft_v3d_scale(-1.0, f), {f.z, 0.0, -f.x}, {-f.z, 0.0, f.x}};
    for (int32_t k = 0; k <= (int32_t)(most / MOVE_STEP + 1e-9); ++k)
        for (int w = 0; w < (k == 0 ? 1 : aside ? 4 : 2); ++w)
        {
            const sft_v3d to = sft_v3d_madd(*by, (double)k * MOVE_STEP, ways[w]);
            if (!carries_toe(p, plant, to, f)) continue;
            *by = to;
            return true;
        }
    return false;
}

// Where the plant is to be moved to [m]: the nearest place along the foot at which it stands on one level; else one
// that carries its toe, even if it is as far away as the foot is long.
static sft_v3d find_shift(const ad_problem* p, const ad_plant* plant, double rise)
{
    const ad_foot* foot = ad_foot_at(p, plant->leg, plant->flattest);
    const sft_v3d stay = sft_v3d_make(0.0, rise, 0.0);
    const double place_max = p->def->place_max;
    if (!(place_max > 0.0)) return stay;
    for (size_t r = 0; r < SFT_COUNT_OF(ROOM); ++r)
        for (int32_t k = 0; k <= (int32_t)(place_max / MOVE_STEP + 1e-9); ++k)
            for (int sign = 1; sign >= (k > 0 ? -1 : 1); sign -= 2)
            {
                const sft_v3d by = sft_v3d_madd(stay, (double)(sign * k) * MOVE_STEP, foot->forward);
                if (has_room(p, plant, by, foot->forward, ROOM[r])) return by;
            }
    sft_v3d by = stay;
    const double length = sft_v3d_distance(foot->heel, foot->toe) + sft_v3d_distance(foot->toe, foot->end);
    if (find_toe_place(p, plant, place_max, false, &by) || find_toe_place(p, plant, place_max, true, &by)) return by;
    // Where there is nothing below the toe, it is not sent further away.
    if (try_place(p, plant, stay).on_ground && find_toe_place(p, plant, sft_maxd(place_max, length), true, &by))
        return by;
    return stay;
}

static bool is_level(const sft_adapt_foothold* f)
{
    return sft_v3d_length(sft_quatd_log(f->tilt)) == 0.0 && sft_v3d_length(sft_quatd_log(f->toe_tilt)) == 0.0;
}

static void take(ad_problem* p, ad_plant* plant, sft_v3d by, const sft_adapt_foothold* f)
{
    plant->on_ground = f->on_ground;
    if (!f->on_ground) return;
    plant->tilt = sft_quatd_log(f->tilt);
    plant->toe_tilt = sft_quatd_log(f->toe_tilt);
    plant->tilt_lost = f->tilt_lost;
    // The toe joint stands as far from its support as it did from its level, and keeps its horizontal place: the point
    // of the support nearest to it is a little beside the one below it.
    const sft_v3d up = sft_quatd_rotate(f->tilt, sft_v3d_make(0, 1, 0));
    const double over = plant->toe.y - plant->level;
    plant->shift = sft_v3d_make(by.x, f->point.y - plant->level + over * (1.0 / up.y - 1.0), by.z);
    const double moved = sqrt(by.x * by.x + by.z * by.z);
    plant->neutral = is_level(f) && moved == 0.0 && fabs(f->point.y - p->def->foot.floor) <= 1e-9;
    if (!plant->end)
    {
        if (!f->on_edge && !(f->tilt_lost > 0.0)) ad_tilt_over_bulge(p, plant);
        ad_settle_plant(p, plant);
    }
    if (moved == 0.0) return;
    ++p->report->moved_plants;
    p->report->place_shift_max = sft_maxd(p->report->place_shift_max, moved);
}

// A foot that rides over the ground: a foothold a frame, into the curves. Returns the rise where it has got to.
static double ride(ad_problem* p, ad_plant* plant, double rise)
{
    const size_t n = (size_t)p->frames;
    plant->on_ground = plant->neutral = true;
    for (int32_t i = plant->touch_first; i <= plant->touch_last; ++i)
    {
        const sft_adapt_foothold f =
            foothold_at(p, plant, i, sft_v3d_make(0.0, p->def->foot.floor + rise - plant->level, 0.0));
        if (!f.on_ground)
        {
            // Wholly as in the source: a foot cannot leave half a stance out.
            plant->on_ground = plant->rides = false;
            return rise;
        }
        const sft_v3d up = sft_quatd_rotate(f.tilt, sft_v3d_make(0, 1, 0));
        const sft_v3d tilt = sft_quatd_log(f.tilt), toe = sft_quatd_log(f.toe_tilt);
        const double over = ad_foot_at(p, plant->leg, i)->toe.y - plant->level;
        const double v[] = {
            0.0,  f.point.y - plant->level + over * (1.0 / up.y - 1.0), 0.0, tilt.x, tilt.y, tilt.z, toe.x, toe.y,
            toe.z};
        double* c = ad_curve_of(p, plant->leg, AD_X) + i;
        for (int k = 0; k < AD_HEEL; ++k)
            c[(size_t)k * n] = v[k];
        plant->tilt_lost = sft_maxd(plant->tilt_lost, f.tilt_lost);
        plant->neutral = plant->neutral && is_level(&f) && fabs(f.point.y - p->def->foot.floor) <= 1e-9;
        const double was = rise;
        rise = f.point.y - p->def->foot.floor;
        plant->jumps = plant->jumps || (i > plant->touch_first && fabs(rise - was) > p->def->foot.edge_height);
    }
    ad_settle_ride(p, plant);
    return rise;
}

// The plant that begins first of those not yet seen; -1 at the end. `next` is one index a leg.
static int32_t earliest(const ad_problem* p, const int32_t* next)
{
    int32_t best = -1;
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        const int32_t k = next[l];
        if (k >= p->plant_count || p->plants[k].leg != l) continue;
        if (best < 0 || p->plants[k].first < p->plants[best].first) best = k;
    }
    return best;
}

// The rise of the ground at the plant, when one goes there from `at` in a straight line: stairs may climb further
// between two plants than one query looks up.
static double follow(const ad_problem* p, const ad_plant* plant, sft_v3d at, double rise)
{
    const sft_v3d way = sft_v3d_make(plant->toe.x - at.x, 0.0, plant->toe.z - at.z);
    const double length = sft_v3d_length(way);
    const int32_t steps = (int32_t)sft_mind(length / FOLLOW_STEP, MOST_FOLLOW_STEPS) + 1;
    for (int32_t k = 1; k <= steps; ++k)
    {
        sft_v3d point = sft_v3d_madd(at, (double)k / (double)steps, way);
        const double level = p->def->foot.floor + rise;
        point.y = level;
        const double ground = ad_ground_under(p, point, level);
        if (ground > -SFT_HUGE) rise = ground - p->def->foot.floor;
    }
    return rise;
}

void ad_place(ad_problem* p)
{
    int32_t next[SFT_MAX_LEGS];
    for (int32_t l = 0, k = 0; l < p->leg_count; ++l)
    {
        while (k < p->plant_count && p->plants[k].leg < l)
            ++k;
        next[l] = k;
    }
    double rise = 0.0; // of the ground where the walk has got to, over the source's floor
    sft_v3d at = {0};  // and where that is
    const int32_t begin = earliest(p, next);
    if (begin >= 0) at = p->plants[begin].toe;
    for (int32_t k = begin; k >= 0; k = earliest(p, next))
    {
        ad_plant* plant = p->plants + k;
        ++next[plant->leg];
        rise = follow(p, plant, at, rise);
        at = plant->toe;
        if (plant->rides)
        {
            rise = ride(p, plant, rise);
            continue;
        }
        const double over = p->def->foot.floor + rise - plant->level; // to where its sole would stand now
        const sft_v3d by = plant->end ? sft_v3d_make(0.0, over, 0.0) : find_shift(p, plant, over);
        const sft_adapt_foothold f = try_place(p, plant, by);
        take(p, plant, by, &f);
        if (f.on_ground) rise = f.point.y - p->def->foot.floor;
    }
}
