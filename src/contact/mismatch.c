// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Where the slide comes from. A toe on the ground moves, against the pelvis, exactly backwards to the body's true
// travel; that velocity does not change when the root's travel is scaled. So for toes that bear,
//     (toe - pelvis) + slope * pelvis - ground = 0     (horizontal velocities)
// with slope = 1 / travel scale, and ground the steady velocity of a treadmill belt or of an in-place clip. Frames
// where the toe is low against its own lowest point nearby and vertically quiet vote; many of them belong to swing, so
// the vote is a mode (a compact kernel), not a mean: a grid over slope, or the frames' own velocities as candidates
// for ground; then iteratively reweighted least squares. Plain motion (slope 1, ground 0) is kept unless something else
// explains clearly more: a real clip's feet roll and creep a little, and that is no mismatch.

#include "contact/contact_internal.h"

#include "core/core.h"

#define VOTE_REACH 0.5   // [s] either way for the lowest point nearby
#define VOTE_HEIGHT 0.05 // [m of a 0.9 m leg] where the vote of height is spent
#define VOTE_RISE 0.3    // [m/s] where the vote of vertical speed is spent
#define BODY_SPEED 0.3   // [m/s] a slower body tells little about its travel
#define SLOPE_MIN 0.25
#define SLOPE_STEP 1.02
#define SLOPE_COUNT 141 // up to 4
#define SHARP 0.3       // share of what the narrow kernel explains that the sharp one must, to have its say
#define SEARCH_LIMIT 4096
#define SEED_LIMIT 256
#define BELT_SUPPORT 0.75 // share of the votes from which a belt is one whatever the others do
#define BELT_OFF 0.1      // share of its speed by which it must be off the mean of all votes to be none
#define UNEVEN_SPEED 0.3  // [m/s] of a ground that is the mean of feet that keep no one speed ...
#define UNEVEN_TIME 0.25  // [s] of all feet's votes
#define ONE_WAY 0.8       // ... and how much of their way must go one way
#define OTHER_FEET 0.1    // share of what a slope explains beyond plain motion that must not be one foot's
#define PLAIN_ENOUGH 0.85 // plain motion that explains this share of the best needs no explanation

typedef struct vote
{
    double tx, tz; ///< toe velocity less the given ground's
    double px, pz; ///< pelvis velocity
    double weight;
    int32_t foot;
} vote;

typedef struct ballot
{
    vote* votes;
    int32_t count;
    int32_t capacity;
    int32_t stride; ///< searching looks at every stride-th vote, refining at all
    double seconds; ///< sum of weights in seconds
    double dt;
    double body_speed; ///< [m/s] mean over the clip; sway is averaged out
} ballot;

/// Kernel: squared width = floor^2 + (growth * speed)^2; wide for searching, narrow for saying.
typedef struct kernel
{
    double floor, growth;
} kernel;

typedef struct fit
{
    double slope, gx, gz;
    double support; ///< explained share of the votes, 0 to 1
    double plain;   ///< the same of plain motion with the same kernel
    double error;   ///< of slope
    int32_t frames; ///< votes within the kernel
} fit;

static const kernel wide = {0.3, 0.1}, narrow = {0.15, 0.05}, sharpest = {0.08, 0.02};

// Share of one vote's weight that (slope, ground) explains: (1 - r^2 / width^2), squared by the callers that score.
static double agreement(const vote* v, kernel k, double slope, double gx, double gz, bool by_ground)
{
    const double rx = v->tx + (slope - 1.0) * v->px - gx, rz = v->tz + (slope - 1.0) * v->pz - gz;
    const double speed2 = by_ground ? gx * gx + gz * gz : v->px * v->px + v->pz * v->pz;
    const double q = (rx * rx + rz * rz) / (k.floor * k.floor + k.growth * k.growth * speed2);
    return q < 1.0 ? 1.0 - q : 0.0;
}

// A body at rest agrees with every slope: such votes tell nothing about it.
static double motion_weight(const vote* v)
{
    return v->weight * sft_mind((v->px * v->px + v->pz * v->pz) / (BODY_SPEED * BODY_SPEED), 1.0);
}

static double score(const ballot* b, int32_t stride, kernel k, double slope, double gx, double gz, bool by_ground)
{
    double sum = 0.0, all = 0.0;
    for (int32_t i = 0; i < b->count; i += stride)
    {
        const double weight = by_ground ? b->votes[i].weight : motion_weight(&b->votes[i]);
        const double a = agreement(&b->votes[i], k, slope, gx, gz, by_ground);
        sum += weight * a * a;
        all += weight;
    }
    return all > 0.0 ? sum / all : 0.0;
}

static void measure(const ballot* b, kernel k, bool by_ground, fit* out)
{
    out->support = score(b, 1, k, out->slope, out->gx, out->gz, by_ground);
    out->plain = score(b, 1, k, 1.0, 0.0, 0.0, by_ground);
    out->frames = 0;
    for (int32_t i = 0; i < b->count; ++i)
        if (agreement(&b->votes[i], k, out->slope, out->gx, out->gz, by_ground) > 0.0) ++out->frames;
}

static void refine_slope(const ballot* b, kernel k, fit* out)
{
    double den = 0.0, residual = 0.0;
    for (int pass = 0; pass < 20; ++pass)
    {
        double num = 0.0;
        den = residual = 0.0;
        for (int32_t i = 0; i < b->count; ++i)
        {
            const vote* v = &b->votes[i];
            const double w = motion_weight(v) * agreement(v, k, out->slope, 0.0, 0.0, false);
            const double rx = v->tx + (out->slope - 1.0) * v->px, rz = v->tz + (out->slope - 1.0) * v->pz;
            num += w * (rx * v->px + rz * v->pz);
            den += w * (v->px * v->px + v->pz * v->pz);
            residual += w * (rx * rx + rz * rz);
        }
        if (!(den > 1e-12)) return;
        out->slope = sft_clampd(out->slope - num / den, 0.5 * SLOPE_MIN, 8.0);
    }
    // Velocities of frames within a tenth of a second are one observation.
    const double together = sft_maxd(1.0, 0.1 / b->dt);
    const double freedom = sft_maxd(1.0, (double)b->count / together);
    out->error = sqrt(residual / den / freedom);
}

static fit fit_slope(const ballot* b, kernel k)
{
    fit out = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0};
    double slope = SLOPE_MIN, best = -1.0;
    for (int s = 0; s < SLOPE_COUNT; ++s, slope *= SLOPE_STEP)
    {
        const double value = score(b, b->stride, k, slope, 0.0, 0.0, false);
        if (value <= best) continue;
        best = value;
        out.slope = slope;
    }
    refine_slope(b, k, &out);
    measure(b, k, false, &out);
    return out;
}

// Feet slip forward as they land and roll forward as they leave: that lies to one side of the truth. Where enough of
// the votes are steadier than that, the slope is theirs.
static void sharpen_slope(const ballot* b, fit* out)
{
    fit sharp = *out;
    refine_slope(b, sharpest, &sharp);
    if (score(b, 1, sharpest, sharp.slope, 0.0, 0.0, false) >= SHARP * out->support) out->slope = sharp.slope;
}

static void refine_ground(const ballot* b, kernel k, fit* out)
{
    for (int pass = 0; pass < 20; ++pass)
    {
        double sx = 0.0, sz = 0.0, sum = 0.0;
        for (int32_t i = 0; i < b->count; ++i)
        {
            const vote* v = &b->votes[i];
            const double w = v->weight * agreement(v, k, 1.0, out->gx, out->gz, true);
            sx += w * v->tx;
            sz += w * v->tz;
            sum += w;
        }
        if (!(sum > 1e-12)) return;
        out->gx = sx / sum;
        out->gz = sz / sum;
    }
}

static fit fit_ground(const ballot* b)
{
    fit out = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0};
    double best = -1.0;
    const int32_t step = b->count > SEED_LIMIT ? b->count / SEED_LIMIT : 1;
    for (int32_t i = 0; i < b->count; i += step)
    {
        const vote* v = &b->votes[i];
        if (v->weight < 0.2) continue;
        const double value = score(b, b->stride, wide, 1.0, v->tx, v->tz, true);
        if (value <= best) continue;
        best = value;
        out.gx = v->tx;
        out.gz = v->tz;
    }
    refine_ground(b, wide, &out);
    measure(b, wide, true, &out);
    fit fine = out;
    refine_ground(b, narrow, &fine);
    // The narrow fit says the belt's speed better, where enough frames keep to it.
    if (score(b, 1, narrow, 1.0, fine.gx, fine.gz, true) >= 0.25)
    {
        out.gx = fine.gx;
        out.gz = fine.gz;
    }
    return out;
}

static double vote_weight(const contact_view* view, int32_t foot, int32_t i, const double* lowest)
{
    const sft_v3d* toe = view->feet[foot].toe;
    const int32_t j = i > 0 ? i : 1;
    const double height = (toe[i].y - lowest[i]) / (VOTE_HEIGHT * view->scale);
    const double rise = (toe[j].y - toe[j - 1].y) / view->dt / VOTE_RISE;
    return sft_maxd(1.0 - height * height, 0.0) * sft_maxd(1.0 - rise * rise, 0.0);
}

static void cast_votes(const contact_view* view, int32_t foot, sft_v3d given, const double* lowest, ballot* b)
{
    const sft_v3d* toe = view->feet[foot].toe;
    for (int32_t i = 0; i < view->frames; ++i)
    {
        const double weight = vote_weight(view, foot, i, lowest);
        if (!(weight > 0.0)) continue;
        b->seconds += weight * view->dt;
        if (b->votes != NULL && b->count < b->capacity)
        {
            const int32_t j = i > 0 ? i : 1;
            const sft_v3d t = sft_v3d_scale(1.0 / view->dt, sft_v3d_sub(toe[j], toe[j - 1]));
            const sft_v3d p = sft_v3d_scale(1.0 / view->dt, sft_v3d_sub(view->pelvis[j], view->pelvis[j - 1]));
            b->votes[b->count] = (vote){t.x - given.x, t.z - given.z, p.x, p.z, weight, foot};
        }
        ++b->count;
    }
}

// A body that hardly moves agrees with any slope nearly as well: that is no evidence.
static bool tells_slopes_apart(const ballot* b, const fit* f)
{
    const double more = score(b, 1, narrow, 1.25 * f->slope, 0.0, 0.0, false);
    const double less = score(b, 1, narrow, 0.8 * f->slope, 0.0, 0.0, false);
    return sft_maxd(more, less) < 0.9 * f->support;
}

// Feet take turns, so a travel shows in all of them. What one alone does, as it is dragged into its place behind a jump
// say, tells nothing about the root.
static bool one_foot_speaks(const ballot* b, const fit* f)
{
    double most = 0.0, all = 0.0, own = 0.0;
    if (b->votes[0].foot == b->votes[b->count - 1].foot) return false; // who has one
    for (int32_t i = 0; i < b->count; ++i)
    {
        const vote* v = &b->votes[i];
        if (i > 0 && v->foot != b->votes[i - 1].foot) own = 0.0;
        // A foot that stands under a body that sways agrees with any slope.
        const double more =
            agreement(v, narrow, f->slope, 0.0, 0.0, false) - agreement(v, narrow, 1.0, 0.0, 0.0, false);
        const double says = motion_weight(v) * sft_maxd(more, 0.0);
        own += says;
        all += says;
        most = sft_maxd(most, own);
    }
    return all - most < OTHER_FEET * all;
}

// Cycles drawn by hand stay in place, and their feet go back at no steady speed: eased from key to key, or each pair at
// its own. But they all go one way, while the body stays. Their mean is what a ground would be.
static bool judge_uneven_ground(const ballot* b, const fit* belt, contact_explanation* out)
{
    double sum = 0.0, sx = 0.0, sz = 0.0, way = 0.0;
    for (int32_t i = 0; i < b->count; ++i)
    {
        const vote* v = &b->votes[i];
        sum += v->weight;
        sx += v->weight * v->tx;
        sz += v->weight * v->tz;
        way += v->weight * sqrt(v->tx * v->tx + v->tz * v->tz);
    }
    const double along = sqrt(sx * sx + sz * sz);
    if (!(along > UNEVEN_SPEED * sum && along > ONE_WAY * way && b->body_speed * sum < 0.5 * along &&
          b->seconds >= UNEVEN_TIME))
        return false;
    const sft_v3d mean = sft_v3d_make(sx / sum, 0.0, sz / sum);
    if (belt != NULL)
    {
        // A belt that the feet keep to in the mean is one, however loosely they do.
        const sft_v3d found = sft_v3d_make(belt->gx, 0.0, belt->gz);
        if (belt->support >= BELT_SUPPORT || sft_v3d_distance(mean, found) < BELT_OFF * sft_v3d_length(found))
            return false;
    }
    out->known = out->moving_ground = out->uneven = true;
    out->ground = mean;
    out->evidence_frames = b->count;
    return true;
}

static void judge(const sft_contact_def* def, const ballot* b, contact_explanation* out)
{
    double moving = 0.0;
    for (int32_t i = 0; i < b->count; ++i)
        moving += motion_weight(&b->votes[i]) * b->dt;
    const fit fine = fit_slope(b, narrow), coarse = fit_slope(b, wide);
    if (!def->given_ground)
    {
        const fit ground = fit_ground(b);
        const double speed = sqrt(ground.gx * ground.gx + ground.gz * ground.gz);
        // The two are compared on all votes, a resting body's too, and with one width.
        const kernel same = {sqrt(wide.floor * wide.floor + wide.growth * wide.growth * speed * speed), 0.0};
        const double by_slope =
            sft_maxd(score(b, 1, same, coarse.slope, 0.0, 0.0, true), score(b, 1, same, fine.slope, 0.0, 0.0, true));
        const double others = sft_maxd(by_slope, score(b, 1, same, 1.0, 0.0, 0.0, true));
        // On a treadmill and in place the body stays; one that goes faster than its ground slides, if anything.
        const double better = b->body_speed < speed ? 1.25 : 2.0;
        if (speed > 0.15 && ground.support >= 0.3 && ground.support > better * others &&
            ground.support * b->seconds >= 0.08)
        {
            if (judge_uneven_ground(b, &ground, out)) return;
            out->known = out->moving_ground = true;
            out->ground = sft_v3d_make(ground.gx, 0.0, ground.gz);
            out->evidence_frames = ground.frames;
            return;
        }
    }
    const bool slope_told = moving >= 0.1 && fine.support >= 0.25 && tells_slopes_apart(b, &fine);
    if (!slope_told && !def->given_ground && judge_uneven_ground(b, NULL, out)) return;
    if (moving < 0.1) return;
    if (fine.support >= 0.25 && tells_slopes_apart(b, &fine))
    {
        if (fine.plain < PLAIN_ENOUGH * fine.support && one_foot_speaks(b, &fine)) return;
        out->known = true;
        out->evidence_frames = fine.frames;
        out->slope_error = fine.error;
        if (fine.plain < PLAIN_ENOUGH * fine.support)
        {
            fit sharp = fine;
            sharpen_slope(b, &sharp);
            out->slope = sharp.slope;
        }
    }
    // Too loose to say, but labels are better with it than without.
    else if (coarse.support >= 0.2 && coarse.plain < 0.6 * coarse.support)
        out->slope = coarse.slope;
}

bool sft_contact_explain(const sft_contact_def* def, const contact_view* view, const sft_allocator* allocator,
                         contact_explanation* out)
{
    const sft_v3d given = def->given_ground ? sft_v3d_make(def->ground_velocity.x, 0.0, def->ground_velocity.z)
                                            : sft_v3d_make(0.0, 0.0, 0.0);
    *out = (contact_explanation){false, given.x != 0.0 || given.z != 0.0, false, 1.0, 0.0, given, 0};
    const int32_t n = view->frames;
    if (n < 3 || view->foot_count == 0) return true;
    double* lowest = sft_core_alloc(allocator, (size_t)n, sizeof *lowest);
    int32_t* queue = sft_core_alloc(allocator, (size_t)n, sizeof *queue);
    ballot b = {.stride = 1, .dt = view->dt};
    const int32_t reach = sft_contact_frames(VOTE_REACH, view->dt, n);
    bool ok = lowest != NULL && queue != NULL && sft_contact_mean_body_speed(view, allocator, &b.body_speed);
    // Counted first, then kept: most frames have no vote.
    for (int pass = 0; ok && pass < 2; ++pass)
    {
        b.count = 0;
        b.seconds = 0.0;
        for (int32_t f = 0; f < view->foot_count; ++f)
        {
            sft_contact_lowest(view->feet[f].toe, n, reach, reach, lowest, queue);
            cast_votes(view, f, given, lowest, &b);
        }
        if (pass == 1) break;
        b.capacity = b.count;
        b.votes = sft_core_alloc(allocator, (size_t)b.capacity, sizeof *b.votes);
        ok = b.votes != NULL;
    }
    if (ok && b.count > 0)
    {
        b.stride = b.count > SEARCH_LIMIT ? (b.count + SEARCH_LIMIT - 1) / SEARCH_LIMIT : 1;
        judge(def, &b, out);
    }
    if (ok && !out->known && !def->given_ground && out->slope == 1.0)
    {
        bool found = false;
        ok = sft_contact_explain_passes(view, b.body_speed, allocator, &found, &out->ground, &out->uneven);
        out->known = out->moving_ground = found;
    }
    sft_core_free(allocator, b.votes, (size_t)b.capacity, sizeof *b.votes);
    sft_core_free(allocator, queue, (size_t)n, sizeof *queue);
    sft_core_free(allocator, lowest, (size_t)n, sizeof *lowest);
    return ok;
}
