// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Entry of the clean-up: checks, the cycle's seam, the choice of method, the report.

#include "cleanup/problem.h"
#include "cleanup/relax.h"

#define CLEANUP_COOKIE 0x53465443u
#define TRAVELS 0.05      // [m] that a cycle goes on by, if it does
#define MIN_LOOP_FRAMES 6 // fewer cannot tell a cycle's second difference from its wrap

static const double MISS_TOLERANCE = 1e-5; // m: what counts as reached
static const double TRIM_TOLERANCE = 5e-4; // m: what a plant's end may be off before the plant gives it up
static const double MOVES = 1e-4;          // m: a translation that changes by less is noise of a file's last digit
static const double HEEL_LIFTED = 0.1;     // rad of pitch against the source

sft_cleanup_def sft_default_cleanup_def(void)
{
    sft_cleanup_def def = {0};
    def.method = SFT_CLEANUP_DIRECT;
    def.give_way = SFT_GIVE_WAY_BOTH;
    def.contact_threshold = 0.75;
    def.travel_joint = -1;
    def.relax_sweeps = 25000;
    def.relax_soft = 0.05;
    def.relax_hard = 0.9;
    def.cookie = CLEANUP_COOKIE;
    return def;
}

void sft_cleanup_report_release(sft_cleanup_report* report, const sft_allocator* allocator)
{
    if (!report) return;
    const sft_allocator a = sft_core_allocator(allocator);
    sft_core_free(&a, report->misses, (size_t)report->miss_count, sizeof *report->misses);
    report->misses = NULL;
    report->miss_count = 0;
}

static bool is_above(const sft_skeleton* s, int32_t upper, int32_t lower)
{
    while (lower > upper)
        lower = s->parents[lower];
    return lower == upper;
}

static bool valid_joint(const sft_skeleton* s, int32_t joint)
{
    return joint >= 0 && joint < s->joint_count;
}

static bool valid_leg(const sft_skeleton* s, const sft_leg* g)
{
    if (!valid_joint(s, g->pelvis) || !valid_joint(s, g->hip) || !valid_joint(s, g->knee) || !valid_joint(s, g->heel) ||
        !valid_joint(s, g->toe) || g->toe_end >= s->joint_count)
        return false;
    // A paw that is a leaf is heel and toe in one.
    const bool chain = g->pelvis < g->hip && g->hip < g->knee && g->knee < g->heel && g->heel <= g->toe &&
                       is_above(s, g->pelvis, g->hip) && is_above(s, g->hip, g->knee) &&
                       is_above(s, g->knee, g->heel) && is_above(s, g->heel, g->toe);
    const double side = sft_v3d_length(g->knee_side);
    return chain && (g->toe_end < 0 || is_above(s, g->toe, g->toe_end)) && side > 0.99 && side < 1.01;
}

static sft_result check_def(const sft_cleanup_def* def)
{
    if (def->cookie != CLEANUP_COOKIE) return SFT_ERR_DEF;
    const bool enums = (def->method == SFT_CLEANUP_DIRECT || def->method == SFT_CLEANUP_RELAX) &&
                       (def->give_way == SFT_GIVE_WAY_BOTH || def->give_way == SFT_GIVE_WAY_LEGS ||
                        def->give_way == SFT_GIVE_WAY_ROOT);
    const bool numbers = def->contact_threshold >= 0.0 && def->contact_threshold <= 1.0 && def->first_frame >= 0 &&
                         def->relax_sweeps > 0 && def->relax_soft > 0.0 && def->relax_soft <= 1.0 &&
                         def->relax_hard > 0.0 && def->relax_hard <= 1.0 && def->hold_path >= 0.0 &&
                         def->hold_path <= 1e6 && sft_v3d_in_range(def->ground_velocity);
    return enums && numbers ? SFT_OK : SFT_ERR_DEF;
}

static sft_result check_clip(const sft_clip* clip)
{
    if (!(clip->frame_time > 1e-6) || !(clip->frame_time < 1e3)) return SFT_ERR_RANGE;
    const size_t count = (size_t)clip->joint_count * (size_t)clip->frame_count;
    for (size_t k = 0; k < count; ++k)
    {
        const sft_quatd q = clip->rotations[k];
        const double norm = sft_quatd_dot(q, q);
        if (!(norm > 0.5 && norm < 2.0) || !sft_v3d_in_range(clip->translations[k])) return SFT_ERR_RANGE;
    }
    return SFT_OK;
}

static sft_result check(const sft_cleanup_def* def, const sft_skeleton* skeleton, const sft_leg* legs,
                        int32_t leg_count, const sft_contact_labels* labels, const sft_clip* clip)
{
    if (!def || !skeleton || !labels || !clip || leg_count < 0 || leg_count > SFT_MAX_LEGS || (leg_count > 0 && !legs))
        return SFT_ERR_ARG;
    const sft_result r = check_def(def);
    if (r != SFT_OK) return r;
    if (clip->joint_count != skeleton->joint_count || labels->frame_count != clip->frame_count ||
        labels->foot_count != leg_count || def->travel_joint >= skeleton->joint_count)
        return SFT_ERR_ARG;
    for (int32_t l = 0; l < leg_count; ++l)
        if (!valid_leg(skeleton, legs + l)) return SFT_ERR_ARG;
    for (int32_t l = 0; l < leg_count && def->ground_velocities; ++l)
        if (!sft_v3d_in_range(def->ground_velocities[l])) return SFT_ERR_DEF;
    return check_clip(clip);
}

// ---- the seam of a cycle ----

static double pose_distance(const sft_clip* clip, int32_t a, int32_t b)
{
    const size_t n = (size_t)clip->joint_count;
    const sft_quatd* qa = clip->rotations + (size_t)a * n;
    const sft_quatd* qb = clip->rotations + (size_t)b * n;
    double sum = 0.0;
    for (size_t j = 0; j < n; ++j)
    {
        const double d = sft_quatd_dot(qa[j], qb[j]);
        sum += sft_maxd(1.0 - d * d, 0.0); // square of the half angle's sine
    }
    return sqrt(sum);
}

// A closing frame is repeated where the last pose is the first again, to within a quarter of what one frame changes.
static bool closing_frame(const sft_clip* clip, int32_t first)
{
    const int32_t last = clip->frame_count - 1;
    const double step = sft_maxd(pose_distance(clip, last - 1, last), pose_distance(clip, first, first + 1));
    // A motion that swings back through the pose it began with has the same pose there, but runs the other way.
    if (!(pose_distance(clip, last - 1, first + 1) > 0.5 * step)) return false;
    return pose_distance(clip, first, last) <= 0.25 * step;
}

static void set_cycle(cu_problem* p, const sft_clip* clip, bool* closed)
{
    const int32_t all = p->frames;
    *closed = false;
    p->loop = p->def->loop && all >= MIN_LOOP_FRAMES;
    if (!p->loop) return;
    const size_t step = (size_t)clip->joint_count;
    const int32_t joint = p->legs[0].pelvis, end = p->first + all - 1;
    sft_v3d at[4];
    const int32_t frames[4] = {p->first, p->first + 1, end - 1, end};
    for (int k = 0; k < 4; ++k)
        at[k] = sft_skeleton_joint_model(p->skeleton, clip->translations + (size_t)frames[k] * step,
                                         clip->rotations + (size_t)frames[k] * step, joint)
                    .t;
    p->travel = sft_v3d_sub(at[3], at[0]);
    *closed = closing_frame(clip, p->first);
    if (*closed)
        --p->frames;
    else
    {
        const sft_v3d seam = sft_v3d_add(sft_v3d_sub(at[1], at[0]), sft_v3d_sub(at[3], at[2]));
        p->travel = sft_v3d_madd(p->travel, 0.5, seam);
    }
    p->travel.y = 0.0;
}

static sft_v3d place_of(const cu_problem* p, const sft_clip* clip, int32_t frame, int32_t joint)
{
    const size_t at = (size_t)frame * (size_t)clip->joint_count;
    return sft_skeleton_joint_model(p->skeleton, clip->translations + at, clip->rotations + at, joint).t;
}

// [m] How far joints of the last frame are from where they are in the first, less the way that the pelvis went.
static double seam_gap(const cu_problem* p, const sft_clip* clip, int32_t pelvis, bool travels)
{
    const int32_t first = p->first, last = clip->frame_count - 1;
    sft_v3d way = {0.0, 0.0, 0.0};
    if (travels) way = sft_v3d_sub(place_of(p, clip, last, pelvis), place_of(p, clip, first, pelvis));
    way.y = 0.0;
    double most = 0.0;
    for (int32_t j = 0; j < clip->joint_count; ++j)
        most =
            sft_maxd(most, sft_v3d_distance(sft_v3d_sub(place_of(p, clip, last, j), way), place_of(p, clip, first, j)));
    return most;
}

// Whether it is a cycle that nobody said is one. Its pelvis may have gone on.
static bool is_untold_cycle(const cu_problem* p, const sft_clip* clip)
{
    return !p->def->loop && p->frames >= MIN_LOOP_FRAMES && closing_frame(clip, p->first);
}

// ---- running and reporting ----

static bool carries_all(const cu_problem* p, int32_t joint)
{
    for (int32_t l = 0; l < p->leg_count; ++l)
        if (joint > p->legs[l].pelvis || !is_above(p->skeleton, joint, p->legs[l].pelvis)) return false;
    return true;
}

// What carries a character that is not the one of sft_clip_travel_joint: of its root and the joints from there down to
// the pelvis the first that moves, else the root.
static int32_t own_travel_joint(const cu_problem* p, const sft_clip* clip)
{
    const int32_t root = sft_leg_root(p->skeleton, p->legs);
    int32_t best = root;
    for (int32_t j = p->legs[0].pelvis; j >= 0; j = p->skeleton->parents[j])
    {
        const sft_v3d* t = clip->translations + j;
        for (int32_t f = p->first + 1; f < clip->frame_count; ++f)
            if (sft_v3d_distance(t[(size_t)f * (size_t)clip->joint_count],
                                 t[(size_t)p->first * (size_t)clip->joint_count]) > MOVES)
            {
                best = j;
                break;
            }
    }
    return best;
}

// The one joint that moves the whole body, for fore and hind legs hang from different ones and the spine between them
// must not stretch. Where what travels carries not all of them, the first joint above it that does.
static void set_travel_joint(cu_problem* p, const sft_clip* clip)
{
    int32_t joint = p->def->travel_joint;
    if (joint < 0) joint = sft_clip_travel_joint(p->skeleton, clip, p->first);
    // Of several characters it carries one.
    if (joint >= 0 && !is_above(p->skeleton, sft_leg_root(p->skeleton, p->legs), joint))
        joint = own_travel_joint(p, clip);
    while (joint >= 0 && !carries_all(p, joint))
        joint = p->def->travel_joint < 0 ? p->skeleton->parents[joint] : -1;
    p->travel_joint = joint;
    p->move_pelvis = joint >= 0 && p->def->give_way != SFT_GIVE_WAY_LEGS;
}

static sft_result run_direct(cu_problem* p, sft_cleanup_report* report)
{
    // The second round runs where ends of plants were out of reach: without them the rest comes out better.
    for (int round = 0; round < 2; ++round)
    {
        const sft_result r = cu_direct_solve(p, &report->iterations, &report->converged);
        if (r != SFT_OK) return r;
        cu_direct_close(p);
        if (round > 0 || cu_plants_trim(p, TRIM_TOLERANCE) == 0) break;
    }
    return SFT_OK;
}

// Distance of a given-up frame's toe from the plant it left.
static double left_distance(const cu_problem* p, size_t at, int32_t frame)
{
    const cu_plant* plant = p->plants + (-2 - p->plant_of[at]);
    const sft_v3d place = sft_v3d_add(plant->place, cu_plant_offset(p, plant, frame));
    return sft_v3d_distance(cu_toe(p, at, frame), place);
}

static void note_misses(cu_problem* p)
{
    for (int32_t l = 0; l < p->leg_count; ++l)
        for (int32_t i = 0; i < p->frames; ++i)
        {
            const size_t at = (size_t)l * (size_t)p->frames + (size_t)i;
            if (p->plant_of[at] <= -2)
                p->miss[at] = left_distance(p, at, i);
            else if (p->plant_of[at] >= 0 && p->miss[at] > MISS_TOLERANCE)
            {
                const bool direct = p->def->method == SFT_CLEANUP_DIRECT;
                p->gave_up[at] = direct && p->def->allow_stretch ? SFT_GAVE_STRETCH : SFT_GAVE_SLIDE;
                if (direct && fabs(p->angles[at * 4 + 3]) > HEEL_LIFTED) p->gave_up[at] |= SFT_GAVE_HEEL;
            }
        }
}

static sft_result fill_report(const cu_problem* p, sft_cleanup_report* report)
{
    const size_t both = (size_t)p->leg_count * (size_t)p->frames;
    int32_t misses = 0;
    for (size_t k = 0; k < both; ++k)
    {
        misses += p->gave_up[k] != 0;
        if (p->plant_of[k] >= 0)
        {
            ++report->planted_frames;
            if (!(p->gave_up[k] & SFT_GAVE_STRETCH)) report->residual_m = sft_maxd(report->residual_m, p->miss[k]);
        }
        else if (p->plant_of[k] <= -2)
            ++report->planted_frames;
    }
    for (int32_t k = 0; k < p->plant_count; ++k)
        report->plant_count += p->plants[k].count > 0;
    double height = 0.0;
    for (int32_t i = 0; i < p->frames; ++i)
    {
        report->pelvis_shift_max = sft_maxd(report->pelvis_shift_max, sft_v3d_length(p->shift[i]));
        height += p->shift[i].y;
    }
    report->pelvis_height_mean_change = height / (double)p->frames;
    if (misses == 0) return SFT_OK;
    report->misses = sft_core_alloc(&p->allocator, (size_t)misses, sizeof *report->misses);
    if (!report->misses) return SFT_ERR_MEMORY;
    for (int32_t i = 0; i < p->frames; ++i)
        for (int32_t l = 0; l < p->leg_count; ++l)
        {
            const size_t at = (size_t)l * (size_t)p->frames + (size_t)i;
            if (p->gave_up[at])
                report->misses[report->miss_count++] =
                    (sft_cleanup_miss){p->first + i, p->rows[l], p->miss[at], p->gave_up[at]};
        }
    return SFT_OK;
}

// Everything but writing it into the clip, which waits until all characters are solved.
static sft_result solve(cu_problem* p, const sft_contact_labels* labels, const sft_clip* clip,
                        sft_cleanup_report* report)
{
    set_cycle(p, clip, &report->loop_closed);
    set_travel_joint(p, clip);
    report->travel_joint = p->travel_joint;
    sft_result r = cu_problem_prepare(p, clip);
    if (r == SFT_OK) r = cu_plants_find(p, labels);
    if (r != SFT_OK || p->plant_count == 0) return r;
    r = p->def->method == SFT_CLEANUP_RELAX ? cu_relax_solve(p, report) : run_direct(p, report);
    if (r != SFT_OK) return r;
    note_misses(p);
    return fill_report(p, report);
}

// ---- characters ----

// The problem of the character that leg `first` belongs to; `own` becomes its legs. False: an earlier leg is of it too.
static bool set_character(cu_problem* p, const sft_leg* legs, int32_t leg_count, int32_t first, sft_leg* own)
{
    const int32_t root = sft_leg_root(p->skeleton, legs + first);
    p->leg_count = 0;
    for (int32_t l = 0; l < leg_count; ++l)
    {
        if (sft_leg_root(p->skeleton, legs + l) != root) continue;
        if (l < first) return false;
        p->rows[p->leg_count] = l;
        own[p->leg_count++] = legs[l];
    }
    p->ground = p->def->ground_velocities ? p->def->ground_velocities[first] : p->def->ground_velocity;
    return true;
}

static bool before(const sft_cleanup_miss* a, const sft_cleanup_miss* b)
{
    return a->frame < b->frame || (a->frame == b->frame && a->foot < b->foot);
}

static sft_result merge_misses(const sft_allocator* allocator, const sft_cleanup_report* more, sft_cleanup_report* all)
{
    if (more->miss_count == 0) return SFT_OK;
    const size_t total = (size_t)all->miss_count + (size_t)more->miss_count;
    sft_cleanup_miss* merged = sft_core_alloc(allocator, total, sizeof *merged);
    if (!merged) return SFT_ERR_MEMORY;
    int32_t a = 0, b = 0;
    for (size_t k = 0; k < total; ++k)
    {
        const bool first = b == more->miss_count || (a < all->miss_count && before(all->misses + a, more->misses + b));
        merged[k] = first ? all->misses[a++] : more->misses[b++];
    }
    sft_core_free(allocator, all->misses, (size_t)all->miss_count, sizeof *all->misses);
    all->misses = merged;
    all->miss_count = (int32_t)total;
    return SFT_OK;
}

// Counts add up, of all else the worst character's.
static sft_result merge(const sft_allocator* allocator, const sft_cleanup_report* more, sft_cleanup_report* all)
{
    const sft_result r = merge_misses(allocator, more, all);
    if (r != SFT_OK) return r;
    if (all->character_count++ == 0)
    {
        all->travel_joint = more->travel_joint;
        all->loop_closed = more->loop_closed;
    }
    all->loop_closed = all->loop_closed && more->loop_closed;
    all->plant_count += more->plant_count;
    all->planted_frames += more->planted_frames;
    if (more->iterations > all->iterations) all->iterations = more->iterations;
    all->converged = all->converged && more->converged;
    all->residual_m = sft_maxd(all->residual_m, more->residual_m);
    all->pelvis_shift_max = sft_maxd(all->pelvis_shift_max, more->pelvis_shift_max);
    if (fabs(more->pelvis_height_mean_change) > fabs(all->pelvis_height_mean_change))
        all->pelvis_height_mean_change = more->pelvis_height_mean_change;
    return SFT_OK;
}

static sft_result solve_character(cu_problem* p, const sft_leg* own, const sft_contact_labels* labels,
                                  const sft_clip* clip, sft_cleanup_report* report)
{
    sft_cleanup_report one = {.travel_joint = -1, .converged = true};
    sft_result r = cu_legs_copy(p, own, clip);
    if (r == SFT_OK) r = solve(p, labels, clip, &one);
    if (r == SFT_OK) r = merge(&p->allocator, &one, report);
    sft_cleanup_report_release(&one, &p->allocator);
    return r;
}

static sft_result solve_all(const cu_problem* start, const sft_leg* legs, int32_t leg_count,
                            const sft_contact_labels* labels, sft_clip* clip, uint8_t* joint_changed,
                            sft_cleanup_report* report)
{
    const sft_allocator a = start->allocator;
    const size_t most = (size_t)leg_count;
    sft_leg* own = sft_core_alloc(&a, most, sizeof *own);
    cu_problem* problems = sft_core_alloc(&a, most, sizeof *problems);
    sft_result r = own && problems ? SFT_OK : SFT_ERR_MEMORY;
    int32_t count = 0;
    for (int32_t l = 0; l < leg_count && r == SFT_OK; ++l)
    {
        problems[count] = *start;
        if (set_character(problems + count, legs, leg_count, l, own))
            r = solve_character(problems + count++, own, labels, clip, report);
    }
    for (int32_t k = 0; k < count; ++k)
    {
        if (r == SFT_OK && problems[k].plant_count > 0) cu_pose_apply(problems + k, clip, joint_changed);
        cu_problem_release(problems + k);
    }
    sft_core_free(&a, problems, most, sizeof *problems);
    sft_core_free(&a, own, most, sizeof *own);
    return r;
}

sft_result sft_cleanup_clip(const sft_cleanup_def* def, const sft_skeleton* skeleton, const sft_leg* legs,
                            int32_t leg_count, const sft_contact_labels* labels, const sft_allocator* allocator,
                            sft_clip* clip, uint8_t* joint_changed, sft_cleanup_report* report)
{
    sft_result r = check(def, skeleton, legs, leg_count, labels, clip);
    if (r != SFT_OK) return r;
    sft_cleanup_report out = {0};
    out.travel_joint = -1;
    out.converged = true;
    if (leg_count > 0 && def->first_frame < clip->frame_count)
    {
        const cu_problem start = {.allocator = sft_core_allocator(allocator),
                                  .def = def,
                                  .skeleton = skeleton,
                                  .first = def->first_frame,
                                  .clip_frames = clip->frame_count,
                                  .frames = clip->frame_count - def->first_frame,
                                  .dt = clip->frame_time};
        const bool cycle = is_untold_cycle(&start, clip);
        const int32_t pelvis = legs[0].pelvis;
        const bool travels = cycle && sft_v3d_distance(place_of(&start, clip, start.first, pelvis),
                                                       place_of(&start, clip, clip->frame_count - 1, pelvis)) > TRAVELS;
        const double gap = cycle ? seam_gap(&start, clip, pelvis, travels) : 0.0;
        r = solve_all(&start, legs, leg_count, labels, clip, joint_changed, &out);
        if (r == SFT_OK && cycle) out.seam_opened = sft_maxd(seam_gap(&start, clip, pelvis, travels) - gap, 0.0);
        if (r != SFT_OK)
        {
            sft_cleanup_report_release(&out, allocator);
            return r;
        }
    }
    if (report)
        *report = out;
    else
        sft_cleanup_report_release(&out, allocator);
    return SFT_OK;
}
