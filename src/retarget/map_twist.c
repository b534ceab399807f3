// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Twist joints ride along with their carriers.

#include "retarget/map.h"

void sft_map_pair_twists(const map_sides* sides, sft_retarget_map* map)
{
    (void)sides;
    (void)map;
}
