// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Golden hashes: one line a scene, its name and a 64-bit hash of every bit it produced. The same on every compiler,
// optimisation level and target, or something depends on what it must not (tests/golden/check_targets.sh).
#include "golden.h"

typedef struct golden_scene
{
    const char* name;
    void (*run)(golden* g);
} golden_scene;

// Whole clips and files are no part of the run-time library, whose scenes are the same table with SFT_GOLDEN_RUNTIME.
static const golden_scene scenes[] = {
    {"trigonometry", scene_trigonometry},
    {"quaternions", scene_quaternions},
    {"forward", scene_forward},
    {"walker", scene_walker},
    {"leg_solve", scene_leg_solve},
#ifndef SFT_GOLDEN_RUNTIME
    {"contacts", scene_contacts},
    {"metrics", scene_metrics},
    {"bvh", scene_bvh},
    {"convert", scene_convert},
    {"legs", scene_legs},
    {"cleanup_direct", scene_cleanup_direct},
    {"cleanup_relax", scene_cleanup_relax},
    {"adapt_clip", scene_adapt_clip},
    {"gltf", scene_gltf},
    {"retarget_mend", scene_retarget_mend},
    {"retarget", scene_retarget},
#endif
    {"ik_limits", scene_ik_limits},
    {"ik_two_bone", scene_ik_two_bone},
    {"ik_chain", scene_ik_chain},
    {"ik_body", scene_ik_body},
    {"crowd", scene_crowd},
    {"ground_shapes", scene_ground_shapes},
    {"ground_mesh", scene_ground_mesh},
    {"lock", scene_lock},
#ifndef SFT_GOLDEN_RUNTIME
    {"lock_clip", scene_lock_clip},
    {"rig", scene_rig},
    {"creature", scene_creature},
#endif
    {"adapt_update", scene_adapt_update},
    {"creature_step", scene_creature_step},
};

int main(void)
{
    for (size_t i = 0; i < GOLDEN_COUNT_OF(scenes); ++i)
    {
        golden g = {GOLDEN_SEED};
        scenes[i].run(&g);
        printf("%s %08lx%08lx\n", scenes[i].name, (unsigned long)(g.hash >> 32),
               (unsigned long)(g.hash & UINT64_C(0xffffffff)));
    }
    return 0;
}
