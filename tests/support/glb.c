// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/glb.h"

static void put_u32(uint8_t* p, size_t value)
{
    for (int i = 0; i < 4; ++i)
        p[i] = (uint8_t)(value >> (8 * i));
}

uint8_t* support_glb(const char* json, const void* bin, size_t bin_size, size_t* size)
{
    const size_t text = strlen(json), text_full = (text + 3) / 4 * 4, bin_full = (bin_size + 3) / 4 * 4;
    *size = 12 + 8 + text_full + (bin != NULL ? 8 + bin_full : 0);
    uint8_t* out = calloc(1, *size);
    if (out == NULL) abort();
    memcpy(out, "glTF", 4);
    put_u32(out + 4, 2);
    put_u32(out + 8, *size);
    put_u32(out + 12, text_full);
    memcpy(out + 16, "JSON", 4);
    memset(out + 20, ' ', text_full);
    memcpy(out + 20, json, text);
    if (bin == NULL) return out;
    put_u32(out + 20 + text_full, bin_full);
    memcpy(out + 24 + text_full, "BIN", 3);
    if (bin_size > 0) memcpy(out + 28 + text_full, bin, bin_size);
    return out;
}

static sft_gltf* read_bytes(const void* bytes, size_t size)
{
    sft_gltf* gltf = NULL;
    sft_error error = {.code = SFT_OK};
    if (sft_gltf_read(NULL, bytes, size, NULL, &gltf, &error) != SFT_OK) fail_msg("refused: %s", error.message);
    return gltf;
}

sft_gltf* support_read_gltf(const char* json)
{
    return read_bytes(json, strlen(json));
}

sft_gltf* support_read_glb(const char* json, const void* bin, size_t bin_size)
{
    size_t size = 0;
    uint8_t* glb = support_glb(json, bin, bin_size, &size);
    sft_gltf* gltf = read_bytes(glb, size);
    free(glb);
    return gltf;
}

void support_refuse_gltf(const char* json, sft_error* error)
{
    sft_gltf* gltf = NULL;
    memset(error, 0, sizeof *error);
    const sft_result result = sft_gltf_read(NULL, json, strlen(json), NULL, &gltf, error);
    if (result == SFT_OK) fail_msg("read, and should not be: %s", json);
    assert_null(gltf);
    assert_int_equal(result, error->code);
    assert_true(error->message[0] != '\0' && error->byte <= strlen(json));
}

void support_base64(const void* bytes, size_t size, char* out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t* p = bytes;
    for (size_t i = 0; i < size; i += 3)
    {
        const size_t left = size - i;
        const uint32_t bits =
            (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (left > 2 ? p[i + 2] : 0u);
        *out++ = digits[bits >> 18];
        *out++ = digits[bits >> 12 & 63];
        *out++ = left > 1 ? digits[bits >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[bits & 63] : '=';
    }
    *out = '\0';
}
