// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot-fbx IN.fbx|-: GLB on standard output. Errors are one line on standard error, without a prefix: `surefoot`,
// which runs this program, puts the file's name before it.

#include "fbx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MOST ((size_t)1 << 31) // assimp counts bytes in 32 bits

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(SANITIZED) || defined(__SANITIZE_ADDRESS__)
// assimp leaks a little on some files, which ends with the process; only this program's own leaks are of interest.
const char* __lsan_default_suppressions(void);
const char* __lsan_default_options(void);
const char* __lsan_default_options(void)
{
    return "print_suppressions=0";
}
const char* __lsan_default_suppressions(void)
{
    return "leak:libassimp\nleak:libstdc++\n";
}
#endif

static const char help[] =
    "surefoot-fbx: reads the skeletons and takes of an FBX file (7.1 and later, binary or text)\n"
    "\n"
    "usage: surefoot-fbx IN.fbx >OUT.glb      '-' is standard input\n"
    "\n"
    "Writes GLB to standard output: metres, Y up; nodes, skins and animations, no meshes. What the\n"
    "reader leaves out of the motion stands in asset.extras.surefoot.warnings.\n"
    "`surefoot` runs this program for files that end in .fbx.\n"
    "\n"
    "exit codes: 0 done, 2 wrong usage, 3 not readable, 4 not written, 5 out of memory\n";

static int fail(int code, const char* message)
{
    cli_put_safe(stderr, message);
    fputc('\n', stderr);
    return code;
}

static int read_all(FILE* file, cli_text* out)
{
    char piece[65536];
    size_t got;
    while ((got = fread(piece, 1, sizeof piece, file)) > 0)
    {
        text_put(out, piece, got);
        if (out->failed) return fail(EXIT_MEMORY, "out of memory while reading");
        if (out->size >= SIZE_MOST) return fail(EXIT_MEMORY, "2 GiB and more is too large");
    }
    if (ferror(file)) return fail(EXIT_READ, strerror(errno));
    return EXIT_DONE;
}

static bool has(const char* text, size_t size, const char* word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; ++i)
        if (memcmp(text + i, word, length) == 0) return true;
    return false;
}

// Whether it is FBX at all, of a version that can be read: assimp would try other formats.
static int check_head(const cli_text* in)
{
    char message[256];
    const uint32_t version = fbx_binary_version(in->data, in->size);
    if (version >= 7100 && version < 8000) return EXIT_DONE;
    if (version != 0)
    {
        snprintf(
            message, sizeof message,
            "byte 23: FBX version %u; 7100 to 7700 can be read (FBX 2011 and later). Export it anew, or as GLB or BVH",
            (unsigned)version);
        return fail(EXIT_READ, message);
    }
    if (in->size == 0) return fail(EXIT_READ, "the file is empty");
    const size_t head = in->size < 4096 ? in->size : 4096;
    if (memchr(in->data, 0, head) == NULL &&
        (has(in->data, head, "FBXHeaderExtension") || has(in->data, head, "; FBX")))
        return EXIT_DONE;
    return fail(EXIT_READ,
                "byte 0: this is no FBX file: neither 'Kaydara FBX Binary' nor 'FBXHeaderExtension' stands at "
                "its start");
}

static int convert(const cli_text* in)
{
    // What the records say is about as large as the file; arrays may be packed, and then grow.
    const uint64_t most = (uint64_t)in->size * 24 + ((uint64_t)64 << 20);
    fbx_arena arena = {.most = most < SIZE_MAX / 2 ? (size_t)most : SIZE_MAX / 2};
    fbx_scene scene = {.arena = &arena};
    const fbx_record* tree = fbx_tree(&arena, in->data, in->size, scene.place);
    if (tree != NULL) fbx_find_facts(&arena, tree, &scene.facts);
    // A scan that did not end well must not leave the scene without memory.
    arena.failed = false;
    arena.used = 0;
    char message[2048];
    int code = fbx_read_scene(&scene, in->data, in->size, message, sizeof message);
    cli_text out = {0};
    if (code == EXIT_DONE)
    {
        if (scene.facts.known)
            fbx_find_losses(&scene);
        else
            fbx_find_gaps(&scene);
        if (!fbx_write_glb(&scene, &out))
            code = fail(EXIT_MEMORY, "out of memory");
        else if (fwrite(out.data, 1, out.size, stdout) != out.size || fflush(stdout) != 0)
            code = fail(EXIT_WRITE, strerror(errno));
    }
    else
        fail(code, message);
    text_free(&out);
    fbx_close_scene(&scene);
    fbx_release(&arena);
    return code;
}

int main(int argc, char** argv)
{
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
    {
        fputs(help, stdout);
        return EXIT_DONE;
    }
    if (argc != 2 || (argv[1][0] == '-' && argv[1][1] != '\0'))
    {
        fputs(help, stderr);
        return EXIT_USAGE;
    }
    FILE* file = strcmp(argv[1], "-") == 0 ? stdin : fopen(argv[1], "rb");
    if (file == NULL) return fail(EXIT_READ, strerror(errno));
    cli_text in = {0};
    int code = read_all(file, &in);
    if (file != stdin) fclose(file);
    if (code == EXIT_DONE) code = check_head(&in);
    if (code == EXIT_DONE) code = convert(&in);
    text_free(&in);
    return code;
}
