// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/figures.h"

#include <math.h>

// ---- names ----

typedef struct part_names
{
    sft_part part;
    const char *plain, *engine, *modeller; // % is the side's word
} part_names;

static const part_names NAMES[] = {
    {SFT_PART_ROOT, "Root", "root", "root"},
    {SFT_PART_HIPS, "Hips", "pelvis", "hips"},
    {SFT_PART_SPINE, "Spine", "spine_0", "spine"},
    {SFT_PART_NECK, "Neck", "neck_0", "neck"},
    {SFT_PART_HEAD, "Head", "head", "head"},
    {SFT_PART_CLAVICLE, "%Shoulder", "clavicle_%", "shoulder.%"},
    {SFT_PART_UPPER_ARM, "%Arm", "upperarm_%", "upper_arm.%"},
    {SFT_PART_FOREARM, "%ForeArm", "lowerarm_%", "forearm.%"},
    {SFT_PART_HAND, "%Hand", "hand_%", "hand.%"},
    {SFT_PART_THIGH, "%UpLeg", "thigh_%", "thigh.%"},
    {SFT_PART_SHIN, "%Leg", "calf_%", "shin.%"},
    {SFT_PART_FOOT, "%Foot", "foot_%", "foot.%"},
    {SFT_PART_TOE, "%ToeBase", "ball_%", "toe.%"},
    {SFT_PART_TAIL, "Tail", "tail_0", "tail"},
};

static const char* const DIGITS[5] = {"Thumb", "Index", "Middle", "Ring", "Pinky"};
static const char* const DIGITS_LOW[5] = {"thumb", "index", "middle", "ring", "pinky"};

static const char* side_word(figure_names kind, sft_leg_side side)
{
    static const char* const words[3][2] = {{"Left", "Right"}, {"l", "r"}, {"L", "R"}};
    return side == SFT_LEG_MIDDLE ? "" : words[kind][side];
}

static void put_name(figure_names kind, const char* pattern, sft_leg_side side, char* out)
{
    const char* at = strchr(pattern, '%');
    if (at == NULL)
        snprintf(out, 32, "%s", pattern);
    else
        snprintf(out, 32, "%.*s%s%s", (int)(at - pattern), pattern, side_word(kind, side), at + 1);
}

static void name_finger(figure_names kind, const sft_joint_meaning* m, char* out)
{
    const char* side = side_word(kind, m->side);
    if (kind == FIGURE_NAMES_PLAIN)
        snprintf(out, 32, "%.8sHand%s%d", side, DIGITS[m->digit], (int)m->index % 10 + 1);
    else if (kind == FIGURE_NAMES_ENGINE)
        snprintf(out, 32, "%s_0%d_%.8s", DIGITS_LOW[m->digit], (int)m->index % 9 + 1, side);
    else
        snprintf(out, 32, "%s.0%d.%.8s", DIGITS_LOW[m->digit], (int)m->index % 9 + 1, side);
}

static void name_twist(figure_names kind, const figure* f, const sft_joint_meaning* m, char* out)
{
    const char* carrier = f->names[m->carrier];
    if (kind == FIGURE_NAMES_ENGINE)
        snprintf(out, 32, "%.*s_twist_0%d%.8s", (int)strlen(carrier) % 14 - 2, carrier, (int)m->index % 9 + 1,
                 carrier + strlen(carrier) - 2);
    else if (kind == FIGURE_NAMES_MODELLER)
        snprintf(out, 32, "%.*s_twist.00%d%.8s", (int)strlen(carrier) % 14 - 2, carrier, (int)m->index % 9 + 1,
                 carrier + strlen(carrier) - 2);
    else
        snprintf(out, 32, "%.20sTwist%d", carrier, (int)m->index % 9 + 1);
}

// What is there more than once gets a number; legs of animals a word for their girdle.
static void name_joint(figure_names kind, figure* f, int joint)
{
    const sft_joint_meaning* m = &f->meanings[joint];
    char* out = f->names[joint];
    if (kind == FIGURE_NAMES_NONE || m->part == SFT_PART_NONE)
        snprintf(out, 32, "%s%03d", kind == FIGURE_NAMES_NONE ? "Bone." : "end_", joint % 1000);
    else if (m->part == SFT_PART_FINGER)
        name_finger(kind, m, out);
    else if (m->part == SFT_PART_TWIST)
        name_twist(kind, f, m, out);
    else
        for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; ++i)
        {
            if (NAMES[i].part != m->part) continue;
            const char* const patterns[3] = {NAMES[i].plain, NAMES[i].engine, NAMES[i].modeller};
            char base[32];
            put_name(kind, patterns[kind], m->side, base);
            const bool many = m->part == SFT_PART_SPINE || m->part == SFT_PART_NECK || m->part == SFT_PART_TAIL;
            const char* const girdle = m->pair == 0 ? "" : m->pair == 1 ? "Fore" : m->pair == 2 ? "Mid" : "Front";
            if (many && (kind == FIGURE_NAMES_ENGINE || m->index > 0))
                snprintf(out, 32, "%.24s%d", base, (int)m->index % 9 + (kind == FIGURE_NAMES_ENGINE ? 1 : 0));
            else
                snprintf(out, 32, "%s%.24s", girdle, base);
        }
}

// ---- building in the reference pose ----

static int add(figure* f, int parent, sft_joint_meaning m, sft_v3d place)
{
    if (f->count >= FIGURE_JOINTS) abort();
    const int j = f->count++;
    f->parents[j] = parent;
    f->place[j] = place;
    m.confidence = m.part == SFT_PART_NONE ? 0.0f : 1.0f;
    snprintf(m.reason, sizeof m.reason, "made so");
    f->meanings[j] = m;
    return j;
}

static sft_joint_meaning meant(sft_part part, sft_leg_side side, int index)
{
    return (sft_joint_meaning){.part = part, .side = side, .digit = -1, .index = index, .carrier = -1};
}

static void add_end(figure* f, const figure_def* def, int parent, sft_v3d place)
{
    if (!def->end_sites) return;
    const int j = add(f, parent, meant(SFT_PART_NONE, SFT_LEG_MIDDLE, 0), place);
    f->flags[j] = SFT_JOINT_END_SITE;
}

static sft_v3d v3(double x, double y, double z)
{
    return sft_v3d_make(x, y, z);
}

// Twists of the bone from `carrier` to `to`; answers the joint that the next bone hangs from.
static int add_twists(figure* f, const figure_def* def, int carrier, sft_v3d to)
{
    int at = carrier;
    for (int k = 0; k < def->twist_count; ++k)
    {
        sft_joint_meaning m = meant(SFT_PART_TWIST, f->meanings[carrier].side, k);
        m.carrier = carrier;
        const double share = (double)(k + 1) / (double)(def->twist_count + 1);
        const int twist = add(f, at, m, sft_v3d_lerp(f->place[carrier], to, share));
        if (!def->twist_aside) at = twist;
    }
    return at;
}

static void add_fingers(figure* f, int side, sft_v3d palm, double k)
{
    static const double bones[5][3] = {
        {.045, .035, .028}, {.04, .028, .02}, {.045, .03, .022}, {.04, .028, .02}, {.034, .024, .018}};
    const double s = side == 0 ? 1.0 : -1.0;
    for (int digit = 0; digit < 5; ++digit)
    {
        sft_v3d at = digit == 0 ? v3(.03 * s, -.012, .03) : v3(.09 * s, 0, .0575 - .023 * digit);
        const sft_v3d along = digit == 0 ? v3(.8 * s, 0, .6) : v3(s, 0, 0);
        sft_v3d place = sft_v3d_madd(palm, k, at);
        int parent = f->hand[side];
        for (int i = 0; i < 3; ++i)
        {
            sft_joint_meaning m = meant(SFT_PART_FINGER, (sft_leg_side)side, i);
            m.digit = digit;
            parent = add(f, parent, m, place);
            place = sft_v3d_madd(place, k * bones[digit][i], along);
        }
        const int end = add(f, parent, meant(SFT_PART_NONE, SFT_LEG_MIDDLE, 0), place);
        f->flags[end] = SFT_JOINT_END_SITE;
    }
}

static void add_arm(figure* f, const figure_def* def, int side)
{
    const double k = def->scale, a = k * def->arm_scale, s = side == 0 ? 1.0 : -1.0;
    const sft_leg_side which = (sft_leg_side)side;
    const double y = f->place[f->chest].y + .1 * k;
    int parent = f->chest;
    if (def->clavicles) parent = add(f, parent, meant(SFT_PART_CLAVICLE, which, 0), v3(.03 * s * k, y, 0));
    const sft_v3d shoulder = v3(.18 * s * k, y, 0), elbow = v3(shoulder.x + .28 * s * a, y, 0);
    const sft_v3d wrist = v3(elbow.x + .25 * s * a, y, 0);
    f->upper_arm[side] = add(f, parent, meant(SFT_PART_UPPER_ARM, which, 0), shoulder);
    parent = add_twists(f, def, f->upper_arm[side], elbow);
    f->forearm[side] = add(f, parent, meant(SFT_PART_FOREARM, which, 0), elbow);
    parent = add_twists(f, def, f->forearm[side], wrist);
    f->hand[side] = add(f, parent, meant(SFT_PART_HAND, which, 0), wrist);
    if (def->fingers)
        add_fingers(f, side, wrist, k);
    else
        add_end(f, def, f->hand[side], v3(wrist.x + .17 * s * k, y, 0));
    f->arm_length = .53 * a;
}

static void add_leg(figure* f, const figure_def* def, int side)
{
    const double k = def->scale, l = k * def->leg_scale, s = side == 0 ? 1.0 : -1.0;
    const sft_leg_side which = (sft_leg_side)side;
    const double x = .09 * s * k, ground = f->place[f->hips].y - .04 * k - .83 * l - .08 * k;
    const sft_v3d hip = v3(x, ground + .08 * k + .83 * l, 0), knee = v3(x, hip.y - .42 * l, 0);
    const sft_v3d heel = v3(x, knee.y - .41 * l, 0);
    f->thigh[side] = add(f, f->hips, meant(SFT_PART_THIGH, which, 0), hip);
    int parent = add_twists(f, def, f->thigh[side], knee);
    f->shin[side] = add(f, parent, meant(SFT_PART_SHIN, which, 0), knee);
    parent = add_twists(f, def, f->shin[side], heel);
    f->foot[side] = parent = add(f, parent, meant(SFT_PART_FOOT, which, 0), heel);
    f->toe[side] = -1;
    sft_leg* leg = &f->legs[f->leg_count++];
    *leg = (sft_leg){.side = which,
                     .pelvis = f->hips,
                     .hip = f->thigh[side],
                     .knee = f->shin[side],
                     .heel = f->foot[side],
                     .toe_end = -1,
                     .heel_min = .08 * k};
    if (def->toes)
    {
        leg->toe = f->toe[side] = parent =
            add(f, parent, meant(SFT_PART_TOE, which, 0), v3(x, ground + .02 * k, .13 * k));
        leg->toe_min = .02 * k;
        if (def->end_sites) leg->toe_end = f->count;
        add_end(f, def, parent, v3(x, ground, .2 * k));
    }
    else
    {
        leg->toe = f->count;
        if (!def->end_sites) leg->toe = f->foot[side];
        add_end(f, def, parent, v3(x, ground, .17 * k));
    }
    snprintf(leg->reason, sizeof leg->reason, "made so");
}

static void add_trunk(figure* f, const figure_def* def)
{
    const double k = def->scale, hips = .13 * k - .01 * k + .83 * k * def->leg_scale;
    f->root = -1;
    if (def->root_joint) f->root = add(f, -1, meant(SFT_PART_ROOT, SFT_LEG_MIDDLE, 0), v3(0, 0, 0));
    f->hips = add(f, f->root, meant(SFT_PART_HIPS, SFT_LEG_MIDDLE, 0), v3(0, hips, 0));
    int at = f->hips;
    for (int i = 0; i < def->spine_count; ++i)
        at = add(f, at, meant(SFT_PART_SPINE, SFT_LEG_MIDDLE, i),
                 v3(0, hips + .38 * k * (double)(i + 1) / (double)def->spine_count, 0));
    f->chest = at;
    const double chest = f->place[at].y;
    for (int i = 0; i < def->neck_count; ++i)
        at = add(f, at, meant(SFT_PART_NECK, SFT_LEG_MIDDLE, i), v3(0, chest + (.15 + .05 * i) * k, 0));
    f->head = add(f, at, meant(SFT_PART_HEAD, SFT_LEG_MIDDLE, 0), v3(0, chest + .26 * k, .01 * k));
    add_end(f, def, f->head, v3(0, chest + .43 * k, .01 * k));
}

// ---- axes and poses ----

static sft_quatd about(sft_v3d axis, double angle)
{
    return sft_quatd_exp(sft_v3d_scale(angle, axis));
}

static sft_quatd random_turn(support_rng* rng)
{
    const sft_quatd q = {support_uniform(rng, -1, 1), support_uniform(rng, -1, 1), support_uniform(rng, -1, 1),
                         support_uniform(rng, -1, 1)};
    return sft_quatd_normalize(q);
}

static sft_v3d bone_of(const figure* f, int joint)
{
    for (int c = joint + 1; c < f->count; ++c)
        if (f->parents[c] == joint && sft_v3d_distance(f->place[c], f->place[joint]) > 1e-9)
            return sft_v3d_sub(f->place[c], f->place[joint]);
    const int p = f->parents[joint];
    return p >= 0 ? sft_v3d_sub(f->place[joint], f->place[p]) : v3(1, 0, 0);
}

static void choose_axes(figure* f, figure_axes axes, uint64_t seed)
{
    support_rng rng = {seed};
    for (int j = 0; j < f->count; ++j)
    {
        const sft_quatd any = random_turn(&rng);
        f->orientation[j] = sft_quatd_identity();
        if (axes == FIGURE_AXES_RANDOM) f->orientation[j] = any;
        if (axes == FIGURE_AXES_ALONG_X) f->orientation[j] = sft_quatd_between(v3(1, 0, 0), bone_of(f, j));
    }
}

// Local transforms where every joint's orientation is change[j] times the one of the reference pose.
static void locals_of(const figure* f, const sft_quatd* change, sft_v3d hips_shift, sft_v3d* t, sft_quatd* r)
{
    for (int j = 0; j < f->count; ++j)
    {
        const int p = f->parents[j];
        const sft_quatd w = sft_quatd_mul(change[j], f->orientation[j]);
        const sft_quatd above = p < 0 ? sft_quatd_identity() : sft_quatd_mul(change[p], f->orientation[p]);
        const sft_v3d bone = p < 0 ? f->place[j] : sft_v3d_sub(f->place[j], f->place[p]);
        t[j] = p < 0 ? bone : sft_quatd_unrotate(f->orientation[p], bone);
        if (j == f->hips) t[j] = sft_v3d_add(t[j], sft_quatd_unrotate(above, hips_shift));
        r[j] = p < 0 ? sft_quatd_normalize(w) : sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(above), w));
    }
}

// The stance's change of the limb's first joint, and of its second.
static void stance_arm(const figure_def* def, double s, sft_quatd* upper, sft_quatd* fore)
{
    const sft_v3d x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    sft_quatd swing = sft_quatd_identity();
    if (def->stance == FIGURE_A) swing = about(z, -s * SFT_PI / 4.0);
    if (def->stance == FIGURE_I || def->stance == FIGURE_SIT) swing = about(z, -s * SFT_PI / 2.0);
    if (def->stance == FIGURE_FORWARD) swing = about(y, -s * SFT_PI / 2.0);
    *upper = sft_quatd_mul(swing, about(x, -def->arm_roll));
    const sft_quatd bend = sft_quatd_mul(about(y, -s * def->elbow_bend), about(x, -def->palm_roll));
    *fore = sft_quatd_mul(*upper, bend);
}

static void stance_leg(const figure_def* def, double s, sft_quatd* thigh, sft_quatd* shin, sft_quatd* foot)
{
    const sft_v3d x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    sft_quatd swing = sft_quatd_identity(), lower = sft_quatd_identity();
    if (def->stance == FIGURE_A) swing = lower = about(z, s * 8.0 * SFT_PI / 180.0);
    if (def->stance == FIGURE_SIT) swing = about(x, -SFT_PI / 2.0);
    const sft_quatd roll = about(y, s * def->knee_roll);
    *thigh = sft_quatd_mul(swing, sft_quatd_mul(roll, about(x, -0.5 * def->knee_bend)));
    *shin = sft_quatd_mul(lower, sft_quatd_mul(roll, about(x, 0.5 * def->knee_bend)));
    *foot = sft_quatd_mul(about(y, s * def->foot_out), about(x, def->toe_down));
}

static void stance_change(const figure* f, const figure_def* def, sft_quatd* change)
{
    const sft_v3d x = {1, 0, 0}, y = {0, 1, 0};
    const sft_quatd facing = about(y, def->facing);
    const sft_quatd whole = def->lying ? sft_quatd_mul(facing, about(x, -SFT_PI / 2.0)) : facing;
    sft_quatd arm[2][2], leg[2][3];
    for (int side = 0; side < 2; ++side)
    {
        const double s = side == 0 ? 1.0 : -1.0;
        stance_arm(def, s, &arm[side][0], &arm[side][1]);
        stance_leg(def, s, &leg[side][0], &leg[side][1], &leg[side][2]);
    }
    for (int j = 0; j < f->count; ++j)
    {
        sft_quatd own = j == 0 ? sft_quatd_identity() : change[f->parents[j]];
        const sft_joint_meaning* m = &f->meanings[j];
        const int side = m->side == SFT_LEG_RIGHT ? 1 : 0;
        const sft_quatd trunk = sft_quatd_mul(whole, about(x, def->lean));
        if (m->part == SFT_PART_ROOT || m->part == SFT_PART_HIPS) own = whole;
        if (m->part == SFT_PART_SPINE) own = trunk;
        if (m->part == SFT_PART_UPPER_ARM) own = sft_quatd_mul(trunk, arm[side][0]);
        if (m->part == SFT_PART_FOREARM) own = sft_quatd_mul(trunk, arm[side][1]);
        if (m->part == SFT_PART_THIGH) own = sft_quatd_mul(whole, leg[side][0]);
        if (m->part == SFT_PART_SHIN) own = sft_quatd_mul(whole, leg[side][1]);
        if (m->part == SFT_PART_FOOT) own = sft_quatd_mul(whole, leg[side][2]);
        if (def->stance == FIGURE_BUNDLE)
            own = sft_quatd_mul(sft_quatd_between(bone_of(f, j), v3(1, 0, 0)), sft_quatd_identity());
        change[j] = own;
    }
}

static void finish(figure* f, const figure_def* def)
{
    sft_quatd change[FIGURE_JOINTS];
    choose_axes(f, def->axes, def->seed);
    for (int j = 0; j < f->count; ++j)
        name_joint(def->names, f, j);
    for (int j = 0; j < f->count; ++j)
        if (f->flags[j] & SFT_JOINT_END_SITE) memmove(f->names[j], f->names[f->parents[j]], sizeof f->names[j]);
    stance_change(f, def, change);
    locals_of(f, change, v3(0, 0, 0), f->rest_t, f->rest_r);
    for (int i = 0; i < f->leg_count; ++i)
        f->legs[i].knee_side = sft_quatd_unrotate(f->orientation[f->legs[i].knee], v3(1, 0, 0));
    f->facing = -def->facing;
}

figure_def figure_default(void)
{
    return (figure_def){.seed = 1,
                        .scale = 1.0,
                        .leg_scale = 1.0,
                        .arm_scale = 1.0,
                        .spine_count = 3,
                        .neck_count = 1,
                        .fingers = true,
                        .clavicles = true,
                        .toes = true,
                        .end_sites = true};
}

void figure_make(const figure_def* def, figure* out)
{
    memset(out, 0, sizeof *out);
    add_trunk(out, def);
    for (int side = 0; side < 2; ++side)
        add_arm(out, def, side);
    for (int side = 0; side < 2; ++side)
        add_leg(out, def, side);
    out->leg_length = .83 * def->scale * def->leg_scale;
    out->sole_height = .08 * def->scale;
    finish(out, def);
}

// ---- animals ----

static void add_animal_leg(figure* f, int girdle, int side, int pair, const sft_v3d* bones)
{
    static const sft_part parts[4] = {SFT_PART_THIGH, SFT_PART_SHIN, SFT_PART_FOOT, SFT_PART_TOE};
    const double s = side == 0 ? 1.0 : -1.0;
    int joints[4], parent = girdle;
    sft_v3d place = f->place[girdle];
    for (int i = 0; i < 4; ++i)
    {
        place = sft_v3d_add(place, v3(s * bones[i].x, bones[i].y, bones[i].z));
        sft_joint_meaning m = meant(parts[i], (sft_leg_side)side, 0);
        m.pair = pair;
        joints[i] = parent = add(f, parent, m, place);
    }
    const sft_v3d thigh = sft_v3d_sub(f->place[joints[1]], f->place[joints[0]]);
    const sft_v3d down = sft_v3d_sub(f->place[joints[2]], f->place[joints[0]]);
    const sft_v3d bulge = sft_v3d_cross(thigh, down);
    sft_leg* leg = &f->legs[f->leg_count++];
    *leg = (sft_leg){.side = (sft_leg_side)side,
                     .pair = pair,
                     .pelvis = girdle,
                     .hip = joints[0],
                     .knee = joints[1],
                     .heel = joints[2],
                     .toe = joints[3],
                     .toe_end = -1};
    leg->knee_side = sft_v3d_normalize_or(bulge, v3(1, 0, 0)); // turned to joint space in figure_make_animal
    leg->heel_min = f->place[joints[2]].y - f->place[joints[3]].y;
    snprintf(leg->reason, sizeof leg->reason, "made so");
}

void figure_make_animal(int leg_count, figure_axes axes, uint64_t seed, figure* out)
{
    memset(out, 0, sizeof *out);
    out->root = -1;
    const bool spider = leg_count == 8;
    const double h = spider ? .15 : .6;
    out->hips = add(out, -1, meant(SFT_PART_HIPS, SFT_LEG_MIDDLE, 0), v3(0, h, 0));
    int spine = add(out, out->hips, meant(SFT_PART_SPINE, SFT_LEG_MIDDLE, 0), v3(0, h + .02, spider ? .05 : .25));
    if (!spider) spine = add(out, spine, meant(SFT_PART_SPINE, SFT_LEG_MIDDLE, 1), v3(0, h + .03, .5));
    out->chest = spine;
    if (!spider) spine = add(out, spine, meant(SFT_PART_NECK, SFT_LEG_MIDDLE, 0), v3(0, h + .18, .62));
    out->head =
        add(out, spine, meant(SFT_PART_HEAD, SFT_LEG_MIDDLE, 0), v3(0, spider ? h : h + .3, spider ? .12 : .72));
    int tail = out->hips;
    for (int i = 0; i < 3 && !spider; ++i)
        tail = add(out, tail, meant(SFT_PART_TAIL, SFT_LEG_MIDDLE, i), v3(0, h - .08 * i, -.15 - .1 * i));
    for (int pair = 0; pair < leg_count / 2; ++pair)
        for (int side = 0; side < 2; ++side)
        {
            const double z = spider ? -.06 + .04 * pair : 0.0;
            const sft_v3d leggy[4] = {{.05, 0, z}, {.15, .1, z}, {.15, -.12, z}, {.05, -.13, z}};
            const sft_v3d hind[4] = {{.08, -.05, 0}, {0, -.22, .08}, {0, -.2, -.12}, {0, -.1, .08}};
            const sft_v3d fore[4] = {{.08, -.08, .02}, {0, -.22, -.06}, {0, -.22, .04}, {0, -.08, .05}};
            add_animal_leg(out, spider || pair == 0 ? out->hips : out->chest, side, pair,
                           spider ? leggy : (pair == 0 ? hind : fore));
        }
    figure_def def = figure_default();
    def.axes = axes;
    def.seed = seed;
    choose_axes(out, axes, seed);
    sft_v3d sides[8];
    for (int i = 0; i < out->leg_count; ++i)
        sides[i] = sft_quatd_unrotate(out->orientation[out->legs[i].knee], out->legs[i].knee_side);
    finish(out, &def);
    double length = 0.0, sole = 0.0;
    for (int i = 0; i < out->leg_count; ++i)
    {
        const sft_leg* leg = &out->legs[i];
        out->legs[i].knee_side = sides[i];
        if (leg->pair != 0) continue;
        length += 0.5 * (sft_v3d_distance(out->place[leg->hip], out->place[leg->knee]) +
                         sft_v3d_distance(out->place[leg->knee], out->place[leg->heel]));
        sole += 0.5 * leg->heel_min;
    }
    out->leg_length = length;
    out->sole_height = sole;
}

// ---- use ----

int figure_find(const figure* f, sft_part part, sft_leg_side side, int pair, int index)
{
    for (int j = 0; j < f->count; ++j)
    {
        const sft_joint_meaning* m = &f->meanings[j];
        if (m->part == part && m->side == side && m->pair == pair && m->index == index) return j;
    }
    return -1;
}

sft_skeleton* figure_skeleton(const figure* f)
{
    const char* names[FIGURE_JOINTS];
    for (int j = 0; j < f->count; ++j)
        names[j] = f->names[j];
    const sft_skeleton def = {f->count, names, f->parents, f->flags, f->rest_t, f->rest_r};
    sft_skeleton* out = NULL;
    assert_int_equal(sft_skeleton_create(&def, NULL, &out), SFT_OK);
    return out;
}

sft_skeleton* figure_person(void)
{
    const figure_def plan = figure_default();
    figure* f = malloc(sizeof *f);
    assert_non_null(f);
    figure_make(&plan, f);
    sft_skeleton* skeleton = figure_skeleton(f);
    free(f);
    return skeleton;
}

sft_rig* figure_rig(const figure* f, const sft_clip* clip)
{
    sft_skeleton* skeleton = figure_skeleton(f);
    sft_rig_def def = sft_default_rig_def();
    def.meanings = f->meanings;
    def.legs = f->legs;
    def.leg_count = f->leg_count;
    sft_rig* rig = NULL;
    assert_int_equal(sft_rig_create(&def, skeleton, clip, NULL, &rig), SFT_OK);
    sft_skeleton_destroy(skeleton, NULL);
    return rig;
}

void figure_assert_direction(const sft_rig* rig, int from, int to, sft_v3d want)
{
    const sft_v3d v = sft_v3d_sub(rig->pose[to].t, rig->pose[from].t);
    const sft_v3d u = sft_v3d_scale(1.0 / sft_v3d_length(v), v);
    if (sft_v3d_distance(u, want) > 1e-12)
        fail_msg("%s to %s: %.17g %.17g %.17g", rig->skeleton->names[from], rig->skeleton->names[to], u.x, u.y, u.z);
}

void figure_assert_limbs(const figure* f, const sft_rig* rig)
{
    for (int side = 0; side < 2; ++side)
    {
        const sft_v3d out = v3(side == 0 ? 1 : -1, 0, 0), down = v3(0, -1, 0);
        figure_assert_direction(rig, f->upper_arm[side], f->forearm[side], out);
        figure_assert_direction(rig, f->forearm[side], f->hand[side], out);
        figure_assert_direction(rig, f->thigh[side], f->shin[side], down);
        figure_assert_direction(rig, f->shin[side], f->foot[side], down);
    }
}

// Change of the two ends of a chain in figure space at phase p (radians).
static sft_quatd hips_change(double p)
{
    return sft_quatd_mul(about(v3(0, 1, 0), .3 * sin(p)), about(v3(0, 0, 1), .08 * cos(p)));
}

static sft_quatd chest_change(double p)
{
    return sft_quatd_mul(hips_change(p),
                         sft_quatd_mul(about(v3(0, 1, 0), -.4 * sin(p)), about(v3(1, 0, 0), .2 + .1 * cos(2 * p))));
}

static sft_quatd head_change(double p)
{
    return sft_quatd_mul(chest_change(p),
                         sft_quatd_mul(about(v3(0, 1, 0), .5 * sin(2 * p)), about(v3(1, 0, 0), -.2 * cos(p))));
}

static sft_quatd limb_change(const sft_joint_meaning* m, double p)
{
    const double s = m->side == SFT_LEG_RIGHT ? -1.0 : 1.0,
                 q = p + (m->side == SFT_LEG_RIGHT ? SFT_PI : 0.0) + 1.3 * m->pair;
    const sft_v3d x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    const sft_quatd chest = chest_change(p), hips = hips_change(p);
    const sft_quatd arm =
        sft_quatd_mul(chest, sft_quatd_mul(about(z, -s * (.8 + .3 * sin(q))), about(x, -.4 * cos(q))));
    const sft_quatd fore = sft_quatd_mul(arm, sft_quatd_mul(about(y, -s * (.6 + .5 * sin(q))), about(x, .5 * sin(q))));
    const sft_quatd thigh = sft_quatd_mul(hips, sft_quatd_mul(about(x, -.4 * sin(q)), about(y, .1 * s)));
    const sft_quatd shin = sft_quatd_mul(thigh, about(x, .4 + .35 * cos(q)));
    const sft_quatd foot = sft_quatd_mul(about(y, .2 * s), about(x, .2 * cos(q)));
    switch (m->part)
    {
    case SFT_PART_CLAVICLE:
        return sft_quatd_mul(chest, about(z, .1 * s * sin(q)));
    case SFT_PART_UPPER_ARM:
        return arm;
    case SFT_PART_FOREARM:
        return fore;
    case SFT_PART_HAND:
        return sft_quatd_mul(fore, about(z, .3 * sin(q)));
    case SFT_PART_FINGER:
        return sft_quatd_mul(fore, about(z, -.2 * s * (m->index + 1)));
    case SFT_PART_THIGH:
        return thigh;
    case SFT_PART_SHIN:
        return shin;
    case SFT_PART_FOOT:
        return foot;
    case SFT_PART_TOE:
        return sft_quatd_mul(foot, about(x, -.3 * sft_maxd(0, sin(q))));
    default:
        return sft_quatd_identity();
    }
}

// Place along the trunk: 0 at the hips, 1 at `end`.
static double share_between(const figure* f, int joint, int start, int end)
{
    const double whole = sft_v3d_distance(f->place[start], f->place[end]);
    return whole > 0.0 ? sft_v3d_distance(f->place[start], f->place[joint]) / whole : 1.0;
}

static void dance_change(const figure* f, double p, sft_quatd* change)
{
    for (int j = 0; j < f->count; ++j)
    {
        const sft_joint_meaning* m = &f->meanings[j];
        const int up = f->parents[j];
        switch (m->part)
        {
        case SFT_PART_NONE:
        case SFT_PART_TWIST:
            change[j] = up < 0 ? sft_quatd_identity() : change[up];
            break;
        case SFT_PART_ROOT:
            change[j] = sft_quatd_identity();
            break;
        case SFT_PART_HIPS:
            change[j] = hips_change(p);
            break;
        case SFT_PART_SPINE:
            change[j] = sft_quatd_slerp(hips_change(p), chest_change(p), share_between(f, j, f->hips, f->chest));
            break;
        case SFT_PART_NECK:
            change[j] = sft_quatd_slerp(chest_change(p), head_change(p), share_between(f, j, f->chest, f->head));
            break;
        case SFT_PART_HEAD:
            change[j] = head_change(p);
            break;
        case SFT_PART_TAIL:
            change[j] = sft_quatd_mul(hips_change(p), about(v3(0, 1, 0), .2 * (m->index + 1) * sin(p)));
            break;
        default:
            change[j] = limb_change(m, p);
            break;
        }
    }
}

sft_clip* figure_dance(const figure* f, int frames, double frame_time)
{
    sft_clip* clip = NULL;
    assert_int_equal(sft_clip_create(f->count, frames, frame_time, NULL, &clip), SFT_OK);
    const sft_quatd turn = about(v3(0, 1, 0), -f->facing);
    sft_quatd change[FIGURE_JOINTS];
    for (int k = 0; k < frames; ++k)
    {
        const double p = 2.0 * SFT_PI * (double)k * frame_time / 1.1;
        dance_change(f, p, change);
        for (int j = 0; j < f->count; ++j)
            change[j] = sft_quatd_mul(turn, change[j]);
        const sft_v3d shift = sft_v3d_scale(f->leg_length, v3(.1 * sin(p), -.08 - .03 * cos(2 * p), .25 * p));
        locals_of(f, change, sft_quatd_rotate(turn, shift), clip->translations + k * f->count,
                  clip->rotations + k * f->count);
    }
    return clip;
}

void figure_model(const figure* f, const sft_clip* clip, int frame, sft_xformd* out)
{
    for (int j = 0; j < f->count; ++j)
    {
        const int at = frame * f->count + j;
        const sft_xformd local = {clip->translations[at], clip->rotations[at]};
        out[j] = f->parents[j] < 0 ? local : sft_xformd_mul(out[f->parents[j]], local);
    }
}
