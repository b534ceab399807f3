// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Which nodes are joints, and what an animation does with them (docs/gltf.md, "Joints"). Files can be made of chains
// of nodes as deep as they have nodes, so nothing here recurses and everything is linear, but for the search of a
// common ancestor, which is logarithmic.

#include "gltf/curve.h"

// Keys that descriptions may read beyond four for each byte of the document.
#define FREE_KEYS (UINT64_C(1) << 24)

enum
{
    JOINT = 1, // is one
    ABOVE = 2, // has a joint below
    LADEN = 4, // carries something, or something below does
    MOVED = 8, // an animation moves it
    IN_SCENE = 16
};

typedef struct place
{
    int32_t order; // in depth-first order
    int32_t end;   // first in that order that is not below
    int32_t depth;
    int32_t jump; // some ancestor; following jumps and parents reaches any in logarithmic time
    uint8_t marks;
} place;

typedef struct tree
{
    const sft_gltf* gltf;
    place* places;
    int32_t* order; // nodes depth first: parents before children, siblings in file order
    int32_t count;  // of order
} tree;

static void enter(tree* t, int32_t node, int32_t parent)
{
    place* p = &t->places[node];
    p->order = t->count;
    t->order[t->count++] = node;
    if (parent < 0)
    {
        p->jump = node;
        return;
    }
    // The skew-binary rule (Myers 1983): two jumps of equal length become one.
    const place* up = &t->places[parent];
    const place* far = &t->places[up->jump];
    p->depth = up->depth + 1;
    p->jump = up->depth - far->depth == far->depth - t->places[far->jump].depth ? far->jump : parent;
}

static void leave(tree* t, int32_t node)
{
    t->places[node].end = t->count;
}

static void walk(tree* t)
{
    const gltf_node* nodes = t->gltf->nodes;
    for (int32_t root = t->gltf->first_root; root >= 0; root = nodes[root].next_sibling)
    {
        int32_t n = root;
        enter(t, n, -1);
        for (;;)
        {
            if (nodes[n].first_child >= 0)
            {
                enter(t, nodes[n].first_child, n);
                n = nodes[n].first_child;
                continue;
            }
            leave(t, n);
            while (n != root && nodes[n].next_sibling < 0)
            {
                n = nodes[n].parent;
                leave(t, n);
            }
            if (n == root) break;
            enter(t, nodes[n].next_sibling, nodes[n].parent);
            n = nodes[n].next_sibling;
        }
    }
}

static bool holds(const tree* t, int32_t node, int32_t order)
{
    return t->places[node].order <= order && order < t->places[node].end;
}

// Lowest ancestor of a node (itself included) that has both ends of a stretch of the order below; -1 where none has.
static int32_t common_ancestor(const tree* t, int32_t node, int32_t last)
{
    while (!holds(t, node, last))
    {
        if (t->gltf->nodes[node].parent < 0) return -1;
        const int32_t jump = t->places[node].jump;
        node = holds(t, jump, last) ? t->gltf->nodes[node].parent : jump;
    }
    return node;
}

// Joints of skins, and what joins those of one skin.
static bool mark_skins(tree* t)
{
    bool any = false;
    for (int32_t s = 0; s < t->gltf->skin_count; ++s)
    {
        const gltf_skin* skin = &t->gltf->skins[s];
        int32_t first = -1, last = -1;
        for (int32_t i = 0; i < skin->joint_count; ++i)
        {
            const int32_t node = skin->joints[i];
            const int32_t at = t->places[node].order;
            t->places[node].marks |= JOINT;
            if (first < 0 || at < t->places[first].order) first = node;
            if (at > last) last = at;
        }
        if (first < 0) continue;
        any = true;
        const int32_t top = common_ancestor(t, first, last);
        if (top >= 0) t->places[top].marks |= JOINT;
    }
    return any;
}

static bool moves(const gltf_channel* channel)
{
    return channel->node >= 0 && channel->path <= GLTF_SCALE;
}

static bool mark_moved(tree* t)
{
    bool any = false;
    for (int32_t a = 0; a < t->gltf->animation_count; ++a)
        for (int32_t c = 0; c < t->gltf->animations[a].channel_count; ++c)
        {
            const gltf_channel* channel = &t->gltf->animations[a].channels[c];
            // What a pointer moves cannot be sampled, but it moves: the animation will say so.
            if (!moves(channel) && (channel->path != GLTF_POINTER || channel->node < 0)) continue;
            t->places[channel->node].marks |= MOVED;
            any = true;
        }
    return any;
}

static void mark_laden(tree* t)
{
    for (int32_t i = t->count; i-- > 0;)
    {
        const int32_t n = t->order[i];
        const gltf_node* node = &t->gltf->nodes[n];
        if (node->carries || node->camera >= 0 || node->mesh >= 0) t->places[n].marks |= LADEN;
        if (node->parent >= 0) t->places[node->parent].marks |= t->places[n].marks & LADEN;
    }
}

static void mark_all(tree* t, uint8_t from, uint8_t to)
{
    for (int32_t i = 0; i < t->count; ++i)
        if ((t->places[t->order[i]].marks & from) != 0) t->places[t->order[i]].marks |= to;
}

// Without skins and motion: what stands in a scene. Things that lie side by side are no skeleton.
static void mark_scenes(tree* t)
{
    bool nested = false;
    bool bare = false;
    for (int32_t i = 0; i < t->count; ++i)
    {
        const int32_t n = t->order[i];
        const gltf_node* node = &t->gltf->nodes[n];
        const uint8_t above = node->parent >= 0 ? t->places[node->parent].marks : 0;
        if (!node->in_scene && (above & IN_SCENE) == 0 && t->gltf->view.scene_count > 0) continue;
        t->places[n].marks |= IN_SCENE;
        nested = nested || node->parent >= 0;
        bare = bare || (t->places[n].marks & LADEN) == 0;
    }
    if (nested || bare) mark_all(t, IN_SCENE, JOINT);
}

// A node that has joints above and below is one, and so is what hangs below a joint and carries nothing.
static void close_gaps(tree* t)
{
    const gltf_node* nodes = t->gltf->nodes;
    for (int32_t i = t->count; i-- > 0;)
    {
        const place* p = &t->places[t->order[i]];
        const int32_t parent = nodes[t->order[i]].parent;
        if (parent >= 0 && (p->marks & (JOINT | ABOVE)) != 0) t->places[parent].marks |= ABOVE;
    }
    for (int32_t i = 0; i < t->count; ++i)
    {
        place* p = &t->places[t->order[i]];
        const int32_t parent = nodes[t->order[i]].parent;
        if (parent < 0 || (t->places[parent].marks & JOINT) == 0) continue;
        if ((p->marks & ABOVE) != 0 || (p->marks & LADEN) == 0) p->marks |= JOINT;
    }
}

static void choose(tree* t)
{
    mark_laden(t);
    const bool moved = mark_moved(t);
    if (mark_skins(t))
    {
        // What moves above a joint moves it.
        close_gaps(t);
        for (int32_t i = 0; i < t->count; ++i)
        {
            place* p = &t->places[t->order[i]];
            if ((p->marks & ABOVE) != 0 && (p->marks & MOVED) != 0) p->marks |= JOINT;
        }
    }
    else if (moved)
        mark_all(t, MOVED, JOINT);
    else
        mark_scenes(t);
    close_gaps(t);
}

static sft_result store(sft_gltf* gltf, const tree* t, sft_error* error)
{
    size_t count = 0;
    for (int32_t i = 0; i < t->count; ++i)
        count += (t->places[t->order[i]].marks & JOINT) != 0;
    if (count > SFT_MAX_JOINTS)
        return sft_core_fail(error, SFT_ERR_LIMIT, 0, 0, NULL, "%z joints; a skeleton may have %d", count,
                             SFT_MAX_JOINTS);
    int32_t* joint_nodes = sft_gltf_keep(gltf, count, sizeof *joint_nodes);
    int32_t* joint_parents = sft_gltf_keep(gltf, count, sizeof *joint_parents);
    int32_t* node_joints = sft_gltf_keep(gltf, (size_t)gltf->node_count, sizeof *node_joints);
    if (joint_nodes == NULL || joint_parents == NULL || node_joints == NULL)
        return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
    for (int32_t n = 0; n < gltf->node_count; ++n)
        node_joints[n] = -1;
    int32_t joint = 0;
    for (int32_t i = 0; i < t->count; ++i)
    {
        const int32_t n = t->order[i];
        if ((t->places[n].marks & JOINT) == 0) continue;
        const int32_t parent = gltf->nodes[n].parent;
        joint_nodes[joint] = n;
        joint_parents[joint] = parent >= 0 ? node_joints[parent] : -1;
        node_joints[n] = joint++;
    }
    gltf->joint_nodes = joint_nodes;
    gltf->joint_parents = joint_parents;
    gltf->node_joints = node_joints;
    gltf->view.joint_count = joint;
    gltf->view.joint_nodes = joint_nodes;
    gltf->view.node_joints = node_joints;
    return SFT_OK;
}

sft_result sft_gltf_pick_joints(sft_gltf* gltf, sft_error* error)
{
    const size_t nodes = (size_t)gltf->node_count;
    tree t = {.gltf = gltf};
    t.places = sft_core_alloc(&gltf->allocator, nodes, sizeof *t.places);
    t.order = sft_core_alloc(&gltf->allocator, nodes, sizeof *t.order);
    sft_result result = SFT_ERR_MEMORY;
    if (t.places != NULL && t.order != NULL)
    {
        if (nodes > 0) walk(&t);
        choose(&t);
        result = store(gltf, &t, error);
    }
    else
        result = sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
    sft_core_free(&gltf->allocator, t.places, nodes, sizeof *t.places);
    sft_core_free(&gltf->allocator, t.order, nodes, sizeof *t.order);
    return result;
}

// ---- animations ----

static void describe_times(sft_gltf* gltf, const gltf_animation* a, sft_gltf_animation* info)
{
    const gltf_channel* densest[2] = {NULL, NULL}; // rotations, others
    uint32_t most[2] = {0, 0};
    bool any = false;
    for (int32_t c = 0; c < a->channel_count; ++c)
    {
        const gltf_channel* channel = &a->channels[c];
        if (!moves(channel) || gltf->node_joints[channel->node] < 0) continue;
        const uint32_t count = sft_gltf_key_count(gltf, a, channel);
        if (count == 0) continue;
        double first, last;
        sft_gltf_key_times(gltf, a, channel, 0, 1, &first);
        sft_gltf_key_times(gltf, a, channel, count - 1, 1, &last);
        info->start = any ? sft_mind(info->start, first) : first;
        info->end = any ? sft_maxd(info->end, last) : last;
        any = true;
        const int kind = channel->path == GLTF_ROTATION ? 0 : 1;
        if (count <= most[kind]) continue;
        most[kind] = count;
        densest[kind] = channel;
    }
    const int kind = densest[0] != NULL ? 0 : 1;
    if (densest[kind] == NULL) return;
    info->key_count = most[kind] <= 2147483647u ? (int32_t)most[kind] : 2147483647;
    gltf->keys_described += most[kind];
    if (gltf->keys_described > FREE_KEYS + 4 * (uint64_t)gltf->size)
    {
        sft_core_format(info->problem, sizeof info->problem,
                        "animations share their key times so often that they hold more keys than a file of this size "
                        "may: give each its own");
        return;
    }
    info->even = sft_gltf_even_keys(gltf, a, densest[kind], &info->frame_time);
}

sft_result sft_gltf_describe_animation(sft_gltf* gltf, int32_t animation)
{
    const gltf_animation* a = &gltf->animations[animation];
    sft_gltf_animation* info = &gltf->infos[animation];
    info->name = a->name != NULL ? a->name : "";
    info->channel_count = info->other_count = info->key_count = 0;
    info->start = info->end = info->frame_time = 0.0;
    info->even = false;
    for (int32_t c = 0; c < a->channel_count; ++c)
    {
        const gltf_channel* channel = &a->channels[c];
        if (moves(channel) && gltf->node_joints[channel->node] >= 0)
            info->channel_count += 1;
        else
            info->other_count += 1;
    }
    if (info->problem[0] == '\0') describe_times(gltf, a, info);
    return SFT_OK;
}
