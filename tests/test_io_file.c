// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Whole files: what is there afterwards, and what is not.

#define _GNU_SOURCE

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "support/support.h"

static char folder[64];

static int make_folder(void** state)
{
    (void)state;
    strcpy(folder, "/tmp/sft_test_file_XXXXXX");
    return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int remove_folder(void** state)
{
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", folder, folder);
    return chdir("/") != 0 || system(command) != 0;
}

static int files_here(void)
{
    DIR* dir = opendir(".");
    int count = 0;
    for (struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir))
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void write_ok(const char* path, const char* text)
{
    sft_error error;
    if (sft_file_write(path, text, strlen(text), &error) != SFT_OK) fail_msg("%s", error.message);
}

static void assert_holds(const char* path, const char* text)
{
    void* bytes = NULL;
    size_t size = 0;
    sft_error error;
    if (sft_file_read(path, 1000, NULL, &bytes, &size, &error) != SFT_OK) fail_msg("%s", error.message);
    assert_int_equal(size, strlen(text));
    assert_string_equal((char*)bytes, text); // a zero follows
    free(bytes);
}

static void test_io_file__writes_and_reads_back(void** state)
{
    (void)state;
    write_ok("plain.bvh", "one");
    assert_holds("plain.bvh", "one");
    write_ok("plain.bvh", "two, longer");
    assert_holds("plain.bvh", "two, longer");
    write_ok("empty", "");
    assert_holds("empty", "");
    assert_int_equal(files_here(), 2); // no temporary is left
    char absolute[128];
    snprintf(absolute, sizeof absolute, "%s/n\xc3\xa9 w.bvh", folder);
    write_ok(absolute, "x");
    assert_holds(absolute, "x");
}

static void test_io_file__keeps_the_mode(void** state)
{
    (void)state;
    struct stat info;
    write_ok("mode", "a");
    assert_int_equal(chmod("mode", 0640), 0);
    write_ok("mode", "b");
    assert_int_equal(stat("mode", &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    // A new file gets what the user's umask leaves.
    const mode_t old = umask(027);
    write_ok("fresh", "a");
    umask(old);
    assert_int_equal(stat("fresh", &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
}

static void test_io_file__a_link_stays_a_link(void** state)
{
    (void)state;
    write_ok("target", "old");
    assert_int_equal(symlink("target", "link"), 0);
    write_ok("link", "new");
    struct stat info;
    assert_int_equal(lstat("link", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_holds("target", "new");
}

static void test_io_file__refuses_with_a_reason(void** state)
{
    (void)state;
    sft_error error;
    void* bytes = NULL;
    size_t size = 7;
    assert_int_equal(mkdir("dir", 0755), 0);
    assert_int_equal(sft_file_write("dir", "x", 1, &error), SFT_ERR_IO);
    assert_non_null(strstr(error.message, "folder"));
    assert_int_equal(sft_file_write("missing/file", "x", 1, &error), SFT_ERR_IO);
    assert_non_null(strstr(error.message, "no such"));
    assert_int_equal(sft_file_read("absent", 1000, NULL, &bytes, &size, &error), SFT_ERR_IO);
    assert_non_null(strstr(error.message, "absent"));
    assert_int_equal(sft_file_read("dir", 1000, NULL, &bytes, &size, &error), SFT_ERR_IO);
    write_ok("ten", "0123456789");
    assert_int_equal(sft_file_read("ten", 9, NULL, &bytes, &size, &error), SFT_ERR_LIMIT);
    assert_null(bytes);
    assert_int_equal(size, 7);
    assert_int_equal(sft_file_read("ten", 10, NULL, &bytes, &size, &error), SFT_OK);
    free(bytes);
    assert_int_equal(sft_file_write(NULL, "x", 1, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_file_read("ten", 10, NULL, NULL, &size, NULL), SFT_ERR_ARG);
}

// A write that fails half way leaves the good file, and nothing beside it.
static void test_io_file__failure_leaves_the_old_file(void** state)
{
    (void)state;
    write_ok("good", "precious");
    const int before = files_here();
    struct rlimit old, small = {100, 100};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    char* large = calloc(1, 100000);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    sft_error error;
    const sft_result result = sft_file_write("good", large, 100000, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, handler);
    free(large);
    assert_int_equal(result, SFT_ERR_IO);
    assert_holds("good", "precious");
    assert_int_equal(files_here(), before);
}

// Killed by the kernel in the middle of writing: the old file is there, and nothing beside it.
static void test_io_file__a_killed_writer_leaves_nothing(void** state)
{
    (void)state;
    const int unnamed = open(".", O_TMPFILE | O_WRONLY, 0600);
    if (unnamed < 0)
    {
        print_message("SKIP: this file system has no files without names\n");
        return;
    }
    close(unnamed);
    write_ok("killed", "precious");
    const int before = files_here();
    const pid_t child = fork();
    if (child == 0)
    {
        const struct rlimit small = {1000, 1000}, none = {0, 0};
        char* large = calloc(100000, 1);
        signal(SIGXFSZ, SIG_DFL);
        if (large == NULL || setrlimit(RLIMIT_CORE, &none) != 0 || setrlimit(RLIMIT_FSIZE, &small) != 0) _exit(3);
        sft_file_write("killed", large, 100000, NULL);
        _exit(4);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
    assert_holds("killed", "precious");
    assert_int_equal(files_here(), before);
}

static void test_io_file__a_foreign_temporary_is_not_touched(void** state)
{
    (void)state;
    write_ok("busy.tmp0", "somebody else's");
    write_ok("busy", "mine");
    assert_holds("busy", "mine");
    assert_holds("busy.tmp0", "somebody else's");
}

static void test_io_file__names_may_be_as_long_as_the_file_system_takes(void** state)
{
    (void)state;
    // "\xC3\xA9" is one character of two bytes: cut in it, the temporary name would be no UTF-8.
    for (int odd = 0; odd < 2; ++odd)
    {
        char name[256] = "x";
        for (size_t size = (size_t)odd; size + 2 <= 255; size += 2)
            strcpy(name + size, "\xC3\xA9");
        assert_in_range(strlen(name), 254, 255);
        write_ok(name, "long");
        write_ok(name, "longer");
        assert_holds(name, "longer");
        assert_int_equal(unlink(name), 0);
    }
}

static void test_io_file__pipes_are_written_straight(void** state)
{
    (void)state;
    sft_error error;
    assert_int_equal(sft_file_write("/dev/null", "x", 1, &error), SFT_OK);
    struct stat info;
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    // A file without a size: read in pieces.
    void* bytes = NULL;
    size_t size = 0;
    assert_int_equal(sft_file_read("/dev/zero", 300000, NULL, &bytes, &size, &error), SFT_ERR_LIMIT);
}

static void test_io_file__every_allocation_may_fail(void** state)
{
    (void)state;
    write_ok("alloc", "0123456789");
    support_heap heap = {.fail_at = 0};
    const sft_allocator allocator = support_allocator(&heap);
    void* bytes = NULL;
    size_t size = 0;
    assert_int_equal(sft_file_read("alloc", 100, &allocator, &bytes, &size, NULL), SFT_ERR_MEMORY);
    heap = (support_heap){.fail_at = -1};
    assert_int_equal(sft_file_read("alloc", 100, &allocator, &bytes, &size, NULL), SFT_OK);
    allocator.release(allocator.user, bytes, size + 1);
    assert_int_equal(heap.live_bytes, 0);
    assert_int_equal(heap.peak_bytes, 11); // the file once
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io_file__writes_and_reads_back),
        cmocka_unit_test(test_io_file__keeps_the_mode),
        cmocka_unit_test(test_io_file__a_link_stays_a_link),
        cmocka_unit_test(test_io_file__refuses_with_a_reason),
        cmocka_unit_test(test_io_file__failure_leaves_the_old_file),
        cmocka_unit_test(test_io_file__a_killed_writer_leaves_nothing),
        cmocka_unit_test(test_io_file__a_foreign_temporary_is_not_touched),
        cmocka_unit_test(test_io_file__names_may_be_as_long_as_the_file_system_takes),
        cmocka_unit_test(test_io_file__pipes_are_written_straight),
        cmocka_unit_test(test_io_file__every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
