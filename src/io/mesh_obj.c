// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Wavefront OBJ: vertices and faces, bodies by object, group or material. Two passes over the text: the first takes the
// vertices, so that faces may name those that follow. Source: "Object Files (.obj)", appendix B1 of the Advanced
// Visualizer's manual, and what exporters make of it.

#include "decimal/decimal.h"
#include "io/mesh.h"

#include <math.h>

// Concave polygons of more corners are refused: ears cost time that grows with the square.
#define MOST_EAR_CORNERS 1000

enum
{
    BY_OBJECT,
    BY_GROUP,
    BY_MATERIAL,
    NAMINGS
};

// A name of one kind, as the file last said it. Text in the input.
typedef struct obj_name
{
    const char* text;
    size_t length;
} obj_name;

// Triangles from `first` on carry these names.
typedef struct obj_run
{
    size_t first;
    obj_name names[NAMINGS];
} obj_run;

typedef struct obj
{
    mesh_reader* reader;
    const char* text;
    const char* start; // behind a byte-order mark
    const char* at;
    const char* end;
    uint32_t line;
    bool faces; // the second pass
    int32_t vertex_count;
    int32_t passed; // vertices before this line, in the second pass
    obj_name names[NAMINGS];
    bool renamed;
    mesh_array runs;    // obj_run
    mesh_array corners; // int32_t, of the face at hand
    mesh_array work;    // char, for cutting it
    bool free_form_said, crossing_said;
    uint32_t odd_line; // first line whose keyword is unknown; 0 none
} obj;

static sft_result fail(const obj* o, sft_result code, const char* format, ...)
{
    char text[sizeof(((sft_error*)0)->message)];
    va_list args;
    va_start(args, format);
    sft_core_vformat(text, sizeof text, format, args);
    va_end(args);
    return sft_core_fail(o->reader->error, code, (uint64_t)(o->at - o->text), o->line, NULL, "%s", text);
}

// ---- words ----

static bool is_end(char c)
{
    return c == '\n' || c == '\r';
}

// Bytes of the end of a line at p: CR, LF or both. 0: none.
static size_t line_end(const char* p, const char* end)
{
    if (p == end || !is_end(*p)) return 0;
    return *p == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 1;
}

// To the next word of this line; false at its end. A backslash before the end of a line joins it to the next.
static bool next_word(obj* o)
{
    for (;;)
    {
        while (o->at < o->end && (*o->at == ' ' || *o->at == '\t'))
            ++o->at;
        if (o->at == o->end || is_end(*o->at) || *o->at == '#') return false;
        const size_t joined = *o->at == '\\' ? line_end(o->at + 1, o->end) : 0;
        if (joined == 0) return true;
        o->at += 1 + joined;
        ++o->line;
    }
}

static size_t word_length(const obj* o)
{
    const char* p = o->at;
    while (p < o->end && *p != ' ' && *p != '\t' && !is_end(*p) && !(*p == '\\' && line_end(p + 1, o->end) > 0))
        ++p;
    return (size_t)(p - o->at);
}

static void skip_line(obj* o)
{
    const bool comment = o->at < o->end && *o->at == '#';
    while (o->at < o->end && !is_end(*o->at))
    {
        const size_t joined = !comment && *o->at == '\\' ? line_end(o->at + 1, o->end) : 0;
        if (joined > 0) ++o->line;
        o->at += 1 + joined;
    }
    const size_t length = line_end(o->at, o->end);
    if (length > 0) ++o->line;
    o->at += length;
}

// The word at hand, cut and without control characters, for messages.
typedef struct obj_quote
{
    char text[24];
} obj_quote;

static obj_quote quote(const obj* o)
{
    obj_quote q = {""};
    const size_t length = word_length(o);
    for (size_t i = 0; i < length && i + 1 < sizeof q.text; ++i)
        q.text[i] = o->at[i] > ' ' && o->at[i] < 127 ? o->at[i] : '?';
    return q;
}

// ---- vertices ----

static sft_result read_vertex(obj* o)
{
    double v[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i)
    {
        if (!next_word(o)) return fail(o, SFT_ERR_SYNTAX, "a vertex wants three numbers, this has %d; export again", i);
        const char* next = o->at;
        const size_t length = word_length(o);
        const sft_decimal_status status = sft_decimal_read(o->at, o->at + length, &v[i], &next);
        if (status != SFT_DECIMAL_OK || next != o->at + length)
            return fail(o, status == SFT_DECIMAL_HUGE || status == SFT_DECIMAL_WORD ? SFT_ERR_RANGE : SFT_ERR_SYNTAX,
                        "'%s' is no number that a vertex can have; repair it or export again", quote(o).text);
        o->at = next;
    }
    if (o->vertex_count / 3 >= o->reader->def->max_triangles) return sft_mesh_fail_limit(o->reader, 0, o->line);
    bool full;
    if (sft_mesh_add_vertex(o->reader, sft_v3d_make(v[0], v[1], v[2]), &full))
    {
        ++o->vertex_count;
        return SFT_OK;
    }
    if (full) return sft_mesh_no_memory(o->reader->error);
    return fail(o, SFT_ERR_RANGE, "the vertex is more than %g m away; say what unit the file is in", SFT_HUGE);
}

// ---- faces ----

// A whole number, which may begin with a minus; false where the word goes on otherwise or the number is out of range.
static bool read_index(const char** at, const char* end, int64_t* out)
{
    const char* p = *at;
    const bool negative = p < end && *p == '-';
    if (negative || (p < end && *p == '+')) ++p;
    int64_t value = 0;
    const char* digits = p;
    for (; p < end && *p >= '0' && *p <= '9'; ++p)
        if (value <= INT32_MAX) value = 10 * value + (*p - '0');
    if (p == digits) return false;
    *out = negative ? -value : value;
    *at = p;
    return true;
}

// "7", "7/1", "7//3" or "7/1/3": the first number counts.
static sft_result read_corner(obj* o, int32_t* out)
{
    const char* p = o->at;
    const char* end = o->at + word_length(o);
    int64_t index = 0, other = 0;
    bool fine = read_index(&p, end, &index);
    for (int i = 0; i < 2 && fine && p < end; ++i)
    {
        fine = *p++ == '/';
        if (fine && (p == end || *p != '/')) fine = (p == end && i == 1) || read_index(&p, end, &other);
    }
    if (!fine || p != end)
        return fail(o, SFT_ERR_SYNTAX, "'%s' is no corner of a face, which is written as 7, 7/1, 7//3 or 7/1/3",
                    quote(o).text);
    if (index == 0) return fail(o, SFT_ERR_SYNTAX, "corners count from 1, so there is no vertex 0; export again");
    const int64_t place = index > 0 ? index - 1 : o->passed + index;
    if (place < 0)
        return fail(o, SFT_ERR_SYNTAX, "the face counts back to vertex %s, but %d stand before it; export again",
                    quote(o).text, o->passed);
    if (place >= o->vertex_count)
        return fail(o, SFT_ERR_SYNTAX, "the face names vertex %s, but the file has %d; export again", quote(o).text,
                    o->vertex_count);
    o->at = end;
    *out = (int32_t)place;
    return SFT_OK;
}

static sft_result add_triangle(obj* o, const int32_t corners[3])
{
    const sft_result result = sft_mesh_add_triangle(o->reader, corners, 0);
    if (result == SFT_ERR_LIMIT) return sft_mesh_fail_limit(o->reader, 0, o->line);
    return result == SFT_OK ? SFT_OK : sft_mesh_no_memory(o->reader->error);
}

static sft_result cut_ears(obj* o, const int32_t* corners, int32_t count)
{
    if (count > MOST_EAR_CORNERS)
        return fail(o, SFT_ERR_LIMIT, "a concave face of %d corners; triangulate it in the program it comes from",
                    count);
    const size_t n = (size_t)count;
    const size_t need = 2 * n * sizeof(double) + (2 * n + 3 * n) * sizeof(int32_t);
    o->work.count = 0;
    double* flat = sft_mesh_push(o->reader->mesh, &o->work, need);
    if (flat == NULL) return sft_mesh_no_memory(o->reader->error);
    int32_t* links = (int32_t*)(void*)(flat + 2 * n);
    int32_t* triangles = links + 2 * n;
    const float* points = o->reader->mesh->vertices.data;
    if (!sft_mesh_cut_polygon(points, corners, count, links, flat, triangles) && !o->crossing_said)
    {
        o->crossing_said = true;
        sft_mesh_warn(o->reader->mesh, o->line, "a face crosses itself; it is cut into triangles as well as may be");
    }
    sft_result result = SFT_OK;
    for (int32_t i = 0; i < count - 2 && result == SFT_OK; ++i)
        result = add_triangle(o, triangles + 3 * (size_t)i);
    return result;
}

// Triangles that follow carry other names than those before.
static sft_result begin_run(obj* o)
{
    o->renamed = false;
    obj_run* run = sft_mesh_push(o->reader->mesh, &o->runs, 1);
    if (run == NULL) return sft_mesh_no_memory(o->reader->error);
    run->first = o->reader->mesh->bodies.count;
    memcpy(run->names, o->names, sizeof run->names);
    return SFT_OK;
}

static sft_result read_face(obj* o)
{
    o->corners.count = 0;
    sft_result result = SFT_OK;
    while (result == SFT_OK && next_word(o))
    {
        int32_t* corner = sft_mesh_push(o->reader->mesh, &o->corners, 1);
        result = corner != NULL ? read_corner(o, corner) : sft_mesh_no_memory(o->reader->error);
    }
    if (result != SFT_OK) return result;
    if (o->corners.count < 3)
        return fail(o, SFT_ERR_SYNTAX, "a face wants three corners or more, this has %z; export again",
                    o->corners.count);
    if (o->corners.count > INT32_MAX) return sft_mesh_fail_limit(o->reader, 0, o->line);
    if (o->renamed || o->runs.count == 0) result = begin_run(o);
    if (result != SFT_OK) return result;
    const int32_t* corners = o->corners.data;
    const int32_t count = (int32_t)o->corners.count;
    if (!sft_mesh_is_convex(o->reader->mesh->vertices.data, corners, count)) return cut_ears(o, corners, count);
    for (int32_t i = 2; i < count && result == SFT_OK; ++i)
        result = add_triangle(o, (const int32_t[3]){corners[0], corners[i - 1], corners[i]});
    return result;
}

// ---- lines ----

static void read_name(obj* o, int naming)
{
    obj_name name = {"", 0};
    if (next_word(o))
    {
        // To the end of the line, spaces within and all.
        const char* p = o->at;
        while (p < o->end && !is_end(*p))
            ++p;
        while (p > o->at && (p[-1] == ' ' || p[-1] == '\t' || p[-1] == '\\'))
            --p;
        name = (obj_name){o->at, (size_t)(p - o->at)};
    }
    o->names[naming] = name;
    o->renamed = true;
}

static bool is_one_of(const char* word, size_t length, const char* list)
{
    for (const char* p = list; *p != '\0';)
    {
        size_t n = 0;
        while (p[n] != '\0' && p[n] != ' ')
            ++n;
        if (n == length && memcmp(p, word, n) == 0) return true;
        p += p[n] == ' ' ? n + 1 : n;
    }
    return false;
}

// Everything that is neither vertex nor face nor name.
static void judge_keyword(obj* o, const char* word, size_t length)
{
    static const char known[] =
        "vt vn vp l p s mg mtllib usemap maplib bevel c_interp d_interp lod shadow_obj trace_obj "
        "deg bmat step parm trim hole scrv sp con end stech ctech";
    static const char surfaces[] = "cstype curv curv2 surf bzp bsp cdc cdp res call csh";
    if (is_one_of(word, length, known)) return;
    if (is_one_of(word, length, surfaces))
    {
        if (!o->free_form_said)
            sft_mesh_warn(o->reader->mesh, o->line,
                          "curves, surfaces and calls of other files are passed over; export as polygons");
        o->free_form_said = true;
    }
    else if (o->odd_line == 0)
        o->odd_line = o->line;
}

static sft_result read_line(obj* o)
{
    if (!next_word(o)) return SFT_OK;
    const char* word = o->at;
    const size_t length = word_length(o);
    const char first = length == 1 ? word[0] : '\0';
    o->at += length;
    if (first == 'v')
    {
        if (!o->faces) return read_vertex(o);
        ++o->passed;
    }
    else if (!o->faces)
        return SFT_OK;
    else if (first == 'f' || (length == 2 && memcmp(word, "fo", 2) == 0))
        return read_face(o);
    else if (first == 'o')
        read_name(o, BY_OBJECT);
    else if (first == 'g')
        read_name(o, BY_GROUP);
    else if (length == 6 && memcmp(word, "usemtl", 6) == 0)
        read_name(o, BY_MATERIAL);
    else
        judge_keyword(o, word, length);
    return SFT_OK;
}

static sft_result read_pass(obj* o, bool faces)
{
    o->faces = faces;
    o->at = o->start;
    o->line = 1;
    sft_result result = SFT_OK;
    while (o->at < o->end && result == SFT_OK)
    {
        result = read_line(o);
        if (result == SFT_OK) skip_line(o);
    }
    return result;
}

// ---- bodies ----

// A table of names, so that a million of them take no million times a million comparisons.
typedef struct name_table
{
    int32_t* slots; // body + 1, 0 empty
    const obj_name** names;
    size_t size; // a power of two, at least twice the names
    int32_t count;
} name_table;

static int32_t body_of(name_table* t, const obj_name* name, bool* added)
{
    size_t slot = (size_t)sft_core_hash(SFT_HASH_SEED, name->text, name->length) & (t->size - 1);
    for (; t->slots[slot] != 0; slot = (slot + 1) & (t->size - 1))
    {
        const obj_name* other = t->names[t->slots[slot] - 1];
        *added = false;
        if (other->length == name->length && memcmp(other->text, name->text, name->length) == 0)
            return t->slots[slot] - 1;
    }
    *added = true;
    t->names[t->count] = name;
    t->slots[slot] = ++t->count;
    return t->count - 1;
}

static sft_result fill_bodies(obj* o, int naming, name_table* table)
{
    sft_io_mesh* mesh = o->reader->mesh;
    const obj_run* runs = o->runs.data;
    int32_t* bodies = mesh->bodies.data;
    for (size_t r = 0; r < o->runs.count; ++r)
    {
        const obj_name* name = &runs[r].names[naming];
        bool added;
        const int32_t body = body_of(table, name, &added);
        if (added && sft_mesh_add_name(o->reader, name->text, name->length) != SFT_OK) return SFT_ERR_MEMORY;
        const size_t last = r + 1 < o->runs.count ? runs[r + 1].first : mesh->bodies.count;
        for (size_t i = runs[r].first; i < last; ++i)
            bodies[i] = body;
    }
    return SFT_OK;
}

// By objects where the file names any that have faces, else by groups, else by materials.
static sft_result name_bodies(obj* o)
{
    const obj_run* runs = o->runs.data;
    int naming = BY_OBJECT;
    for (bool named = false; naming < BY_MATERIAL; ++naming)
    {
        for (size_t r = 0; r < o->runs.count && !named; ++r)
            named = runs[r].names[naming].length > 0;
        if (named) break;
    }
    const sft_allocator* a = &o->reader->mesh->allocator;
    name_table table = {.size = 4};
    while (table.size < 2 * o->runs.count)
        table.size *= 2;
    table.slots = sft_core_alloc(a, table.size, sizeof *table.slots);
    table.names = sft_core_alloc(a, o->runs.count, sizeof *table.names);
    sft_result result = SFT_ERR_MEMORY;
    if (table.slots != NULL && table.names != NULL) result = fill_bodies(o, naming, &table);
    sft_core_free(a, table.slots, table.size, sizeof *table.slots);
    sft_core_free(a, table.names, o->runs.count, sizeof *table.names);
    return result == SFT_OK ? SFT_OK : sft_mesh_no_memory(o->reader->error);
}

// ---- the whole ----

static sft_result judge_whole(obj* o)
{
    sft_io_mesh* mesh = o->reader->mesh;
    if (mesh->bodies.count == 0)
    {
        o->at = o->start;
        o->line = o->odd_line > 0 ? o->odd_line : 1;
        if (o->odd_line > 0 && o->vertex_count == 0)
            return fail(o, SFT_ERR_SYNTAX,
                        "this is no OBJ: it has neither vertices nor faces; ground is read from OBJ, glTF and GLB");
        o->line = 0;
        return fail(o, SFT_ERR_SYNTAX, "the file has %d vertices and no face to stand on; export polygons",
                    o->vertex_count);
    }
    if (o->odd_line > 0) sft_mesh_warn(mesh, o->odd_line, "a line that OBJ does not know is passed over");
    return SFT_OK;
}

sft_result sft_mesh_read_obj(mesh_reader* reader, const char* text, size_t size)
{
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return sft_core_fail(reader->error, SFT_ERR_SYNTAX, 0, 1, NULL, "the text is UTF-16; save it as UTF-8");
    const char* zero = memchr(text, '\0', size);
    if (zero != NULL)
        return sft_core_fail(reader->error, SFT_ERR_SYNTAX, (uint64_t)(zero - text), 0, NULL,
                             "this is no text, so no OBJ; ground is read from OBJ, glTF and GLB");
    obj o = {.reader = reader,
             .text = text,
             .start = text,
             .end = text + size,
             .runs = {.size = sizeof(obj_run)},
             .corners = {.size = sizeof(int32_t)},
             .work = {.size = 1}};
    for (int i = 0; i < NAMINGS; ++i)
        o.names[i].text = "";
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) o.start += 3;
    sft_result result = read_pass(&o, false);
    if (result == SFT_OK) result = read_pass(&o, true);
    if (result == SFT_OK) result = judge_whole(&o);
    if (result == SFT_OK) result = name_bodies(&o);
    const sft_allocator* a = &reader->mesh->allocator;
    sft_mesh_free_array(a, &o.runs);
    sft_mesh_free_array(a, &o.corners);
    sft_mesh_free_array(a, &o.work);
    return result;
}
