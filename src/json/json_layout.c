// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// From "this member, that element" to bytes. What is put in is spaced as its neighbours are: behind a member or element
// the gap between the last two is repeated, comma and all; behind an only one the space before it; in an empty
// container that begins on a line of its own, a line one step deeper; else nothing.

#include "json/json_edit_internal.h"

/// Longer gaps are somebody's ornament and are not repeated.
#define LONGEST_GAP 256

static bool add_splice(sft_json_edit* edit, size_t start, size_t end, sft_json_part text, uint32_t order)
{
    void* block = edit->splices;
    const bool room =
        sft_json_reserve(&edit->allocator, &block, edit->splice_count, &edit->splice_capacity, sizeof *edit->splices);
    edit->splices = block;
    if (room) edit->splices[edit->splice_count++] = (sft_json_splice){start, end, text, order, false};
    return room;
}

static bool add_value_splice(sft_json_edit* edit, size_t start, size_t end, uint32_t op)
{
    const sft_json_part given = edit->ops[op].text;
    const sft_json_part text = {edit->laid.size, given.size};
    sft_json_out_bytes(&edit->laid, sft_json_part_bytes(&edit->texts, given), given.size);
    if (!add_splice(edit, start, end, text, op)) return false;
    edit->splices[edit->splice_count - 1].value = true;
    return true;
}

static const char* op_key(const sft_json_edit* edit, uint32_t op)
{
    return edit->texts.data + edit->ops[op].key.at;
}

// ---- style ----

typedef struct span
{
    size_t start, end;
} span;

static void put_span(sft_json_edit* edit, span s)
{
    sft_json_out_bytes(&edit->laid, edit->json->text + s.start, s.end - s.start);
}

/// How a container's content is spaced. Spans are of the original.
typedef struct style
{
    bool empty, own_line;
    span gap;    ///< between two members or elements, comma included; empty span: `comma` and `lead`
    span lead;   ///< before an only one, or before the first of an empty container on a line of its own
    span tail;   ///< behind the last one of such a container: newline and indent
    bool deeper; ///< `lead` wants one step of indent behind it
    bool airy;   ///< a space behind commas that nothing else follows
    span colon;  ///< colon and spaces around it; empty span: a plain one
} style;

static bool has_newline(const char* text, span s)
{
    return s.end > s.start && memchr(text + s.start, '\n', s.end - s.start) != NULL;
}

static span colon_of(const sft_json* json, const sft_json_entry* member)
{
    const span colon = {sft_json_key_of(member).end, member->to};
    return colon.end - colon.start <= 8 && !has_newline(json->text, colon) ? colon : (span){0, 0};
}

// The first member of the document's outermost object shows how colons are written.
static span document_colon(const sft_json* json)
{
    const sft_json_value root = json->root;
    if (root.kind != SFT_JSON_OBJECT || json->tape[root.entry].info == root.entry + 1) return (span){0, 0};
    return colon_of(json, &json->tape[root.entry + 1]);
}

static bool is_airy(const sft_json* json, span colon)
{
    return colon.end > colon.start && json->text[colon.end - 1] == ' ';
}

// Newline and indent of the line that the container begins, or that the key of the container begins.
static bool find_line(const sft_json* json, uint32_t entry, span* line)
{
    const char* text = json->text;
    size_t first = json->tape[entry].start;
    // The entry before a container that is a member's value is that member.
    if (entry > 0 && text[json->tape[entry - 1].start] == '"' && json->tape[entry - 1].to == first)
        first = json->tape[entry - 1].start;
    size_t at = first;
    while (at > 0 && first - at < LONGEST_GAP && (text[at - 1] == ' ' || text[at - 1] == '\t'))
        --at;
    if (at == 0 || text[at - 1] != '\n') return false;
    --at;
    if (at > 0 && text[at - 1] == '\r') --at;
    *line = (span){at, first};
    return true;
}

static style empty_style(const sft_json* json, uint32_t entry)
{
    style s = {.empty = true, .colon = document_colon(json)};
    s.airy = is_airy(json, s.colon);
    s.own_line = s.deeper = find_line(json, entry, &s.lead);
    if (!s.own_line) s.lead = (span){0, 0};
    s.tail = s.lead;
    return s;
}

// `before`: end of the member or element before the last, 0 where the last is the only one; `last`: start of the last.
static style style_after(const sft_json* json, uint32_t entry, size_t before, size_t last, span colon)
{
    style s = {.colon = colon};
    s.airy = is_airy(json, colon);
    const size_t inside = json->tape[entry].start + 1;
    if (before != 0 && last - before <= LONGEST_GAP)
        s.gap = (span){before, last};
    else if (before == 0 && last - inside <= LONGEST_GAP)
        s.lead = (span){inside, last};
    return s;
}

// One step of indent: that of what the outermost container holds.
static void put_step(sft_json_edit* edit, span line)
{
    const sft_json* json = edit->json;
    if (json->root.kind == SFT_JSON_OBJECT || json->root.kind == SFT_JSON_ARRAY)
    {
        const size_t inside = json->root.start + 1;
        const size_t first = sft_json_skip_space(json->text, inside, json->size);
        size_t indent = first;
        while (indent > inside && json->text[indent - 1] != '\n' && json->text[indent - 1] != '\r')
            --indent;
        if (indent > inside && first > indent && first - indent <= 16)
        {
            put_span(edit, (span){indent, first});
            return;
        }
    }
    const bool tabs = line.end > line.start && json->text[line.end - 1] == '\t';
    sft_json_out_text(&edit->laid, tabs ? "\t" : "  ");
}

static void put_lead(sft_json_edit* edit, const style* s)
{
    put_span(edit, s->lead);
    if (s->deeper) put_step(edit, s->lead);
}

static void put_gap(sft_json_edit* edit, const style* s)
{
    if (s->gap.end > s->gap.start)
    {
        put_span(edit, s->gap);
        return;
    }
    sft_json_out_text(&edit->laid, ",");
    if (s->lead.end > s->lead.start)
        put_lead(edit, s);
    else if (s->airy)
        sft_json_out_text(&edit->laid, " ");
}

// The added member or element of an op.
static void put_added(sft_json_edit* edit, const style* s, uint32_t op)
{
    const sft_json_op* o = &edit->ops[op];
    if (o->kind == SFT_JSON_OP_SET)
    {
        sft_json_out_string(&edit->laid, edit->texts.data + o->key.at, o->key.size);
        if (s->colon.end > s->colon.start)
            put_span(edit, s->colon);
        else
            sft_json_out_text(&edit->laid, s->own_line ? ": " : ":");
    }
    sft_json_out_bytes(&edit->laid, sft_json_part_bytes(&edit->texts, o->text), o->text.size);
}

/// What a container's ops come to; ops in call order.
typedef struct additions
{
    const uint32_t* ops; ///< those marked DROPPED are skipped
    size_t count;
} additions;

#define DROPPED UINT32_MAX

static bool any_added(additions a)
{
    for (size_t i = 0; i < a.count; ++i)
        if (a.ops[i] != DROPPED) return true;
    return false;
}

// All that is added; with `first`, no gap before the first of them.
static sft_json_part put_additions(sft_json_edit* edit, const style* s, additions a, bool first)
{
    sft_json_part text = {edit->laid.size, 0};
    for (size_t i = 0; i < a.count; ++i)
    {
        if (a.ops[i] == DROPPED) continue;
        if (!first) put_gap(edit, s);
        first = false;
        put_added(edit, s, a.ops[i]);
    }
    text.size = edit->laid.size - text.at;
    return text;
}

// An empty container: what is in it gives way to the additions.
static bool fill_empty(sft_json_edit* edit, uint32_t entry, additions a, uint32_t order)
{
    const style s = empty_style(edit->json, entry);
    sft_json_part text = {edit->laid.size, 0};
    put_lead(edit, &s);
    put_additions(edit, &s, a, true);
    put_span(edit, s.tail);
    text.size = edit->laid.size - text.at;
    const sft_json_entry* e = &edit->json->tape[entry];
    return add_splice(edit, e->start + 1, e->to - 1, text, order);
}

// ---- arrays ----

static bool lay_out_array(sft_json_edit* edit, uint32_t entry, additions a)
{
    const sft_json* json = edit->json;
    const sft_json_value array = sft_json_value_at(json, json->tape[entry].start, entry);
    size_t before = 0;
    sft_json_value last = {0};
    for (sft_json_iter it = sft_json_iterate(json, array); sft_json_next(json, &it); last = it.value)
        before = last.end;
    const uint32_t order = a.ops[0];
    if (last.kind == SFT_JSON_NONE) return fill_empty(edit, entry, a, order);
    const style s = style_after(json, entry, before, last.start, document_colon(json));
    return add_splice(edit, last.end, last.end, put_additions(edit, &s, a, false), order);
}

// ---- objects ----

/// What becomes of a member: KEPT, REMOVED, or the op that sets it.
typedef struct member
{
    uint32_t entry;
    uint32_t fate;
} member;

#define KEPT UINT32_MAX
#define REMOVED (UINT32_MAX - 1)

/// ops[i] is marked DROPPED unless it adds a member.
static void decide_set(const sft_json_edit* edit, member* members, size_t count, uint32_t* ops, size_t i)
{
    const char* key = op_key(edit, ops[i]);
    for (size_t m = count; m-- > 0;)
        if (sft_json_equals(edit->json, sft_json_key_of(&edit->json->tape[members[m].entry]), key))
        {
            members[m].fate = ops[i];
            ops[i] = DROPPED;
            return;
        }
    // A member that an earlier op added stays in its place and takes this text.
    for (size_t j = 0; j < i; ++j)
        if (ops[j] != DROPPED && strcmp(op_key(edit, ops[j]), key) == 0)
        {
            ops[j] = ops[i];
            ops[i] = DROPPED;
            return;
        }
}

static void decide_removal(const sft_json_edit* edit, member* members, size_t count, uint32_t* ops, size_t i)
{
    const char* key = op_key(edit, ops[i]);
    for (size_t m = 0; m < count; ++m)
        if (sft_json_equals(edit->json, sft_json_key_of(&edit->json->tape[members[m].entry]), key))
            members[m].fate = REMOVED;
    for (size_t j = 0; j < i; ++j)
        if (ops[j] != DROPPED && strcmp(op_key(edit, ops[j]), key) == 0) ops[j] = DROPPED;
    ops[i] = DROPPED;
}

static span member_span(const sft_json* json, const member* m)
{
    const sft_json_entry* e = &json->tape[m->entry];
    return (span){e->start, sft_json_value_at(json, e->to, m->entry + 1).end};
}

static bool replace_set_members(sft_json_edit* edit, const member* members, size_t count)
{
    bool room = true;
    for (size_t i = 0; i < count && room; ++i)
    {
        if (members[i].fate == KEPT || members[i].fate == REMOVED) continue;
        const size_t start = edit->json->tape[members[i].entry].to;
        room = add_value_splice(edit, start, member_span(edit->json, &members[i]).end, members[i].fate);
    }
    return room;
}

// Takes runs of removed members out, each with the comma before it, or behind it where the run is the first.
static bool cut_removed(sft_json_edit* edit, const member* members, size_t count, uint32_t order)
{
    bool room = true;
    for (size_t i = 0; i < count && room; ++i)
    {
        if (members[i].fate != REMOVED) continue;
        const size_t first = i;
        while (i + 1 < count && members[i + 1].fate == REMOVED)
            ++i;
        const size_t start =
            first > 0 ? member_span(edit->json, &members[first - 1]).end : edit->json->tape[members[0].entry].start;
        const size_t end =
            first > 0 ? member_span(edit->json, &members[i]).end : edit->json->tape[members[i + 1].entry].start;
        room = add_splice(edit, start, end, (sft_json_part){0, 0}, order);
    }
    return room;
}

// The last member that stays; count where none does.
static size_t last_kept(const member* members, size_t count)
{
    for (size_t i = count; i-- > 0;)
        if (members[i].fate != REMOVED) return i;
    return count;
}

static bool change_members(sft_json_edit* edit, uint32_t entry, const member* members, size_t count, additions a,
                           uint32_t order)
{
    const sft_json* json = edit->json;
    const sft_json_entry* last = &json->tape[members[count - 1].entry];
    const size_t before = count > 1 ? member_span(json, &members[count - 2]).end : 0;
    const style s = style_after(json, entry, before, last->start, colon_of(json, last));
    const size_t kept = last_kept(members, count);
    const bool adds = any_added(a);
    if (kept == count)
    {
        // Nothing stays. With nothing to take its place the space goes, too.
        const sft_json_part text = put_additions(edit, &s, a, true);
        const size_t start = adds ? json->tape[members[0].entry].start : json->tape[entry].start + 1;
        const size_t end = adds ? member_span(json, &members[count - 1]).end : json->tape[entry].to - 1;
        return add_splice(edit, start, end, text, order);
    }
    const size_t end = member_span(json, &members[kept]).end;
    return replace_set_members(edit, members, count) && cut_removed(edit, members, count, order) &&
           (!adds || add_splice(edit, end, end, put_additions(edit, &s, a, false), order));
}

static bool lay_out_object(sft_json_edit* edit, uint32_t entry, uint32_t* ops, size_t op_count)
{
    const sft_json* json = edit->json;
    const uint32_t stop = json->tape[entry].info, order = ops[0];
    size_t count = 0;
    for (uint32_t e = entry + 1; e < stop; e = sft_json_after_member(json, e))
        ++count;
    member* members = sft_core_alloc(&edit->allocator, count, sizeof *members);
    if (members == NULL) return false;
    count = 0;
    for (uint32_t e = entry + 1; e < stop; e = sft_json_after_member(json, e))
        members[count++] = (member){e, KEPT};
    for (size_t i = 0; i < op_count; ++i)
        (edit->ops[ops[i]].kind == SFT_JSON_OP_SET ? decide_set : decide_removal)(edit, members, count, ops, i);
    const additions a = {ops, op_count};
    const bool room = count > 0 ? change_members(edit, entry, members, count, a, order)
                                : !any_added(a) || fill_empty(edit, entry, a, order);
    sft_core_free(&edit->allocator, members, count, sizeof *members);
    return room;
}

// ---- all ----

static bool op_before(const sft_json_edit* edit, uint32_t a, uint32_t b)
{
    const uint32_t x = edit->ops[a].entry, y = edit->ops[b].entry;
    return x != y ? x < y : a < b;
}

static void sift(const sft_json_edit* edit, uint32_t* heap, size_t root, size_t count)
{
    const uint32_t moved = heap[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child)
    {
        if (child + 1 < count && op_before(edit, heap[child], heap[child + 1])) ++child;
        if (!op_before(edit, moved, heap[child])) break;
        heap[root] = heap[child];
    }
    heap[root] = moved;
}

static void sort_ops(const sft_json_edit* edit, uint32_t* ops, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift(edit, ops, i, count);
    for (size_t i = count; i-- > 1;)
    {
        const uint32_t last = ops[i];
        ops[i] = ops[0];
        ops[0] = last;
        sift(edit, ops, 0, i);
    }
}

static bool lay_out_containers(sft_json_edit* edit, uint32_t* ops, size_t count)
{
    sort_ops(edit, ops, count);
    bool room = true;
    for (size_t i = 0, next; i < count && room; i = next)
    {
        const sft_json_op* op = &edit->ops[ops[i]];
        const uint32_t entry = op->entry;
        for (next = i + 1; next < count && edit->ops[ops[next]].entry == entry;)
            ++next;
        room = op->kind == SFT_JSON_OP_APPEND ? lay_out_array(edit, entry, (additions){ops + i, next - i})
                                              : lay_out_object(edit, entry, ops + i, next - i);
    }
    return room;
}

sft_result sft_json_lay_out(sft_json_edit* edit)
{
    const size_t capacity = edit->op_count;
    uint32_t* ops = sft_core_alloc(&edit->allocator, capacity, sizeof *ops);
    if (ops == NULL) return SFT_ERR_MEMORY;
    size_t count = 0;
    bool room = true;
    for (uint32_t i = 0; i < edit->op_count && room; ++i)
    {
        const sft_json_op* op = &edit->ops[i];
        if (op->kind >= SFT_JSON_OP_SET)
            ops[count++] = i;
        else if (op->kind == SFT_JSON_OP_REPLACE)
            room = add_value_splice(edit, op->start, op->end, i);
        else
        {
            const sft_json_part text = {edit->laid.size, op->text.size};
            sft_json_out_bytes(&edit->laid, sft_json_part_bytes(&edit->texts, op->text), op->text.size);
            room = add_splice(edit, op->start, op->end, text, i);
        }
    }
    room = room && lay_out_containers(edit, ops, count) && !edit->laid.failed;
    sft_core_free(&edit->allocator, ops, capacity, sizeof *ops);
    return room ? SFT_OK : SFT_ERR_MEMORY;
}
