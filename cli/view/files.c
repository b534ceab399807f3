// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What `surefoot view` gives out: the studio's files, those named on the command line, and what a glTF names beside it.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "view.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Of the studio's folder; it has some 40 files, and samples below it.
#define DEPTH_MOST 4
#define STUDIO_MOST ((size_t)2000)

void view_free(view_files* files)
{
    for (size_t i = 0; i < files->count; ++i)
    {
        free(files->files[i].address);
        free(files->files[i].path);
    }
    free(files->files);
    *files = (view_files){0};
}

const view_file* view_find(const view_files* files, const char* address)
{
    for (size_t i = 0; i < files->count; ++i)
        if (strcmp(files->files[i].address, address) == 0) return &files->files[i];
    return NULL;
}

const char* view_content_type(const char* address)
{
    static const struct
    {
        const char* ending;
        const char* type;
    } types[] = {{".html", "text/html; charset=utf-8"},
                 {".js", "text/javascript; charset=utf-8"},
                 {".css", "text/css; charset=utf-8"},
                 {".wasm", "application/wasm"},
                 {".json", "application/json"},
                 {".svg", "image/svg+xml"},
                 {".png", "image/png"},
                 {".jpg", "image/jpeg"},
                 {".jpeg", "image/jpeg"},
                 {".glb", "model/gltf-binary"},
                 {".gltf", "model/gltf+json"}};
    const char* dot = strrchr(address, '.');
    for (size_t i = 0; dot != NULL && i < sizeof types / sizeof types[0]; ++i)
        if (strcmp(dot, types[i].ending) == 0) return types[i].type;
    return "application/octet-stream";
}

void view_put_encoded(cli_text* out, const char* text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    for (const char* p = text; *p != '\0'; ++p)
        if (strchr(plain, *p) != NULL)
            text_put(out, p, 1);
        else
            text_fmt(out, "%%%02X", (unsigned)(unsigned char)*p);
}

static char* joined(const char* a, const char* between, const char* b)
{
    cli_text text = {0};
    text_str(&text, a);
    text_str(&text, between);
    text_str(&text, b);
    if (!text.failed) return text.data;
    text_free(&text);
    return NULL;
}

static int no_memory(void)
{
    return cli_fail(EXIT_MEMORY, "out of memory");
}

// Takes over both; null ones are a lack of memory.
static int add(view_files* files, char* address, char* path)
{
    if (address != NULL && path != NULL && files->count == files->capacity)
    {
        const size_t capacity = files->capacity > 0 ? 2 * files->capacity : 64;
        view_file* grown = realloc(files->files, capacity * sizeof *grown);
        if (grown != NULL)
        {
            files->files = grown;
            files->capacity = capacity;
        }
    }
    if (address == NULL || path == NULL || files->count == files->capacity)
    {
        free(address);
        free(path);
        return no_memory();
    }
    files->files[files->count++] = (view_file){address, path};
    return EXIT_DONE;
}

// ---- the studio ----

static bool is_studio(const char* folder)
{
    static const char* const needed[] = {"index.html", "surefoot.wasm"};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; ++i)
    {
        char* path = joined(folder, "/", needed[i]);
        struct stat status;
        const bool there = path != NULL && stat(path, &status) == 0 && S_ISREG(status.st_mode);
        free(path);
        if (!there) return false;
    }
    return true;
}

int view_find_studio(const char* given, char** folder)
{
    if (given != NULL)
    {
        if (!is_studio(given))
            return cli_fail(EXIT_READ,
                            "%s: is not the studio's folder, which has index.html and surefoot.wasm; `make web` "
                            "builds it as build/web",
                            given);
        *folder = joined(given, "", "");
        return *folder != NULL ? EXIT_DONE : no_memory();
    }
    static const char* const places[] = {"../web", "../share/surefoot/studio"};
    cli_text self = {0};
    char* slash = cli_program_path(&self) ? strrchr(self.data, '/') : NULL;
    if (slash != NULL) *slash = '\0';
    char* path = NULL;
    bool lost = self.failed;
    for (size_t i = 0; slash != NULL && path == NULL && !lost && i < sizeof places / sizeof places[0]; ++i)
    {
        path = joined(self.data, "/", places[i]);
        lost = path == NULL;
        if (lost || is_studio(path)) continue;
        free(path);
        path = NULL;
    }
    text_free(&self);
    *folder = path;
    if (path != NULL) return EXIT_DONE;
    if (lost) return no_memory();
    return cli_fail(EXIT_READ, "view: the studio's files are not where this program looks for them (../web and "
                               "../share/surefoot/studio from its own folder); build them with `make web`, or name "
                               "their folder with --studio");
}

static int add_folder(view_files* files, const char* folder, const char* below, int depth)
{
    DIR* entries = opendir(folder);
    if (entries == NULL) return cli_fail(EXIT_READ, "%s: %s", folder, strerror(errno));
    int code = EXIT_DONE;
    const struct dirent* entry;
    while (code == EXIT_DONE && (entry = readdir(entries)) != NULL)
    {
        if (entry->d_name[0] == '.') continue;
        char* path = joined(folder, "/", entry->d_name);
        char* address = below[0] != '\0' ? joined(below, "/", entry->d_name) : joined(entry->d_name, "", "");
        struct stat status;
        const bool there = path != NULL && address != NULL && stat(path, &status) == 0;
        if (path == NULL || address == NULL)
            code = no_memory();
        else if (there && S_ISREG(status.st_mode))
        {
            if (files->count >= STUDIO_MOST)
                code = cli_fail(EXIT_MEMORY, "%s: has more files than a studio; name its folder with --studio", folder);
            else
            {
                code = add(files, address, path);
                address = path = NULL;
            }
        }
        else if (there && S_ISDIR(status.st_mode) && depth < DEPTH_MOST)
            code = add_folder(files, path, address, depth + 1);
        free(path);
        free(address);
    }
    closedir(entries);
    return code;
}

int view_add_studio(view_files* files, const char* folder)
{
    return add_folder(files, folder, "", 0);
}

// ---- clips ----

// A resource's real place must be in or below the folder of the file that names it, as for all commands.
static char* real_below(const char* folder, const char* resource)
{
    char* wanted = joined(folder, "/", resource);
    char* top = realpath(folder, NULL);
    char* real = wanted != NULL ? realpath(wanted, NULL) : NULL;
    const size_t length = top != NULL ? strlen(top) : 0;
    struct stat status;
    const bool good = top != NULL && real != NULL && strncmp(real, top, length) == 0 &&
                      (real[length] == '/' || strcmp(top, "/") == 0) && stat(real, &status) == 0 &&
                      S_ISREG(status.st_mode);
    free(wanted);
    free(top);
    if (good) return real;
    free(real);
    return NULL;
}

static int add_resources(view_files* files, const char* path, const char* below)
{
    sft_io_read_def def = sft_default_io_read_def();
    sft_io_document* document = NULL;
    sft_error error = {0};
    // What cannot be read is shown all the same: the page says why.
    if (sft_io_read_file(&def, path, NULL, &document, &error) != SFT_OK) return EXIT_DONE;
    const sft_io_contents* v = sft_io_view(document);
    const char* slash = strrchr(path, '/');
    char* folder = slash == NULL ? joined(".", "", "") : joined(path, "", "");
    if (folder != NULL && slash != NULL) folder[slash == path ? 1 : slash - path] = '\0';
    int code = folder != NULL ? EXIT_DONE : no_memory();
    for (int32_t i = 0; i < v->resource_count && code == EXIT_DONE; ++i)
    {
        char* real = real_below(folder, v->resources[i]);
        char* address = joined(below, "/", v->resources[i]);
        if (real != NULL && address != NULL && view_find(files, address) == NULL)
        {
            code = add(files, address, real);
            real = address = NULL;
        }
        free(real);
        free(address);
    }
    free(folder);
    sft_io_destroy(document);
    return code;
}

int view_add_clip(view_files* files, const char* path, int number)
{
    struct stat status;
    if (strcmp(path, "-") == 0)
        return cli_fail(EXIT_USAGE, "view: standard input has no name to be opened by; write it to a file first");
    if (stat(path, &status) != 0) return cli_fail(EXIT_READ, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return cli_fail(EXIT_READ, "%s: is %s, not a file", path,
                        S_ISDIR(status.st_mode) ? "a folder" : "a device or pipe");
    if (access(path, R_OK) != 0) return cli_fail(EXIT_READ, "%s: %s", path, strerror(errno));
    char below[32];
    snprintf(below, sizeof below, "files/%d", number);
    const char* slash = strrchr(path, '/');
    const int code = add(files, joined(below, "/", slash != NULL ? slash + 1 : path), joined(path, "", ""));
    if (code != EXIT_DONE) return code;
    char head[4096];
    FILE* file = fopen(path, "rb");
    const size_t size = file != NULL ? fread(head, 1, sizeof head, file) : 0;
    if (file != NULL) fclose(file);
    const sft_io_format format = sft_io_sniff(head, size);
    return format == SFT_IO_GLTF || format == SFT_IO_GLB ? add_resources(files, path, below) : EXIT_DONE;
}
