// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Labels as CSV. Text is untrusted: every read is bounded by the size given, numbers are read and written without the
// C library (whose decimal point follows the locale).

#include "contact/contact_internal.h"

#include "core/core.h"

#define TOUCH_SUFFIX ":touch"
#define MAX_COLUMNS (2 + 2 * SFT_MAX_FEET)

// ---- writing ----

typedef struct text_out
{
    char* text; ///< null while only measuring
    size_t length;
} text_out;

static void put(text_out* out, char c)
{
    if (out->text != NULL) out->text[out->length] = c;
    ++out->length;
}

static void put_text(text_out* out, const char* text)
{
    for (; *text != '\0'; ++text)
        put(out, *text);
}

static void put_name(text_out* out, const char* name, const char* suffix)
{
    bool quote = name[0] == '\0' || name[0] == ' ' || name[0] == '\t';
    for (const char* c = name; *c != '\0'; ++c)
    {
        const bool last = c[1] == '\0';
        quote = quote || *c == ',' || *c == '"' || *c == '\n' || *c == '\r' || (last && (*c == ' ' || *c == '\t'));
    }
    if (quote) put(out, '"');
    for (const char* c = name; *c != '\0'; ++c)
    {
        if (*c == '"') put(out, '"');
        put(out, *c);
    }
    put_text(out, suffix);
    if (quote) put(out, '"');
}

static void put_unsigned(text_out* out, uint64_t value, int min_digits)
{
    char digits[24];
    int count = 0;
    do
    {
        digits[count++] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value != 0);
    for (int i = count; i < min_digits; ++i)
        put(out, '0');
    while (count > 0)
        put(out, digits[--count]);
}

// value >= 0 with the given decimals, trailing zeros dropped.
static void put_decimal(text_out* out, double value, int decimals)
{
    double unit = 1.0;
    for (int i = 0; i < decimals; ++i)
        unit *= 10.0;
    const double whole = floor(value);
    uint64_t fraction = (uint64_t)floor((value - whole) * unit + 0.5);
    uint64_t integer = (uint64_t)whole;
    if ((double)fraction >= unit)
    {
        fraction = 0;
        ++integer;
    }
    put_unsigned(out, integer, 1);
    if (fraction == 0) return;
    while (fraction % 10 == 0)
    {
        fraction /= 10;
        --decimals;
    }
    put(out, '.');
    put_unsigned(out, fraction, decimals);
}

// Fewest decimals, up to nine, that read back as the same float: all labels above 0.01 do.
static void put_label(text_out* out, float label)
{
    double unit = 10.0;
    int decimals = 1;
    for (; decimals < 9; ++decimals, unit *= 10.0)
        if ((float)(floor((double)label * unit + 0.5) / unit) == label) break;
    put_decimal(out, (double)label, decimals);
}

static void put_table(text_out* out, const sft_contact_labels* labels, double frame_time, const char* const* names)
{
    put_text(out, "frame,time");
    for (int32_t f = 0; f < labels->foot_count; ++f)
    {
        put(out, ',');
        put_name(out, names[f], "");
        put(out, ',');
        put_name(out, names[f], TOUCH_SUFFIX);
    }
    put(out, '\n');
    for (int32_t i = 0; i < labels->frame_count; ++i)
    {
        put_unsigned(out, (uint64_t)i, 1);
        put(out, ',');
        put_decimal(out, (double)i * frame_time, 6);
        for (int32_t f = 0; f < labels->foot_count; ++f)
        {
            const size_t at = (size_t)f * (size_t)labels->frame_count + (size_t)i;
            put(out, ',');
            put_label(out, labels->plant[at]);
            put(out, ',');
            put_label(out, labels->touch[at]);
        }
        put(out, '\n');
    }
}

static bool labels_ok(const sft_contact_labels* labels, const char* const* names)
{
    if (labels == NULL || labels->frame_count <= 0 || labels->foot_count < 0 || labels->foot_count > SFT_MAX_FEET)
        return false;
    if (labels->foot_count == 0) return true;
    if (labels->plant == NULL || labels->touch == NULL || names == NULL) return false;
    for (int32_t f = 0; f < labels->foot_count; ++f)
        if (names[f] == NULL) return false;
    return true;
}

sft_result sft_contact_format_csv(const sft_contact_labels* labels, double frame_time, const char* const* toe_names,
                                  const sft_allocator* allocator, char** text, size_t* size)
{
    if (text == NULL || size == NULL || !labels_ok(labels, toe_names)) return SFT_ERR_ARG;
    if (!(frame_time > 0.0 && frame_time <= 1e4)) return SFT_ERR_RANGE;
    for (size_t i = 0; i < (size_t)labels->frame_count * (size_t)labels->foot_count; ++i)
        if (!(labels->plant[i] >= 0.0f && labels->plant[i] <= 1.0f && labels->touch[i] >= 0.0f &&
              labels->touch[i] <= 1.0f))
            return SFT_ERR_RANGE;
    text_out measure = {NULL, 0};
    put_table(&measure, labels, frame_time, toe_names);
    text_out out = {sft_core_alloc(allocator, measure.length + 1, 1), 0};
    if (out.text == NULL) return SFT_ERR_MEMORY;
    put_table(&out, labels, frame_time, toe_names);
    out.text[out.length] = '\0';
    *text = out.text;
    *size = out.length;
    return SFT_OK;
}

// ---- reading ----

typedef struct csv_reader
{
    const char* text;
    size_t size;
    size_t at;
    uint32_t line;      ///< of `at`
    char* cell;         ///< current cell without quotes, zero-ended; size + 1 bytes
    size_t length;      ///< of the cell
    uint32_t cell_line; ///< where the cell began
    size_t cell_at;
    sft_error* error;
} csv_reader;

/// Columns of the header: FRAME, TIME, or foot * 2 (+ 1 for touch) + FOOT.
enum
{
    COLUMN_FRAME,
    COLUMN_TIME,
    COLUMN_FOOT
};

static sft_result fail(const csv_reader* r, sft_result code, const char* message, const char* detail)
{
    return sft_core_fail(r->error, code, r->cell_at, r->cell_line, NULL, message, detail);
}

static bool at_line_end(const csv_reader* r)
{
    return r->at >= r->size || r->text[r->at] == '\n' || r->text[r->at] == '\r';
}

static void skip_line_end(csv_reader* r)
{
    if (r->at >= r->size) return;
    const char c = r->text[r->at++];
    if (c == '\r' && r->at < r->size && r->text[r->at] == '\n') ++r->at;
    ++r->line;
}

// Reads one cell up to a comma or line end, which stay.
static sft_result read_cell(csv_reader* r)
{
    while (r->at < r->size && (r->text[r->at] == ' ' || r->text[r->at] == '\t'))
        ++r->at;
    r->length = 0;
    r->cell_line = r->line;
    r->cell_at = r->at;
    const bool quoted = r->at < r->size && r->text[r->at] == '"';
    if (quoted)
    {
        for (++r->at;; ++r->at)
        {
            if (r->at >= r->size) return fail(r, SFT_ERR_SYNTAX, "a quoted field has no closing quote%s", "");
            const char c = r->text[r->at];
            if (c == '"' && !(r->at + 1 < r->size && r->text[r->at + 1] == '"')) break;
            if (c == '"') ++r->at;
            if (c == '\n') ++r->line;
            r->cell[r->length++] = c;
        }
        ++r->at;
        while (r->at < r->size && (r->text[r->at] == ' ' || r->text[r->at] == '\t'))
            ++r->at;
        if (!at_line_end(r) && r->text[r->at] != ',')
            return fail(r, SFT_ERR_SYNTAX, "text follows a closing quote; separate fields by commas%s", "");
    }
    else
    {
        while (!at_line_end(r) && r->text[r->at] != ',')
            r->cell[r->length++] = r->text[r->at++];
        while (r->length > 0 && (r->cell[r->length - 1] == ' ' || r->cell[r->length - 1] == '\t'))
            --r->length;
    }
    r->cell[r->length] = '\0';
    return SFT_OK;
}

static bool cell_is(const csv_reader* r, const char* name, const char* suffix)
{
    const size_t a = strlen(name), b = strlen(suffix);
    return r->length == a + b && memcmp(r->cell, name, a) == 0 && memcmp(r->cell + a, suffix, b) == 0;
}

// Names the column of the cell. Joints of one name are told apart by their order; -1: unknown or taken.
static int32_t find_column(const csv_reader* r, const char* const* names, int32_t foot_count, const bool* taken)
{
    if (!taken[COLUMN_FRAME] && cell_is(r, "frame", "")) return COLUMN_FRAME;
    if (!taken[COLUMN_TIME] && cell_is(r, "time", "")) return COLUMN_TIME;
    for (int32_t touch = 0; touch < 2; ++touch)
        for (int32_t f = 0; f < foot_count; ++f)
        {
            const int32_t column = COLUMN_FOOT + 2 * f + touch;
            if (!taken[column] && cell_is(r, names[f], touch ? TOUCH_SUFFIX : "")) return column;
        }
    return -1;
}

static sft_result read_header(csv_reader* r, const char* const* names, int32_t foot_count, int32_t* columns,
                              int32_t* column_count, bool* taken)
{
    *column_count = 0;
    for (;;)
    {
        const sft_result cell = read_cell(r);
        if (cell != SFT_OK) return cell;
        if (*column_count >= COLUMN_FOOT + 2 * foot_count)
            return fail(r, SFT_ERR_LIMIT, "more columns than two for each foot; the first one too many is '%s'",
                        r->cell);
        const int32_t column = find_column(r, names, foot_count, taken);
        if (column < 0)
            return fail(r, SFT_ERR_SYNTAX,
                        "column '%s' is repeated or no toe joint of this clip; expected frame, time, and each foot's "
                        "toe joint, with :touch for touch",
                        r->cell);
        taken[column] = true;
        columns[(*column_count)++] = column;
        if (at_line_end(r)) break;
        ++r->at; // the comma
    }
    skip_line_end(r);
    if (!taken[COLUMN_FRAME]) return fail(r, SFT_ERR_SYNTAX, "the header has no 'frame' column%s", "");
    for (int32_t f = 0; f < foot_count; ++f)
        if (!taken[COLUMN_FOOT + 2 * f])
            return fail(r, SFT_ERR_SYNTAX, "the header has no column for the toe joint '%s'", names[f]);
    return SFT_OK;
}

// Decimal number with optional sign, fraction and exponent, over the whole cell; plenty for labels and frames.
static bool parse_number(const char* s, size_t length, double* out)
{
    size_t i = 0;
    double value = 0.0;
    int digits = 0, scale = 0, exponent = 0;
    const bool negative = length > 0 && s[0] == '-';
    if (length > 0 && (s[0] == '-' || s[0] == '+')) ++i;
    bool point = false;
    for (; i < length && ((s[i] >= '0' && s[i] <= '9') || (s[i] == '.' && !point)); ++i)
    {
        if (s[i] == '.')
        {
            point = true;
            continue;
        }
        ++digits;
        // Digits past the 18th cannot matter to a float; they only count as a power of ten.
        if (value < 1e17)
        {
            value = 10.0 * value + (double)(s[i] - '0');
            if (point) --scale;
        }
        else if (!point && scale < 1000)
            ++scale;
    }
    if (digits == 0) return false;
    if (i < length && (s[i] == 'e' || s[i] == 'E'))
    {
        bool down = false;
        int exponent_digits = 0;
        if (++i < length && (s[i] == '-' || s[i] == '+')) down = s[i++] == '-';
        for (; i < length && s[i] >= '0' && s[i] <= '9'; ++i, ++exponent_digits)
            if (exponent < 1000) exponent = 10 * exponent + (s[i] - '0');
        if (exponent_digits == 0) return false;
        if (down) exponent = -exponent;
    }
    if (i != length) return false;
    double unit = 1.0;
    for (int e = scale + exponent; e != 0 && unit < 1e300; e += e < 0 ? 1 : -1)
        unit *= 10.0;
    value = scale + exponent < 0 ? value / unit : value * unit;
    *out = negative ? -value : value;
    return true;
}

typedef struct csv_row
{
    int32_t frame;
    float values[2 * SFT_MAX_FEET];
} csv_row;

static sft_result read_row(csv_reader* r, const int32_t* columns, int32_t column_count, int32_t frame_count,
                           csv_row* row)
{
    for (int32_t c = 0; c < column_count; ++c)
    {
        const sft_result cell = read_cell(r);
        if (cell != SFT_OK) return cell;
        double value = 0.0;
        const bool number = parse_number(r->cell, r->length, &value);
        if (!number && !(columns[c] == COLUMN_TIME && r->length == 0))
            return fail(r, SFT_ERR_SYNTAX, "'%s' is not a number", r->cell);
        if (columns[c] == COLUMN_FRAME)
        {
            if (!(value >= 0.0 && value < (double)frame_count && value == floor(value)))
                return fail(r, SFT_ERR_SYNTAX, "frame '%s' is not a frame of this clip; frames count from 0", r->cell);
            row->frame = (int32_t)value;
        }
        else if (columns[c] >= COLUMN_FOOT)
        {
            if (!(value >= 0.0 && value <= 1.0))
                return fail(r, SFT_ERR_SYNTAX, "label '%s' is not between 0 and 1", r->cell);
            row->values[columns[c] - COLUMN_FOOT] = (float)value;
        }
        const bool last = c + 1 == column_count;
        if (at_line_end(r) != last)
            return fail(r, SFT_ERR_SYNTAX,
                        last ? "this row has more fields than the header%s"
                             : "this row has fewer fields than the header%s",
                        "");
        if (!last) ++r->at;
    }
    skip_line_end(r);
    return SFT_OK;
}

static sft_result read_rows(csv_reader* r, const int32_t* columns, int32_t column_count, const bool* taken,
                            const sft_contact_labels* shape, float* values, uint8_t* seen)
{
    const size_t n = (size_t)shape->frame_count;
    csv_row row = {0};
    while (r->at < r->size)
    {
        if (at_line_end(r))
        {
            skip_line_end(r);
            continue;
        }
        const sft_result result = read_row(r, columns, column_count, shape->frame_count, &row);
        if (result != SFT_OK) return result;
        char number[16];
        sft_core_format(number, sizeof number, "%d", (int)row.frame);
        if (seen[row.frame]) return fail(r, SFT_ERR_SYNTAX, "frame %s is there twice", number);
        seen[row.frame] = 1;
        for (int32_t f = 0; f < shape->foot_count; ++f)
        {
            const float plant = row.values[2 * f];
            const size_t at = 2 * (size_t)f * n + (size_t)row.frame;
            values[at] = plant;
            values[at + n] = taken[COLUMN_FOOT + 2 * f + 1] ? row.values[2 * f + 1] : plant;
        }
    }
    for (size_t i = 0; i < n; ++i)
    {
        if (seen[i]) continue;
        char number[16];
        sft_core_format(number, sizeof number, "%d", (int)i);
        r->cell_at = r->at;
        r->cell_line = r->line;
        return fail(r, SFT_ERR_SYNTAX, "frame %s is missing; every frame of the clip needs a row", number);
    }
    return SFT_OK;
}

sft_result sft_contact_parse_csv(const char* text, size_t size, const char* const* toe_names,
                                 const sft_allocator* allocator, sft_contact_labels* labels, sft_error* error)
{
    if ((text == NULL && size > 0) || !labels_ok(labels, toe_names)) return SFT_ERR_ARG;
    if (size >= UINT32_MAX)
        return sft_core_fail(error, SFT_ERR_LIMIT, 0, 0, NULL, "labels of 4 GB and more are refused");
    const size_t n = (size_t)labels->frame_count, all = 2 * n * (size_t)labels->foot_count;
    csv_reader r = {.text = text, .size = size, .line = 1, .cell_line = 1, .error = error};
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) r.at = 3;
    r.cell = sft_core_alloc(allocator, size + 1, 1);
    float* values = sft_core_alloc(allocator, all, sizeof *values);
    uint8_t* seen = sft_core_alloc(allocator, n, 1);
    sft_result result = SFT_ERR_MEMORY;
    if (r.cell != NULL && values != NULL && seen != NULL)
    {
        int32_t columns[MAX_COLUMNS], column_count = 0;
        bool taken[MAX_COLUMNS] = {false};
        result = read_header(&r, toe_names, labels->foot_count, columns, &column_count, taken);
        if (result == SFT_OK) result = read_rows(&r, columns, column_count, taken, labels, values, seen);
        for (size_t f = 0; result == SFT_OK && f < (size_t)labels->foot_count; ++f)
        {
            memcpy(labels->plant + f * n, values + 2 * f * n, n * sizeof *values);
            memcpy(labels->touch + f * n, values + (2 * f + 1) * n, n * sizeof *values);
        }
    }
    else
        sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory while reading labels");
    sft_core_free(allocator, seen, n, 1);
    sft_core_free(allocator, values, all, sizeof *values);
    sft_core_free(allocator, r.cell, size + 1, 1);
    return result;
}
