// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// How nodes hang together: children, scenes and the order of roots. Every node ends up in exactly one tree.

#include "gltf/read.h"

static sft_result add_child(gltf_reader* reader, int32_t parent, int32_t child, size_t byte, int32_t* last)
{
    sft_gltf* gltf = reader->gltf;
    gltf_node* node = &gltf->nodes[child];
    if (child == parent)
        return sft_gltf_fail_node(gltf, reader->error, SFT_ERR_SYNTAX, byte, child,
                                  "%s is its own child; take it out of its children", sft_gltf_label(gltf, child).text);
    if (node->parent == parent)
        return sft_gltf_fail_node(gltf, reader->error, SFT_ERR_SYNTAX, byte, child,
                                  "%s is a child of %s twice; remove one", sft_gltf_label(gltf, child).text,
                                  sft_gltf_label(gltf, parent).text);
    if (node->parent >= 0)
        return sft_gltf_fail_node(gltf, reader->error, SFT_ERR_SYNTAX, byte, child,
                                  "%s has two parents, %s and %s; remove it from one of them",
                                  sft_gltf_label(gltf, child).text, sft_gltf_label(gltf, node->parent).text,
                                  sft_gltf_label(gltf, parent).text);
    node->parent = parent;
    if (*last < 0)
        gltf->nodes[parent].first_child = child;
    else
        gltf->nodes[*last].next_sibling = child;
    *last = child;
    return SFT_OK;
}

static sft_result read_children(gltf_reader* reader, int32_t parent)
{
    sft_gltf* gltf = reader->gltf;
    gltf_member m[] = {GLTF_MEMBER("children")};
    sft_result result = sft_gltf_members(reader, gltf_json_value(gltf->nodes[parent].value), "a node", m, 1);
    if (result != SFT_OK || m[0].value.kind == SFT_JSON_NONE) return result;
    if (m[0].value.kind != SFT_JSON_ARRAY)
        return sft_gltf_fail_node(gltf, reader->error, SFT_ERR_SYNTAX, m[0].value.start, parent,
                                  "the children of %s must be an array of node indices; export again",
                                  sft_gltf_label(gltf, parent).text);
    int32_t last = -1;
    sft_json_iter it = sft_json_iterate(gltf->json, m[0].value);
    while (result == SFT_OK && sft_json_next(gltf->json, &it))
    {
        int32_t child = -1;
        result = sft_gltf_index(reader, it.value, sft_gltf_label(gltf, parent).text, "node", gltf->node_count, &child);
        if (result != SFT_OK)
            sft_gltf_name_joint(gltf, reader->error, parent);
        else
            result = add_child(reader, parent, child, it.value.start, &last);
    }
    return result;
}

// With one parent a node at most, what no root reaches hangs in rings. marks: 0 not seen, 1 on the way up, 2 fine.
static sft_result refuse_rings(gltf_reader* reader, uint8_t* marks)
{
    const sft_gltf* gltf = reader->gltf;
    for (int32_t n = 0; n < gltf->node_count; ++n)
    {
        int32_t up = n;
        for (; up >= 0 && marks[up] == 0; up = gltf->nodes[up].parent)
            marks[up] = 1;
        if (up >= 0 && marks[up] == 1)
            return sft_gltf_fail_node(gltf, reader->error, SFT_ERR_SYNTAX, gltf->nodes[up].value.start, up,
                                      "nodes hang in a ring: %s is below %s and above it; remove one from the other's "
                                      "children",
                                      sft_gltf_label(gltf, up).text, sft_gltf_label(gltf, gltf->nodes[up].parent).text);
        for (up = n; up >= 0 && marks[up] == 1; up = gltf->nodes[up].parent)
            marks[up] = 2;
    }
    return SFT_OK;
}

// ---- scenes ----

typedef struct roots
{
    sft_gltf* gltf;
    uint8_t* listed; ///< nodes that are in the list already
    int32_t last;
} roots;

static void add_root(roots* r, int32_t node)
{
    if (r->listed[node]) return;
    r->listed[node] = 1;
    if (r->last < 0)
        r->gltf->first_root = node;
    else
        r->gltf->nodes[r->last].next_sibling = node;
    r->last = node;
}

static void add_scene_node(roots* r, size_t scene, sft_json_value value)
{
    sft_gltf* gltf = r->gltf;
    const int32_t node = sft_gltf_loose_index(gltf->json, value, gltf->node_count);
    if (node >= 0) gltf->nodes[node].in_scene = true;
    if (node < 0)
        sft_gltf_warn(gltf, value.start, "scene %z names a node that is not there; it is left out", scene);
    else if (gltf->nodes[node].parent >= 0)
        sft_gltf_warn(gltf, value.start, "scene %z names %s, which hangs below node %d and is no root", scene,
                      sft_gltf_label(gltf, node).text, gltf->nodes[node].parent);
    else
        add_root(r, node);
}

static sft_result read_scenes(gltf_reader* reader, uint8_t* listed)
{
    sft_gltf* gltf = reader->gltf;
    roots r = {gltf, listed, -1};
    sft_json_value scenes;
    sft_result result = sft_gltf_list(reader, "scenes", 16 * reader->def.max_nodes, &scenes, &gltf->view.scene_count);
    if (result != SFT_OK) return result;
    for (sft_json_iter it = sft_json_iterate(gltf->json, scenes); sft_json_next(gltf->json, &it);)
    {
        const sft_json_value nodes = sft_json_get(gltf->json, it.value, "nodes");
        for (sft_json_iter n = sft_json_iterate(gltf->json, nodes); sft_json_next(gltf->json, &n);)
            add_scene_node(&r, it.index, n.value);
    }
    for (int32_t n = 0; n < gltf->node_count; ++n)
        if (gltf->nodes[n].parent < 0) add_root(&r, n);
    const sft_json_value scene = sft_json_get(gltf->json, reader->root, "scene");
    if (scene.kind != SFT_JSON_NONE && sft_gltf_loose_index(gltf->json, scene, gltf->view.scene_count) < 0)
        sft_gltf_warn(gltf, scene.start, "the default scene is not there; all scenes are read as always");
    return SFT_OK;
}

sft_result sft_gltf_read_graph(gltf_reader* reader)
{
    sft_gltf* gltf = reader->gltf;
    gltf->first_root = -1;
    sft_result result = SFT_OK;
    for (int32_t n = 0; n < gltf->node_count && result == SFT_OK; ++n)
        result = read_children(reader, n);
    if (result != SFT_OK) return result;
    const size_t count = (size_t)gltf->node_count;
    uint8_t* marks = sft_core_alloc(&gltf->allocator, count, 1);
    if (marks == NULL) return sft_gltf_no_memory(reader->error);
    result = refuse_rings(reader, marks);
    if (result == SFT_OK)
    {
        if (count > 0) memset(marks, 0, count);
        result = read_scenes(reader, marks);
    }
    sft_core_free(&gltf->allocator, marks, count, 1);
    return result;
}
