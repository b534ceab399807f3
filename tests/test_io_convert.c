// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Between formats. Positions are compared with what the tests work out themselves from channels, keys and matrices.
#include "support/convert.h"
#include "support/gltf_random.h"

// ---- random BVH texts ----

typedef struct text
{
    char* data;
    size_t size, capacity;
} text;

static void put(text* t, const char* format, ...)
{
    if (t->capacity - t->size < 4096)
    {
        t->capacity = 2 * t->capacity + 65536;
        t->data = realloc(t->data, t->capacity);
        assert_non_null(t->data);
    }
    va_list args;
    va_start(args, format);
    t->size += (size_t)vsnprintf(t->data + t->size, 4096, format, args);
    va_end(args);
}

static double random_offset(support_rng* rng)
{
    const int kind = random_below(rng, 4);
    const double v = support_uniform(rng, -20.0, 20.0);
    return kind == 0 ? 0.0 : kind == 1 ? floor(v) : kind == 2 ? floor(v * 1e4) / 1e4 : v;
}

static int put_channels(text* t, support_rng* rng, bool root)
{
    static const char* const names[6] = {"Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"};
    int order[6], count = 0;
    const bool positions = root || random_below(rng, 4) == 0;
    const int rotations = root || random_below(rng, 3) > 0 ? 3 : random_below(rng, 4);
    int axes[3] = {3, 4, 5};
    for (int i = 0; i < 3; ++i)
    {
        const int k = i + random_below(rng, 3 - i), held = axes[i];
        axes[i] = axes[k];
        axes[k] = held;
    }
    for (int i = 0; i < rotations; ++i)
        order[count++] = axes[i];
    const bool behind = random_below(rng, 5) == 0;
    if (positions)
    {
        if (!behind) memmove(order + 3, order, (size_t)count * sizeof *order);
        for (int i = 0; i < 3; ++i)
            order[behind ? count + i : i] = i;
        count += 3;
    }
    put(t, "CHANNELS %d", count);
    for (int i = 0; i < count; ++i)
        put(t, " %s", names[order[i]]);
    put(t, "\n");
    return count;
}

static int put_joint(text* t, support_rng* rng, int depth, int* joints)
{
    const int id = (*joints)++;
    put(t, "%s j%d%s\n{\nOFFSET %.17g %.17g %.17g\n", depth == 0 ? "ROOT" : "JOINT", id,
        id % 5 == 3   ? " of two words"
        : id % 5 == 4 ? ":\xc3\xa9\"\\"
                      : "",
        random_offset(rng), random_offset(rng), random_offset(rng));
    int channels = put_channels(t, rng, depth == 0);
    const int children = depth < 5 ? random_below(rng, 4) : 0;
    for (int i = 0; i < children && *joints < 40; ++i)
        channels += put_joint(t, rng, depth + 1, joints);
    if (children == 0 && random_below(rng, 5) > 0)
        put(t, "End Site\n{\nOFFSET %.17g 0 %.17g\n}\n", random_offset(rng), random_offset(rng));
    put(t, "}\n");
    return channels;
}

static text random_bvh(support_rng* rng)
{
    static const char* const times[] = {".0083333", "0.0083333333333333332", "0.033333", "0.0166667000", "1e-2",
                                        "0.04"};
    text t = {0};
    put(&t, "HIERARCHY\n");
    int joints = 0, channels = 0;
    for (int roots = 1 + (random_below(rng, 4) == 0); roots > 0; --roots)
        channels += put_joint(&t, rng, 0, &joints);
    const int frames = 1 + random_below(rng, 12);
    put(&t, "MOTION\nFrames: %d\nFrame Time: %s\n", frames, times[random_below(rng, 6)]);
    for (int f = 0; f < frames; ++f, put(&t, "\n"))
        for (int c = 0; c < channels; ++c)
            put(&t, "%.6f ", support_uniform(rng, -60.0, 60.0));
    return t;
}

// Same joints, names, OFFSETs to the bit, channels, frame time to the letter; world positions close.
static void assert_same_bvh(const sft_bvh_contents* a, const sft_bvh_contents* b, double unit)
{
    assert_int_equal(a->joint_count, b->joint_count);
    assert_int_equal(a->channel_count, b->channel_count);
    assert_int_equal(a->frame_count, b->frame_count);
    assert_string_equal(a->frame_time_text, b->frame_time_text);
    assert_true(a->frame_time == b->frame_time);
    for (int32_t j = 0; j < a->joint_count; ++j)
    {
        const sft_bvh_joint *x = &a->joints[j], *y = &b->joints[j];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->parent, y->parent);
        assert_int_equal(x->end_site, y->end_site);
        assert_memory_equal(&x->offset, &y->offset, sizeof x->offset);
        assert_int_equal(x->channel_count, y->channel_count);
        assert_memory_equal(x->channels, y->channels, (size_t)x->channel_count);
    }
    mat* wa = calloc((size_t)a->joint_count, sizeof *wa);
    mat* wb = calloc((size_t)a->joint_count, sizeof *wb);
    for (int32_t f = 0; f < a->frame_count; ++f)
    {
        bvh_world(a, f, wa);
        bvh_world(b, f, wb);
        for (int32_t j = 0; j < a->joint_count; ++j)
            if (!(unit * distance(wa[j].t, wb[j].t) <= CLOSE))
                fail_msg("%s is off by %g m in frame %d", a->joints[j].name, unit * distance(wa[j].t, wb[j].t), f);
    }
    free(wa);
    free(wb);
}

static void test_io_convert__bvh_comes_back_through_glb(void** state)
{
    (void)state;
    support_rng rng = {7};
    for (int round = 0; round < 200; ++round)
    {
        text t = random_bvh(&rng);
        sft_io_document* bvh = read_text(t.data, t.size);
        const sft_space space = {.unit_metres = round % 3 == 0 ? 0.0254 : 0.01, .up = (sft_axis)(round % 6)};
        sft_io_convert_def def = sft_default_io_convert_def();
        def.format = round % 2 == 0 ? SFT_IO_GLB : SFT_IO_GLTF;
        def.space = &space;
        def.clip_name = "Gang \"1\"";
        sft_io_document* glb = converted_with(bvh, &def);
        assert_int_equal(sft_io_view(glb)->format, def.format);
        glb = reread(glb);
        assert_int_equal(sft_io_view(glb)->clip_count, 1);
        assert_string_equal(sft_io_view(glb)->clips[0].name, def.clip_name);

        // Joint by joint in metres, Y up.
        sft_skeleton* skeleton = NULL;
        sft_clip* clip = NULL;
        assert_int_equal(sft_io_to_clip(glb, 0, NULL, NULL, &skeleton, &clip, NULL, NULL), SFT_OK);
        const sft_bvh_contents* v = bvh_of(bvh);
        assert_int_equal(skeleton->joint_count, v->joint_count);
        assert_int_equal(clip->frame_count, v->frame_count);
        mat* wa = calloc((size_t)v->joint_count, sizeof *wa);
        mat* wb = calloc((size_t)v->joint_count, sizeof *wb);
        for (int32_t f = 0; f < v->frame_count; ++f)
        {
            bvh_world(v, f, wa);
            clip_world(skeleton, clip, f, wb);
            for (int32_t j = 0; j < v->joint_count; ++j)
            {
                double p[3];
                to_inside(space.unit_metres, (int)space.up, wa[j].t, p);
                if (!(distance(p, wb[j].t) <= CLOSE))
                    fail_msg("round %d: %s is off by %g m", round, v->joints[j].name, distance(p, wb[j].t));
            }
        }
        for (int32_t j = 0; j < v->joint_count; ++j)
        {
            char end[128];
            snprintf(end, sizeof end, "%s%s", v->joints[j].name, v->joints[j].end_site ? "_end" : "");
            assert_string_equal(skeleton->names[j], end);
        }
        free(wa);
        free(wb);
        sft_skeleton_destroy(skeleton, NULL);
        sft_clip_destroy(clip, NULL);

        sft_io_document* back = reread(converted(glb, SFT_IO_BVH));
        assert_same_bvh(v, bvh_of(back), space.unit_metres);
        sft_io_destroy(back);
        sft_io_destroy(glb);
        sft_io_destroy(bvh);
        free(t.data);
    }
}

// ---- from glTF ----

static sft_io_document* read_scene(const scene* s)
{
    void* bytes = NULL;
    size_t size = 0;
    scene_glb(s, &bytes, &size);
    sft_io_document* document = read_text(bytes, size);
    free(bytes);
    return document;
}

static void test_io_convert__gltf_goes_into_bvh_and_back(void** state)
{
    (void)state;
    support_rng rng = {11};
    for (int round = 0; round < 200; ++round)
    {
        scene* s = random_scene(&rng, (random_scales)(round % SCALES_KINDS));
        if (s->animation_count == 0)
        {
            scene_free(s);
            continue;
        }
        sft_io_document* glb = read_scene(s);
        sft_skeleton* skeleton = NULL;
        sft_clip* clip = NULL;
        sft_gltf_frames frames;
        assert_int_equal(sft_io_to_clip(glb, 0, NULL, NULL, &skeleton, &clip, &frames, NULL), SFT_OK);
        sft_io_convert_def def = sft_default_io_convert_def();
        def.format = SFT_IO_BVH;
        def.unit_metres = round % 2 == 0 ? 0.0 : 0.1;
        def.up = round % 7 - 1;
        const double unit = round % 2 == 0 ? 0.01 : 0.1;
        const int up = def.up < 0 ? SFT_AXIS_Y : def.up;
        sft_io_document* bvh = reread(converted_with(glb, &def));
        const sft_bvh_contents* v = bvh_of(bvh);
        assert_int_equal(v->frame_count, clip->frame_count);
        assert_true(v->frame_time == clip->frame_time);

        // New joints are the old ones and an End Site of no length below every leaf.
        const sft_gltf_contents* g = sft_gltf_view(sft_io_gltf(glb));
        double(*world)[16] = calloc(SCENE_NODES, sizeof *world);
        mat* got = calloc((size_t)v->joint_count, sizeof *got);
        for (int32_t f = -1; f < v->frame_count; ++f)
        {
            scene_world(s, f < 0 ? -1 : 0, frames.start + f * frames.frame_time, world);
            bvh_world(v, f, got);
            int32_t at = 0;
            for (int32_t j = 0; j < g->joint_count; ++j, ++at)
            {
                while (v->joints[at].end_site)
                {
                    assert_true(distance(got[at].t, got[v->joints[at].parent].t) <= 1e-9);
                    ++at;
                }
                double p[3];
                to_inside(unit, up, got[at].t, p);
                const double off = distance(p, world[g->joint_nodes[j]] + 12);
                // Row -1: zero rotations show the rest pose.
                if (!(off <= CLOSE)) fail_msg("round %d frame %d joint %d: off by %g m", round, f, j, off);
            }
        }

        const sft_space space = {.unit_metres = unit, .up = (sft_axis)up};
        sft_io_convert_def home = sft_default_io_convert_def();
        home.format = SFT_IO_GLB;
        home.space = &space;
        sft_io_document* back = reread(converted_with(bvh, &home));
        sft_skeleton* skeleton2 = NULL;
        sft_clip* clip2 = NULL;
        assert_int_equal(sft_io_to_clip(back, 0, NULL, NULL, &skeleton2, &clip2, NULL, NULL), SFT_OK);
        assert_int_equal(clip2->frame_count, clip->frame_count);
        mat* again = calloc((size_t)v->joint_count, sizeof *again);
        for (int32_t f = 0; f < v->frame_count; ++f)
        {
            scene_world(s, 0, frames.start + f * frames.frame_time, world);
            clip_world(skeleton2, clip2, f, again);
            int32_t at = 0;
            for (int32_t j = 0; j < g->joint_count; ++j, ++at)
            {
                while (v->joints[at].end_site)
                    ++at;
                assert_true(distance(again[at].t, world[g->joint_nodes[j]] + 12) <= CLOSE);
                assert_string_equal(skeleton2->names[at], skeleton->names[j]);
            }
        }
        free(again);
        free(got);
        free(world);
        sft_skeleton_destroy(skeleton, NULL);
        sft_clip_destroy(clip, NULL);
        sft_skeleton_destroy(skeleton2, NULL);
        sft_clip_destroy(clip2, NULL);
        sft_io_destroy(back);
        sft_io_destroy(bvh);
        sft_io_destroy(glb);
        scene_free(s);
    }
}

// A joint that only turns has three channels, whatever its rest rotation is.
static void test_io_convert__turning_joints_need_no_positions(void** state)
{
    (void)state;
    scene* s = scene_new();
    support_rng rng = {3};
    const int root = scene_add(s, "hips", -1), knee = scene_add(s, "knee", root), foot = scene_add(s, "foot", knee);
    const int joints[3] = {root, knee, foot};
    for (int i = 0; i < 3; ++i)
    {
        random_turn(&rng, s->nodes[joints[i]].r);
        s->nodes[joints[i]].t[1] = 0.4;
        random_keys(&rng, s, joints[i], SCENE_ROTATION, SCALES_NONE);
    }
    scene_skin_over(s, joints, 3);
    sft_io_document* glb = read_scene(s);
    sft_io_document* bvh = converted(glb, SFT_IO_BVH);
    const sft_bvh_contents* v = bvh_of(bvh);
    assert_int_equal(v->joint_count, 4);
    assert_int_equal(v->joints[0].channel_count, 6);
    assert_int_equal(v->joints[1].channel_count, 3);
    assert_int_equal(v->joints[2].channel_count, 3);
    assert_true(v->joints[3].end_site);
    sft_io_destroy(bvh);
    sft_io_destroy(glb);
    scene_free(s);
}

static void test_io_convert__names_are_made_legal_and_told(void** state)
{
    (void)state;
    scene* s = scene_new();
    support_rng rng = {5};
    static const char* const names[] = {"Hips", " L{eg} ", "two\\nlines", "", "caf\xc3\xa9 au lait", "Hips"};
    static const char* const legal[] = {"Hips", "_L_eg__", "two_lines", "joint_3", "caf\xc3\xa9 au lait", "Hips"};
    int joints[6];
    for (int i = 0; i < 6; ++i)
    {
        joints[i] = scene_add(s, names[i], i - 1);
        random_keys(&rng, s, joints[i], SCENE_ROTATION, SCALES_NONE);
    }
    scene_skin_over(s, joints, 6);
    // The scene puts names into JSON as they are, so the line's end is an escape there.
    sft_io_document* glb = read_scene(s);
    sft_io_convert_def def = sft_default_io_convert_def();
    def.format = SFT_IO_BVH;
    sft_io_document* bvh = NULL;
    sft_io_converted told;
    assert_int_equal(sft_io_convert(glb, &def, NULL, &bvh, &told, NULL), SFT_OK);
    const sft_bvh_contents* v = bvh_of(bvh);
    for (int i = 0; i < 6; ++i)
        if (names[i][0] != '\0') assert_string_equal(v->joints[i].name, legal[i]);
    assert_true(told.renamed_count >= 2);
    assert_string_equal(told.renamed[0].before, " L{eg} ");
    assert_string_equal(told.renamed[0].after, "_L_eg__");
    assert_string_equal(told.renamed[1].after, "two_lines");
    bvh = reread(bvh);
    for (int i = 0; i < 6; ++i)
        if (names[i][0] != '\0') assert_string_equal(bvh_of(bvh)->joints[i].name, legal[i]);
    sft_io_destroy(bvh);
    sft_io_destroy(glb);
    scene_free(s);

    // Bytes that are no UTF-8 cannot be in glTF.
    const char latin[] =
        "HIERARCHY\nROOT caf\xe9\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n}\nMOTION\n"
        "Frames: 1\nFrame Time: 0.1\n1 2 3\n";
    bvh = read_text(latin, sizeof latin - 1);
    def.format = SFT_IO_GLB;
    assert_int_equal(sft_io_convert(bvh, &def, NULL, &glb, &told, NULL), SFT_OK);
    assert_int_equal(told.renamed_count, 1);
    assert_string_equal(told.renamed[0].after, "caf\xef\xbf\xbd");
    sft_io_destroy(glb);
    sft_io_destroy(bvh);
}

// ---- the same format ----

static void test_io_convert__bvh_changes_its_space(void** state)
{
    (void)state;
    sft_io_document* bvh = read_text(small_bvh, sizeof small_bvh - 1);
    const sft_space space = {.unit_metres = 0.01, .up = SFT_AXIS_Y};
    sft_io_convert_def def = sft_default_io_convert_def();
    def.format = SFT_IO_BVH;
    def.space = &space;
    // Nothing asked for: the same numbers.
    sft_io_document* copy = converted_with(bvh, &def);
    assert_memory_equal(bvh_of(copy)->values, bvh_of(bvh)->values, 21 * sizeof(double));
    sft_io_destroy(copy);
    // Inches: angles stay to the last digit written.
    def.unit_metres = 0.0254;
    copy = reread(converted_with(bvh, &def));
    const sft_bvh_contents* v = bvh_of(copy);
    assert_string_equal(v->frame_time_text, ".0333330");
    assert_true(fabs(v->joints[0].offset.y - 90.25 / 2.54) < 1e-9);
    for (int i = 0; i < 21; ++i)
    {
        const double want = bvh_of(bvh)->values[i] / (i % 7 < 3 ? 2.54 : 1.0);
        assert_true(fabs(v->values[i] - want) < 2e-10);
    }
    sft_io_destroy(copy);
    // Another up axis.
    def.unit_metres = 0.0;
    def.up = SFT_AXIS_Z;
    copy = reread(converted_with(bvh, &def));
    v = bvh_of(copy);
    mat a[4], b[4];
    for (int32_t f = 0; f < 3; ++f)
    {
        bvh_world(bvh_of(bvh), f, a);
        bvh_world(v, f, b);
        for (int32_t j = 0; j < 3; ++j)
        {
            double p[3];
            to_inside(1.0, SFT_AXIS_Z, b[j].t, p);
            assert_true(distance(p, a[j].t) <= 1e-6);
        }
    }
    sft_io_destroy(copy);
    sft_io_destroy(bvh);
}

static void test_io_convert__containers_hold_the_same_document(void** state)
{
    (void)state;
    support_rng rng = {2};
    scene* s = random_scene(&rng, SCALES_ANY);
    sft_io_document* glb = read_scene(s);
    sft_io_document* gltf = reread(converted(glb, SFT_IO_GLTF));
    assert_int_equal(sft_io_view(gltf)->format, SFT_IO_GLTF);
    sft_io_document* back = converted(gltf, SFT_IO_GLB);
    void *a = NULL, *b = NULL;
    size_t a_size = 0, b_size = 0;
    assert_int_equal(sft_io_write(glb, SFT_IO_AUTO, NULL, &a, &a_size, NULL), SFT_OK);
    assert_int_equal(sft_io_write(back, SFT_IO_AUTO, NULL, &b, &b_size, NULL), SFT_OK);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a, b, a_size);
    free(a);
    free(b);
    sft_io_destroy(back);
    sft_io_destroy(gltf);
    sft_io_destroy(glb);
    scene_free(s);
}

// ---- calls and memory ----

static void test_io_convert__refuses_what_it_cannot_do(void** state)
{
    (void)state;
    sft_io_document* bvh = read_text(small_bvh, sizeof small_bvh - 1);
    sft_io_document* out = NULL;
    sft_error error = {0};
    sft_io_convert_def def = sft_default_io_convert_def();
    assert_int_equal(sft_io_convert(bvh, &def, NULL, &out, NULL, &error), SFT_ERR_DEF);
    def.format = SFT_IO_FBX;
    assert_int_equal(sft_io_convert(bvh, &def, NULL, &out, NULL, &error), SFT_ERR_DEF);
    def.format = SFT_IO_GLB;
    assert_int_equal(sft_io_convert(NULL, &def, NULL, &out, NULL, &error), SFT_ERR_ARG);
    assert_int_equal(sft_io_convert(bvh, NULL, NULL, &out, NULL, &error), SFT_ERR_ARG);
    assert_int_equal(sft_io_convert(bvh, &def, NULL, NULL, NULL, &error), SFT_ERR_ARG);
    def.clip = 1;
    assert_int_equal(sft_io_convert(bvh, &def, NULL, &out, NULL, &error), SFT_ERR_ARG);
    def.clip = -1;
    def.unit_metres = (double)NAN;
    assert_int_equal(sft_io_convert(bvh, &def, NULL, &out, NULL, &error), SFT_ERR_DEF);
    def.unit_metres = 0.0;
    def.up = 6;
    assert_int_equal(sft_io_convert(bvh, &def, NULL, &out, NULL, &error), SFT_ERR_DEF);
    def.up = -1;
    def.fps = -1.0;
    assert_int_equal(sft_io_convert(bvh, &def, NULL, &out, NULL, &error), SFT_ERR_DEF);
    def = (sft_io_convert_def){.format = SFT_IO_GLB};
    assert_int_equal(sft_io_convert(bvh, &def, NULL, &out, NULL, &error), SFT_ERR_DEF);
    assert_null(out);
    sft_io_destroy(bvh);

    // Without a joint, and with clips to choose from.
    const char empty[] = "{\"asset\":{\"version\":\"2.0\"}}";
    sft_io_document* gltf = read_text(empty, sizeof empty - 1);
    def = sft_default_io_convert_def();
    def.format = SFT_IO_BVH;
    assert_int_equal(sft_io_convert(gltf, &def, NULL, &out, NULL, &error), SFT_ERR_UNSUPPORTED);
    sft_io_destroy(gltf);
    scene* s = scene_new();
    support_rng rng = {1};
    const int root = scene_add(s, "a", -1);
    scene_skin_over(s, &root, 1);
    random_keys(&rng, s, root, SCENE_ROTATION, SCALES_NONE);
    scene_channel_add(s, 1, s->animations[0].channels[0]);
    gltf = read_scene(s);
    assert_int_equal(sft_io_view(gltf)->clip_count, 2);
    assert_int_equal(sft_io_convert(gltf, &def, NULL, &out, NULL, &error), SFT_ERR_ARG);
    assert_non_null(strstr(error.message, "2 clips"));
    def.clip = 1;
    assert_int_equal(sft_io_convert(gltf, &def, NULL, &out, NULL, &error), SFT_OK);
    sft_io_destroy(out);
    sft_io_destroy(gltf);
    // A document that never moves gives its rest pose.
    s->animation_count = 0;
    gltf = read_scene(s);
    def.clip = -1;
    assert_int_equal(sft_io_convert(gltf, &def, NULL, &out, NULL, &error), SFT_OK);
    assert_int_equal(bvh_of(out)->frame_count, 1);
    sft_io_destroy(out);
    sft_io_destroy(gltf);
    scene_free(s);
}

static void fail_everywhere(const sft_io_document* from, sft_io_format format)
{
    const sft_space space = {.unit_metres = 0.01, .up = SFT_AXIS_Y};
    sft_io_convert_def def = sft_default_io_convert_def();
    def.format = format;
    def.space = sft_io_view(from)->format == SFT_IO_BVH ? &space : NULL;
    def.unit_metres = 0.1;
    long needed = 0;
    for (long fail_at = -1; fail_at < needed; ++fail_at)
    {
        support_heap heap = {.fail_at = fail_at};
        const sft_allocator allocator = support_allocator(&heap);
        sft_io_document* out = NULL;
        sft_io_converted told = {-1, NULL};
        const sft_result result = sft_io_convert(from, &def, &allocator, &out, &told, NULL);
        if (fail_at < 0) needed = heap.calls;
        assert_int_equal(result, fail_at < 0 ? SFT_OK : SFT_ERR_MEMORY);
        if (fail_at >= 0) assert_true(out == NULL && told.renamed_count == -1);
        sft_io_destroy(out);
        assert_int_equal(heap.live_blocks, 0);
    }
    assert_true(needed > 3);
}

static void test_io_convert__every_allocation_may_fail(void** state)
{
    (void)state;
    sft_io_document* bvh = read_text(small_bvh, sizeof small_bvh - 1);
    sft_io_document* glb = converted(bvh, SFT_IO_GLB);
    fail_everywhere(bvh, SFT_IO_GLB);
    fail_everywhere(bvh, SFT_IO_BVH);
    fail_everywhere(glb, SFT_IO_BVH);
    fail_everywhere(glb, SFT_IO_GLTF);
    sft_io_destroy(glb);
    sft_io_destroy(bvh);
    const char odd[] = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\" odd \",\"extras\":{\"surefoot\":{"
                       "\"channels\":4}}}]}";
    sft_io_document* gltf = read_text(odd, sizeof odd - 1);
    fail_everywhere(gltf, SFT_IO_BVH);
    sft_io_destroy(gltf);
}

// ---- far away ----

// float32 in glTF: what it costs at a distance from the origin.
static void test_io_convert__far_origins_cost_float32(void** state)
{
    (void)state;
    static const double metres[] = {1, 10, 80, 1000};
    for (int i = 0; i < 4; ++i)
    {
        text t = {0};
        put(&t, "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
                "Yrotation\n}\nMOTION\nFrames: 100\nFrame Time: 0.01\n");
        for (int f = 0; f < 100; ++f)
            put(&t, "%.10f 0 0 0 0 0\n", 100.0 * metres[i] * (1.0 - 0.003 * f));
        sft_io_document* bvh = read_text(t.data, t.size);
        const sft_space space = {.unit_metres = 0.01, .up = SFT_AXIS_Y};
        sft_io_convert_def def = sft_default_io_convert_def();
        def.format = SFT_IO_GLB;
        def.space = &space;
        sft_io_document* glb = converted_with(bvh, &def);
        sft_io_document* back = converted(glb, SFT_IO_BVH);
        double worst = 0.0;
        for (int f = 0; f < 100; ++f)
            worst = fmax(worst, 0.01 * fabs(bvh_of(bvh)->values[f * 6] - bvh_of(back)->values[f * 6]));
        // Half a step of float32: 2^-24 of the distance, or the next power of two.
        assert_true(worst <= metres[i] * 0x1p-24 + 1e-9);
        if (metres[i] <= 80) assert_true(worst <= CLOSE);
        sft_io_destroy(back);
        sft_io_destroy(glb);
        sft_io_destroy(bvh);
        free(t.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io_convert__bvh_comes_back_through_glb),
        cmocka_unit_test(test_io_convert__gltf_goes_into_bvh_and_back),
        cmocka_unit_test(test_io_convert__turning_joints_need_no_positions),
        cmocka_unit_test(test_io_convert__names_are_made_legal_and_told),
        cmocka_unit_test(test_io_convert__bvh_changes_its_space),
        cmocka_unit_test(test_io_convert__containers_hold_the_same_document),
        cmocka_unit_test(test_io_convert__refuses_what_it_cannot_do),
        cmocka_unit_test(test_io_convert__every_allocation_may_fail),
        cmocka_unit_test(test_io_convert__far_origins_cost_float32),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
