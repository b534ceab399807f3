// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The manifest: JSON lines, one for each clip that came to an end, in the order in which they did. A clip's last line
// counts. Lines are appended by one write each, so that a run that is killed leaves whole lines, or one cut at its end.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch.h"

#if BATCH_RUNS

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char* const batch_result_names[BATCH_RESULTS] = {"done", "failed", "crashed", "timeout", "memory"};

// ---- out ----

// Objects of json.c stand on lines of their own; here one entry is one line. A byte of a file's name that is no UTF-8
// is a lone surrogate, as Python has it: os.fsencode gives the name.
static void put_item(cli_text* out, const char* value)
{
    text_str(out, "\"");
    for (int length; *value != '\0'; value += length)
    {
        const unsigned char c = (unsigned char)*value;
        length = c < 0x80 ? 1 : cli_utf8_length(value);
        if (c == '"' || c == '\\')
            text_fmt(out, "\\%c", c);
        else if (c < 0x20)
            text_fmt(out, "\\u%04x", (unsigned)c);
        else if (length == 0)
            text_fmt(out, "\\udc%02x", (unsigned)c);
        else
            text_put(out, value, (size_t)length);
        length = length > 0 ? length : 1;
    }
    text_str(out, "\",");
}

void batch_put_text(cli_text* out, const char* key, const char* value)
{
    text_fmt(out, "\"%s\":", key);
    put_item(out, value);
}

static void put_number(cli_text* out, const char* key, double value)
{
    char number[32];
    // What is not known is not there.
    if (isnan(value)) return;
    text_fmt(out, "\"%s\":%s,", key, cli_number(value, number));
}

void batch_put_entry(cli_text* out, const batch_entry* e)
{
    char safe[2048];
    text_str(out, "{");
    batch_put_text(out, "input", e->name);
    batch_put_text(out, "hash", e->hash);
    batch_put_text(out, "options", e->options);
    batch_put_text(out, "version", e->version);
    batch_put_text(out, "result", batch_result_names[e->result]);
    put_number(out, "code", e->code);
    put_number(out, "size", (double)e->size);
    put_number(out, "seconds", e->seconds);
    put_number(out, "ended", e->ended);
    if (e->output != NULL)
    {
        batch_put_text(out, "output", e->output);
        put_number(out, "output_size", (double)e->output_size);
    }
    if (e->beside.count > 0)
    {
        text_str(out, "\"beside\":[");
        for (size_t i = 0; i < e->beside.count; ++i)
            put_item(out, e->beside.words[i]);
        if (!out->failed) out->data[out->size - 1] = ']';
        text_str(out, ",");
    }
    if (e->message != NULL && e->message[0] != '\0')
        batch_put_text(out, "message", cli_safe_utf8(e->message, safe, sizeof safe));
    if (e->warnings != BATCH_NOT_COUNTED) put_number(out, "warnings", e->warnings);
    for (int i = 0; i < BATCH_FIGURES && e->figures.known; ++i)
        put_number(out, batch_figure_names[i], e->figures.of[i]);
    if (!out->failed) out->data[out->size - 1] = '}';
    text_str(out, "\n");
}

static int append_line(int fd, const char* path, cli_text* line)
{
    if (line->failed)
    {
        text_free(line);
        return cli_fail(EXIT_MEMORY, "out of memory");
    }
    size_t done = 0;
    while (done < line->size)
    {
        const ssize_t size = write(fd, line->data + done, line->size - done);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) break;
        done += (size_t)size;
    }
    const bool whole = done == line->size;
    text_free(line);
    return whole ? EXIT_DONE : cli_fail(EXIT_WRITE, "%s: %s", path, strerror(errno));
}

int batch_append_entry(int fd, const char* path, const batch_entry* entry)
{
    cli_text line = {0};
    batch_put_entry(&line, entry);
    return append_line(fd, path, &line);
}

static const char removed[] = "removed"; // a result that only manifests have

int batch_append_removed(int fd, const char* path, const char* name, double ended)
{
    cli_text line = {0};
    text_str(&line, "{");
    batch_put_text(&line, "input", name);
    batch_put_text(&line, "result", removed);
    // Behind what another machine wrote, whose clock may be ahead.
    put_number(&line, "ended", sft_maxd((double)time(NULL), ended));
    if (!line.failed) line.data[line.size - 1] = '}';
    text_str(&line, "\n");
    return append_line(fd, path, &line);
}

// ---- in ----

static char* text_of(const json_value* object, const char* key)
{
    const json_value* v = json_get(object, key);
    return v != NULL && v->kind == JSON_STRING ? strdup(v->string) : NULL;
}

static double number_of(const json_value* object, const char* key)
{
    const json_value* v = json_get(object, key);
    return v != NULL && v->kind == JSON_NUMBER && v->number >= -1e300 && v->number <= 1e300 ? v->number : 0.0;
}

static double known_number_of(const json_value* object, const char* key)
{
    const json_value* v = json_get(object, key);
    return v != NULL && v->kind == JSON_NUMBER && fabs(v->number) <= 1e300 ? v->number : NAN;
}

static bool copy_of(const json_value* object, const char* key, char* out, size_t capacity)
{
    const json_value* v = json_get(object, key);
    if (v == NULL || v->kind != JSON_STRING || strlen(v->string) >= capacity) return false;
    strcpy(out, v->string);
    return true;
}

static bool read_entry(const json_value* v, batch_entry* e)
{
    char result[16];
    *e = (batch_entry){.warnings = BATCH_NOT_COUNTED, .result = BATCH_RESULTS};
    if (copy_of(v, "result", result, sizeof result) && strcmp(result, removed) == 0)
    {
        e->name = text_of(v, "input");
        e->ended = number_of(v, "ended");
        return e->name != NULL;
    }
    if (!copy_of(v, "hash", e->hash, sizeof e->hash) || !copy_of(v, "options", e->options, sizeof e->options) ||
        !copy_of(v, "version", e->version, sizeof e->version) || !copy_of(v, "result", result, sizeof result))
        return false;
    int r = 0;
    while (r < BATCH_RESULTS && strcmp(batch_result_names[r], result) != 0)
        ++r;
    if (r == BATCH_RESULTS) return false;
    e->result = (batch_result)r;
    e->name = text_of(v, "input");
    e->output = text_of(v, "output");
    e->message = text_of(v, "message");
    e->code = (int)sft_clampd(number_of(v, "code"), 0.0, 255.0);
    e->size = (uint64_t)sft_clampd(number_of(v, "size"), 0.0, 9e15);
    e->output_size = (uint64_t)sft_clampd(number_of(v, "output_size"), 0.0, 9e15);
    e->seconds = number_of(v, "seconds");
    e->ended = number_of(v, "ended");
    const json_value* beside = json_get(v, "beside");
    for (const json_value* item = beside != NULL && beside->kind == JSON_ARRAY ? beside->child : NULL; item != NULL;
         item = item->next)
        if (item->kind == JSON_STRING) batch_words_add(&e->beside, item->string, strlen(item->string));
    const double warnings = known_number_of(v, "warnings");
    e->warnings = isnan(warnings) ? BATCH_NOT_COUNTED : (int)sft_clampd(warnings, 0.0, 1e9);
    for (int i = 0; i < BATCH_FIGURES; ++i)
    {
        e->figures.of[i] = known_number_of(v, batch_figure_names[i]);
        e->figures.known = e->figures.known || !isnan(e->figures.of[i]);
    }
    return e->name != NULL;
}

static bool add_entry(batch_manifest* m, const batch_entry* e)
{
    if (m->count == m->capacity)
    {
        const size_t capacity = m->capacity * 2 + 1024;
        batch_entry* entries = realloc(m->entries, capacity * sizeof *entries);
        if (entries == NULL) return false;
        m->entries = entries;
        m->capacity = capacity;
    }
    m->entries[m->count++] = *e;
    return true;
}

static int read_lines(const char* path, const char* text, size_t size, batch_manifest* m)
{
    unsigned long line = 1;
    double last = 0.0;
    for (const char *at = text, *end; at < text + size; at = end + 1, ++line)
    {
        end = memchr(at, '\n', (size_t)(text + size - at));
        if (end == NULL) return EXIT_DONE; // cut off when it was written: not done
        if (end == at) continue;
        sft_error error = {0};
        json_value* v = json_parse(at, (size_t)(end - at), &error);
        batch_entry e;
        const bool good = v != NULL && read_entry(v, &e);
        if (v != NULL && !good) batch_free_entry(&e);
        json_destroy(v);
        if (!good)
            return cli_fail(EXIT_READ, "%s:%lu: not a line of a manifest; move the file away to do all anew", path,
                            line);
        // In one manifest the order holds, whatever was done to the clock.
        last = e.ended = sft_maxd(e.ended, last);
        if (!add_entry(m, &e))
        {
            batch_free_entry(&e);
            return cli_fail(EXIT_MEMORY, "out of memory");
        }
    }
    return EXIT_DONE;
}

bool batch_is_manifest(const char* name)
{
    const size_t size = strlen(name);
    return strncmp(name, "manifest", 8) == 0 && (name[8] == '.' || name[8] == '-') && size > 6 &&
           strcmp(name + size - 6, ".jsonl") == 0;
}

typedef struct keyed
{
    batch_entry entry;
    size_t order;
} keyed;

static int by_name_then_order(const void* a, const void* b)
{
    const keyed *x = a, *y = b;
    const int names = strcmp(x->entry.name, y->entry.name);
    if (names != 0) return names;
    const double first = x->entry.ended, second = y->entry.ended;
    return first != second ? (first > second) - (first < second) : (x->order > y->order) - (x->order < y->order);
}

static bool same_texts(const char* a, const char* b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool wrote_elsewhere(const batch_entry* before, const batch_entry* after)
{
    if (before->output != NULL && !same_texts(before->output, after->output)) return true;
    if (before->beside.count == 0) return false;
    if (before->beside.count != after->beside.count) return true;
    for (size_t i = 0; i < before->beside.count; ++i)
        if (strcmp(before->beside.words[i], after->beside.words[i]) != 0) return true;
    return false;
}

// Lines of one name, in order; what they wrote that the last one does not is kept as it was.
static void settle_name(batch_manifest* m, const keyed* lines, size_t count)
{
    const batch_entry* last = &lines[count - 1].entry;
    for (size_t i = 0; i < count; ++i)
    {
        batch_entry e = lines[i].entry;
        if (e.result == BATCH_RESULTS)
        {
            // What stands before it is removed.
            for (; m->former_count > 0 && strcmp(m->former[m->former_count - 1].name, e.name) == 0; --m->former_count)
                batch_free_entry(m->former + m->former_count - 1);
            batch_free_entry(&e);
        }
        else if (i + 1 == count)
            m->entries[m->count++] = e;
        else if (last->result != BATCH_RESULTS && wrote_elsewhere(&e, last))
            m->former[m->former_count++] = e;
        else
            batch_free_entry(&e);
    }
}

// Sorted by name; of each name the one that ended last stays, whichever shard's it is.
static int settle(batch_manifest* m)
{
    const size_t count = m->count;
    if (count == 0) return EXIT_DONE;
    keyed* sorted = malloc(count * sizeof *sorted);
    m->former = malloc(count * sizeof *m->former);
    if (sorted == NULL || m->former == NULL)
    {
        free(sorted);
        return cli_fail(EXIT_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < count; ++i)
        sorted[i] = (keyed){m->entries[i], i};
    qsort(sorted, count, sizeof *sorted, by_name_then_order);
    m->count = 0;
    for (size_t first = 0, end; first < count; first = end)
    {
        for (end = first + 1; end < count && strcmp(sorted[first].entry.name, sorted[end].entry.name) == 0;)
            ++end;
        settle_name(m, sorted + first, end - first);
    }
    free(sorted);
    return EXIT_DONE;
}

static int read_manifest(const char* folder, const char* name, batch_manifest* m)
{
    cli_text path = {0};
    text_fmt(&path, "%s/%s", folder, name);
    void* bytes = NULL;
    size_t size = 0;
    struct stat status;
    int code = path.failed ? cli_fail(EXIT_MEMORY, "out of memory") : EXIT_DONE;
    // A pipe would be waited for.
    if (code == EXIT_DONE && stat(path.data, &status) == 0 && !S_ISREG(status.st_mode))
        code = cli_fail(EXIT_READ, "%s: a manifest is to be here, and this is no file", path.data);
    if (code == EXIT_DONE) code = cli_read_bytes(path.data, &bytes, &size);
    if (code == EXIT_DONE) code = read_lines(path.data, bytes, size, m);
    free(bytes);
    text_free(&path);
    return code;
}

static int only_manifests(const struct dirent* entry)
{
    return batch_is_manifest(entry->d_name) ? 1 : 0;
}

int batch_read_manifests(const char* folder, batch_manifest* out)
{
    batch_manifest m = {0};
    struct dirent** names = NULL;
    const int count = scandir(folder, &names, only_manifests, alphasort);
    if (count < 0 && errno != ENOENT) return cli_fail(EXIT_READ, "%s: %s", folder, strerror(errno));
    int code = EXIT_DONE;
    for (int i = 0; i < count; ++i)
    {
        if (code == EXIT_DONE) code = read_manifest(folder, names[i]->d_name, &m);
        free(names[i]);
    }
    free(names);
    if (code == EXIT_DONE) code = settle(&m);
    if (code != EXIT_DONE)
    {
        batch_free_manifest(&m);
        return code;
    }
    *out = m;
    return EXIT_DONE;
}

void batch_keep_listed(batch_manifest* m, const batch_list* list)
{
    size_t kept = 0, k = 0;
    for (size_t i = 0; i < m->count; ++i)
    {
        while (k < list->count && strcmp(list->inputs[k].name, m->entries[i].name) < 0)
            ++k;
        if (k < list->count && !list->inputs[k].open && strcmp(list->inputs[k].name, m->entries[i].name) == 0)
            m->entries[kept++] = m->entries[i];
        else
            batch_free_entry(m->entries + i);
    }
    m->count = kept;
}

const batch_entry* batch_find_entry(const batch_manifest* m, const char* name)
{
    size_t low = 0, high = m->count;
    while (low < high)
    {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(m->entries[middle].name, name);
        if (order == 0) return m->entries + middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void batch_free_entry(batch_entry* e)
{
    free(e->name);
    free(e->output);
    free(e->message);
    batch_words_free(&e->beside);
    e->name = e->output = e->message = NULL;
}

void batch_free_manifest(batch_manifest* m)
{
    for (size_t i = 0; i < m->count; ++i)
        batch_free_entry(m->entries + i);
    for (size_t i = 0; i < m->former_count; ++i)
        batch_free_entry(m->former + i);
    free(m->entries);
    free(m->former);
    *m = (batch_manifest){0};
}

#endif
