// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The frontal solver against dense elimination, and the clean-up on rigs that are not plain bipeds.

#include "support/support.h"

#include "cleanup/front.h"

enum
{
    FRAMES = 40,
    LONG_LIVED = 9, // three of three
    MOST = FRAMES * 5 + LONG_LIVED
};

typedef struct system
{
    int size[FRAMES], base[FRAMES + 1];
    int unknowns;
    double h[MOST][MOST], b[MOST];
} system_of;

// H = sum of squares of random rows that couple three neighbouring frames and one long-lived group, plus a diagonal.
static void make_system(system_of* s, support_rng* rng)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < FRAMES; ++i)
    {
        s->size[i] = 1 + (int)support_uniform(rng, 0.0, 4.999);
        s->base[i + 1] = s->base[i] + s->size[i];
    }
    s->unknowns = s->base[FRAMES] + LONG_LIVED;
    for (int i = 0; i + 2 < FRAMES; ++i)
        for (int r = 0; r < 6; ++r)
        {
            double row[MOST] = {0};
            for (int k = s->base[i]; k < s->base[i + 3]; ++k)
                row[k] = support_uniform(rng, -1.0, 1.0);
            const int group = i / (FRAMES / 3 + 1);
            for (int k = 0; k < 3; ++k)
                row[s->base[FRAMES] + 3 * group + k] = support_uniform(rng, -1.0, 1.0);
            for (int a = 0; a < s->unknowns; ++a)
                for (int b = 0; row[a] != 0.0 && b < s->unknowns; ++b)
                    s->h[a][b] += row[a] * row[b];
        }
    for (int a = 0; a < s->unknowns; ++a)
    {
        s->h[a][a] += 0.5;
        s->b[a] = support_uniform(rng, -1.0, 1.0);
    }
}

static void dense_solve(system_of* s, double* x)
{
    const int n = s->unknowns;
    for (int p = 0; p < n; ++p)
        for (int r = p + 1; r < n; ++r)
        {
            const double m = s->h[r][p] / s->h[p][p];
            for (int c = p; c < n; ++c)
                s->h[r][c] -= m * s->h[p][c];
            s->b[r] -= m * s->b[p];
        }
    for (int p = n - 1; p >= 0; --p)
    {
        double sum = s->b[p];
        for (int c = p + 1; c < n; ++c)
            sum -= s->h[p][c] * x[c];
        x[p] = sum / s->h[p][p];
    }
}

// Adds the rows of frame i: its own block, its couplings to the next two frames and to all long-lived unknowns open.
static void assemble_frame(const system_of* s, cu_front* f, int i, const int32_t* columns)
{
    const int end = i + 3 <= FRAMES ? s->base[i + 3] : s->base[FRAMES];
    for (int a = s->base[i]; a < s->base[i + 1]; ++a)
    {
        const int32_t column = cu_front_column(f, a);
        f->rhs[column] += s->b[a];
        for (int b = a; b < end; ++b)
            cu_front_add(f, column, cu_front_column(f, b), s->h[a][b]);
        for (int k = 0; k < LONG_LIVED; ++k)
            if (columns[k] >= 0) cu_front_add(f, column, columns[k], s->h[a][s->base[FRAMES] + k]);
    }
}

static void front_solve(const system_of* s, cu_front* f, double* x)
{
    int32_t columns[LONG_LIVED];
    for (int k = 0; k < LONG_LIVED; ++k)
        columns[k] = -1;
    cu_front_reset(f, 0);
    cu_front_push(f, s->size[0]);
    cu_front_push(f, s->size[1]);
    // All long-lived unknowns couple with each other only through frames, but here they stay open to the end.
    for (int g = 0; g < 3; ++g)
    {
        const int32_t at = cu_front_open(f, 3, s->base[FRAMES] + 3 * g);
        for (int k = 0; k < 3; ++k)
            columns[3 * g + k] = at + k;
    }
    for (int a = 0; a < LONG_LIVED; ++a)
    {
        f->rhs[columns[a]] += s->b[s->base[FRAMES] + a];
        for (int b = a; b < LONG_LIVED; ++b)
            cu_front_add(f, columns[a], columns[b], s->h[s->base[FRAMES] + a][s->base[FRAMES] + b]);
    }
    for (int i = 0; i < FRAMES; ++i)
    {
        if (i + 2 < FRAMES) cu_front_push(f, s->size[i + 2]);
        assemble_frame(s, f, i, columns);
        cu_front_eliminate(f, s->size[i]);
    }
    // Out of order, as plants end.
    cu_front_close(f, columns[3], 3);
    cu_front_close(f, columns[0], 3);
    cu_front_close(f, columns[6], 3);
    cu_front_solve(f, x);
}

static void test_cleanup_front__agrees_with_dense_elimination(void** state)
{
    (void)state;
    support_rng rng = {11};
    system_of* s = malloc(sizeof *s);
    const cu_front_plan plan = {15, LONG_LIVED, (size_t)MOST * (15 + 12 + CU_FRONT_TAIL), FRAMES + LONG_LIVED + 1};
    void* memory = malloc(cu_front_bytes(&plan));
    assert_non_null(s);
    assert_non_null(memory);
    for (int round = 0; round < 20; ++round)
    {
        double x[MOST] = {0}, expected[MOST] = {0};
        cu_front front;
        make_system(s, &rng);
        cu_front_place(&front, &plan, memory);
        front_solve(s, &front, x);
        dense_solve(s, expected);
        // Rows are kept in single precision, so a few times 6e-8 of the answer's size.
        for (int k = 0; k < s->unknowns; ++k)
            assert_true(fabs(x[k] - expected[k]) < 2e-5);
    }
    free(memory);
    free(s);
}

// Unknowns that nothing depends on, among the frames and among the long-lived: they stay where they are, 0, and the
// rest is solved as if they were not there. One of them made every number of a clip's answer none.
static void test_cleanup_front__what_nothing_depends_on_stays(void** state)
{
    (void)state;
    support_rng rng = {12};
    system_of* s = malloc(sizeof *s);
    const cu_front_plan plan = {15, LONG_LIVED, (size_t)MOST * (15 + 12 + CU_FRONT_TAIL), FRAMES + LONG_LIVED + 1};
    void* memory = malloc(cu_front_bytes(&plan));
    assert_non_null(s);
    assert_non_null(memory);
    double x[MOST] = {0}, expected[MOST] = {0};
    cu_front front;
    make_system(s, &rng);
    const int loose[4] = {0, s->base[7], s->base[FRAMES] - 1, s->base[FRAMES] + 4};
    for (int k = 0; k < 4; ++k)
    {
        for (int a = 0; a < s->unknowns; ++a)
            s->h[a][loose[k]] = s->h[loose[k]][a] = 0.0;
        s->b[loose[k]] = 0.0;
    }
    cu_front_place(&front, &plan, memory);
    front_solve(s, &front, x);
    for (int k = 0; k < 4; ++k)
        s->h[loose[k]][loose[k]] = 1.0;
    dense_solve(s, expected);
    for (int k = 0; k < s->unknowns; ++k)
        assert_true(fabs(x[k] - expected[k]) < 2e-5);
    for (int k = 0; k < 4; ++k)
        assert_true(x[loose[k]] == 0.0);
    free(memory);
    free(s);
}

// ---- rigs ----

enum
{
    RIG_LEGS = 8,
    RIG_FRAMES = 120,
    PER_LEG = 6, // hip, knee, ankle, heel, toe, toe end
    RIG_JOINTS = 1 + RIG_LEGS * PER_LEG
};

typedef struct rig
{
    sft_skeleton* skeleton;
    sft_clip* clip;
    sft_leg legs[RIG_LEGS];
    sft_contact_labels* labels;
    int legs_used;
} rig;

// A body on so many legs that slides along while they swing; heel joints hang below the ankle and never turn.
static rig rig_create(int legs, support_rng* rng)
{
    static const double OFFSET[PER_LEG][3] = {{0, 0, 0},         {0, -0.4, 0.02}, {0, -0.4, -0.04},
                                              {0, -0.03, -0.05}, {0, -0.05, 0.2}, {0, 0, 0.07}};
    rig r;
    memset(&r, 0, sizeof r);
    r.legs_used = legs;
    const int joints = 1 + legs * PER_LEG;
    const char* names[RIG_JOINTS];
    int32_t parents[RIG_JOINTS];
    sft_v3d rest[RIG_JOINTS];
    names[0] = "body";
    parents[0] = -1;
    rest[0] = sft_v3d_make(0, 0.9, 0);
    for (int j = 1; j < joints; ++j)
    {
        const int l = (j - 1) / PER_LEG, k = (j - 1) % PER_LEG;
        names[j] = "joint";
        parents[j] = k == 0 ? 0 : j - 1;
        rest[j] = k == 0 ? sft_v3d_make(l % 2 ? -0.1 : 0.1, 0, -0.3 * (l / 2))
                         : sft_v3d_make(OFFSET[k][0], OFFSET[k][1], OFFSET[k][2]);
    }
    sft_skeleton def = {joints, names, parents, NULL, rest, NULL};
    assert_int_equal(sft_skeleton_create(&def, NULL, &r.skeleton), SFT_OK);
    assert_int_equal(sft_clip_create(joints, RIG_FRAMES, 1.0 / 60.0, NULL, &r.clip), SFT_OK);
    assert_int_equal(sft_contact_labels_create(RIG_FRAMES, legs, NULL, &r.labels), SFT_OK);
    for (int l = 0; l < legs; ++l)
    {
        const int32_t hip = 1 + l * PER_LEG;
        r.legs[l] = (sft_leg){.side = l % 2 ? SFT_LEG_RIGHT : SFT_LEG_LEFT,
                              .pair = l / 2,
                              .pelvis = 0,
                              .hip = hip,
                              .knee = hip + 1,
                              .heel = hip + 3,
                              .toe = hip + 4,
                              .toe_end = hip + 5,
                              .knee_side = {1, 0, 0}};
    }
    const double phase = support_uniform(rng, 0.0, 1.0);
    for (int i = 0; i < RIG_FRAMES; ++i)
    {
        sft_v3d* t = r.clip->translations + i * joints;
        sft_quatd* q = r.clip->rotations + i * joints;
        for (int j = 0; j < joints; ++j)
        {
            t[j] = rest[j];
            q[j] = sft_quatd_identity();
        }
        t[0] = sft_v3d_make(0.02 * sin(0.05 * i), 0.85 + 0.01 * sin(0.2 * i), 0.012 * i);
        for (int l = 0; l < legs; ++l)
        {
            const double swing = sin(0.12 * i + 3.14159 * l + phase);
            const int32_t hip = r.legs[l].hip;
            q[hip] = sft_quatd_exp(sft_v3d_make(-0.2 - 0.25 * swing, 0, 0));
            q[hip + 1] = sft_quatd_exp(sft_v3d_make(0.4 + 0.2 * swing, 0, 0));
            q[hip + 2] = sft_quatd_exp(sft_v3d_make(-0.2, 0, 0));
            r.labels->plant[l * RIG_FRAMES + i] = cos(0.12 * i + 3.14159 * l + phase) > 0.1 ? 1.0f : 0.0f;
        }
    }
    return r;
}

static void rig_release(rig* r)
{
    sft_contact_labels_destroy(r->labels, NULL);
    sft_clip_destroy(r->clip, NULL);
    sft_skeleton_destroy(r->skeleton, NULL);
}

static sft_v3d rig_toe(const rig* r, int leg, int frame)
{
    const size_t base = (size_t)frame * (size_t)r->clip->joint_count;
    return sft_skeleton_joint_model(r->skeleton, r->clip->translations + base, r->clip->rotations + base,
                                    r->legs[leg].toe)
        .t;
}

static void test_cleanup_front__any_number_of_legs_stands(void** state)
{
    (void)state;
    support_rng rng = {5};
    const int counts[5] = {1, 2, 4, 6, 8};
    for (int c = 0; c < 5; ++c)
    {
        rig r = rig_create(counts[c], &rng);
        const sft_cleanup_def def = sft_default_cleanup_def();
        sft_cleanup_report report;
        assert_int_equal(sft_cleanup_clip(&def, r.skeleton, r.legs, counts[c], r.labels, NULL, r.clip, NULL, &report),
                         SFT_OK);
        assert_true(report.converged);
        assert_int_equal(report.miss_count, 0);
        for (int l = 0; l < counts[c]; ++l)
            for (int i = 1; i < RIG_FRAMES; ++i)
                if (r.labels->plant[l * RIG_FRAMES + i] > 0.75f)
                    assert_true(sft_v3d_distance(rig_toe(&r, l, i), rig_toe(&r, l, i - 1)) < 1e-9);
        sft_cleanup_report_release(&report, NULL);
        rig_release(&r);
    }
}

// The heel joint of such rigs is welded to the ankle by a short bone: it must not begin to turn.
static void test_cleanup_front__foot_turns_at_the_ankle_not_at_a_welded_heel(void** state)
{
    (void)state;
    support_rng rng = {6};
    rig r = rig_create(2, &rng);
    uint8_t changed[RIG_JOINTS] = {0};
    const sft_cleanup_def def = sft_default_cleanup_def();
    assert_int_equal(sft_cleanup_clip(&def, r.skeleton, r.legs, 2, r.labels, NULL, r.clip, changed, NULL), SFT_OK);
    for (int l = 0; l < 2; ++l)
    {
        assert_int_equal(changed[r.legs[l].hip + 2], 1);
        assert_int_equal(changed[r.legs[l].heel], 0);
    }
    rig_release(&r);
}

static void test_cleanup_front__rigs_without_toe_end_or_toe(void** state)
{
    (void)state;
    support_rng rng = {7};
    rig r = rig_create(2, &rng);
    for (int l = 0; l < 2; ++l)
    {
        r.legs[l].toe_end = -1;
        r.legs[l].heel = r.legs[l].hip + 2; // the ankle, with the heel's end as the lockable point
        r.legs[l].toe = r.legs[l].hip + 3;
    }
    const sft_cleanup_def def = sft_default_cleanup_def();
    sft_cleanup_report report;
    assert_int_equal(sft_cleanup_clip(&def, r.skeleton, r.legs, 2, r.labels, NULL, r.clip, NULL, &report), SFT_OK);
    assert_int_equal(report.miss_count, 0);
    for (int l = 0; l < 2; ++l)
        for (int i = 1; i < RIG_FRAMES; ++i)
            if (r.labels->plant[l * RIG_FRAMES + i] > 0.75f)
                assert_true(sft_v3d_distance(rig_toe(&r, l, i), rig_toe(&r, l, i - 1)) < 1e-9);
    sft_cleanup_report_release(&report, NULL);
    rig_release(&r);
}

// Zero-length bones and a foot without length: finite, and bones keep their lengths.
static void test_cleanup_front__degenerate_bones_stay_finite(void** state)
{
    (void)state;
    support_rng rng = {8};
    for (int kind = 0; kind < 3; ++kind)
    {
        rig r = rig_create(2, &rng);
        for (int i = 0; i < RIG_FRAMES; ++i)
            for (int l = 0; l < 2; ++l)
            {
                sft_v3d* t = r.clip->translations + i * r.clip->joint_count + r.legs[l].hip;
                if (kind == 0) t[1] = sft_v3d_make(0, 0, 0);        // thigh
                if (kind == 1) t[2] = sft_v3d_make(0, 0, 0);        // shin
                if (kind == 2) t[3] = t[4] = sft_v3d_make(0, 0, 0); // foot
            }
        const sft_cleanup_def def = sft_default_cleanup_def();
        assert_int_equal(sft_cleanup_clip(&def, r.skeleton, r.legs, 2, r.labels, NULL, r.clip, NULL, NULL), SFT_OK);
        const size_t count = (size_t)r.clip->joint_count * RIG_FRAMES;
        for (size_t k = 0; k < count; ++k)
        {
            assert_true(sft_v3d_in_range(r.clip->translations[k]));
            assert_true(fabs(sft_quatd_dot(r.clip->rotations[k], r.clip->rotations[k]) - 1.0) < 1e-9);
        }
        rig_release(&r);
    }
}

// Random labels, random scale: whatever comes in, the answer is finite, and what is not named stands.
static void test_cleanup_front__random_labels_never_break_it(void** state)
{
    (void)state;
    support_rng rng = {9};
    for (int round = 0; round < 40; ++round)
    {
        rig r = rig_create(2, &rng);
        bool on = false;
        for (int k = 0; k < 2 * RIG_FRAMES; ++k)
        {
            if (support_uniform(&rng, 0.0, 1.0) < 0.15) on = !on;
            r.labels->plant[k] = on ? 1.0f : 0.0f;
        }
        sft_cleanup_def def = sft_default_cleanup_def();
        def.give_way = (sft_give_way)(round % 3);
        def.loop = round % 2 == 1;
        sft_cleanup_report report;
        assert_int_equal(sft_cleanup_clip(&def, r.skeleton, r.legs, 2, r.labels, NULL, r.clip, NULL, &report), SFT_OK);
        uint8_t named[2][RIG_FRAMES] = {{0}};
        for (int32_t k = 0; k < report.miss_count; ++k)
            named[report.misses[k].foot][report.misses[k].frame] = 1;
        for (int l = 0; l < 2; ++l)
            for (int i = 1; i < RIG_FRAMES; ++i)
            {
                const float* plant = r.labels->plant + l * RIG_FRAMES + i;
                const double step = sft_v3d_distance(rig_toe(&r, l, i), rig_toe(&r, l, i - 1));
                assert_true(step < 2.0);
                if (plant[0] > 0.75f && plant[-1] > 0.75f && !named[l][i] && !named[l][i - 1])
                    if (step > 1e-4)
                        fail_msg("round %d leg %d frame %d: %g m, %d %d steps residual %g loop %d", round, l, i, step,
                                 report.converged, report.iterations, report.residual_m, report.loop_closed);
            }
        sft_cleanup_report_release(&report, NULL);
        rig_release(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cleanup_front__agrees_with_dense_elimination),
        cmocka_unit_test(test_cleanup_front__what_nothing_depends_on_stays),
        cmocka_unit_test(test_cleanup_front__any_number_of_legs_stands),
        cmocka_unit_test(test_cleanup_front__foot_turns_at_the_ankle_not_at_a_welded_heel),
        cmocka_unit_test(test_cleanup_front__rigs_without_toe_end_or_toe),
        cmocka_unit_test(test_cleanup_front__degenerate_bones_stay_finite),
        cmocka_unit_test(test_cleanup_front__random_labels_never_break_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
