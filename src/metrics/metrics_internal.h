// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the files of the metrics module share.
#ifndef SUREFOOT_METRICS_INTERNAL_H
#define SUREFOOT_METRICS_INTERNAL_H

#include "surefoot/metrics.h"

/// Working memory, each of `frames` entries.
typedef struct metrics_scratch
{
    double* values;  ///< sorted and selected in place
    double* support; ///< toe support of the foot at hand, per frame [m]
    double* levels;  ///< one entry a plant
} metrics_scratch;

/// The q-th quantile (0 to 1) of values, which are reordered; linear between neighbours as NumPy's default; 0 of none.
double metrics_quantile(double* values, int32_t count, double q);

/// Slide, plants, penetration and floating of one foot.
void metrics_foot_contact(const sft_metrics_input* input, int32_t foot, const metrics_scratch* scratch,
                          sft_metrics_foot* out);

/// Published figures; speeds and flags hold metrics_published_samples() entries.
void metrics_published(const sft_contact_input* tracks, double* speeds, uint8_t* flags, sft_metrics_published* out);

/// Most samples that any published figure takes of these tracks.
int32_t metrics_published_samples(const sft_contact_input* tracks);

#endif
