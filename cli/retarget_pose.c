// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A clip in a file of its own onto its character: one skeleton by names and bones, but the rest pose of the clip's file
// is some frame of its motion, from which a reference pose can only be guessed. Where the bones lie alike in the spaces
// of their parents, joints' rotations mean the same in both. The character's reference pose is then that of both, and
// the motion comes out as it is.

#include "retarget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bones of one character lie alike, but for what a clip stretches, in leg lengths.
#define ALIKE 0.03

/// The joint of `other` that is joint j: of that name, below the same parent; -1 none.
static int32_t same_joint(const sft_skeleton* own, const sft_skeleton* other, int32_t j)
{
    const int32_t k = sft_skeleton_find(other, own->names[j]);
    if (k < 0) return -1;
    const int32_t p = own->parents[j], q = other->parents[k];
    if (p < 0 || q < 0) return p < 0 && q < 0 ? k : -1;
    return strcmp(own->names[p], other->names[q]) == 0 ? k : -1;
}

static bool is_above(const sft_skeleton* skeleton, int32_t joint, int32_t below)
{
    while (below > joint)
        below = skeleton->parents[below];
    return below == joint;
}

/// Local reference pose of `with` for the joints of `rig`; false: they are not one character, or rest alike.
static bool pose_of(const sft_rig* rig, const sft_rig* with, sft_v3d* t, sft_quatd* r)
{
    const sft_skeleton *own = rig->skeleton, *other = with->skeleton;
    bool rests_alike = true;
    if (rig->hips < 0 || with->hips < 0) return false;
    for (int32_t j = 0; j < own->joint_count; ++j)
    {
        const int32_t k = same_joint(own, other, j);
        t[j] = k < 0 ? own->rest_translations[j] : with->base_t[k];
        r[j] = k < 0 ? own->rest_rotations[j] : with->pose_r[k];
        const sft_part part = rig->meanings[j].part;
        if (part == SFT_PART_NONE && !is_above(own, j, rig->hips)) continue;
        // All that is above the hips counts, and all of the body.
        if (k < 0 || part != with->meanings[k].part) return false;
        const double off = sft_v3d_distance(own->rest_translations[j], t[j]);
        if (j > rig->hips && !(off <= ALIKE * with->leg_length)) return false;
        rests_alike = rests_alike && fabs(sft_quatd_dot(own->rest_rotations[j], other->rest_rotations[k])) > 1.0 - 1e-9;
    }
    return !rests_alike;
}

int retarget_share_pose(retarget_job* j)
{
    if (j->target_rig->pose_frame != SFT_RIG_POSE_REST) return EXIT_DONE;
    const size_t n = (size_t)j->source_rig->skeleton->joint_count;
    sft_rig_def def = sft_default_rig_def();
    sft_v3d* t = malloc(n * sizeof *t);
    sft_quatd* r = malloc(n * sizeof *r);
    int code = EXIT_DONE;
    if (t == NULL || r == NULL)
        code = cli_fail(EXIT_MEMORY, "%s: there is no memory for its pose", j->source->path);
    else if (pose_of(j->source_rig, j->target_rig, t, r))
    {
        def.meanings = j->source_rig->meanings;
        def.legs = j->source_rig->legs;
        def.leg_count = j->source_rig->leg_count;
        def.base_t = t;
        def.base_r = r;
        sft_rig* rig = NULL;
        const sft_result result = sft_rig_create(&def, j->source->skeleton, NULL, NULL, &rig);
        if (result != SFT_OK)
            code = cli_fail_clip(j->source, j->source->clip, "understanding the figure", result);
        else
        {
            sft_rig_destroy(j->source_rig, NULL);
            j->source_rig = rig;
        }
    }
    free(t);
    free(r);
    return code;
}
