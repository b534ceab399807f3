// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One step of the whole-body solver (docs/ik.md). Levels are taken in the order of their priority. The rows of a level
// first lose all that earlier levels' rows span; what is left is solved by damped least squares on the small side, rows
// times rows; then its directions join the span. So a later level's part of the step is square to every earlier row, to
// rounding, damping or not.

#include "ik/body.h"

// A row that keeps less of its length than this was spanned already.
#define SPANNED 1e-9
// Most a joint turns in one step [rad], and the moving joint moves [scale]: as far as a linear step is worth something.
#define LONGEST_STEP 0.6
// How often limits are asked again after joints at their limits were stopped.
#define LIMIT_ROUNDS 3

bool sft_ik_body_next_level(const ik_body* b, int64_t after, int32_t* level)
{
    bool found = false;
    for (int32_t g = 0; g < b->goal_count; ++g)
    {
        const sft_ik_goal* goal = &b->goals[g];
        if (!(goal->weight > 0.0) || goal->priority <= after || (found && goal->priority >= *level)) continue;
        *level = goal->priority;
        found = true;
    }
    return found;
}

sft_v3d sft_ik_body_error(const ik_body* b, const sft_ik_goal* goal)
{
    const sft_xformd* x = &b->model[goal->joint];
    if (goal->kind == SFT_IK_GOAL_ORIENTATION)
        return sft_quatd_log(sft_quatd_mul(goal->orientation, sft_quatd_conjugate(x->r)));
    return sft_v3d_scale(1.0 / b->scale, sft_v3d_sub(goal->position, sft_xformd_apply(*x, goal->offset)));
}

static double joint_freedom(const ik_body* b, int32_t joint)
{
    return b->def->stiffness != NULL ? 1.0 - b->def->stiffness[joint] : 1.0;
}

static sft_quatd parent_rotation(const ik_body* b, int32_t joint)
{
    const int32_t parent = b->skeleton->parents[joint];
    return parent < 0 ? sft_quatd_identity() : b->model[parent].r;
}

static void put_column(double* rows, size_t columns, size_t column, sft_v3d v)
{
    rows[column] = v.x;
    rows[columns + column] = v.y;
    rows[2 * columns + column] = v.z;
}

// Three rows of one goal: how its error shrinks as each joint turns about the model's axes.
static void goal_rows(const ik_body* b, const sft_ik_goal* goal, double* rows)
{
    const size_t columns = (size_t)b->columns;
    const double strength = sqrt(goal->weight);
    const sft_v3d point = sft_xformd_apply(b->model[goal->joint], goal->offset);
    memset(rows, 0, 3 * columns * sizeof *rows);
    for (int32_t j = goal->joint; j >= 0; j = b->skeleton->parents[j])
    {
        if (b->moves && j == b->def->translating && goal->kind == SFT_IK_GOAL_POSITION)
            for (size_t axis = 0; axis < 3; ++axis)
                rows[axis * columns + 3 * (size_t)b->active_count + axis] = strength;
        const int32_t a = b->index_of[j];
        if (a < 0) continue;
        const sft_v3d arm = sft_v3d_scale(1.0 / b->scale, sft_v3d_sub(point, b->model[j].t));
        const double* keep = b->keep + 9 * (size_t)a;
        const double s = strength * joint_freedom(b, j);
        for (size_t axis = 0; axis < 3; ++axis)
        {
            // A turn about one axis, less what limits do not let through; the projection is symmetric.
            const sft_v3d turn = sft_v3d_make(s * keep[axis], s * keep[3 + axis], s * keep[6 + axis]);
            const sft_v3d moves = goal->kind == SFT_IK_GOAL_POSITION ? sft_v3d_cross(turn, arm) : turn;
            put_column(rows, columns, 3 * (size_t)a + axis, moves);
        }
    }
}

// Four sums side by side: one alone waits for every addition before the next.
static double dot(const double* a, const double* b, size_t count)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
    {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < count; ++i)
        s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

static void add(double* a, double s, const double* b, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        a[i] += s * b[i];
}

// Takes out of `row` what the first `count` rows of the basis span, and again where much of it went: what is left then
// is as long as the first time's roundings. Returns the length left.
static double take_out(const ik_body* b, double* row, int32_t count)
{
    const size_t columns = (size_t)b->columns;
    double before = sqrt(dot(row, row, columns)), after = before;
    for (int pass = 0; pass < 3; ++pass)
    {
        for (int32_t i = 0; i < count; ++i)
        {
            const double* member = b->basis + (size_t)i * columns;
            add(row, -dot(row, member, columns), member, columns);
        }
        after = count > 0 ? sqrt(dot(row, row, columns)) : before;
        if (after > 0.5 * before) break;
        before = after;
    }
    return after;
}

// Solves (rows rows^T + damping^2) y = error in place of error, by Cholesky.
static void solve_damped(const ik_body* b, int32_t rows, double damping)
{
    const size_t n = (size_t)rows, columns = (size_t)b->columns;
    double *a = b->gram, *y = b->error;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j <= i; ++j)
            a[i * n + j] = dot(b->jacobian + i * columns, b->jacobian + j * columns, columns);
    for (size_t i = 0; i < n; ++i)
        a[i * n + i] += damping * damping;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j <= i; ++j)
        {
            double sum = a[i * n + j] - dot(a + i * n, a + j * n, j);
            if (i == j)
                a[i * n + i] = sqrt(sft_maxd(sum, 1e-300));
            else
                a[i * n + j] = sum / a[j * n + j];
        }
    for (size_t i = 0; i < n; ++i)
        y[i] = (y[i] - dot(a + i * n, y, i)) / a[i * n + i];
    for (size_t i = n; i-- > 0;)
    {
        for (size_t j = i + 1; j < n; ++j)
            y[i] -= a[j * n + i] * y[j];
        y[i] /= a[i * n + i];
    }
}

// Adds one level's part to the step and, where something comes after it, its directions to the basis. Returns the
// basis' new size.
static int32_t add_level(const ik_body* b, int32_t level, double damping, int32_t spanned, bool last)
{
    const size_t columns = (size_t)b->columns;
    int32_t rows = 0;
    for (int32_t g = 0; g < b->goal_count; ++g)
    {
        const sft_ik_goal* goal = &b->goals[g];
        if (!(goal->weight > 0.0) || goal->priority != level) continue;
        goal_rows(b, goal, b->jacobian + (size_t)rows * columns);
        const sft_v3d e = sft_v3d_scale(sqrt(goal->weight), sft_ik_body_error(b, goal));
        b->error[rows] = e.x;
        b->error[rows + 1] = e.y;
        b->error[rows + 2] = e.z;
        rows += 3;
    }
    for (int32_t i = 0; i < rows; ++i)
    {
        double* row = b->jacobian + (size_t)i * columns;
        b->error[i] -= dot(row, b->step, columns);
        take_out(b, row, spanned);
    }
    solve_damped(b, rows, damping);
    for (int32_t i = 0; i < rows; ++i)
        add(b->step, b->error[i], b->jacobian + (size_t)i * columns, columns);
    int32_t count = spanned;
    for (int32_t i = 0; i < rows && !last; ++i)
    {
        double* member = b->basis + (size_t)count * columns;
        memcpy(member, b->jacobian + (size_t)i * columns, columns * sizeof *member);
        const double before = sqrt(dot(member, member, columns));
        const double after = take_out(b, member, count);
        if (!(after > SPANNED * sft_maxd(before, 1e-6))) continue;
        for (size_t k = 0; k < columns; ++k)
            member[k] /= after;
        ++count;
    }
    return count;
}

// Back towards the pose that came in, as far as no goal minds.
static void add_posture(const ik_body* b, int32_t spanned)
{
    double* back = b->jacobian;
    memset(back, 0, (size_t)b->columns * sizeof *back);
    for (int32_t a = 0; a < b->active_count; ++a)
    {
        const int32_t j = b->active[a];
        const sft_v3d away = sft_quatd_log(sft_quatd_mul(b->input[j], sft_quatd_conjugate(b->r[j])));
        const sft_v3d v = sft_v3d_scale(b->def->pose_weight, sft_quatd_rotate(parent_rotation(b, j), away));
        const double* k = b->keep + 9 * (size_t)a;
        back[3 * a] = k[0] * v.x + k[1] * v.y + k[2] * v.z;
        back[3 * a + 1] = k[3] * v.x + k[4] * v.y + k[5] * v.z;
        back[3 * a + 2] = k[6] * v.x + k[7] * v.y + k[8] * v.z;
    }
    take_out(b, back, spanned);
    // Goals are left alone to first order only, so the way back shrinks with the way to them: it would keep them from
    // being reached otherwise.
    const size_t columns = (size_t)b->columns;
    const double is = sqrt(dot(back, back, columns)), most = 0.5 * sqrt(dot(b->step, b->step, columns));
    add(b->step, is > most ? most / is : 1.0, back, columns);
}

static sft_v3d turn_of(const ik_body* b, int32_t a)
{
    return sft_v3d_scale(joint_freedom(b, b->active[a]),
                         sft_v3d_make(b->step[3 * a], b->step[3 * a + 1], b->step[3 * a + 2]));
}

static void shorten(const ik_body* b)
{
    double most = 0.0;
    for (int32_t a = 0; a < b->active_count; ++a)
        most = sft_maxd(most, sft_v3d_length(turn_of(b, a)));
    const double* m = b->step + 3 * b->active_count;
    if (b->moves) most = sft_maxd(most, sqrt(dot(m, m, 3)));
    if (!(most > LONGEST_STEP)) return;
    for (int32_t k = 0; k < b->columns; ++k)
        b->step[k] *= LONGEST_STEP / most;
}

// Takes the direction v (unit, model space) out of what a joint may turn.
static void stop(double* keep, sft_v3d v)
{
    const double c[3] = {v.x, v.y, v.z};
    double kv[3];
    for (int i = 0; i < 3; ++i)
        kv[i] = keep[3 * i] * v.x + keep[3 * i + 1] * v.y + keep[3 * i + 2] * v.z;
    const double square = kv[0] * c[0] + kv[1] * c[1] + kv[2] * c[2];
    if (!(square > 1e-6)) return;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            keep[3 * i + j] -= kv[i] * kv[j] / square;
}

// Turns every joint by the step, limits kept. True where a joint that stands at its limit was pushed against it: that
// direction is stopped, and the step wants to be made again without.
static bool turn_joints(ik_body* b)
{
    bool stopped = false;
    for (int32_t a = 0; a < b->active_count; ++a)
    {
        const int32_t j = b->active[a];
        const sft_quatd parent = parent_rotation(b, j);
        const sft_v3d turn = sft_quatd_unrotate(parent, turn_of(b, a));
        b->trial_r[j] = sft_quatd_normalize(sft_quatd_mul(sft_quatd_exp(turn), b->r[j]));
        if (b->def->limits == NULL) continue;
        double excess = 0.0;
        const sft_quatd wanted = b->trial_r[j];
        b->trial_r[j] = sft_limit_clamp(&b->def->limits[j], wanted, &excess);
        if (!(excess > 1e-9)) continue;
        const sft_v3d lost = sft_quatd_log(sft_quatd_mul(wanted, sft_quatd_conjugate(b->trial_r[j])));
        const sft_v3d v = sft_v3d_scale(1.0 / sft_v3d_length(lost), lost);
        // Whoever only now comes to the limit may come there.
        if (sft_v3d_length(lost) < 0.9 * fabs(sft_v3d_dot(turn, v))) continue;
        stop(b->keep + 9 * (size_t)a, sft_quatd_rotate(parent, v));
        stopped = true;
    }
    if (b->moves)
    {
        const int32_t j = b->def->translating;
        const double* m = b->step + 3 * b->active_count;
        const sft_v3d move = sft_v3d_scale(b->scale, sft_v3d_make(m[0], m[1], m[2]));
        b->trial_t[j] = sft_v3d_add(b->t[j], sft_quatd_unrotate(parent_rotation(b, j), move));
    }
    return stopped;
}

static void free_joints(const ik_body* b)
{
    memset(b->keep, 0, 9 * (size_t)b->active_count * sizeof *b->keep);
    for (int32_t a = 0; a < b->active_count; ++a)
    {
        const int32_t j = b->active[a];
        double* keep = b->keep + 9 * (size_t)a;
        const sft_limit* limit = b->def->limits != NULL ? &b->def->limits[j] : NULL;
        keep[0] = keep[4] = keep[8] = 1.0;
        if (limit == NULL || limit->kind != SFT_LIMIT_HINGE) continue;
        const sft_quatd space = sft_quatd_mul(parent_rotation(b, j), limit->reference);
        const sft_v3d axis = sft_quatd_rotate(space, limit->axis);
        const double c[3] = {axis.x, axis.y, axis.z};
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k)
                keep[3 * i + k] = c[i] * c[k];
    }
}

void sft_ik_body_step(ik_body* b, int32_t level, double damping, bool posture)
{
    free_joints(b);
    const bool back = posture && b->def->pose_weight > 0.0;
    for (int round = 0; round < LIMIT_ROUNDS; ++round)
    {
        memset(b->step, 0, (size_t)b->columns * sizeof *b->step);
        int32_t spanned = 0, at = 0;
        for (int64_t after = INT64_MIN; sft_ik_body_next_level(b, after, &at) && at <= level; after = at)
            spanned = add_level(b, at, damping, spanned, at == level && !back);
        if (back) add_posture(b, spanned);
        shorten(b);
        if (!turn_joints(b)) break;
    }
}
