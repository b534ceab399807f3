// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Document to text. The length is not known before the numbers are written, so the text grows in steps of a half.

#include "bvh/bvh.h"

// Deeper joints are indented no further: a chain of n joints would otherwise cost n^2 bytes.
#define MAX_INDENT 64

typedef struct output
{
    sft_allocator allocator;
    char* text;
    size_t size, capacity;
    bool failed;
} output;

static void reserve(output* o, size_t more)
{
    if (o->failed || o->capacity - o->size >= more) return;
    const size_t capacity = o->size + o->size / 2 + more + 4096;
    char* text = o->allocator.allocate(o->allocator.user, capacity);
    if (text == NULL)
    {
        o->failed = true;
        return;
    }
    if (o->size > 0) memcpy(text, o->text, o->size);
    sft_core_free(&o->allocator, o->text, o->capacity, 1);
    o->text = text;
    o->capacity = capacity;
}

static void put(output* o, const char* text, size_t length)
{
    reserve(o, length);
    if (o->failed || length == 0) return;
    memcpy(o->text + o->size, text, length);
    o->size += length;
}

static void put_text(output* o, const char* text)
{
    put(o, text, strlen(text));
}

static void put_number(output* o, double value, int* hint)
{
    char digits[SFT_DECIMAL_MAX];
    put(o, digits, sft_decimal_print(digits, value, hint));
}

static void put_indent(output* o, const bvh_style* style, int depth)
{
    for (int i = 0; i < depth && i < MAX_INDENT; ++i)
        put_text(o, style->indent);
}

static void put_line(output* o, const bvh_style* style, int depth, const char* text)
{
    put_indent(o, style, depth);
    put_text(o, text);
    put_text(o, style->line_end);
}

static void put_offset(output* o, const bvh_style* style, int depth, sft_v3d offset)
{
    int hint = 0;
    put_indent(o, style, depth);
    put_text(o, "OFFSET ");
    put_number(o, offset.x, &hint);
    put_text(o, " ");
    put_number(o, offset.y, &hint);
    put_text(o, " ");
    put_number(o, offset.z, &hint);
    put_text(o, style->line_end);
}

static void put_joint(output* o, const sft_bvh* bvh, int32_t index, int depth)
{
    static const char* const names[6] = {" Xposition", " Yposition", " Zposition",
                                         " Xrotation", " Yrotation", " Zrotation"};
    const sft_bvh_joint* joint = &bvh->joints[index];
    const char* label = bvh->names + bvh->notes[index].label;
    put_indent(o, &bvh->style, depth);
    put_text(o, joint->end_site ? "End " : joint->parent < 0 ? "ROOT " : "JOINT ");
    put_text(o, joint->end_site && label[0] == '\0' ? "Site" : label);
    put_text(o, bvh->style.line_end);
    put_line(o, &bvh->style, depth, "{");
    put_offset(o, &bvh->style, depth + 1, joint->offset);
    if (joint->end_site) return;
    const char count[2] = {(char)('0' + joint->channel_count), '\0'};
    put_indent(o, &bvh->style, depth + 1);
    put_text(o, "CHANNELS ");
    put_text(o, count);
    for (int32_t c = 0; c < joint->channel_count; ++c)
        put_text(o, names[joint->channels[c]]);
    put_text(o, bvh->style.line_end);
}

static void put_hierarchy(output* o, const sft_bvh* bvh)
{
    put_line(o, &bvh->style, 0, "HIERARCHY");
    int32_t open = -1;
    int depth = 0;
    for (int32_t j = 0; j <= bvh->view.joint_count; ++j)
    {
        const int32_t parent = j < bvh->view.joint_count ? bvh->joints[j].parent : -1;
        // File order is depth first, so the parent is the open joint or one above it.
        while (open != parent && open >= 0)
        {
            put_line(o, &bvh->style, --depth, "}");
            open = bvh->joints[open].parent;
        }
        if (j == bvh->view.joint_count) break;
        put_joint(o, bvh, j, depth++);
        open = j;
    }
}

static void put_motion(output* o, const sft_bvh* bvh)
{
    const size_t channels = (size_t)bvh->view.channel_count;
    const char* space = bvh->style.colon_tabs ? "\t" : " ";
    int hint = 0;
    put_line(o, &bvh->style, 0, "MOTION");
    put_text(o, "Frames:");
    put_text(o, space);
    put_number(o, (double)bvh->view.frame_count, &hint);
    put_text(o, bvh->style.line_end);
    put_text(o, "Frame Time:");
    put_text(o, space);
    if (bvh->view.frame_time_text != NULL)
        put_text(o, bvh->view.frame_time_text);
    else
        put_number(o, bvh->view.frame_time, &hint);
    put_text(o, bvh->style.line_end);
    const size_t end_length = strlen(bvh->style.line_end);
    const double* value = bvh->values;
    const size_t start = o->size;
    for (int32_t f = 0; channels > 0 && f < bvh->view.frame_count && !o->failed; ++f)
    {
        // Rows are about alike: after a few of them the length of all is known well enough not to grow again.
        if (f == 16) reserve(o, (o->size - start) / 16 * (size_t)(bvh->view.frame_count - f) / 8 * 9);
        // Room for a whole row at once: the loop over its numbers then checks nothing.
        reserve(o, channels * (SFT_DECIMAL_MAX + 1) + end_length);
        if (o->failed) return;
        char* out = o->text + o->size;
        for (size_t c = 0; c < channels; ++c)
        {
            if (c > 0) *out++ = ' ';
            out += sft_decimal_print(out, *value++, &hint);
        }
        memcpy(out, bvh->style.line_end, end_length);
        o->size = (size_t)(out - o->text) + end_length;
    }
}

sft_result sft_bvh_write(const sft_bvh* bvh, const sft_allocator* allocator, char** text, size_t* size)
{
    if (bvh == NULL || text == NULL || size == NULL) return SFT_ERR_ARG;
    output o = {.allocator = sft_core_allocator(allocator)};
    put_hierarchy(&o, bvh);
    put_motion(&o, bvh);
    // The block handed out is size + 1 bytes, as promised, whatever was grown on the way.
    char* exact = o.failed ? NULL : o.allocator.allocate(o.allocator.user, o.size + 1);
    if (exact != NULL)
    {
        memcpy(exact, o.text, o.size);
        exact[o.size] = '\0';
        *text = exact;
        *size = o.size;
    }
    sft_core_free(&o.allocator, o.text, o.capacity, 1);
    return exact != NULL ? SFT_OK : SFT_ERR_MEMORY;
}
