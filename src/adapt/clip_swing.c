// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The way of every foot: over its plants given by their footholds, between them as smooth as third differences make it.
// A foot that comes down or lifts off already moves as its foothold is tilted, so that heels strike a slope as they
// struck the floor. Over what it passes it keeps the source's clearance or the one asked for, whichever is less.

#include "adapt/clip_problem.h"

static const double TOUCH_TIME = 0.03;     // [s] details of a touch shorter than this give way to smoothness
static const double IDLE_TIME = 0.5;       // [s] over which a foot without plants ahead comes to rest in its offset
static const double ROAMING_WEIGHT = 0.01; // of the ground below a foot that never stands
// Turns that only settle the sole begin and end at any rate; a swing is to forget them, not to carry them on.
static const double SETTLE_WEIGHT = 0.05;
// How far [rad] a turn that settles the sole may swing on beyond what plants and touches around it ask for: one that
// begins steeply would ring, to where no toe bends.
static const double SETTLE_OVER = 5.0 * SFT_PI / 180.0;
static const double RETURN_WEIGHT = 1e-3; // waves longer than a tenth of a second cost more than they are worth
static const double HOLE_SPEED = 0.3;     // [m/s]
static const double ASIDE_LEAST = 0.03;   // [m] of rise that is an edge's
static const double ASIDE_MOST = 0.08;    // [m]
static const double ASIDE_SPEED = 1.0;    // [m/s] towards and from the plant
static const double OVERSHOOT = 0.05;     // [m] that a swing may rise over what it has to
static const double REACH_LEAST = 1e-4;   // [m]
static const double SINK_ASIDE = 0.004;   // [m]
static const double SINK = 0.001;         // [m] a foot may pass the ground by, so that touching is no fight

// ---- where a foot is ----

static sft_quatd about_left(sft_v3d forward, double angle)
{
    const double s = sft_sin(0.5 * angle);
    return (sft_quatd){s * forward.z, 0.0, -s * forward.x, sft_cos(0.5 * angle)};
}

static sft_v3d vector_at(const ad_problem* p, int32_t leg, int32_t curve, int32_t frame)
{
    const size_t n = (size_t)p->frames;
    const double* c = ad_curve_of(p, leg, curve) + frame;
    return sft_v3d_make(c[0], c[n], c[2 * n]);
}

// Shift of the toe, rotation vectors of foot and toe.
static ad_put put_by(const ad_problem* p, int32_t leg, int32_t frame, const sft_v3d by[3])
{
    const ad_foot* f = ad_foot_at(p, leg, frame);
    ad_put out;
    out.foot = sft_quatd_mul(sft_quatd_exp(by[1]), about_left(f->forward, ad_curve_of(p, leg, AD_HEEL)[frame]));
    out.toe_turn = sft_quatd_mul(sft_quatd_exp(by[2]), about_left(f->forward, -ad_curve_of(p, leg, AD_END)[frame]));
    out.toe = sft_v3d_add(f->toe, by[0]);
    out.heel = sft_v3d_add(out.toe, sft_quatd_rotate(out.foot, sft_v3d_sub(f->heel, f->toe)));
    out.end = sft_v3d_add(out.toe, sft_quatd_rotate(out.toe_turn, sft_v3d_sub(f->end, f->toe)));
    return out;
}

ad_put ad_put_foot(const ad_problem* p, int32_t leg, int32_t frame)
{
    const sft_v3d by[3] = {vector_at(p, leg, AD_X, frame), vector_at(p, leg, AD_TILT, frame),
                           vector_at(p, leg, AD_TOE_TILT, frame)};
    return put_by(p, leg, frame, by);
}

// Shift of the toe where the foot moves with its foothold: as the plant's, and turned with it about its own place.
static sft_v3d shift_with(const ad_problem* p, const ad_plant* plant, int32_t frame)
{
    const sft_v3d from = sft_v3d_sub(ad_foot_at(p, plant->leg, frame)->toe, plant->toe);
    const sft_v3d turned = sft_quatd_rotate(sft_quatd_exp(plant->tilt), from);
    sft_v3d shift = sft_v3d_add(plant->shift, sft_v3d_sub(turned, from));
    shift.y -= ad_foot_at(p, plant->leg, frame)->held;
    return shift;
}

static sft_v3d shift_with_body(const ad_problem* p, int32_t frame, sft_v3d point)
{
    if (p->turn_joint < 0) return sft_v3d_make(0, p->pelvis[frame], 0);
    return sft_v3d_sub(ad_moved(p, frame, point), point);
}

ad_put ad_put_plant(const ad_problem* p, const ad_plant* plant, int32_t frame)
{
    if (plant->rides) return ad_put_foot(p, plant->leg, frame);
    const sft_v3d by[3] = {shift_with(p, plant, frame), plant->tilt, plant->toe_tilt};
    return put_by(p, plant->leg, frame, by);
}

// ---- the ground ----

bool ad_ground_at(const ad_problem* p, sft_v3d point, double level, sft_ground_hit* hit)
{
    const sft_adapt_def* d = &p->def->foot;
    const double up = d->probe_up > 0.0 ? d->probe_up : 0.6 * p->leg_length;
    const double down = d->probe_down > 0.0 ? d->probe_down : 0.6 * p->leg_length;
    const sft_v3d origin = sft_v3d_make(point.x, sft_maxd(point.y, level) + up, point.z);
    return p->ground->query(p->ground->data, origin, sft_v3d_make(0, -1, 0), origin.y - sft_mind(point.y, level) + down,
                            0.0, hit) &&
           fabs(hit->point.y) <= SFT_HUGE;
}

double ad_ground_under(const ad_problem* p, sft_v3d point, double level)
{
    sft_ground_hit hit;
    return ad_ground_at(p, point, level, &hit) ? hit.point.y : -INFINITY;
}

// Change of height of a foot that never stands: the ground below its toe over the source's floor.
static double rise_below(const ad_problem* p, int32_t leg, int32_t frame)
{
    const double ground = ad_ground_under(p, ad_foot_at(p, leg, frame)->toe, p->def->foot.floor);
    return ground > -SFT_HUGE ? ground - p->def->foot.floor : 0.0;
}

// ---- the curves ----

static ad_curve new_curve(const ad_problem* p)
{
    const size_t n = (size_t)p->frames;
    const double touch = TOUCH_TIME / p->dt, idle = p->dt / IDLE_TIME;
    ad_curve c = {.count = p->frames, .weight = p->weight, .fixed = p->fixed};
    // A wave as long as these times costs as much as missing what is wanted, or as going on.
    c.third = touch * touch * touch * touch * touch * touch;
    c.first = c.third * idle * idle * idle * idle;
    c.matrix = p->band;
    c.factor = p->band + n * AD_BAND;
    c.scratch = p->band + 2 * n * AD_BAND;
    return c;
}

static bool stands(const ad_problem* p, int32_t leg)
{
    for (int32_t k = 0; k < p->plant_count; ++k)
        if (p->plants[k].leg == leg && p->plants[k].on_ground && !p->plants[k].end) return true;
    return false;
}

static void mark(ad_problem* p, int32_t leg, bool lost_too, bool settles)
{
    for (int32_t i = 0; i < p->frames; ++i)
    {
        p->fixed[i] = 0;
        p->weight[i] = settles ? SETTLE_WEIGHT : stands(p, leg) ? 1e-9 : ROAMING_WEIGHT;
    }
    for (int32_t k = 0; k < p->plant_count; ++k)
    {
        const ad_plant* plant = p->plants + k;
        if (plant->leg != leg || !(plant->on_ground || (lost_too && !plant->end))) continue;
        for (int32_t i = plant->touch_first; i <= plant->touch_last; ++i)
            p->weight[i] = 1.0;
        for (int32_t i = plant->first; i <= plant->last && !plant->end && !plant->jumps; ++i)
            p->fixed[i] = 1;
    }
}

// What a curve is to be over plants and touches, into `want` and, where fixed, the curve itself.
static void set_targets(ad_problem* p, int32_t leg, int32_t curve, bool lost_too)
{
    double* x = ad_curve_of(p, leg, curve);
    const bool settles = curve == AD_HEEL || curve == AD_END;
    const bool roams = curve == AD_Y && !stands(p, leg);
    for (int32_t i = 0; i < p->frames; ++i)
        p->want[i] = settles ? x[i] : roams ? rise_below(p, leg, i) : 0.0;
    for (int32_t k = 0; k < p->plant_count; ++k)
    {
        const ad_plant* plant = p->plants + k;
        if (plant->leg != leg || !(plant->on_ground || ((lost_too || settles) && !plant->end))) continue;
        for (int32_t i = plant->touch_first; i <= plant->touch_last; ++i)
        {
            if (settles && (plant->on_ground || plant->end)) continue;
            if (plant->rides && plant->on_ground)
            {
                p->want[i] = x[i];
                continue;
            }
            // Without ground the leg goes with the body, as the source has it.
            const sft_v3d at = ad_foot_at(p, leg, i)->toe, with = sft_quatd_log(ad_body_turn(p, i));
            const sft_v3d shift = plant->on_ground ? shift_with(p, plant, i) : shift_with_body(p, i, at);
            const sft_v3d tilt = plant->on_ground ? plant->tilt : with;
            const sft_v3d toe = plant->on_ground ? plant->toe_tilt : with;
            const double v[AD_CURVES] = {shift.x, shift.y, shift.z, tilt.x, tilt.y, tilt.z, toe.x, toe.y, toe.z, 0, 0};
            p->want[i] = v[curve];
        }
    }
    for (int32_t i = 0; i < p->frames; ++i)
        x[i] = p->fixed[i] ? p->want[i] : 0.0;
}

// Level of the source's support between plants.
static void spread_level(ad_problem* p, int32_t leg, const ad_curve* c)
{
    double* level = p->level + (size_t)leg * (size_t)p->frames;
    for (int32_t i = 0; i < p->frames; ++i)
        p->want[i] = level[i] = p->def->foot.floor;
    for (int32_t k = 0; k < p->plant_count; ++k)
    {
        const ad_plant* plant = p->plants + k;
        if (plant->leg != leg || plant->end) continue;
        for (int32_t i = plant->touch_first; i <= plant->touch_last; ++i)
            p->want[i] = level[i] = plant->level;
    }
    ad_curve_solve(c, p->want, level);
}

// ---- clearance ----

// Unit and level: from the toe's last plant to its next; zero where there is none.
static sft_v3d way_of(const ad_problem* p, int32_t leg, int32_t from, int32_t to)
{
    const sft_v3d way = sft_v3d_sub(ad_foot_at(p, leg, to)->toe, ad_foot_at(p, leg, from)->toe);
    return sft_v3d_normalize_or(sft_v3d_make(way.x, 0.0, way.z), sft_v3d_make(0, 0, 0));
}

// One swing: the free frames first .. last, between frames that are fixed or the clip's ends.
typedef struct swing
{
    int32_t first, last;
    sft_v3d way;
    double look; // [m] Y from which the ground is looked for: stairs may climb further than one query looks up
} swing;

// The next swing from frame `from` on.
static bool next_swing(const ad_problem* p, int32_t leg, int32_t from, swing* out)
{
    while (from < p->frames && p->fixed[from])
        ++from;
    if (from >= p->frames) return false;
    out->first = out->last = from;
    while (out->last + 1 < p->frames && !p->fixed[out->last + 1])
        ++out->last;
    const int32_t before = from > 0 ? from - 1 : 0;
    const int32_t after = out->last + 1 < p->frames ? out->last + 1 : out->last;
    out->way = way_of(p, leg, before, after);
    const size_t base = (size_t)leg * (size_t)p->frames;
    out->look = sft_maxd(p->level[base + (size_t)before] + p->support[base + (size_t)before],
                         p->level[base + (size_t)after] + p->support[base + (size_t)after]);
    return true;
}

// The least change of height that keeps the foot clear of the ground below it, were it put `aside`. An edge that cuts
// into the sole from the side by less than SINK_ASIDE, along the way, is let pass.
static double least_rise(ad_problem* p, int32_t leg, int32_t frame, const swing* w, sft_v3d aside)
{
    const size_t at = (size_t)leg * (size_t)p->frames + (size_t)frame;
    const double level = p->level[at], moved = ad_curve_of(p, leg, AD_Y)[frame];
    const double look = sft_maxd(level + p->support[at], w->look);
    ad_sole_point points[AD_SOLE_MOST];
    double most = -INFINITY;
    const ad_put put = ad_put_foot(p, leg, frame);
    const int count = ad_sole_points(p, leg, frame, &put, AD_SOLE_PARTS, points);
    for (int k = 0; k < count; ++k)
    {
        const sft_v3d spot = sft_v3d_add(points[k].at, aside);
        double ground = ad_ground_under(p, spot, look);
        if (!(ground > -SFT_HUGE)) continue;
        if (fabs(ground - p->def->foot.floor) > 1e-9) p->ground_level = false;
        const double clear = sft_mind(sft_maxd(points[k].source - level, 0.0), p->def->foot.clearance) - SINK;
        const double over = clear - (spot.y - moved);
        if (ground + over > moved)
            for (int sign = -1; sign <= 1; sign += 2)
            {
                const double beside = ad_ground_under(p, sft_v3d_madd(spot, sign * SINK_ASIDE, w->way), look);
                if (beside > -SFT_HUGE) ground = sft_mind(ground, beside);
            }
        most = sft_maxd(most, ground + over);
    }
    return most;
}

// How far along its way [m] a foot that would have to rise steeply over an edge is put instead: forward before it comes
// down, behind which the edge then is; back after it lifted off, before which it still is. 0 where that is no help.
static double step_aside(ad_problem* p, int32_t leg, const swing* w, int32_t frame)
{
    const double y = ad_curve_of(p, leg, AD_Y)[frame];
    const sft_v3d none = {0};
    if (!(least_rise(p, leg, frame, w, none) > y + ASIDE_LEAST)) return 0.0;
    const bool landing = 2 * frame > w->first + w->last;
    const int32_t left = landing ? w->last + 1 - frame : frame - w->first + 1;
    const double most = sft_mind(ASIDE_MOST, ASIDE_SPEED * p->dt * (double)left);
    for (double d = 0.005; d <= most; d += 0.005)
    {
        const double along = landing ? d : -d;
        if (least_rise(p, leg, frame, w, sft_v3d_scale(along, w->way)) <= y + ASIDE_LEAST) return along;
    }
    return 0.0;
}

// Puts swings aside along their ways, smoothly.
static void put_aside(ad_problem* p, int32_t leg, const ad_curve* c)
{
    double* b = p->pelvis; // not solved yet
    bool any = false;
    for (int32_t i = 0; i < p->frames; ++i)
    {
        p->low[i] = -INFINITY;
        p->high[i] = INFINITY;
        p->want[i] = b[i] = 0.0;
    }
    swing w;
    for (int32_t from = 0; next_swing(p, leg, from, &w); from = w.last + 1)
        for (int32_t i = w.first; i <= w.last && (w.way.x != 0.0 || w.way.z != 0.0); ++i)
        {
            const double aside = step_aside(p, leg, &w, i);
            if (aside > 0.0) p->low[i] = aside;
            if (aside < 0.0) p->high[i] = aside;
            any = any || aside != 0.0;
        }
    if (!any) return;
    int32_t steps = 0;
    if (!ad_curve_solve_bounded(c, p->want, p->low, p->high, b, &steps)) p->report->converged = false;
    p->report->iterations += steps;
    for (int32_t from = 0; next_swing(p, leg, from, &w); from = w.last + 1)
        for (int32_t i = w.first; i <= w.last; ++i)
        {
            ad_curve_of(p, leg, AD_X)[i] += b[i] * w.way.x;
            ad_curve_of(p, leg, AD_Z)[i] += b[i] * w.way.z;
        }
}

// Lower bounds of the foot's height where it swings. False: none is in the way.
static bool bound_swing(ad_problem* p, int32_t leg, double* low)
{
    const double* y = ad_curve_of(p, leg, AD_Y);
    const sft_v3d none = {0};
    bool any = false;
    for (int32_t i = 0; i < p->frames; ++i)
        low[i] = -INFINITY;
    swing w;
    for (int32_t from = 0; next_swing(p, leg, from, &w); from = w.last + 1)
        for (int32_t i = w.first; i <= w.last; ++i)
        {
            low[i] = least_rise(p, leg, i, &w, none);
            any = any || low[i] > y[i];
        }
    return any;
}

// Upper bounds: a swing that has to rise steeply would fly on over what made it rise.
static void cap_swings(ad_problem* p, int32_t leg, const double* y, const double* low, double* high)
{
    for (int32_t i = 0; i < p->frames; ++i)
        high[i] = INFINITY;
    swing w;
    for (int32_t from = 0; next_swing(p, leg, from, &w); from = w.last + 1)
    {
        double top = -INFINITY;
        for (int32_t i = w.first > 0 ? w.first - 1 : 0; i <= w.last + 1 && i < p->frames; ++i)
            top = sft_maxd(top, sft_maxd(y[i], low[i]));
        for (int32_t i = w.first; i <= w.last; ++i)
            high[i] = top + OVERSHOOT;
    }
}

static double let_down(double low, double to)
{
    const double most = 0.004; // [m] into the ground
    return sft_maxd(sft_mind(low, to), low - most);
}

// A foot that goes with the body over a hole comes there from wherever it was: the ground before the hole does not hold
// it up to the last frame.
static void let_into_holes(const ad_problem* p, int32_t leg, double* low)
{
    const double* y = ad_curve_of(p, leg, AD_Y);
    for (int32_t k = 0; k < p->plant_count; ++k)
    {
        const ad_plant* plant = p->plants + k;
        if (plant->leg != leg || plant->on_ground || plant->end) continue;
        const double step = HOLE_SPEED * p->dt;
        for (int32_t i = plant->first - 1; i >= 0 && !p->fixed[i]; --i)
            low[i] = let_down(low[i], y[plant->first] + step * (double)(plant->first - i));
        for (int32_t i = plant->last + 1; i < p->frames && !p->fixed[i]; ++i)
            low[i] = let_down(low[i], y[plant->last] + step * (double)(i - plant->last));
    }
}

// ---- reach ----

// What `need` may be at a frame `away` from one whose height is given: the body hangs too high over both.
static double soften(const ad_problem* p, double need, double at, int32_t away)
{
    return sft_mind(need, at + HOLE_SPEED * p->dt * (double)away);
}

// A swinging foot below what its leg can reach, once the body is where it is, is raised as a whole: lifted by its heel
// alone, as a standing one, it would swing with its sole turned. False: all legs reach.
static bool bound_by_reach(const ad_problem* p, int32_t leg, double* low)
{
    const double* y = ad_curve_of(p, leg, AD_Y);
    bool any = false;
    swing w;
    for (int32_t from = 0; next_swing(p, leg, from, &w); from = w.last + 1)
        for (int32_t i = w.first; i <= w.last; ++i)
        {
            const ad_foot* f = ad_foot_at(p, leg, i);
            const ad_put put = ad_put_foot(p, leg, i);
            const sft_v3d hip = ad_moved(p, i, f->hip);
            const double x = put.heel.x - hip.x, z = put.heel.z - hip.z;
            const double below = f->limit * f->limit - x * x - z * z;
            if (!(below > 0.0)) continue;
            double need = y[i] + f->hip.y + ad_rise_at(p, i, f->hip) - sqrt(below) - put.heel.y;
            if (w.first > 0) need = soften(p, need, y[w.first - 1], i - w.first + 1);
            if (w.last + 1 < p->frames) need = soften(p, need, y[w.last + 1], w.last + 1 - i);
            any = any || need > y[i] + REACH_LEAST;
            low[i] = sft_maxd(low[i], need);
        }
    return any;
}

static void solve_curves(ad_problem* p, int32_t leg, bool lost_too, const ad_curve* c, const int* curves, size_t count)
{
    for (size_t k = 0; k < count; ++k)
    {
        set_targets(p, leg, curves[k], lost_too);
        ad_curve_solve(c, p->want, ad_curve_of(p, leg, curves[k]));
    }
}

// A curve that settles the sole, between plants kept near what it was wanted to be there.
static void keep_from_ringing(const ad_problem* p, double* x)
{
    for (int32_t first = 0, last; first < p->frames; first = last + 1)
    {
        for (last = first; last < p->frames && !p->fixed[last];)
            ++last;
        double low = 0.0, high = 0.0;
        for (int32_t i = first > 0 ? first - 1 : 0; i <= last && i < p->frames; ++i)
        {
            low = sft_mind(low, p->want[i]);
            high = sft_maxd(high, p->want[i]);
        }
        for (int32_t i = first; i < last; ++i)
            x[i] = sft_clampd(x[i], low - SETTLE_OVER, high + SETTLE_OVER);
    }
}

// The height within `low`, from where it would be without bounds.
static void solve_height(ad_problem* p, int32_t leg, bool lost_too, ad_curve* c)
{
    double* y = ad_curve_of(p, leg, AD_Y);
    cap_swings(p, leg, y, p->low, p->high);
    // What is lifted over something comes down again soon: it is drawn to where it was.
    mark(p, leg, lost_too, false);
    for (int32_t i = 0; i < p->frames; ++i)
    {
        p->weight[i] = sft_maxd(p->weight[i], RETURN_WEIGHT);
        p->want[i] = y[i];
    }
    ad_curve_begin(c);
    int32_t steps = 0;
    if (!ad_curve_solve_bounded(c, p->want, p->low, p->high, y, &steps)) p->report->converged = false;
    p->report->iterations += steps;
}

static void solve_leg(ad_problem* p, int32_t leg, bool lost_too)
{
    static const int settling[] = {AD_HEEL, AD_END};
    // The height comes last: its bounds depend on all others, and its targets stay in `want`.
    static const int moving[] = {
        AD_X, AD_Z, AD_TILT, AD_TILT + 1, AD_TILT + 2, AD_TOE_TILT, AD_TOE_TILT + 1, AD_TOE_TILT + 2, AD_Y};
    ad_curve c = new_curve(p);
    mark(p, leg, lost_too, true);
    ad_curve_begin(&c);
    for (size_t k = 0; k < SFT_COUNT_OF(settling); ++k)
    {
        solve_curves(p, leg, lost_too, &c, settling + k, 1);
        keep_from_ringing(p, ad_curve_of(p, leg, settling[k]));
    }
    mark(p, leg, lost_too, false);
    ad_curve_begin(&c);
    if (!lost_too) spread_level(p, leg, &c);
    solve_curves(p, leg, lost_too, &c, moving, SFT_COUNT_OF(moving));
    double* y = ad_curve_of(p, leg, AD_Y);
    double* support = p->support + (size_t)leg * (size_t)p->frames;
    if (!lost_too)
    {
        memcpy(support, y, (size_t)p->frames * sizeof *y);
        mark(p, leg, false, true);
        ad_curve_begin(&c);
        put_aside(p, leg, &c);
        memcpy(y, support, (size_t)p->frames * sizeof *y);
    }
    if (!bound_swing(p, leg, p->low)) return;
    if (lost_too) let_into_holes(p, leg, p->low);
    solve_height(p, leg, lost_too, &c);
}

void ad_swing(ad_problem* p)
{
    for (int32_t l = 0; l < p->leg_count; ++l)
        solve_leg(p, l, false);
    memset(p->pelvis, 0, (size_t)p->frames * sizeof *p->pelvis); // it served as scratch
}

void ad_swing_reach(ad_problem* p)
{
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        mark(p, l, false, false);
        (void)bound_swing(p, l, p->low);
        if (!bound_by_reach(p, l, p->low)) continue;
        ad_curve c = new_curve(p);
        memcpy(ad_curve_of(p, l, AD_Y), p->support + (size_t)l * (size_t)p->frames, (size_t)p->frames * sizeof(double));
        solve_height(p, l, false, &c);
    }
}

void ad_swing_lost(ad_problem* p)
{
    uint64_t lost = 0;
    for (int32_t k = 0; k < p->plant_count; ++k)
        if (!p->plants[k].on_ground && !p->plants[k].end) lost |= UINT64_C(1) << p->plants[k].leg;
    for (int32_t l = 0; l < p->leg_count; ++l)
        if (lost >> l & 1u) solve_leg(p, l, true);
}
