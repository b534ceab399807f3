// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Whole files in and out. Messages come from a small table: strerror() speaks the host's language.

#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700
#endif
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // for O_TMPFILE
#endif

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "core/core.h"
#include "io/io.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

static const char* reason(int code)
{
    switch (code)
    {
    case ENOENT:
        return "there is no such file or folder";
    case EACCES:
    case EPERM:
        return "permission denied";
    case EISDIR:
        return "it is a folder";
    case ENOTDIR:
        return "a part of the path is no folder";
    case ENOSPC:
        return "the disk is full";
    case EROFS:
        return "the disk is read-only";
    case EEXIST:
        return "it exists already";
    case EMFILE:
    case ENFILE:
        return "too many open files";
    case ENAMETOOLONG:
        return "the name is too long";
    case EFBIG:
        return "the file would be too large";
    default:
        return "the system reports an error";
    }
}

sft_result sft_io_fail(sft_error* error, const char* path, const char* what, int code)
{
    return sft_core_fail(error, SFT_ERR_IO, 0, 0, NULL, "%s: %s: %s (code %d)", path, what, reason(code), code);
}

// ---- reading ----

#if defined(_WIN32)
// Paths are UTF-8 everywhere in this library.
bool sft_io_widen(const char* path, wchar_t* out, int capacity)
{
    return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, out, capacity) > 0;
}

static FILE* open_binary(const char* path, const wchar_t* mode)
{
    wchar_t wide[1024];
    return sft_io_widen(path, wide, 1024) ? _wfopen(wide, mode) : NULL;
}

static FILE* open_to_read(const char* path)
{
    return open_binary(path, L"rb");
}
#else
static FILE* open_to_read(const char* path)
{
    return fopen(path, "rb");
}
#endif

// Size if the file knows it; pipes do not, and some special files say 0.
static size_t size_hint(FILE* file, size_t max_bytes)
{
    if (fseek(file, 0, SEEK_END) != 0) return 0;
    const long end = ftell(file);
    // A folder opens for reading on some systems and claims the largest size; reading it then says what it is.
    if (fseek(file, 0, SEEK_SET) != 0 || end < 0 || end == LONG_MAX) return 0;
    return (unsigned long)end > max_bytes ? max_bytes : (size_t)end;
}

typedef struct buffer
{
    char* bytes;
    size_t size, capacity;
} buffer;

static bool grow(buffer* b, const sft_allocator* a, size_t capacity)
{
    char* bytes = a->allocate(a->user, capacity);
    if (bytes == NULL) return false;
    if (b->size > 0) memcpy(bytes, b->bytes, b->size);
    sft_core_free(a, b->bytes, b->capacity, 1);
    b->bytes = bytes;
    b->capacity = capacity;
    return true;
}

// The block ends with a zero behind the bytes, so b->capacity is always size + 1 in the end.
static sft_result read_all(FILE* file, const char* path, size_t max_bytes, const sft_allocator* a, buffer* b,
                           sft_error* error)
{
    if (!grow(b, a, size_hint(file, max_bytes) + 1))
        return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "%s: out of memory", path);
    for (;;)
    {
        errno = 0;
        b->size += fread(b->bytes + b->size, 1, b->capacity - 1 - b->size, file);
        char next;
        const size_t more = ferror(file) ? 0 : fread(&next, 1, 1, file);
        if (ferror(file)) return sft_io_fail(error, path, "cannot read", errno);
        if (more == 0) break;
        if (b->size >= max_bytes)
            return sft_core_fail(error, SFT_ERR_LIMIT, 0, 0, NULL, "%s: larger than the limit of %z bytes", path,
                                 max_bytes);
        if (b->capacity > SIZE_MAX / 2 - 65536 || !grow(b, a, b->capacity + b->capacity / 2 + 65536))
            return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "%s: out of memory", path);
        b->bytes[b->size++] = next;
    }
    if (b->capacity != b->size + 1 && !grow(b, a, b->size + 1))
        return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "%s: out of memory", path);
    b->bytes[b->size] = '\0';
    return SFT_OK;
}

sft_result sft_io_read_stream(FILE* file, const char* path, size_t max_bytes, const sft_allocator* allocator,
                              void** bytes, size_t* size, sft_error* error)
{
    buffer b = {NULL, 0, 0};
    const sft_result result = read_all(file, path, max_bytes, allocator, &b, error);
    if (result != SFT_OK)
    {
        sft_core_free(allocator, b.bytes, b.capacity, 1);
        return result;
    }
    *bytes = b.bytes;
    *size = b.size;
    return SFT_OK;
}

sft_result sft_file_read(const char* path, size_t max_bytes, const sft_allocator* allocator, void** bytes, size_t* size,
                         sft_error* error)
{
    if (path == NULL || bytes == NULL || size == NULL || max_bytes > SIZE_MAX / 2)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no path, no place for the bytes, or an absurd limit");
    const sft_allocator a = sft_core_allocator(allocator);
    errno = 0;
    FILE* file = open_to_read(path);
    if (file == NULL) return sft_io_fail(error, path, "cannot open", errno);
    const sft_result result = sft_io_read_stream(file, path, max_bytes, &a, bytes, size, error);
    fclose(file);
    return result;
}

// ---- writing ----

#define TEMPORARY_TRIES 100

// Bytes of a name that file systems take, less those of ".tmp99".
#define STEM_MOST (255 - 6)

static bool parts_folders(char c)
{
#if defined(_WIN32)
    if (c == '\\' || c == ':') return true;
#endif
    return c == '/';
}

// path.tmp0, path.tmp1, ...: beside the target, so that the rename stays on one file system. A name that is as long as
// it may be gives way at its end, between characters of UTF-8.
static bool temporary_name(char* out, size_t capacity, const char* path, int number)
{
    size_t size = strlen(path), stem = 0;
    while (stem < size && !parts_folders(path[size - 1 - stem]))
        ++stem;
    for (; stem > STEM_MOST || (stem > 1 && ((unsigned char)path[size] & 0xC0u) == 0x80u); --stem)
        --size;
    char ending[16];
    sft_core_format(ending, sizeof ending, ".tmp%d", number);
    if (size + sizeof ending > capacity) return false;
    memcpy(out, path, size);
    memcpy(out + size, ending, strlen(ending) + 1);
    return true;
}

static bool parts_fine(const sft_bytes* parts, int32_t part_count)
{
    bool fine = part_count >= 0 && (parts != NULL || part_count == 0);
    for (int32_t i = 0; fine && i < part_count; ++i)
        fine = parts[i].data != NULL || parts[i].size == 0;
    return fine;
}

#if defined(_WIN32)

static bool write_pieces(FILE* file, const sft_bytes* parts, int32_t part_count)
{
    for (int32_t i = 0; i < part_count; ++i)
        if (parts[i].size > 0 && fwrite(parts[i].data, 1, parts[i].size, file) != parts[i].size) return false;
    return true;
}

static sft_result write_file(const char* path, const sft_bytes* parts, int32_t part_count, bool sync, sft_error* error)
{
    if (path == NULL || !parts_fine(parts, part_count))
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no path or no bytes");
    char name[1024];
    wchar_t wide_path[1024], wide_name[1024];
    FILE* file = NULL;
    errno = 0;
    for (int n = 0; n < TEMPORARY_TRIES && file == NULL; ++n)
    {
        if (!temporary_name(name, sizeof name, path, n) || !sft_io_widen(path, wide_path, 1024) ||
            !sft_io_widen(name, wide_name, 1024))
            return sft_io_fail(error, path, "cannot write", ENAMETOOLONG);
        if (GetFileAttributesW(wide_name) == INVALID_FILE_ATTRIBUTES) file = _wfopen(wide_name, L"wb");
    }
    if (file == NULL) return sft_io_fail(error, path, "cannot write beside it", errno);
    const bool written = write_pieces(file, parts, part_count) && fflush(file) == 0;
    const int code = errno;
    const bool closed = fclose(file) == 0;
    const DWORD how = MOVEFILE_REPLACE_EXISTING | (sync ? MOVEFILE_WRITE_THROUGH : 0);
    if (written && closed && MoveFileExW(wide_name, wide_path, how)) return SFT_OK;
    DeleteFileW(wide_name);
    return sft_io_fail(error, path, "cannot write", written && closed ? EACCES : code);
}

#else

static bool write_bytes(int fd, const char* bytes, size_t size)
{
    while (size > 0)
    {
        // Some systems refuse more than 2 GiB at once.
        const size_t piece = size < ((size_t)1 << 30) ? size : (size_t)1 << 30;
        const ssize_t done = write(fd, bytes, piece);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

static bool write_pieces(int fd, const sft_bytes* parts, int32_t part_count)
{
    for (int32_t i = 0; i < part_count; ++i)
        if (!write_bytes(fd, parts[i].data, parts[i].size)) return false;
    return true;
}

// A link keeps pointing where it points: the file behind it is replaced. False where the path cannot be resolved.
static bool resolve(const char* path, char* out, size_t capacity)
{
#if !defined(__wasi__)
    char* real = realpath(path, NULL);
    if (real != NULL)
    {
        const bool fits = strlen(real) < capacity;
        if (fits) memcpy(out, real, strlen(real) + 1);
        free(real);
        return fits;
    }
    if (errno != ENOENT) return false;
        // A link to a file that is not there yet: writing through it would need its target's name; replace the link.
#endif
    if (strlen(path) >= capacity) return false;
    memcpy(out, path, strlen(path) + 1);
    return true;
}

// Pipes, terminals and devices cannot be renamed over: they get the bytes as they are.
static sft_result write_special(const char* path, const sft_bytes* parts, int32_t part_count, sft_error* error)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return sft_io_fail(error, path, "cannot open", errno);
    const bool written = write_pieces(fd, parts, part_count);
    const int code = errno;
    close(fd);
    return written ? SFT_OK : sft_io_fail(error, path, "cannot write", code);
}

/// What is to be written, and how.
typedef struct content
{
    const sft_bytes* parts;
    int32_t part_count;
    const struct stat* old; ///< of the file that is replaced; null where there is none
    bool sync;
} content;

static bool fill(int fd, const content* c)
{
    if (!write_pieces(fd, c->parts, c->part_count)) return false;
#if !defined(__wasi__)
    if (c->old != NULL && fchmod(fd, c->old->st_mode & 07777) != 0) return false;
#endif
    // Without this a power cut after the rename could leave an empty file under the good name.
    return !c->sync || fsync(fd) == 0;
}

#if defined(O_TMPFILE)

// A file without a name in the target's folder: whatever kills the process while it writes takes the file along. -1
// where the file system, or the system, has none.
static int open_unnamed(const char* path)
{
    char folder[4096];
    size_t size = strlen(path);
    while (size > 0 && path[size - 1] != '/')
        --size;
    if (size + 2 > sizeof folder) return -1;
    memcpy(folder, path, size);
    memcpy(folder + size, ".", 2);
    return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

// Gives it the temporary name under which it is then renamed, since a link does not replace. False where it cannot.
static bool name_unnamed(int fd, const char* path, char* name, size_t capacity)
{
    char self[40];
    sft_core_format(self, sizeof self, "/proc/self/fd/%d", fd);
    for (int n = 0; n < TEMPORARY_TRIES; ++n)
    {
        if (!temporary_name(name, capacity, path, n)) return false;
        if (linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) return true;
        if (errno != EEXIST) return false;
    }
    return false;
}

#endif

// The content in a file beside the target, under a name of its own. SFT_ERR_UNSUPPORTED: not to be had that way.
static sft_result fill_unnamed(const char* path, const content* c, char* name, size_t capacity, sft_error* error)
{
#if defined(O_TMPFILE)
    const int fd = open_unnamed(path);
    if (fd < 0) return SFT_ERR_UNSUPPORTED;
    const bool written = fill(fd, c);
    const int code = errno;
    const bool named = written && name_unnamed(fd, path, name, capacity);
    close(fd);
    if (!written) return sft_io_fail(error, path, "cannot write", code);
    return named ? SFT_OK : SFT_ERR_UNSUPPORTED;
#else
    (void)path;
    (void)c;
    (void)name;
    (void)capacity;
    (void)error;
    return SFT_ERR_UNSUPPORTED;
#endif
}

static sft_result write_beside(const char* path, const content* c, sft_error* error)
{
    char name[4096 + 16];
    int fd = -1;
    const sft_result unnamed = fill_unnamed(path, c, name, sizeof name, error);
    if (unnamed == SFT_OK && rename(name, path) == 0) return SFT_OK;
    if (unnamed == SFT_OK)
    {
        const int code = errno;
        unlink(name);
        return sft_io_fail(error, path, "cannot write", code);
    }
    if (unnamed != SFT_ERR_UNSUPPORTED) return unnamed;
    for (int n = 0; n < TEMPORARY_TRIES && fd < 0; ++n)
    {
        if (!temporary_name(name, sizeof name, path, n)) return sft_io_fail(error, path, "cannot write", ENAMETOOLONG);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    if (fd < 0) return sft_io_fail(error, path, "cannot make a temporary file beside it", errno);
    bool written = fill(fd, c);
    int code = errno;
    if (close(fd) != 0 && written)
    {
        written = false;
        code = errno;
    }
    if (written && rename(name, path) == 0) return SFT_OK;
    if (written) code = errno;
    unlink(name);
    return sft_io_fail(error, path, "cannot write", code);
}

static sft_result write_file(const char* path, const sft_bytes* parts, int32_t part_count, bool sync, sft_error* error)
{
    if (path == NULL || !parts_fine(parts, part_count))
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no path or no bytes");
    struct stat old;
    const bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) return sft_io_fail(error, path, "cannot write", EISDIR);
    if (exists && !S_ISREG(old.st_mode)) return write_special(path, parts, part_count, error);
    char target[4096];
    errno = 0;
    if (!resolve(path, target, sizeof target)) return sft_io_fail(error, path, "cannot write", errno);
    const content c = {parts, part_count, exists ? &old : NULL, sync};
    return write_beside(target, &c, error);
}

#endif

sft_result sft_file_write(const char* path, const void* bytes, size_t size, sft_error* error)
{
    const sft_bytes all = {bytes, size};
    return write_file(path, &all, 1, true, error);
}

sft_result sft_file_write_parts(const char* path, const sft_bytes* parts, int32_t part_count, sft_error* error)
{
    return write_file(path, parts, part_count, true, error);
}

sft_result sft_file_write_unsynced(const char* path, const sft_bytes* parts, int32_t part_count, sft_error* error)
{
    return write_file(path, parts, part_count, false, error);
}
