// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The output folder of a batch, and its manifest, which is also the lock of those who are at work there.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch_run.h"

#if BATCH_RUNS

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_TRIES 100 // 20 ms apart

int batch_make_folder(const char* path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0) return EXIT_DONE;
    if (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) return EXIT_DONE;
    return cli_fail(EXIT_WRITE, "%s: %s", path, errno == EEXIST ? "is a file, not a folder" : strerror(errno));
}

// A run that was killed may have left half a line, which counts as none.
static int cut_torn_line(int fd, const char* path)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char c = '\n';
    while (size > 0 && pread(fd, &c, 1, size - 1) == 1 && c != '\n')
        --size;
    if (ftruncate(fd, size) != 0) return cli_fail(EXIT_WRITE, "%s: %s", path, strerror(errno));
    return EXIT_DONE;
}

static bool is_held(const char* folder, const char* name)
{
    cli_text path = {0};
    text_fmt(&path, "%s/%s", folder, name);
    const int fd = path.failed ? -1 : open(path.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0) close(fd);
    text_free(&path);
    return held;
}

// Shards of one N have no clip in common; those of another N, and a run of all, may.
static bool others_at_work(const char* folder, const char* own, unsigned shards)
{
    char kin[48];
    snprintf(kin, sizeof kin, "-of-%u.jsonl", shards);
    DIR* entries = opendir(folder);
    bool found = false;
    for (struct dirent* e; entries != NULL && !found && (e = readdir(entries)) != NULL;)
    {
        if (!batch_is_manifest(e->d_name) || strcmp(e->d_name, own) == 0) continue;
        const size_t size = strlen(e->d_name);
        const bool kindred = shards > 1 && size > strlen(kin) && strcmp(e->d_name + size - strlen(kin), kin) == 0;
        found = !kindred && is_held(folder, e->d_name);
    }
    if (entries != NULL) closedir(entries);
    return found;
}

// Some file systems between machines have none; a shard of its own for each task is then what keeps runs apart.
static bool has_no_locks(int reason)
{
    return reason == ENOSYS || reason == ENOLCK || reason == EOPNOTSUPP || reason == EINVAL;
}

// Workers hold the lock too, so that it is free when the last of a run that was killed is gone, a moment after the run.
static int lock(const batch_settings* s, const char* folder, const batch_place* place)
{
    const char* own = strrchr(place->path.data, '/') + 1;
    // Two that wait for one another are not to do so in step.
    const struct timespec pause = {0, 20000000 + 1000000 * (long)(getpid() % 16)};
    for (int tries = 0;; ++tries)
    {
        const bool ours = flock(place->manifest, LOCK_EX | LOCK_NB) == 0;
        if (!ours && has_no_locks(errno))
        {
            cli_warn("%s: this file system has no locks; see to it that no other run is at work here", folder);
            return 0;
        }
        if (!ours && errno != EWOULDBLOCK && errno != EINTR) return -1;
        if (ours && !others_at_work(folder, own, s->shards)) return 0;
        if (ours) flock(place->manifest, LOCK_UN);
        errno = EWOULDBLOCK;
        if (!s->wait && tries >= LOCK_TRIES) return -1;
        nanosleep(&pause, NULL);
    }
}

static int open_manifest(const batch_settings* s, const char* folder, batch_place* place)
{
    text_fmt(&place->path, "%s/manifest", folder);
    if (s->shards > 1) text_fmt(&place->path, "-%u-of-%u", s->shard, s->shards);
    text_str(&place->path, ".jsonl");
    if (place->path.failed) return cli_fail(EXIT_MEMORY, "out of memory");
    const char* path = place->path.data;
    struct stat status;
    // Above the three that every program has: where standard output is closed, words would be written into it.
    const int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    place->manifest = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
    const int reason = errno;
    if (fd >= 0) close(fd);
    if (place->manifest < 0) return cli_fail(EXIT_WRITE, "%s: %s", path, strerror(reason));
    if (fstat(place->manifest, &status) == 0 && !S_ISREG(status.st_mode))
        return cli_fail(EXIT_WRITE, "%s: a manifest is to be here, and this is no file", path);
    const int locked = lock(s, folder, place);
    if (locked != 0 && errno == EWOULDBLOCK)
        return cli_fail(EXIT_WRITE, "%s: another run is at work here; wait for it, or add --wait", folder);
    if (locked != 0) return cli_fail(EXIT_WRITE, "%s: %s", path, strerror(errno));
    return cut_torn_line(place->manifest, path);
}

int batch_open_place(const batch_settings* s, const char* folder, batch_place* out)
{
    *out = (batch_place){.manifest = -1};
    const int code = batch_make_folder(folder);
    return code == EXIT_DONE ? open_manifest(s, folder, out) : code;
}

void batch_close_place(batch_place* place)
{
    if (place->manifest >= 0) close(place->manifest);
    text_free(&place->path);
    *place = (batch_place){.manifest = -1};
}

#endif
