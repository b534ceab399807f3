// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The face over the formats: what bytes are, documents of any format from memory and files, and what lies beside them.

#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "io/io.h"
#include "support/gltf_scene.h"
#include "sample/walker.h"
#include "support/support.h"

static const char small_bvh[] = "HIERARCHY\nROOT a\n{\n\tOFFSET 0 0 0\n\tCHANNELS 3 Zrotation Xrotation Yrotation\n"
                                "\tEnd Site\n\t{\n\t\tOFFSET 0 1 0\n\t}\n}\nMOTION\nFrames: 2\nFrame Time: 0.025\n"
                                "0 0 0\n10 0 0\n";

// ---- telling formats apart ----

static void test_io_face__tells_formats_by_their_first_bytes(void** state)
{
    (void)state;
    static const struct
    {
        const char* bytes;
        sft_io_format format;
    } cases[] = {{"glTF\2\0\0\0", SFT_IO_GLB},
                 {"{\"asset\":{}}", SFT_IO_GLTF},
                 {"\xEF\xBB\xBF \r\n{", SFT_IO_GLTF},
                 {"HIERARCHY", SFT_IO_BVH},
                 {"\n\t hierarchy\nROOT", SFT_IO_BVH},
                 {"\xEF\xBB\xBFHierarchy", SFT_IO_BVH},
                 {"Kaydara FBX Binary  \0\x1a", SFT_IO_FBX},
                 {"; FBX 7.5.0 project file\n", SFT_IO_FBX},
                 {"; a comment\nFBXHeaderExtension:  {", SFT_IO_FBX},
                 {"FBXHeaderExtension:  {", SFT_IO_FBX},
                 {"gltf", SFT_IO_AUTO},
                 {"HIERARCH", SFT_IO_AUTO},
                 {"Kaydara", SFT_IO_AUTO},
                 {"; something else", SFT_IO_AUTO},
                 {"[1, 2]", SFT_IO_AUTO},
                 {"\x89PNG\r\n", SFT_IO_AUTO},
                 {"", SFT_IO_AUTO}};
    for (size_t i = 0; i < SFT_COUNT_OF(cases); ++i)
        assert_int_equal(sft_io_sniff(cases[i].bytes, strlen(cases[i].bytes)), cases[i].format);
    assert_int_equal(sft_io_sniff(NULL, 0), SFT_IO_AUTO);
}

static void test_io_face__tells_formats_by_names(void** state)
{
    (void)state;
    assert_int_equal(sft_io_format_of_name("a/b.c/walk.bvh"), SFT_IO_BVH);
    assert_int_equal(sft_io_format_of_name("WALK.GLB"), SFT_IO_GLB);
    assert_int_equal(sft_io_format_of_name("walk.glTF"), SFT_IO_GLTF);
    assert_int_equal(sft_io_format_of_name("x.Fbx"), SFT_IO_FBX);
    assert_int_equal(sft_io_format_of_name("glb"), SFT_IO_AUTO);
    assert_int_equal(sft_io_format_of_name("a.glb/walk"), SFT_IO_AUTO);
    assert_int_equal(sft_io_format_of_name(""), SFT_IO_AUTO);
    assert_int_equal(sft_io_format_of_name(NULL), SFT_IO_AUTO);
    assert_string_equal(sft_io_format_name(SFT_IO_GLTF), "glTF");
    assert_string_equal(sft_io_format_name((sft_io_format)77), "unknown");
}

// ---- BVH behind the face ----

static sft_io_document* read_small(void)
{
    sft_io_document* d = NULL;
    assert_int_equal(sft_io_read(NULL, small_bvh, sizeof small_bvh - 1, NULL, &d, NULL), SFT_OK);
    return d;
}

static void test_io_face__bvh_shows_one_clip(void** state)
{
    (void)state;
    sft_io_document* d = read_small();
    const sft_io_contents* v = sft_io_view(d);
    assert_int_equal(v->format, SFT_IO_BVH);
    assert_int_equal(v->source, SFT_IO_BVH);
    assert_int_equal(v->joint_count, 2);
    assert_int_equal(v->clip_count, 1);
    assert_int_equal(v->up, -1);
    assert_true(v->unit_metres == 0.0);
    assert_string_equal(v->clips[0].name, "");
    assert_int_equal(v->clips[0].frame_count, 2);
    assert_true(v->clips[0].frame_time == 0.025 && v->clips[0].start == 0.0);
    assert_int_equal(v->clips[0].channel_count, 3);
    assert_null(v->clips[0].problem);
    assert_non_null(sft_io_bvh(d));
    assert_null(sft_io_gltf(d));
    assert_int_equal(sft_io_find_clip(d, "0"), 0);
    assert_int_equal(sft_io_find_clip(d, ""), 0);
    assert_int_equal(sft_io_find_clip(d, "1"), -1);
    assert_int_equal(sft_io_find_clip(d, "00000000000000000000000001"), -1);
    assert_int_equal(sft_io_find_clip(d, "99999999999999999999"), -1);
    assert_int_equal(sft_io_find_clip(d, "-0"), -1);
    assert_int_equal(sft_io_find_clip(d, NULL), -1);
    sft_io_destroy(d);
}

static void test_io_face__bvh_clips_and_rest_pose(void** state)
{
    (void)state;
    sft_io_document* d = read_small();
    sft_skeleton* s = NULL;
    sft_clip* c = NULL;
    sft_gltf_frames f;
    assert_int_equal(sft_io_to_clip(d, 0, NULL, NULL, &s, &c, &f, NULL), SFT_OK);
    assert_int_equal(c->frame_count, 2);
    assert_int_equal(f.frame_count, 2);
    assert_true(f.start == 0.0 && f.frame_time == 0.025 && f.stored && f.channel == -1);
    assert_true(c->rotations[2].z > 0.08);
    sft_clip_destroy(c, NULL);
    sft_skeleton_destroy(s, NULL);
    assert_int_equal(sft_io_to_clip(d, -1, NULL, NULL, &s, &c, &f, NULL), SFT_OK);
    assert_int_equal(c->frame_count, 1);
    assert_true(c->translations[1].y == 1.0 && c->rotations[0].w == 1.0);
    sft_clip_destroy(c, NULL);
    sft_skeleton_destroy(s, NULL);
    sft_error error = {0};
    assert_int_equal(sft_io_to_clip(d, 1, NULL, NULL, &s, &c, &f, &error), SFT_ERR_ARG);
    assert_int_equal(sft_io_to_clip(d, -2, NULL, NULL, &s, &c, &f, &error), SFT_ERR_ARG);
    assert_int_equal(sft_io_apply(d, 1, NULL, c, NULL, NULL, NULL, NULL, NULL, &error), SFT_ERR_ARG);
    sft_io_destroy(d);
}

static void test_io_face__bvh_is_put_back_and_written(void** state)
{
    (void)state;
    sft_io_document* d = read_small();
    sft_skeleton* s = NULL;
    sft_clip* c = NULL;
    assert_int_equal(sft_io_to_clip(d, 0, NULL, NULL, &s, &c, NULL, NULL), SFT_OK);
    c->rotations[2] = sft_quatd_identity();
    const uint8_t mask[2] = {1, 0};
    sft_gltf_applied applied;
    assert_int_equal(sft_io_apply(d, 0, NULL, c, NULL, mask, NULL, NULL, &applied, NULL), SFT_OK);
    assert_int_equal(applied.rotation_joint, -1);
    void* bytes = NULL;
    size_t size = 0;
    assert_int_equal(sft_io_write(d, SFT_IO_AUTO, NULL, &bytes, &size, NULL), SFT_OK);
    assert_int_equal(((char*)bytes)[size], '\0');
    assert_non_null(strstr(bytes, "\n0 0 0\n0 0 0\n"));
    sft_error error = {0};
    void* none = NULL;
    assert_int_equal(sft_io_write(d, SFT_IO_GLB, NULL, &none, &size, &error), SFT_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "sft_io_convert"));
    assert_null(none);
    free(bytes);
    sft_clip_destroy(c, NULL);
    sft_skeleton_destroy(s, NULL);
    sft_io_destroy(d);
}

static void test_io_face__refuses_what_it_cannot_read(void** state)
{
    (void)state;
    sft_io_document* d = NULL;
    sft_error error = {0};
    assert_int_equal(sft_io_read(NULL, "Kaydara FBX Binary  ", 20, NULL, &d, &error), SFT_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "surefoot-fbx"));
    assert_int_equal(sft_io_read(NULL, "\x89PNG\r\n\x1a\n", 8, NULL, &d, &error), SFT_ERR_SYNTAX);
    assert_non_null(strstr(error.message, "GLB"));
    assert_int_equal(sft_io_read(NULL, "", 0, NULL, &d, &error), SFT_ERR_SYNTAX);
    assert_int_equal(sft_io_read(NULL, NULL, 5, NULL, &d, &error), SFT_ERR_ARG);
    assert_int_equal(sft_io_read(NULL, small_bvh, 5, NULL, NULL, &error), SFT_ERR_ARG);
    sft_io_read_def def = sft_default_io_read_def();
    def.max_bytes = 20;
    assert_int_equal(sft_io_read(&def, small_bvh, sizeof small_bvh - 1, NULL, &d, &error), SFT_ERR_LIMIT);
    def = (sft_io_read_def){0};
    assert_int_equal(sft_io_read(&def, small_bvh, sizeof small_bvh - 1, NULL, &d, &error), SFT_ERR_DEF);
    assert_int_equal(sft_io_read_file(&def, "x.bvh", NULL, &d, &error), SFT_ERR_DEF);
    assert_int_equal(sft_io_read_file(NULL, NULL, NULL, &d, &error), SFT_ERR_ARG);
    assert_int_equal(sft_io_read_file(NULL, "no/such/file.bvh", NULL, &d, &error), SFT_ERR_IO);
    assert_null(d);
    sft_io_destroy(NULL);
    assert_null(sft_io_view(NULL));
    assert_null(sft_io_bvh(NULL));
    assert_null(sft_io_gltf(NULL));
    const sft_io_write_def none = {0};
    assert_int_equal(sft_io_write_file(NULL, NULL, "x", &error), SFT_ERR_ARG);
    assert_int_equal(sft_io_write_file(NULL, &none, "x", &error), SFT_ERR_DEF);
}

static void test_io_face__every_failing_allocation_is_reported(void** state)
{
    (void)state;
    for (long k = 0;; ++k)
    {
        support_heap heap = {.fail_at = k};
        const sft_allocator a = support_allocator(&heap);
        sft_io_document* d = NULL;
        void* bytes = NULL;
        size_t size = 0;
        sft_skeleton* s = NULL;
        sft_clip* c = NULL;
        sft_result r = sft_io_read(NULL, small_bvh, sizeof small_bvh - 1, &a, &d, NULL);
        if (r == SFT_OK) r = sft_io_to_clip(d, -1, NULL, &a, &s, &c, NULL, NULL);
        if (r == SFT_OK) r = sft_io_write(d, SFT_IO_AUTO, &a, &bytes, &size, NULL);
        if (r == SFT_OK) a.release(a.user, bytes, size + 1);
        sft_clip_destroy(c, &a);
        sft_skeleton_destroy(s, &a);
        sft_io_destroy(d);
        assert_int_equal(heap.live_blocks, 0);
        if (r == SFT_OK) break;
        assert_int_equal(r, SFT_ERR_MEMORY);
        assert_true(k < 200);
    }
}

// ---- glTF behind the face ----

// A leg that turns, with a clip that starts late; as GLB.
static void make_glb(void** bytes, size_t* size)
{
    scene* s = scene_new();
    const int root = scene_add(s, "Root", -1), leg = scene_add(s, "Leg", root);
    s->nodes[leg].t[1] = 1.0;
    scene_skin_over(s, (int[]){root, leg}, 2);
    float *times = scene_floats(s, 4), *turns = scene_floats(s, 16);
    for (int k = 0; k < 4; ++k)
    {
        times[k] = 0.5f + 0.25f * (float)k;
        turns[4 * k] = 0.6f;
        turns[4 * k + 3] = 0.8f;
    }
    turns[4] = 0.0f;
    turns[7] = 1.0f;
    scene_channel_add(s, 0, (scene_channel){leg, SCENE_ROTATION, SCENE_LINEAR, 4, times, turns});
    s->animations[0].name = "7";
    scene_glb(s, bytes, size);
    scene_free(s);
}

static void test_io_face__gltf_shows_its_clips(void** state)
{
    (void)state;
    void* bytes = NULL;
    size_t size = 0;
    make_glb(&bytes, &size);
    sft_io_document* d = NULL;
    assert_int_equal(sft_io_read(NULL, bytes, size, NULL, &d, NULL), SFT_OK);
    const sft_io_contents* v = sft_io_view(d);
    assert_int_equal(v->format, SFT_IO_GLB);
    assert_int_equal(v->source, SFT_IO_GLB);
    assert_int_equal(v->joint_count, 2);
    assert_int_equal(v->clip_count, 1);
    assert_true(v->unit_metres == 1.0 && v->up == SFT_AXIS_Y);
    assert_int_equal(v->clips[0].frame_count, 4);
    assert_true(v->clips[0].start == 0.5 && v->clips[0].frame_time == 0.25 && v->clips[0].stored);
    assert_int_equal(sft_io_find_clip(d, "7"), 0);
    assert_int_equal(sft_io_find_clip(d, "0"), 0);
    assert_int_equal(sft_io_find_clip(d, "1"), -1);
    void* text = NULL;
    size_t text_size = 0;
    assert_int_equal(sft_io_write(d, SFT_IO_GLTF, NULL, &text, &text_size, NULL), SFT_OK);
    assert_int_equal(sft_io_sniff(text, text_size), SFT_IO_GLTF);
    assert_int_equal(strlen(text), text_size);
    assert_int_equal(sft_io_write(d, SFT_IO_BVH, NULL, &text, &text_size, NULL), SFT_ERR_UNSUPPORTED);
    const sft_gltf_frames frames = {.frame_count = 4, .start = 0.5, .frame_time = 0.25, .channel = -1};
    assert_int_equal(sft_io_retime(d, 0, &frames, 1, 4, 0.0, NULL, NULL), SFT_OK);
    assert_int_equal(sft_io_view(d)->clips[0].frame_count, 3);
    sft_io_document* bvh = read_small();
    assert_int_equal(sft_io_retime(bvh, 0, &frames, 1, 3, 0.0, NULL, NULL), SFT_ERR_UNSUPPORTED);
    sft_gltf_bound bound;
    assert_int_equal(sft_io_bind(bvh, d, 0, NULL, &bound, NULL), SFT_ERR_UNSUPPORTED);
    assert_int_equal(sft_io_bind_back(d, 0, bvh, 0, NULL), SFT_ERR_UNSUPPORTED);
    assert_int_equal(sft_io_bind(NULL, d, 0, NULL, &bound, NULL), SFT_ERR_ARG);
    sft_io_destroy(bvh);
    sft_io_destroy(d);
    free(text);
    free(bytes);
}

static void test_io_face__every_failing_allocation_of_gltf_is_reported(void** state)
{
    (void)state;
    void* bytes = NULL;
    size_t size = 0;
    make_glb(&bytes, &size);
    for (long k = 0;; ++k)
    {
        support_heap heap = {.fail_at = k};
        const sft_allocator a = support_allocator(&heap);
        sft_io_document* d = NULL;
        sft_skeleton* s = NULL;
        sft_clip* c = NULL;
        sft_gltf_frames frames;
        void* out = NULL;
        size_t out_size = 0;
        sft_result r = sft_io_read(NULL, bytes, size, &a, &d, NULL);
        if (r == SFT_OK) r = sft_io_to_clip(d, 0, NULL, &a, &s, &c, &frames, NULL);
        const uint8_t mask[2] = {1, 1};
        if (r == SFT_OK) c->rotations[3] = sft_quatd_identity();
        if (r == SFT_OK) r = sft_io_apply(d, 0, &frames, c, NULL, mask, NULL, NULL, NULL, NULL);
        if (r == SFT_OK) r = sft_io_write(d, SFT_IO_GLTF, &a, &out, &out_size, NULL);
        if (r == SFT_OK) a.release(a.user, out, out_size + 1);
        sft_clip_destroy(c, &a);
        sft_skeleton_destroy(s, &a);
        sft_io_destroy(d);
        assert_int_equal(heap.live_blocks, 0);
        if (r == SFT_OK) break;
        assert_int_equal(r, SFT_ERR_MEMORY);
        assert_true(k < 1000);
    }
    free(bytes);
}

static void test_io_face__extras_of_fbx_are_shown(void** state)
{
    (void)state;
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\",\"extras\":{\"surefoot\":{\"source\":\"fbx\",\"warnings\":[\"tangents are "
        "lost\",7,\"and more\"]}}}}";
    sft_io_document* d = NULL;
    assert_int_equal(sft_io_read(NULL, text, sizeof text - 1, NULL, &d, NULL), SFT_OK);
    const sft_io_contents* v = sft_io_view(d);
    assert_int_equal(v->format, SFT_IO_GLTF);
    assert_int_equal(v->source, SFT_IO_FBX);
    assert_int_equal(v->warning_count, 3);
    assert_string_equal(v->warnings[0].message, "tangents are lost");
    assert_string_equal(v->warnings[1].message, "");
    assert_string_equal(v->warnings[2].message, "and more");
    sft_io_destroy(d);
}

#if !defined(_WIN32)

// ---- files and what lies beside them ----

typedef struct place
{
    char folder[64];
    char path[512];
} place;

static const char* in(place* p, const char* name)
{
    snprintf(p->path, sizeof p->path, "%s/%s", p->folder, name);
    return p->path;
}

static void put(place* p, const char* name, const char* text)
{
    assert_int_equal(sft_file_write(in(p, name), text, strlen(text), NULL), SFT_OK);
}

static int make_place(void** state)
{
    static place p;
    snprintf(p.folder, sizeof p.folder, "/tmp/surefoot-face-XXXXXX");
    if (mkdtemp(p.folder) == NULL) return -1;
    *state = &p;
    return 0;
}

static int remove_place(void** state)
{
    place* p = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", p->folder);
    return system(command);
}

static void test_io_face__bvh_files_go_through(void** state)
{
    place* p = *state;
    put(p, "small.bvh", small_bvh);
    sft_io_document* d = NULL;
    assert_int_equal(sft_io_read_file(NULL, in(p, "small.bvh"), NULL, &d, NULL), SFT_OK);
    assert_int_equal(sft_io_view(d)->resource_count, 0);
    assert_int_equal(sft_io_write_file(d, NULL, in(p, "other.bvh"), NULL), SFT_OK);
    assert_int_equal(sft_io_write_file(d, NULL, in(p, "no_ending"), NULL), SFT_OK);
    sft_error error = {0};
    assert_int_equal(sft_io_write_file(d, NULL, in(p, "other.glb"), &error), SFT_ERR_UNSUPPORTED);
    assert_int_equal(sft_io_write_file(d, NULL, in(p, "no/folder.bvh"), &error), SFT_ERR_IO);
    sft_io_destroy(d);
    void* bytes = NULL;
    size_t size = 0;
    assert_int_equal(sft_file_read(in(p, "no_ending"), 10000, NULL, &bytes, &size, NULL), SFT_OK);
    assert_int_equal(size, sizeof small_bvh - 1);
    assert_memory_equal(bytes, small_bvh, size);
    free(bytes);
    assert_false(sft_place_exists(in(p, "other.glb")));
}

static sft_result read_inside(place* p, const char* relative, sft_error* error)
{
    char folder[128];
    void* bytes = NULL;
    size_t size = 0;
    snprintf(folder, sizeof folder, "%s/inside/", p->folder);
    const sft_allocator a = sft_core_allocator(NULL);
    const sft_result r = sft_place_read_inside(folder, relative, 100, &a, &bytes, &size, error);
    if (r == SFT_OK) assert_string_equal(bytes, "fine");
    free(bytes);
    return r;
}

static void test_io_face__resources_stay_inside_the_folder(void** state)
{
    place* p = *state;
    assert_int_equal(mkdir(in(p, "inside"), 0777), 0);
    assert_int_equal(mkdir(in(p, "inside/below"), 0777), 0);
    assert_int_equal(mkdir(in(p, "inside2"), 0777), 0);
    put(p, "inside/a.bin", "fine");
    put(p, "inside/below/b.bin", "fine");
    put(p, "secret", "secret");
    put(p, "inside2/secret", "secret");
    assert_int_equal(symlink("below/b.bin", in(p, "inside/link.bin")), 0);
    assert_int_equal(symlink("below", in(p, "inside/folder")), 0);
    assert_int_equal(symlink("../secret", in(p, "inside/out.bin")), 0);
    assert_int_equal(symlink("..", in(p, "inside/up")), 0);
    assert_int_equal(symlink("../inside2", in(p, "inside/beside")), 0);
    assert_int_equal(symlink("/etc/passwd", in(p, "inside/passwd")), 0);
    assert_int_equal(symlink("loop", in(p, "inside/loop")), 0);
    assert_int_equal(mkfifo(in(p, "inside/pipe"), 0666), 0);
    sft_error error = {0};
    static const char* const good[] = {"a.bin", "below/b.bin", "link.bin", "folder/b.bin"};
    for (size_t i = 0; i < SFT_COUNT_OF(good); ++i)
        assert_int_equal(read_inside(p, good[i], &error), SFT_OK);
    static const char* const bad[] = {"out.bin", "up/secret", "beside/secret", "passwd",      "loop",
                                      "pipe",    "below",     "nowhere",       "below/c.bin", "a.bin/x"};
    for (size_t i = 0; i < SFT_COUNT_OF(bad); ++i)
    {
        error = (sft_error){0};
        assert_int_equal(read_inside(p, bad[i], &error), SFT_ERR_IO);
        assert_non_null(strstr(error.message, bad[i]));
        assert_int_equal(strstr(error.message, "outside") != NULL, i < 4);
    }
    put(p, "inside/large.bin",
        "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789x");
    assert_int_equal(read_inside(p, "large.bin", &error), SFT_ERR_LIMIT);
}

static void test_io_face__gltf_files_bring_their_buffers(void** state)
{
    place* p = *state;
    void* bytes = NULL;
    size_t size = 0;
    make_glb(&bytes, &size);
    sft_io_document* d = NULL;
    assert_int_equal(sft_io_read(NULL, bytes, size, NULL, &d, NULL), SFT_OK);
    assert_int_equal(sft_io_write_file(d, NULL, in(p, "one.gltf"), NULL), SFT_OK);
    assert_true(sft_place_exists(in(p, "one.bin")));
    sft_io_destroy(d);
    assert_int_equal(mkdir(in(p, "other"), 0777), 0);
    for (long k = 0;; ++k)
    {
        // Whatever fails, all memory comes back, and the main file is there whole or not at all.
        support_heap heap = {.fail_at = k};
        const sft_allocator a = support_allocator(&heap);
        sft_result r = sft_io_read_file(NULL, in(p, "one.gltf"), &a, &d, NULL);
        if (r == SFT_OK)
        {
            assert_int_equal(sft_io_view(d)->resource_count, 1);
            assert_string_equal(sft_io_view(d)->resources[0], "one.bin");
            r = sft_io_write_file(d, NULL, in(p, "other/two.gltf"), NULL);
            assert_int_equal(sft_place_exists(in(p, "other/two.gltf")), r == SFT_OK);
            sft_io_destroy(d);
        }
        assert_int_equal(heap.live_blocks, 0);
        if (r == SFT_OK) break;
        assert_int_equal(r, SFT_ERR_MEMORY);
        assert_true(k < 1000);
    }
    assert_true(sft_place_exists(in(p, "other/one.bin")));
    // A file of that name with other bytes is somebody else's.
    put(p, "other/one.bin", "somebody else's");
    sft_error error = {0};
    assert_int_equal(sft_io_read_file(NULL, in(p, "one.gltf"), NULL, &d, NULL), SFT_OK);
    assert_int_equal(sft_io_write_file(d, NULL, in(p, "other/three.gltf"), &error), SFT_ERR_IO);
    assert_non_null(strstr(error.message, "one.bin"));
    assert_false(sft_place_exists(in(p, "other/three.gltf")));
    sft_io_destroy(d);
    free(bytes);
}

static void test_io_face__knows_whether_a_file_holds_something(void** state)
{
    place* p = *state;
    put(p, "holds", "abcdef");
    const sft_bytes same[] = {{"abc", 3}, {NULL, 0}, {"def", 3}};
    assert_true(sft_place_holds(in(p, "holds"), same, 3));
    assert_false(sft_place_holds(in(p, "holds"), same, 2));
    const sft_bytes other[] = {{"abcdeg", 6}}, longer[] = {{"abcdefg", 7}};
    assert_false(sft_place_holds(in(p, "holds"), other, 1));
    assert_false(sft_place_holds(in(p, "holds"), longer, 1));
    assert_false(sft_place_holds(in(p, "nothing"), same, 3));
    assert_false(sft_place_holds(p->folder, NULL, 0));
    assert_int_equal(sft_place_make_folders(in(p, "x/y/z.bin"), strlen(p->folder), NULL), SFT_OK);
    put(p, "x/y/z.bin", "1");
    sft_error error = {0};
    assert_int_equal(sft_place_make_folders(in(p, "holds/y/z.bin"), strlen(p->folder), &error), SFT_ERR_IO);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io_face__tells_formats_by_their_first_bytes),
        cmocka_unit_test(test_io_face__tells_formats_by_names),
        cmocka_unit_test(test_io_face__bvh_shows_one_clip),
        cmocka_unit_test(test_io_face__bvh_clips_and_rest_pose),
        cmocka_unit_test(test_io_face__bvh_is_put_back_and_written),
        cmocka_unit_test(test_io_face__refuses_what_it_cannot_read),
        cmocka_unit_test(test_io_face__every_failing_allocation_is_reported),
        cmocka_unit_test(test_io_face__gltf_shows_its_clips),
        cmocka_unit_test(test_io_face__every_failing_allocation_of_gltf_is_reported),
        cmocka_unit_test(test_io_face__extras_of_fbx_are_shown),
#if !defined(_WIN32)
        cmocka_unit_test_setup_teardown(test_io_face__bvh_files_go_through, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_io_face__resources_stay_inside_the_folder, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_io_face__gltf_files_bring_their_buffers, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_io_face__knows_whether_a_file_holds_something, make_place, remove_place),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
