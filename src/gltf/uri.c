// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// URIs of buffers and images: data URIs are decoded (RFC 2397, base64 of RFC 4648), others become paths that stay in
// the document's folder on every system.

#include "gltf/read.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The byte at *at, a percent escape decoded; *at moves behind it. A '%' that starts no escape stands for itself.
static unsigned char next_byte(const char* text, size_t length, size_t* at)
{
    const char c = text[*at];
    if (c == '%' && length - *at > 2)
    {
        const int high = hex_digit(text[*at + 1]), low = hex_digit(text[*at + 2]);
        if (high >= 0 && low >= 0)
        {
            *at += 3;
            return (unsigned char)(high * 16 + low);
        }
    }
    ++*at;
    return (unsigned char)c;
}

// ---- data URIs ----

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool starts_with(const char* text, size_t length, const char* lower_case)
{
    size_t i = 0;
    for (; lower_case[i] != '\0'; ++i)
        if (i >= length || lower(text[i]) != lower_case[i]) return false;
    return true;
}

bool sft_gltf_is_data_uri(const char* uri, size_t length)
{
    return starts_with(uri, length, "data:");
}

static int base64_digit(unsigned char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    if (c == '/') return 63;
    return -1;
}

// Four digits, three bytes, as long as nothing unusual comes: most of the text by far.
static size_t decode_quads(const char* text, size_t length, size_t* at, uint8_t* out, size_t capacity)
{
    size_t written = 0, i = *at;
    while (length - i >= 4 && capacity - written >= 3)
    {
        const int a = base64_digit((unsigned char)text[i]), b = base64_digit((unsigned char)text[i + 1]);
        const int c = base64_digit((unsigned char)text[i + 2]), d = base64_digit((unsigned char)text[i + 3]);
        if ((a | b | c | d) < 0) break;
        out[written++] = (uint8_t)(a << 2 | b >> 4);
        out[written++] = (uint8_t)((b & 15) << 4 | c >> 2);
        out[written++] = (uint8_t)((c & 3) << 6 | d);
        i += 4;
    }
    *at = i;
    return written;
}

// The rest, digit by digit: percent escapes, padding or none. Bits beyond the last byte are not looked at, as browsers
// do.
static gltf_uri_fault decode_base64(const char* text, size_t length, size_t* at, uint8_t* out, size_t capacity,
                                    size_t* size)
{
    size_t written = decode_quads(text, length, at, out, capacity);
    uint32_t bits = 0;
    int digits = 0, pads = 0;
    while (*at < length)
    {
        const size_t before = *at;
        const unsigned char c = next_byte(text, length, at);
        const int digit = base64_digit(c);
        const bool pad = c == '=' && digits >= 2 && digits + pads < 4;
        if ((digit < 0 || pads > 0) && !pad)
        {
            *at = before;
            return GLTF_URI_BASE64;
        }
        if (pad)
        {
            ++pads;
            continue;
        }
        bits = bits << 6 | (uint32_t)digit;
        if (++digits < 4) continue;
        if (capacity - written < 3) return GLTF_URI_LIMIT;
        out[written++] = (uint8_t)(bits >> 16);
        out[written++] = (uint8_t)(bits >> 8);
        out[written++] = (uint8_t)bits;
        bits = 0;
        digits = 0;
    }
    if (digits == 1 || (pads > 0 && digits + pads != 4)) return GLTF_URI_BASE64;
    if (capacity - written < (size_t)(digits > 0 ? digits - 1 : 0)) return GLTF_URI_LIMIT;
    if (digits >= 2) out[written++] = (uint8_t)(bits << 6 * (4 - digits) >> 16);
    if (digits == 3) out[written++] = (uint8_t)(bits >> 2);
    *size = written;
    return GLTF_URI_OK;
}

static gltf_uri_fault decode_percent(const char* text, size_t length, size_t* at, uint8_t* out, size_t capacity,
                                     size_t* size)
{
    size_t written = 0;
    while (*at < length)
    {
        if (written == capacity) return GLTF_URI_LIMIT;
        out[written++] = next_byte(text, length, at);
    }
    *size = written;
    return GLTF_URI_OK;
}

gltf_uri_fault sft_gltf_decode_data_uri(const char* uri, size_t length, uint64_t max_bytes,
                                        const sft_allocator* allocator, uint8_t** bytes, size_t* size, size_t* where)
{
    *where = 0;
    const char* comma = memchr(uri, ',', length);
    if (comma == NULL) return GLTF_URI_NO_COMMA;
    const size_t head = (size_t)(comma - uri);
    const bool base64 = head >= 7 && starts_with(comma - 7, 7, ";base64");
    size_t at = head + 1, used = 0;
    const size_t text = length - at;
    const size_t most = base64 ? text / 4 * 3 + 3 : text;
    const size_t capacity = most > max_bytes ? (size_t)max_bytes : most;
    uint8_t* out = sft_core_alloc(allocator, capacity + 1, 1);
    if (out == NULL) return GLTF_URI_MEMORY;
    const gltf_uri_fault fault = base64 ? decode_base64(uri, length, &at, out, capacity, &used)
                                        : decode_percent(uri, length, &at, out, capacity, &used);
    *where = at;
    // The owner releases `size` + 1 bytes, so the block may not be larger.
    if (fault == GLTF_URI_OK && used < capacity)
    {
        uint8_t* exact = sft_core_alloc(allocator, used + 1, 1);
        if (exact != NULL && used > 0) memcpy(exact, out, used);
        sft_core_free(allocator, out, capacity + 1, 1);
        if (exact == NULL) return GLTF_URI_MEMORY;
        out = exact;
    }
    else if (fault != GLTF_URI_OK)
    {
        sft_core_free(allocator, out, capacity + 1, 1);
        return fault;
    }
    *bytes = out;
    *size = used;
    return GLTF_URI_OK;
}

// ---- paths ----

// Length of the UTF-8 sequence at p, 0 where it is none: overlong ones are how "/" gets past a careless check.
static size_t utf8_length(const unsigned char* p, size_t left)
{
    if (p[0] < 0x80) return 1;
    const size_t length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || left < length) return 0;
    for (size_t i = 1; i < length; ++i)
        if ((p[i] & 0xc0u) != 0x80u) return 0;
    const bool overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    const bool beyond = (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf4 && p[1] > 0x8f);
    return overlong || beyond ? 0 : length;
}

static gltf_uri_fault check_bytes(const char* path, size_t length)
{
    for (size_t i = 0; i < length;)
    {
        const unsigned char c = (unsigned char)path[i];
        if (c < 32 || c == 127 || c == '\\') return GLTF_URI_BYTES;
        if (c == ':') return GLTF_URI_SCHEME;
        const size_t step = utf8_length((const unsigned char*)path + i, length - i);
        if (step == 0) return GLTF_URI_BYTES;
        i += step;
    }
    return GLTF_URI_OK;
}

// Windows drops dots and blanks at the end of names, so "... " and its kin may be "..".
static bool only_dots(const char* segment, size_t length)
{
    for (size_t i = 0; i < length; ++i)
        if (segment[i] != '.' && segment[i] != ' ') return false;
    return true;
}

// Drops "." segments in place; out ends with a zero.
static gltf_uri_fault check_segments(char* path, size_t length)
{
    size_t written = 0, at = 0;
    for (;;)
    {
        size_t end = at;
        while (end < length && path[end] != '/')
            ++end;
        const size_t size = end - at;
        if (size == 0) return GLTF_URI_BYTES;
        const bool here = size == 1 && path[at] == '.';
        if (!here && only_dots(path + at, size)) return GLTF_URI_OUTSIDE;
        if (!here)
        {
            if (written > 0) path[written++] = '/';
            memmove(path + written, path + at, size);
            written += size;
        }
        if (end == length) break;
        at = end + 1;
    }
    path[written] = '\0';
    return written == 0 ? GLTF_URI_EMPTY : GLTF_URI_OK;
}

gltf_uri_fault sft_gltf_resource_path(const char* uri, size_t length, char* out)
{
    size_t written = 0;
    for (size_t at = 0; at < length;)
        out[written++] = (char)next_byte(uri, length, &at);
    out[written] = '\0';
    if (written == 0) return GLTF_URI_EMPTY;
    const gltf_uri_fault fault = check_bytes(out, written);
    if (fault != GLTF_URI_OK) return fault;
    if (out[0] == '/') return GLTF_URI_ABSOLUTE;
    return check_segments(out, written);
}

const char* sft_gltf_uri_advice(gltf_uri_fault fault)
{
    switch (fault)
    {
    case GLTF_URI_EMPTY:
        return "names no file; name one beside the document";
    case GLTF_URI_SCHEME:
        return "has a scheme or drive; nothing is fetched from elsewhere: put the file beside the document and name it "
               "by a relative path";
    case GLTF_URI_ABSOLUTE:
        return "is absolute; put the file beside the document and name it by a relative path";
    case GLTF_URI_OUTSIDE:
        return "leaves the document's folder; put the file beside or below the document";
    case GLTF_URI_BYTES:
        return "is no path that every system takes (backslash, control byte, empty folder name or no UTF-8); rename "
               "the "
               "file";
    case GLTF_URI_NO_COMMA:
        return "is a data URI without a comma, so without data; export again";
    case GLTF_URI_BASE64:
        return "is no base64";
    case GLTF_URI_LIMIT:
        return "is larger than max_bytes allows";
    default:
        return "cannot be used";
    }
}
