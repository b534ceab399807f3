// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Accessors: are all their bytes there, and what do they say. Source: glTF 2.0 specification, sections 3.6.2 (layout,
// sparse) and 3.11 (normalised integers).

#include "gltf/read.h"

#include <math.h>

static uint32_t component_size(unsigned component)
{
    switch (component)
    {
    case GLTF_I8:
    case GLTF_U8:
        return 1;
    case GLTF_I16:
    case GLTF_U16:
        return 2;
    default:
        return 4;
    }
}

// Where the components of an element lie. Columns of matrices start at multiples of four bytes.
typedef struct layout
{
    uint32_t size, rows, column_step;
    uint32_t element; ///< bytes of one
    uint32_t tight;   ///< from one to the next where the view says nothing
} layout;

static layout layout_of(const gltf_accessor* accessor)
{
    layout l = {component_size(accessor->component), accessor->width, 0, 0, 0};
    uint32_t columns = 1;
    if (accessor->matrix)
    {
        l.rows = columns = accessor->width == 4 ? 2 : accessor->width == 9 ? 3 : 4;
        l.column_step = (l.rows * l.size + 3) / 4 * 4;
    }
    else
        l.column_step = l.rows * l.size;
    // No padding is needed behind the last column.
    l.element = (columns - 1) * l.column_step + l.rows * l.size;
    l.tight = columns * l.column_step;
    return l;
}

// ---- checking ----

static const gltf_view* sound_view(const sft_gltf* gltf, int32_t view)
{
    if (view < 0 || view >= gltf->view_count || gltf->views[view].broken) return NULL;
    return &gltf->views[view];
}

// Why a view cannot be used at all: read it again, this time aloud.
static sft_result explain_view(sft_gltf* gltf, int32_t view, sft_error* error)
{
    const gltf_reader reader = {.gltf = gltf, .error = error, .root = sft_json_root(gltf->json)};
    gltf_view ignored;
    const sft_json_value list = sft_json_get(gltf->json, reader.root, "bufferViews");
    return sft_gltf_read_view(&reader, sft_json_at(gltf->json, list, (size_t)view), (size_t)view, &ignored);
}

static sft_result explain_accessor(sft_gltf* gltf, int32_t accessor, sft_error* error)
{
    const gltf_reader reader = {.gltf = gltf, .error = error, .root = sft_json_root(gltf->json)};
    gltf_accessor ignored;
    const sft_json_value list = sft_json_get(gltf->json, reader.root, "accessors");
    return sft_gltf_read_accessor(&reader, sft_json_at(gltf->json, list, (size_t)accessor), (size_t)accessor, &ignored);
}

static sft_result check_view(sft_gltf* gltf, int32_t accessor, int32_t view, sft_error* error)
{
    if (sound_view(gltf, view) == NULL) return explain_view(gltf, view, error);
    const gltf_view* v = &gltf->views[view];
    if (v->compression != NULL)
        return sft_gltf_fail(gltf, error, SFT_ERR_UNSUPPORTED, gltf->accessors[accessor].start,
                             "accessor %d is compressed with %s; export without compression", accessor, v->compression);
    const gltf_buffer* buffer = &gltf->buffers[v->buffer];
    if (buffer->kind == GLTF_BUFFER_NONE)
        return sft_gltf_fail(gltf, error, SFT_ERR_SYNTAX, v->start,
                             "accessor %d needs buffer %d, which has no data (no uri, and no BIN chunk is its own); "
                             "export again",
                             accessor, v->buffer);
    if (v->offset > buffer->size || v->length > buffer->size - v->offset)
    {
        const uint64_t missing = v->offset + v->length - buffer->size;
        return sft_gltf_fail(gltf, error, SFT_ERR_SYNTAX, v->start,
                             "buffer view %d of accessor %d goes %z bytes beyond the end of buffer %d; export again",
                             view, accessor, (size_t)missing, v->buffer);
    }
    return SFT_OK;
}

// `count` elements from `offset` on within a view.
static sft_result check_span(sft_gltf* gltf, int32_t accessor, int32_t view, uint64_t offset, uint64_t count, layout l,
                             sft_error* error)
{
    const uint64_t element = l.element;
    sft_result result = check_view(gltf, accessor, view, error);
    if (result != SFT_OK || count == 0) return result;
    const gltf_view* v = &gltf->views[view];
    const uint64_t stride = v->stride != 0 ? v->stride : l.tight;
    const size_t start = gltf->accessors[accessor].start;
    if (stride < element)
        return sft_gltf_fail(gltf, error, SFT_ERR_SYNTAX, start,
                             "the elements of accessor %d have %z bytes, more than the stride of %z bytes of buffer "
                             "view %d; export again",
                             accessor, (size_t)element, (size_t)stride, view);
    // stride and count have 32 bits and the offset is smaller than the view's length below 2^53: nothing overflows.
    const uint64_t need = stride * (count - 1) + element;
    if (offset > v->length || need > v->length - offset)
        return sft_gltf_fail(gltf, error, SFT_ERR_SYNTAX, start,
                             "accessor %d needs %z bytes from byte %z of buffer view %d, which has %z; export again",
                             accessor, (size_t)need, (size_t)offset, view, (size_t)v->length);
    return SFT_OK;
}

static const uint8_t* view_bytes(const sft_gltf* gltf, int32_t view)
{
    const gltf_view* v = &gltf->views[view];
    return gltf->buffers[v->buffer].bytes + v->offset;
}

static uint32_t read_index(const uint8_t* p, unsigned component)
{
    if (component == GLTF_U8) return p[0];
    const uint32_t low = (uint32_t)p[0] | (uint32_t)p[1] << 8;
    return component == GLTF_U16 ? low : low | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t sparse_index(const sft_gltf* gltf, const gltf_sparse* sparse, uint32_t i)
{
    const uint32_t size = component_size(sparse->index_component);
    return read_index(view_bytes(gltf, sparse->index_view) + sparse->index_offset + (uint64_t)size * i,
                      sparse->index_component);
}

static sft_result check_sparse(sft_gltf* gltf, int32_t accessor, sft_error* error)
{
    const gltf_accessor* a = &gltf->accessors[accessor];
    const gltf_sparse* sparse = a->sparse;
    const uint32_t index_size = component_size(sparse->index_component);
    const layout index = {index_size, 1, index_size, index_size, index_size};
    if (sparse->count > a->count)
        return sft_gltf_fail(gltf, error, SFT_ERR_SYNTAX, a->start,
                             "accessor %d replaces %u elements but has only %u; export again", accessor, sparse->count,
                             a->count);
    sft_result result =
        check_span(gltf, accessor, sparse->index_view, sparse->index_offset, sparse->count, index, error);
    if (result == SFT_OK)
        result =
            check_span(gltf, accessor, sparse->value_view, sparse->value_offset, sparse->count, layout_of(a), error);
    if (result != SFT_OK) return result;
    for (uint32_t i = 0; i < sparse->count; ++i)
    {
        const uint32_t element = sparse_index(gltf, sparse, i);
        if (element >= a->count || (i > 0 && element <= sparse_index(gltf, sparse, i - 1)))
            return sft_gltf_fail(gltf, error, SFT_ERR_SYNTAX, a->start,
                                 "sparse index %u of accessor %d is %u: indices must grow and stay below %u; export "
                                 "again",
                                 i, accessor, element, a->count);
    }
    return SFT_OK;
}

sft_result sft_gltf_check_accessor(sft_gltf* gltf, int32_t accessor, sft_error* error)
{
    if (accessor < 0 || accessor >= gltf->accessor_count) return SFT_ERR_ARG;
    gltf_accessor* a = &gltf->accessors[accessor];
    if (a->checked) return SFT_OK;
    if (a->broken) return explain_accessor(gltf, accessor, error);
    sft_result result = SFT_OK;
    if (a->view >= 0) result = check_span(gltf, accessor, a->view, a->offset, a->count, layout_of(a), error);
    if (result == SFT_OK && a->sparse != NULL) result = check_sparse(gltf, accessor, error);
    if (result == SFT_OK) a->checked = true;
    return result;
}

// ---- reading ----

static double read_float(const uint8_t* p)
{
    const uint32_t bits = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

// Two's complement without conversions that depend on the compiler.
static double as_signed(uint32_t value, double half)
{
    return (double)value >= half ? (double)value - 2.0 * half : (double)value;
}

static double read_component(const uint8_t* p, unsigned component, bool normalized)
{
    switch (component)
    {
    case GLTF_I8:
    {
        const double c = as_signed(p[0], 128.0);
        return normalized ? (c > -127.0 ? c / 127.0 : -1.0) : c;
    }
    case GLTF_U8:
        return normalized ? p[0] / 255.0 : p[0];
    case GLTF_I16:
    {
        const double c = as_signed(read_index(p, GLTF_U16), 32768.0);
        return normalized ? (c > -32767.0 ? c / 32767.0 : -1.0) : c;
    }
    case GLTF_U16:
    {
        const double c = read_index(p, GLTF_U16);
        return normalized ? c / 65535.0 : c;
    }
    case GLTF_U32:
    {
        const double c = read_index(p, GLTF_U32);
        return normalized ? c / 4294967295.0 : c;
    }
    default:
        return read_float(p);
    }
}

static void read_element(const uint8_t* p, const gltf_accessor* a, const layout* l, double* out)
{
    const uint32_t columns = a->width / l->rows;
    for (uint32_t c = 0; c < columns; ++c)
        for (uint32_t r = 0; r < l->rows; ++r)
            *out++ = read_component(p + c * l->column_step + r * l->size, a->component, a->normalized);
}

// The first sparse entry whose index is at least `first`.
static uint32_t first_sparse(const sft_gltf* gltf, const gltf_sparse* sparse, uint32_t first)
{
    uint32_t low = 0, high = sparse->count;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        if (sparse_index(gltf, sparse, middle) < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void sft_gltf_read_values(const sft_gltf* gltf, int32_t accessor, uint32_t first, uint32_t count, double* out)
{
    if (count == 0) return;
    const gltf_accessor* a = &gltf->accessors[accessor];
    const layout l = layout_of(a);
    const size_t width = a->width;
    if (a->view < 0)
    {
        for (size_t i = 0; i < count * width; ++i)
            out[i] = 0.0;
    }
    else
    {
        const size_t stride = gltf->views[a->view].stride != 0 ? gltf->views[a->view].stride : l.tight;
        const uint8_t* p = view_bytes(gltf, a->view) + a->offset + stride * first;
        for (uint32_t i = 0; i < count; ++i)
            read_element(p + stride * i, a, &l, out + width * i);
    }
    if (a->sparse == NULL) return;
    const size_t stride =
        gltf->views[a->sparse->value_view].stride != 0 ? gltf->views[a->sparse->value_view].stride : l.tight;
    const uint8_t* values = view_bytes(gltf, a->sparse->value_view) + a->sparse->value_offset;
    for (uint32_t i = first_sparse(gltf, a->sparse, first); i < a->sparse->count; ++i)
    {
        const uint32_t index = sparse_index(gltf, a->sparse, i);
        if (index - first >= count) break;
        read_element(values + stride * i, a, &l, out + width * (index - first));
    }
}
