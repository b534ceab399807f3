// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The face over the formats: what bytes are, and one set of calls for all of them.

#include "io/io.h"

// ---- formats ----

static bool starts(const char* at, size_t size, const char* word)
{
    const size_t length = strlen(word);
    return size >= length && memcmp(at, word, length) == 0;
}

static bool starts_lower(const char* at, size_t size, const char* word)
{
    size_t i = 0;
    while (word[i] != '\0' && i < size && (at[i] >= 'A' && at[i] <= 'Z' ? at[i] + 32 : at[i]) == word[i])
        ++i;
    return word[i] == '\0';
}

// An ASCII FBX has no magic number: a comment that says FBX and a version, or the first node of every such file.
static bool is_fbx_text(const char* at, size_t size)
{
    static const char node[] = "FBXHeaderExtension:";
    const size_t most = size < 4096 ? size : 4096;
    if (starts(at, size, "; FBX ")) return true;
    if (size == 0 || (at[0] != ';' && at[0] != 'F')) return false;
    for (size_t i = 0; i + sizeof node - 1 <= most; ++i)
        if (memcmp(at + i, node, sizeof node - 1) == 0) return true;
    return false;
}

sft_io_format sft_io_sniff(const void* bytes, size_t size)
{
    const char* at = bytes;
    if (bytes == NULL) return SFT_IO_AUTO;
    if (starts(at, size, "glTF")) return SFT_IO_GLB;
    if (starts(at, size, "Kaydara FBX Binary")) return SFT_IO_FBX;
    if (starts(at, size, "\xEF\xBB\xBF"))
    {
        at += 3;
        size -= 3;
    }
    while (size > 0 && (*at == ' ' || (*at >= '\t' && *at <= '\r')))
    {
        ++at;
        --size;
    }
    if (starts(at, size, "{")) return SFT_IO_GLTF;
    if (starts_lower(at, size, "hierarchy")) return SFT_IO_BVH;
    return is_fbx_text(at, size) ? SFT_IO_FBX : SFT_IO_AUTO;
}

sft_io_format sft_io_format_of_name(const char* path)
{
    static const struct
    {
        const char* ending;
        sft_io_format format;
    } endings[] = {{".bvh", SFT_IO_BVH}, {".gltf", SFT_IO_GLTF}, {".glb", SFT_IO_GLB}, {".fbx", SFT_IO_FBX}};
    const size_t length = path != NULL ? strlen(path) : 0;
    for (size_t i = 0; i < SFT_COUNT_OF(endings); ++i)
    {
        const size_t ending = strlen(endings[i].ending);
        if (length >= ending && starts_lower(path + length - ending, ending, endings[i].ending))
            return endings[i].format;
    }
    return SFT_IO_AUTO;
}

const char* sft_io_format_name(sft_io_format format)
{
    static const char* const names[] = {"unknown", "BVH", "glTF", "GLB", "FBX"};
    return (int)format >= 0 && (size_t)format < SFT_COUNT_OF(names) ? names[format] : names[0];
}

// ---- reading ----

sft_io_read_def sft_default_io_read_def(void)
{
    return (sft_io_read_def){.format = SFT_IO_AUTO,
                             .max_bytes = UINT32_MAX,
                             .max_nodes = SFT_MAX_JOINTS,
                             .max_depth = 512,
                             .positions = SFT_BVH_POSITIONS_AUTO,
                             .cookie = IO_COOKIE};
}

static sft_result read_bvh(const sft_io_read_def* def, const void* bytes, size_t size, const sft_allocator* a,
                           sft_io_document** out, sft_error* error)
{
    sft_bvh_read_def bvh_def = sft_default_bvh_read_def();
    bvh_def.positions = def->positions;
    bvh_def.max_bytes = def->max_bytes;
    sft_bvh* bvh = NULL;
    sft_result result = sft_bvh_read(&bvh_def, bytes, size, a, &bvh, error);
    if (result != SFT_OK) return result;
    result = sft_io_wrap(bvh, NULL, a, out);
    if (result == SFT_OK) return SFT_OK;
    sft_bvh_destroy(bvh);
    return sft_core_fail(error, result, 0, 0, NULL, "out of memory");
}

static sft_result read_gltf(const sft_io_read_def* def, const void* bytes, size_t size, const sft_allocator* a,
                            sft_io_document** out, sft_error* error)
{
    sft_gltf_read_def gltf_def = sft_default_gltf_read_def();
    gltf_def.max_bytes = def->max_bytes;
    gltf_def.max_nodes = def->max_nodes;
    gltf_def.max_depth = def->max_depth;
    gltf_def.keep_bytes = def->keep_bytes;
    gltf_def.load = def->load;
    gltf_def.load_user = def->load_user;
    sft_gltf* gltf = NULL;
    sft_result result = sft_gltf_read(&gltf_def, bytes, size, a, &gltf, error);
    if (result != SFT_OK) return result;
    result = sft_io_wrap(NULL, gltf, a, out);
    if (result == SFT_OK) return SFT_OK;
    sft_gltf_destroy(gltf);
    return sft_core_fail(error, result, 0, 0, NULL, "out of memory");
}

// Bytes of no known format: text is given to the BVH reader, which says what it misses.
static bool is_text(const char* bytes, size_t size)
{
    const size_t most = size < 512 ? size : 512;
    for (size_t i = 0; i < most; ++i)
        if ((unsigned char)bytes[i] < ' ' && !(bytes[i] >= '\t' && bytes[i] <= '\r')) return false;
    return true;
}

sft_result sft_io_read(const sft_io_read_def* def, const void* bytes, size_t size, const sft_allocator* allocator,
                       sft_io_document** out, sft_error* error)
{
    const sft_io_read_def own = def != NULL ? *def : sft_default_io_read_def();
    const sft_allocator a = sft_core_allocator(allocator);
    if (own.cookie != IO_COOKIE || own.max_nodes < 1 || own.max_depth < 1)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, NULL, "the def is not from sft_default_io_read_def()");
    if (out == NULL || (bytes == NULL && size > 0))
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no bytes, or no place for the document");
    sft_io_format format = own.format != SFT_IO_AUTO ? own.format : sft_io_sniff(bytes, size);
    if (format == SFT_IO_AUTO && is_text(bytes, size)) format = SFT_IO_BVH;
    switch (format)
    {
    case SFT_IO_BVH:
        return read_bvh(&own, bytes, size, &a, out, error);
    case SFT_IO_GLTF:
    case SFT_IO_GLB:
        return read_gltf(&own, bytes, size, &a, out, error);
    case SFT_IO_FBX:
        return sft_core_fail(error, SFT_ERR_UNSUPPORTED, 0, 0, NULL,
                             "this is FBX; the program surefoot-fbx turns it into GLB, which can be read");
    case SFT_IO_AUTO:
        break;
    }
    return sft_core_fail(error, SFT_ERR_SYNTAX, 0, 0, NULL,
                         "the first bytes are none of BVH, glTF, GLB or FBX; export the clip as one of these");
}

void sft_io_destroy(sft_io_document* document)
{
    if (document == NULL) return;
    const sft_allocator a = document->allocator;
    sft_bvh_destroy(document->bvh);
    sft_gltf_destroy(document->gltf);
    sft_core_free(&a, document->bytes, document->size + 1, 1);
    sft_core_free(&a, document->clips, document->clip_count, sizeof *document->clips);
    sft_core_free(&a, document->warnings, document->warning_count, sizeof *document->warnings);
    sft_core_free(&a, document->resources, document->resource_count, sizeof *document->resources);
    for (io_block* block = document->blocks; block != NULL;)
    {
        io_block* next = block->next;
        sft_core_free(&a, block, 1, block->size);
        block = next;
    }
    sft_core_free(&a, document, 1, sizeof *document);
}

const sft_io_contents* sft_io_view(const sft_io_document* document)
{
    return document != NULL ? &document->view : NULL;
}

sft_bvh* sft_io_bvh(sft_io_document* document)
{
    return document != NULL ? document->bvh : NULL;
}

sft_gltf* sft_io_gltf(sft_io_document* document)
{
    return document != NULL ? document->gltf : NULL;
}

int32_t sft_io_find_clip(const sft_io_document* document, const char* name)
{
    if (document == NULL || name == NULL) return -1;
    for (int32_t i = 0; i < document->view.clip_count; ++i)
        if (strcmp(document->view.clips[i].name, name) == 0) return i;
    int64_t index = name[0] != '\0' ? 0 : -1;
    for (const char* at = name; *at != '\0' && index >= 0; ++at)
        index = *at >= '0' && *at <= '9' && index < INT32_MAX ? 10 * index + (*at - '0') : -1;
    return index < document->view.clip_count ? (int32_t)index : -1;
}

// ---- clips ----

static sft_result bvh_to_clip(const sft_io_document* document, int32_t clip_index, bool rest, const sft_allocator* a,
                              sft_skeleton** skeleton, sft_clip** clip)
{
    sft_skeleton* new_skeleton = NULL;
    sft_clip* new_clip = NULL;
    sft_result result = sft_bvh_to_clip(document->bvh, a, &new_skeleton, &new_clip);
    if (result == SFT_OK && (clip_index < 0 || rest))
    {
        const double frame_time = new_clip->frame_time;
        sft_clip_destroy(new_clip, a);
        new_clip = NULL;
        result = sft_clip_create(new_skeleton->joint_count, 1, frame_time, a, &new_clip);
        const size_t joints = (size_t)new_skeleton->joint_count;
        if (result == SFT_OK)
            memcpy(new_clip->translations, new_skeleton->rest_translations, joints * sizeof *new_clip->translations);
        if (result == SFT_OK)
            memcpy(new_clip->rotations, new_skeleton->rest_rotations, joints * sizeof *new_clip->rotations);
    }
    if (result != SFT_OK)
    {
        sft_skeleton_destroy(new_skeleton, a);
        return result;
    }
    *skeleton = new_skeleton;
    *clip = new_clip;
    return SFT_OK;
}

sft_result sft_io_to_clip(const sft_io_document* document, int32_t clip_index, const sft_gltf_clip_def* def,
                          const sft_allocator* allocator, sft_skeleton** skeleton, sft_clip** clip,
                          sft_gltf_frames* frames, sft_error* error)
{
    if (document == NULL || skeleton == NULL || clip == NULL)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no document, or no place for skeleton and clip");
    if (clip_index < -1 || clip_index >= document->view.clip_count)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "there is no clip %d; the file has %d", (int)clip_index,
                             (int)document->view.clip_count);
    sft_gltf_clip_def own = sft_default_gltf_clip_def();
    own.fps = document->view.frame_rate;
    if (document->gltf != NULL)
        return sft_gltf_to_clip(document->gltf, clip_index, def != NULL ? def : &own, allocator, skeleton, clip, frames,
                                error);
    if (def != NULL && def->cookie != sft_default_gltf_clip_def().cookie)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, NULL, "the def is not from sft_default_gltf_clip_def()");
    const sft_result result = bvh_to_clip(document, clip_index, def != NULL && def->rest, allocator, skeleton, clip);
    if (result != SFT_OK) return sft_core_fail(error, result, 0, 0, NULL, "%s", sft_result_string(result));
    if (frames != NULL)
        *frames = (sft_gltf_frames){.frame_count = (*clip)->frame_count,
                                    .frame_time = (*clip)->frame_time,
                                    .stored = clip_index >= 0,
                                    .channel = -1};
    return SFT_OK;
}

sft_result sft_io_apply(sft_io_document* document, int32_t clip_index, const sft_gltf_frames* frames,
                        const sft_clip* clip, const sft_space* space, const uint8_t* rotation_mask,
                        const uint8_t* translation_mask, const sft_gltf_apply_def* def, sft_gltf_applied* applied,
                        sft_error* error)
{
    if (document == NULL || clip_index < 0 || clip_index >= document->view.clip_count)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no document, or no clip %d in it", (int)clip_index);
    sft_result result;
    if (document->gltf != NULL)
        result = sft_gltf_apply(document->gltf, clip_index, frames, clip, space, rotation_mask, translation_mask, def,
                                applied, error);
    else
    {
        result = sft_bvh_apply(document->bvh, clip, space, rotation_mask, translation_mask, error);
        if (result == SFT_OK && applied != NULL)
            *applied = (sft_gltf_applied){
                .rotation_joint = -1, .rotation_frame = -1, .translation_joint = -1, .translation_frame = -1};
    }
    // What the view says may only lack memory to be told anew; the old arrays then stay.
    if (result == SFT_OK) (void)sft_io_describe(document);
    return result;
}

sft_result sft_io_retime(sft_io_document* document, int32_t clip_index, const sft_gltf_frames* frames, int32_t first,
                         int32_t last, double frame_time, int32_t* left, sft_error* error)
{
    if (document == NULL) return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no document");
    if (document->gltf == NULL)
        return sft_core_fail(error, SFT_ERR_UNSUPPORTED, 0, 0, NULL,
                             "BVH is cut by sft_bvh_slice and resampled by sft_clip_resample");
    const sft_result result = sft_gltf_retime(document->gltf, clip_index, frames, first, last, frame_time, left, error);
    if (result == SFT_OK) (void)sft_io_describe(document);
    return result;
}

static sft_result both_gltf(const sft_io_document* character, const sft_io_document* source, sft_error* error)
{
    if (character == NULL || source == NULL)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "two documents are wanted");
    if (character->gltf != NULL && source->gltf != NULL) return SFT_OK;
    return sft_core_fail(error, SFT_ERR_UNSUPPORTED, 0, 0, NULL,
                         "clip and character are bound by node names of glTF, GLB or FBX files, not of BVH");
}

sft_result sft_io_bind(sft_io_document* character, const sft_io_document* source, int32_t clip_index,
                       const sft_gltf_clip_def* def, sft_gltf_bound* bound, sft_error* error)
{
    sft_result result = both_gltf(character, source, error);
    if (result == SFT_OK) result = sft_gltf_bind(character->gltf, source->gltf, clip_index, def, bound, error);
    if (result == SFT_OK && sft_io_describe(character) != SFT_OK)
        result = sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
    return result;
}

sft_result sft_io_bind_back(const sft_io_document* character, int32_t bound_clip, sft_io_document* source,
                            int32_t clip_index, sft_error* error)
{
    sft_result result = both_gltf(character, source, error);
    if (result == SFT_OK) result = sft_gltf_bind_back(character->gltf, bound_clip, source->gltf, clip_index, error);
    if (result == SFT_OK) (void)sft_io_describe(source);
    return result;
}

// ---- writing to memory ----

static sft_result write_gltf(const sft_io_document* document, bool glb, const sft_allocator* a, void** bytes,
                             size_t* size, sft_error* error)
{
    sft_gltf_write_def def = sft_default_gltf_write_def();
    def.glb = glb;
    def.embed = !glb;
    sft_gltf_output* output = NULL;
    sft_result result = sft_gltf_write(document->gltf, &def, a, &output);
    if (result != SFT_OK) return sft_core_fail(error, result, 0, 0, NULL, "%s", sft_result_string(result));
    const sft_gltf_file* file = &output->files[output->file_count - 1];
    if (file->size > SIZE_MAX / 2)
        result = sft_core_fail(error, SFT_ERR_LIMIT, 0, 0, NULL, "the file would be too large for memory");
    char* block = result == SFT_OK ? sft_core_alloc(a, (size_t)file->size + 1, 1) : NULL;
    if (block != NULL)
    {
        size_t at = 0;
        for (int32_t i = 0; i < file->part_count; ++i)
        {
            if (file->parts[i].size > 0) memcpy(block + at, file->parts[i].data, file->parts[i].size);
            at += file->parts[i].size;
        }
        *bytes = block;
        *size = at;
    }
    else if (result == SFT_OK)
        result = sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
    sft_gltf_output_destroy(output, a);
    return result;
}

sft_result sft_io_write(const sft_io_document* document, sft_io_format format, const sft_allocator* allocator,
                        void** bytes, size_t* size, sft_error* error)
{
    if (document == NULL || bytes == NULL || size == NULL)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no document, or no place for the bytes");
    const sft_allocator a = sft_core_allocator(allocator);
    const sft_io_format wanted = format != SFT_IO_AUTO ? format : document->view.format;
    if (document->gltf != NULL && (wanted == SFT_IO_GLTF || wanted == SFT_IO_GLB))
        return write_gltf(document, wanted == SFT_IO_GLB, &a, bytes, size, error);
    if (document->bvh == NULL || wanted != SFT_IO_BVH) return sft_io_fail_format(document, wanted, error);
    char* text = NULL;
    const sft_result result = sft_bvh_write(document->bvh, &a, &text, size);
    if (result != SFT_OK) return sft_core_fail(error, result, 0, 0, NULL, "%s", sft_result_string(result));
    *bytes = text;
    return SFT_OK;
}

sft_result sft_io_fail_format(const sft_io_document* document, sft_io_format format, sft_error* error)
{
    return sft_core_fail(error, SFT_ERR_UNSUPPORTED, 0, 0, NULL, "a document in %s cannot be written as %s%s",
                         sft_io_format_name(document->view.format), sft_io_format_name(format),
                         format == SFT_IO_FBX ? "; give the output a name in .glb, .gltf or .bvh"
                                              : " as it is; sft_io_convert first");
}
