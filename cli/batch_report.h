// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the files of a batch's page share.
#ifndef SUREFOOT_BATCH_REPORT_H
#define SUREFOOT_BATCH_REPORT_H

#include "batch.h"

// A path as it stands in an address.
void batch_put_address(cli_text* out, const char* path);
// The page that an option had a clip's command write, below the output folder; null where there is none.
const char* batch_page_of(const batch_entry* entry, const char* folder);

// A clip's figure, where it counts among those of all; else NaN.
double batch_figure_of(const batch_entry* entry, batch_figure which);
// How many clips have a figure, and how many of them one above 0.
size_t batch_count_figure(const batch_manifest* manifest, batch_figure which, size_t* above);
// 12,345,678 as people read it.
const char* batch_group_digits(double value, char* out, size_t capacity);

// Bars of slide, contact share and the like, before and after (batch_report_bins.c).
void batch_put_distributions(cli_text* out, const batch_manifest* manifest);

// The table of all clips (batch_report_table.c): data that a script shows a screenful of, so that a hundred thousand
// scroll.
extern const char batch_table_css[];
void batch_put_table(cli_text* out, const batch_manifest* manifest, const char* folder);

#endif
