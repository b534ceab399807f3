// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What writer and reader of map files share.
#ifndef SUREFOOT_RETARGET_MAP_JSON_H
#define SUREFOOT_RETARGET_MAP_JSON_H

#include "json/json.h"
#include "retarget/map.h"

/// Words of the rules, in the order of sft_pair_rule.
extern const char* const sft_map_rules[5];

/// Sixteen digits: a JSON number holds fewer.
void sft_map_hex(uint64_t identity, char out[17]);

/// Joints by name.
typedef struct map_names
{
    const sft_skeleton* skeleton;
    part_entry* entries; ///< sorted by hash
} map_names;

bool sft_map_names_make(const sft_skeleton* skeleton, const sft_allocator* allocator, map_names* out);
/// One that was never made is fine.
void sft_map_names_free(map_names* names, const sft_allocator* allocator);
/// First joint of that name, -1 where there is none.
int32_t sft_map_names_find(const map_names* names, const char* name, bool* repeats);

#endif
