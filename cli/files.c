// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Bytes and documents in and out: files, pipes, standard input and output.

#if defined(__linux__) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L // sigprocmask
#endif

#include "child.h"

#include <errno.h>
#ifndef __wasi__ // which has none
#include <signal.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Pipes and devices have no size and may have no end. What is beyond this is no clip; a file may be larger.
#define STREAM_MOST ((size_t)1 << 30)
// Text holds no zero bytes. Short input with zeros goes to the parser all the same, whose message says more.
#define STREAM_TEXT ((size_t)1 << 20)
// What of a file is looked at to tell its format.
#define HEAD_SIZE 4096

static bool is_binary_format(const void* bytes, size_t size)
{
    const sft_io_format format = sft_io_sniff(bytes, size);
    return format == SFT_IO_GLB || format == SFT_IO_FBX;
}

typedef enum expected
{
    EXPECT_TEXT,
    EXPECT_MOTION, // GLB and FBX may come, which are no text
    EXPECT_NAMES   // zeros may end them
} expected;

static int read_stream(FILE* file, const char* name, expected what, void** bytes, size_t* size)
{
    cli_text text = {0};
    char piece[65536];
    size_t got;
    bool zeros = false;
    while ((got = fread(piece, 1, sizeof piece, file)) > 0)
    {
        zeros = zeros || memchr(piece, 0, got) != NULL;
        text_put(&text, piece, got);
        const bool binary = zeros && text.size > STREAM_TEXT && what != EXPECT_NAMES &&
                            !(what == EXPECT_MOTION && is_binary_format(text.data, text.size));
        if (!text.failed && !binary && text.size <= STREAM_MOST) continue;
        const bool memory = text.failed;
        text_free(&text);
        if (memory) return cli_fail(EXIT_MEMORY, "%s: out of memory while reading", name);
        if (binary)
            return cli_fail(EXIT_READ, "%s: holds zero bytes, so it is no text%s", name,
                            what == EXPECT_MOTION ? ", and it is neither GLB nor FBX; give a motion file" : "");
        return cli_fail(EXIT_MEMORY, "%s: more than 1 GiB from a pipe or device; write it to a file first", name);
    }
    if (ferror(file))
    {
        const int reason = errno;
        text_free(&text);
        return cli_fail(EXIT_READ, "%s: cannot read: %s", name, strerror(reason));
    }
    if (text.data == NULL) text_put(&text, "", 0);
    if (text.data == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    *bytes = text.data;
    *size = text.size;
    return EXIT_DONE;
}

static bool is_stream(const char* path)
{
    struct stat status;
    return strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

static int read_any_stream(const char* path, expected what, void** bytes, size_t* size)
{
    if (strcmp(path, "-") == 0) return read_stream(stdin, "standard input", what, bytes, size);
    FILE* file = fopen(path, "rb");
    if (file == NULL) return cli_fail(EXIT_READ, "%s: cannot open: %s", path, strerror(errno));
    const int code = read_stream(file, path, what, bytes, size);
    fclose(file);
    return code;
}

int cli_read_bytes(const char* path, void** bytes, size_t* size)
{
    if (is_stream(path)) return read_any_stream(path, EXPECT_TEXT, bytes, size);
    sft_error error = {0};
    const size_t most = sft_default_bvh_read_def().max_bytes;
    const sft_result result = sft_file_read(path, most, NULL, bytes, size, &error);
    return result == SFT_OK ? EXIT_DONE : cli_fail_error(path, result, &error);
}

int cli_read_names(void** bytes, size_t* size)
{
    return read_any_stream("-", EXPECT_NAMES, bytes, size);
}

static int fail_write(const char* path, sft_result result, const sft_error* error)
{
    const int code = result == SFT_ERR_IO ? EXIT_WRITE : EXIT_MEMORY;
    // The message names the path.
    if (error->message[0] != '\0') return cli_fail(code, "%s", error->message);
    return cli_fail(code, "%s: %s", path, sft_result_string(result));
}

static int to_stdout(const void* bytes, size_t size)
{
    if (fwrite(bytes, 1, size, stdout) == size) return EXIT_DONE;
    return cli_fail(EXIT_WRITE, "standard output: %s", strerror(errno));
}

static int flush_stdout(void)
{
    return fflush(stdout) == 0 ? EXIT_DONE : cli_fail(EXIT_WRITE, "standard output: %s", strerror(errno));
}

// ---- a file is written whole or not at all ----

#ifdef SIG_BLOCK
typedef sigset_t held_signals;

static bool is_a_file(const char* path)
{
    struct stat s;
    return stat(path, &s) != 0 || S_ISREG(s.st_mode);
}

// Who asks the program to end while a file is written waits until it has its name, so that no temporary file is left
// beside it. A pipe, whose reader may never come, is not waited for.
static void hold_signals(const char* path, held_signals* before)
{
    sigset_t asked;
    sigemptyset(&asked);
    if (is_a_file(path))
    {
        sigaddset(&asked, SIGTERM);
        sigaddset(&asked, SIGINT);
        sigaddset(&asked, SIGHUP);
    }
    sigprocmask(SIG_BLOCK, &asked, before);
}

static void release_signals(const held_signals* before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
}
#else
typedef int held_signals;

static void hold_signals(const char* path, held_signals* before)
{
    (void)path;
    *before = 0;
}

static void release_signals(const held_signals* before)
{
    (void)before;
}
#endif

static bool sync_is_left;

void cli_leave_sync(void)
{
    sync_is_left = true;
}

static cli_text* noted;

void cli_note_written(cli_text* paths)
{
    noted = paths;
}

static int note(const char* path)
{
    if (noted != NULL) text_put(noted, path, strlen(path) + 1);
    return EXIT_DONE;
}

int cli_write_bytes(const char* path, const void* bytes, size_t size)
{
    if (strcmp(path, "-") == 0)
    {
        const int code = to_stdout(bytes, size);
        return code == EXIT_DONE ? flush_stdout() : code;
    }
    sft_error error = {0};
    held_signals before;
    hold_signals(path, &before);
    const sft_bytes all = {bytes, size};
    const sft_result result =
        sync_is_left ? sft_file_write_unsynced(path, &all, 1, &error) : sft_file_write_parts(path, &all, 1, &error);
    release_signals(&before);
    return result == SFT_OK ? note(path) : fail_write(path, result, &error);
}

// ---- documents ----

static int refuse_other_formats(const char* path)
{
    static const char* const other[] = {".c3d", ".dae", ".usd", ".usda", ".usdc", ".usdz", ".npz", ".blend"};
    const char* dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof other / sizeof other[0]; ++i)
    {
        size_t k = 0;
        while (dot[k] != '\0' && (dot[k] >= 'A' && dot[k] <= 'Z' ? dot[k] + 32 : dot[k]) == other[i][k])
            ++k;
        if (dot[k] == '\0' && other[i][k] == '\0')
            return cli_fail(EXIT_READ, "%s: %s files are not read; export the clip as BVH, glTF, GLB or FBX", path,
                            other[i]);
    }
    return EXIT_DONE;
}

static sft_io_format sniff_file(const char* path)
{
    char head[HEAD_SIZE];
    FILE* file = fopen(path, "rb");
    if (file == NULL) return SFT_IO_AUTO;
    const size_t size = fread(head, 1, sizeof head, file);
    fclose(file);
    return sft_io_sniff(head, size);
}

static int read_memory(const sft_io_read_def* def, const char* path, void* bytes, size_t size, sft_io_document** out)
{
    sft_io_read_def own = *def;
    own.keep_bytes = true;
    sft_error error = {0};
    const sft_result result = sft_io_read(&own, bytes, size, NULL, out, &error);
    return result == SFT_OK ? EXIT_DONE : cli_fail_error(path, result, &error);
}

static int read_from_stream(const sft_io_read_def* def, const char* path, sft_io_document** out, void** kept)
{
    void* bytes = NULL;
    size_t size = 0;
    int code = read_any_stream(path, EXPECT_MOTION, &bytes, &size);
    if (code == EXIT_DONE && sft_io_sniff(bytes, size) == SFT_IO_FBX)
    {
        void* glb = NULL;
        size_t glb_size = 0;
        code = cli_fbx_bytes_to_glb(strcmp(path, "-") == 0 ? "standard input" : path, bytes, size, &glb, &glb_size);
        free(bytes);
        bytes = glb;
        size = glb_size;
    }
    if (code == EXIT_DONE) code = read_memory(def, path, bytes, size, out);
    if (code == EXIT_DONE)
        *kept = bytes;
    else
        free(bytes);
    return code;
}

int cli_read_document(const cli_options* options, const char* path, sft_io_document** out, void** bytes)
{
    sft_io_read_def def = sft_default_io_read_def();
    def.positions = options->positions;
    *bytes = NULL;
    if (is_stream(path)) return read_from_stream(&def, path, out, bytes);
    const sft_io_format format = sniff_file(path);
    if (format == SFT_IO_FBX)
    {
        size_t size = 0;
        int code = cli_fbx_to_glb(path, bytes, &size);
        if (code == EXIT_DONE) code = read_memory(&def, path, *bytes, size, out);
        if (code == EXIT_DONE) return EXIT_DONE;
        free(*bytes);
        *bytes = NULL;
        return code;
    }
    if (format == SFT_IO_AUTO)
    {
        const int code = refuse_other_formats(path);
        if (code != EXIT_DONE) return code;
        // Bytes that say nothing: the name knows whose reader's complaint will help.
        const sft_io_format named = sft_io_format_of_name(path);
        def.format = named == SFT_IO_FBX ? SFT_IO_AUTO : named;
    }
    sft_error error = {0};
    const sft_result result = sft_io_read_file(&def, path, NULL, out, &error);
    return result == SFT_OK ? EXIT_DONE : cli_fail_error(path, result, &error);
}

sft_io_format cli_output_format(const char* path, const sft_io_document* document)
{
    const sft_io_format format = sft_io_format_of_name(path);
    return format != SFT_IO_AUTO ? format : sft_io_view(document)->format;
}

// Piece by piece, so that a large file is not held twice.
static int gltf_to_stdout(const sft_gltf* gltf, bool glb)
{
    sft_gltf_write_def def = sft_default_gltf_write_def();
    def.glb = glb;
    def.embed = !glb;
    sft_gltf_output* output = NULL;
    const sft_result result = sft_gltf_write(gltf, &def, NULL, &output);
    if (result != SFT_OK) return cli_fail(EXIT_MEMORY, "standard output: %s", sft_result_string(result));
    const sft_gltf_file* file = &output->files[output->file_count - 1];
    int code = EXIT_DONE;
    for (int32_t i = 0; i < file->part_count && code == EXIT_DONE; ++i)
        code = to_stdout(file->parts[i].data, file->parts[i].size);
    sft_gltf_output_destroy(output, NULL);
    return code == EXIT_DONE ? flush_stdout() : code;
}

int cli_write_document(const char* path, sft_io_document* document, bool embed)
{
    sft_error error = {0};
    if (strcmp(path, "-") == 0 && sft_io_gltf(document) != NULL)
        return gltf_to_stdout(sft_io_gltf(document), sft_io_view(document)->format == SFT_IO_GLB);
    if (strcmp(path, "-") == 0)
    {
        void* bytes = NULL;
        size_t size = 0;
        const sft_result result = sft_io_write(document, SFT_IO_AUTO, NULL, &bytes, &size, &error);
        if (result != SFT_OK) return fail_write(path, result, &error);
        const int code = cli_write_bytes(path, bytes, size);
        free(bytes);
        return code;
    }
    sft_io_write_def def = sft_default_io_write_def();
    def.embed = embed;
    def.unsynced = sync_is_left;
    held_signals before;
    hold_signals(path, &before);
    const sft_result result = sft_io_write_file(document, &def, path, &error);
    release_signals(&before);
    return result == SFT_OK ? note(path) : fail_write(path, result, &error);
}

static int check_resources_of(const char* command, const char* input, const sft_io_document* document,
                              const char* const* outputs, int output_count)
{
    const sft_io_contents* v = sft_io_view(document);
    const char* slash = strrchr(input, '/');
    const size_t folder = slash != NULL ? (size_t)(slash - input) + 1 : 0;
    for (int32_t i = 0; i < v->resource_count; ++i)
    {
        cli_text path = {0};
        text_put(&path, input, folder);
        text_str(&path, v->resources[i]);
        if (path.failed) return cli_fail(EXIT_MEMORY, "out of memory");
        int code = EXIT_DONE;
        for (int k = 0; k < output_count && code == EXIT_DONE; ++k)
            if (outputs[k] != NULL && cli_same_file(outputs[k], path.data))
                code = cli_fail(EXIT_USAGE, "%s: the output %s would replace %s, which %s needs; give it another name",
                                command, outputs[k], path.data, input);
        text_free(&path);
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}

int cli_check_resources(const char* command, const cli_options* options, const loaded* file, const char* const* outputs,
                        int output_count)
{
    const int code = check_resources_of(command, file->path, file->document, outputs, output_count);
    if (code != EXIT_DONE || file->character == NULL) return code;
    return check_resources_of(command, options->character, file->character, outputs, output_count);
}
