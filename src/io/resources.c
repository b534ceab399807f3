// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Documents as files: what lies beside a .gltf is read from there and goes along when it is written elsewhere.

#include "io/io.h"

#include "gltf/gltf.h"

#define PATH_CAPACITY 4096
#define NAME_TRIES 1000

static bool is_slash(char c)
{
#if defined(_WIN32)
    return c == '/' || c == '\\';
#else
    return c == '/';
#endif
}

// Length of what stands before the file's name, the last slash included.
static size_t folder_length(const char* path)
{
    size_t length = 0;
    for (size_t i = 0; path[i] != '\0'; ++i)
        if (is_slash(path[i])) length = i + 1;
    return length;
}

bool sft_place_folder(const char* path, char* out, size_t capacity)
{
    const size_t length = folder_length(path);
    if (length >= capacity) return false;
    memcpy(out, path, length);
    out[length] = '\0';
    return true;
}

// ---- reading ----

typedef struct loader
{
    const char* folder;
    const sft_allocator* allocator;
    char** names; ///< of what was read, one block each
    size_t count, capacity;
} loader;

static sft_result remember(loader* l, const char* path)
{
    if (l->count == l->capacity)
    {
        const size_t capacity = 2 * l->capacity + 8;
        char** names = sft_core_grow(l->allocator, l->names, l->capacity, capacity, sizeof *names);
        if (names == NULL) return SFT_ERR_MEMORY;
        l->names = names;
        l->capacity = capacity;
    }
    char* copy = sft_core_alloc(l->allocator, strlen(path) + 1, 1);
    if (copy == NULL) return SFT_ERR_MEMORY;
    memcpy(copy, path, strlen(path) + 1);
    l->names[l->count++] = copy;
    return SFT_OK;
}

static void forget(loader* l)
{
    for (size_t i = 0; i < l->count; ++i)
        sft_core_free(l->allocator, l->names[i], strlen(l->names[i]) + 1, 1);
    sft_core_free(l->allocator, l->names, l->capacity, sizeof *l->names);
}

static sft_result load_beside(void* user, const char* path, size_t max_bytes, const sft_allocator* allocator,
                              void** bytes, size_t* size, sft_error* error)
{
    loader* l = user;
    if (remember(l, path) != SFT_OK) return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
    const size_t most = max_bytes < SIZE_MAX / 2 ? max_bytes : SIZE_MAX / 2;
    return sft_place_read_inside(l->folder, path, most, allocator, bytes, size, error);
}

// Buffers that were read, then images: the files that an output must not replace.
static sft_result list_resources(sft_io_document* d, const loader* l)
{
    size_t images = 0;
    while (d->gltf != NULL && sft_gltf_image_path(d->gltf, (int32_t)images) != NULL)
        ++images;
    const size_t count = l->count + images;
    const char** list = sft_core_alloc(&d->allocator, count, sizeof *list);
    if (list == NULL) return SFT_ERR_MEMORY;
    d->resources = list;
    d->resource_count = count;
    for (size_t i = 0; i < count; ++i)
    {
        const char* name = i < l->count ? l->names[i] : sft_gltf_image_path(d->gltf, (int32_t)(i - l->count));
        list[i] = sft_io_keep_text(d, name, strlen(name));
        if (list[i] == NULL) return SFT_ERR_MEMORY;
    }
    return sft_io_describe(d);
}

static sft_result take_over(sft_io_document* d, const char* folder, const loader* l, void* bytes, size_t size)
{
    d->folder = sft_io_keep_text(d, folder, strlen(folder));
    if (d->folder == NULL || list_resources(d, l) != SFT_OK) return SFT_ERR_MEMORY;
    d->bytes = bytes;
    d->size = size;
    return SFT_OK;
}

// A document of `bytes`, which are its own where it needs them and else are released.
static sft_result read_bytes(const sft_io_read_def* def, const char* folder, void* bytes, size_t size,
                             const sft_allocator* a, sft_io_document** out, sft_error* error)
{
    loader l = {.folder = folder, .allocator = a};
    sft_io_read_def own = *def;
    own.keep_bytes = true;
    if (own.load == NULL)
    {
        own.load = load_beside;
        own.load_user = &l;
    }
    sft_io_document* document = NULL;
    sft_result result = sft_io_read(&own, bytes, size, a, &document, error);
    const bool needed = result == SFT_OK && document->gltf != NULL;
    if (result == SFT_OK && take_over(document, folder, &l, needed ? bytes : NULL, needed ? size : 0) != SFT_OK)
    {
        sft_io_destroy(document);
        result = sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
    }
    forget(&l);
    if (result != SFT_OK || !needed) sft_core_free(a, bytes, size + 1, 1);
    if (result == SFT_OK) *out = document;
    return result;
}

sft_result sft_io_read_file(const sft_io_read_def* def, const char* path, const sft_allocator* allocator,
                            sft_io_document** out, sft_error* error)
{
    const sft_io_read_def own = def != NULL ? *def : sft_default_io_read_def();
    if (own.cookie != IO_COOKIE)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, NULL, "the def is not from sft_default_io_read_def()");
    if (path == NULL || out == NULL)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no path, or no place for the document");
    const sft_allocator a = sft_core_allocator(allocator);
    char folder[PATH_CAPACITY];
    if (!sft_place_folder(path, folder, sizeof folder)) return sft_io_fail(error, "the path", "cannot open", 0);
    void* bytes = NULL;
    size_t size = 0;
    const size_t most = own.max_bytes < SIZE_MAX / 2 ? own.max_bytes : SIZE_MAX / 2;
    const sft_result result = sft_file_read(path, most, &a, &bytes, &size, error);
    return result == SFT_OK ? read_bytes(&own, folder, bytes, size, &a, out, error) : result;
}

// ---- writing ----

sft_io_write_def sft_default_io_write_def(void)
{
    return (sft_io_write_def){.format = SFT_IO_AUTO, .cookie = IO_COOKIE};
}

typedef struct writing
{
    const sft_io_document* document;
    const char* path;
    size_t folder;      ///< length of the folder in `path`
    const char* source; ///< folder resources come from; null: none
    bool embed, unsynced;
    char name[PATH_CAPACITY]; ///< of new binary data, relative
    sft_error* error;
} writing;

static sft_result out_of_memory(const writing* w)
{
    return sft_core_fail(w->error, SFT_ERR_MEMORY, 0, 0, NULL, "%s: out of memory while writing", w->path);
}

// Path of something beside the output, into out.
static bool beside(const writing* w, const char* relative, char* out, size_t capacity)
{
    const size_t length = strlen(relative);
    if (w->folder + length + 1 > capacity) return false;
    memcpy(out, w->path, w->folder);
    memcpy(out + w->folder, relative, length + 1);
    return true;
}

static sft_result put_file(const writing* w, const char* path, const sft_bytes* parts, int32_t part_count)
{
    return w->unsynced ? sft_file_write_unsynced(path, parts, part_count, w->error)
                       : sft_file_write_parts(path, parts, part_count, w->error);
}

// A resource that goes along: there already with the same bytes is fine, there with others is somebody else's.
static sft_result put_resource(const writing* w, const char* relative, const sft_bytes* parts, int32_t part_count)
{
    char target[PATH_CAPACITY];
    if (!beside(w, relative, target, sizeof target)) return sft_io_fail(w->error, relative, "cannot write", 0);
    if (sft_place_exists(target))
    {
        if (sft_place_holds(target, parts, part_count)) return SFT_OK;
        return sft_core_fail(
            w->error, SFT_ERR_IO, 0, 0, NULL,
            "%s: is there with other bytes and is not overwritten; write to another folder, or as .glb", target);
    }
    const sft_result result = sft_place_make_folders(target, w->folder, w->error);
    return result == SFT_OK ? put_file(w, target, parts, part_count) : result;
}

// NAME.bin, NAME-1.bin, ...: the first that is free, or holds these bytes already. False where none is left.
static bool free_name(writing* w, int number)
{
    const char* name = w->path + w->folder;
    size_t stem = strlen(name);
    for (size_t i = stem; i > 1; --i)
        if (name[i - 1] == '.')
        {
            stem = i - 1;
            break;
        }
    if (stem + 16 > sizeof w->name) return false;
    memcpy(w->name, name, stem);
    if (number == 0)
        sft_core_format(w->name + stem, 16, ".bin");
    else
        sft_core_format(w->name + stem, 16, "-%d.bin", number);
    return true;
}

// A .gltf that came in one file stays in one: its buffers are data URIs, so new data becomes one too.
static bool in_one_file(const sft_gltf* gltf)
{
    bool data = false;
    for (int32_t i = 0; i < gltf->buffer_count; ++i)
    {
        const gltf_buffer_kind kind = gltf->buffers[i].kind;
        if (kind == GLTF_BUFFER_BIN || kind == GLTF_BUFFER_FILE) return false;
        data = data || kind == GLTF_BUFFER_DATA;
    }
    return data && !gltf->view.glb;
}

static sft_result lay_out(const writing* w, bool glb, sft_gltf_output** out)
{
    sft_gltf_write_def def = sft_default_gltf_write_def();
    def.glb = glb;
    def.embed = !glb && w->embed;
    def.buffer_path = glb || w->embed || in_one_file(w->document->gltf) ? NULL : w->name;
    const sft_result result = sft_gltf_write(w->document->gltf, &def, &w->document->allocator, out);
    if (result == SFT_OK) return SFT_OK;
    return sft_core_fail(w->error, result, 0, 0, NULL, "%s: %s", w->path, sft_result_string(result));
}

// Whether the new data may go to the name chosen for it.
static bool name_fits(const writing* w, const sft_gltf_output* output)
{
    char target[PATH_CAPACITY];
    for (int32_t i = 0; i < output->file_count; ++i)
    {
        const sft_gltf_file* f = &output->files[i];
        if (f->as_came || f->path[0] == '\0') continue;
        if (beside(w, f->path, target, sizeof target) && sft_place_exists(target) &&
            !sft_place_holds(target, f->parts, f->part_count))
            return false;
    }
    return true;
}

static sft_result choose_layout(writing* w, bool glb, sft_gltf_output** out)
{
    for (int number = 0; number < NAME_TRIES && free_name(w, number); ++number)
    {
        const sft_result result = lay_out(w, glb, out);
        // A file that the document refers to is not for new data.
        if (result == SFT_ERR_DEF && !glb) continue;
        if (result != SFT_OK || name_fits(w, *out)) return result;
        sft_gltf_output_destroy(*out, &w->document->allocator);
        *out = NULL;
    }
    return sft_core_fail(w->error, SFT_ERR_IO, 0, 0, NULL, "%s: no free name beside it for its binary data", w->path);
}

// Images lie where the source says, relative to it; what is not there cannot go along.
static sft_result copy_images(const writing* w)
{
    const sft_allocator* a = &w->document->allocator;
    for (int32_t i = 0; w->source != NULL; ++i)
    {
        const char* path = sft_gltf_image_path(w->document->gltf, i);
        if (path == NULL) break;
        void* bytes = NULL;
        size_t size = 0;
        sft_result result = sft_place_read_inside(w->source, path, SIZE_MAX / 2, a, &bytes, &size, NULL);
        if (result == SFT_ERR_MEMORY) return out_of_memory(w);
        if (result != SFT_OK) continue;
        const sft_bytes part = {bytes, size};
        result = put_resource(w, path, &part, 1);
        sft_core_free(a, bytes, size + 1, 1);
        if (result != SFT_OK) return result;
    }
    return SFT_OK;
}

static sft_result write_gltf(writing* w, bool glb)
{
    sft_gltf_output* output = NULL;
    sft_result result = choose_layout(w, glb, &output);
    if (result != SFT_OK) return result;
    for (int32_t i = 0; i < output->file_count && result == SFT_OK; ++i)
    {
        const sft_gltf_file* f = &output->files[i];
        if (f->path[0] != '\0') result = put_resource(w, f->path, f->parts, f->part_count);
    }
    if (result == SFT_OK) result = copy_images(w);
    const sft_gltf_file* main_file = &output->files[output->file_count - 1];
    if (result == SFT_OK) result = put_file(w, w->path, main_file->parts, main_file->part_count);
    sft_gltf_output_destroy(output, &w->document->allocator);
    return result;
}

static sft_result write_bvh(const writing* w)
{
    const sft_allocator* a = &w->document->allocator;
    char* text = NULL;
    size_t size = 0;
    if (sft_bvh_write(w->document->bvh, a, &text, &size) != SFT_OK) return out_of_memory(w);
    const sft_result result = put_file(w, w->path, &(sft_bytes){text, size}, 1);
    sft_core_free(a, text, size + 1, 1);
    return result;
}

sft_result sft_io_write_file(const sft_io_document* document, const sft_io_write_def* def, const char* path,
                             sft_error* error)
{
    const sft_io_write_def own = def != NULL ? *def : sft_default_io_write_def();
    if (own.cookie != IO_COOKIE)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, NULL, "the def is not from sft_default_io_write_def()");
    if (document == NULL || path == NULL)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no document, or no path");
    writing w = {.document = document,
                 .path = path,
                 .folder = folder_length(path),
                 .source = own.source_folder != NULL ? own.source_folder : document->folder,
                 .embed = own.embed,
                 .unsynced = own.unsynced,
                 .error = error};
    sft_io_format format = own.format != SFT_IO_AUTO ? own.format : sft_io_format_of_name(path);
    if (format == SFT_IO_AUTO) format = document->view.format;
    if (document->gltf != NULL && (format == SFT_IO_GLTF || format == SFT_IO_GLB))
        return write_gltf(&w, format == SFT_IO_GLB);
    if (document->bvh != NULL && format == SFT_IO_BVH) return write_bvh(&w);
    return sft_io_fail_format(document, format, error);
}
