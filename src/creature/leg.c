// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A leg from hip and foot alone, in closed form: triangles by the law of cosines (prepare_leg.c says which), their half
// angles as square roots of factored differences, so that neither full stretch nor a folded leg loses digits. The plane
// of the bend is the rest pose's, carried by what carries the hip and then by the least turn that takes the leg's rest
// direction to where the foot is: smooth everywhere but straight opposite to the rest direction.
//
// There, and only there, the state is asked: within ANTIPODE of it the plane never turns faster than the foot goes
// round the hip, and comes back to its own at half that rate, as in sft_ik_two_bone_place.

#include "creature/creature.h"

// Cosine of the angle from the rest direction beyond which the plane is remembered: 120 degrees.
#define ANTIPODE (-0.5)
#define RETURN 0.5
// A triangle whose sides are no longer together than its chord, but for this part, is straight: the angles of what is
// left would be those of rounding, of 1e-8 rad, and not agree with each other.
#define FLAT 1e-13

// q turned about its own z by the angle of half-angle cosine c and sine s.
SFT_INLINE sft_quatd turn_z(sft_quatd q, double c, double s)
{
    return (sft_quatd){q.x * c + q.y * s, q.y * c - q.x * s, q.z * c + q.w * s, q.w * c - q.z * s};
}

// Half angles of a triangle at the two ends of its chord: cosines and sines.
typedef struct corners
{
    double cosines[2], sines[2];
} corners;

// Of the sides a and b, over a chord, which comes out as they allow it: what no triangle has, the nearest has. The tiny
// part of a + b keeps a division finite.
SFT_INLINE corners corners_of(double a, double b, double chord, double* c)
{
    double sum = a + b;
    *c = sft_clampd(chord, sft_maxd(fabs(a - b), 1e-4 * sum), sum);
    if (sum - *c <= FLAT * sum) return (corners){{1, 1}, {0, 0}};
    double all = sum + *c, over = sum - *c, first = sft_maxd(a - b + *c, 0), second = sft_maxd(b - a + *c, 0);
    double at_a = 1 / (4 * a * *c), at_b = 1 / (4 * b * *c);
    return (corners){{sqrt(first * all * at_a), sqrt(second * all * at_b)},
                     {sqrt(second * over * at_a), sqrt(first * over * at_b)}};
}

void sft_creature_fold_chords(const sft_creature_limb* limb, double reach, double* chords)
{
    double square = sft_mind(reach, limb->length) * sft_mind(reach, limb->length),
           rest = limb->rest_reach * limb->rest_reach;
    chords[0] = reach;
    double fold = limb->fold_reach * limb->fold_reach;
    double past = square < rest && fold < rest ? sft_mind((rest - square) / (rest - fold), 1) : 0;
    double part = limb->fold_part, t = past / (part + sqrt(part * part + (1 - 2 * part) * past));
    for (int32_t i = 1; i < limb->fold_count; ++i)
    {
        const sft_creature_fold* f = &limb->folds[i];
        double bent = (1 - t) * ((1 - t) * f->rest + 2 * t * f->control) + t * t * f->fold;
        chords[i] = sqrt(square >= rest ? f->rest + f->slope * (square - rest) : bent);
    }
}

double sft_creature_place_sides(const sft_creature_fold* f, const double* chords, double chord, sft_quatd frame,
                                sft_quatd sides[2])
{
    double a = f->sides[0] < 0 ? f->lengths[0] : chords[f->sides[0]];
    double b = f->sides[1] < 0 ? f->lengths[1] : chords[f->sides[1]];
    double c;
    corners k = corners_of(a, b, chord, &c);
    sides[0] = turn_z(frame, k.cosines[0], k.sines[0]);
    sides[1] = turn_z(frame, k.cosines[1], -k.sines[1]);
    return c;
}

static double angle_from(sft_v3d a, sft_v3d b)
{
    return sft_atan2(sft_v3d_length(sft_v3d_cross(a, b)), sft_v3d_dot(a, b));
}

// The plane near the antipode, or on the way back from it: `turn` takes the leg's rest frame to `axis`.
static sft_quatd remembered_plane(sft_quatd turn, sft_v3d axis, sft_ik_bend* memory)
{
    bool near = axis.x < ANTIPODE;
    sft_v3d wanted = sft_quatd_rotate(turn, sft_v3d_make(0, 1, 0)), bend = wanted;
    if (sft_v3d_dot(memory->axis, memory->axis) > 0.25)
    {
        sft_v3d last = sft_quatd_rotate(sft_quatd_between(memory->axis, axis), memory->bend);
        last = sft_v3d_madd(last, -sft_v3d_dot(last, axis), axis);
        last = sft_v3d_normalize_or(last, sft_v3d_any_perp(axis));
        sft_v3d side = sft_v3d_cross(axis, last);
        double away = sft_atan2(sft_v3d_dot(wanted, side), sft_v3d_dot(wanted, last));
        double moved = angle_from(memory->axis, axis);
        if (fabs(away) > moved)
        {
            // Straight opposite both ways are as long: the positive one, whatever rounding says.
            double by = away < 0 && away > 1e-6 - SFT_PI ? -RETURN * moved : RETURN * moved;
            bend = sft_v3d_madd(sft_v3d_scale(sft_cos(by), last), sft_sin(by), side);
            near = true;
        }
    }
    *memory = near ? (sft_ik_bend){axis, bend} : (sft_ik_bend){{0, 0, 0}, {0, 0, 0}};
    double cosine = sft_clampd(sft_v3d_dot(wanted, bend), -1, 1);
    double sine = sqrt((1 - cosine) / 2) * (sft_v3d_dot(sft_v3d_cross(wanted, bend), axis) < 0 ? -1 : 1);
    return sft_quatd_normalize(sft_quatd_mul(turn, (sft_quatd){sine, 0, 0, sqrt((1 + cosine) / 2)}));
}

// The least turn of the leg's rest frame that takes x to where the foot is; `to` in that frame.
static sft_quatd swing_to(sft_v3d to, double reach, sft_ik_bend* memory)
{
    if (!(reach > 1e-12)) return sft_quatd_identity();
    double ahead = reach + to.x, square = to.y * to.y + to.z * to.z + ahead * ahead;
    sft_quatd turn;
    if (square > 1e-24 * reach * reach)
    {
        double s = 1 / sqrt(square);
        turn = (sft_quatd){0, -to.z * s, to.y * s, ahead * s};
    }
    else
        turn = (sft_quatd){0, 0, 1, 0};
    bool remembers = memory != NULL &&
                     (to.x < ANTIPODE * reach || memory->axis.x != 0 || memory->axis.y != 0 || memory->axis.z != 0);
    return remembers ? remembered_plane(turn, sft_v3d_scale(1 / reach, to), memory) : turn;
}

// Two segments: both angles of the one triangle from the same four differences.
static double turn_two(const sft_creature_limb* limb, const int32_t* joints, sft_quatd frame, double reach,
                       sft_quatd turn, sft_quatd foot, sft_quatd* local_r)
{
    const sft_creature_fold* f = limb->folds;
    double a = f->lengths[0], b = f->lengths[1], c;
    corners k = corners_of(a, b, reach, &c);
    sft_quatd second = turn_z(turn, k.cosines[1], -k.sines[1]);
    local_r[joints[0]] = sft_creature_about(&limb->axes[0], turn_z(turn, k.cosines[0], k.sines[0]));
    double cosine = k.cosines[0] * k.cosines[1] - k.sines[0] * k.sines[1];
    double sine = k.sines[0] * k.cosines[1] + k.cosines[0] * k.sines[1];
    local_r[joints[1]] = sft_creature_about_one(&limb->axes[1], &limb->axes[1].z, -sine, cosine);
    sft_quatd shin = sft_quatd_mul(frame, second);
    local_r[joints[2]] = sft_quatd_mul(limb->foot, sft_quatd_mul(sft_quatd_conjugate(shin), foot));
    return fabs(reach - c);
}

double sft_creature_turn_leg(const sft_creature_limb* limb, const int32_t* joints, sft_quatd frame, sft_v3d arm,
                             double reach, sft_quatd foot, sft_ik_bend* memory, sft_quatd* local_r)
{
    sft_quatd turn = swing_to(sft_quatd_unrotate(frame, arm), reach, memory);
    if (limb->fold_count == 1) return turn_two(limb, joints, frame, reach, turn, foot, local_r);
    double chords[SFT_CREATURE_LEG_JOINTS - 2], reached = reach;
    sft_quatd folds[SFT_CREATURE_LEG_JOINTS - 2], frames[SFT_CREATURE_LEG_JOINTS];
    sft_creature_fold_chords(limb, reach, chords);
    folds[0] = turn;
    int32_t segments = limb->fold_count + 1;
    for (int32_t i = 0; i < limb->fold_count; ++i)
    {
        const sft_creature_fold* f = &limb->folds[i];
        sft_quatd sides[2];
        double c = sft_creature_place_sides(f, chords, chords[i], folds[i], sides);
        if (i == 0) reached = c;
        for (int32_t side = 0; side < 2; ++side)
        {
            int32_t n = f->sides[side];
            if (n < 0)
                frames[-1 - n] = sides[side];
            else
                folds[n] = sft_quatd_mul(sides[side], f->twist[side]);
        }
    }
    local_r[joints[0]] = sft_creature_about(&limb->axes[0], frames[0]);
    for (int32_t k = 1; k < segments; ++k)
    {
        sft_quatd bent = sft_quatd_mul(sft_quatd_conjugate(frames[k - 1]), frames[k]);
        local_r[joints[k]] = sft_creature_about(&limb->axes[k], bent);
    }
    sft_quatd last = sft_quatd_mul(frame, frames[segments - 1]);
    local_r[joints[segments]] = sft_quatd_mul(limb->foot, sft_quatd_mul(sft_quatd_conjugate(last), foot));
    return fabs(reach - reached);
}

double sft_creature_solve_leg(const sft_creature* creature, int32_t leg, const sft_xformd* carrier,
                              const sft_xformd* foot, sft_ik_bend* memory, sft_quatd* local_r)
{
    const sft_creature_limb* limb = &creature->limbs[leg];
    const int32_t* joints = creature->def.legs[leg].joints;
    sft_v3d hip = sft_xformd_apply(*carrier, creature->skeleton->rest_translations[joints[0]]);
    sft_v3d arm = sft_v3d_sub(foot->t, hip);
    return sft_creature_turn_leg(limb, joints, sft_quatd_mul(carrier->r, limb->in_carrier), arm, sft_v3d_length(arm),
                                 foot->r, memory, local_r);
}
