// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The GLB container: a header of 12 bytes (magic, version, length), then chunks of a header of 8 bytes (length, type)
// and their data. Numbers are little endian. Source: glTF 2.0 specification, section 4.4.

#include "gltf/read.h"

#define GLB_HEADER 12u
#define GLB_CHUNK 8u
#define GLB_JSON 0x4e4f534au
#define GLB_BIN 0x004e4942u

static uint32_t read_u32(const uint8_t* p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

bool sft_gltf_is_glb(const uint8_t* bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "glTF", 4) == 0;
}

// A type as its four letters where it has such, so that a message can be read.
static void type_text(uint32_t type, char out[16])
{
    bool letters = true;
    for (int i = 0; i < 4; ++i)
    {
        const unsigned char c = (unsigned char)(type >> (8 * i));
        letters = letters && (c >= 32 ? c < 127 : c == 0 && i == 3);
        out[i] = (char)c;
    }
    out[4] = '\0';
    if (!letters) sft_core_format(out, 16, "%u", type);
}

static sft_result check_header(const sft_gltf* gltf, size_t* end, sft_error* error)
{
    if (gltf->size < GLB_HEADER)
        return sft_core_fail(error, SFT_ERR_SYNTAX, gltf->size, 0, NULL,
                             "the GLB ends inside its header: %z bytes are missing; copy or export the file again",
                             GLB_HEADER - gltf->size);
    const uint32_t version = read_u32(gltf->bytes + 4);
    if (version != 2)
        return sft_core_fail(error, SFT_ERR_UNSUPPORTED, 4, 0, NULL,
                             "the GLB says version %u of its container; only 2 is read: export as glTF 2.0", version);
    const uint32_t length = read_u32(gltf->bytes + 8);
    if (length < GLB_HEADER)
        return sft_core_fail(error, SFT_ERR_SYNTAX, 8, 0, NULL,
                             "the GLB's header says a length of %u bytes, less than the header itself; export again",
                             length);
    if (length > gltf->size)
        return sft_core_fail(error, SFT_ERR_SYNTAX, gltf->size, 0, NULL,
                             "the GLB is cut: its header says %u bytes, the file has %z, so %z bytes are missing; copy "
                             "or export it again",
                             length, gltf->size, length - gltf->size);
    *end = length;
    return SFT_OK;
}

static sft_result cut_chunk(int32_t index, uint32_t type, size_t at, size_t missing, sft_error* error)
{
    char text[16];
    type_text(type, text);
    return sft_core_fail(error, SFT_ERR_SYNTAX, at, 0, NULL,
                         "chunk %d (%s) goes %z bytes beyond the length in the GLB's header; export again", index, text,
                         missing);
}

// Walks the chunks; with `chunks` null it only counts and checks.
static sft_result walk_chunks(const sft_gltf* gltf, size_t end, gltf_chunk* chunks, int32_t* count, sft_error* error)
{
    size_t at = GLB_HEADER;
    int32_t found = 0;
    while (at < end)
    {
        // Fewer bytes than a chunk's header are padding that somebody counted in.
        if (end - at < GLB_CHUNK && found > 0) break;
        if (end - at < GLB_CHUNK)
            return sft_core_fail(error, SFT_ERR_SYNTAX, at, 0, NULL,
                                 "the GLB ends inside the header of its JSON chunk; export again");
        const uint32_t size = read_u32(gltf->bytes + at), type = read_u32(gltf->bytes + at + 4);
        const size_t start = at + GLB_CHUNK;
        if (size > end - start) return cut_chunk(found, type, at, size - (end - start), error);
        if (chunks != NULL) chunks[found] = (gltf_chunk){type, start, size};
        ++found;
        at = start + size;
    }
    *count = found;
    return SFT_OK;
}

// The JSON text without what fills the chunk up: blanks by the standard, zeros by some exporters.
static size_t without_padding(sft_gltf* gltf, const gltf_chunk* chunk)
{
    size_t size = chunk->size;
    bool zeros = false;
    while (size > 0)
    {
        const uint8_t c = gltf->bytes[chunk->start + size - 1];
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\0') break;
        zeros = zeros || c == '\0';
        --size;
    }
    if (zeros) sft_gltf_warn(gltf, SIZE_MAX, "the JSON chunk is filled up with zeros instead of blanks");
    return size;
}

static void note_oddities(sft_gltf* gltf, size_t end)
{
    int32_t bins = 0;
    for (int32_t i = 0; i < gltf->chunk_count; ++i)
    {
        const gltf_chunk* chunk = &gltf->chunks[i];
        if (chunk->type == GLB_JSON && i > 0)
            sft_gltf_warn(gltf, SIZE_MAX, "chunk %d is a second JSON chunk; it is kept and not read", i);
        if (chunk->type != GLB_BIN) continue;
        if (bins > 0)
            sft_gltf_warn(gltf, SIZE_MAX, "chunk %d is a second BIN chunk; it is kept and not read", i);
        else if (i != 1)
            sft_gltf_warn(gltf, SIZE_MAX, "the BIN chunk is chunk %d, not the second; it is read all the same", i);
        ++bins;
    }
    if (end < gltf->size)
        sft_gltf_warn(gltf, SIZE_MAX, "%z bytes behind the length in the GLB's header; they are not read",
                      gltf->size - end);
}

sft_result sft_gltf_read_container(sft_gltf* gltf, sft_error* error)
{
    gltf->bin_chunk = -1;
    size_t end = 0;
    sft_result result = check_header(gltf, &end, error);
    int32_t count = 0;
    if (result == SFT_OK) result = walk_chunks(gltf, end, NULL, &count, error);
    if (result != SFT_OK) return result;
    if (count == 0)
        return sft_core_fail(error, SFT_ERR_SYNTAX, end, 0, NULL, "the GLB has no JSON chunk; export again");
    gltf->chunks = sft_gltf_keep(gltf, (size_t)count, sizeof *gltf->chunks);
    if (gltf->chunks == NULL) return sft_gltf_no_memory(error);
    result = walk_chunks(gltf, end, gltf->chunks, &gltf->chunk_count, error);
    if (result != SFT_OK) return result;
    if (gltf->chunks[0].type != GLB_JSON)
    {
        char text[16];
        type_text(gltf->chunks[0].type, text);
        return sft_core_fail(error, SFT_ERR_SYNTAX, GLB_HEADER, 0, NULL,
                             "the first chunk of a GLB must be JSON, here it is '%s'; export again", text);
    }
    gltf->json_start = gltf->chunks[0].start;
    gltf->json_size = without_padding(gltf, &gltf->chunks[0]);
    if (gltf->json_size == 0)
        return sft_core_fail(error, SFT_ERR_SYNTAX, gltf->json_start, 0, NULL,
                             "the JSON chunk of the GLB is empty; export again");
    for (int32_t i = gltf->chunk_count - 1; i > 0; --i)
        if (gltf->chunks[i].type == GLB_BIN) gltf->bin_chunk = i;
    note_oddities(gltf, end);
    return SFT_OK;
}
