// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What names say of joints that structure left without meaning, and how well names and structure agree.

#include "core/core.h"
#include "rig/meaning.h"
#include "skeleton/joint_names.h"

// ---- names alone ----

// Which single joints a side has already.
typedef struct taken
{
    bool part[3][SFT_PART_TWIST + 1];
} taken;

static const uint32_t WHICH_ARM =
    SFT_NAME_CLAVICLE | SFT_NAME_UPPER_ARM | SFT_NAME_FOREARM | SFT_NAME_HAND | SFT_NAME_FINGER | SFT_NAME_SHOULDER;

static bool single(sft_part part)
{
    return part == SFT_PART_HIPS || part == SFT_PART_HEAD || part == SFT_PART_UPPER_ARM || part == SFT_PART_FOREARM ||
           part == SFT_PART_HAND || part == SFT_PART_THIGH || part == SFT_PART_SHIN || part == SFT_PART_FOOT;
}

static bool arm_below(const sft_reading* r, int32_t joint)
{
    const int32_t c = r->joints[joint].main;
    if (c < 0) return false;
    const uint32_t parts = r->joints[c].parts;
    return (parts & SFT_NAME_UPPER_ARM) != 0 || ((parts & SFT_NAME_ARM) != 0 && (parts & WHICH_ARM) == 0) ||
           ((parts & SFT_NAME_SHOULDER) != 0);
}

static sft_part arm_part(const sft_reading* r, int32_t joint)
{
    const uint32_t parts = r->joints[joint].parts;
    if ((parts & SFT_NAME_FINGER) != 0) return SFT_PART_FINGER;
    if ((parts & SFT_NAME_HAND) != 0) return r->joints[joint].digit >= 0 ? SFT_PART_FINGER : SFT_PART_HAND;
    if ((parts & SFT_NAME_FOREARM) != 0) return SFT_PART_FOREARM;
    if ((parts & SFT_NAME_UPPER_ARM) != 0) return SFT_PART_UPPER_ARM;
    if ((parts & SFT_NAME_CLAVICLE) != 0) return SFT_PART_CLAVICLE;
    if ((parts & SFT_NAME_SHOULDER) != 0) return arm_below(r, joint) ? SFT_PART_CLAVICLE : SFT_PART_UPPER_ARM;
    return SFT_PART_UPPER_ARM;
}

static sft_part leg_part(uint32_t parts)
{
    if ((parts & SFT_NAME_TOE) != 0) return SFT_PART_TOE;
    if ((parts & (SFT_NAME_FOOT | SFT_NAME_HEEL)) != 0) return SFT_PART_FOOT;
    if ((parts & SFT_NAME_SHIN) != 0) return SFT_PART_SHIN;
    return SFT_PART_THIGH;
}

// What a name says, by itself.
static sft_part named_part(const sft_reading* r, int32_t joint)
{
    const uint32_t parts = r->joints[joint].parts;
    const int side = r->joints[joint].side;
    // Arms may hang from a camera, but not in a body that is known.
    const bool skipped = (r->joints[joint].marks & SFT_READ_SKIP) != 0 && (parts & SFT_NAME_TAIL) == 0;
    if (skipped && (r->leg_count > 0 || (parts & SFT_NAME_LOOSE) != 0)) return SFT_PART_NONE;
    if ((parts & (SFT_NAME_HELPER | SFT_NAME_BESIDE)) != 0 || sft_read_is_end(r, joint)) return SFT_PART_NONE;
    if ((parts & SFT_NAME_TAIL) != 0) return SFT_PART_TAIL;
    if ((parts & SFT_NAME_TWIST) != 0) return SFT_PART_NONE;
    if ((parts & SFT_NAME_ARM) != 0) return side != 0 || r->leg_count == 0 ? arm_part(r, joint) : SFT_PART_NONE;
    const bool leg = (parts & SFT_NAME_ANY_LEG) != 0;
    if (leg && side != 0) return leg_part(parts);
    if ((parts & SFT_NAME_HIP) != 0 && side != 0) return SFT_PART_THIGH;
    if (side != 0) return SFT_PART_NONE;
    if ((parts & (SFT_NAME_PELVIS | SFT_NAME_HIP)) != 0) return SFT_PART_HIPS;
    if ((parts & SFT_NAME_SPINE) != 0) return SFT_PART_SPINE;
    if ((parts & SFT_NAME_NECK) != 0) return SFT_PART_NECK;
    if ((parts & SFT_NAME_HEAD) != 0) return SFT_PART_HEAD;
    return SFT_PART_NONE;
}

static sft_leg_side side_of(int side)
{
    return side < 0 ? SFT_LEG_LEFT : side > 0 ? SFT_LEG_RIGHT : SFT_LEG_MIDDLE;
}

// Parts that structure has an opinion on once the figure's legs are known.
static bool left_open(const sft_reading* r, sft_part part, sft_leg_side side)
{
    if (r->leg_count == 0) return true;
    const bool arms = r->arm[0] >= 0;
    switch (part)
    {
    case SFT_PART_CLAVICLE:
    case SFT_PART_UPPER_ARM:
    case SFT_PART_FOREARM:
    case SFT_PART_HAND:
    case SFT_PART_FINGER:
        return !arms && side != SFT_LEG_MIDDLE;
    case SFT_PART_TAIL:
        return true;
    default:
        return false;
    }
}

static void take(sft_reading* r, taken* t, int32_t joint, sft_part part, sft_leg_side side)
{
    sft_read_set(r, joint, part, side, 0);
    if (part == SFT_PART_FINGER) r->out[joint].digit = r->joints[joint].digit;
    t->part[side][part] = true;
    r->joints[joint].marks |= SFT_READ_NAMED;
}

// Lowest joint that all joints of a kind on both sides hang from, or are; -1 where one side has none.
static int32_t common_joint(const sft_reading* r, sft_part first, sft_part last)
{
    int32_t common = -1;
    bool sides[3] = {false, false, false};
    for (int32_t j = 0; j < r->skeleton->joint_count; ++j)
    {
        if (r->out[j].part < first || r->out[j].part > last) continue;
        const bool known = sides[0] || sides[1];
        sides[r->out[j].side] = true;
        int32_t a = j;
        if (!known) common = a;
        while (a != common && a >= 0 && common >= 0)
        {
            if (a > common)
                a = r->skeleton->parents[a];
            else
                common = r->skeleton->parents[common];
        }
        if (a != common) return -1;
    }
    return sides[SFT_LEG_LEFT] && sides[SFT_LEG_RIGHT] ? common : -1;
}

// Where names say limbs, the joints they hang from are hips and chest, and what lies between is the spine.
static void infer_trunk(sft_reading* r, taken* t)
{
    const sft_skeleton* s = r->skeleton;
    for (int32_t j = 0; j < s->joint_count && r->hips < 0; ++j)
        if (r->out[j].part == SFT_PART_HIPS) r->hips = j;
    const int32_t legs = common_joint(r, SFT_PART_THIGH, SFT_PART_FOOT);
    if (r->hips < 0 && legs >= 0 && r->out[legs].part == SFT_PART_NONE)
    {
        take(r, t, legs, SFT_PART_HIPS, SFT_LEG_MIDDLE);
        r->hips = legs;
    }
    if (r->hips < 0) return;
    const int32_t chest = common_joint(r, SFT_PART_UPPER_ARM, SFT_PART_HAND);
    if (chest >= 0 && sft_read_below(r, chest, r->hips))
        for (int32_t j = chest; j > r->hips; j = s->parents[j])
            if (r->out[j].part == SFT_PART_NONE) take(r, t, j, SFT_PART_SPINE, SFT_LEG_MIDDLE);
    for (int32_t j = s->parents[r->hips]; j >= 0; j = s->parents[j])
        if (r->out[j].part == SFT_PART_NONE) take(r, t, j, SFT_PART_ROOT, SFT_LEG_MIDDLE);
}

// A tail on a head is hair.
static bool may_carry_tail(const sft_reading* r, int32_t joint)
{
    if (joint < 0) return true;
    const sft_part part = r->out[joint].part;
    return part <= SFT_PART_NECK || part == SFT_PART_TAIL;
}

void sft_read_by_names(sft_reading* r)
{
    taken t = {0};
    const sft_skeleton* s = r->skeleton;
    for (int32_t j = 0; j < s->joint_count; ++j)
        if (r->out[j].part != SFT_PART_NONE) t.part[r->out[j].side][r->out[j].part] = true;
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        if (r->out[j].part != SFT_PART_NONE || sft_read_is_site(r, j)) continue;
        sft_part part = named_part(r, j);
        sft_leg_side side = side_of(r->joints[j].side);
        const int32_t p = s->parents[j];
        const bool in_hand = p >= 0 && (r->out[p].part == SFT_PART_HAND || r->out[p].part == SFT_PART_FINGER);
        // "middle" is a finger of a hand alone.
        if (part == SFT_PART_NONE && in_hand && r->joints[j].digit >= 0 && !sft_read_is_end(r, j))
        {
            part = SFT_PART_FINGER;
            side = r->out[p].side;
        }
        if (part == SFT_PART_NONE || !left_open(r, part, side)) continue;
        if (r->hips >= 0 && !(r->joints[j].marks & SFT_READ_INSIDE)) continue;
        // "hip, leg, foot": what is called a leg below a thigh is its shin.
        if (part == SFT_PART_THIGH && t.part[side][part] && (r->joints[j].parts & SFT_NAME_LEG) != 0)
            part = SFT_PART_SHIN;
        if (single(part) && t.part[side][part]) continue;
        if (part == SFT_PART_TAIL && !may_carry_tail(r, s->parents[j])) continue;
        take(r, &t, j, part, side);
    }
    if (r->leg_count == 0) infer_trunk(r, &t);
}

// ---- agreement ----

// Names that fit a part.
static uint32_t fitting(const sft_joint_meaning* m)
{
    const uint32_t fore = m->pair > 0 ? (uint32_t)SFT_NAME_ARM : 0u;
    switch (m->part)
    {
    case SFT_PART_ROOT:
        return SFT_NAME_ROOT | SFT_NAME_PELVIS | SFT_NAME_HIP;
    case SFT_PART_HIPS:
        return SFT_NAME_PELVIS | SFT_NAME_HIP;
    case SFT_PART_SPINE:
        return SFT_NAME_SPINE;
    case SFT_PART_NECK:
        return SFT_NAME_NECK;
    case SFT_PART_HEAD:
        return SFT_NAME_HEAD;
    case SFT_PART_CLAVICLE:
        return SFT_NAME_CLAVICLE | SFT_NAME_SHOULDER | SFT_NAME_WING;
    case SFT_PART_UPPER_ARM:
        return SFT_NAME_UPPER_ARM | SFT_NAME_SHOULDER | SFT_NAME_WING;
    case SFT_PART_FOREARM:
        return SFT_NAME_FOREARM | SFT_NAME_WING;
    case SFT_PART_HAND:
        return SFT_NAME_HAND | SFT_NAME_WING;
    case SFT_PART_FINGER:
        return SFT_NAME_FINGER | SFT_NAME_HAND | SFT_NAME_THUMB | SFT_NAME_INDEX | SFT_NAME_MIDDLE | SFT_NAME_RING |
               SFT_NAME_LITTLE | SFT_NAME_WING;
    case SFT_PART_THIGH:
        return SFT_NAME_THIGH | SFT_NAME_HIP | SFT_NAME_LEG | fore;
    case SFT_PART_SHIN:
        return SFT_NAME_SHIN | SFT_NAME_LEG | fore;
    case SFT_PART_FOOT:
        return SFT_NAME_FOOT | SFT_NAME_HEEL | SFT_NAME_LEG | fore;
    case SFT_PART_TOE:
        return SFT_NAME_TOE | SFT_NAME_FOOT | SFT_NAME_HEEL | SFT_NAME_LEG | fore;
    case SFT_PART_TAIL:
        return SFT_NAME_TAIL;
    case SFT_PART_TWIST:
        return SFT_NAME_TWIST;
    default:
        return 0;
    }
}

#define BODY_WORDS                                                                                                     \
    (SFT_NAME_ANY_LEG | SFT_NAME_HIP | SFT_NAME_ARM | SFT_NAME_LOOSE | SFT_NAME_PELVIS | SFT_NAME_SPINE |              \
     SFT_NAME_NECK | SFT_NAME_HEAD | SFT_NAME_BESIDE | SFT_NAME_HELPER | SFT_NAME_TWIST)

static bool other_side(const sft_reading* r, int32_t joint)
{
    const sft_leg_side side = r->out[joint].side;
    const int said = r->joints[joint].said_side;
    return (side == SFT_LEG_LEFT && said > 0) || (side == SFT_LEG_RIGHT && said < 0);
}

// 1 the name fits, -1 it says something else, 0 it says nothing.
static int agreement(const sft_reading* r, int32_t joint)
{
    const uint32_t parts = r->joints[joint].said;
    const sft_joint_meaning* m = &r->out[joint];
    if (other_side(r, joint)) return -1;
    if (m->part == SFT_PART_TWIST && m->carrier >= 0 && (parts & SFT_NAME_TWIST) == 0)
    {
        const uint32_t same = fitting(&r->out[m->carrier]);
        if ((parts & same) != 0) return 1;
    }
    if ((parts & fitting(m)) != 0) return 1;
    if ((m->part == SFT_PART_UPPER_ARM || m->part == SFT_PART_FOREARM) && (parts & SFT_NAME_ARM) != 0 &&
        (parts & WHICH_ARM) == 0)
        return 1;
    return (parts & (uint32_t)BODY_WORDS) != 0 ? -1 : 0;
}

bool sft_read_names_lie(const sft_reading* r)
{
    int32_t fit = 0, other = 0;
    for (int32_t j = 0; j < r->skeleton->joint_count; ++j)
    {
        if (r->out[j].part <= SFT_PART_ROOT) continue;
        const int agree = agreement(r, j);
        fit += agree > 0;
        other += agree < 0;
    }
    return other > fit;
}

static const char* called(uint32_t parts)
{
    static const struct
    {
        uint32_t part;
        const char* text;
    } words[] = {
        {SFT_NAME_HELPER, "a helper"},
        {SFT_NAME_TWIST, "a twist joint"},
        {SFT_NAME_BESIDE, "no part of the body"},
        {SFT_NAME_TAIL, "a tail"},
        {SFT_NAME_WING, "a wing"},
        {SFT_NAME_LOOSE, "something loose"},
        {SFT_NAME_FINGER, "a finger"},
        {SFT_NAME_HAND, "a hand"},
        {SFT_NAME_FOREARM, "a forearm"},
        {SFT_NAME_UPPER_ARM, "an upper arm"},
        {SFT_NAME_CLAVICLE, "a collar bone"},
        {SFT_NAME_SHOULDER, "a shoulder"},
        {SFT_NAME_ARM, "an arm"},
        {SFT_NAME_TOE, "a toe"},
        {SFT_NAME_HEEL, "a heel"},
        {SFT_NAME_FOOT, "a foot"},
        {SFT_NAME_SHIN, "a shin"},
        {SFT_NAME_THIGH, "a thigh"},
        {SFT_NAME_HIP, "a hip"},
        {SFT_NAME_LEG, "a leg"},
        {SFT_NAME_PELVIS, "a pelvis"},
        {SFT_NAME_SPINE, "a spine"},
        {SFT_NAME_NECK, "a neck"},
        {SFT_NAME_HEAD, "a head"},
        {SFT_NAME_ROOT, "a root"},
    };
    for (size_t k = 0; k < SFT_COUNT_OF(words); ++k)
        if ((parts & words[k].part) != 0) return words[k].text;
    return "";
}

// Where the joint stands in the body.
static const char* standing(const sft_joint_meaning* m)
{
    static const char* const words[] = {"no part of the body that moves by itself",
                                        "above the hips",
                                        "carries legs and trunk",
                                        "between the hips and what carries arms or neck",
                                        "between spine and head",
                                        "where the neck ends",
                                        "between spine and upper arm",
                                        "first long bone of the arm",
                                        "second long bone of the arm",
                                        "end of the arm's two bones",
                                        "below the hand",
                                        "first bone of the leg",
                                        "second bone of the leg",
                                        "end of the leg's two bones",
                                        "of the foot's front",
                                        "middle limb that leaves the hips backward",
                                        "on the bone of its carrier"};
    return m->part == SFT_PART_CLAVICLE && m->pair > 0 ? "above a fore leg" : words[m->part];
}

static bool same_kind(const sft_joint_meaning* a, const sft_joint_meaning* b)
{
    return a->part == b->part && a->side == b->side && a->pair == b->pair && a->digit == b->digit;
}

// Place along the joints of one kind: one more than the nearest joint above that has a meaning, if it is of that kind.
static void find_index(sft_reading* r, int32_t joint)
{
    sft_joint_meaning* m = &r->out[joint];
    const int32_t p = r->joints[joint].main; // by now: nearest joint above with a meaning
    if (p >= 0 && same_kind(&r->out[p], m) && m->part != SFT_PART_TWIST) m->index = r->out[p].index + 1;
}

// Twist joints of one carrier by their place along its bone.
static void order_twists(sft_reading* r)
{
    const int32_t n = r->skeleton->joint_count;
    for (int32_t j = 0; j < n; ++j)
    {
        sft_joint_meaning* m = &r->out[j];
        if (m->part != SFT_PART_TWIST) continue;
        const sft_v3d from = r->joints[m->carrier].position;
        const double own = sft_v3d_distance(r->joints[j].position, from);
        int32_t looked = 0;
        // Twist joints are few and near to each other; a rig with more than this between them has its ranks by file.
        for (int32_t k = m->carrier + 1; k < n && looked < 256; ++k, ++looked)
        {
            if (k == j || r->out[k].part != SFT_PART_TWIST || r->out[k].carrier != m->carrier) continue;
            const double other = sft_v3d_distance(r->joints[k].position, from);
            const int by_name = strcmp(r->skeleton->names[k], r->skeleton->names[j]);
            if (other < own - 1e-9 || (other <= own + 1e-9 && (by_name < 0 || (by_name == 0 && k < j)))) ++m->index;
        }
    }
}

static void explain(sft_reading* r, int32_t joint)
{
    sft_joint_meaning* m = &r->out[joint];
    const char* name = called(r->joints[joint].said);
    if (m->part == SFT_PART_NONE)
    {
        sft_core_format(m->reason, sizeof m->reason, "%s%s%s",
                        sft_read_is_end(r, joint) ? "marks the end of a bone"
                        : name[0] != '\0'         ? "called "
                                                  : "",
                        sft_read_is_end(r, joint) ? "" : name,
                        name[0] == '\0' && !sft_read_is_end(r, joint) ? "no part of the body that has a counterpart"
                                                                      : "");
        return;
    }
    if ((r->joints[joint].marks & SFT_READ_NAMED) != 0)
    {
        m->confidence = 0.5f;
        if (name[0] != '\0')
            sft_core_format(m->reason, sizeof m->reason, "called %s; structure says nothing", name);
        else
            sft_core_format(m->reason, sizeof m->reason, "%s, by what others are called", standing(m));
        return;
    }
    const int agree = agreement(r, joint);
    m->confidence = agree > 0 ? 1.0f : agree == 0 ? 0.5f : 0.3f;
    if (agree > 0)
        sft_core_format(m->reason, sizeof m->reason, "called %s, %s", name, standing(m));
    else if (agree == 0)
        sft_core_format(m->reason, sizeof m->reason, "%s; the name says nothing", standing(m));
    else
        sft_core_format(m->reason, sizeof m->reason, "%s, though called %s%s", standing(m), name,
                        other_side(r, joint) ? " of the other side" : "");
}

void sft_read_finish(sft_reading* r)
{
    const sft_skeleton* s = r->skeleton;
    // From here on `main` is the nearest joint above that has a meaning.
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        const int32_t p = s->parents[j];
        r->joints[j].main = p < 0 ? -1 : r->out[p].part != SFT_PART_NONE ? p : r->joints[p].main;
        if (r->out[j].part != SFT_PART_NONE) find_index(r, j);
    }
    order_twists(r);
    for (int32_t j = 0; j < s->joint_count; ++j)
        explain(r, j);
}
