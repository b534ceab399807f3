// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// JSON that remembers where it stands. The reader checks a whole text (RFC 8259, strict) and notes where objects,
// arrays and members are; numbers and strings stay text until somebody asks. The editor lays replacements over that
// text, so that whatever nobody touched stays byte for byte: key order, number spelling, spaces, unknown members.
//
// The text belongs to the caller and must outlive the document. A document is at most six times its text (12 bytes for
// each container and each member, nothing for scalars), whatever the text; reading takes linear time and no recursion.
#ifndef SUREFOOT_JSON_H
#define SUREFOOT_JSON_H

#include "surefoot/base.h"

// ---- reading ----

typedef enum sft_json_kind
{
    SFT_JSON_NONE = 0, ///< no value: a member or element that is not there
    SFT_JSON_NULL = 1,
    SFT_JSON_FALSE = 2,
    SFT_JSON_TRUE = 3,
    SFT_JSON_NUMBER = 4,
    SFT_JSON_STRING = 5,
    SFT_JSON_ARRAY = 6,
    SFT_JSON_OBJECT = 7
} sft_json_kind;

/// A document: opaque, read only after parsing, so any number of threads may look at it.
typedef struct sft_json sft_json;

/// One value. Plain data, valid as long as its document. All zero is SFT_JSON_NONE, and every function below takes that
/// for an answer: asking nothing for its member gives nothing.
typedef struct sft_json_value
{
    sft_json_kind kind;
    uint32_t entry; ///< private
    size_t start;   ///< first byte in the text, quote or bracket included
    size_t end;     ///< behind the last byte
} sft_json_value;

typedef struct sft_json_options
{
    uint32_t max_depth;  ///< most arrays and objects inside each other; default 512
    uint64_t max_values; ///< most values of any kind; default: no limit but that of the text
    bool allow_bom;      ///< accept a byte-order mark before the text; default false (glTF forbids it)
} sft_json_options;

sft_json_options sft_json_default_options(void);

/// Reads `size` bytes of UTF-8. `options` may be null. Errors: SFT_ERR_SYNTAX with byte, line and a sentence that says
/// what to do; SFT_ERR_LIMIT (depth, values, a text of 4 GiB or more); SFT_ERR_MEMORY; SFT_ERR_ARG. A number too large
/// for a double and the escape of half a surrogate pair are legal JSON: they are found when somebody asks.
sft_result sft_json_parse(const sft_allocator* allocator, const char* text, size_t size,
                          const sft_json_options* options, sft_json** out, sft_error* error);
void sft_json_destroy(sft_json* json);

sft_json_value sft_json_root(const sft_json* json);
const char* sft_json_text(const sft_json* json, size_t* size);
bool sft_json_has_bom(const sft_json* json);
/// Line of a byte, from 1; "\n", "\r\n" and "\r" end lines. Linear in the byte.
uint32_t sft_json_line(const sft_json* json, size_t byte);
/// sft_core_fail() at a byte of the document, its line found: `message` is the finished sentence. Null document: byte
/// 0.
sft_result sft_json_fail(const sft_json* json, size_t byte, sft_result code, const char* message, sft_error* error);

/// "an object", "a number", ... for messages.
const char* sft_json_kind_name(sft_json_kind kind);

// ---- arrays and objects ----

/// Member by key, compared as decoded text; of several with the same key the last, as everybody else takes it (see
/// sft_json_find_duplicate). NONE where there is none or `object` is no object. Linear in the number of members, a few
/// nanoseconds each; members of members cost nothing.
sft_json_value sft_json_get(const sft_json* json, sft_json_value object, const char* key);
/// Element by index; linear in the index. NONE where there is none or `array` is no array. To visit all, iterate.
sft_json_value sft_json_at(const sft_json* json, sft_json_value array, size_t index);
/// Number of elements or members, duplicates included; 0 for other kinds. Linear.
size_t sft_json_count(const sft_json* json, sft_json_value container);

/// Walks an array or an object in text order:
///     for (sft_json_iter it = sft_json_iterate(json, array); sft_json_next(json, &it);) use(it.value);
typedef struct sft_json_iter
{
    sft_json_value key;   ///< of an object's member; NONE in arrays
    sft_json_value value; ///< the element or the member's value
    size_t index;         ///< from 0
    size_t at;            ///< private, as what follows
    uint32_t entry, stop;
    bool object, started;
} sft_json_iter;

/// Kinds other than arrays and objects are walked as if empty.
sft_json_iter sft_json_iterate(const sft_json* json, sft_json_value container);
bool sft_json_next(const sft_json* json, sft_json_iter* iter);

/// The first member (in text order of the object given) whose key stood before, its key in *key; NONE where all differ.
/// n log n in the members; SFT_ERR_MEMORY. `object` NONE: all objects of the document.
sft_result sft_json_find_duplicate(const sft_json* json, sft_json_value object, sft_json_value* key);

// ---- scalars ----

/// False where `value` is no number or lies beyond the largest double. Correctly rounded; too small is a zero.
bool sft_json_double(const sft_json* json, sft_json_value value, double* out);
/// True where `array` is an array of exactly `count` numbers, all within a double; else `out` may hold some of them.
bool sft_json_doubles(const sft_json* json, sft_json_value array, double* out, size_t count);

/// How an integer came out. The spelling does not matter: 10, 10.0, 1e1 and 100e-1 are the same integer.
typedef enum sft_json_fit
{
    SFT_JSON_EXACT = 0,
    SFT_JSON_NOT_NUMBER = 1,
    SFT_JSON_FRACTION = 2,    ///< a number, but no integer
    SFT_JSON_OUT_OF_RANGE = 3 ///< an integer that the type cannot hold (negative for an unsigned one among them)
} sft_json_fit;

/// *out is untouched unless EXACT.
sft_json_fit sft_json_uint64(const sft_json* json, sft_json_value value, uint64_t* out);
sft_json_fit sft_json_int64(const sft_json* json, sft_json_value value, int64_t* out);
sft_json_fit sft_json_int32(const sft_json* json, sft_json_value value, int32_t* out);

/// Decoded length in bytes of a string or key, no closing zero; 0 for other kinds. Writes at most `capacity` bytes to
/// `out`, a closing zero among them, cut between characters; with capacity 0 `out` may be null. Escapes of lone
/// surrogates become U+FFFD. A string may hold "\u0000", so trust the length.
size_t sft_json_decode(const sft_json* json, sft_json_value string, char* out, size_t capacity);
/// The same into a block of *length + 1 bytes, released as such. SFT_ERR_ARG for other kinds, SFT_ERR_MEMORY.
sft_result sft_json_string(const sft_json* json, sft_json_value string, const sft_allocator* allocator, char** out,
                           size_t* length);
/// Whether a string or key reads so when decoded.
bool sft_json_equals(const sft_json* json, sft_json_value string, const char* text);

// ---- writing text ----

/// A text that grows. Start from {.allocator = ...} or all zero (malloc); memory that ran out is remembered in `failed`
/// and checked once at the end. Release with sft_json_out_free.
typedef struct sft_json_out
{
    const sft_allocator* allocator; ///< null: malloc
    char* data;                     ///< not closed by a zero
    size_t size, capacity;
    bool failed;
} sft_json_out;

void sft_json_out_free(sft_json_out* out);
void sft_json_out_bytes(sft_json_out* out, const char* bytes, size_t size);
/// A C string as it stands: brackets, keys that need no escapes.
void sft_json_out_text(sft_json_out* out, const char* text);
/// Quoted and escaped; bytes that are no UTF-8 become U+FFFD.
void sft_json_out_string(sft_json_out* out, const char* text, size_t length);
/// Fewest digits that read back to the same double; what is not finite becomes 0 (JSON has no word for it).
void sft_json_out_double(sft_json_out* out, double value);
/// Fewest digits that read back to the same float, whether read as float or as double and then narrowed.
void sft_json_out_float(sft_json_out* out, float value);
void sft_json_out_int64(sft_json_out* out, int64_t value);
void sft_json_out_uint64(sft_json_out* out, uint64_t value);

// ---- editing ----

/// Edits over one document, which (with its text) must outlive them. Targets are values of the document; texts are
/// copied. Edits may come in any order; they are laid out when the pieces are asked for. Not thread safe.
typedef struct sft_json_edit sft_json_edit;

sft_result sft_json_edit_create(const sft_json* json, const sft_allocator* allocator, sft_json_edit** out);
void sft_json_edit_destroy(sft_json_edit* edit);

/// Bytes [start, end) of the original become `text`, unchecked: the result may be no JSON. Several insertions at one
/// byte come out in call order.
sft_result sft_json_edit_splice(sft_json_edit* edit, size_t start, size_t end, const char* text, size_t size);

// The helpers take JSON texts of one value each and refuse others (SFT_ERR_SYNTAX); targets of a wrong kind are
// SFT_ERR_ARG. Of two replacements of one value, or two settings of one key, the later holds.
sft_result sft_json_edit_replace(sft_json_edit* edit, sft_json_value value, const char* text, size_t size);
/// Replaces the member's value, or adds the member behind the last one, spaced as its neighbours are. `key` is plain
/// text, escaped as needed, UTF-8 (else SFT_ERR_ARG). Where the key is there several times, the last is meant. n edits
/// of one object of m members cost n * (m + n) comparisons of keys.
sft_result sft_json_edit_set(sft_json_edit* edit, sft_json_value object, const char* key, const char* text,
                             size_t size);
/// Takes the member out (all of that key); nothing to do where it is not there.
sft_result sft_json_edit_remove(sft_json_edit* edit, sft_json_value object, const char* key);
/// Adds an element behind the last one, spaced as its neighbours are; several come out in call order.
sft_result sft_json_edit_append(sft_json_edit* edit, sft_json_value array, const char* text, size_t size);

/// A stretch of the new text: of the original, or of what the editor holds.
typedef struct sft_json_piece
{
    const char* data;
    size_t size;
} sft_json_piece;

/// The new text as pieces to be written one after the other; *total (may be null) is their sum. They stay valid until
/// the next edit or the end of the editor or of the text. Without edits: one piece, the original. SFT_ERR_ARG where
/// edits overlap (a value replaced and something inside it changed), at the byte of the later; SFT_ERR_MEMORY.
sft_result sft_json_edit_pieces(sft_json_edit* edit, const sft_json_piece** pieces, size_t* count, size_t* total,
                                sft_error* error);
/// The same as one block of *size + 1 bytes from the editor's allocator, closed by a zero.
sft_result sft_json_edit_text(sft_json_edit* edit, char** text, size_t* size, sft_error* error);

#endif
