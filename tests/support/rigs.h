// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Skeletons of many kinds, written for the tests, with the legs a person would point at.
#ifndef SUREFOOT_SUPPORT_RIGS_H
#define SUREFOOT_SUPPORT_RIGS_H

#include "support/support.h"

#define RIG_JOINTS 256

typedef struct rig_leg
{
    int side; ///< -1 left, 1 right
    int pelvis, hip, knee, heel, toe, toe_end;
} rig_leg;

/// A skeleton under construction, metres, Y up, facing +Z unless it says otherwise.
typedef struct rig
{
    const char* title;
    int count;
    char names[RIG_JOINTS][40];
    int32_t parents[RIG_JOINTS];
    uint32_t flags[RIG_JOINTS];
    sft_v3d offsets[RIG_JOINTS];
    int leg_count;
    rig_leg legs[16];
    bool loose; ///< the joints along a leg are a matter of taste: only number, sides and order are fixed
} rig;

/// Joints of a pair of legs by name, `%` for the side's word. `name*` is the End Site of name; null: none.
typedef struct rig_leg_names
{
    const char *pelvis, *hip, *knee, *heel, *toe, *toe_end;
} rig_leg_names;

/// A rig as text, see rigs.c.
typedef struct rig_text
{
    const char* title;
    const char *left, *right; ///< words for %
    const char* text;
    rig_leg_names legs[5]; ///< hind to fore; ends with a null hip
    bool loose;
} rig_text;

/// A name with `%` replaced by the side's word.
void rig_side_name(const char* pattern, const char* side, char* out, size_t size);
/// Fills in the legs that the text names; aborts where a joint is not there.
void rig_name_legs(const rig_text* text, rig* out);

int rig_add(rig* r, int parent, const char* name, double x, double y, double z);
int rig_end(rig* r, int parent, double x, double y, double z);

/// Number of rigs, and the one with that index.
int rig_count(void);
void rig_make(int index, rig* out);

/// Animals, machines and things, the legs as rigs of modelling programs have them: no End Sites, wrappers, controls.
int creature_count(void);
void creature_make(int index, rig* out);

// What may be done to a rig without changing what its legs are.
void rig_rename(rig* r, support_rng* rng);  ///< names without meaning
void rig_shuffle(rig* r, support_rng* rng); ///< another order of joints, parents still first
void rig_scale(rig* r, double k);
void rig_turn_to(rig* r, sft_axis up); ///< offsets as a file with that up axis has them
void rig_mirror(rig* r);               ///< x becomes -x; sides by geometry swap
sft_skeleton* rig_skeleton(const rig* r);
/// The same rest pose with other axes in every joint: positions are kept, rotations are any. The roots' turns are those
/// of a wrapper that was folded into them.
sft_skeleton* rig_skeleton_rolled(const rig* r, support_rng* rng);

/// What the joints' own axes are: those of the rig; any; or each joint's first bone along +X or -X.
typedef enum rig_axes
{
    RIG_AXES_PLAIN = 0,
    RIG_AXES_RANDOM = 1,
    RIG_AXES_ALONG_X = 2,
    RIG_AXES_AGAINST_X = 3
} rig_axes;

/// The rig walking forward, legs swinging about X by `swing` [rad] and knees bending. With other axes than plain the
/// rest pose, all rotations zero, is a knot or a bundle; frames stay the same in model space. axes[joint] is then the
/// turn from joint space to the rig's axes in the rest pose (may be null).
void rig_animate(const rig* r, support_rng* rng, int frames, double swing, rig_axes kind, sft_quatd* axes,
                 sft_skeleton** skeleton, sft_clip** clip);

#endif
