// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// From bytes to the document: container, JSON, then piece by piece what skeleton and animation need. Source: glTF 2.0
// specification (Khronos, 2021).

#include "gltf/read.h"

sft_gltf_read_def sft_default_gltf_read_def(void)
{
    const uint64_t four_gib = (UINT64_C(4) << 30) - 1;
    return (sft_gltf_read_def){.max_bytes = four_gib > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)four_gib,
                               .max_nodes = SFT_MAX_JOINTS,
                               .max_depth = 512,
                               .cookie = GLTF_COOKIE};
}

// ---- text ----

static sft_result check_text(const sft_gltf* gltf, sft_error* error)
{
    const uint8_t* b = gltf->bytes;
    const size_t size = gltf->size;
    if (size == 0)
        return sft_core_fail(error, SFT_ERR_SYNTAX, 0, 1, NULL, "the file is empty (0 bytes); copy or export it again");
    if (size >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff)))
        return sft_core_fail(error, SFT_ERR_SYNTAX, 0, 1, NULL, "the text is UTF-16; save it as UTF-8");
    size_t at = size >= 3 && memcmp(b, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < size && (b[at] == ' ' || b[at] == '\n' || b[at] == '\r' || b[at] == '\t'))
        ++at;
    if (at < size && b[at] == '\0')
        return sft_core_fail(error, SFT_ERR_SYNTAX, at, 0, NULL,
                             "this is neither glTF text, which begins with '{', nor a GLB, which begins with 'glTF'");
    return SFT_OK;
}

static sft_result parse_json(gltf_reader* reader)
{
    sft_gltf* gltf = reader->gltf;
    sft_json_options options = sft_json_default_options();
    options.max_depth = (uint32_t)reader->def.max_depth;
    options.allow_bom = true;
    sft_error inner = {.code = SFT_OK};
    const char* text = (const char*)gltf->bytes + gltf->json_start;
    const sft_result result = sft_json_parse(&gltf->allocator, text, gltf->json_size, &options, &gltf->json, &inner);
    if (result != SFT_OK)
        return sft_core_fail(reader->error, result, gltf->json_start + inner.byte, inner.line, NULL, "%s",
                             inner.message);
    if (sft_json_has_bom(gltf->json))
        sft_gltf_warn(gltf, SIZE_MAX, "the text begins with a byte-order mark, which glTF forbids; it is skipped");
    reader->root = sft_json_root(gltf->json);
    if (reader->root.kind != SFT_JSON_OBJECT)
        return sft_gltf_fail(gltf, reader->error, SFT_ERR_SYNTAX, reader->root.start,
                             "a glTF document must be a JSON object, this is %s",
                             sft_json_kind_name(reader->root.kind));
    sft_json_value twice;
    if (sft_json_find_duplicate(gltf->json, reader->root, &twice) != SFT_OK) return sft_gltf_no_memory(reader->error);
    if (twice.kind == SFT_JSON_NONE) return SFT_OK;
    char key[40];
    sft_json_decode(gltf->json, twice, key, sizeof key);
    return sft_gltf_fail(gltf, reader->error, SFT_ERR_SYNTAX, twice.start,
                         "the document has two members '%s', and readers differ in which they take; remove one", key);
}

// ---- asset ----

// "2.1" gives 2 and 1; false for anything else than two numbers and a point.
static bool read_version(const sft_json* json, sft_json_value value, int* major, int* minor)
{
    char text[16];
    const size_t length = sft_json_decode(json, value, text, sizeof text);
    if (value.kind != SFT_JSON_STRING || length < 3 || length >= sizeof text) return false;
    int parts[2] = {0, 0}, part = 0, digits = 0;
    for (size_t i = 0; i < length; ++i)
    {
        if (text[i] == '.' && part == 0 && digits > 0)
        {
            part = 1;
            digits = 0;
            continue;
        }
        if (text[i] < '0' || text[i] > '9' || ++digits > 4) return false;
        parts[part] = 10 * parts[part] + (text[i] - '0');
    }
    *major = parts[0];
    *minor = parts[1];
    return part == 1 && digits > 0;
}

static sft_result read_asset(gltf_reader* reader)
{
    sft_gltf* gltf = reader->gltf;
    gltf_member m[] = {GLTF_MEMBER("version"), GLTF_MEMBER("minVersion"), GLTF_MEMBER("generator")};
    const sft_json_value asset = sft_json_get(gltf->json, reader->root, "asset");
    if (asset.kind == SFT_JSON_NONE)
        return sft_gltf_fail(gltf, reader->error, SFT_ERR_SYNTAX, reader->root.start,
                             "the object has no 'asset' with a 'version', so it is no glTF 2.0; export again");
    sft_result result = sft_gltf_members(reader, asset, "'asset'", m, SFT_COUNT_OF(m));
    int major = 0, minor = 0;
    if (result != SFT_OK) return result;
    if (!read_version(gltf->json, m[0].value, &major, &minor))
        return sft_gltf_fail(gltf, reader->error, SFT_ERR_SYNTAX, asset.start,
                             "the asset's version must be text such as \"2.0\"; export again");
    if (major != 2)
        return sft_gltf_fail(gltf, reader->error, SFT_ERR_UNSUPPORTED, m[0].value.start,
                             "this is glTF %d.%d; only 2.x is read: export as glTF 2.0", major, minor);
    if (read_version(gltf->json, m[1].value, &major, &minor) && (major > 2 || (major == 2 && minor > 0)))
        return sft_gltf_fail(gltf, reader->error, SFT_ERR_UNSUPPORTED, m[1].value.start,
                             "the document wants a reader of glTF %d.%d; this one knows 2.0: export as glTF 2.0", major,
                             minor);
    result = sft_gltf_text(reader, m[2].value, &gltf->view.generator);
    if (gltf->view.generator == NULL) gltf->view.generator = "";
    return result;
}

// ---- the whole ----

static sft_result read_pieces(gltf_reader* reader)
{
    sft_gltf* gltf = reader->gltf;
    sft_result result = read_asset(reader);
    if (result == SFT_OK) result = sft_gltf_read_buffers(reader);
    if (result == SFT_OK) result = sft_gltf_read_views(reader);
    if (result == SFT_OK) result = sft_gltf_read_accessors(reader);
    if (result == SFT_OK) result = sft_gltf_read_nodes(reader);
    if (result == SFT_OK) result = sft_gltf_read_graph(reader);
    if (result == SFT_OK) result = sft_gltf_read_skins(reader);
    if (result == SFT_OK) result = sft_gltf_read_images(reader);
    if (result == SFT_OK) result = sft_gltf_read_animations(reader);
    if (result != SFT_OK) return result;
    const sft_json_value meshes = sft_json_get(gltf->json, reader->root, "meshes");
    if (meshes.kind == SFT_JSON_ARRAY) gltf->view.mesh_count = (int32_t)sft_json_count(gltf->json, meshes);
    result = sft_gltf_pick_joints(gltf, reader->error);
    if (result == SFT_OK) result = sft_gltf_judge_animations(reader);
    for (int32_t a = 0; a < gltf->animation_count && result == SFT_OK; ++a)
    {
        result = sft_gltf_describe_animation(gltf, a);
        if (result != SFT_OK)
            sft_core_fail(reader->error, result, 0, 0, NULL, "animation %d: %s", a, sft_result_string(result));
    }
    return result;
}

static void fill_view(sft_gltf* gltf, bool glb)
{
    sft_gltf_contents* view = &gltf->view;
    view->glb = glb;
    view->node_count = gltf->node_count;
    view->skin_count = gltf->skin_count;
    view->joint_nodes = gltf->joint_nodes;
    view->node_joints = gltf->node_joints;
    view->animation_count = gltf->animation_count;
    view->animations = gltf->infos;
    view->warnings = gltf->warnings;
    view->warning_count = gltf->warning_count;
}

static sft_result read_all(gltf_reader* reader)
{
    sft_gltf* gltf = reader->gltf;
    gltf->bin_chunk = -1;
    const bool glb = sft_gltf_is_glb(gltf->bytes, gltf->size);
    gltf->json_size = gltf->size;
    sft_result result = glb ? sft_gltf_read_container(gltf, reader->error) : check_text(gltf, reader->error);
    if (result == SFT_OK) result = parse_json(reader);
    if (result == SFT_OK) result = read_pieces(reader);
    if (result == SFT_OK) fill_view(gltf, glb);
    return result;
}

static sft_result check_def(const sft_gltf_read_def* def, size_t size, sft_error* error)
{
    const int32_t most = (int32_t)1 << 26; // sixteen times as many accessors still have a 32-bit index
    if (def->cookie != GLTF_COOKIE || def->max_nodes < 1 || def->max_nodes > most || def->max_depth < 1)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, NULL,
                             "the settings did not come from sft_default_gltf_read_def(), or a limit is out of range");
    if (size > def->max_bytes)
        return sft_core_fail(error, SFT_ERR_LIMIT, 0, 0, NULL, "%z bytes are more than max_bytes, %z", size,
                             def->max_bytes);
    return SFT_OK;
}

static bool take_bytes(sft_gltf* gltf, const void* bytes, size_t size, bool borrow)
{
    gltf->size = size;
    gltf->bytes = size > 0 ? bytes : (const uint8_t*)"";
    if (borrow || size == 0) return true;
    // Not zeroed first: the copy is of the size of the file.
    uint8_t* copy = gltf->allocator.allocate(gltf->allocator.user, size);
    if (copy == NULL) return false;
    memcpy(copy, bytes, size);
    gltf->bytes = copy;
    gltf->owns_bytes = true;
    return true;
}

sft_result sft_gltf_read(const sft_gltf_read_def* def, const void* bytes, size_t size, const sft_allocator* allocator,
                         sft_gltf** out, sft_error* error)
{
    if (out == NULL || (bytes == NULL && size > 0))
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no bytes, or no place for the document");
    gltf_reader reader = {.def = def != NULL ? *def : sft_default_gltf_read_def(), .error = error};
    sft_result result = check_def(&reader.def, size, error);
    if (result != SFT_OK) return result;
    sft_gltf* gltf = sft_core_alloc(allocator, 1, sizeof *gltf);
    if (gltf == NULL) return sft_gltf_no_memory(error);
    gltf->allocator = sft_core_allocator(allocator);
    reader.gltf = gltf;
    result = take_bytes(gltf, bytes, size, reader.def.keep_bytes) ? read_all(&reader) : sft_gltf_no_memory(error);
    if (result != SFT_OK)
    {
        sft_gltf_destroy(gltf);
        return result;
    }
    *out = gltf;
    return SFT_OK;
}
