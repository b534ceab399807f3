// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Any number of goals on one skeleton by damped least squares (docs/ik.md): checks, the order of levels, and which
// steps are taken. Levels are solved one after another. A step of a level also serves all earlier ones, is square to
// their rows (body_step.c), and is taken only where, limits and all, its own level gets better and no earlier one gets
// worse than it was left. So what a later level costs an earlier one is nothing but a tenth of the tolerance.

#include "ik/body.h"

#define BODY_COOKIE UINT32_C(0x2b04e1c8)
#define TRIES 6
#define MENDS 3
// A step that betters a level by less than this part of it is not worth a change.
#define NO_GAIN 1e-9

sft_ik_body_def sft_default_ik_body_def(void)
{
    return (sft_ik_body_def){.iterations = 16,
                             .tolerance = 1e-4,
                             .damping = 0.05,
                             .pose_weight = 0.1,
                             .weight = 1.0,
                             .stiffness = NULL,
                             .limits = NULL,
                             .translating = -1,
                             .cookie = BODY_COOKIE};
}

size_t sft_ik_body_scratch_size(const sft_skeleton* skeleton, int32_t goal_count)
{
    if (skeleton == NULL || skeleton->joint_count < 1 || skeleton->joint_count > SFT_MAX_JOINTS) return 0;
    if (goal_count < 0 || goal_count > SFT_IK_MAX_GOALS) return 0;
    const uint64_t joints = (uint64_t)skeleton->joint_count, rows = 3 * (uint64_t)goal_count;
    const uint64_t columns = 3 * joints + 3;
    const uint64_t bytes = joints * (3 * sizeof(sft_quatd) + 3 * sizeof(sft_v3d) + sizeof(sft_xformd)) +
                           (9 * joints + columns + 2 * rows * columns + columns + rows * rows + rows) * sizeof(double) +
                           2 * joints * sizeof(int32_t);
    return bytes <= SIZE_MAX / 2 ? (size_t)bytes : 0;
}

static void lay_scratch(ik_body* b, void* memory)
{
    const size_t joints = (size_t)b->skeleton->joint_count, rows = 3 * (size_t)b->goal_count, columns = 3 * joints + 3;
    // Doubles first; what is not a multiple of them last.
    b->r = memory;
    b->trial_r = b->r + joints;
    b->base_r = b->trial_r + joints;
    b->t = (sft_v3d*)(void*)(b->base_r + joints);
    b->trial_t = b->t + joints;
    b->base_t = b->trial_t + joints;
    b->model = (sft_xformd*)(void*)(b->base_t + joints);
    b->keep = (double*)(void*)(b->model + joints);
    b->step = b->keep + 9 * joints;
    // One row more than goals have: the posture wants one even without goals.
    b->jacobian = b->step + columns;
    b->basis = b->jacobian + rows * columns + columns;
    b->gram = b->basis + rows * columns;
    b->error = b->gram + rows * rows;
    b->active = (int32_t*)(void*)(b->error + rows);
    b->index_of = b->active + joints;
}

// ---- checks ----

static sft_result check_def(const sft_ik_body_def* def, const sft_skeleton* skeleton)
{
    if (def->cookie != BODY_COOKIE || def->iterations < 0 || !(def->tolerance >= 0.0) ||
        !(def->tolerance <= SFT_HUGE) || !(def->damping > 0.0 && def->damping <= 1e3) ||
        !(def->pose_weight >= 0.0 && def->pose_weight <= 1.0) || !(def->weight >= 0.0 && def->weight <= 1.0))
        return SFT_ERR_DEF;
    if (def->translating < -1 || def->translating >= skeleton->joint_count) return SFT_ERR_DEF;
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        if (def->stiffness != NULL && !(def->stiffness[j] >= 0.0 && def->stiffness[j] <= 1.0)) return SFT_ERR_DEF;
        if (def->limits != NULL && sft_limit_check(&def->limits[j]) != SFT_OK) return SFT_ERR_DEF;
    }
    return SFT_OK;
}

static sft_result check_goals(const sft_ik_goals* goals, const sft_skeleton* skeleton)
{
    if (goals->count < 0 || goals->count > SFT_IK_MAX_GOALS || (goals->count > 0 && goals->goals == NULL))
        return SFT_ERR_ARG;
    for (int32_t g = 0; g < goals->count; ++g)
    {
        const sft_ik_goal* goal = &goals->goals[g];
        if (goal->joint < 0 || goal->joint >= skeleton->joint_count) return SFT_ERR_ARG;
        if (goal->kind != SFT_IK_GOAL_POSITION && goal->kind != SFT_IK_GOAL_ORIENTATION) return SFT_ERR_ARG;
        if (!(goal->weight >= 0.0 && goal->weight <= 1e6)) return SFT_ERR_RANGE;
        const bool position = goal->kind == SFT_IK_GOAL_POSITION;
        if (position && (!sft_v3d_in_range(goal->position) || !sft_v3d_in_range(goal->offset))) return SFT_ERR_RANGE;
        if (!position && !sft_ik_unit_quat(goal->orientation)) return SFT_ERR_RANGE;
    }
    for (int32_t j = 0; j < skeleton->joint_count && goals->warm != NULL; ++j)
        if (!sft_v3d_in_range(goals->warm[j])) return SFT_ERR_RANGE;
    const ik_body b = {.goals = goals->goals, .goal_count = goals->count};
    int32_t level = 0, levels = 0;
    for (int64_t after = INT64_MIN; sft_ik_body_next_level(&b, after, &level); after = level)
        if (++levels > SFT_IK_MAX_LEVELS) return SFT_ERR_ARG;
    return SFT_OK;
}

static sft_result check_pose(const sft_skeleton* skeleton, const sft_ik_pose* pose)
{
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
        if (!sft_v3d_in_range(pose->local_t[j]) || !sft_ik_unit_quat(pose->local_r[j])) return SFT_ERR_RANGE;
    return SFT_OK;
}

// ---- setting up ----

// Joints that some goal hangs on and that may turn; what one unit of length is: the longest way to a goal.
static void find_active(ik_body* b)
{
    const sft_skeleton* s = b->skeleton;
    for (int32_t j = 0; j < s->joint_count; ++j)
        b->index_of[j] = -1;
    b->moves = false;
    b->scale = 0.0;
    for (int32_t g = 0; g < b->goal_count; ++g)
    {
        const sft_ik_goal* goal = &b->goals[g];
        if (!(goal->weight > 0.0)) continue;
        double length = goal->kind == SFT_IK_GOAL_POSITION ? sft_v3d_length(goal->offset) : 0.0;
        for (int32_t j = goal->joint; j >= 0; j = s->parents[j])
        {
            const bool stiff = b->def->stiffness != NULL && b->def->stiffness[j] >= 1.0;
            const bool fixed = b->def->limits != NULL && b->def->limits[j].kind == SFT_LIMIT_FIXED;
            if (!stiff && !fixed) b->index_of[j] = 0;
            if (j == b->def->translating) b->moves = true;
            if (s->parents[j] >= 0) length += sft_v3d_length(b->t[j]);
        }
        b->scale = sft_maxd(b->scale, length);
    }
    if (!(b->scale > SFT_LENGTH_EPS)) b->scale = 1.0;
    b->active_count = 0;
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        if (b->index_of[j] < 0) continue;
        b->index_of[j] = b->active_count;
        b->active[b->active_count++] = j;
    }
    b->columns = 3 * b->active_count + 3;
}

// ---- how good a pose is ----

// Sum of weighted squares of one level, and its worst error over the tolerance.
static double level_error(const ik_body* b, int32_t level, double* worst)
{
    double sum = 0.0;
    *worst = 0.0;
    for (int32_t g = 0; g < b->goal_count; ++g)
    {
        const sft_ik_goal* goal = &b->goals[g];
        if (!(goal->weight > 0.0) || goal->priority != level) continue;
        const sft_v3d e = sft_ik_body_error(b, goal);
        const double unit = goal->kind == SFT_IK_GOAL_POSITION ? b->scale : 1.0;
        sum += goal->weight * sft_v3d_dot(e, e);
        *worst = sft_maxd(*worst, unit * sft_v3d_length(e));
    }
    return sum;
}

static double total_error(const ik_body* b, double* worst)
{
    double sum = 0.0;
    int32_t level = 0;
    *worst = 0.0;
    for (int64_t after = INT64_MIN; sft_ik_body_next_level(b, after, &level); after = level)
    {
        double of_level;
        sum += level_error(b, level, &of_level);
        *worst = sft_maxd(*worst, of_level);
    }
    return sum;
}

// A tenth of the tolerance, in the level's own measure: what an earlier level may lose, and roundings with it.
static double slack(const ik_body* b, int32_t level)
{
    double sum = 0.0;
    for (int32_t g = 0; g < b->goal_count; ++g)
    {
        const sft_ik_goal* goal = &b->goals[g];
        if (!(goal->weight > 0.0) || goal->priority != level) continue;
        const double unit = goal->kind == SFT_IK_GOAL_POSITION ? b->scale : 1.0;
        const double part = 0.1 * b->def->tolerance / unit;
        sum += goal->weight * part * part;
    }
    return sum + 1e-24;
}

// ---- the flow ----

// What earlier levels were left with.
typedef struct left_over
{
    int32_t level[SFT_IK_MAX_LEVELS];
    double error[SFT_IK_MAX_LEVELS];
    int32_t count;
} left_over;

static bool others_mind(const ik_body* b, const left_over* earlier)
{
    for (int32_t i = 0; i < earlier->count; ++i)
    {
        double worst;
        // Square roots: a tenth of the tolerance more, whatever there was.
        const double is = sqrt(level_error(b, earlier->level[i], &worst));
        if (is > sqrt(earlier->error[i]) + sqrt(slack(b, earlier->level[i]))) return true;
    }
    return false;
}

static void copy_pose(const ik_body* b, sft_quatd* to_r, sft_v3d* to_t, const sft_quatd* from_r, const sft_v3d* from_t)
{
    const size_t joints = (size_t)b->skeleton->joint_count;
    memcpy(to_r, from_r, joints * sizeof *to_r);
    memcpy(to_t, from_t, joints * sizeof *to_t);
}

// One step to the trial pose, and what it costs earlier levels mended by steps of their own: what is square to them is
// so to first order only. True where they do not mind in the end. body->model is the trial's.
static bool try_step(ik_body* b, int32_t level, const left_over* earlier, double damping)
{
    copy_pose(b, b->r, b->t, b->base_r, b->base_t);
    sft_skeleton_forward(b->skeleton, b->t, b->r, b->model);
    sft_ik_body_step(b, level, damping, true);
    sft_skeleton_forward(b->skeleton, b->trial_t, b->trial_r, b->model);
    for (int mend = 0; mend < MENDS && others_mind(b, earlier); ++mend)
    {
        copy_pose(b, b->r, b->t, b->trial_r, b->trial_t);
        sft_ik_body_step(b, earlier->level[earlier->count - 1], 0.1 * b->def->damping, false);
        sft_skeleton_forward(b->skeleton, b->trial_t, b->trial_r, b->model);
    }
    return !others_mind(b, earlier);
}

// One step of a level, as little damped as makes it better. False where none does.
static bool better(ik_body* b, int32_t level, const left_over* earlier, double* damping)
{
    double worst;
    sft_skeleton_forward(b->skeleton, b->t, b->r, b->model);
    const double before = level_error(b, level, &worst);
    copy_pose(b, b->base_r, b->base_t, b->r, b->t);
    for (int attempt = 0; attempt < TRIES; ++attempt)
    {
        if (try_step(b, level, earlier, *damping) && level_error(b, level, &worst) < before * (1.0 - NO_GAIN))
        {
            copy_pose(b, b->r, b->t, b->trial_r, b->trial_t);
            *damping = sft_maxd(0.3 * *damping, 1e-3 * b->def->damping);
            return true;
        }
        *damping *= 4.0;
    }
    copy_pose(b, b->r, b->t, b->base_r, b->base_t);
    return false;
}

static int32_t solve_levels(ik_body* b)
{
    left_over earlier = {.count = 0};
    int32_t level = 0, iterations = 0;
    for (int64_t after = INT64_MIN; sft_ik_body_next_level(b, after, &level); after = level)
    {
        double damping = b->def->damping, worst = 0.0;
        for (int32_t i = 0; i < b->def->iterations; ++i)
        {
            sft_skeleton_forward(b->skeleton, b->t, b->r, b->model);
            level_error(b, level, &worst);
            if (worst <= 0.1 * b->def->tolerance || !better(b, level, &earlier, &damping)) break;
            ++iterations;
        }
        sft_skeleton_forward(b->skeleton, b->t, b->r, b->model);
        earlier.level[earlier.count] = level;
        earlier.error[earlier.count++] = level_error(b, level, &worst);
    }
    return iterations;
}

static void enter_limits(ik_body* b)
{
    for (int32_t a = 0; a < b->active_count && b->def->limits != NULL; ++a)
    {
        const int32_t j = b->active[a];
        b->r[j] = sft_limit_clamp(&b->def->limits[j], b->r[j], NULL);
    }
}

// Starts from the last solution's turns where that is nearer to the goals than the pose that came in.
static void start(ik_body* b, const sft_v3d* warm)
{
    const size_t joints = (size_t)b->skeleton->joint_count;
    enter_limits(b);
    memcpy(b->trial_r, b->r, joints * sizeof *b->r);
    memcpy(b->trial_t, b->t, joints * sizeof *b->t);
    if (warm == NULL) return;
    double worst;
    sft_skeleton_forward(b->skeleton, b->t, b->r, b->model);
    const double cold = total_error(b, &worst);
    if (worst <= b->def->tolerance) return;
    for (int32_t a = 0; a < b->active_count; ++a)
    {
        const int32_t j = b->active[a];
        b->r[j] = sft_quatd_normalize(sft_quatd_mul(b->input[j], sft_quatd_exp(warm[j])));
    }
    enter_limits(b);
    sft_skeleton_forward(b->skeleton, b->t, b->r, b->model);
    if (total_error(b, &worst) < cold)
        memcpy(b->trial_r, b->r, joints * sizeof *b->r);
    else
        memcpy(b->r, b->trial_r, joints * sizeof *b->r);
}

static bool same(sft_quatd a, sft_quatd b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

// Writes the change, or the part of it that def->weight asks for, and what the next call may start from.
static void write(ik_body* b, const sft_ik_pose* pose, sft_v3d* warm)
{
    const double weight = b->def->weight;
    for (int32_t j = 0; j < b->skeleton->joint_count && warm != NULL; ++j)
        warm[j] = sft_v3d_make(0.0, 0.0, 0.0);
    for (int32_t a = 0; a < b->active_count; ++a)
    {
        const int32_t j = b->active[a];
        if (same(b->r[j], pose->local_r[j])) continue;
        if (warm != NULL) warm[j] = sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(pose->local_r[j]), b->r[j]));
        pose->local_r[j] = weight < 1.0 ? sft_quatd_slerp(pose->local_r[j], b->r[j], weight) : b->r[j];
    }
    if (!b->moves) return;
    sft_v3d* t = &pose->local_t[b->def->translating];
    *t = weight < 1.0 ? sft_v3d_lerp(*t, b->t[b->def->translating], weight) : b->t[b->def->translating];
}

static sft_ik_body_report report_of(ik_body* b, const sft_ik_pose* pose)
{
    sft_ik_body_report r = {.worst_goal = -1};
    double most = -1.0;
    sft_skeleton_forward(b->skeleton, pose->local_t, pose->local_r, b->model);
    for (int32_t g = 0; g < b->goal_count; ++g)
    {
        const sft_ik_goal* goal = &b->goals[g];
        if (!(goal->weight > 0.0)) continue;
        const bool position = goal->kind == SFT_IK_GOAL_POSITION;
        const double e = sft_v3d_length(sft_ik_body_error(b, goal)) * (position ? b->scale : 1.0);
        if (position)
            r.position_residual = sft_maxd(r.position_residual, e);
        else
            r.orientation_residual = sft_maxd(r.orientation_residual, e);
        if (!(e > most)) continue;
        most = e;
        r.worst_goal = g;
    }
    r.reached = most <= b->def->tolerance;
    return r;
}

sft_result sft_ik_body(const sft_ik_body_def* def, const sft_skeleton* skeleton, const sft_ik_goals* goals,
                       const sft_ik_pose* pose, sft_ik_scratch scratch, sft_ik_body_report* report)
{
    if (def == NULL || skeleton == NULL || goals == NULL || pose == NULL || pose->local_t == NULL ||
        pose->local_r == NULL || skeleton->joint_count < 1)
        return SFT_ERR_ARG;
    sft_result checked = check_def(def, skeleton);
    if (checked == SFT_OK) checked = check_goals(goals, skeleton);
    if (checked == SFT_OK) checked = check_pose(skeleton, pose);
    if (checked != SFT_OK) return checked;
    const size_t needed = sft_ik_body_scratch_size(skeleton, goals->count), joints = (size_t)skeleton->joint_count;
    if (needed == 0 || scratch.memory == NULL || scratch.size < needed) return SFT_ERR_MEMORY;

    ik_body b = {.def = def, .skeleton = skeleton, .goals = goals->goals, .goal_count = goals->count};
    lay_scratch(&b, scratch.memory);
    b.input = pose->local_r;
    memcpy(b.r, pose->local_r, joints * sizeof *b.r);
    memcpy(b.t, pose->local_t, joints * sizeof *b.t);
    find_active(&b);
    start(&b, goals->warm);
    double worst;
    int32_t iterations = 0;
    sft_skeleton_forward(skeleton, b.t, b.r, b.model);
    total_error(&b, &worst);
    if (worst > def->tolerance && def->weight > 0.0) iterations = solve_levels(&b);
    if (def->weight > 0.0) write(&b, pose, goals->warm);
    sft_ik_body_report r = report_of(&b, pose);
    r.iterations = iterations;
    if (report != NULL) *report = r;
    return SFT_OK;
}
