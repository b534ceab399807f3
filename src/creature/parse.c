// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A creature read from text that people edited (docs/creature_file.md): every complaint has its line and what to do.

#include "creature/fields.h"
#include "json/json.h"

typedef struct reader
{
    const sft_skeleton* skeleton;
    const sft_allocator* allocator;
    sft_json* json;
    sft_creature_def* def;
    bool grouped; // some leg says its groups
    sft_error* error;
} reader;

static sft_result refuse(const reader* r, sft_json_value at, sft_result code, const char* message)
{
    return sft_json_fail(r->json, at.start, code, message, r->error);
}

static sft_json_value get(const reader* r, sft_json_value object, const char* key)
{
    return sft_json_get(r->json, object, key);
}

// ---- members and numbers ----

/// Keys that a list of names and a table know; others are slips of the pen.
static sft_result check_keys(const reader* r, sft_json_value object, const char* what, const char* const* names,
                             size_t count, const sft_creature_table* table)
{
    char text[160], key[48];
    if (object.kind != SFT_JSON_OBJECT)
    {
        sft_core_format(text, sizeof text, "%s must be an object, not %s", what, sft_json_kind_name(object.kind));
        return refuse(r, object, SFT_ERR_SYNTAX, text);
    }
    sft_json_value twice;
    const sft_result result = sft_json_find_duplicate(r->json, object, &twice);
    if (result != SFT_OK) return result;
    if (twice.kind != SFT_JSON_NONE)
    {
        sft_json_decode(r->json, twice, key, sizeof key);
        sft_core_format(text, sizeof text, "%s says '%s' twice: leave one of them out", what, key);
        return refuse(r, twice, SFT_ERR_SYNTAX, text);
    }
    for (sft_json_iter it = sft_json_iterate(r->json, object); sft_json_next(r->json, &it);)
    {
        bool known = false;
        for (size_t k = 0; k < count; ++k)
            known = known || sft_json_equals(r->json, it.key, names[k]);
        for (size_t k = 0; table != NULL && k < table->count; ++k)
            known = known || sft_json_equals(r->json, it.key, table->fields[k].key);
        if (known) continue;
        sft_json_decode(r->json, it.key, key, sizeof key);
        sft_core_format(text, sizeof text, "%s has no member '%s': a slip of the pen?", what, key);
        return refuse(r, it.key, SFT_ERR_SYNTAX, text);
    }
    return SFT_OK;
}

static sft_result read_number(const reader* r, sft_json_value value, const char* key, const double range[2],
                              double* out)
{
    char text[160];
    double number = 0;
    if (!sft_json_double(r->json, value, &number))
    {
        sft_core_format(text, sizeof text, "'%s' must be a number, not %s", key, sft_json_kind_name(value.kind));
        return refuse(r, value, SFT_ERR_SYNTAX, text);
    }
    if (!(number >= range[0] && number <= range[1]))
    {
        sft_core_format(text, sizeof text, "'%s' must be from %g to %g", key, range[0], range[1]);
        return refuse(r, value, SFT_ERR_RANGE, text);
    }
    *out = number;
    return SFT_OK;
}

static sft_result read_vector(const reader* r, sft_json_value value, const char* key, const double range[2],
                              double out[3])
{
    char text[96];
    if (value.kind != SFT_JSON_ARRAY || sft_json_count(r->json, value) != 3)
    {
        sft_core_format(text, sizeof text, "'%s' must be three numbers", key);
        return refuse(r, value, SFT_ERR_SYNTAX, text);
    }
    sft_result result = SFT_OK;
    for (size_t k = 0; k < 3 && result == SFT_OK; ++k)
        result = read_number(r, sft_json_at(r->json, value, k), key, range, &out[k]);
    return result;
}

/// Members of a table that are there, into the struct at `base`.
static sft_result read_fields(const reader* r, sft_json_value object, const sft_creature_table* table, void* base)
{
    for (size_t i = 0; i < table->count; ++i)
    {
        const sft_creature_field* f = &table->fields[i];
        const sft_json_value value = get(r, object, f->key);
        if (value.kind == SFT_JSON_NONE) continue;
        const double range[2] = {f->min, f->max};
        const bool vector = f->unit == SFT_CREATURE_VECTOR || f->unit == SFT_CREATURE_VECTOR_DEGREES;
        const bool degrees = f->unit == SFT_CREATURE_DEGREES || f->unit == SFT_CREATURE_VECTOR_DEGREES;
        double numbers[3] = {0, 0, 0};
        const sft_result result =
            vector ? read_vector(r, value, f->key, range, numbers) : read_number(r, value, f->key, range, &numbers[0]);
        if (result != SFT_OK) return result;
        for (int k = 0; k < 3 && degrees; ++k)
            numbers[k] = sft_creature_radians(numbers[k]);
        const sft_v3d v = {numbers[0], numbers[1], numbers[2]};
        if (vector)
            memcpy((char*)base + f->offset, &v, sizeof v);
        else
            memcpy((char*)base + f->offset, &numbers[0], sizeof numbers[0]);
    }
    return SFT_OK;
}

// ---- joints ----

/// By name, or by number where names repeat.
static sft_result read_joint(const reader* r, sft_json_value value, int32_t* out)
{
    const sft_skeleton* s = r->skeleton;
    char text[224];
    if (value.kind == SFT_JSON_NUMBER)
    {
        int32_t joint = -1;
        if (sft_json_int32(r->json, value, &joint) == SFT_JSON_EXACT && joint >= 0 && joint < s->joint_count)
        {
            *out = joint;
            return SFT_OK;
        }
        sft_core_format(text, sizeof text, "there is no joint of this number: they go from 0 to %d",
                        (int)s->joint_count - 1);
        return refuse(r, value, SFT_ERR_RANGE, text);
    }
    if (value.kind != SFT_JSON_STRING) return refuse(r, value, SFT_ERR_SYNTAX, "a joint is a name, or a number");
    char* name = NULL;
    size_t length = 0;
    const sft_result result = sft_json_string(r->json, value, r->allocator, &name, &length);
    if (result != SFT_OK) return sft_core_fail(r->error, result, 0, 0, NULL, "there is no memory for a name");
    const int32_t found = strlen(name) == length ? sft_skeleton_find(s, name) : -1;
    bool twice = false;
    for (int32_t j = found + 1; found >= 0 && j < s->joint_count; ++j)
        twice = twice || ((s->flags[j] & SFT_JOINT_END_SITE) == 0 && strcmp(s->names[j], name) == 0);
    if (found < 0) sft_core_format(text, sizeof text, "the skeleton has no joint '%s'", name);
    if (twice)
        sft_core_format(text, sizeof text, "several joints are called '%s': say which by its number, the first is %d",
                        name, (int)found);
    sft_core_free(r->allocator, name, 1, length + 1);
    if (found < 0 || twice) return refuse(r, value, SFT_ERR_RANGE, text);
    *out = found;
    return SFT_OK;
}

/// The 'joint' that an entry must have.
static sft_result read_own_joint(const reader* r, sft_json_value entry, int32_t* out)
{
    const sft_json_value joint = get(r, entry, "joint");
    if (joint.kind == SFT_JSON_NONE) return refuse(r, entry, SFT_ERR_SYNTAX, "'joint' is missing: a name, or a number");
    return read_joint(r, joint, out);
}

static sft_result check_list(const reader* r, sft_json_value list, const char* key, size_t least, size_t most)
{
    char text[96];
    const size_t count = sft_json_count(r->json, list);
    if (list.kind == SFT_JSON_ARRAY && count >= least && count <= most) return SFT_OK;
    sft_core_format(text, sizeof text, "'%s' must be a list of %z to %z entries", key, least, most);
    return refuse(r, list, list.kind != SFT_JSON_ARRAY ? SFT_ERR_SYNTAX : SFT_ERR_LIMIT, text);
}

static sft_result read_joints(const reader* r, sft_json_value list, size_t least, size_t most, int32_t* out,
                              int32_t* count)
{
    sft_result result = check_list(r, list, "joints", least, most);
    int32_t n = 0;
    for (sft_json_iter it = sft_json_iterate(r->json, list); result == SFT_OK && sft_json_next(r->json, &it); ++n)
        result = read_joint(r, it.value, &out[n]);
    if (result == SFT_OK) *count = n;
    return result;
}

// ---- legs ----

/// What a leg has where the file says nothing: the rest pose's.
static void rest_leg(const reader* r, sft_creature_leg* leg)
{
    const sft_skeleton* s = r->skeleton;
    sft_v3d last = {0, 0, 0};
    double length = 0;
    for (int32_t k = 0; k < leg->joint_count; ++k)
    {
        const sft_v3d t = sft_skeleton_joint_model(s, s->rest_translations, s->rest_rotations, leg->joints[k]).t;
        if (k > 0) length += sft_v3d_length(sft_v3d_sub(t, last));
        last = t;
    }
    leg->home = last;
    leg->ankle_offset = sft_maxd(last.y, 0);
    leg->step_distance = 0.3 * length;
    leg->step_angle = sft_creature_radians(35);
    leg->reach_min = 0.3 * length;
    leg->reach_max = 0.97 * length;
}

static sft_result read_groups(reader* r, sft_json_value groups, sft_creature_leg* leg)
{
    if (groups.kind == SFT_JSON_NONE) return SFT_OK;
    r->grouped = true;
    sft_result result = check_keys(r, groups, "'groups'", sft_creature_gait_words, SFT_GAIT_COUNT, NULL);
    for (int32_t g = 0; g < SFT_GAIT_COUNT && result == SFT_OK; ++g)
    {
        const sft_json_value value = get(r, groups, sft_creature_gait_words[g]);
        int32_t group = -1;
        if (value.kind == SFT_JSON_NONE) continue;
        if (sft_json_int32(r->json, value, &group) != SFT_JSON_EXACT || group < 0 || group >= SFT_MAX_LEGS)
            return refuse(r, value, SFT_ERR_RANGE, "a group is a whole number from 0 to 63");
        leg->group[g] = group;
    }
    return result;
}

/// The side that is said, or the one that a place lies on.
static sft_result read_side(const reader* r, sft_json_value value, sft_v3d place, sft_leg_side* side)
{
    if (value.kind == SFT_JSON_NONE)
    {
        const sft_v3d left = sft_v3d_cross(sft_v3d_make(0, 1, 0), r->def->forward);
        *side = sft_v3d_dot(left, place) >= 0 ? SFT_LEG_LEFT : SFT_LEG_RIGHT;
        return SFT_OK;
    }
    for (int k = 0; k < 3; ++k)
        if (sft_json_equals(r->json, value, sft_creature_side_words[k]))
        {
            *side = (sft_leg_side)k;
            return SFT_OK;
        }
    return refuse(r, value, SFT_ERR_SYNTAX, "'side' is \"left\", \"right\" or \"middle\"");
}

static sft_result read_leg(reader* r, sft_json_value value)
{
    static const char* const keys[] = {"side", "pair", "joints", "groups"};
    sft_creature_leg leg = {0};
    for (int g = 0; g < SFT_GAIT_COUNT; ++g)
        leg.group[g] = -1;
    sft_result result = check_keys(r, value, "a leg", keys, SFT_COUNT_OF(keys), sft_creature_leg_table());
    const sft_json_value joints = get(r, value, "joints"), pair = get(r, value, "pair");
    if (result == SFT_OK && joints.kind == SFT_JSON_NONE)
        result = refuse(r, value, SFT_ERR_SYNTAX, "a leg needs 'joints': hip first, foot last");
    if (result == SFT_OK) result = read_joints(r, joints, 3, SFT_CREATURE_LEG_JOINTS, leg.joints, &leg.joint_count);
    if (result != SFT_OK) return result;
    rest_leg(r, &leg);
    if (pair.kind != SFT_JSON_NONE && (sft_json_int32(r->json, pair, &leg.pair) != SFT_JSON_EXACT || leg.pair < 0))
        return refuse(r, pair, SFT_ERR_RANGE, "'pair' is a whole number: 0 for the hind legs, growing forward");
    result = read_fields(r, value, sft_creature_leg_table(), &leg);
    if (result == SFT_OK) result = read_side(r, get(r, value, "side"), leg.home, &leg.side);
    if (result == SFT_OK) result = read_groups(r, get(r, value, "groups"), &leg);
    if (result == SFT_OK) r->def->legs[r->def->leg_count++] = leg;
    return result;
}

static sft_result read_gaits(reader* r, sft_json_value gaits)
{
    sft_creature_def* def = r->def;
    // Without groups there are those that side and order propose.
    if (!r->grouped)
    {
        const sft_result result = sft_creature_propose_groups(def);
        if (result != SFT_OK) return refuse(r, sft_json_root(r->json), result, "no gait fits these legs: say 'groups'");
    }
    uint32_t whole = 0;
    for (int g = 0; g < SFT_GAIT_COUNT; ++g)
    {
        bool all = true;
        for (int32_t l = 0; l < def->leg_count; ++l)
            all = all && def->legs[l].group[g] >= 0;
        if (all) whole |= 1u << g;
    }
    def->gaits = whole;
    if (gaits.kind == SFT_JSON_NONE) return SFT_OK;
    def->gaits = 0;
    const sft_result result = check_keys(r, gaits, "'gaits'", sft_creature_gait_words, SFT_GAIT_COUNT, NULL);
    if (result != SFT_OK) return result;
    for (int g = 0; g < SFT_GAIT_COUNT; ++g)
    {
        const sft_json_value value = get(r, gaits, sft_creature_gait_words[g]);
        const double range[2] = {0, 1};
        if (value.kind == SFT_JSON_NONE) continue;
        if ((whole & 1u << g) == 0)
            return refuse(r, value, SFT_ERR_SYNTAX, "not every leg has a group in this gait: add it to 'groups'");
        const sft_result fine = read_number(r, value, sft_creature_gait_words[g], range, &def->gait_speed[g]);
        if (fine != SFT_OK) return fine;
        def->gaits |= 1u << g;
    }
    if (def->gaits == 0) return refuse(r, gaits, SFT_ERR_SYNTAX, "'gaits' names none");
    return SFT_OK;
}

// ---- chains ----

static sft_result read_links(const reader* r, const char* key, sft_creature_link* links, int32_t* count)
{
    static const char* const keys[] = {"joint"};
    const sft_json_value list = get(r, sft_json_root(r->json), key);
    if (list.kind == SFT_JSON_NONE) return SFT_OK;
    sft_result result = check_list(r, list, key, 0, SFT_CREATURE_LINKS);
    int32_t n = 0;
    for (sft_json_iter it = sft_json_iterate(r->json, list); result == SFT_OK && sft_json_next(r->json, &it); ++n)
    {
        links[n] = (sft_creature_link){.share = 1};
        result = check_keys(r, it.value, "a link", keys, 1, sft_creature_link_table());
        if (result == SFT_OK) result = read_own_joint(r, it.value, &links[n].joint);
        if (result == SFT_OK) result = read_fields(r, it.value, sft_creature_link_table(), &links[n]);
    }
    if (result == SFT_OK) *count = n;
    return result;
}

static sft_result read_eyes(const reader* r)
{
    static const char* const keys[] = {"joint"};
    const sft_json_value list = get(r, sft_json_root(r->json), "eyes");
    sft_creature_def* def = r->def;
    if (list.kind == SFT_JSON_NONE) return SFT_OK;
    sft_result result = check_list(r, list, "eyes", 0, SFT_CREATURE_LINKS);
    for (sft_json_iter it = sft_json_iterate(r->json, list); result == SFT_OK && sft_json_next(r->json, &it);)
    {
        sft_creature_eye* eye = &def->eyes[def->eye_count];
        *eye = (sft_creature_eye){.forward = def->forward,
                                  .max_in = sft_creature_radians(15),
                                  .max_out = sft_creature_radians(35),
                                  .max_pitch = sft_creature_radians(25)};
        result = check_keys(r, it.value, "an eye", keys, 1, sft_creature_eye_table());
        if (result == SFT_OK) result = read_own_joint(r, it.value, &eye->joint);
        if (result == SFT_OK) result = read_fields(r, it.value, sft_creature_eye_table(), eye);
        if (result == SFT_OK) def->eye_count++;
    }
    return result;
}

static sft_result read_arm(const reader* r, sft_json_value value)
{
    static const char* const keys[] = {"side", "joints"};
    const sft_skeleton* s = r->skeleton;
    sft_creature_arm arm = {.hang = sft_creature_radians(12), .swing = sft_creature_radians(18)};
    arm.bend = sft_creature_radians(12);
    int32_t count = 0;
    sft_result result = check_keys(r, value, "an arm", keys, SFT_COUNT_OF(keys), sft_creature_arm_table());
    const sft_json_value joints = get(r, value, "joints");
    if (result == SFT_OK && joints.kind == SFT_JSON_NONE)
        result = refuse(r, value, SFT_ERR_SYNTAX, "an arm needs 'joints': shoulder, elbow, hand");
    if (result == SFT_OK) result = read_joints(r, joints, 3, 3, arm.joints, &count);
    if (result == SFT_OK) result = read_fields(r, value, sft_creature_arm_table(), &arm);
    if (result != SFT_OK) return result;
    const sft_xformd hand = sft_skeleton_joint_model(s, s->rest_translations, s->rest_rotations, arm.joints[2]);
    result = read_side(r, get(r, value, "side"), hand.t, &arm.side);
    if (result == SFT_OK) r->def->arms[r->def->arm_count++] = arm;
    return result;
}

static sft_result read_arms(const reader* r)
{
    const sft_json_value list = get(r, sft_json_root(r->json), "arms");
    if (list.kind == SFT_JSON_NONE) return SFT_OK;
    sft_result result = check_list(r, list, "arms", 0, SFT_CREATURE_LINKS);
    for (sft_json_iter it = sft_json_iterate(r->json, list); result == SFT_OK && sft_json_next(r->json, &it);)
        result = read_arm(r, it.value);
    return result;
}

static sft_result read_tail(const reader* r)
{
    static const char* const keys[] = {"joints"};
    const sft_json_value tail = get(r, sft_json_root(r->json), "tail");
    if (tail.kind == SFT_JSON_NONE) return SFT_OK;
    sft_result result = check_keys(r, tail, "'tail'", keys, 1, sft_creature_tail_table());
    const sft_json_value joints = get(r, tail, "joints");
    if (result == SFT_OK && joints.kind != SFT_JSON_NONE)
        result = read_joints(r, joints, 0, SFT_CREATURE_LINKS, r->def->tail, &r->def->tail_count);
    if (result == SFT_OK) result = read_fields(r, tail, sft_creature_tail_table(), r->def);
    return result;
}

/// An object of numbers that may be missing.
static sft_result read_object(const reader* r, const char* key, const sft_creature_table* table, void* base)
{
    char what[32];
    const sft_json_value object = get(r, sft_json_root(r->json), key);
    if (object.kind == SFT_JSON_NONE) return SFT_OK;
    sft_core_format(what, sizeof what, "'%s'", key);
    const sft_result result = check_keys(r, object, what, NULL, 0, table);
    return result == SFT_OK ? read_fields(r, object, table, base) : result;
}

static sft_result read_head(reader* r)
{
    static const char* const keys[] = {"surefoot_creature",
                                       "scale",
                                       "forward",
                                       "body",
                                       "legs",
                                       "gaits",
                                       "motion",
                                       "swing",
                                       "bob",
                                       "spine",
                                       "head",
                                       "aim",
                                       "eyes",
                                       "arms",
                                       "tail"};
    const sft_json_value root = sft_json_root(r->json);
    int32_t version = 0;
    if (root.kind != SFT_JSON_OBJECT ||
        sft_json_int32(r->json, get(r, root, "surefoot_creature"), &version) != SFT_JSON_EXACT)
        return refuse(r, root, SFT_ERR_SYNTAX, "this is no creature: it has no \"surefoot_creature\": 1");
    if (version != 1)
        return refuse(r, get(r, root, "surefoot_creature"), SFT_ERR_UNSUPPORTED,
                      "this creature is of another version than 1");
    sft_result result = check_keys(r, root, "a creature", keys, SFT_COUNT_OF(keys), NULL);
    const sft_json_value scale = get(r, root, "scale"), forward = get(r, root, "forward"), body = get(r, root, "body");
    const double sizes[2] = {1e-6, 1e6}, unit[2] = {-1, 1};
    if (result == SFT_OK && scale.kind != SFT_JSON_NONE) result = read_number(r, scale, "scale", sizes, &r->def->scale);
    if (result == SFT_OK && forward.kind != SFT_JSON_NONE)
    {
        double v[3] = {0, 0, 0};
        result = read_vector(r, forward, "forward", unit, v);
        r->def->forward = sft_v3d_make(v[0], v[1], v[2]);
    }
    if (result == SFT_OK && body.kind == SFT_JSON_NONE)
        result = refuse(r, root, SFT_ERR_SYNTAX, "a creature needs a 'body': the joint above all legs");
    if (result == SFT_OK) result = read_joint(r, body, &r->def->body);
    return result;
}

static sft_result read_creature(reader* r)
{
    sft_result result = read_head(r);
    if (result != SFT_OK) return result;
    const sft_json_value root = sft_json_root(r->json), legs = get(r, root, "legs");
    result = check_list(r, legs.kind == SFT_JSON_NONE ? root : legs, "legs", 1, SFT_MAX_LEGS);
    for (sft_json_iter it = sft_json_iterate(r->json, legs); result == SFT_OK && sft_json_next(r->json, &it);)
        result = read_leg(r, it.value);
    if (result == SFT_OK) result = read_gaits(r, get(r, root, "gaits"));
    if (result == SFT_OK) result = read_object(r, "motion", sft_creature_motion_table(), &r->def->motion);
    if (result == SFT_OK) result = read_object(r, "swing", sft_creature_swing_table(), &r->def->swing);
    if (result == SFT_OK) result = read_object(r, "bob", sft_creature_bob_table(), &r->def->bob);
    if (result == SFT_OK) result = read_object(r, "aim", sft_creature_aim_table(), r->def);
    if (result == SFT_OK) result = read_links(r, "spine", r->def->spine, &r->def->spine_count);
    if (result == SFT_OK) result = read_links(r, "head", r->def->head, &r->def->head_count);
    if (result == SFT_OK) result = read_eyes(r);
    if (result == SFT_OK) result = read_arms(r);
    if (result == SFT_OK) result = read_tail(r);
    return result;
}

sft_result sft_creature_parse(const char* text, size_t size, const sft_skeleton* skeleton,
                              const sft_allocator* allocator, sft_creature_def* def, sft_error* error)
{
    if (text == NULL || skeleton == NULL || def == NULL)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "a text, a skeleton and a place for the def are needed");
    reader r = {.skeleton = skeleton, .allocator = allocator, .error = error};
    sft_json_options options = sft_json_default_options();
    options.allow_bom = true;
    sft_result result = sft_json_parse(allocator, text, size, &options, &r.json, error);
    if (result != SFT_OK) return result;
    r.def = sft_core_alloc(allocator, 1, sizeof *r.def);
    if (r.def == NULL)
        result = sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "there is no memory for a creature");
    else
    {
        *r.def = sft_default_creature_def();
        result = read_creature(&r);
        // What hangs together wrongly (a joint not below another, reach beyond the chain) is said now, not at creation.
        sft_creature* probe = NULL;
        if (result == SFT_OK) result = sft_creature_create(r.def, skeleton, allocator, &probe, error);
        sft_creature_destroy(probe, allocator);
        if (result == SFT_OK) *def = *r.def;
    }
    sft_core_free(allocator, r.def, 1, sizeof *r.def);
    sft_json_destroy(r.json);
    return result;
}
