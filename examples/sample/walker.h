// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A walking biped in closed form, for demos and tests: every position follows from a formula, so contacts are known
// exactly and not measured. Public headers only. Metres, seconds, radians, Y up; it walks along +Z (before `heading`).
//
// One cycle of a foot, as fractions of the stride's time:
//   0    to 0.08  heel rocker: the foot turns about the back of the heel, toe coming down        touch
//   0.08 to 0.40  flat: heel, toe and toe end stand still                                         plant, touch
//   0.40 to 0.60  heel off: the foot turns about the toe joint, which stands still, toes flat     plant, touch
//   0.60 to 1     swing: quintic in time, with position, velocity and acceleration joined at both ends
// The right foot is half a stride later. The legs are posed by plane trigonometry, so the clip reproduces the formulas
// of the feet to rounding.
#ifndef SUREFOOT_SAMPLE_WALKER_H
#define SUREFOOT_SAMPLE_WALKER_H

#include "surefoot/surefoot.h"

// Joint indices of the walker's skeleton.
enum
{
    WALKER_HIPS = 0,
    WALKER_LEFT_HIP = 1, // hip, knee, heel, toe and toe end follow one another
    WALKER_RIGHT_HIP = 6,
    WALKER_SPINE = 11,
    WALKER_JOINTS = 26
};

typedef struct walker_def
{
    int32_t frames;     // > 0, reference pose included; default 240
    double fps;         // default 60
    double speed;       // [m/s] > 0; default 1.3
    double step_length; // [m] > 0, one step; a stride is two; default 0.65
    double rise;        // [m] climbed a step: stairs with level treads; default 0
    double slope;       // [rad] of the ground along the way, feet tilted with it; default 0
    double heading;     // [rad] turns everything about the vertical; default 0
    double start;       // fraction of a cycle already done at frame 0; default 0
    bool treadmill;     // the ground moves instead of the walker; default false
    double root_scale;  // scales the horizontal travel of the hips joint, so that feet slide; default 1
    double hip_edit;    // [rad] slow swing added to both hips' rotations: slide that no travel explains; default 0
    double noise;       // [m] jitter of hips and toe targets, uniform in +-noise; default 0
    uint64_t seed;      // of the noise; default 1
    bool reference;     // frame 0 is a T-pose at the origin, the walk starts at frame 1; default false
} walker_def;

typedef struct walker
{
    sft_skeleton* skeleton;
    sft_clip* clip;
    sft_contact_labels labels; // true contacts: foot 0 left, 1 right; noise, scale and edits leave them alone
    sft_v3d ground_velocity;   // of planted feet: zero unless treadmill
    int32_t first_frame;       // 1 with a reference pose, else 0
    double stride_time;        // [s]
} walker;

// One foot at one time, by formula: before root scale, edits and noise. heel is the ankle joint.
typedef struct walker_foot
{
    sft_v3d heel, toe, toe_end;
    sft_quatd heel_r, toe_r; // model space
    bool plant, touch;
} walker_foot;

walker_def walker_default_def(void);

// The time of a frame of the walk proper is (frame - first_frame) / fps.
walker_foot walker_foot_at(const walker_def* def, int side, double time);

// The highest hips at which both legs reach their ankles all through a stride; NaN where none do. Searched for: ask
// once.
double walker_hips_height(const walker_def* def);

// Hips joint by formula, model space, before scale and noise; `height` from walker_hips_height.
sft_xformd walker_hips_at(const walker_def* def, double height, double time);

// Fails with SFT_ERR_RANGE for a def that cannot be walked (a step longer than the legs allow), SFT_ERR_MEMORY.
// Release with walker_release.
sft_result walker_create(const walker_def* def, walker* out);
void walker_release(walker* w);

#endif
