// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// MOTION: frame count, frame time, rows of numbers. The numbers are one stream, but where lines end is watched: a row
// that is a number short must not shift all that follow.

#include <math.h>

#include "bvh/bvh.h"
#include "decimal/wide.h"

typedef struct rows
{
    sft_bvh* bvh;
    bvh_text* text;
    size_t channels;
    size_t count;        ///< numbers read
    size_t line_start;   ///< numbers read before this line
    const char* line_at; ///< start of this line
    size_t first_line;   ///< numbers on the first line that has any
    const char* odd_at;  ///< first line that is no whole row
    size_t odd_start, odd_count;
    const char* straddle_at; ///< first line that holds numbers of two rows
    const char* glued_at;    ///< first number that follows another without a blank
    bool cut;                ///< the text ends inside a number
    double declared;         ///< -1 where the file does not say
} rows;

// ---- heading ----

// Letters of `lower` in any case, blanks allowed where it has one, an optional colon behind.
static bool match_keyword(bvh_text* text, const char* lower)
{
    const char* p = text->at;
    while (p < text->end && sft_bvh_is_blank(*p))
        ++p;
    for (const char* k = lower; *k != '\0'; ++k)
    {
        if (*k == ' ')
        {
            while (p < text->end && (*p == ' ' || *p == '\t'))
                ++p;
            continue;
        }
        if (p == text->end) return false;
        const char c = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
        if (c != *k) return false;
        ++p;
    }
    while (p < text->end && (*p == ' ' || *p == '\t'))
        ++p;
    if (p < text->end && *p == ':') ++p;
    text->at = p;
    return true;
}

static sft_result read_frame_count(rows* r)
{
    const char* at = r->text->at;
    const sft_result read = sft_bvh_number(r->text, NULL, "Frames", &r->declared);
    if (read != SFT_OK) return read;
    if (!(r->declared >= 0.0) || floor(r->declared) != r->declared)
        return sft_bvh_fail(r->text, SFT_ERR_SYNTAX, at, NULL,
                            "Frames: %g is no number of frames; write how many rows "
                            "follow",
                            r->declared);
    return SFT_OK;
}

static bool near_ratio(double a, double b)
{
    return fabs(a - b) <= 1e-3 * b;
}

// Seconds, or the usual slips: a rate, or milliseconds. A rate is a whole number or a broadcast one; 33.333, 16.667 and
// their kin are milliseconds of a usual rate.
static double mend_frame_time(double written, const char** what)
{
    static const double rates[] = {24.0,
                                   25.0,
                                   30.0,
                                   48.0,
                                   50.0,
                                   60.0,
                                   72.0,
                                   90.0,
                                   100.0,
                                   120.0,
                                   144.0,
                                   240.0,
                                   24000.0 / 1001.0,
                                   30000.0 / 1001.0,
                                   60000.0 / 1001.0,
                                   120000.0 / 1001.0};
    *what = "a rate";
    if (floor(written) == written) return 1.0 / written;
    for (size_t i = 12; i < SFT_COUNT_OF(rates); ++i)
        if (near_ratio(written, rates[i])) return 1.0 / written;
    for (size_t i = 0; i < SFT_COUNT_OF(rates); ++i)
        if (near_ratio(1000.0 / written, rates[i]))
        {
            *what = "milliseconds";
            return written / 1000.0;
        }
    return 1.0 / written;
}

static sft_result read_frame_time(rows* r)
{
    const char* at = r->text->at;
    double written = 0.0;
    const sft_result read = sft_bvh_number(r->text, NULL, "Frame Time", &written);
    if (read != SFT_OK) return read;
    if (!(written > 0.0))
        return sft_bvh_fail(r->text, SFT_ERR_SYNTAX, at, NULL,
                            "Frame Time: %g; write the seconds from one frame to the next, such as 0.0333333", written);
    while (at < r->text->at && sft_bvh_is_blank(*at))
        ++at;
    sft_bvh_set_frame_time(r->bvh, written, at, (size_t)(r->text->at - at));
    // Nobody samples motion slower than every five seconds.
    if (written < 5.0) return SFT_OK;
    const char* what = NULL;
    const double seconds = mend_frame_time(written, &what);
    sft_bvh_warn(r->bvh, sft_bvh_line(r->text, at), "Frame Time: %g was taken for %s: %g seconds a frame", written,
                 what, seconds);
    sft_bvh_set_frame_time(r->bvh, seconds, NULL, 0);
    return SFT_OK;
}

static sft_result read_heading(rows* r)
{
    bool frames = false, time = false;
    while (!frames || !time)
    {
        sft_result read;
        if (!frames && match_keyword(r->text, "frames"))
        {
            if (r->text->at < r->text->end && *r->text->at == '\t') r->bvh->style.colon_tabs = true;
            frames = true;
            read = read_frame_count(r);
        }
        else if (!time && match_keyword(r->text, "frame time"))
        {
            time = true;
            read = read_frame_time(r);
        }
        else
        {
            const bvh_word word = sft_bvh_next_word(r->text);
            const bvh_quote quote = sft_bvh_quote(word.at, r->text->end);
            if (word.length == 0)
                return sft_bvh_fail(r->text, SFT_ERR_SYNTAX, word.at, NULL,
                                    "the file ends before its Frames: and Frame Time: lines; it was cut");
            return sft_bvh_fail(r->text, SFT_ERR_SYNTAX, word.at, NULL,
                                "'%s' where Frames: or Frame Time: should stand", quote.text);
        }
        if (read != SFT_OK) return read;
    }
    return SFT_OK;
}

// ---- memory ----

// Numbers in a piece of text: starts of words, and signs inside them that are not an exponent's.
static size_t count_numbers(const char* p, const char* end)
{
    size_t count = 0;
    char last = ' ';
    for (; p < end; ++p)
    {
        const char c = *p;
        if (!sft_bvh_is_blank(c) && (sft_bvh_is_blank(last) || ((c == '-' || c == '+') && last != 'e' && last != 'E')))
            ++count;
        last = c;
    }
    return count;
}

// What the declared count asks for, if the text can hold about that much; else what the text holds, by counting. A
// count that lies never allocates ahead of the text.
static bool reserve_first(rows* r)
{
    const char* p = r->text->at;
    const size_t left = (size_t)(r->text->end - p);
    const size_t sample = left < 4096 ? left : 4096;
    const double density = sample == 0 ? 0.0 : (double)count_numbers(p, p + sample) / (double)sample;
    const double likely = density * (double)left;
    const double asked = r->declared * (double)r->channels;
    size_t capacity;
    if (asked <= 1.25 * likely + (double)r->channels)
        capacity = (size_t)asked;
    else
        capacity = count_numbers(p, r->text->end);
    return sft_bvh_reserve_values(r->bvh, 0, capacity);
}

static bool reserve_more(rows* r, const char* at)
{
    const size_t more = count_numbers(at, r->text->end);
    return sft_bvh_reserve_values(r->bvh, r->count, r->count + (more > 0 ? more : 1));
}

// ---- numbers ----

static sft_result bad_value(const rows* r, const char* at, sft_decimal_status status)
{
    static const char* const names[6] = {"Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"};
    const int32_t column = (int32_t)(r->count % r->channels);
    int32_t j = 0;
    while (j + 1 < r->bvh->view.joint_count &&
           (r->bvh->joints[j].channel_first + r->bvh->joints[j].channel_count <= column))
        ++j;
    const sft_bvh_joint* joint = &r->bvh->joints[j];
    char what[128];
    const char* name = r->bvh->names + r->bvh->notes[j].label;
    sft_core_format(what, sizeof what, "frame %z, %s %s", r->count / r->channels, name,
                    names[joint->channels[column - joint->channel_first]]);
    return sft_bvh_bad_number(r->text, at, status, name, what);
}

// A plain number that surely ends before `end`: sign, up to 18 digits with a point, then a blank. Null for the rest.
static inline const char* read_plain(const char* p, double* value)
{
    const bool negative = *p == '-';
    p += negative;
    const char* start = p;
    uint64_t digits = 0;
    unsigned digit;
    while ((digit = (unsigned)(unsigned char)*p - '0') < 10u)
    {
        digits = 10 * digits + digit;
        ++p;
    }
    ptrdiff_t length = p - start, decimals = 0;
    if (*p == '.')
    {
        const char* point = ++p;
        while ((digit = (unsigned)(unsigned char)*p - '0') < 10u)
        {
            digits = 10 * digits + digit;
            ++p;
        }
        decimals = p - point;
        length += decimals;
    }
    if (length == 0 || length > 18 || !sft_bvh_is_blank(*p)) return NULL;
    const double magnitude = digits <= (UINT64_C(1) << 53) ? (double)digits / sft_decimal_pow10[decimals]
                                                           : sft_decimal_scale(digits, -(int)decimals);
    *value = negative ? -magnitude : magnitude;
    return p;
}

// End of a line, or of the text.
static void end_line(rows* r, const char* next_line)
{
    const size_t n = r->count - r->line_start;
    if (n > 0)
    {
        if (r->first_line == 0) r->first_line = n;
        const size_t column = r->line_start % r->channels;
        if (n != r->channels || column != 0)
        {
            if (r->odd_at == NULL)
            {
                r->odd_at = r->line_at;
                r->odd_start = r->line_start;
                r->odd_count = n;
            }
            if (column + n > r->channels && r->straddle_at == NULL) r->straddle_at = r->line_at;
        }
    }
    r->line_start = r->count;
    r->line_at = next_line;
}

static const char* skip_blanks(rows* r, const char* p, const char* end)
{
    for (; p < end && sft_bvh_is_blank(*p); ++p)
        if (*p == '\n' || *p == '\r') end_line(r, p + 1);
    return p;
}

static sft_result read_numbers(rows* r)
{
    const char* p = r->text->at;
    const char* end = r->text->end;
    // Every number that starts before the last blank ends at it at the latest, so no digit needs a check for the end.
    const char* safe = end;
    while (safe > p && !sft_bvh_is_blank(safe[-1]))
        --safe;
    r->line_at = p;
    for (;;)
    {
        p = skip_blanks(r, p, end);
        if (p == end) break;
        if (r->count == r->bvh->value_capacity && !reserve_more(r, p))
            return sft_bvh_fail(r->text, SFT_ERR_MEMORY, p, NULL, "out of memory after %z numbers", r->count);
        double* value = &r->bvh->values[r->count];
        const char* next = p < safe ? read_plain(p, value) : NULL;
        if (next == NULL)
        {
            const sft_decimal_status status = sft_decimal_read(p, end, value, &next);
            if (status == SFT_DECIMAL_CUT)
            {
                r->cut = true;
                break;
            }
            const bool glued = status == SFT_DECIMAL_OK && next < end && (*next == '-' || *next == '+');
            if (status != SFT_DECIMAL_OK || (next < end && !sft_bvh_is_blank(*next) && !glued))
                return bad_value(r, p, status == SFT_DECIMAL_OK ? SFT_DECIMAL_NONE : status);
            if (glued && r->glued_at == NULL) r->glued_at = p;
        }
        ++r->count;
        p = next;
    }
    end_line(r, end);
    return SFT_OK;
}

// ---- what the lines say ----

static size_t shown(double declared)
{
    return declared < 1e15 && declared < (double)(SIZE_MAX / 2) ? (size_t)declared : SIZE_MAX / 2;
}

static sft_result check_lines(rows* r)
{
    const bool whole = r->count % r->channels == 0;
    const bool row_a_line = r->first_line == r->channels;
    const bool as_declared = whole && (double)(r->count / r->channels) == r->declared;
    if (r->straddle_at != NULL && (row_a_line || !as_declared))
        return sft_bvh_fail(r->text, SFT_ERR_SYNTAX, r->odd_at, NULL,
                            "row %z has %z numbers on this line, the hierarchy has %z channels; mend the row, or the "
                            "CHANNELS lines",
                            r->odd_start / r->channels, r->odd_count, r->channels);
    if (r->straddle_at != NULL)
        sft_bvh_warn(r->bvh, sft_bvh_line(r->text, r->straddle_at),
                     "rows do not end where lines end; the numbers were read as one stream, which comes out even");
    else if (r->odd_at != NULL && (whole || r->odd_start / r->channels != r->count / r->channels))
        sft_bvh_warn(r->bvh, sft_bvh_line(r->text, r->odd_at), "rows are wrapped over several lines");
    if (r->glued_at != NULL)
        sft_bvh_warn(r->bvh, sft_bvh_line(r->text, r->glued_at),
                     "numbers run together without a blank; they were parted at the sign");
    if (!whole || r->cut)
        sft_bvh_warn(r->bvh, sft_bvh_line(r->text, r->text->end),
                     "the file ends inside row %z, after %z of %z numbers; that row was left out",
                     r->count / r->channels, r->count % r->channels, r->channels);
    return SFT_OK;
}

static sft_result finish_rows(rows* r)
{
    const size_t found = r->count / r->channels;
    if (found > INT32_MAX)
        return sft_bvh_fail(r->text, SFT_ERR_LIMIT, r->text->at, NULL,
                            "%z rows are more than can be handled; split the "
                            "file",
                            found);
    const sft_result lines = check_lines(r);
    if (lines != SFT_OK) return lines;
    if (found == 0 && (r->declared > 0.0 || r->count > 0))
        return sft_bvh_fail(r->text, SFT_ERR_SYNTAX, r->text->end, NULL,
                            "the file ends before its first row is complete (%z of %z numbers); it was cut", r->count,
                            r->channels);
    if ((double)found != r->declared)
        sft_bvh_warn(r->bvh, 0, "Frames: says %z, the file holds %z whole rows; %z were read", shown(r->declared),
                     found, found);
    r->bvh->view.frame_count = (int32_t)found;
    r->bvh->view.values = r->bvh->values;
    return SFT_OK;
}

sft_result sft_bvh_read_motion(sft_bvh* bvh, bvh_text* text)
{
    rows r = {.bvh = bvh, .text = text, .channels = (size_t)bvh->view.channel_count, .declared = -1.0};
    const sft_result heading = read_heading(&r);
    if (heading != SFT_OK) return heading;
    if (r.channels == 0)
    {
        // Rows without a number cannot be counted.
        const bvh_word word = sft_bvh_next_word(text);
        if (word.length > 0)
            return sft_bvh_fail(text, SFT_ERR_SYNTAX, word.at, NULL,
                                "numbers follow, but the hierarchy has no CHANNELS; give its joints channels");
        if (!sft_bvh_reserve_values(bvh, 0, 0))
            return sft_bvh_fail(text, SFT_ERR_MEMORY, text->at, NULL, "out of memory");
        if (r.declared > 0.0) sft_bvh_warn(bvh, 0, "no joint has channels: %z frames hold nothing", shown(r.declared));
        bvh->view.values = bvh->values;
        return SFT_OK;
    }
    if (!reserve_first(&r)) return sft_bvh_fail(text, SFT_ERR_MEMORY, text->at, NULL, "out of memory for the motion");
    const sft_result numbers = read_numbers(&r);
    return numbers != SFT_OK ? numbers : finish_rows(&r);
}
