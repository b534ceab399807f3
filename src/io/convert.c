// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A document in another format: the clip is taken out into metres and Y up, and built anew. Between glTF and GLB
// nothing is taken out: the document stays what it is.

#include "io/convert.h"

#include <math.h>

void sft_io_note(io_notes* notes, const char* format, ...)
{
    if (notes->count == IO_MAX_WARNINGS)
    {
        ++notes->lost;
        return;
    }
    va_list args;
    va_start(args, format);
    sft_core_vformat(notes->list[notes->count++].message, sizeof notes->list[0].message, format, args);
    va_end(args);
}

void sft_io_rename(io_renames* renames, const char* before, const char* after)
{
    renames->texts.allocator = renames->allocator;
    sft_json_out_bytes(&renames->texts, before, strlen(before) + 1);
    sft_json_out_bytes(&renames->texts, after, strlen(after) + 1);
    ++renames->count;
}

sft_result sft_io_finish_renames(const io_renames* renames, sft_io_document* document, sft_io_converted* converted)
{
    if (renames->texts.failed) return SFT_ERR_MEMORY;
    if (converted == NULL) return SFT_OK;
    *converted = (sft_io_converted){0};
    if (renames->count == 0) return SFT_OK;
    sft_io_renamed* list = sft_io_keep(document, (size_t)renames->count, sizeof *list);
    const char* at = sft_io_keep_text(document, renames->texts.data, renames->texts.size);
    if (list == NULL || at == NULL) return SFT_ERR_MEMORY;
    for (int32_t i = 0; i < renames->count; ++i)
    {
        list[i].before = at;
        at += strlen(at) + 1;
        list[i].after = at;
        at += strlen(at) + 1;
    }
    *converted = (sft_io_converted){renames->count, list};
    return SFT_OK;
}

sft_io_convert_def sft_default_io_convert_def(void)
{
    return (sft_io_convert_def){
        .format = SFT_IO_AUTO, .clip = -1, .unit_metres = 0.0, .up = -1, .fps = 0.0, .cookie = IO_COOKIE};
}

static bool space_fits(const sft_space* space)
{
    return space == NULL || (isfinite(space->unit_metres) && space->unit_metres > 0.0 && space->up >= SFT_AXIS_X &&
                             space->up <= SFT_AXIS_NEG_Z);
}

static sft_result check(const sft_io_document* document, const sft_io_convert_def* def, sft_io_document** out,
                        sft_error* error)
{
    if (document == NULL || def == NULL || out == NULL)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no document, no def, or no place for the result");
    if (def->cookie != IO_COOKIE)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, NULL, "the def is not from sft_default_io_convert_def()");
    if (def->format != SFT_IO_BVH && def->format != SFT_IO_GLTF && def->format != SFT_IO_GLB)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, NULL, "format: choose BVH, glTF or GLB");
    if (!space_fits(def->space) || !isfinite(def->unit_metres) || def->unit_metres < 0.0 || def->up < -1 ||
        def->up > SFT_AXIS_NEG_Z || !isfinite(def->fps) || def->fps < 0.0)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, NULL, "space, unit_metres, up or fps is out of its range");
    return SFT_OK;
}

static sft_result choose_clip(io_conversion* c)
{
    const int32_t count = c->document->view.clip_count;
    c->source.clip_index = c->def->clip >= 0 ? c->def->clip : count > 0 ? 0 : -1;
    if (c->def->clip >= count)
        return sft_core_fail(c->error, SFT_ERR_ARG, 0, 0, NULL, "there is no clip %d; the file has %d",
                             (int)c->def->clip, (int)count);
    if (c->def->clip < 0 && count > 1)
        return sft_core_fail(c->error, SFT_ERR_ARG, 0, 0, NULL, "the file has %d clips; choose one of them",
                             (int)count);
    return SFT_OK;
}

static sft_result take_out(io_conversion* c)
{
    io_source* s = &c->source;
    sft_result result = choose_clip(c);
    if (result != SFT_OK) return result;
    sft_gltf_clip_def clip_def = sft_default_gltf_clip_def();
    clip_def.fps = c->def->fps > 0.0 ? c->def->fps : c->document->view.frame_rate;
    result = sft_io_to_clip(c->document, s->clip_index, &clip_def, &c->allocator, &s->skeleton, &s->clip, &s->frames,
                            c->error);
    if (result != SFT_OK) return result;
    if (s->skeleton->joint_count == 0)
        return sft_core_fail(c->error, SFT_ERR_UNSUPPORTED, 0, 0, NULL, "the file has no joints to convert");
    const sft_io_contents* view = &c->document->view;
    if (c->def->space != NULL)
        s->space = *c->def->space;
    else if (view->unit_metres > 0.0 && view->up >= 0)
        s->space = (sft_space){.unit_metres = view->unit_metres, .up = (sft_axis)view->up};
    else
        result = sft_clip_infer_space(s->skeleton, s->clip, &c->allocator, &s->space);
    if (result == SFT_OK) result = sft_clip_rescale(s->skeleton, s->clip, &s->space);
    return result == SFT_OK ? SFT_OK
                            : sft_core_fail(c->error, result, 0, 0, NULL, "the clip cannot be brought to metres: %s",
                                            sft_result_string(result));
}

static sft_result run(io_conversion* c, sft_io_document** made)
{
    const bool text = c->def->format == SFT_IO_BVH;
    if (c->document->gltf != NULL && !text) return sft_io_other_container(c, made);
    const sft_result result = take_out(c);
    if (result != SFT_OK) return result;
    return text ? sft_io_to_bvh(c, made) : sft_io_bvh_to_gltf(c, made);
}

sft_result sft_io_convert(const sft_io_document* document, const sft_io_convert_def* def,
                          const sft_allocator* allocator, sft_io_document** out, sft_io_converted* converted,
                          sft_error* error)
{
    sft_result result = check(document, def, out, error);
    if (result != SFT_OK) return result;
    io_conversion c = {.document = document, .def = def, .allocator = sft_core_allocator(allocator), .error = error};
    c.renames.allocator = &c.allocator;
    sft_io_document* made = NULL;
    result = run(&c, &made);
    sft_io_converted told = {0};
    if (result == SFT_OK)
    {
        result = sft_io_finish_renames(&c.renames, made, &told);
        if (result != SFT_OK) sft_io_destroy(made);
    }
    sft_json_out_free(&c.renames.texts);
    sft_skeleton_destroy(c.source.skeleton, &c.allocator);
    sft_clip_destroy(c.source.clip, &c.allocator);
    if (result == SFT_ERR_MEMORY) return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
    if (result != SFT_OK) return result;
    *out = made;
    if (converted != NULL) *converted = told;
    return SFT_OK;
}

// ---- a figure alone ----

static sft_result without_rows(const sft_bvh* bvh, const sft_allocator* allocator, sft_io_document** out,
                               sft_error* error)
{
    sft_bvh* none = NULL;
    char* text = NULL;
    size_t size = 0;
    sft_io_read_def def = sft_default_io_read_def();
    def.format = SFT_IO_BVH;
    def.positions = sft_bvh_view(bvh)->positions;
    sft_result result = sft_bvh_slice(bvh, 0, 0, allocator, &none);
    if (result == SFT_OK) result = sft_bvh_write(none, allocator, &text, &size);
    if (result == SFT_OK) result = sft_io_read(&def, text, size, allocator, out, error);
    if (text != NULL) sft_core_free(allocator, text, size + 1, 1);
    sft_bvh_destroy(none);
    return result;
}

sft_result sft_io_convert_figure(sft_io_document* document, const sft_io_convert_def* def,
                                 const sft_allocator* allocator, sft_io_document** out, sft_io_converted* converted,
                                 sft_error* error)
{
    sft_result result = check(document, def, out, error);
    if (result != SFT_OK) return result;
    const sft_bvh* bvh = sft_io_bvh(document);
    if (bvh == NULL || def->format == SFT_IO_BVH)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "a figure alone goes from BVH to glTF or GLB");
    sft_io_document *none = NULL, *made = NULL;
    sft_io_converted told = {0};
    result = without_rows(bvh, allocator, &none, error);
    if (result == SFT_ERR_MEMORY) sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
    if (result == SFT_OK) result = sft_io_convert(none, def, allocator, &made, &told, error);
    sft_io_destroy(none);
    if (result != SFT_OK) return result;
    if (sft_io_view(made)->joint_count != sft_io_view(document)->joint_count)
    {
        sft_io_destroy(made);
        return sft_core_fail(error, SFT_ERR_UNSUPPORTED, 0, 0, NULL, "cannot be written as glTF; stay with BVH");
    }
    *out = made;
    if (converted != NULL) *converted = told;
    return SFT_OK;
}
