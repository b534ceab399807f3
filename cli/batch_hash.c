// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Whether a clip has to be done again: hashes of what goes into it (XXH3, 128 bits: fast, and no defence against
// somebody who makes two files of one hash).

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch.h"

#if BATCH_RUNS

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static void put_digest(const XXH3_state_t* state, char out[BATCH_HASH_SIZE])
{
    XXH128_canonical_t bytes;
    XXH128_canonicalFromHash(&bytes, XXH3_128bits_digest(state));
    for (size_t i = 0; i < sizeof bytes.digest; ++i)
        snprintf(out + 2 * i, 3, "%02x", (unsigned)bytes.digest[i]);
}

static bool add_file(XXH3_state_t* state, const char* path)
{
    FILE* file = fopen(path, "rb");
    if (file == NULL) return false;
    // Read by pieces of our own.
    setvbuf(file, NULL, _IONBF, 0);
    unsigned char piece[65536];
    size_t size;
    while ((size = fread(piece, 1, sizeof piece, file)) > 0)
        XXH3_128bits_update(state, piece, size);
    const bool whole = ferror(file) == 0;
    fclose(file);
    return whole;
}

static bool has_ending(const char* path, const char* ending)
{
    const size_t a = strlen(path), b = strlen(ending);
    return a > b && strcasecmp(path + a - b, ending) == 0;
}

// Buffers of a glTF are in files beside it.
static void add_parts(XXH3_state_t* state, const char* path)
{
    sft_io_read_def def = sft_default_io_read_def();
    sft_io_document* document = NULL;
    sft_error error = {0};
    if (sft_io_read_file(&def, path, NULL, &document, &error) != SFT_OK) return;
    const sft_io_contents* v = sft_io_view(document);
    const char* slash = strrchr(path, '/');
    for (int32_t i = 0; i < v->resource_count; ++i)
    {
        cli_text part = {0};
        text_put(&part, path, slash != NULL ? (size_t)(slash + 1 - path) : 0);
        text_str(&part, v->resources[i]);
        if (!part.failed) (void)add_file(state, part.data);
        text_free(&part);
    }
    sft_io_destroy(document);
}

bool batch_hash_input(const char* path, char out[BATCH_HASH_SIZE])
{
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    if (!add_file(&state, path)) return false;
    if (has_ending(path, ".gltf")) add_parts(&state, path);
    put_digest(&state, out);
    return true;
}

static const char* hash_of_file(batch_hasher* h, const char* path)
{
    for (size_t i = 0; i < h->count; ++i)
        if (strcmp(h->paths[i], path) == 0) return h->hashes[i];
    if (h->count == sizeof h->paths / sizeof h->paths[0])
    {
        free(h->paths[0]);
        --h->count;
        memmove(h->paths, h->paths + 1, h->count * sizeof h->paths[0]);
        memmove(h->hashes, h->hashes + 1, h->count * sizeof h->hashes[0]);
    }
    char* copy = strdup(path);
    if (copy == NULL || !batch_hash_input(path, h->hashes[h->count]))
    {
        free(copy);
        return "";
    }
    h->paths[h->count] = copy;
    return h->hashes[h->count++];
}

static void add_word(XXH3_state_t* state, const char* word)
{
    // With its zero, so that "a" "bc" is not "ab" "c".
    XXH3_128bits_update(state, word, strlen(word) + 1);
}

static int by_name(const void* a, const void* b)
{
    return strcmp(*(char* const*)a, *(char* const*)b);
}

// Labels of a file's clips, one by one, are beside the path that is named: "walk-Run.csv" where that is "walk.csv".
// Whose clip each is only the file can say, so all that are there count.
static void add_clip_labels(batch_hasher* h, XXH3_state_t* state, const char* path)
{
    const char* slash = strrchr(path, '/');
    const size_t folder = slash != NULL ? (size_t)(slash + 1 - path) : 0;
    const char* dot = strrchr(path + folder, '.');
    const size_t stem = dot != NULL && dot != path + folder ? (size_t)(dot - path) - folder : strlen(path + folder);
    cli_text text = {0};
    text_put(&text, folder > 0 ? path : ".", folder > 0 ? folder : 1);
    DIR* dir = text.failed ? NULL : opendir(text.data);
    text_free(&text);
    if (dir == NULL) return;
    batch_words found = {0};
    for (const struct dirent* entry; (entry = readdir(dir)) != NULL;)
    {
        const size_t length = strlen(entry->d_name), end = strlen(path + folder + stem);
        if (length <= stem + end || strncmp(entry->d_name, path + folder, stem) != 0 || entry->d_name[stem] != '-' ||
            strcmp(entry->d_name + length - end, path + folder + stem) != 0)
            continue;
        text = (cli_text){0};
        text_put(&text, path, folder);
        text_str(&text, entry->d_name);
        if (!text.failed) batch_words_add(&found, text.data, text.size);
        text_free(&text);
    }
    closedir(dir);
    if (found.count > 1) qsort(found.words, found.count, sizeof found.words[0], by_name);
    for (size_t i = 0; i < found.count; ++i)
    {
        add_word(state, found.words[i]);
        add_word(state, hash_of_file(h, found.words[i]));
    }
    batch_words_free(&found);
}

void batch_hash_options(batch_hasher* h, const char* command, const batch_plan* plan, char out[BATCH_HASH_SIZE])
{
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    add_word(&state, command);
    add_word(&state, plan->output);
    for (size_t i = 0; i < plan->options.count; ++i)
    {
        const char* word = plan->options.words[i];
        struct stat status;
        add_word(&state, word);
        // What the command writes is not there the first time.
        if (i > 0 && batch_is_output_option(plan->options.words[i - 1])) continue;
        if (i > 0 && strcmp(plan->options.words[i - 1], "--contacts") == 0) add_clip_labels(h, &state, word);
        if (stat(word, &status) == 0 && S_ISREG(status.st_mode)) add_word(&state, hash_of_file(h, word));
    }
    put_digest(&state, out);
}

void batch_free_hasher(batch_hasher* h)
{
    for (size_t i = 0; i < h->count; ++i)
        free(h->paths[i]);
    *h = (batch_hasher){0};
}

#endif
