// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Places in the file system: what lies inside a folder, and what is there already. A document must not make the program
// read what lies outside its folder, not even through a symbolic link that lies inside.

#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700
#endif

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "io/io.h"

#if defined(_WIN32)
#include <direct.h>
#include <windows.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

#define PATH_CAPACITY 4096

static bool join(const char* folder, const char* relative, char* out, size_t capacity)
{
    const size_t a = strlen(folder), b = strlen(relative);
    const bool slash = a > 0 && folder[a - 1] != '/';
    if (a + b + 2 > capacity) return false;
    sft_core_format(out, capacity, "%s%s%s", folder, slash ? "/" : "", relative);
    return true;
}

static sft_result outside(sft_error* error, const char* path)
{
    return sft_core_fail(error, SFT_ERR_IO, 0, 0, NULL,
                         "%s: lies outside the document's folder, through a link; copy the file beside the document",
                         path);
}

static sft_result no_file(sft_error* error, const char* path)
{
    return sft_core_fail(error, SFT_ERR_IO, 0, 0, NULL, "%s: is no regular file", path);
}

#if defined(_WIN32)

static FILE* open_wide(const char* path, const wchar_t* mode)
{
    wchar_t wide[1024];
    return sft_io_widen(path, wide, 1024) ? _wfopen(wide, mode) : NULL;
}

bool sft_place_exists(const char* path)
{
    wchar_t wide[1024];
    return sft_io_widen(path, wide, 1024) && GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES;
}

static int make_folder(const char* path)
{
    wchar_t wide[1024];
    if (!sft_io_widen(path, wide, 1024)) return ENAMETOOLONG;
    return _wmkdir(wide) == 0 || errno == EEXIST ? 0 : errno;
}

static FILE* open_to_compare(const char* path)
{
    return open_wide(path, L"rb");
}

// Final path of what is behind a name, links followed; its length, 0 where it is not there.
static DWORD final_path(const char* path, bool folder, wchar_t* out, DWORD capacity)
{
    wchar_t wide[1024];
    if (!sft_io_widen(path, wide, 1024)) return 0;
    const HANDLE file = CreateFileW(wide, FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING,
                                    folder ? FILE_FLAG_BACKUP_SEMANTICS : FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE) return 0;
    const DWORD length = GetFinalPathNameByHandleW(file, out, capacity, FILE_NAME_NORMALIZED);
    CloseHandle(file);
    return length < capacity ? length : 0;
}

static FILE* open_inside(const char* folder, const char* relative, const char* path, sft_error* error,
                         sft_result* result)
{
    wchar_t root[2048], real[2048];
    (void)relative;
    const DWORD a = final_path(folder[0] != '\0' ? folder : ".", true, root, 2048);
    const DWORD b = final_path(path, false, real, 2048);
    FILE* file = NULL;
    if (a == 0 || b == 0)
        *result = sft_io_fail(error, path, "cannot open", ENOENT);
    else if (b <= a || wcsncmp(root, real, a) != 0 || (real[a] != L'\\' && root[a - 1] != L'\\'))
        *result = outside(error, path);
    else
    {
        // The path that was judged is the one that is opened.
        file = _wfopen(real, L"rb");
        if (file == NULL) *result = no_file(error, path);
    }
    return file;
}

#else

bool sft_place_exists(const char* path)
{
    struct stat status;
    return lstat(path, &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

static int make_folder(const char* path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : errno;
}

static FILE* open_to_compare(const char* path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;
}

// Where `path` really is, as a path below the real place of `folder`: into out. 0, a code of errno, or -1: outside.
static int real_relative(const char* folder, const char* relative, const char* path, char* out, size_t capacity)
{
#if defined(__wasi__)
    // No links are followed at all below, so the path is what it says.
    (void)folder;
    (void)path;
    if (strlen(relative) >= capacity) return ENAMETOOLONG;
    memcpy(out, relative, strlen(relative) + 1);
    return 0;
#else
    (void)relative;
    char* root = realpath(folder[0] != '\0' ? folder : ".", NULL);
    char* real = root != NULL ? realpath(path, NULL) : NULL;
    int code = root == NULL || real == NULL ? (errno != 0 ? errno : ENOENT) : 0;
    if (code == 0)
    {
        const size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
        if (strncmp(root, real, length) != 0 || real[length] != '/')
            code = -1;
        else if (strlen(real + length + 1) >= capacity)
            code = ENAMETOOLONG;
        else
            memcpy(out, real + length + 1, strlen(real + length + 1) + 1);
    }
    free(root);
    free(real);
    return code;
#endif
}

// Opens step by step and follows no link, so that nothing that changes meanwhile leads elsewhere.
static int open_steps(const char* folder, char* relative)
{
    int at = open(folder[0] != '\0' ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (char* name = relative; at >= 0;)
    {
        char* slash = strchr(name, '/');
        if (slash != NULL) *slash = '\0';
        const int flags = slash != NULL ? O_DIRECTORY : O_NONBLOCK; // a pipe must not make us wait
        const int next = openat(at, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | flags);
        const int code = errno;
        close(at);
        errno = code;
        at = next;
        if (slash == NULL) break;
        name = slash + 1;
    }
    return at;
}

static FILE* open_inside(const char* folder, const char* relative, const char* path, sft_error* error,
                         sft_result* result)
{
    char steps[PATH_CAPACITY];
    errno = 0;
    const int code = real_relative(folder, relative, path, steps, sizeof steps);
    if (code != 0)
    {
        *result = code < 0 ? outside(error, path) : sft_io_fail(error, path, "cannot open", code);
        return NULL;
    }
    const int fd = open_steps(folder, steps);
    struct stat status;
    FILE* file = NULL;
    if (fd < 0)
        *result = sft_io_fail(error, path, "cannot open", errno);
    else if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        *result = no_file(error, path);
    else
    {
        file = fdopen(fd, "rb");
        if (file == NULL) *result = sft_io_fail(error, path, "cannot open", errno);
    }
    if (file == NULL && fd >= 0) close(fd);
    return file;
}

#endif

sft_result sft_place_read_inside(const char* folder, const char* relative, size_t max_bytes,
                                 const sft_allocator* allocator, void** bytes, size_t* size, sft_error* error)
{
    char path[PATH_CAPACITY];
    if (!join(folder, relative, path, sizeof path)) return sft_io_fail(error, relative, "cannot open", ENAMETOOLONG);
    sft_result result = SFT_OK;
    FILE* file = open_inside(folder, relative, path, error, &result);
    if (file == NULL) return result;
    result = sft_io_read_stream(file, path, max_bytes, allocator, bytes, size, error);
    fclose(file);
    return result;
}

bool sft_place_holds(const char* path, const sft_bytes* parts, int32_t part_count)
{
    FILE* file = open_to_compare(path);
    bool same = file != NULL;
    char piece[16384];
    for (int32_t i = 0; same && i < part_count; ++i)
        for (size_t at = 0; same && at < parts[i].size;)
        {
            const size_t want = parts[i].size - at < sizeof piece ? parts[i].size - at : sizeof piece;
            same = fread(piece, 1, want, file) == want && memcmp(piece, (const char*)parts[i].data + at, want) == 0;
            at += want;
        }
    same = same && fread(piece, 1, 1, file) == 0 && !ferror(file);
    if (file != NULL) fclose(file);
    return same;
}

sft_result sft_place_make_folders(const char* path, size_t from, sft_error* error)
{
    char folder[PATH_CAPACITY];
    if (strlen(path) >= sizeof folder) return sft_io_fail(error, path, "cannot write", ENAMETOOLONG);
    for (const char* slash = strchr(path + from, '/'); slash != NULL; slash = strchr(slash + 1, '/'))
    {
        if (slash == path) continue;
        memcpy(folder, path, (size_t)(slash - path));
        folder[slash - path] = '\0';
        const int code = sft_place_exists(folder) ? 0 : make_folder(folder);
        if (code != 0) return sft_io_fail(error, folder, "cannot make this folder", code);
    }
    return SFT_OK;
}
