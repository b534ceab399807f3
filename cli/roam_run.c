// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A creature opened, walked, and measured on the joints that come out.

#include "roam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEGREES (3.14159265358979323846 / 180.0)
#define MAX_FRAMES 2000000

const char* const roam_gait_names[SFT_GAIT_COUNT] = {"free", "alternate", "diagonal", "tripod", "ripple", "wave"};

// ---- opening ----

static int find_kind(const char* name)
{
    for (int k = 0; k < ROAM_KINDS; ++k)
        if (strcmp(name, roam_kind_names[k]) == 0) return k;
    return -1;
}

static int open_document(const roam_options* o, roam_job* j)
{
    const int kind = find_kind(o->creature);
    if (o->rig != NULL)
    {
        j->name = o->rig;
        return cli_read_document(&o->options, o->rig, &j->document, &j->bytes);
    }
    if (kind < 0)
        return cli_fail(EXIT_USAGE,
                        "roam: --creature %s is a file, which says how a rig walks: give the rig with --rig FILE, or "
                        "name one of lizard, hexapod, spider, biped",
                        o->creature);
    j->name = roam_kind_names[kind];
    size_t size = 0;
    sft_error error = {0};
    int code = roam_make_glb((roam_kind)kind, o->scale, &j->bytes, &size);
    if (code != EXIT_DONE) return code;
    const sft_result result = sft_io_read(NULL, j->bytes, size, NULL, &j->document, &error);
    return result == SFT_OK ? EXIT_DONE : cli_fail_error(j->name, result, &error);
}

static int take_skeleton(const roam_options* o, roam_job* j)
{
    sft_clip* rest = NULL;
    sft_error error = {0};
    sft_result result = sft_io_to_clip(j->document, -1, NULL, NULL, &j->skeleton, &rest, NULL, &error);
    if (result != SFT_OK) return cli_fail_error(j->name, result, &error);
    const sft_io_contents* v = sft_io_view(j->document);
    j->space = (sft_space){.unit_metres = v->unit_metres, .up = v->up >= 0 ? (sft_axis)v->up : SFT_AXIS_Y};
    // A creature of our own is in metres at any --scale.
    if (o->rig != NULL) result = cli_find_space(&o->options, v, j->skeleton, rest, j->name, "", &j->space);
    if (result == SFT_OK) result = sft_clip_rescale(j->skeleton, rest, &j->space);
    sft_clip_destroy(rest, NULL);
    return result == SFT_OK ? EXIT_DONE : cli_fail(EXIT_READ, "%s: its numbers are out of range", j->name);
}

static int choose_gait(const roam_options* o, roam_job* j)
{
    if (o->gait == NULL) return EXIT_DONE;
    for (int g = 0; g < SFT_GAIT_COUNT; ++g)
    {
        if (strcmp(o->gait, roam_gait_names[g]) != 0) continue;
        if ((j->def.gaits & 1u << g) == 0) break;
        j->def.gaits = 1u << g;
        return EXIT_DONE;
    }
    cli_text list = {0};
    for (int g = 0; g < SFT_GAIT_COUNT; ++g)
        if ((j->def.gaits & 1u << g) != 0) text_fmt(&list, "%s%s", list.size > 0 ? ", " : "", roam_gait_names[g]);
    cli_fail(EXIT_USAGE, "roam: --gait %s: %s can %s", o->gait, j->name, list.data != NULL ? list.data : "not walk");
    text_free(&list);
    return EXIT_USAGE;
}

// A BVH joint without rotation channels turns nothing, so a creature that is seen in a BVH does without it.
static bool can_turn(const roam_job* j, int32_t joint)
{
    const sft_bvh* bvh = sft_io_bvh(j->document);
    if (bvh == NULL) return true;
    const sft_bvh_joint* own = &sft_bvh_view(bvh)->joints[joint];
    for (int32_t c = 0; c < own->channel_count; ++c)
        if (own->channels[c] >= SFT_BVH_XROTATION) return true;
    return false;
}

static void drop_stiff_joints(roam_job* j)
{
    sft_creature_def* def = &j->def;
    int32_t eyes = 0, head = 0, spine = 0, tail = 0;
    for (int32_t i = 0; i < def->eye_count; ++i)
        if (can_turn(j, def->eyes[i].joint)) def->eyes[eyes++] = def->eyes[i];
    for (int32_t i = 0; i < def->head_count; ++i)
        if (can_turn(j, def->head[i].joint)) def->head[head++] = def->head[i];
    for (int32_t i = 0; i < def->spine_count; ++i)
        if (can_turn(j, def->spine[i].joint)) def->spine[spine++] = def->spine[i];
    for (int32_t i = 0; i < def->tail_count; ++i)
        if (can_turn(j, def->tail[i])) def->tail[tail++] = def->tail[i];
    int32_t arms = 0;
    for (int32_t i = 0; i < def->arm_count; ++i)
        if (can_turn(j, def->arms[i].joints[0]) && can_turn(j, def->arms[i].joints[1]))
            def->arms[arms++] = def->arms[i];
    def->arm_count = arms;
    def->eye_count = eyes;
    def->head_count = head;
    def->spine_count = spine;
    def->tail_count = tail;
}

// The line that a word first stands in, from 1.
static int line_of(const char* text, size_t size, const char* word)
{
    const size_t length = strlen(word);
    int line = 1;
    for (size_t i = 0; i + length <= size && memcmp(text + i, word, length) != 0; ++i)
        line += text[i] == '\n';
    return line;
}

static int make_creature(const roam_options* o, roam_job* j)
{
    sft_error error = {0};
    sft_result result;
    if (j->skeleton->joint_count < 1)
        return cli_fail(EXIT_NO_LEGS, "%s: it has no joints, so there are no legs to walk on", j->name);
    if (o->rig != NULL && find_kind(o->creature) >= 0)
        return cli_fail(EXIT_USAGE,
                        "roam: --creature %s is made by the program, and --rig brings a figure of its own; give one of "
                        "them, or --creature FILE.json for the rig",
                        o->creature);
    if (find_kind(o->creature) < 0 && strcmp(o->creature, "auto") != 0)
    {
        void* text = NULL;
        size_t size = 0;
        if (roam_is_slip(o->creature))
            return cli_fail(EXIT_USAGE, "roam: --creature %s is no file, which it must be with --rig", o->creature);
        const int code = cli_read_bytes(o->creature, &text, &size);
        if (code != EXIT_DONE) return code;
        result = sft_creature_parse(text, size, j->skeleton, NULL, &j->def, &error);
        const int line = result == SFT_OK ? line_of(text, size, "\"scale\"") : 0;
        free(text);
        if (result != SFT_OK) return cli_fail_error(o->creature, result, &error);
        if (j->def.scale != 1)
            return cli_fail(EXIT_READ, "%s:%d: 'scale' is %g; a rig walks in the size that its file has, which is 1",
                            o->creature, line, j->def.scale);
    }
    else
    {
        result = sft_creature_find(j->skeleton, NULL, NULL, &j->def, &error);
        if (result == SFT_ERR_UNSUPPORTED)
            return cli_fail(EXIT_NO_LEGS, "%s: %s%s%s", j->name, error.joint, error.joint[0] != '\0' ? ": " : "",
                            error.message);
        if (result != SFT_OK) return cli_fail_error(j->name, result, &error);
        drop_stiff_joints(j);
    }
    int code = choose_gait(o, j);
    if (code == EXIT_DONE && o->tune != NULL) code = roam_tune(o->tune, &j->def);
    if (code != EXIT_DONE) return code;
    j->def.motion.max_speed *= o->speed;
    result = sft_creature_create(&j->def, j->skeleton, NULL, &j->creature, &error);
    return result == SFT_OK ? EXIT_DONE : cli_fail_error(j->name, result, &error);
}

static int write_def(const roam_options* o, const roam_job* j)
{
    char* text = NULL;
    size_t size = 0;
    if (o->creature_out == NULL) return EXIT_DONE;
    const sft_result result = sft_creature_format(&j->def, j->skeleton, NULL, &text, &size);
    if (result != SFT_OK) return cli_fail(EXIT_MEMORY, "out of memory");
    const int code = cli_write_bytes(o->creature_out, text, size);
    free(text);
    return code;
}

// [m] from the hindmost home to the foremost, and half a leg.
static double own_length(const sft_creature_def* def)
{
    double lo = INFINITY, hi = -INFINITY, reach = 0;
    for (int32_t l = 0; l < def->leg_count; ++l)
    {
        const double along = sft_v3d_dot(def->legs[l].home, def->forward);
        lo = fmin(lo, along);
        hi = fmax(hi, along);
        reach = fmax(reach, def->legs[l].reach_max);
    }
    return def->scale * (hi - lo + 0.5 * reach);
}

int roam_open(const roam_options* o, roam_job* j)
{
    int code = open_document(o, j);
    if (code == EXIT_DONE) code = take_skeleton(o, j);
    if (code == EXIT_DONE) code = make_creature(o, j);
    if (code == EXIT_DONE) code = write_def(o, j);
    const double size = code == EXIT_DONE ? own_length(&j->def) : 1;
    if (code == EXIT_DONE) code = roam_path_make(o->path, size, &j->path);
    if (code == EXIT_DONE && o->goals != NULL) code = roam_goals_read(o->goals, &j->goals);
    const double reach = j->def.motion.max_speed * o->seconds + 10 * size;
    const ground_place place = {.way.travel = reach, .low = {-reach, -reach, -reach}, .high = {reach, reach, reach}};
    static const ground_spec level = {.kind = GROUND_PLANE};
    if (code == EXIT_DONE) code = ground_make(o->has_ground ? &o->ground : &level, &place, &j->ground);
    if (code == EXIT_DONE && o->has_obstacles) code = ground_make(&o->obstacles, &place, &j->obstacles);
    return code;
}

void roam_close(roam_job* j)
{
    sft_clip_destroy(j->clip, NULL);
    sft_creature_destroy(j->creature, NULL);
    sft_skeleton_destroy(j->skeleton, NULL);
    sft_io_destroy(j->document);
    free(j->bytes);
    free(j->swings);
    free(j->feet);
    free(j->bodies);
    roam_path_free(&j->path);
    roam_goals_free(&j->goals);
    ground_release(&j->ground);
    ground_release(&j->obstacles);
}

// ---- walking ----

// At the height of its head.
static void look_at_goal(roam_walker* w, sft_v3d goal, sft_creature_input* input)
{
    w->look = goal;
    w->look.y = sft_creature_get_body(w->state)->head.y;
    input->look = &w->look;
}

static void sample_goals(roam_walker* w, sft_creature_input* input)
{
    roam_goals* goals = &w->j->goals;
    const bool at_goal = w->looks && strcmp(w->o->look, "goal") == 0;
    if (w->looks && !at_goal) input->look = &w->look;
    roam_goals_sample(goals, sft_creature_get_body(w->state)->step, input);
    if (at_goal && goals->leads && !goals->looks) look_at_goal(w, goals->goal, input);
}

void roam_sample(void* walker, double time, sft_creature_input* input)
{
    roam_walker* w = walker;
    (void)time;
    *input = (sft_creature_input){.ground = &w->j->ground.ground,
                                  .blocks = w->o->has_obstacles ? &w->j->obstacles.ground : NULL};
    if (w->o->goals != NULL)
    {
        sample_goals(w, input);
        return;
    }
    const sft_creature_body* body = sft_creature_get_body(w->state);
    if (w->j->path.kind == PATH_STAND)
        w->goal = w->j->path.points[1];
    else
    {
        input->kind = SFT_CREATURE_GO_TO;
        w->goal = roam_path_goal(&w->j->path, body->place.t, w->lead);
        input->goal = w->goal;
    }
    if (!w->looks) return;
    if (strcmp(w->o->look, "goal") == 0)
        look_at_goal(w, w->goal, input);
    else
        input->look = &w->look;
}

// Locals of a frame: the body carries the creature through the world, all else is as the creature holds it.
static void put_frame(const roam_job* j, const sft_creature_state* state, sft_v3d* t, sft_quatd* r)
{
    const sft_v3d* local_t = NULL;
    const sft_quatd* local_r = NULL;
    sft_creature_get_pose(j->creature, state, &local_t, &local_r);
    const size_t n = (size_t)j->skeleton->joint_count;
    memcpy(t, local_t, n * sizeof *t);
    memcpy(r, local_r, n * sizeof *r);
    const int32_t body = j->def.body, above = j->skeleton->parents[body];
    const sft_xformd place = sft_creature_get_body(state)->place;
    const sft_xformd model = sft_skeleton_joint_model(j->skeleton, t, r, body);
    const sft_quatd turn = sft_quatd_mul(place.r, model.r);
    const sft_v3d where = sft_v3d_add(place.t, sft_quatd_rotate(place.r, model.t));
    sft_xformd carrier = {{0, 0, 0}, sft_quatd_identity()};
    if (above >= 0) carrier = sft_skeleton_joint_model(j->skeleton, t, r, above);
    const sft_quatd back = sft_quatd_conjugate(carrier.r);
    t[body] = sft_quatd_rotate(back, sft_v3d_sub(where, carrier.t));
    r[body] = sft_quatd_normalize(sft_quatd_mul(back, turn));
}

typedef struct measure
{
    sft_xformd *now, *before;
    bool stood[SFT_MAX_LEGS];
    double slide_sum, stride_sum;
    long slide_count, stride_count;
    sft_v3d place;
    sft_v3d from[SFT_MAX_LEGS];
    int64_t steps[SFT_MAX_LEGS];
} measure;

// What the figures say is read off the frame's own joints.
static void measure_frame(roam_job* j, const sft_creature_state* state, int32_t frame, measure* m)
{
    const size_t n = (size_t)j->skeleton->joint_count;
    const sft_creature_foot* feet = sft_creature_get_feet(j->creature, state);
    roam_figures* f = &j->figures;
    sft_skeleton_forward(j->skeleton, j->clip->translations + (size_t)frame * n, j->clip->rotations + (size_t)frame * n,
                         m->now);
    int air = 0;
    for (int32_t l = 0; l < j->def.leg_count; ++l)
    {
        const sft_creature_leg* leg = &j->def.legs[l];
        const int32_t foot = leg->joints[leg->joint_count - 1];
        const sft_xformd joint = m->now[foot];
        const bool stands = feet[l].standing && !feet[l].swinging;
        const size_t at = (size_t)frame * (size_t)j->def.leg_count + (size_t)l;
        j->swings[at] = feet[l].swinging;
        j->feet[at] = joint.t;
        air += feet[l].swinging;
        if (stands)
        {
            const sft_v3d turn = sft_quatd_log(sft_quatd_mul(joint.r, sft_quatd_conjugate(feet[l].rotation)));
            f->off_max = fmax(f->off_max, sft_v3d_length(sft_v3d_sub(joint.t, feet[l].position)));
            f->turn_max = fmax(f->turn_max, sft_v3d_length(turn));
        }
        if (stands && m->stood[l] && feet[l].steps == m->steps[l] && frame > 0)
        {
            const double speed = 100 * sft_v3d_length(sft_v3d_sub(joint.t, m->before[foot].t)) / j->clip->frame_time;
            m->slide_sum += speed;
            m->slide_count++;
            f->slide_max = fmax(f->slide_max, speed);
        }
        if (feet[l].steps != m->steps[l])
        {
            m->stride_sum += sft_v3d_length(sft_v3d_sub(feet[l].to, feet[l].from));
            m->stride_count++;
        }
        m->stood[l] = stands;
        m->steps[l] = feet[l].steps;
    }
    f->air[air] += 1;
    const sft_creature_body* body = sft_creature_get_body(state);
    f->blocked += body->blocked;
    const sft_v3d d = sft_v3d_sub(body->place.t, m->place);
    if (frame > 0) f->distance += sqrt(d.x * d.x + d.z * d.z);
    m->place = j->bodies[frame] = body->place.t;
    sft_xformd* swap = m->now;
    m->now = m->before;
    m->before = swap;
}

static void finish_figures(roam_job* j, const measure* m)
{
    roam_figures* f = &j->figures;
    f->slide = m->slide_count > 0 ? m->slide_sum / (double)m->slide_count : 0;
    f->stride = m->stride_count > 0 ? m->stride_sum / (double)m->stride_count : 0;
    for (int32_t l = 0; l < j->def.leg_count; ++l)
        f->steps[l] = m->steps[l];
    for (int k = 0; k <= j->def.leg_count; ++k)
        f->air[k] /= j->clip->frame_count;
    f->blocked /= j->clip->frame_count;
    for (int g = 0; g < SFT_GAIT_COUNT; ++g)
        if ((j->def.gaits & 1u << g) != 0)
            f->safe_speed = fmax(f->safe_speed, sft_creature_safe_speed(j->creature, (sft_gait)g));
}

static int read_look(const roam_options* o, roam_walker* w)
{
    if (o->look == NULL || strcmp(o->look, "ahead") == 0) return EXIT_DONE;
    w->looks = true;
    if (strcmp(o->look, "goal") == 0) return EXIT_DONE;
    double v[3] = {0, 0, 0};
    const char* at = o->look;
    for (int k = 0; k < 3; ++k)
    {
        char* end = NULL;
        v[k] = strtod(at, &end);
        if (end == at || !(fabs(v[k]) <= 1e6) || *end != (k < 2 ? ',' : '\0'))
            return cli_fail(EXIT_USAGE, "roam: --look wants ahead, goal or X,Y,Z in metres, not '%s'", o->look);
        at = end + 1;
    }
    w->look = (sft_v3d){v[0], v[1], v[2]};
    return EXIT_DONE;
}

static int step_frames(roam_walker* w, measure* m)
{
    roam_job* j = w->j;
    const size_t n = (size_t)j->skeleton->joint_count;
    for (int32_t frame = 0; frame < j->clip->frame_count; ++frame)
    {
        // Frame k shows the step next below its time, whatever the rate, so that nothing adds up.
        const int64_t want = (int64_t)floor((double)frame * j->clip->frame_time * SFT_CREATURE_RATE + 1e-6);
        const int64_t left = want - sft_creature_get_body(w->state)->step;
        if (left > 0)
        {
            const sft_result result = sft_creature_update(j->creature, ((double)left + 0.25) / SFT_CREATURE_RATE,
                                                          (int32_t)left, roam_sample, w, w->state, NULL);
            if (result != SFT_OK) return cli_fail(EXIT_READ, "%s: the walk left the numbers' range", j->name);
        }
        put_frame(j, w->state, j->clip->translations + (size_t)frame * n, j->clip->rotations + (size_t)frame * n);
        measure_frame(j, w->state, frame, m);
        if (frame % 512 == 0) cli_progress("roaming: %d of %d frames ...", (int)frame, (int)j->clip->frame_count);
    }
    cli_progress("%s", "");
    return EXIT_DONE;
}

int roam_put_down(const roam_options* o, roam_job* j, void* memory, roam_walker* out)
{
    *out = (roam_walker){.o = o, .j = j, .lead = 1.6 * j->def.motion.approach_distance};
    const int code = read_look(o, out);
    if (code != EXIT_DONE) return code;
    const sft_xformd place = {{0, 0, 0}, sft_quatd_between(j->def.forward, (sft_v3d){0, 0, 1})};
    const sft_result result = sft_creature_place(j->creature, place, &j->ground.ground, memory,
                                                 sft_creature_state_size(j->creature), &out->state);
    if (result != SFT_OK) return cli_fail(EXIT_READ, "%s: cannot be put down", j->name);
    // It looks where it looks from the first frame on; what it is led by comes after.
    sft_creature_input first = {.look = out->looks && strcmp(o->look, "goal") != 0 ? &out->look : NULL};
    if (o->goals == NULL) roam_sample(out, 0, &first);
    sft_creature_face(j->creature, first.look, out->state);
    return EXIT_DONE;
}

int roam_walk(const roam_options* o, roam_job* j)
{
    const double frames = floor(o->seconds * o->fps + 0.5) + 1;
    if (!(frames <= MAX_FRAMES))
        return cli_fail(EXIT_USAGE, "roam: %.0f frames are too many; at most %d", frames, MAX_FRAMES);
    roam_walker w;
    int code = EXIT_DONE;
    const size_t n = (size_t)j->skeleton->joint_count;
    measure m = {.now = calloc(n, sizeof *m.now), .before = calloc(n, sizeof *m.before)};
    void* memory = malloc(sft_creature_state_size(j->creature));
    j->swings = calloc((size_t)frames * (size_t)j->def.leg_count, 1);
    j->feet = calloc((size_t)frames * (size_t)j->def.leg_count, sizeof *j->feet);
    j->bodies = calloc((size_t)frames, sizeof *j->bodies);
    const sft_result result = sft_clip_create(j->skeleton->joint_count, (int32_t)frames, 1.0 / o->fps, NULL, &j->clip);
    if (m.now == NULL || m.before == NULL || memory == NULL || j->swings == NULL || j->feet == NULL ||
        j->bodies == NULL || result != SFT_OK)
        code = cli_fail(EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE) code = roam_put_down(o, j, memory, &w);
    if (code == EXIT_DONE) code = step_frames(&w, &m);
    if (code == EXIT_DONE) finish_figures(j, &m);
    free(memory);
    free(m.now);
    free(m.before);
    return code;
}
