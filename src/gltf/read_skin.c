// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Skins: which nodes are joints. Their matrices and the meshes they move are not judged.

#include "gltf/read.h"

// `last_skin` has the skin that named each node last, plus one.
static sft_result read_joints(gltf_reader* reader, int32_t index, sft_json_value joints, int32_t* last_skin)
{
    sft_gltf* gltf = reader->gltf;
    gltf_skin* skin = &gltf->skins[index];
    if (joints.kind != SFT_JSON_ARRAY)
        return sft_gltf_fail(gltf, reader->error, SFT_ERR_SYNTAX, skin->value.start,
                             "skin %d has no array 'joints' of node indices; export again", index);
    const size_t count = sft_json_count(gltf->json, joints);
    int32_t* nodes = sft_gltf_keep(gltf, count, sizeof *nodes);
    if (nodes == NULL) return sft_gltf_no_memory(reader->error);
    char label[32];
    sft_core_format(label, sizeof label, "skin %d", index);
    sft_result result = SFT_OK;
    sft_json_iter it = sft_json_iterate(gltf->json, joints);
    while (result == SFT_OK && sft_json_next(gltf->json, &it))
    {
        int32_t node = -1;
        result = sft_gltf_index(reader, it.value, label, "node", gltf->node_count, &node);
        if (result != SFT_OK) break;
        if (last_skin[node] == index + 1)
            sft_gltf_warn(gltf, it.value.start, "skin %d names %s twice", index, sft_gltf_label(gltf, node).text);
        last_skin[node] = index + 1;
        nodes[it.index] = node;
    }
    if (count == 0) sft_gltf_warn(gltf, joints.start, "skin %d has no joints", index);
    skin->joints = nodes;
    skin->joint_count = (int32_t)count;
    return result;
}

static sft_result read_skin(gltf_reader* reader, int32_t index, sft_json_value value, int32_t* last_skin)
{
    sft_gltf* gltf = reader->gltf;
    gltf_member m[] = {GLTF_MEMBER("joints"), GLTF_MEMBER("skeleton")};
    char label[32];
    sft_core_format(label, sizeof label, "skin %d", index);
    const sft_result result = sft_gltf_members(reader, value, label, m, SFT_COUNT_OF(m));
    if (result != SFT_OK) return result;
    gltf->skins[index].value = gltf_keep_value(value);
    gltf->skins[index].skeleton = sft_gltf_loose_index(gltf->json, m[1].value, gltf->node_count);
    if (m[1].value.kind != SFT_JSON_NONE && gltf->skins[index].skeleton < 0)
        sft_gltf_warn(gltf, m[1].value.start, "the skeleton of skin %d names a node that is not there", index);
    return read_joints(reader, index, m[0].value, last_skin);
}

sft_result sft_gltf_read_skins(gltf_reader* reader)
{
    sft_gltf* gltf = reader->gltf;
    const sft_json_value list = sft_json_get(gltf->json, reader->root, "skins");
    const size_t room = sft_gltf_room(gltf->json, list, (size_t)gltf->skin_count, sizeof "{\"joints\":[]}" - 1);
    gltf->skins = sft_gltf_keep(gltf, room, sizeof *gltf->skins);
    if (gltf->skins == NULL) return sft_gltf_no_memory(reader->error);
    const size_t nodes = (size_t)gltf->node_count;
    int32_t* last_skin = sft_core_alloc(&gltf->allocator, nodes, sizeof *last_skin);
    if (last_skin == NULL) return sft_gltf_no_memory(reader->error);
    sft_result result = SFT_OK;
    for (sft_json_iter it = sft_json_iterate(gltf->json, list); sft_json_next(gltf->json, &it) && result == SFT_OK;)
        result = read_skin(reader, (int32_t)it.index, it.value, last_skin);
    sft_core_free(&gltf->allocator, last_skin, nodes, sizeof *last_skin);
    return result;
}
