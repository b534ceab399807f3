// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// HIERARCHY: joints, offsets, channels. A loop, not a recursion: depth costs no stack.

#include "bvh/bvh.h"

typedef struct parser
{
    sft_bvh* bvh;
    bvh_text* text;
    int32_t current; ///< joint whose braces are open, -1 outside
    bool want_brace; ///< ROOT, JOINT or End was read, { must follow
    uint32_t line;   ///< of the word at hand, kept up to date as words go by
    const char* counted;
} parser;

static const char* const channel_words[6] = {"xposition", "yposition", "zposition",
                                             "xrotation", "yrotation", "zrotation"};

// Lines are counted on from the last word, so that a joint's line costs nothing extra.
static uint32_t line_at(parser* p, const char* at)
{
    const bvh_text part = {p->counted, p->counted, p->text->end, NULL};
    p->line += sft_bvh_line(&part, at) - 1;
    p->counted = at;
    return p->line;
}

static const char* joint_name(const parser* p, int32_t joint)
{
    if (joint < 0) return NULL;
    const sft_bvh_joint* j = &p->bvh->joints[joint];
    if (j->end_site && j->parent >= 0) joint = j->parent;
    return p->bvh->names + p->bvh->notes[joint].label;
}

static sft_result grow_joints(sft_bvh* bvh)
{
    const size_t count = (size_t)bvh->view.joint_count;
    if (count < bvh->joint_capacity) return SFT_OK;
    const size_t capacity = count == 0 ? 64 : 2 * count;
    sft_bvh_joint* joints = sft_core_grow(&bvh->allocator, NULL, 0, capacity, sizeof *joints);
    bvh_note* notes = sft_core_grow(&bvh->allocator, NULL, 0, capacity, sizeof *notes);
    if (joints == NULL || notes == NULL)
    {
        sft_core_free(&bvh->allocator, joints, capacity, sizeof *joints);
        sft_core_free(&bvh->allocator, notes, capacity, sizeof *notes);
        return SFT_ERR_MEMORY;
    }
    if (count > 0)
    {
        memcpy(joints, bvh->joints, count * sizeof *joints);
        memcpy(notes, bvh->notes, count * sizeof *notes);
    }
    sft_core_free(&bvh->allocator, bvh->joints, bvh->joint_capacity, sizeof *joints);
    sft_core_free(&bvh->allocator, bvh->notes, bvh->joint_capacity, sizeof *notes);
    bvh->joints = joints;
    bvh->notes = notes;
    bvh->joint_capacity = capacity;
    return SFT_OK;
}

static sft_result add_name(sft_bvh* bvh, const char* at, size_t length, size_t* label)
{
    if (bvh->names_size + length + 1 > bvh->names_capacity)
    {
        const size_t capacity = 2 * (bvh->names_size + length + 1) + 256;
        char* names = sft_core_alloc(&bvh->allocator, capacity, 1);
        if (names == NULL) return SFT_ERR_MEMORY;
        if (bvh->names_size > 0) memcpy(names, bvh->names, bvh->names_size);
        sft_core_free(&bvh->allocator, bvh->names, bvh->names_capacity, 1);
        bvh->names = names;
        bvh->names_capacity = capacity;
    }
    *label = bvh->names_size;
    if (length > 0) memcpy(bvh->names + bvh->names_size, at, length);
    bvh->names[bvh->names_size + length] = '\0';
    bvh->names_size += length + 1;
    return SFT_OK;
}

// A name is the rest of the line without outer blanks, up to a brace: spaces and any bytes may stand in it.
static bvh_word rest_of_line(bvh_text* text)
{
    const char* p = text->at;
    while (p < text->end && (*p == ' ' || *p == '\t'))
        ++p;
    const char* start = p;
    while (p < text->end && *p != '\n' && *p != '\r' && *p != '{')
        ++p;
    text->at = p;
    while (p > start && sft_bvh_is_blank(p[-1]))
        --p;
    return (bvh_word){start, (size_t)(p - start)};
}

static sft_result out_of_memory(const parser* p)
{
    return sft_bvh_fail(p->text, SFT_ERR_MEMORY, p->text->at, NULL, "out of memory while reading the hierarchy");
}

static sft_result check_place(const parser* p, bvh_word word, bool root)
{
    const sft_bvh_joint* open = p->current >= 0 ? &p->bvh->joints[p->current] : NULL;
    if (root && open != NULL)
        return sft_bvh_fail(p->text, SFT_ERR_SYNTAX, word.at, joint_name(p, p->current),
                            "ROOT inside another joint; a closing brace is missing before it");
    if (!root && open == NULL)
        return sft_bvh_fail(p->text, SFT_ERR_SYNTAX, word.at, NULL,
                            "JOINT or End Site outside a ROOT; there is one closing brace too many before it");
    if (!root && open->end_site)
        return sft_bvh_fail(p->text, SFT_ERR_SYNTAX, word.at, joint_name(p, p->current),
                            "an End Site cannot have children; a closing brace is missing before it");
    if (p->bvh->view.joint_count >= SFT_MAX_JOINTS)
        return sft_bvh_fail(p->text, SFT_ERR_LIMIT, word.at, NULL, "more than %d joints; split the file",
                            SFT_MAX_JOINTS);
    return SFT_OK;
}

static sft_result add_joint(parser* p, bvh_word word, bool root, bool end_site)
{
    sft_bvh* bvh = p->bvh;
    const sft_result placed = check_place(p, word, root);
    if (placed != SFT_OK) return placed;
    const bvh_word name = rest_of_line(p->text);
    if (name.length > 0 && memchr(name.at, '\0', name.length) != NULL)
        return sft_bvh_fail(p->text, SFT_ERR_SYNTAX, name.at, NULL,
                            "a zero byte in a joint name; this is no text file, export it again");
    const int32_t index = bvh->view.joint_count;
    size_t label = 0;
    if (grow_joints(bvh) != SFT_OK || add_name(bvh, name.at, name.length, &label) != SFT_OK) return out_of_memory(p);
    bvh->joints[index] = (sft_bvh_joint){.parent = p->current, .end_site = end_site};
    bvh->joints[index].channel_first = bvh->view.channel_count;
    bvh->notes[index] = (bvh_note){.label = label, .line = line_at(p, word.at)};
    if (name.length == 0 && !end_site) sft_bvh_warn(bvh, bvh->notes[index].line, "a joint without a name");
    ++bvh->view.joint_count;
    p->current = index;
    p->want_brace = true;
    return SFT_OK;
}

static sft_result check_before_children(const parser* p, bvh_word word, bool again, const char* what)
{
    if (p->current < 0)
        return sft_bvh_fail(p->text, SFT_ERR_SYNTAX, word.at, NULL, "%s outside a joint; check the braces before it",
                            what);
    if (again)
        return sft_bvh_fail(p->text, SFT_ERR_SYNTAX, word.at, joint_name(p, p->current),
                            "a second %s in one joint; a brace or a JOINT line is missing before it", what);
    if (p->current != p->bvh->view.joint_count - 1)
        return sft_bvh_fail(p->text, SFT_ERR_SYNTAX, word.at, joint_name(p, p->current),
                            "%s after a child joint; move it above the first child", what);
    return SFT_OK;
}

static sft_result read_offset(parser* p, bvh_word word)
{
    bvh_note* note = p->current >= 0 ? &p->bvh->notes[p->current] : NULL;
    const sft_result placed = check_before_children(p, word, note != NULL && note->has_offset, "OFFSET");
    if (placed != SFT_OK) return placed;
    double values[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i)
    {
        const sft_result read = sft_bvh_number(p->text, joint_name(p, p->current), "OFFSET", &values[i]);
        if (read != SFT_OK) return read;
    }
    note->has_offset = true;
    p->bvh->joints[p->current].offset = (sft_v3d){values[0], values[1], values[2]};
    return SFT_OK;
}

static sft_result read_channel_name(parser* p, sft_bvh_joint* joint)
{
    const bvh_word word = sft_bvh_next_word(p->text);
    const bvh_quote quote = sft_bvh_quote(word.at, word.at + word.length);
    for (uint8_t c = 0; c < 6; ++c)
    {
        if (!sft_bvh_word_is(word, channel_words[c])) continue;
        for (int32_t i = 0; i < joint->channel_count; ++i)
            if (joint->channels[i] == c && c < SFT_BVH_XROTATION)
                return sft_bvh_fail(p->text, SFT_ERR_SYNTAX, word.at, joint_name(p, p->current),
                                    "'%s' twice in one joint; one of them must be another channel", quote.text);
        joint->channels[joint->channel_count++] = c;
        return SFT_OK;
    }
    return sft_bvh_fail(p->text, SFT_ERR_SYNTAX, word.at, joint_name(p, p->current),
                        "'%s' is no channel; known are Xposition to Zposition and Xrotation to Zrotation, as many as "
                        "CHANNELS says",
                        quote.text);
}

static sft_result read_channels(parser* p, bvh_word word)
{
    bvh_note* note = p->current >= 0 ? &p->bvh->notes[p->current] : NULL;
    const sft_result placed = check_before_children(p, word, note != NULL && note->has_channels, "CHANNELS");
    if (placed != SFT_OK) return placed;
    const char* name = joint_name(p, p->current);
    double count = 0.0;
    const sft_result read = sft_bvh_number(p->text, name, "CHANNELS", &count);
    if (read != SFT_OK) return read;
    if (!(count >= 0.0) || count != (double)(int64_t)sft_clampd(count, -1.0, 1e6))
        return sft_bvh_fail(p->text, SFT_ERR_SYNTAX, word.at, name, "CHANNELS must be followed by how many there are");
    if (count > 6.0)
        return sft_bvh_fail(p->text, SFT_ERR_UNSUPPORTED, word.at, name,
                            "%g channels in one joint; at most three positions and three rotations are known", count);
    sft_bvh_joint* joint = &p->bvh->joints[p->current];
    if (joint->end_site && count > 0.0)
        return sft_bvh_fail(p->text, SFT_ERR_UNSUPPORTED, word.at, name,
                            "an End Site with channels; make it a JOINT to animate it");
    for (int i = 0; i < (int)count; ++i)
    {
        const sft_result channel = read_channel_name(p, joint);
        if (channel != SFT_OK) return channel;
    }
    note->has_channels = true;
    p->bvh->view.channel_count += joint->channel_count;
    return SFT_OK;
}

static void close_joint(parser* p, bvh_word word)
{
    if (p->current < 0)
    {
        sft_bvh_warn(p->bvh, line_at(p, word.at), "one closing brace too many; it was skipped");
        return;
    }
    const bvh_note* note = &p->bvh->notes[p->current];
    if (!note->has_offset)
        sft_bvh_warn(p->bvh, note->line, "%s%s has no OFFSET; 0 0 0 was taken",
                     p->bvh->joints[p->current].end_site ? "the End Site of " : "", joint_name(p, p->current));
    p->current = p->bvh->joints[p->current].parent;
}

static sft_result finish(const parser* p, bvh_word word)
{
    if (p->current >= 0)
        return sft_bvh_fail(p->text, SFT_ERR_SYNTAX, word.at, joint_name(p, p->current),
                            "the joint begun on line %u is not closed; a closing brace is missing",
                            p->bvh->notes[p->current].line);
    if (word.length == 0)
        return sft_bvh_fail(p->text, SFT_ERR_SYNTAX, word.at, NULL,
                            p->bvh->view.joint_count == 0 ? "the file ends before the first ROOT"
                                                          : "the file ends before MOTION; it was cut or holds no "
                                                            "animation");
    if (p->bvh->view.joint_count == 0)
        return sft_bvh_fail(p->text, SFT_ERR_SYNTAX, word.at, NULL, "MOTION before any ROOT; the hierarchy is missing");
    return SFT_OK;
}

static sft_result read_statement(parser* p, bvh_word word)
{
    if (p->want_brace)
    {
        p->want_brace = false;
        if (sft_bvh_word_is(word, "{")) return SFT_OK;
        return sft_bvh_fail(p->text, SFT_ERR_SYNTAX, word.at, joint_name(p, p->current),
                            "an opening brace must follow the joint's name");
    }
    if (sft_bvh_word_is(word, "root")) return add_joint(p, word, true, false);
    if (sft_bvh_word_is(word, "joint")) return add_joint(p, word, false, false);
    if (sft_bvh_word_is(word, "end")) return add_joint(p, word, false, true);
    if (sft_bvh_word_is(word, "offset")) return read_offset(p, word);
    if (sft_bvh_word_is(word, "channels")) return read_channels(p, word);
    if (sft_bvh_word_is(word, "}"))
    {
        close_joint(p, word);
        return SFT_OK;
    }
    const bvh_quote quote = sft_bvh_quote(word.at, word.at + word.length);
    return sft_bvh_fail(p->text, SFT_ERR_SYNTAX, word.at, joint_name(p, p->current),
                        "'%s' in the hierarchy; ROOT, JOINT, End Site, OFFSET, CHANNELS, a closing brace or MOTION "
                        "should stand here",
                        quote.text);
}

sft_result sft_bvh_read_hierarchy(sft_bvh* bvh, bvh_text* text)
{
    parser p = {bvh, text, -1, false, 1, text->start};
    bvh_word word = sft_bvh_next_word(text);
    if (!sft_bvh_word_is(word, "hierarchy"))
        return sft_bvh_fail(text, SFT_ERR_SYNTAX, word.at, NULL, "HIERARCHY must come first; is this a BVH file?");
    for (;;)
    {
        word = sft_bvh_next_word(text);
        if (word.length == 0 || (!p.want_brace && sft_bvh_word_is(word, "motion"))) return finish(&p, word);
        const sft_result read = read_statement(&p, word);
        if (read != SFT_OK) return read;
    }
}
