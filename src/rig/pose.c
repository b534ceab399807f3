// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Which pose the reference pose is made from. Rest poses of files are T, A or I poses, or knots and bundles that mean
// nothing, or some frame of a motion. What does not read as an upright figure with its limbs apart gives way to the
// frame of the clip that does best, or to the mean of the clip's frames: a walk's mean stands straight and even, though
// none of its frames does.

#include "rig/rig_internal.h"

// From here on a rest pose is believed (of animals, whose legs may stand in many ways, earlier), and another pose must
// be better by this. Rest poses of real files that are one have 0.92 and more, those that are a frame of a motion or a
// knot 0.68 and less, their better poses 0.87 and more (measured 2026).
#define GOOD 0.8
#define GOOD_ANIMAL 0.35
#define BETTER 0.05
// Frames that the mean is made of.
#define SAMPLES 64

// 0 at `none`, 1 at `full`, straight in between.
static double ramp(double x, double none, double full)
{
    return sft_clampd((x - none) / (full - none), 0.0, 1.0);
}

static double straightness(const sft_xformd* pose, int32_t a, int32_t b, int32_t c)
{
    const double way = sft_v3d_length(sft_rig_between(pose, a, b)) + sft_v3d_length(sft_rig_between(pose, b, c));
    return way > 1e-5 ? sft_v3d_length(sft_rig_between(pose, a, c)) / way : 0.0;
}

// Legs straight and down, each.
static double score_legs(const sft_rig_build* build, const sft_xformd* pose, sft_quatd turn)
{
    double sum = 0.0, count = 0.0;
    for (int32_t i = 0; i < build->leg_count; ++i)
    {
        const sft_leg* leg = &build->legs[i];
        const sft_v3d down = sft_quatd_rotate(turn, sft_rig_unit(sft_rig_between(pose, leg->hip, leg->heel)));
        const sft_v3d tip = sft_quatd_rotate(turn, sft_rig_unit(sft_rig_between(pose, leg->hip, leg->toe)));
        sum += build->body.animal
                   ? ramp(-tip.y, 0.0, 0.2)
                   : ramp(straightness(pose, leg->hip, leg->knee, leg->heel), 0.7, 0.95) * ramp(-down.y, 0.7, 0.9);
        count += 1.0;
    }
    return count > 0.0 ? sum / count : 1.0;
}

// Arms straight, and best out to the sides; hanging is nearly as good, crossing over worst.
static double score_arms(const sft_rig_build* build, const sft_xformd* pose, sft_quatd turn)
{
    double sum = 0.0, count = 0.0;
    for (int side = 0; side < 2; ++side)
    {
        const sft_rig_arm* arm = &build->body.arms[side];
        if (arm->hand < 0) continue;
        const sft_v3d v = sft_quatd_rotate(turn, sft_rig_unit(sft_rig_between(pose, arm->upper, arm->hand)));
        const double out = side == 0 ? v.x : -v.x;
        const double place = out < -0.2 ? 0.2 : v.y > 0.6 ? 0.3 : out > 0.6 ? 1.0 : v.y < -0.6 ? 0.9 : 0.8;
        sum += place * (0.5 + 0.5 * ramp(straightness(pose, arm->upper, arm->fore, arm->hand), 0.6, 0.95));
        count += 1.0;
    }
    return count > 0.0 ? sum / count : 1.0;
}

static double couple_apart(const sft_xformd* pose, sft_quatd turn, sft_v3d middle, int32_t left, int32_t right)
{
    const sft_v3d a = sft_quatd_rotate(turn, sft_v3d_sub(pose[left].t, middle));
    const sft_v3d b = sft_quatd_rotate(turn, sft_v3d_sub(pose[right].t, middle));
    return sft_v3d_distance(a, sft_v3d_make(-b.x, b.y, b.z));
}

// Left and right as mirror images, measured in leg lengths.
static double score_symmetry(const sft_rig_build* build, const sft_xformd* pose, sft_quatd turn)
{
    const sft_rig_arm* arms = build->body.arms;
    double sum = 0.0, count = 0.0, size = 0.0;
    for (int32_t i = 0; i + 1 < build->leg_count; i += 2)
    {
        const sft_leg *a = &build->legs[i], *b = &build->legs[i + 1];
        if (a->side == b->side || a->pair != b->pair) continue;
        const sft_v3d middle = sft_v3d_lerp(pose[a->hip].t, pose[b->hip].t, 0.5);
        sum += couple_apart(pose, turn, middle, a->knee, b->knee) + couple_apart(pose, turn, middle, a->toe, b->toe);
        count += 2.0;
        size = sft_v3d_length(sft_rig_between(pose, a->hip, a->knee)) +
               sft_v3d_length(sft_rig_between(pose, a->knee, a->heel));
        if (i > 0 || arms[0].hand < 0 || arms[1].hand < 0) continue;
        sum += couple_apart(pose, turn, middle, arms[0].fore, arms[1].fore) +
               couple_apart(pose, turn, middle, arms[0].hand, arms[1].hand);
        count += 2.0;
    }
    return size > 1e-5 ? 1.0 - ramp(sum / (count * size), 0.1, 0.6) : 1.0;
}

static double score_trunk(const sft_rig_build* build, const sft_xformd* pose, sft_quatd turn)
{
    const sft_rig_body* body = &build->body;
    const sft_v3d up = sft_quatd_rotate(turn, sft_rig_unit(sft_rig_trunk(build, pose)));
    double score = sft_v3d_length(up) > 0.5 ? ramp(up.y, 0.6, 0.9) : 1.0;
    // Shoulders above hips, not turned against them.
    const sft_v3d across =
        sft_quatd_rotate(turn, sft_rig_unit(sft_rig_between(pose, body->arms[1].upper, body->arms[0].upper)));
    if (sft_v3d_length(across) > 0.5) score *= 0.5 + 0.5 * ramp(across.x, 0.7, 0.97);
    return score;
}

double sft_rig_score(const sft_rig_build* build, const sft_xformd* pose)
{
    if (build->leg_count == 0) return 0.0;
    const sft_quatd whole = sft_rig_whole_turn(build, pose);
    const double facing = sft_rig_facing(build, pose, whole);
    const sft_quatd turn = sft_quatd_mul(sft_quatd_exp(sft_v3d_make(0, facing, 0)), whole);
    const double legs = score_legs(build, pose, turn), symmetry = score_symmetry(build, pose, turn);
    if (build->body.animal) return legs * (0.3 + 0.7 * symmetry);
    return legs * score_trunk(build, pose, turn) * (0.2 + 0.8 * score_arms(build, pose, turn)) * (0.3 + 0.7 * symmetry);
}

// ---- candidates ----

static sft_result copy_pose(sft_rig_build* build, const sft_v3d* t, const sft_quatd* r)
{
    for (int32_t j = 0; j < build->skeleton->joint_count; ++j)
    {
        const double length = sft_quatd_dot(r[j], r[j]);
        if (!sft_v3d_in_range(t[j]) || !(length > 0.25 && length < 4.0)) return SFT_ERR_RANGE;
        build->base_t[j] = t[j];
        build->base_r[j] = r[j];
    }
    return SFT_OK;
}

static sft_result copy_rest(sft_rig_build* build)
{
    build->pose_frame = SFT_RIG_POSE_REST;
    return copy_pose(build, build->skeleton->rest_translations, build->skeleton->rest_rotations);
}

static sft_result copy_frame(sft_rig_build* build, int32_t frame)
{
    const size_t row = (size_t)frame * (size_t)build->skeleton->joint_count;
    build->pose_frame = frame;
    return copy_pose(build, build->clip->translations + row, build->clip->rotations + row);
}

bool sft_rig_stands(const sft_rig_build* build)
{
    return build->pose_frame == SFT_RIG_POSE_REST || build->pose_frame == SFT_RIG_POSE_GIVEN;
}

// Mean of the frames' local rotations; of the hips as seen from the way the figure faces, which a clip may change. What
// is above the hips stays as the best frame has it.
static void make_mean(sft_rig_build* build)
{
    const sft_skeleton* skeleton = build->skeleton;
    const sft_clip* clip = build->clip;
    const int32_t n = skeleton->joint_count, frames = clip->frame_count, hips = build->body.hips;
    const int32_t count = frames < SAMPLES ? frames : SAMPLES;
    sft_quatd* sums = build->change; // not in use yet
    double ahead = 0.0, aside = 0.0;
    memset(sums, 0, (size_t)n * sizeof *sums);
    for (int32_t k = 0; k < count; ++k)
    {
        const int32_t frame = count > 1 ? (int32_t)((int64_t)k * (frames - 1) / (count - 1)) : 0;
        const size_t row = (size_t)frame * (size_t)n;
        sft_skeleton_forward(skeleton, clip->translations + row, clip->rotations + row, build->scratch);
        const double facing = sft_rig_facing(build, build->scratch, sft_quatd_identity());
        ahead += sft_cos(facing);
        aside += sft_sin(facing);
        for (int32_t j = 0; j < n; ++j)
            if (j == hips)
                sft_rig_add_turn(&sums[j],
                                 sft_quatd_mul(sft_quatd_exp(sft_v3d_make(0, facing, 0)), build->scratch[j].r));
            else
                sft_rig_add_turn(&sums[j], clip->rotations[row + (size_t)j]);
    }
    (void)copy_frame(build, build->seen.best);
    sft_skeleton_forward(skeleton, build->base_t, build->base_r, build->scratch);
    // A pelvis swings about the way the figure goes: where it keeps one, that is its facing.
    const bool keeps = ahead * ahead + aside * aside > 0.64 * (double)count * (double)count;
    const double facing = keeps ? sft_atan2(aside, ahead) : sft_rig_facing(build, build->scratch, sft_quatd_identity());
    for (int32_t j = 0; j < n; ++j)
        if (j == hips)
        {
            const int32_t p = skeleton->parents[j];
            const sft_quatd above = p < 0 ? sft_quatd_identity() : build->scratch[p].r;
            const sft_quatd model =
                sft_quatd_mul(sft_quatd_exp(sft_v3d_make(0, -facing, 0)), sft_quatd_normalize(sums[j]));
            build->base_r[j] = sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(above), model));
        }
        else if (!sft_rig_is_below(skeleton, hips, j))
            build->base_r[j] = sft_quatd_normalize(sums[j]);
    build->pose_frame = SFT_RIG_POSE_MEAN;
}

// The body is carried level over bent legs: a bird.
static bool is_level(const sft_rig_build* build, const sft_xformd* pose)
{
    const sft_rig_body* body = &build->body;
    if (body->leg[0] < 0 || body->leg[1] < 0) return false;
    const int32_t top = body->neck >= 0 ? body->neck : body->chest;
    const sft_v3d trunk = sft_rig_unit(sft_rig_between(pose, body->hips, top));
    if (!(sft_v3d_length(trunk) > 0.5) || trunk.y > 0.5) return false;
    for (int side = 0; side < 2; ++side)
    {
        const sft_leg* leg = &build->legs[body->leg[side]];
        if (-sft_rig_unit(sft_rig_between(pose, leg->hip, leg->toe)).y < 0.7) return false;
        if (straightness(pose, leg->hip, leg->knee, leg->heel) > 0.97) return false;
    }
    return true;
}

static sft_result choose_auto(sft_rig_build* build)
{
    sft_skeleton_forward(build->skeleton, build->base_t, build->base_r, build->base);
    const double rest = sft_rig_score(build, build->base);
    if (rest >= (build->body.animal ? GOOD_ANIMAL : GOOD)) return SFT_OK;
    if (build->leg_count == 0 || build->seen.best < 0 || build->body.hips < 0) return SFT_OK;
    make_mean(build);
    sft_skeleton_forward(build->skeleton, build->base_t, build->base_r, build->base);
    const double mean = sft_rig_score(build, build->base), frame = build->seen.best_score;
    if (sft_maxd(mean, frame) < rest + BETTER) return copy_rest(build);
    if (mean > frame) return SFT_OK;
    return copy_frame(build, build->seen.best);
}

static void say_base(sft_rig_build* build, int32_t wanted)
{
    const int32_t f = build->pose_frame;
    if (wanted >= 0)
        sft_rig_say(build, "frame %d, as given", f);
    else if (wanted == SFT_RIG_POSE_MEAN)
        sft_rig_say(build, "mean of the frames, as given", 0);
    else if (f == SFT_RIG_POSE_MEAN)
        sft_rig_say(build, "mean of the frames: the rest pose is no standing figure", 0);
    else if (f >= 0)
        sft_rig_say(build, "frame %d: the rest pose is no standing figure", f);
    else
        sft_rig_say(build, "rest pose", 0);
}

sft_result sft_rig_choose_base(sft_rig_build* build, const sft_rig_def* def)
{
    const bool given = def->base_r != NULL;
    const int32_t wanted = def->pose_frame;
    sft_result result = given ? copy_pose(build, def->base_t, def->base_r) : copy_rest(build);
    if (result != SFT_OK) return result;
    sft_skeleton_forward(build->skeleton, build->base_t, build->base_r, build->base);
    if (is_level(build, build->base))
    {
        build->body.animal = build->body.wings = true;
        build->body.leg[0] = build->body.leg[1] = -1;
    }
    if (given)
    {
        build->pose_frame = SFT_RIG_POSE_GIVEN;
        sft_rig_say(build, "pose of its character", 0);
        return SFT_OK;
    }
    result = sft_rig_watch(build);
    if (result != SFT_OK) return result;
    if (wanted >= 0)
        result = copy_frame(build, wanted);
    else if (wanted == SFT_RIG_POSE_MEAN)
        make_mean(build);
    else if (wanted == SFT_RIG_POSE_AUTO)
        result = choose_auto(build);
    if (result != SFT_OK) return result;
    say_base(build, wanted);
    sft_rig_take_hidden_turns(build);
    return result;
}
