// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The child process that reads FBX, with programs in its place that crash, hang, flood and lie (fake_fbx.c).

#define _POSIX_C_SOURCE 200809L

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../cli/child.h"

static const child_limits plain = {(uint64_t)256 << 20, (uint64_t)1 << 20, 20, 20};

typedef struct outcome
{
    int code;
    cli_text output;
    char message[2048];
    double seconds;
} outcome;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const char* fake(void)
{
    const char* path = getenv("SFT_FAKE_FBX");
    assert_non_null(path);
    return path;
}

static outcome run(const char* how, child_limits limits)
{
    outcome o = {0};
    setenv("SUREFOOT_FAKE", how, 1);
    char path[] = "/tmp/surefoot-child-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    assert_int_equal(write(fd, "what went in", 12), 12);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    const double start = now();
    o.code = cli_run_child(fake(), fd, &limits, &o.output, o.message, sizeof o.message);
    o.seconds = now() - start;
    close(fd);
    if (o.code != EXIT_DONE)
    {
        text_free(&o.output);
        assert_true(o.message[0] != '\0' && strchr(o.message, '\n') == NULL);
    }
    return o;
}

static void assert_says(const outcome* o, const char* words)
{
    if (strstr(o->message, words) == NULL) fail_msg("'%s' does not say '%s'", o->message, words);
}

static void test_fbx_child__input_goes_in_and_output_comes_back(void** state)
{
    (void)state;
    outcome o = run("echo", plain);
    assert_int_equal(o.code, EXIT_DONE);
    assert_int_equal(o.output.size, 32);
    assert_memory_equal(o.output.data + 20, "what went in", 12);
    text_free(&o.output);
}

static void test_fbx_child__a_crash_is_told_with_its_signal(void** state)
{
    (void)state;
    outcome o = run("abort", plain);
    assert_int_equal(o.code, EXIT_READ);
    char words[80];
    snprintf(words, sizeof words, "stopped with signal %d on this file; nothing else was harmed", SIGABRT);
    assert_says(&o, words);
    assert_says(&o, "export it as GLB or BVH");
    o = run("overflow", plain);
    assert_int_equal(o.code, EXIT_READ);
    assert_says(&o, "FBX reader");
}

static void test_fbx_child__endless_loops_and_sleep_end(void** state)
{
    (void)state;
    child_limits limits = plain;
    limits.processor = 1;
    outcome o = run("loop", limits);
    assert_int_equal(o.code, EXIT_MEMORY);
    assert_says(&o, "not done after 1 s");
    limits = plain;
    limits.clock = 1;
    o = run("sleep", limits);
    assert_int_equal(o.code, EXIT_MEMORY);
    assert_says(&o, "not done after 1 s");
    assert_true(o.seconds < 10.0);
    o = run("close-and-sleep", limits);
    assert_int_equal(o.code, EXIT_MEMORY);
    assert_says(&o, "not done after 1 s");
}

static void test_fbx_child__endless_output_is_cut(void** state)
{
    (void)state;
    outcome o = run("flood", plain);
    assert_int_equal(o.code, EXIT_MEMORY);
    assert_says(&o, "more than 1 MiB");
    child_limits limits = plain;
    limits.processor = 1;
    limits.clock = 3;
    o = run("flood-errors", limits);
    assert_int_equal(o.code, EXIT_MEMORY);
    assert_says(&o, "not done after");
}

static void test_fbx_child__memory_is_limited(void** state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    print_message("SKIP: an address sanitizer needs all addresses\n");
    return;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    print_message("SKIP: an address sanitizer needs all addresses\n");
    return;
#endif
#endif
    outcome o = run("memory", plain);
    assert_int_equal(o.code, EXIT_MEMORY);
    assert_says(&o, "out of memory (the FBX reader may use 256 MiB");
}

static void test_fbx_child__refusals_give_their_first_line(void** state)
{
    (void)state;
    outcome o = run("refuse", plain);
    assert_int_equal(o.code, EXIT_READ);
    assert_says(&o, "line 12: a brace is missing");
    assert_null(strstr(o.message, "second line"));
    assert_null(strchr(o.message, '\xff'));
    o = run("silent", plain);
    assert_int_equal(o.code, EXIT_READ);
    assert_says(&o, "code 3");
    o = run("odd", plain);
    assert_int_equal(o.code, EXIT_READ);
    assert_says(&o, "code 77");
}

static void test_fbx_child__short_output_is_no_glb(void** state)
{
    (void)state;
    outcome o = run("close", plain);
    assert_int_equal(o.code, EXIT_READ);
    assert_says(&o, "gave no GLB");
}

static void test_fbx_child__what_it_started_ends_with_it(void** state)
{
    (void)state;
    outcome o = run("leave-one-behind", plain);
    assert_int_equal(o.code, EXIT_READ);
    const pid_t other = (pid_t)atoi(o.message);
    assert_true(other > 1);
    // Gone, or waiting for its new parent to notice.
    bool gone = false;
    for (int tries = 0; tries < 200 && !gone; ++tries)
    {
        char path[64], state_of[256] = {0};
        snprintf(path, sizeof path, "/proc/%d/stat", (int)other);
        FILE* file = fopen(path, "r");
        gone = kill(other, 0) != 0 && errno == ESRCH;
        if (file != NULL && fgets(state_of, sizeof state_of, file) != NULL && strstr(state_of, ") Z") != NULL)
            gone = true;
        if (file != NULL) fclose(file);
        if (!gone) nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    assert_true(gone);
}

static void test_fbx_child__only_three_files_are_passed_on(void** state)
{
    (void)state;
    int extra[20];
    for (int i = 0; i < 20; ++i)
        extra[i] = open("/dev/null", O_RDONLY);
    outcome o = run("files", plain);
    for (int i = 0; i < 20; ++i)
        close(extra[i]);
    assert_int_equal(o.code, EXIT_READ);
    assert_says(&o, "3 files");
}

static void test_fbx_child__a_missing_program_is_told(void** state)
{
    (void)state;
    char message[256];
    cli_text output = {0};
    const int fd = open("/dev/null", O_RDONLY);
    assert_int_equal(cli_run_child("/nowhere/at/all", fd, &plain, &output, message, sizeof message), EXIT_READ);
    assert_non_null(strstr(message, "could not be started"));
    close(fd);
    text_free(&output);
}

static void test_fbx_child__files_bytes_and_folders(void** state)
{
    (void)state;
    setenv("SUREFOOT_FAKE", "echo", 1);
    setenv("SUREFOOT_FBX", fake(), 1);
    void* bytes = NULL;
    size_t size = 0;
    const size_t large = ((size_t)5 << 20) + 3;
    char* in = malloc(large);
    assert_non_null(in);
    for (size_t i = 0; i < large; ++i)
        in[i] = (char)(i * 7 % 251);
    assert_int_equal(cli_fbx_bytes_to_glb("some bytes", in, large, &bytes, &size), EXIT_DONE);
    assert_int_equal(size, large + 20);
    assert_memory_equal((const char*)bytes + 20, in, large);
    free(bytes);
    free(in);
    bytes = NULL;
    assert_int_equal(cli_fbx_to_glb(fake(), &bytes, &size), EXIT_DONE);
    free(bytes);
    bytes = NULL;
    assert_int_equal(cli_fbx_to_glb("/tmp", &bytes, &size), EXIT_READ);
    assert_int_equal(cli_fbx_to_glb("/nowhere/at/all.fbx", &bytes, &size), EXIT_READ);
    setenv("SUREFOOT_FBX", "/nowhere/at/all", 1);
    assert_int_equal(cli_fbx_to_glb(fake(), &bytes, &size), EXIT_READ);
    assert_null(bytes);
    unsetenv("SUREFOOT_FBX");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fbx_child__input_goes_in_and_output_comes_back),
        cmocka_unit_test(test_fbx_child__a_crash_is_told_with_its_signal),
        cmocka_unit_test(test_fbx_child__endless_loops_and_sleep_end),
        cmocka_unit_test(test_fbx_child__endless_output_is_cut),
        cmocka_unit_test(test_fbx_child__memory_is_limited),
        cmocka_unit_test(test_fbx_child__refusals_give_their_first_line),
        cmocka_unit_test(test_fbx_child__short_output_is_no_glb),
        cmocka_unit_test(test_fbx_child__what_it_started_ends_with_it),
        cmocka_unit_test(test_fbx_child__only_three_files_are_passed_on),
        cmocka_unit_test(test_fbx_child__a_missing_program_is_told),
        cmocka_unit_test(test_fbx_child__files_bytes_and_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
