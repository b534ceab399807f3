// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The normal equations of one Gauss-Newton step, put together frame by frame while the front eliminates behind.
//
// Every series of numbers (an angle of a leg, a coordinate of the shift) has the same kind of penalty, the banded
// matrix M = a D2^T D2 + s D1^T D1 + c I; what differs is how the series hangs on the unknowns: an angle of a swinging
// leg is an unknown itself, of a planted one jac * (shift - place, free number).

#include "cleanup/direct.h"

static const double TURN_PER_METRE = 3.0; // rad: of a leg not shorter than a third of a metre
static const double HOLD_LEG = 0.9;       // m: leg on which heights that are asked for hold twice as fast as others

typedef struct band
{
    double m[3]; // entries (i, i), (i, i + 1), (i, i + 2)
} band;

// D2^T D2; fewer rows reach a frame near the ends of a clip, in a cycle there are none. `i` may be -1.
static band unit_band(const cu_problem* p, int32_t i)
{
    static const band INSIDE = {{6.0, -4.0, 1.0}};
    const int32_t n = p->frames;
    if (p->loop || (i >= 2 && i <= n - 3)) return INSIDE;
    band b;
    const bool first = i <= n - 3, middle = i >= 1 && i <= n - 2, last = i >= 2;
    b.m[0] = (first ? 1.0 : 0.0) + (middle ? 4.0 : 0.0) + (last ? 1.0 : 0.0);
    b.m[1] = i <= n - 2 ? (first ? -2.0 : 0.0) + (middle ? -2.0 : 0.0) : 0.0;
    b.m[2] = first ? 1.0 : 0.0;
    return b;
}

static band series_band(const cu_problem* p, int32_t i, double accel, double speed, double value)
{
    const double dt2 = p->dt * p->dt;
    const double a = accel * accel / (dt2 * dt2), s = speed * speed / dt2, c = value * value;
    band b = unit_band(p, i);
    const double ends = p->loop ? 2.0 : (i >= 1 ? 1.0 : 0.0) + (i <= p->frames - 2 ? 1.0 : 0.0);
    b.m[0] = a * b.m[0] + ends * s + c;
    b.m[1] = p->loop || i <= p->frames - 2 ? a * b.m[1] - s : 0.0;
    b.m[2] *= a;
    return b;
}

// Frame i + step, or -1 where the clip ends.
static int32_t neighbour(const cu_problem* p, int32_t i, int32_t step)
{
    const int32_t j = i + step;
    if (j >= 0 && j < p->frames) return j;
    if (!p->loop) return -1;
    return j < 0 ? j + p->frames : j - p->frames;
}

int32_t cu_leg_slot(const cu_problem* p, int32_t leg, int32_t frame)
{
    int32_t slot = p->move_pelvis ? 3 : 0;
    for (int32_t l = 0; l < leg; ++l)
        slot += p->plant_of[(size_t)l * (size_t)p->frames + (size_t)frame] < 0 ? 4 : 1;
    return slot;
}

static int32_t frame_size(const cu_problem* p, int32_t frame)
{
    return cu_leg_slot(p, p->leg_count, frame);
}

// Widest front and numbers stored over the whole clip; fills base.
static cu_front_plan plan_front(const cu_problem* p, int64_t* base)
{
    base[0] = 0;
    for (int32_t i = 0; i < p->frames; ++i)
        base[i + 1] = base[i] + frame_size(p, i);
    cu_front_plan plan = {0};
    // Two plants a leg can be in play, for three neighbouring frames cannot touch more. A cycle keeps its first frames
    // and their plants to the end.
    plan.pcap = 6 * p->leg_count;
    if (p->loop) plan.pcap += 6 * p->leg_count + (int32_t)base[2];
    const size_t tail = (size_t)((plan.pcap + 3) & ~3) + CU_FRONT_TAIL;
    for (int32_t i = 0; i < p->frames; ++i)
    {
        const int32_t end = i + 3 < p->frames ? i + 3 : p->frames;
        const int32_t width = (int32_t)(base[end] - base[i]);
        if (width > plan.zcap) plan.zcap = width;
        plan.record_numbers += (size_t)(base[i + 1] - base[i]) * ((size_t)width + tail);
    }
    const size_t lived = 3 * (size_t)p->plant_count + (p->loop ? (size_t)base[2] : 0);
    plan.record_numbers += lived * ((size_t)plan.zcap + tail);
    plan.groups = (size_t)p->frames + lived + 1;
    return plan;
}

// Everything comes in one block: allocators keep and reuse one large block better than a dozen.
sft_result cu_direct_create(cu_direct* d, cu_problem* p)
{
    memset(d, 0, sizeof *d);
    d->problem = p;
    const size_t n = (size_t)p->frames, legs = (size_t)p->leg_count;
    d->base = sft_core_alloc(&p->allocator, n + 1, sizeof *d->base);
    if (!d->base) return SFT_ERR_MEMORY;
    const cu_front_plan plan = plan_front(p, d->base);
    d->plant_base = d->base[n];
    const size_t unknowns = (size_t)d->plant_base + 3 * (size_t)p->plant_count;
    const size_t linear = n * legs * sizeof *d->linear, x = unknowns * sizeof(double);
    const size_t accel = 4 * legs * sizeof(double), front = cu_front_bytes(&plan);
    d->block_size = linear + x + accel + front + 3 * (legs + 1) * sizeof *d->columns;
    char* block = p->allocator.allocate(p->allocator.user, d->block_size);
    if (!block)
    {
        cu_direct_release(d);
        return SFT_ERR_MEMORY;
    }
    d->block = block;
    d->linear = (cu_linear*)block;
    d->x = (double*)(block + linear);
    d->accel = (double*)(block + linear + x);
    cu_front_place(&d->front, &plan, block + linear + x + accel);
    d->columns = (int32_t*)(block + d->block_size - 3 * (legs + 1) * sizeof *d->columns);
    memset(d->linear, 0, linear);
    const double dt4 = p->dt * p->dt * p->dt * p->dt;
    for (size_t k = 0; k < 4 * legs; ++k)
        d->accel[k] = p->weights[k / 4].accel[k % 4] * p->weights[k / 4].accel[k % 4] / dt4;
    return SFT_OK;
}

void cu_direct_release(cu_direct* d)
{
    const sft_allocator* a = &d->problem->allocator;
    if (d->block) a->release(a->user, d->block, d->block_size);
    sft_core_free(a, d->base, (size_t)d->problem->frames + 1, sizeof *d->base);
}

void cu_direct_change(const cu_direct* d, int32_t leg, int32_t i, const double* x, double* change)
{
    const cu_problem* p = d->problem;
    const size_t at = (size_t)leg * (size_t)p->frames + (size_t)i;
    const double* z = x + d->base[i];
    const int32_t slot = cu_leg_slot(p, leg, i);
    if (p->plant_of[at] < 0)
    {
        memcpy(change, z + slot, 4 * sizeof(double));
        return;
    }
    const cu_linear* lin = d->linear + at;
    const double* place = x + d->plant_base + 3 * (int64_t)p->plant_of[at];
    double move[3] = {-place[0], -place[1], -place[2]};
    if (p->move_pelvis)
        for (int k = 0; k < 3; ++k)
            move[k] += z[k];
    // The turn follows from where hip and place go; for the step's size a bound on it will do.
    change[0] = TURN_PER_METRE * sqrt(move[0] * move[0] + move[1] * move[1] + move[2] * move[2]);
    change[1] = 0.0;
    for (int k = 2; k < 4; ++k)
    {
        const float* j = lin->jac[k];
        change[k] = lin->base[k] - p->angles[at * 4 + (size_t)k] + j[0] * move[0] + j[1] * move[1] + j[2] * move[2] +
                    j[3] * z[slot];
    }
}

// ---- assembly ----

// One leg in one of the frames at hand, with the columns its angles hang on.
typedef struct member
{
    const cu_linear* linear;
    int32_t shift; // first column of the pelvis shift, -1 where it is fixed
    int32_t own;   // first own column: four angles, or the free number
    int32_t place; // first column of the plant's place, -1 in swing
} member;

static int32_t frame_column(const cu_direct* d, int32_t frame)
{
    if (d->problem->loop && frame < 2) return d->held[frame];
    return cu_front_column(&d->front, d->base[frame]);
}

static member get_member(const cu_direct* d, int32_t leg, int32_t frame, int32_t row)
{
    const cu_problem* p = d->problem;
    const size_t at = (size_t)leg * (size_t)p->frames + (size_t)frame;
    const int32_t* columns = d->columns + (size_t)row * (size_t)(p->leg_count + 1);
    member m;
    m.linear = d->linear + at;
    m.shift = p->move_pelvis ? columns[p->leg_count] : -1;
    m.own = columns[leg];
    m.place = p->plant_of[at] < 0 ? -1 : p->plants[p->plant_of[at]].column;
    return m;
}

static void set_columns(cu_direct* d, int32_t frame, int32_t row)
{
    const cu_problem* p = d->problem;
    int32_t* columns = d->columns + (size_t)row * (size_t)(p->leg_count + 1);
    int32_t at = frame_column(d, frame);
    columns[p->leg_count] = at;
    if (p->move_pelvis) at += 3;
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        columns[l] = at;
        at += p->plant_of[(size_t)l * (size_t)p->frames + (size_t)frame] < 0 ? 4 : 1;
    }
}

// Column of number k of a planted member's (shift, free number).
static int32_t planted_column(const member* m, int k)
{
    return k < 3 ? m->shift + k : m->own;
}

static void add_planted_pair(cu_front* f, const member* a, const member* b, const double* weight, bool same_frame)
{
    double g[4][4];
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c)
        {
            double sum = 0.0;
            for (int k = 0; k < 4; ++k)
                sum += weight[k] * (double)a->linear->jac[k][r] * (double)b->linear->jac[k][c];
            g[r][c] = sum;
        }
    const int begin = a->shift < 0 ? 3 : 0;
    for (int r = begin; r < 4; ++r)
    {
        for (int c = same_frame ? r : begin; c < 4; ++c)
            cu_front_add(f, planted_column(a, r), planted_column(b, c), g[r][c]);
        for (int c = 0; c < 3; ++c)
            cu_front_add(f, planted_column(a, r), b->place + c, -g[r][c]);
    }
    if (!same_frame)
        for (int r = 0; r < 3; ++r)
            for (int c = begin; c < 4; ++c)
                cu_front_add(f, a->place + r, planted_column(b, c), -g[r][c]);
    const bool same_place = a->place == b->place;
    for (int r = 0; r < 3; ++r)
        for (int c = same_frame ? r : 0; c < 3; ++c)
        {
            // An entry on the diagonal stands for both orders of the pair.
            const double twice = same_place && !same_frame && r == c ? 2.0 : 1.0;
            cu_front_add(f, a->place + r, b->place + c, twice * g[r][c]);
        }
}

static void add_mixed_pair(cu_front* f, const member* planted, const member* swing, const double* weight)
{
    const int begin = planted->shift < 0 ? 3 : 0;
    for (int k = 0; k < 4; ++k)
    {
        const float* j = planted->linear->jac[k];
        for (int c = begin; c < 4; ++c)
            cu_front_add(f, planted_column(planted, c), swing->own + k, weight[k] * j[c]);
        for (int c = 0; c < 3; ++c)
            cu_front_add(f, planted->place + c, swing->own + k, -weight[k] * j[c]);
    }
}

static void add_pair(cu_front* f, const member* a, const member* b, const double* weight, bool same_frame)
{
    if (a->place >= 0 && b->place >= 0)
        add_planted_pair(f, a, b, weight, same_frame);
    else if (a->place >= 0)
        add_mixed_pair(f, a, b, weight);
    else if (b->place >= 0)
        add_mixed_pair(f, b, a, weight);
    else
        for (int k = 0; k < 4; ++k)
            cu_front_add(f, a->own + k, b->own + k, weight[k]);
}

// Right-hand side: minus the gradient g of the angles, brought to the unknowns.
static void add_gradient(cu_front* f, const member* m, const double* g)
{
    if (m->place < 0)
    {
        for (int k = 0; k < 4; ++k)
            f->rhs[m->own + k] -= g[k];
        return;
    }
    for (int c = 0; c < 4; ++c)
    {
        double sum = 0.0;
        for (int k = 0; k < 4; ++k)
            sum += (double)m->linear->jac[k][c] * g[k];
        if (c == 3)
            f->rhs[m->own] -= sum;
        else
        {
            if (m->shift >= 0) f->rhs[m->shift + c] -= sum;
            f->rhs[m->place + c] += sum;
        }
    }
}

// weight * (value + row . unknowns)^2
static void add_row(cu_front* f, const int32_t* columns, const double* row, int count, double value, double weight)
{
    for (int a = 0; a < count; ++a)
    {
        if (row[a] == 0.0) continue;
        const double w = weight * row[a];
        for (int b = a; b < count; ++b)
            if (row[b] != 0.0) cu_front_add(f, columns[a], columns[b], w * row[b]);
        f->rhs[columns[a]] -= w * value;
    }
}

static void add_planted_row(cu_front* f, const member* m, const double* by_angle, double by_height, double value,
                            double weight)
{
    int32_t columns[7];
    double row[7];
    int count = 0;
    for (int c = 0; c < 4; ++c)
    {
        const double sum = by_angle[0] * m->linear->jac[2][c] + by_angle[1] * m->linear->jac[3][c];
        if (c == 3 || m->shift >= 0)
        {
            columns[count] = planted_column(m, c);
            row[count++] = sum;
        }
        if (c == 3) continue;
        columns[count] = m->place + c;
        row[count++] = (c == 1 ? by_height : 0.0) - sum;
    }
    add_row(f, columns, row, count, value, weight);
}

// Of heights that are asked for: short plants count few frames, so they hold twice as fast, and faster on shorter legs,
// whose angles pull at a place by as much more.
static double asked_hold(const cu_leg_frame* source)
{
    const double leg = sft_v3d_length(source->thigh) + sft_v3d_length(source->shin);
    const double share = leg > SFT_LENGTH_EPS ? HOLD_LEG / leg : 1.0;
    return 4.0 * share * share;
}

static void add_floors(cu_direct* d, const member* m, const cu_leg_frame* source)
{
    cu_front* f = &d->front;
    const cu_linear* lin = m->linear;
    if (m->place >= 0)
    {
        for (int k = 0; k < CU_POINTS; ++k)
        {
            const double by_angle[2] = {0.0, lin->floor_rate[k]};
            if (lin->floor_on[k]) add_planted_row(f, m, by_angle, 1.0, lin->floor_gap[k], cu_scales.floor);
        }
        const int32_t column = m->place + 1;
        const double one = 1.0, hold = d->problem->def->plant_heights ? asked_hold(source) : 1.0;
        add_row(f, &column, &one, 1, lin->lock, hold * cu_scales.lock);
        return;
    }
    for (int k = 0; k < CU_POINTS; ++k)
    {
        if (!lin->floor_on[k]) continue;
        int32_t columns[5] = {m->own, m->own + 1, m->own + 2, m->own + 3, m->shift + 1};
        double row[5] = {lin->jac[k][0], lin->jac[k][1], lin->jac[k][2], lin->jac[k][3], 1.0};
        add_row(f, columns, row, m->shift >= 0 ? 5 : 4, lin->floor_gap[k], cu_scales.floor);
    }
}

static void add_ranges(cu_direct* d, const member* m, const cu_leg_frame* source)
{
    for (int k = 2; k < 4; ++k)
    {
        const double excess = cu_angle_excess(source, m->linear->base, k);
        if (excess == 0.0) continue;
        if (m->place >= 0)
        {
            const double by_angle[2] = {k == 2 ? 1.0 : 0.0, k == 3 ? 1.0 : 0.0};
            add_planted_row(&d->front, m, by_angle, 0.0, excess, cu_scales.range);
        }
        else
        {
            const int32_t column = m->own + k;
            const double one = 1.0;
            add_row(&d->front, &column, &one, 1, excess, cu_scales.range);
        }
    }
}

static void add_leg(cu_direct* d, int32_t leg, int32_t i)
{
    const cu_problem* p = d->problem;
    const cu_weights* w = p->weights + leg;
    const member here = get_member(d, leg, i, 0);
    const cu_linear* row = d->linear + (size_t)leg * (size_t)p->frames;
    const int32_t before = neighbour(p, i, -1), before2 = neighbour(p, i, -2);
    const band here_band = unit_band(p, i), before_band = unit_band(p, before), before2_band = unit_band(p, before2);
    double gradient[4];
    for (int k = 0; k < 4; ++k)
    {
        const double value = w->angle[k] * w->angle[k];
        gradient[k] = (d->accel[leg * 4 + k] * here_band.m[0] + value) * row[i].base[k];
        if (before >= 0) gradient[k] += d->accel[leg * 4 + k] * before_band.m[1] * row[before].base[k];
        if (before2 >= 0) gradient[k] += d->accel[leg * 4 + k] * before2_band.m[2] * row[before2].base[k];
    }
    for (int32_t o = 0; o < 3; ++o)
    {
        const int32_t j = neighbour(p, i, o);
        if (j < 0) break;
        double weight[4];
        for (int k = 0; k < 4; ++k)
            weight[k] = d->accel[leg * 4 + k] * here_band.m[o] + (o == 0 ? w->angle[k] * w->angle[k] : 0.0);
        const member there = get_member(d, leg, j, o);
        add_pair(&d->front, &here, &there, weight, o == 0);
        if (o > 0)
            for (int k = 0; k < 4; ++k)
                gradient[k] += weight[k] * row[j].base[k];
    }
    add_gradient(&d->front, &here, gradient);
    const cu_leg_frame* source = p->source + (size_t)leg * (size_t)p->frames + (size_t)i;
    add_floors(d, &here, source);
    add_ranges(d, &here, source);
}

static double coordinate(sft_v3d v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

static void add_shift(cu_direct* d, int32_t i)
{
    const cu_problem* p = d->problem;
    if (!p->move_pelvis) return;
    const cu_weights* w = p->weights;
    const int32_t legs = p->leg_count;
    for (int k = 0; k < 3; ++k)
    {
        const double value =
            k == 1 ? sqrt(w->pelvis_shift * w->pelvis_shift + w->pelvis_height * w->pelvis_height) : w->pelvis_shift;
        // The bands below hold the shift near zero; this moves the zero.
        double gradient = -w->pelvis_shift * w->pelvis_shift * coordinate(p->anchor[i], k);
        const int32_t here = d->columns[legs] + k;
        for (int32_t o = -2; o < 3; ++o)
        {
            const int32_t j = neighbour(p, i, o);
            if (j < 0) continue;
            const band b = series_band(p, o < 0 ? j : i, w->pelvis_accel, w->pelvis_speed, value);
            const double m = b.m[o < 0 ? -o : o];
            gradient += m * coordinate(p->shift[j], k);
            if (o < 0) continue;
            cu_front_add(&d->front, here, d->columns[(size_t)o * (size_t)(legs + 1) + (size_t)legs] + k, m);
        }
        d->front.rhs[here] -= gradient;
    }
}

// Opens the columns of every plant that frame i stands on.
static void open_plants(cu_direct* d, int32_t i)
{
    const cu_problem* p = d->problem;
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        const int32_t k = p->plant_of[(size_t)l * (size_t)p->frames + (size_t)i];
        if (k < 0 || p->plants[k].column >= 0) continue;
        p->plants[k].column = cu_front_open(&d->front, 3, d->plant_base + 3 * (int64_t)k);
    }
}

static bool last_frame_of(const cu_problem* p, const cu_plant* plant, int32_t i)
{
    if (p->loop)
    {
        // Whatever touches the two held frames stays to the end.
        for (int32_t f = 0; f < 2; ++f)
            if (p->plant_of[(size_t)plant->leg * (size_t)p->frames + (size_t)f] == plant - p->plants) return false;
    }
    return plant->first + plant->count - 1 == i;
}

static void close_plants(cu_direct* d, int32_t i, bool all)
{
    const cu_problem* p = d->problem;
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        const int32_t k = p->plant_of[(size_t)l * (size_t)p->frames + (size_t)i];
        if (k < 0 || p->plants[k].column < 0) continue;
        if (!all && !last_frame_of(p, p->plants + k, i)) continue;
        cu_front_close(&d->front, p->plants[k].column, 3);
        p->plants[k].column = -1;
    }
}

static void start_front(cu_direct* d)
{
    const cu_problem* p = d->problem;
    cu_front_reset(&d->front, p->loop ? d->base[2] : 0);
    for (int32_t k = 0; k < p->plant_count; ++k)
        p->plants[k].column = -1;
    for (int32_t i = 0; i < 2 && i < p->frames; ++i)
    {
        const int32_t size = (int32_t)(d->base[i + 1] - d->base[i]);
        if (p->loop)
            d->held[i] = cu_front_open(&d->front, size, d->base[i]);
        else
            cu_front_push(&d->front, size);
        open_plants(d, i);
    }
}

void cu_direct_assemble_and_solve(cu_direct* d)
{
    const cu_problem* p = d->problem;
    const int32_t n = p->frames;
    start_front(d);
    for (int32_t i = 0; i < n; ++i)
    {
        if (i + 2 < n)
        {
            cu_front_push(&d->front, (int32_t)(d->base[i + 3] - d->base[i + 2]));
            open_plants(d, i + 2);
        }
        for (int32_t o = 0; o < 3; ++o)
        {
            const int32_t j = neighbour(p, i, o);
            if (j >= 0) set_columns(d, j, o);
        }
        for (int32_t l = 0; l < p->leg_count; ++l)
            add_leg(d, l, i);
        add_shift(d, i);
        if (p->loop && i < 2) continue;
        cu_front_eliminate(&d->front, (int32_t)(d->base[i + 1] - d->base[i]));
        close_plants(d, i, false);
    }
    if (p->loop)
        for (int32_t i = 0; i < 2; ++i)
        {
            close_plants(d, i, true);
            cu_front_close(&d->front, d->held[i], (int32_t)(d->base[i + 1] - d->base[i]));
        }
    cu_front_solve(&d->front, d->x);
}
