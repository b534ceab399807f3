// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Identity of a skeleton by its content: FNV-1a over numbers written byte by byte, so that it does not depend on the
// machine's byte order or on how structs are laid out.

#include "surefoot/rig.h"

#include "core/core.h"

// Steps of offsets [1/m] and of rotations (quaternion units, 0.1 degree).
#define OFFSET_STEPS 1e4
#define TURN_STEPS 1e3

static uint64_t hash_int(uint64_t hash, int64_t value)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; ++i)
        bytes[i] = (unsigned char)((uint64_t)value >> (8 * i));
    return sft_core_hash(hash, bytes, sizeof bytes);
}

static uint64_t hash_step(uint64_t hash, double value, double steps)
{
    return hash_int(hash, (int64_t)floor(sft_clampd(value, -SFT_HUGE, SFT_HUGE) * steps + 0.5));
}

// A rotation and its negative are one: the first part that is not nothing is made positive.
static uint64_t hash_turn(uint64_t hash, sft_quatd q)
{
    const double parts[4] = {q.w, q.x, q.y, q.z};
    double sign = 1.0;
    for (int i = 3; i >= 0; --i)
        if (fabs(parts[i]) > 1e-6) sign = parts[i] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; ++i)
        hash = hash_step(hash, sign * parts[i], TURN_STEPS);
    return hash;
}

uint64_t sft_rig_identity(const sft_skeleton* skeleton)
{
    if (skeleton == NULL) return 0;
    uint64_t hash = hash_int(SFT_HASH_SEED, skeleton->joint_count);
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        const char* name = skeleton->names[j];
        // With the zero at its end, so that "a" "bc" is not "ab" "c".
        hash = sft_core_hash(hash, name, strlen(name) + 1);
        hash = hash_int(hash, skeleton->parents[j]);
        hash = hash_int(hash, (skeleton->flags[j] & SFT_JOINT_END_SITE) != 0);
        hash = hash_step(hash, skeleton->rest_translations[j].x, OFFSET_STEPS);
        hash = hash_step(hash, skeleton->rest_translations[j].y, OFFSET_STEPS);
        hash = hash_step(hash, skeleton->rest_translations[j].z, OFFSET_STEPS);
        hash = hash_turn(hash, skeleton->rest_rotations[j]);
    }
    return hash;
}
