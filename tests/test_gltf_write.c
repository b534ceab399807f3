// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// glTF out: what did not change is the input's bytes; what did stands behind the old; containers change and nothing
// else. Keys are put into the document by hand here, so that only the writer is under test.
#include "support/support.h"

#include "gltf/gltf.h"

typedef struct block
{
    uint8_t* data;
    size_t size;
} block;

static block join(const sft_gltf_file* file)
{
    block out = {malloc((size_t)file->size + 1), 0};
    assert_non_null(out.data);
    for (int32_t i = 0; i < file->part_count; ++i)
    {
        memcpy(out.data + out.size, file->parts[i].data, file->parts[i].size);
        out.size += file->parts[i].size;
    }
    assert_int_equal(out.size, file->size);
    out.data[out.size] = 0;
    return out;
}

// Gives back what the output holds as a file.
static sft_result load_output(void* user, const char* path, size_t max_bytes, const sft_allocator* allocator,
                              void** bytes, size_t* size, sft_error* error)
{
    const sft_gltf_output* output = user;
    (void)max_bytes;
    (void)error;
    for (int32_t f = 0; output != NULL && f < output->file_count; ++f)
    {
        if (strcmp(output->files[f].path, path) != 0) continue;
        block joined = join(&output->files[f]);
        *bytes = allocator->allocate(allocator->user, joined.size + 1);
        if (*bytes != NULL) memcpy(*bytes, joined.data, joined.size);
        *size = joined.size;
        free(joined.data);
        return *bytes != NULL ? SFT_OK : SFT_ERR_MEMORY;
    }
    return SFT_ERR_IO;
}

// The one file that texts of these tests refer to.
static const uint8_t beside[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static sft_result load_beside(void* user, const char* path, size_t max_bytes, const sft_allocator* allocator,
                              void** bytes, size_t* size, sft_error* error)
{
    (void)user;
    (void)max_bytes;
    (void)error;
    if (strcmp(path, "be side.bin") != 0) return SFT_ERR_IO;
    *bytes = allocator->allocate(allocator->user, sizeof beside + 1);
    if (*bytes == NULL) return SFT_ERR_MEMORY;
    memcpy(*bytes, beside, sizeof beside);
    *size = sizeof beside;
    return SFT_OK;
}

static sft_gltf* read_bytes(const void* bytes, size_t size)
{
    sft_gltf_read_def def = sft_default_gltf_read_def();
    def.load = load_beside;
    sft_gltf* gltf = NULL;
    sft_error error = {0};
    if (sft_gltf_read(&def, bytes, size, NULL, &gltf, &error) != SFT_OK) fail_msg("%s", error.message);
    return gltf;
}

static sft_gltf* read_text(const char* text)
{
    return read_bytes(text, strlen(text));
}

static sft_gltf* read_back(const sft_gltf_output* output)
{
    sft_gltf_read_def def = sft_default_gltf_read_def();
    def.load = load_output;
    def.load_user = (void*)(uintptr_t)output;
    block main_file = join(&output->files[output->file_count - 1]);
    sft_gltf* gltf = NULL;
    sft_error error = {0};
    const sft_result result = sft_gltf_read(&def, main_file.data, main_file.size, NULL, &gltf, &error);
    if (result != SFT_OK) fail_msg("%s\n%s", error.message, (const char*)main_file.data);
    free(main_file.data);
    return gltf;
}

static sft_gltf_output* written(const sft_gltf* gltf, bool glb, const char* buffer_path)
{
    sft_gltf_write_def def = sft_default_gltf_write_def();
    def.glb = glb;
    def.buffer_path = buffer_path;
    sft_gltf_output* output = NULL;
    assert_int_equal(sft_gltf_write(gltf, &def, NULL, &output), SFT_OK);
    return output;
}

static const sft_gltf_file* main_of(const sft_gltf_output* output)
{
    const sft_gltf_file* file = &output->files[output->file_count - 1];
    assert_string_equal(file->path, "");
    return file;
}

static void assert_text(const sft_gltf_output* output, const char* expected)
{
    block got = join(main_of(output));
    assert_string_equal((const char*)got.data, expected);
    free(got.data);
}

// ---- building ----

static void put_u32(uint8_t* out, uint32_t value)
{
    for (int i = 0; i < 4; ++i)
        out[i] = (uint8_t)(value >> (8 * i));
}

static uint32_t get_u32(const uint8_t* in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

static void put_chunk(block* glb, const char* type, const void* data, size_t size, uint8_t pad)
{
    const size_t padded = (size + 3) / 4 * 4;
    glb->data = realloc(glb->data, glb->size + 8 + padded);
    assert_non_null(glb->data);
    put_u32(glb->data + glb->size, (uint32_t)padded);
    memcpy(glb->data + glb->size + 4, type, 4);
    memset(glb->data + glb->size + 8, pad, padded);
    if (size > 0) memcpy(glb->data + glb->size + 8, data, size);
    glb->size += 8 + padded;
    put_u32(glb->data + 8, (uint32_t)glb->size);
}

static block start_glb(const char* json)
{
    block glb = {calloc(1, 12), 12};
    assert_non_null(glb.data);
    memcpy(glb.data, "glTF\2", 5);
    put_chunk(&glb, "JSON", json, strlen(json), ' ');
    return glb;
}

// Keys of a channel as sft_gltf_apply leaves them.
static void put_keys(sft_gltf* gltf, int32_t animation, int32_t channel, uint32_t count, const float* times)
{
    gltf_channel* c = &gltf->animations[animation].channels[channel];
    const uint32_t width = c->path == GLTF_ROTATION ? 4 : 3;
    gltf_keys* keys = sft_gltf_keep(gltf, 1, sizeof *keys);
    assert_non_null(keys);
    *keys = (gltf_keys){count, -1, times, sft_gltf_keep(gltf, (size_t)count * width, sizeof(float)), GLTF_LINEAR};
    assert_non_null(keys->values);
    for (uint32_t i = 0; i < count; ++i)
    {
        keys->values[i * width] = width == 4 ? 0.0f : (float)i + 0.5f;
        if (width == 4) keys->values[i * width + 3] = 1.0f;
    }
    c->keys = keys;
    gltf->changed = true;
}

static float* make_times(sft_gltf* gltf, uint32_t count)
{
    float* times = sft_gltf_keep(gltf, count, sizeof *times);
    assert_non_null(times);
    for (uint32_t i = 0; i < count; ++i)
        times[i] = (float)i / 30.0f;
    return times;
}

// Whether two documents say the same of everything that decodes: all accessors of both, which may be more in `b`.
static void assert_same_values(sft_gltf* a, sft_gltf* b)
{
    assert_true(a->accessor_count <= b->accessor_count);
    for (int32_t i = 0; i < a->accessor_count; ++i)
    {
        if (a->accessors[i].broken || sft_gltf_check_accessor(a, i, NULL) != SFT_OK) continue;
        assert_int_equal(sft_gltf_check_accessor(b, i, NULL), SFT_OK);
        const uint32_t count = a->accessors[i].count;
        const size_t n = (size_t)count * a->accessors[i].width;
        assert_int_equal(count, b->accessors[i].count);
        double* va = calloc(n + 1, sizeof *va);
        double* vb = calloc(n + 1, sizeof *vb);
        assert_true(va != NULL && vb != NULL);
        sft_gltf_read_values(a, i, 0, count, va);
        sft_gltf_read_values(b, i, 0, count, vb);
        assert_memory_equal(va, vb, n * sizeof *va);
        free(va);
        free(vb);
    }
}

// The last `count` values of a document's last accessor, read by hand from the bytes of its buffer.
static void assert_last_floats(const sft_gltf* gltf, const float* expected, size_t count)
{
    const gltf_accessor* accessor = &gltf->accessors[gltf->accessor_count - 1];
    const gltf_view* view = &gltf->views[accessor->view];
    const uint64_t start = view->offset + accessor->offset;
    assert_int_equal(start % 4, 0);
    assert_true(accessor->offset + count * 4 <= view->length);
    assert_memory_equal(gltf->buffers[view->buffer].bytes + start, expected, count * sizeof *expected);
}

// ---- documents ----

// Two joints, three channels: the last two share a sampler. One buffer in a file whose name wants an escape.
static const char two_joints[] =
    "{\r\n"
    "  \"asset\" : {\"generator\": \"by \\u0068and\", \"version\": \"2.0\"},\r\n"
    "  \"nodes\": [{\"name\":\"a\",\"children\":[1]}, {\"name\":\"b\",\"translation\":[1.0,0,0e0]}],\r\n"
    "  \"scenes\": [ {\"nodes\": [0]} ],\r\n"
    "  \"buffers\": [\r\n"
    "    { \"uri\": \"be%20side.bin\", \"byteLength\": 14 }\r\n"
    "  ],\r\n"
    "  \"bufferViews\": [\r\n"
    "    { \"buffer\": 0, \"byteLength\": 4, \"extensions\": {\"X_y\": {\"buffer\": 0, \"byteOffset\": 4}} }\r\n"
    "  ],\r\n"
    "  \"accessors\": [\r\n"
    "    { \"componentType\": 5126, \"count\": 1, \"type\": \"SCALAR\", \"min\": [0], \"max\": [0] },\r\n"
    "    { \"componentType\": 5126, \"count\": 1, \"type\": \"VEC3\" },\r\n"
    "    { \"bufferView\": 0, \"componentType\": 5121, \"count\": 4, \"type\": \"SCALAR\" }\r\n"
    "  ],\r\n"
    "  \"animations\": [\r\n"
    "    {\r\n"
    "      \"channels\": [\r\n"
    "        { \"sampler\": 0, \"target\": { \"node\": 0, \"path\": \"translation\" } },\r\n"
    "        { \"sampler\": 1, \"target\": { \"node\": 1, \"path\": \"translation\" } },\r\n"
    "        { \"sampler\": 1, \"target\": { \"node\": 1, \"path\": \"scale\" } }\r\n"
    "      ],\r\n"
    "      \"samplers\": [\r\n"
    "        { \"input\": 0, \"output\": 1, \"interpolation\": \"STEP\", \"extras\": [ 1 ] },\r\n"
    "        { \"input\": 0, \"output\": 1 }\r\n"
    "      ]\r\n"
    "    }\r\n"
    "  ],\r\n"
    "  \"odd\": 1.50\r\n"
    "}\r\n\r\n";

// ---- tests ----

static void test_gltf_write__unchanged_is_the_input(void** state)
{
    (void)state;
    sft_gltf* gltf = read_text(two_joints);
    sft_gltf_output* output = written(gltf, false, "new.bin");
    assert_int_equal(output->file_count, 2);
    assert_string_equal(output->files[0].path, "be side.bin");
    assert_string_equal(output->files[0].uri, "be%20side.bin");
    assert_true(output->files[0].as_came);
    block resource = join(&output->files[0]);
    assert_int_equal(resource.size, sizeof beside);
    assert_memory_equal(resource.data, beside, sizeof beside);
    free(resource.data);
    assert_text(output, two_joints);
    sft_gltf_output_destroy(output, NULL);
    sft_gltf_destroy(gltf);

    // A GLB with a chunk nobody knows, and bytes behind its end.
    block glb = start_glb("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":5}]}\n");
    put_chunk(&glb, "BIN", "12345", 5, 0xaa);
    put_chunk(&glb, "what", "abcd", 4, 0);
    glb.data = realloc(glb.data, glb.size + 3);
    memcpy(glb.data + glb.size, "xyz", 3);
    glb.size += 3;
    gltf = read_bytes(glb.data, glb.size);
    output = written(gltf, true, NULL);
    block got = join(main_of(output));
    assert_int_equal(got.size, glb.size);
    assert_memory_equal(got.data, glb.data, glb.size);
    free(got.data);
    free(glb.data);
    sft_gltf_output_destroy(output, NULL);
    sft_gltf_destroy(gltf);
}

static void test_gltf_write__changes_are_spliced(void** state)
{
    (void)state;
    sft_gltf* gltf = read_text(two_joints);
    const float* times = make_times(gltf, 2);
    put_keys(gltf, 0, 0, 2, times);
    put_keys(gltf, 0, 1, 2, times);
    sft_gltf_output* output = written(gltf, false, "new data.bin");
    assert_int_equal(output->file_count, 3);
    assert_string_equal(output->files[1].path, "new data.bin");
    assert_string_equal(output->files[1].uri, "new%20data.bin");
    assert_false(output->files[1].as_came);
    assert_int_equal(output->files[1].size, 8 + 24 + 24);
    block got = join(main_of(output));
    const char* text = (const char*)got.data;
    // Every line of the input but those that had to change is there as it was.
    static const char* const there[] = {
        "  \"asset\" : {\"generator\": \"by \\u0068and\", \"version\": \"2.0\"},\r\n",
        "    { \"uri\": \"be%20side.bin\", \"byteLength\": 14 },\r\n",
        "\"byteLength\":56",
        "\"uri\":\"new%20data.bin\"",
        "    { \"buffer\": 0, \"byteLength\": 4, \"extensions\": {\"X_y\": {\"buffer\": 0, \"byteOffset\": 4}} },\r\n",
        "{\"buffer\":1,\"byteLength\":56}",
        "{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\",\"min\":[0],\"max\":[0.033333335]}",
        "{\"bufferView\":1,\"byteOffset\":8,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}",
        "        { \"sampler\": 0, \"target\": { \"node\": 0, \"path\": \"translation\" } },\r\n",
        "        { \"sampler\": 2, \"target\": { \"node\": 1, \"path\": \"translation\" } },\r\n",
        "        { \"sampler\": 1, \"target\": { \"node\": 1, \"path\": \"scale\" } }\r\n",
        "        { \"input\": 3, \"output\": 4, \"interpolation\": \"LINEAR\", \"extras\": [ 1 ] },\r\n",
        "        { \"input\": 0, \"output\": 1 },\r\n",
        "        {\"input\":3,\"interpolation\":\"LINEAR\",\"output\":5}\r\n",
        "  \"odd\": 1.50\r\n}\r\n\r\n"};
    const char* at = text;
    for (size_t i = 0; i < sizeof there / sizeof *there; ++i)
    {
        const char* found = strstr(at, there[i]);
        if (found == NULL) fail_msg("no %s in\n%s", there[i], text);
        at = found;
    }
    free(got.data);
    sft_gltf* back = read_back(output);
    assert_int_equal(back->accessor_count, 6);
    const float expected[6] = {0.5f, 0, 0, 1.5f, 0, 0};
    assert_last_floats(back, expected, 6);
    assert_same_values(gltf, back);
    sft_gltf_destroy(back);
    sft_gltf_output_destroy(output, NULL);

    // Without a name for it the new buffer is a data URI; everything embedded, no file is left.
    output = written(gltf, false, NULL);
    assert_int_equal(output->file_count, 2);
    back = read_back(output);
    assert_last_floats(back, expected, 6);
    sft_gltf_destroy(back);
    sft_gltf_output_destroy(output, NULL);
    sft_gltf_write_def def = sft_default_gltf_write_def();
    def.embed = true;
    def.buffer_path = "new.bin";
    assert_int_equal(sft_gltf_write(gltf, &def, NULL, &output), SFT_OK);
    assert_int_equal(output->file_count, 1);
    back = read_back(output);
    assert_last_floats(back, expected, 6);
    assert_memory_equal(back->buffers[0].bytes, beside, 14);
    sft_gltf_destroy(back);
    sft_gltf_output_destroy(output, NULL);

    // Where the new file would take the place of one that is referred to, it is refused.
    def.embed = false;
    def.buffer_path = "be side.bin";
    output = NULL;
    assert_int_equal(sft_gltf_write(gltf, &def, NULL, &output), SFT_ERR_DEF);
    assert_null(output);
    sft_gltf_destroy(gltf);
}

static void test_gltf_write__glb_grows_behind_its_data(void** state)
{
    (void)state;
    const char json[] =
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"a\",\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,3,0,0,1]}],"
        "\"buffers\":[{\"byteLength\":17}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":16}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\",\"min\":[0],\"max\":["
        "0]},"
        "{\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":\"VEC4\"}],\"animations\":[{\"channels\":[{"
        "\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}],\"samplers\":[{\"input\":0,\"output\":1}]}]}";
    const float values[5] = {0.0f, 0.0f, 0.0f, 1.0f, 0.0f};
    block glb = start_glb(json);
    put_chunk(&glb, "BIN", values, 17, 0xee);
    put_chunk(&glb, "ever", "behind", 6, 0x22);
    sft_gltf* gltf = read_bytes(glb.data, glb.size);
    put_keys(gltf, 0, 0, 3, make_times(gltf, 3));
    gltf->nodes[0].as_trs = true;
    sft_gltf_output* output = written(gltf, true, NULL);
    assert_int_equal(output->file_count, 1);
    block got = join(main_of(output));
    assert_int_equal(get_u32(got.data + 8), got.size);
    assert_int_equal(got.size % 4, 0);
    // The last chunk is as it was, and the old 20 bytes of the BIN chunk still start it.
    assert_memory_equal(got.data + got.size - 16, glb.data + glb.size - 16, 16);
    sft_gltf* back = read_back(output);
    assert_int_equal(back->chunk_count, gltf->chunk_count);
    assert_int_equal(back->buffers[0].size, 20 + 12 + 48);
    assert_memory_equal(back->buffers[0].bytes, values, 17);
    assert_int_equal(back->buffers[0].bytes[19], 0xee);
    assert_null(back->nodes[0].matrix);
    assert_true(back->nodes[0].t.x == 3.0 && back->nodes[0].r.w == 1.0 && back->nodes[0].s.x == 1.0);
    const float expected[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    assert_last_floats(back, expected, 12);
    // No interpolation was said, so none is said now.
    assert_null(strstr((const char*)got.data + 20, "LINEAR"));
    sft_gltf_destroy(back);
    free(got.data);
    sft_gltf_output_destroy(output, NULL);

    // Out of the GLB: one buffer, in a file or in the text.
    output = written(gltf, false, "out.bin");
    assert_int_equal(output->file_count, 2);
    assert_int_equal(output->files[0].size, 20 + 12 + 48);
    back = read_back(output);
    assert_last_floats(back, expected, 12);
    assert_false(back->view.glb);
    sft_gltf_destroy(back);
    sft_gltf_output_destroy(output, NULL);
    sft_gltf_destroy(gltf);
    free(glb.data);
}

static void test_gltf_write__glb_without_room_gets_some(void** state)
{
    (void)state;
    // Neither buffers nor chunk; a chunk nobody names; a first buffer elsewhere; a first buffer that is a placeholder.
    static const char* const buffers[] = {
        "", "",
        "\"buffers\":[ {\"uri\":\"data:,abcd\",\"byteLength\":4}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":4}],",
        ("\"buffers\":[{\"byteLength\":64,\"name\":\"room\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":4,"
         "\"extensions\":{\"EXT_x\":{\"buffer\":0}}}],")};
    static const int32_t expected_buffers[] = {1, 1, 2, 2};
    for (int i = 0; i < 4; ++i)
    {
        char json[1200];
        snprintf(
            json, sizeof json,
            "{\"asset\":{\"version\":\"2.0\"},%s\"nodes\":[{\"name\":\"a\"}],\"accessors\":[{\"componentType\":5126,"
            "\"count\":1,\"type\":\"SCALAR\",\"min\":[0],\"max\":[0]},{\"componentType\":5126,\"count\":1,\"type\":"
            "\"VEC3\"}],\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
            "\"translation\"}}],\"samplers\":[{\"input\":0,\"output\":1}]}]}",
            buffers[i]);
        block glb = start_glb(json);
        if (i == 1) put_chunk(&glb, "BIN", "stray", 5, 0);
        sft_gltf* gltf = read_bytes(glb.data, glb.size);
        put_keys(gltf, 0, 0, 2, make_times(gltf, 2));
        sft_gltf_output* output = written(gltf, true, NULL);
        assert_int_equal(output->file_count, 1);
        sft_gltf* back = read_back(output);
        assert_int_equal(back->buffer_count, expected_buffers[i]);
        assert_int_equal(back->buffers[0].kind, GLTF_BUFFER_BIN);
        const float expected[6] = {0.5f, 0, 0, 1.5f, 0, 0};
        assert_last_floats(back, expected, 6);
        if (i == 1) assert_memory_equal(back->buffers[0].bytes, "stray", 5);
        if (i >= 2) assert_int_equal(back->views[0].buffer, 1);
        if (i == 2) assert_memory_equal(back->buffers[1].bytes, "abcd", 4);
        block got = join(main_of(output));
        if (i == 3) assert_non_null(strstr((const char*)got.data + 20, "{\"EXT_x\":{\"buffer\":1}}"));
        assert_int_equal(get_u32(got.data + 8), got.size);
        free(got.data);
        sft_gltf_destroy(back);
        sft_gltf_output_destroy(output, NULL);
        sft_gltf_destroy(gltf);
        free(glb.data);
    }
}

static void test_gltf_write__buffers_become_one(void** state)
{
    (void)state;
    const char text[] =
        "{\n\t\"asset\": {\"version\": \"2.0\"},\n\t\"buffers\": [\n\t\t{\"byteLength\": 100, \"extensions\": {\"E\": "
        "{}}},\n"
        "\t\t{\"byteLength\": 5, \"uri\": \"data:,abcde\", \"name\": \"first\"},\n"
        "\t\t{\"byteLength\": 16, \"uri\": \"be%20side.bin\"},\n\t\t{\"byteLength\": 7}\n\t],\n\t\"bufferViews\": [\n"
        "\t\t{\"buffer\": 1, \"byteOffset\": 1, \"byteLength\": 4},\n\t\t{\"buffer\": 2, \"byteLength\": 8},\n"
        "\t\t{\"buffer\": 0, \"byteLength\": 4, \"extensions\": {\"E\": {\"buffer\": 2, \"byteOffset\": 3, \"mode\": "
        "\"x\"}}},\n\t\t{\"buffer\": 3, \"byteLength\": 7}\n\t],\n\t\"images\": [{\"uri\": \"some.png\"}, {\"uri\": "
        "\"data:image/png;base64,iVBORw0KGgo=\", \"name\": \"i\"}, {\"uri\": \"data:image/x;base64,!\"}],\n"
        "\t\"accessors\": [{\"bufferView\": 0, \"componentType\": 5121, \"count\": 4, \"type\": \"SCALAR\"},"
        " {\"bufferView\": 1, \"componentType\": 5121, \"count\": 8, \"type\": \"SCALAR\"}]\n}\n";
    sft_gltf* gltf = read_text(text);
    sft_gltf_output* output = written(gltf, true, NULL);
    assert_int_equal(output->file_count, 1);
    sft_gltf* back = read_back(output);
    assert_true(back->view.glb);
    assert_same_values(gltf, back);
    block got = join(main_of(output));
    const char* json = (const char*)got.data + 20;
    static const char* const there[] = {
        "\n\t\"buffers\": [\n\t\t{\"byteLength\":32},\n\t\t{\"byteLength\": 100, \"extensions\": {\"E\": {}}},\n\t\t"
        "{\"byteLength\": 7}\n\t],",
        "{\"buffer\": 0, \"byteOffset\": 1, \"byteLength\": 4}",
        "{\"buffer\": 0, \"byteLength\": 8, \"byteOffset\": 8}",
        "{\"buffer\": 1, \"byteLength\": 4, \"extensions\": {\"E\": {\"buffer\": 0, \"byteOffset\": 11, \"mode\": "
        "\"x\"}}}",
        "{\"buffer\": 2, \"byteLength\": 7}",
        "{\"buffer\":0,\"byteOffset\":24,\"byteLength\":8}",
        "[{\"uri\": \"some.png\"}, {",
        "\"name\": \"i\"",
        "{\"uri\": \"data:image/x;base64,!\"}"};
    const char* at = json;
    for (size_t i = 0; i < sizeof there / sizeof *there; ++i)
    {
        const char* found = strstr(at, there[i]);
        if (found == NULL) fail_msg("no %s in\n%s", there[i], json);
        at = found;
    }
    assert_non_null(strstr(json, "\"mimeType\": \"image/png\""));
    assert_non_null(strstr(json, "\"bufferView\": 4"));
    assert_int_equal(back->buffers[0].size, 32);
    assert_memory_equal(back->buffers[0].bytes, "abcde\0\0\0\1\2\3\4", 12);
    assert_memory_equal(back->buffers[0].bytes + 24, "\x89PNG\r\n\x1a\n", 8);
    free(got.data);
    sft_gltf_destroy(back);
    sft_gltf_output_destroy(output, NULL);
    sft_gltf_destroy(gltf);
}

static void test_gltf_write__real_files_stay_what_they_are(void** state)
{
    (void)state;
    static const char* const names[] = {"khronos_Fox.glb",        "khronos_SimpleSkin.gltf",  "khronos_CesiumMan.gltf",
                                        "m2m_fox-animations.glb", "khronos_BoxAnimated.gltf", "kaykit_Knight.glb"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    {
        char relative[64], path[1024];
        snprintf(relative, sizeof relative, "gltf/%s", names[i]);
        if (!support_data(relative, path, sizeof path)) continue;
        void* bytes = NULL;
        size_t size = 0;
        assert_int_equal(sft_file_read(path, SIZE_MAX / 2, NULL, &bytes, &size, NULL), SFT_OK);
        sft_gltf* gltf = read_bytes(bytes, size);
        const bool glb = gltf->view.glb;
        sft_gltf_output* same = written(gltf, glb, NULL);
        block got = join(main_of(same));
        assert_int_equal(got.size, size);
        assert_memory_equal(got.data, bytes, size);
        free(got.data);
        sft_gltf_output_destroy(same, NULL);
        sft_gltf_output* other = written(gltf, !glb, "x.bin");
        sft_gltf* there = read_back(other);
        assert_same_values(gltf, there);
        sft_gltf_output* again = written(there, glb, "y.bin");
        sft_gltf* back = read_back(again);
        assert_same_values(gltf, back);
        assert_int_equal(back->accessor_count, gltf->accessor_count);
        sft_gltf_destroy(back);
        sft_gltf_destroy(there);
        sft_gltf_output_destroy(again, NULL);
        sft_gltf_output_destroy(other, NULL);
        sft_gltf_destroy(gltf);
        free(bytes);
    }
}

// ---- memory ----

static void test_gltf_write__every_allocation_may_fail(void** state)
{
    (void)state;
    sft_gltf* gltf = read_text(two_joints);
    const float* times = make_times(gltf, 2);
    put_keys(gltf, 0, 0, 2, times);
    put_keys(gltf, 0, 1, 2, times);
    for (int variant = 0; variant < 4; ++variant)
    {
        sft_gltf_write_def def = sft_default_gltf_write_def();
        def.glb = variant == 0;
        def.buffer_path = variant == 1 ? "n.bin" : NULL;
        def.embed = variant == 3;
        long needed = 0;
        for (long fail_at = -1; fail_at < needed; ++fail_at)
        {
            support_heap heap = {.fail_at = fail_at};
            const sft_allocator allocator = support_allocator(&heap);
            sft_gltf_output* output = NULL;
            const sft_result result = sft_gltf_write(gltf, &def, &allocator, &output);
            assert_int_equal(result, fail_at < 0 ? SFT_OK : SFT_ERR_MEMORY);
            if (fail_at < 0) needed = heap.calls;
            if (fail_at >= 0) assert_null(output);
            sft_gltf_output_destroy(output, &allocator);
            assert_int_equal(heap.live_blocks, 0);
        }
        assert_true(needed > 10);
    }
    sft_gltf_destroy(gltf);
}

// A large buffer is handed out where it lies.
static void test_gltf_write__buffers_are_not_copied(void** state)
{
    (void)state;
    const size_t size = 4u << 20;
    uint8_t* bin = calloc(1, size);
    char json[600];
    snprintf(
        json, sizeof json,
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}],\"nodes\":[{\"name\":\"a\"}],"
        "\"accessors\":[{\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\"},{\"componentType\":5126,\"count\":1,"
        "\"type\":\"VEC3\"}],\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
        "\"translation\"}}],\"samplers\":[{\"input\":0,\"output\":1}]}]}",
        size);
    block glb = start_glb(json);
    put_chunk(&glb, "BIN", bin, size, 0);
    sft_gltf* gltf = read_bytes(glb.data, glb.size);
    put_keys(gltf, 0, 0, 2, make_times(gltf, 2));
    support_heap heap = {.fail_at = -1};
    const sft_allocator allocator = support_allocator(&heap);
    sft_gltf_write_def def = sft_default_gltf_write_def();
    for (int variant = 0; variant < 2; ++variant)
    {
        def.glb = variant == 0;
        def.buffer_path = "b.bin";
        sft_gltf_output* output = NULL;
        assert_int_equal(sft_gltf_write(gltf, &def, &allocator, &output), SFT_OK);
        assert_true(heap.peak_bytes < 65536);
        sft_gltf_output_destroy(output, &allocator);
    }
    sft_gltf_destroy(gltf);
    free(glb.data);
    free(bin);
}

static void test_gltf_write__refuses_bad_calls(void** state)
{
    (void)state;
    sft_gltf* gltf = read_text("{\"asset\":{\"version\":\"2.0\"}}");
    sft_gltf_output* output = NULL;
    sft_gltf_write_def def = {0};
    assert_int_equal(sft_gltf_write(NULL, NULL, NULL, &output), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_write(gltf, NULL, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_write(gltf, &def, NULL, &output), SFT_ERR_DEF);
    assert_null(output);
    sft_gltf_output_destroy(NULL, NULL);
    sft_gltf_destroy(gltf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_write__unchanged_is_the_input),
        cmocka_unit_test(test_gltf_write__changes_are_spliced),
        cmocka_unit_test(test_gltf_write__glb_grows_behind_its_data),
        cmocka_unit_test(test_gltf_write__glb_without_room_gets_some),
        cmocka_unit_test(test_gltf_write__buffers_become_one),
        cmocka_unit_test(test_gltf_write__real_files_stay_what_they_are),
        cmocka_unit_test(test_gltf_write__every_allocation_may_fail),
        cmocka_unit_test(test_gltf_write__buffers_are_not_copied),
        cmocka_unit_test(test_gltf_write__refuses_bad_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
