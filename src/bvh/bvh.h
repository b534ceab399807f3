// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The BVH document as the files of this module see it.
#ifndef SUREFOOT_IO_BVH_H
#define SUREFOOT_IO_BVH_H

#include "surefoot/bvh.h"

#include "core/core.h"
#include "decimal/decimal.h"

#define BVH_COOKIE 0x62766831u

/// Warnings kept one by one; the last slot then counts the rest.
#define BVH_MAX_WARNINGS 32

/// Longer spellings of a frame time are not kept, only their value.
#define BVH_FRAME_TIME_TEXT 48

/// How the file was laid out, so that the writer does likewise.
typedef struct bvh_style
{
    char line_end[3];
    char indent[9];  ///< one level
    bool colon_tabs; ///< "Frames:" is followed by a tab
} bvh_style;

/// Columns of a joint by meaning.
typedef struct bvh_columns
{
    int32_t position[3]; ///< column of x, y, z; -1 where there is none
    int32_t rotation[6]; ///< columns in order of application
    uint8_t axes[6];     ///< 0 to 2, same order
    int32_t rotation_count;
} bvh_columns;

/// What the view does not show of a joint.
typedef struct bvh_note
{
    size_t label; ///< where in `names` the name starts; for an End Site, the word behind End
    uint32_t line;
    bool has_offset;
    bool has_channels;
} bvh_note;

struct sft_bvh
{
    sft_allocator allocator;
    sft_bvh_contents view;
    sft_bvh_joint* joints;
    size_t joint_capacity;
    bvh_note* notes; ///< one a joint
    char* names;
    size_t names_size, names_capacity;
    double* values;
    size_t value_capacity;
    bvh_style style;
    char reason[160];
    char frame_time_text[BVH_FRAME_TIME_TEXT]; ///< empty: none
    sft_warning warnings[BVH_MAX_WARNINGS];
    size_t warnings_lost;
};

/// Text being read.
typedef struct bvh_text
{
    const char* start;
    const char* at;
    const char* end;
    sft_error* error;
} bvh_text;

sft_bvh* sft_bvh_alloc(const sft_allocator* allocator);
/// Makes the numbers' block `capacity` doubles large, keeping the first `used`; false when memory is short.
bool sft_bvh_reserve_values(sft_bvh* bvh, size_t used, size_t capacity);
void sft_bvh_warn(sft_bvh* bvh, uint32_t line, const char* format, ...);
void sft_bvh_finish_warnings(sft_bvh* bvh);
/// Sets the frame time and how it is spelt. The spelling is dropped where it is too long or says another number.
void sft_bvh_set_frame_time(sft_bvh* bvh, double seconds, const char* text, size_t length);
bvh_columns sft_bvh_joint_columns(const sft_bvh_joint* joint);
bool sft_bvh_has_positions(const sft_bvh_joint* joint);
/// Points names at their bytes once these have stopped moving.
void sft_bvh_bind_names(sft_bvh* bvh);
/// Header, style and joints of `bvh` with room for `frames` rows that are not filled in; null when memory is short.
sft_bvh* sft_bvh_copy_header(const sft_bvh* bvh, int32_t frames, const sft_allocator* allocator);

/// Line of a byte, from 1; CR, LF and CRLF each end one.
uint32_t sft_bvh_line(const bvh_text* text, const char* at);
sft_result sft_bvh_fail(const bvh_text* text, sft_result code, const char* at, const char* joint, const char* format,
                        ...);
/// A blank-separated word; empty at the end. A brace is a word of its own.
typedef struct bvh_word
{
    const char* at;
    size_t length;
} bvh_word;
bvh_word sft_bvh_next_word(bvh_text* text);
bool sft_bvh_word_is(bvh_word word, const char* lower);
static inline bool sft_bvh_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}
/// A bit of the text for a message, control characters masked.
typedef struct bvh_quote
{
    char text[32];
} bvh_quote;
bvh_quote sft_bvh_quote(const char* at, const char* end);
/// Next number; `what` names it in the message.
sft_result sft_bvh_number(bvh_text* text, const char* joint, const char* what, double* value);
sft_result sft_bvh_bad_number(const bvh_text* text, const char* at, sft_decimal_status status, const char* joint,
                              const char* what);

sft_result sft_bvh_read_hierarchy(sft_bvh* bvh, bvh_text* text);
sft_result sft_bvh_read_motion(sft_bvh* bvh, bvh_text* text);
/// Decides REPLACE or ADD for root and inner joints and says why.
void sft_bvh_decide_positions(sft_bvh* bvh, sft_bvh_positions wish);

/// Local transform of a joint in one row, file units.
sft_v3d sft_bvh_translation(const sft_bvh_joint* joint, const bvh_columns* columns, const double* row);
sft_quatd sft_bvh_rotation(const bvh_columns* columns, const double* row);

/// A fresh document of these joints (depth first; names legal; channel_first is filled in) with the rows of a clip in
/// file units that has as many joints. `like` as for sft_bvh_fill: of the same columns, or null. A reader must take
/// position channels as they are meant, and no file says how: where the values would suggest otherwise, the joints
/// concerned change over from REPLACE to ADD or back, or lose their OFFSET. Fails like sft_bvh_fill.
sft_result sft_bvh_make(const sft_bvh_joint* joints, int32_t joint_count, const sft_clip* clip, const sft_bvh* like,
                        const sft_allocator* allocator, sft_bvh** out);

/// sft_bvh_from_clip; *error (may be null) names a joint that lacks channels.
sft_result sft_bvh_remake(const sft_bvh* like, const sft_clip* clip, const sft_space* space,
                          const sft_allocator* allocator, sft_bvh** out, sft_error* error);

/// Fills every row from a clip of as many joints and rows; angles follow those of `like` (may be null) at the start and
/// after jumps. error (may be null) as in sft_bvh_apply.
sft_result sft_bvh_fill(sft_bvh* bvh, const sft_clip* clip, const sft_space* space, const sft_bvh* like,
                        sft_error* error);

/// Rotation by `count` angles [degrees] about `axes`, the last applied first.
sft_quatd sft_euler_to_quat(const double* degrees, const uint8_t* axes, int32_t count);
/// Angles about one to three `axes` (neighbours different) that give `rotation`, of all solutions the nearest to
/// `near`. Returns the angle [rad, roughly] left over where fewer than three axes cannot express the rotation, else 0.
double sft_euler_from_quat(sft_quatd rotation, const uint8_t* axes, int32_t count, const double* near, double* degrees);
/// Of three angles: the other three that give the same rotation, each by the whole turns that bring it nearest to
/// `near`.
void sft_euler_other(const double* degrees, const uint8_t* axes, const double* near, double* other);

#endif
