// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Frontal elimination of a symmetric positive definite system whose unknowns come in a row of small blocks (the
// frames), each coupled to the next two, plus a few unknowns that live over many frames (the plants; frames 0 and 1 of
// a cycle). Only the part of the matrix that is in play is held, dense; what is eliminated is kept for the back
// substitution.
#ifndef SUREFOOT_CLEANUP_FRONT_H
#define SUREFOOT_CLEANUP_FRONT_H

#include "core/core.h"

/// Numbers of single precision that pivot and right-hand side take in a record.
#define CU_FRONT_TAIL 4

typedef struct cu_front
{
    int32_t zcap;         // columns for frame unknowns, a multiple of 4
    int32_t pcap;         // columns for long-lived unknowns, a multiple of 4
    int32_t stride;       // zcap + pcap
    int32_t zbegin, zend; // frame columns in play
    int32_t pused;        // columns [zcap, zcap + pused) may be in use
    int64_t zfirst;       // global index of the frame unknown in column zbegin
    double* matrix;       // stride * stride; entry (a, b) with a <= b counts, the rest is scratch
    double* rhs;          // stride
    double* row;          // stride, scratch of one pivot row or one column of multipliers
    double* inverse;      // stride, 1 / pivot of the group at work
    int64_t* pid;         // global index of each long-lived column, -1 where free
    float* store;         // what was eliminated, one record a pivot (front.c)
    size_t store_used;
    int64_t* store_ids;
    size_t ids_used;
} cu_front;

/// What a front must have room for.
typedef struct cu_front_plan
{
    int32_t zcap;          // frame columns in play at once
    int32_t pcap;          // long-lived columns in play at once
    size_t record_numbers; // a pivot takes its frame columns + pcap rounded up to 4 + CU_FRONT_TAIL
    size_t groups;         // calls of eliminate plus columns closed
} cu_front_plan;

/// Bytes of memory a front of this plan takes, aligned for double.
size_t cu_front_bytes(const cu_front_plan* plan);
/// Lays the front out in that memory, which stays the caller's.
void cu_front_place(cu_front* front, const cu_front_plan* plan, void* memory);
/// Back to empty, memory kept.
void cu_front_reset(cu_front* front, int64_t first_global);
/// Appends `count` zeroed frame columns.
void cu_front_push(cu_front* front, int32_t count);
/// Opens `count` neighbouring long-lived columns for the unknowns global..global+count-1; returns the first column.
int32_t cu_front_open(cu_front* front, int32_t count, int64_t global);
/// Eliminates the first `count` frame columns and moves the rest up.
void cu_front_eliminate(cu_front* front, int32_t count);
/// Eliminates `count` long-lived columns starting at `column` and frees them.
void cu_front_close(cu_front* front, int32_t column, int32_t count);
/// Back substitution into x, indexed globally. All columns must have been eliminated.
void cu_front_solve(const cu_front* front, double* x);

/// Column of a frame unknown in play.
static inline int32_t cu_front_column(const cu_front* front, int64_t global)
{
    return (int32_t)(global - front->zfirst) + front->zbegin;
}

/// Adds to entry (a, b) and so to (b, a).
static inline void cu_front_add(cu_front* front, int32_t a, int32_t b, double value)
{
    const int32_t row = a < b ? a : b, column = a < b ? b : a;
    front->matrix[(size_t)row * (size_t)front->stride + (size_t)column] += value;
}

#endif
