// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "bvh/bvh.h"

#include <math.h>

static bool utf16_mark(const unsigned char* bytes, size_t size)
{
    return size >= 2 && ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff));
}

// First line end and first indent: enough to write in the same manner.
static bvh_style sniff_style(const char* p, const char* end)
{
    bvh_style style = {"\n", "", false};
    const char* stop = end - p > 4096 ? p + 4096 : end;
    while (p < stop && *p != '\n' && *p != '\r')
        ++p;
    if (p < stop && *p == '\r') memcpy(style.line_end, p + 1 < end && p[1] == '\n' ? "\r\n" : "\r\0", 3);
    for (; p < stop; ++p)
    {
        if (*p != '\n' && *p != '\r') continue;
        size_t n = 0;
        while (p + 1 + n < stop && n < sizeof style.indent - 1 && p[1 + n] == ' ')
            ++n;
        memset(style.indent, ' ', n);
        if (n == 0 && p + 1 < stop && p[1] == '\t') style.indent[n++] = '\t';
        if (n > 0) break;
    }
    return style;
}

// Some writers fill up their last block with zeros, or end with the old Ctrl-Z: no text, and nothing lost.
static const char* without_padding(const char* start, const char* end)
{
    while (end > start && (end[-1] == '\0' || end[-1] == '\x1a'))
        --end;
    return end;
}

static sft_result read_document(sft_bvh* bvh, bvh_text* text, sft_bvh_positions positions)
{
    sft_result result = sft_bvh_read_hierarchy(bvh, text);
    if (result == SFT_OK) result = sft_bvh_read_motion(bvh, text);
    if (result != SFT_OK) return result;
    sft_bvh_bind_names(bvh);
    sft_bvh_decide_positions(bvh, positions);
    sft_bvh_finish_warnings(bvh);
    return SFT_OK;
}

sft_result sft_bvh_read(const sft_bvh_read_def* def, const void* bytes, size_t size, const sft_allocator* allocator,
                        sft_bvh** out, sft_error* error)
{
    if (out == NULL || (bytes == NULL && size > 0))
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no bytes, or no place for the document");
    const sft_bvh_read_def settings = def != NULL ? *def : sft_default_bvh_read_def();
    if (settings.cookie != BVH_COOKIE || settings.positions < SFT_BVH_POSITIONS_AUTO ||
        settings.positions > SFT_BVH_POSITIONS_ADD)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, NULL,
                             "the settings did not come from sft_default_bvh_read_def(), or positions is out of range");
    if (size > settings.max_bytes)
        return sft_core_fail(error, SFT_ERR_LIMIT, 0, 0, NULL, "%z bytes are more than max_bytes, %z", size,
                             settings.max_bytes);
    const char* start = size > 0 ? (const char*)bytes : "";
    if (utf16_mark((const unsigned char*)start, size))
        return sft_core_fail(error, SFT_ERR_SYNTAX, 0, 1, NULL, "the text is UTF-16; save it as UTF-8");
    sft_bvh* bvh = sft_bvh_alloc(allocator);
    if (bvh == NULL) return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
    bvh_text text = {start, start, without_padding(start, start + size), error};
    if (text.end != start + size)
        sft_bvh_warn(bvh, 0, "%z bytes of padding behind the text were skipped", (size_t)(start + size - text.end));
    if (text.end - start >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0) text.at += 3;
    bvh->style = sniff_style(text.at, text.end);
    const sft_result result = read_document(bvh, &text, settings.positions);
    if (result != SFT_OK)
    {
        sft_bvh_destroy(bvh);
        return result;
    }
    *out = bvh;
    return SFT_OK;
}

// ---- position channels ----

// How far channel medians lie from OFFSET and from zero, over components that have a channel.
typedef struct evidence
{
    double from_offset, from_zero;
    int32_t joints;
} evidence;

// Median of a column, by halving the range: no copy of the column is needed, and 60 halvings leave nothing.
static double column_median(const sft_bvh* bvh, int32_t column)
{
    const size_t stride = (size_t)bvh->view.channel_count, frames = (size_t)bvh->view.frame_count;
    double lo = (double)INFINITY, hi = -(double)INFINITY;
    for (size_t f = 0; f < frames; ++f)
    {
        const double v = bvh->values[f * stride + (size_t)column];
        lo = sft_mind(lo, v);
        hi = sft_maxd(hi, v);
    }
    for (int step = 0; step < 60 && lo < hi; ++step)
    {
        const double middle = 0.5 * lo + 0.5 * hi;
        if (!(middle > lo && middle < hi)) break;
        size_t below = 0;
        for (size_t f = 0; f < frames; ++f)
            below += bvh->values[f * stride + (size_t)column] <= middle;
        if (2 * below >= frames)
            hi = middle;
        else
            lo = middle;
    }
    return hi;
}

static double component(sft_v3d v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static double largest_value(const sft_bvh* bvh, int32_t column, double sign)
{
    double largest = -(double)INFINITY;
    for (int32_t f = 0; f < bvh->view.frame_count; ++f)
        largest = sft_maxd(largest, sign * bvh->values[(size_t)f * (size_t)bvh->view.channel_count + (size_t)column]);
    return largest;
}

// A root travels, so its horizontal place says nothing. Along the largest component of OFFSET, mostly the height of the
// hips: channels that add to it stay about zero (crouching makes them negative), channels that replace it are a height
// (above a tenth even for somebody who lies down). A first frame at OFFSET settles it.
static void weigh_root(const sft_bvh* bvh, const sft_bvh_joint* joint, const bvh_columns* columns, int axis,
                       evidence* e)
{
    const double offset = component(joint->offset, axis), sign = offset < 0.0 ? -1.0 : 1.0;
    double miss = 0.0, size = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        if (columns->position[i] < 0) continue;
        miss += fabs(bvh->values[columns->position[i]] - component(joint->offset, i));
        size += fabs(component(joint->offset, i));
    }
    const double median = sign * column_median(bvh, columns->position[axis]);
    const bool adds = miss > 0.1 * size && median <= 0.08 * fabs(offset) &&
                      largest_value(bvh, columns->position[axis], sign) < 0.6 * fabs(offset);
    e->from_offset += adds ? 1.0 : 0.0;
    e->from_zero += adds ? 0.0 : 1.0;
}

static evidence weigh_joint(const sft_bvh* bvh, const sft_bvh_joint* joint)
{
    evidence e = {0.0, 0.0, 0};
    const bvh_columns columns = sft_bvh_joint_columns(joint);
    int largest = -1;
    for (int axis = 0; axis < 3; ++axis)
        if (columns.position[axis] >= 0 && component(joint->offset, axis) != 0.0 &&
            (largest < 0 || fabs(component(joint->offset, axis)) > fabs(component(joint->offset, largest))))
            largest = axis;
    if (largest < 0 || bvh->view.frame_count == 0) return e;
    e.joints = 1;
    if (joint->parent < 0)
    {
        weigh_root(bvh, joint, &columns, largest, &e);
        return e;
    }
    for (int axis = 0; axis < 3; ++axis)
    {
        if (columns.position[axis] < 0) continue;
        const double median = column_median(bvh, columns.position[axis]);
        e.from_offset += fabs(median - component(joint->offset, axis));
        e.from_zero += fabs(median);
    }
    return e;
}

static evidence weigh_class(const sft_bvh* bvh, bool roots)
{
    evidence sum = {0.0, 0.0, 0};
    for (int32_t j = 0; j < bvh->view.joint_count; ++j)
    {
        if ((bvh->joints[j].parent < 0) != roots) continue;
        const evidence e = weigh_joint(bvh, &bvh->joints[j]);
        sum.from_offset += e.from_offset;
        sum.from_zero += e.from_zero;
        sum.joints += e.joints;
    }
    return sum;
}

bool sft_bvh_has_positions(const sft_bvh_joint* joint)
{
    for (int32_t c = 0; c < joint->channel_count; ++c)
        if (joint->channels[c] < SFT_BVH_XROTATION) return true;
    return false;
}

static const char* reason_of(evidence e, bool replace)
{
    if (e.joints == 0) return "OFFSET is zero, so either reading is the same";
    return replace ? "their values lie near OFFSET, so they replace it"
                   : "their values lie near zero, so they add to OFFSET";
}

void sft_bvh_decide_positions(sft_bvh* bvh, sft_bvh_positions wish)
{
    bool any_inner = false;
    for (int32_t j = 0; j < bvh->view.joint_count; ++j)
        any_inner = any_inner || (bvh->joints[j].parent >= 0 && sft_bvh_has_positions(&bvh->joints[j]));
    const evidence root = weigh_class(bvh, true), inner = weigh_class(bvh, false);
    const bool automatic = wish == SFT_BVH_POSITIONS_AUTO;
    const bool root_replaces = automatic ? root.from_offset <= root.from_zero : wish == SFT_BVH_POSITIONS_REPLACE;
    const bool inner_replaces = automatic ? inner.from_offset <= inner.from_zero : wish == SFT_BVH_POSITIONS_REPLACE;
    for (int32_t j = 0; j < bvh->view.joint_count; ++j)
        bvh->joints[j].positions_replace = bvh->joints[j].parent < 0 ? root_replaces : inner_replaces;
    const bool told = any_inner ? inner_replaces : root_replaces;
    bvh->view.positions = told ? SFT_BVH_POSITIONS_REPLACE : SFT_BVH_POSITIONS_ADD;
    if (!automatic)
        sft_core_format(bvh->reason, sizeof bvh->reason, "as asked for");
    else if (any_inner)
        sft_core_format(bvh->reason, sizeof bvh->reason, "inner joints: %s; root: %s", reason_of(inner, inner_replaces),
                        reason_of(root, root_replaces));
    else
        sft_core_format(bvh->reason, sizeof bvh->reason, "root alone has position channels: %s",
                        reason_of(root, root_replaces));
    bvh->view.positions_reason = bvh->reason;
}
