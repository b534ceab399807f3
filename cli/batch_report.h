// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the two files of a batch's page share.
#ifndef SUREFOOT_BATCH_REPORT_H
#define SUREFOOT_BATCH_REPORT_H

#include "batch.h"

// A path as it stands in an address.
void batch_put_address(cli_text* out, const char* path);
// The page that an option had a clip's command write, below the output folder; null where there is none.
const char* batch_page_of(const batch_entry* entry, const char* folder);

// The table of all clips (batch_report_table.c): data that a script shows a screenful of, so that a hundred thousand
// scroll.
extern const char batch_table_css[];
void batch_put_table(cli_text* out, const batch_manifest* manifest, const char* folder);

#endif
