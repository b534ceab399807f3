// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Problem: solve H x = b, H symmetric positive definite, block-banded with a few long-lived unknowns.
// Method: right-looking L D L^T on a dense front. Columns [zbegin, zend) hold the frames in play in order; columns from
// zcap on hold long-lived unknowns in any order. Entry (a, b), a <= b, is the one that counts. Every elimination stores
// its row over all later columns, so that x comes out in reverse order. Source: frontal method, B. M. Irons, "A frontal
// solution program for finite element analysis", 1970.
//
// A record in `store`: the row over the later frame columns and all long-lived columns in play, the pivot, the
// right-hand side. Pivots eliminated together share a header in `store_ids`.

#include "cleanup/front.h"

#include "surefoot/base.h"

#define SLACK_COLUMNS 64

static int32_t round_up4(int32_t n)
{
    return (n + 3) & ~3;
}

// Where in one block each array of the front begins; the last entry is the size of the block.
typedef struct layout
{
    size_t matrix, rhs, row, inverse, pid, ids, store, size;
} layout;

static layout lay_out(cu_front* f, const cu_front_plan* plan)
{
    // Slack lets many frames pass before the columns in play have to be moved back to the start.
    f->zcap = round_up4(plan->zcap + SLACK_COLUMNS);
    f->pcap = round_up4(plan->pcap > 0 ? plan->pcap : 1);
    f->stride = f->zcap + f->pcap;
    const size_t s = (size_t)f->stride, pcap = (size_t)f->pcap;
    layout at;
    at.matrix = 0;
    at.rhs = at.matrix + s * s * sizeof(double);
    at.row = at.rhs + s * sizeof(double);
    at.inverse = at.row + s * sizeof(double);
    at.pid = at.inverse + s * sizeof(double);
    at.ids = at.pid + pcap * sizeof(int64_t);
    at.store = at.ids + plan->groups * (pcap + 4) * sizeof(int64_t);
    at.size = at.store + plan->record_numbers * sizeof(float);
    return at;
}

size_t cu_front_bytes(const cu_front_plan* plan)
{
    cu_front front;
    return lay_out(&front, plan).size;
}

void cu_front_place(cu_front* front, const cu_front_plan* plan, void* memory)
{
    char* base = memory;
    memset(front, 0, sizeof *front);
    const layout at = lay_out(front, plan);
    front->matrix = (double*)(base + at.matrix);
    front->rhs = (double*)(base + at.rhs);
    front->row = (double*)(base + at.row);
    front->inverse = (double*)(base + at.inverse);
    front->pid = (int64_t*)(base + at.pid);
    front->store_ids = (int64_t*)(base + at.ids);
    front->store = (float*)(base + at.store);
}

void cu_front_reset(cu_front* front, int64_t first_global)
{
    const size_t s = (size_t)front->stride;
    memset(front->matrix, 0, s * s * sizeof(double));
    memset(front->rhs, 0, s * sizeof(double));
    for (int32_t i = 0; i < front->pcap; ++i)
        front->pid[i] = -1;
    front->zbegin = 0;
    front->zend = 0;
    front->pused = 0;
    front->zfirst = first_global;
    front->store_used = 0;
    front->ids_used = 0;
}

static void clear_column(cu_front* front, int32_t column)
{
    const size_t s = (size_t)front->stride;
    for (size_t r = 0; r < s; ++r)
        front->matrix[r * s + (size_t)column] = 0.0;
    memset(front->matrix + (size_t)column * s, 0, s * sizeof(double));
    front->rhs[column] = 0.0;
}

// Moves the columns in play to the start and clears everything past them.
static void compact(cu_front* front)
{
    const size_t s = (size_t)front->stride;
    const int32_t begin = front->zbegin, left = front->zend - begin;
    for (int32_t r = 0; r < left; ++r)
    {
        double* target = front->matrix + (size_t)r * s;
        const double* source = front->matrix + (size_t)(r + begin) * s;
        memmove(target, source + begin, (size_t)left * sizeof(double));
        memset(target + left, 0, (size_t)(front->zcap - left) * sizeof(double));
        memmove(target + front->zcap, source + front->zcap, (size_t)front->pcap * sizeof(double));
        front->rhs[r] = front->rhs[r + begin];
    }
    for (int32_t r = left; r < front->zcap; ++r)
    {
        memset(front->matrix + (size_t)r * s, 0, s * sizeof(double));
        front->rhs[r] = 0.0;
    }
    front->zbegin = 0;
    front->zend = left;
}

void cu_front_push(cu_front* front, int32_t count)
{
    // Rows and columns past zend are zero: compact clears them, and updates write zeros only.
    if (front->zend + count > front->zcap) compact(front);
    front->zend += count;
}

int32_t cu_front_open(cu_front* front, int32_t count, int64_t global)
{
    int32_t at = 0;
    for (int32_t run = 0; at + count <= front->pcap; ++at)
    {
        for (run = 0; run < count && front->pid[at + run] < 0; ++run)
        {
        }
        if (run == count) break;
    }
    for (int32_t k = 0; k < count; ++k)
    {
        front->pid[at + k] = global + k;
        clear_column(front, front->zcap + at + k);
    }
    if (at + count > front->pused) front->pused = at + count;
    return front->zcap + at;
}

// y -= s * x over n doubles, n a multiple of 4: the fixed inner count is what lets compilers use vector registers.
static void subtract_scaled(double* restrict y, const double* restrict x, double s, int32_t n)
{
    for (int32_t i = 0; i < n; i += 4)
    {
        y[i] -= s * x[i];
        y[i + 1] -= s * x[i + 1];
        y[i + 2] -= s * x[i + 2];
        y[i + 3] -= s * x[i + 3];
    }
}

// Of a pivot. An unknown that nothing depends on has none (the free number of a straight leg whose foot has no lever):
// it stays where it is.
static double inverse_of(double pivot)
{
    return pivot > 0.0 ? 1.0 / pivot : 0.0;
}

// Rank-one update of everything after the pivot; `row` is the pivot's row, zero where nothing is coupled.
static void update(cu_front* front, const double* row, int32_t zfrom, double pivot, double rhs)
{
    const size_t s = (size_t)front->stride;
    const int32_t zpad = round_up4(front->zend), ppad = round_up4(front->pused);
    const double inverse = inverse_of(pivot);
    for (int32_t r = zfrom; r < front->zend; ++r)
    {
        if (row[r] == 0.0) continue;
        const double m = row[r] * inverse;
        // Starting below the diagonal touches entries that nobody reads.
        const int32_t from = r & ~3;
        double* target = front->matrix + (size_t)r * s;
        subtract_scaled(target + from, row + from, m, zpad - from);
        subtract_scaled(target + front->zcap, row + front->zcap, m, ppad);
        front->rhs[r] -= m * rhs;
    }
    for (int32_t r = front->zcap; r < front->zcap + front->pused; ++r)
    {
        if (row[r] == 0.0) continue;
        const double m = row[r] * inverse;
        const int32_t from = (r - front->zcap) & ~3;
        subtract_scaled(front->matrix + (size_t)r * s + (size_t)(front->zcap + from), row + front->zcap + from, m,
                        ppad - from);
        front->rhs[r] -= m * rhs;
    }
}

// A group's header: number of pivots (long-lived: -1 - the global index of the first frame column), global index of the
// first pivot, frame columns and long-lived columns in play, the latter's global indices, their number again.
static void store_group(cu_front* front, int64_t count, int64_t first, int32_t zcolumns)
{
    int64_t* ids = front->store_ids + front->ids_used;
    ids[0] = count;
    ids[1] = first;
    ids[2] = zcolumns;
    for (int32_t k = 0; k < front->pused; ++k)
        ids[3 + k] = front->pid[k];
    ids[3 + front->pused] = front->pused; // records are read backwards
    front->ids_used += (size_t)front->pused + 4;
}

// The row is kept in single precision: writing it is what a pass over a long clip waits for, the elimination itself
// stays in double, and a Newton step that is off by 1e-7 of itself is put right by the next.
static void store_pivot(cu_front* front, const double* row, int32_t zfrom, double pivot, double rhs)
{
    float* out = front->store + front->store_used;
    const int32_t zend = front->zend, pused = front->pused;
    for (int32_t k = zfrom; k < zend; ++k)
        *out++ = (float)row[k];
    for (int32_t k = 0; k < pused; ++k)
        *out++ = (float)row[front->zcap + k];
    const double tail[2] = {pivot, rhs};
    memcpy(out, tail, sizeof tail);
    front->store_used = (size_t)(out - front->store) + CU_FRONT_TAIL;
}

// y -= sum over p of m[p] * rows[p]: all pivots of a frame in one pass over y, eight columns in registers at a time.
static void subtract_all(double* restrict y, const double* restrict rows, size_t s, const double* restrict m,
                         int32_t pivots, int32_t n)
{
    for (int32_t c = 0; c < n; c += 4)
    {
        double y0 = y[c], y1 = y[c + 1], y2 = y[c + 2], y3 = y[c + 3];
        const double* row = rows + c;
        for (int32_t p = 0; p < pivots; ++p, row += s)
        {
            y0 -= m[p] * row[0];
            y1 -= m[p] * row[1];
            y2 -= m[p] * row[2];
            y3 -= m[p] * row[3];
        }
        y[c] = y0;
        y[c + 1] = y1;
        y[c + 2] = y2;
        y[c + 3] = y3;
    }
}

// What the rows [begin, begin + count), already reduced among themselves, take from row r of the rest.
static void update_row(cu_front* front, int32_t begin, int32_t count, int32_t r)
{
    const size_t s = (size_t)front->stride;
    const double* rows = front->matrix + (size_t)begin * s;
    double* m = front->row;
    double* target = front->matrix + (size_t)r * s;
    double rhs = front->rhs[r];
    for (int32_t p = 0; p < count; ++p)
    {
        const double factor = rows[(size_t)p * s + (size_t)r] * front->inverse[p];
        m[p] = factor;
        rhs -= factor * front->rhs[begin + p];
    }
    front->rhs[r] = rhs;
    const int32_t pbegin = r < front->zcap ? front->zcap : front->zcap + ((r - front->zcap) & ~3);
    if (r < front->zcap)
    {
        const int32_t from = r & ~3;
        subtract_all(target + from, rows + from, s, m, count, round_up4(front->zend) - from);
    }
    subtract_all(target + pbegin, rows + pbegin, s, m, count, front->zcap + round_up4(front->pused) - pbegin);
}

void cu_front_eliminate(cu_front* front, int32_t count)
{
    const size_t s = (size_t)front->stride;
    const int32_t begin = front->zbegin, end = begin + count;
    store_group(front, count, front->zfirst, front->zend - begin);
    for (int32_t p = begin; p < end; ++p)
    {
        if (p > begin) update_row(front, begin, p - begin, p);
        const double* row = front->matrix + (size_t)p * s;
        front->inverse[p - begin] = inverse_of(row[p]);
        store_pivot(front, row, p + 1, row[p], front->rhs[p]);
    }
    for (int32_t r = end; r < front->zend; ++r)
        update_row(front, begin, count, r);
    for (int32_t r = front->zcap; r < front->zcap + front->pused; ++r)
        update_row(front, begin, count, r);
    front->zbegin = end;
    front->zfirst += count;
}

void cu_front_close(cu_front* front, int32_t column, int32_t count)
{
    const size_t s = (size_t)front->stride;
    double* row = front->row;
    for (int32_t p = column; p < column + count; ++p)
    {
        // The whole symmetric row: past the diagonal it lies in the matrix row, before it in the column.
        memset(row, 0, s * sizeof(double));
        for (int32_t c = front->zbegin; c < front->zend; ++c)
            row[c] = front->matrix[(size_t)c * s + (size_t)p];
        for (int32_t c = front->zcap; c < front->zcap + front->pused; ++c)
        {
            if (front->pid[c - front->zcap] < 0) continue;
            row[c] = c < p ? front->matrix[(size_t)c * s + (size_t)p] : front->matrix[(size_t)p * s + (size_t)c];
        }
        const double pivot = row[p], rhs = front->rhs[p];
        const int64_t id = front->pid[p - front->zcap];
        row[p] = 0.0;
        front->pid[p - front->zcap] = -1;
        store_group(front, -1 - front->zfirst, id, front->zend - front->zbegin);
        store_pivot(front, row, front->zbegin, pivot, rhs);
        update(front, row, front->zbegin, pivot, rhs);
    }
    while (front->pused > 0 && front->pid[front->pused - 1] < 0)
        --front->pused;
}

// Four partial sums in a fixed order: one chain of additions would wait for itself.
static double dot(const float* a, const double* b, int64_t n)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
    {
        s0 += (double)a[i] * b[i];
        s1 += (double)a[i + 1] * b[i + 1];
        s2 += (double)a[i + 2] * b[i + 2];
        s3 += (double)a[i + 3] * b[i + 3];
    }
    for (; i < n; ++i)
        s0 += (double)a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

// Record sizes follow from the group header, so records can be walked backwards.
void cu_front_solve(const cu_front* front, double* x)
{
    size_t at = front->store_used, id_at = front->ids_used;
    while (id_at > 0)
    {
        const int64_t pused = front->store_ids[id_at - 1];
        id_at -= (size_t)pused + 4;
        const int64_t* ids = front->store_ids + id_at;
        const int64_t count = ids[0], first = ids[1], zused = ids[2];
        const bool long_lived = count < 0;
        const int64_t pivots = long_lived ? 1 : count;
        for (int64_t p = pivots - 1; p >= 0; --p)
        {
            const int64_t zn = long_lived ? zused : zused - p - 1;
            const int64_t zglobal = long_lived ? -1 - count : first + p + 1;
            at -= (size_t)(zn + pused + CU_FRONT_TAIL);
            const float* record = front->store + at;
            double tail[2]; // pivot, right-hand side
            memcpy(tail, record + zn + pused, sizeof tail);
            double sum = tail[1];
            sum -= dot(record, x + zglobal, zn);
            for (int64_t k = 0; k < pused; ++k)
                if (ids[3 + k] >= 0) sum -= (double)record[zn + k] * x[ids[3 + k]];
            x[first + p] = tail[0] > 0.0 ? sum / tail[0] : 0.0;
        }
    }
}
