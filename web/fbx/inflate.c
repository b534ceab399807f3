// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Packed arrays of binary FBX: a zlib stream (RFC 1950) of deflated blocks (RFC 1951). Codes are read bit by bit
// against the count of codes of each length, which is all that canonical codes need; arrays of curves are small.

#include "zlib.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LENGTHS 16 // a code has at most 15 bits
#define LITERALS 288
#define DISTANCES 30

typedef struct stream
{
    const unsigned char* in;
    size_t in_size, at;
    unsigned char* out;
    size_t room, made;
    uint32_t bits; // read, not used yet
    int count;
    bool bad;
} stream;

typedef struct code
{
    uint16_t counts[LENGTHS];
    uint16_t symbols[LITERALS];
} code;

static uint32_t take(stream* s, int count)
{
    while (s->count < count)
    {
        if (s->at == s->in_size)
        {
            s->bad = true;
            return 0;
        }
        s->bits |= (uint32_t)s->in[s->at++] << s->count;
        s->count += 8;
    }
    const uint32_t value = s->bits & ((1U << count) - 1U);
    s->bits >>= count;
    s->count -= count;
    return value;
}

static void put(stream* s, unsigned char byte)
{
    if (s->made == s->room)
        s->bad = true;
    else
        s->out[s->made++] = byte;
}

// False where more codes are asked for than their lengths have room for.
static bool make_code(code* c, const unsigned char* lengths, int count)
{
    memset(c->counts, 0, sizeof c->counts);
    for (int i = 0; i < count; ++i)
        ++c->counts[lengths[i]];
    c->counts[0] = 0;
    int left = 1;
    uint16_t starts[LENGTHS + 1] = {0};
    for (int n = 1; n < LENGTHS; ++n)
    {
        left = 2 * left - c->counts[n];
        if (left < 0) return false;
        starts[n + 1] = (uint16_t)(starts[n] + c->counts[n]);
    }
    for (int i = 0; i < count; ++i)
        if (lengths[i] != 0) c->symbols[starts[lengths[i]]++] = (uint16_t)i;
    return true;
}

static int take_symbol(stream* s, const code* c)
{
    int value = 0, first = 0, index = 0;
    for (int n = 1; n < LENGTHS && !s->bad; ++n)
    {
        value |= (int)take(s, 1);
        if (value - first < c->counts[n]) return c->symbols[index + value - first];
        index += c->counts[n];
        first = 2 * (first + c->counts[n]);
        value *= 2;
    }
    s->bad = true;
    return 0;
}

static void take_stored(stream* s)
{
    s->bits = 0;
    s->count = 0;
    const uint32_t size = take(s, 16), check = take(s, 16);
    if (s->bad || size != (check ^ 0xFFFFU) || size > s->in_size - s->at || size > s->room - s->made)
    {
        s->bad = true;
        return;
    }
    memcpy(s->out + s->made, s->in + s->at, size);
    s->made += size;
    s->at += size;
}

static void take_codes(stream* s, const code* literals, const code* distances)
{
    static const uint16_t sizes[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                     31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t size_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                        2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t ways[] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                    33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                    1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    while (!s->bad)
    {
        const int symbol = take_symbol(s, literals);
        if (symbol == 256) return;
        if (symbol < 256)
        {
            put(s, (unsigned char)symbol);
            continue;
        }
        const int n = symbol - 257;
        if (n >= (int)(sizeof sizes / sizeof sizes[0])) break;
        size_t size = sizes[n] + take(s, size_bits[n]);
        const int d = take_symbol(s, distances);
        if (s->bad || d >= DISTANCES) break;
        const size_t way = ways[d] + take(s, d < 4 ? 0 : d / 2 - 1);
        if (way > s->made) break;
        // Byte by byte: what is copied may run into itself.
        for (; size > 0 && !s->bad; --size)
            put(s, s->out[s->made - way]);
    }
    s->bad = true;
}

// Codes of the block, whose lengths are in a code of their own.
static bool take_lengths(stream* s, code* literals, code* distances)
{
    static const uint8_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned char lengths[LITERALS + 32] = {0};
    const int literal_count = (int)take(s, 5) + 257, distance_count = (int)take(s, 5) + 1;
    const int order_count = (int)take(s, 4) + 4;
    if (literal_count > LITERALS) return false;
    for (int i = 0; i < order_count; ++i)
        lengths[order[i]] = (unsigned char)take(s, 3);
    code c;
    if (!make_code(&c, lengths, 19)) return false;
    memset(lengths, 0, sizeof lengths);
    for (int i = 0; i < literal_count + distance_count && !s->bad;)
    {
        const int symbol = take_symbol(s, &c);
        if (symbol < 16)
        {
            lengths[i++] = (unsigned char)symbol;
            continue;
        }
        if (symbol == 16 && i == 0) return false;
        const unsigned char length = symbol == 16 ? lengths[i - 1] : 0;
        int times = symbol == 16 ? 3 + (int)take(s, 2) : symbol == 17 ? 3 + (int)take(s, 3) : 11 + (int)take(s, 7);
        if (times > literal_count + distance_count - i) return false;
        while (times-- > 0)
            lengths[i++] = length;
    }
    return !s->bad && lengths[256] != 0 && make_code(literals, lengths, literal_count) &&
           make_code(distances, lengths + literal_count, distance_count);
}

static void fixed_codes(code* literals, code* distances)
{
    unsigned char lengths[LITERALS];
    for (int i = 0; i < LITERALS; ++i)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_code(literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    make_code(distances, lengths, DISTANCES);
}

static uint32_t adler(const unsigned char* bytes, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; ++i)
    {
        a = (a + bytes[i]) % 65521U;
        b = (b + a) % 65521U;
    }
    return b << 16 | a;
}

int uncompress(unsigned char* out, uLongf* out_size, const unsigned char* in, uLong in_size)
{
    stream s = {.in = in, .in_size = in_size, .out = out, .room = *out_size, .at = 2};
    *out_size = 0;
    if (in_size < 6 || (in[0] & 15) != 8 || (in[0] * 256 + in[1]) % 31 != 0 || (in[1] & 32) != 0) return Z_DATA_ERROR;
    for (bool last = false; !last && !s.bad;)
    {
        last = take(&s, 1) != 0;
        const uint32_t kind = take(&s, 2);
        code literals, distances;
        if (kind == 0)
            take_stored(&s);
        else if (kind == 3 || (kind == 2 && !take_lengths(&s, &literals, &distances)))
            s.bad = true;
        else
        {
            if (kind == 1) fixed_codes(&literals, &distances);
            take_codes(&s, &literals, &distances);
        }
    }
    if (s.bad || s.in_size - s.at < 4) return Z_DATA_ERROR;
    const unsigned char* p = in + s.at;
    const uint32_t check = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    if (check != adler(out, s.made)) return Z_DATA_ERROR;
    *out_size = s.made;
    return Z_OK;
}
