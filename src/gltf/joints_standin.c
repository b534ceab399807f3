// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Holds the place of joints.c until it is there: every node is a joint, in the order of the file.

#include "gltf/gltf.h"

__attribute__((weak)) sft_result sft_gltf_pick_joints(sft_gltf* gltf, sft_error* error)
{
    const size_t count = (size_t)gltf->node_count;
    gltf->joint_nodes = sft_gltf_keep(gltf, count, sizeof *gltf->joint_nodes);
    gltf->joint_parents = sft_gltf_keep(gltf, count, sizeof *gltf->joint_parents);
    gltf->node_joints = sft_gltf_keep(gltf, count, sizeof *gltf->node_joints);
    if (gltf->joint_nodes == NULL || gltf->joint_parents == NULL || gltf->node_joints == NULL)
        return sft_gltf_no_memory(error);
    for (int32_t n = 0; n < gltf->node_count; ++n)
    {
        gltf->joint_nodes[n] = gltf->node_joints[n] = n;
        gltf->joint_parents[n] = gltf->nodes[n].parent;
    }
    gltf->view.joint_count = gltf->node_count;
    return SFT_OK;
}

__attribute__((weak)) sft_result sft_gltf_describe_animation(sft_gltf* gltf, int32_t animation)
{
    const gltf_animation* a = &gltf->animations[animation];
    gltf->infos[animation].name = a->name != NULL ? a->name : "";
    gltf->infos[animation].channel_count = a->channel_count;
    return SFT_OK;
}
