// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Real clips (optional data) onto real rigs, moved and mended, and measured from joints' places by forward kinematics:
// planted toes slide by 0.1 cm/s at most, no point of a foot is more than 0.5 cm under the ground that the source's was
// not under, feet shake no more than half as much again, and clips on the spot stay there and close.

#include "support/support.h"

#define MOST_FRAMES 300

typedef struct subject
{
    sft_skeleton* skeleton;
    sft_clip* clip;
    sft_rig* rig;
    bool mesh;
    int32_t first;
    sft_contact_labels* labels;
    sft_contact_mismatch mismatch;
} subject;

// The sole of a leg in the reference pose, and how far heel, toe and toe end are over its lowest point [m].
typedef struct sole
{
    int32_t joints[3];
    double over[3];
    sft_v3d up[3]; // the vertical in each joint's space
} sole;

static void release(subject* s)
{
    sft_contact_labels_destroy(s->labels, NULL);
    sft_rig_destroy(s->rig, NULL);
    sft_clip_destroy(s->clip, NULL);
    sft_skeleton_destroy(s->skeleton, NULL);
    *s = (subject){0};
}

static void cut(subject* s)
{
    if (s->clip->frame_count <= MOST_FRAMES) return;
    sft_clip* out;
    assert_int_equal(sft_clip_create(s->clip->joint_count, MOST_FRAMES, s->clip->frame_time, NULL, &out), SFT_OK);
    const size_t n = (size_t)out->joint_count * MOST_FRAMES;
    memcpy(out->translations, s->clip->translations, n * sizeof *out->translations);
    memcpy(out->rotations, s->clip->rotations, n * sizeof *out->rotations);
    sft_clip_destroy(s->clip, NULL);
    s->clip = out;
}

static void label(subject* s)
{
    const sft_rig* rig = s->rig;
    const size_t n = (size_t)s->clip->frame_count;
    sft_foot_tracks feet[2];
    sft_v3d* tracks = calloc(7 * n, sizeof *tracks);
    for (int l = 0; l < 2; ++l)
    {
        const int32_t joints[3] = {rig->legs[l].heel, rig->legs[l].toe, rig->legs[l].toe_end};
        for (int k = 0; k < 3; ++k)
            if (joints[k] >= 0) sft_clip_joint_track(s->skeleton, s->clip, joints[k], tracks + (size_t)(3 * l + k) * n);
        sft_v3d* of = tracks + (size_t)(3 * l) * n;
        feet[l] = (sft_foot_tracks){of, of + n, joints[2] >= 0 ? of + 2 * n : NULL};
    }
    sft_clip_joint_track(s->skeleton, s->clip, rig->hips, tracks + 6 * n);
    const sft_contact_input in = {.frame_count = (int32_t)n,
                                  .frame_time = s->clip->frame_time,
                                  .first_frame = s->first,
                                  .pelvis = tracks + 6 * n,
                                  .feet = feet,
                                  .foot_count = 2,
                                  .leg_length = rig->leg_length};
    assert_int_equal(sft_contact_labels_create((int32_t)n, 2, NULL, &s->labels), SFT_OK);
    const sft_contact_def def = sft_default_contact_def();
    assert_int_equal(sft_contact_label(&def, &in, NULL, s->labels, &s->mismatch), SFT_OK);
    free(tracks);
}

static bool load(const char* file, const char* clip, subject* s)
{
    char path[1024];
    *s = (subject){0};
    if (!support_data(file, path, sizeof path)) return false;
    sft_io_document* document = NULL;
    assert_int_equal(sft_io_read_file(NULL, path, NULL, &document, NULL), SFT_OK);
    const sft_io_contents* v = sft_io_view(document);
    const int32_t index = clip ? sft_io_find_clip(document, clip) : v->clip_count > 0 ? 0 : -1;
    sft_gltf_clip_def def = sft_default_gltf_clip_def();
    def.fps = v->frame_rate;
    assert_int_equal(sft_io_to_clip(document, index, &def, NULL, &s->skeleton, &s->clip, NULL, NULL), SFT_OK);
    s->mesh = v->format != SFT_IO_BVH;
    sft_space space;
    assert_int_equal(sft_clip_infer_space(s->skeleton, s->clip, NULL, &space), SFT_OK);
    if (v->up >= 0) space.up = (sft_axis)v->up;
    if (s->mesh) space.unit_metres = 1.0;
    assert_int_equal(sft_clip_rescale(s->skeleton, s->clip, &space), SFT_OK);
    assert_int_equal(sft_rig_create(NULL, s->skeleton, s->clip, NULL, &s->rig), SFT_OK);
    assert_int_equal(s->rig->leg_count, 2);
    sft_io_destroy(document);
    cut(s);
    s->first = sft_clip_first_frame(s->skeleton, s->clip, NULL);
    if (s->clip->frame_count > s->first + 6) label(s);
    return true;
}

// ---- measuring ----

static sole sole_of(const sft_rig* rig, int leg)
{
    const sft_leg* g = rig->legs + leg;
    sole out = {{g->heel, g->toe, g->toe_end}, {0, 0, 0}, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    double low = INFINITY;
    for (int k = 0; k < 3; ++k)
        if (out.joints[k] >= 0) low = fmin(low, rig->pose[out.joints[k]].t.y);
    for (int k = 0; k < 3; ++k)
    {
        if (out.joints[k] < 0) continue;
        out.over[k] = rig->pose[out.joints[k]].t.y - low;
        out.up[k] = sft_quatd_unrotate(rig->pose[out.joints[k]].r, sft_v3d_make(0.0, 1.0, 0.0));
    }
    return out;
}

static sft_xformd joint_at(const sft_skeleton* s, const sft_clip* clip, int32_t frame, int32_t joint)
{
    const size_t row = (size_t)frame * (size_t)clip->joint_count;
    return sft_skeleton_joint_model(s, clip->translations + row, clip->rotations + row, joint);
}

// Y of the lowest point of a sole that is round under each joint, and of one that turns with it.
static void lowest(const sft_skeleton* s, const sft_clip* clip, int32_t frame, const sole* foot, double out[2])
{
    out[0] = out[1] = INFINITY;
    for (int k = 0; k < 3; ++k)
    {
        if (foot->joints[k] < 0) continue;
        const sft_xformd at = joint_at(s, clip, frame, foot->joints[k]);
        out[0] = fmin(out[0], at.t.y - foot->over[k]);
        out[1] = fmin(out[1], at.t.y - foot->over[k] * sft_quatd_rotate(at.r, foot->up[k]).y);
    }
}

static bool planted(const subject* s, int leg, int32_t frame)
{
    return s->labels->plant[(size_t)leg * (size_t)s->clip->frame_count + (size_t)frame] > 0.75f;
}

static int by_value(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// What the lowest tenth of the planted soles stand on.
static double ground_of(const subject* s)
{
    double* levels = calloc((size_t)(2 * s->clip->frame_count), sizeof *levels);
    size_t count = 0;
    for (int l = 0; l < 2; ++l)
    {
        const sole foot = sole_of(s->rig, l);
        for (int32_t i = s->first; i < s->clip->frame_count; ++i)
        {
            double low[2];
            lowest(s->skeleton, s->clip, i, &foot, low);
            if (planted(s, l, i)) levels[count++] = low[0];
        }
    }
    assert_true(count > 0);
    qsort(levels, count, sizeof *levels, by_value);
    const double ground = levels[count / 10];
    free(levels);
    return ground;
}

typedef struct moved
{
    const subject *from, *onto;
    sft_clip *before, *clip;
    double scale, source_ground, ground; // under the lowest joint of a level foot
    sft_mend_report report;
    char name[96];
} moved;

static bool missed(const moved* m, int leg, int32_t frame)
{
    for (int32_t k = 0; k < m->report.miss_count; ++k)
    {
        const sft_mend_miss* miss = m->report.misses + k;
        const sft_leg* g = m->onto->rig->legs + leg;
        if (abs(miss->frame - frame) < 2 &&
            (miss->joint == g->heel || miss->joint == g->toe || miss->joint == g->toe_end))
            return true;
    }
    return false;
}

static void assert_slide(const moved* m)
{
    for (int l = 0; l < 2; ++l)
    {
        double sum = 0.0, left_out = 0.0;
        int32_t steps = 0;
        const int32_t toe = m->onto->rig->legs[l].toe;
        for (int32_t i = m->from->first + 1; i < m->clip->frame_count; ++i)
        {
            if (!planted(m->from, l, i) || !planted(m->from, l, i - 1)) continue;
            ++steps;
            left_out += missed(m, l, i);
            if (missed(m, l, i)) continue;
            const sft_v3d a = joint_at(m->onto->skeleton, m->clip, i - 1, toe).t;
            const sft_v3d b = joint_at(m->onto->skeleton, m->clip, i, toe).t;
            const sft_v3d v = sft_v3d_scale(1.0 / m->clip->frame_time, sft_v3d_sub(b, a));
            sum += 100.0 * sft_v3d_distance(v, m->report.ground_velocity);
        }
        if (steps > 0 && sum > 0.1 * steps) fail_msg("%s: foot %d slides by %g cm/s", m->name, l, sum / steps);
        if (left_out > 0.1 * steps) fail_msg("%s: %g of %d steps of foot %d are missed", m->name, left_out, steps, l);
    }
}

static void assert_depth(const moved* m)
{
    for (int l = 0; l < 2; ++l)
    {
        const sole own = sole_of(m->onto->rig, l), other = sole_of(m->from->rig, l);
        for (int32_t i = m->from->first; i < m->clip->frame_count; ++i)
        {
            if (missed(m, l, i)) continue;
            double now[2], given[2], depth = INFINITY;
            lowest(m->onto->skeleton, m->clip, i, &own, now);
            lowest(m->from->skeleton, m->from->clip, i, &other, given);
            for (int k = 0; k < 2; ++k)
                depth = fmin(depth, m->ground - now[k] - m->scale * fmax(m->source_ground - given[k], 0.0));
            if (100.0 * depth > 0.5) fail_msg("%s: foot %d is %g cm deep in frame %d", m->name, l, 100.0 * depth, i);
        }
    }
}

// Mean square of the angular acceleration of a joint in model space [rad^2/s^4], from the turns of two steps.
static double shake(const sft_skeleton* s, const sft_clip* clip, int32_t first, int32_t joint)
{
    double sum = 0.0;
    for (int32_t i = first + 1; i + 1 < clip->frame_count; ++i)
    {
        const sft_quatd a = joint_at(s, clip, i - 1, joint).r, b = joint_at(s, clip, i, joint).r,
                        c = joint_at(s, clip, i + 1, joint).r;
        const sft_v3d in = sft_quatd_log(sft_quatd_mul(b, sft_quatd_conjugate(a)));
        const sft_v3d out = sft_quatd_log(sft_quatd_mul(c, sft_quatd_conjugate(b)));
        const double step = sft_v3d_distance(in, out) / (clip->frame_time * clip->frame_time);
        sum += step * step;
    }
    return sum / fmax(1.0, clip->frame_count - first - 2);
}

// Feet shake no more than half as much again as the source's, which is all that they should do.
static void assert_calm(const moved* m)
{
    for (int l = 0; l < 2; ++l)
    {
        const double given = shake(m->from->skeleton, m->from->clip, m->from->first, m->from->rig->legs[l].heel);
        const double now = shake(m->onto->skeleton, m->clip, m->from->first, m->onto->rig->legs[l].heel);
        if (now > 1.5 * 1.5 * given)
            fail_msg("%s: foot %d shakes %g times as much as the source's", m->name, l, sqrt(now / given));
    }
}

// No further from where the transfer had the hips than `most` legs, and the last frame is the first again.
static void assert_on_the_spot(const moved* m, double most)
{
    const int32_t hips = m->onto->rig->hips, last = m->clip->frame_count - 1;
    for (int32_t i = 0; i <= last; ++i)
    {
        const sft_v3d a = joint_at(m->onto->skeleton, m->before, i, hips).t;
        const sft_v3d b = joint_at(m->onto->skeleton, m->clip, i, hips).t;
        const double off = hypot(b.x - a.x, b.z - a.z) / m->onto->rig->leg_length;
        if (off > most) fail_msg("%s: the hips are %g legs off the spot in frame %d", m->name, off, i);
    }
    for (int32_t j = 0; j < m->clip->joint_count; ++j)
    {
        const sft_v3d a = joint_at(m->onto->skeleton, m->clip, 0, j).t,
                      b = joint_at(m->onto->skeleton, m->clip, last, j).t;
        if (sft_v3d_distance(a, b) > 1e-3)
            fail_msg("%s: joint %d ends %g m from where it began", m->name, j, sft_v3d_distance(a, b));
    }
}

// ---- moving ----

static void move(const subject* from, const subject* onto, const char* name, moved* m)
{
    *m = (moved){.from = from, .onto = onto};
    snprintf(m->name, sizeof m->name, "%s", name);
    const sft_rig_pair rigs = {from->rig, onto->rig};
    sft_retarget_map* map = NULL;
    assert_int_equal(sft_retarget_map_create(&rigs, NULL, &map, NULL), SFT_OK);
    m->scale = sft_retarget_map_view(map)->scale;
    m->source_ground = ground_of(from);
    // A mesh stands on y = 0 in its file, on soles below its joints; joints alone stand where the source's do, scaled.
    m->ground = m->scale * m->source_ground;
    if (onto->mesh)
    {
        m->ground = INFINITY;
        for (int l = 0; l < 2; ++l)
        {
            const sole foot = sole_of(onto->rig, l);
            const sft_skeleton* s = onto->skeleton;
            for (int k = 0; k < 3; ++k)
                if (foot.joints[k] >= 0)
                    m->ground =
                        fmin(m->ground,
                             sft_skeleton_joint_model(s, s->rest_translations, s->rest_rotations, foot.joints[k]).t.y);
        }
    }
    sft_transfer_def transfer = sft_default_transfer_def();
    transfer.sole_lift = m->ground - m->scale * m->source_ground;
    assert_int_equal(sft_retarget_clip(&transfer, map, from->clip, NULL, &m->before, NULL), SFT_OK);
    assert_int_equal(sft_retarget_clip(&transfer, map, from->clip, NULL, &m->clip, NULL), SFT_OK);
    sft_mend_def def = sft_default_mend_def();
    def.source_ground = m->source_ground;
    def.ground = m->ground;
    def.first_frame = from->first;
    def.ground_velocity = from->mismatch.moving_ground ? from->mismatch.ground_velocity : sft_v3d_make(0, 0, 0);
    const sft_mend_input in = {.map = map, .rigs = rigs, .source_clip = from->clip, .labels = from->labels};
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, m->clip, NULL, &m->report), SFT_OK);
    sft_retarget_map_destroy(map);
}

static void drop(moved* m)
{
    sft_mend_report_release(&m->report, NULL);
    sft_clip_destroy(m->before, NULL);
    sft_clip_destroy(m->clip, NULL);
}

typedef struct clip_name
{
    const char *file, *clip;
    bool on_the_spot;
} clip_name;

static void test_retarget_mend__real_clips_stand_on_real_rigs(void** state)
{
    (void)state;
    static const clip_name SOURCES[] = {
        {"bvh/cmu_12_01_walk.bvh", NULL, false},       {"bvh/xia_angry_13_000.bvh", NULL, false},
        {"bvh/makehuman_walk1.bvh", NULL, false},      {"bvh/mocapbank_crlf.bvh", NULL, false},
        {"gltf/kaykit_Knight.glb", "Walking_A", true}, {"gltf/khronos_CesiumMan.gltf", NULL, true},
        {"bvh/cmu_05_20_dance_mb.bvh", NULL, false},   {"gltf/kaykit_Knight.glb", "Sit_Floor_Down", false}};
    static const char* const TARGETS[] = {"bvh/geno_stance_6ch.bvh", "gltf/m2m_rig-human.glb", "bvh/xsens_a_40fps.bvh"};
    bool any = false;
    for (size_t t = 0; t < sizeof TARGETS / sizeof *TARGETS; ++t)
    {
        subject onto;
        if (!load(TARGETS[t], NULL, &onto)) continue;
        for (size_t k = 0; k < sizeof SOURCES / sizeof *SOURCES; ++k)
        {
            subject from;
            moved m;
            char name[96];
            if (!load(SOURCES[k].file, SOURCES[k].clip, &from)) continue;
            any = true;
            snprintf(name, sizeof name, "%s onto %s", SOURCES[k].file, TARGETS[t]);
            move(&from, &onto, name, &m);
            assert_slide(&m);
            assert_depth(&m);
            assert_calm(&m);
            if (SOURCES[k].on_the_spot) assert_on_the_spot(&m, 0.1);
            drop(&m);
            release(&from);
        }
        release(&onto);
    }
    if (!any) skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_retarget_mend__real_clips_stand_on_real_rigs)};
    return cmocka_run_group_tests_name("test_retarget_mend_data", tests, NULL, NULL);
}
