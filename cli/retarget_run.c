// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One clip from one figure to the other: rigs, map, transfer, mending.

#include "retarget.h"

#include <stdlib.h>
#include <string.h>

// ---- the two figures ----

static int check_pose(const char* option, int32_t pose, const loaded* file)
{
    if (pose < 0 || (pose < file->frame_count && file->clip_index >= 0)) return EXIT_DONE;
    if (file->clip_index < 0)
        return cli_fail(EXIT_USAGE, "retarget: %s %d: %s holds no clip, only a rest pose; say %s rest", option,
                        (int)pose, file->path, option);
    return cli_fail(EXIT_USAGE, "retarget: %s %d does not fit %s, which has %d frames (0 to %d)", option, (int)pose,
                    file->title, (int)file->frame_count, (int)file->frame_count - 1);
}

static int make_rig(const loaded* file, int32_t pose, const char* option, sft_rig** out)
{
    const int code = check_pose(option, pose, file);
    if (code != EXIT_DONE) return code;
    if (file->skeleton->joint_count == 0) return cli_fail(EXIT_READ, "%s: holds no joints", file->path);
    sft_rig_def def = sft_default_rig_def();
    def.pose_frame = pose;
    if (file->leg_count > 0)
    {
        def.legs = file->legs;
        def.leg_count = file->leg_count;
    }
    const sft_clip* clip = file->clip->frame_count > 0 ? file->clip : NULL;
    const sft_result result = sft_rig_create(&def, file->skeleton, clip, NULL, out);
    return result == SFT_OK ? EXIT_DONE : cli_fail_clip(file, file->clip, "understanding the figure", result);
}

int retarget_make_rigs(const retarget* r, retarget_job* j)
{
    int code = EXIT_DONE;
    if (j->target_rig == NULL) code = make_rig(j->target, r->target_pose, "--target-pose", &j->target_rig);
    if (code == EXIT_DONE) code = make_rig(j->source, r->source_pose, "--source-pose", &j->source_rig);
    if (code != EXIT_DONE || r->source_pose != SFT_RIG_POSE_AUTO) return code;
    sft_rig* shared = NULL;
    const sft_result result = sft_rig_share_pose(j->source_rig, j->target_rig, NULL, &shared);
    if (result != SFT_OK) return cli_fail_clip(j->source, j->source->clip, "understanding the figure", result);
    if (shared == NULL) return EXIT_DONE;
    sft_rig_destroy(j->source_rig, NULL);
    j->source_rig = shared;
    return EXIT_DONE;
}

// ---- the map ----

static int read_map(const retarget* r, retarget_job* j)
{
    void* bytes = NULL;
    size_t size = 0;
    const int code = cli_read_bytes(r->map_in, &bytes, &size);
    if (code != EXIT_DONE) return code;
    const sft_rig_pair rigs = {j->source_rig, j->target_rig};
    sft_error error = {0};
    const sft_result result = sft_retarget_map_parse_json(&rigs, bytes, size, NULL, &j->map, &error);
    free(bytes);
    return result == SFT_OK ? EXIT_DONE : cli_fail_error(r->map_in, result, &error);
}

static const char* target_name(const retarget_job* j, int32_t joint, char* out)
{
    return cli_joint_name(j->target, joint, out, NAME_SIZE);
}

static void add_resting(const retarget_job* j, const char* what, int32_t source, int32_t target, cli_text* out)
{
    char name[NAME_SIZE];
    if (source < 0 || target < 0 || j->pairs->pairs[target].rule != SFT_PAIR_REST) return;
    text_fmt(out, "%s%s (%s)", out->size > 0 ? ", " : "", what, target_name(j, target, name));
}

// Long bones that both figures have and the map leaves at rest.
static void find_resting(const retarget_job* j, cli_text* out)
{
    static const char* const names[2][4] = {{"left upper arm", "left forearm", "left thigh", "left shin"},
                                            {"right upper arm", "right forearm", "right thigh", "right shin"}};
    static const sft_part parts[4] = {SFT_PART_UPPER_ARM, SFT_PART_FOREARM, SFT_PART_THIGH, SFT_PART_SHIN};
    static const sft_leg_side sides[2] = {SFT_LEG_LEFT, SFT_LEG_RIGHT};
    for (int k = 0; k < 8; ++k)
        add_resting(j, names[k / 4][k % 4], retarget_find_part(j->source_rig, parts[k % 4], sides[k / 4]),
                    retarget_find_part(j->target_rig, parts[k % 4], sides[k / 4]), out);
}

static bool lies_above(const sft_skeleton* s, int32_t above, int32_t joint)
{
    while (joint > above)
        joint = s->parents[joint];
    return joint == above;
}

// What a file says is done; what is hardly meant is said.
static int warn_of_map(const retarget* r, const retarget_job* j)
{
    char name[NAME_SIZE];
    const int32_t hips = j->target_rig->hips;
    if (hips >= 0 && j->pairs->pairs[hips].rule == SFT_PAIR_REST)
        cli_warn("%s: nothing turns the hips, %s: the body keeps its rest pose's heading and tilt", r->map_in,
                 target_name(j, hips, name));
    for (int32_t k = 0; k < j->pairs->target_joint_count; ++k)
        if (j->pairs->pairs[k].rule == SFT_PAIR_ROOT &&
            (hips < 0 || k == hips || !lies_above(j->target->skeleton, k, hips)))
            cli_warn("%s: %s is a root but does not lie above the hips: it stays at rest and carries nothing",
                     r->map_in, target_name(j, k, name));
    cli_text resting = {0};
    find_resting(j, &resting);
    if (resting.size > 0) cli_warn("%s: both figures have these, but they stay at rest: %s", r->map_in, resting.data);
    const bool failed = resting.failed;
    text_free(&resting);
    return failed ? cli_fail(EXIT_MEMORY, "out of memory") : EXIT_DONE;
}

// Two figures that are not alike; where legs were not found, that may be all that is missing.
static int fail_unalike(const retarget_job* j, const char* why)
{
    const bool of_target = j->target_rig->hips < 0;
    const sft_rig* rig = of_target ? j->target_rig : j->source_rig;
    const bool lost = rig->hips < 0 && rig->leg_count == 0;
    return cli_fail(EXIT_UNALIKE, "%s onto %s: %s%s%s%s", j->source->path, j->target->path, why,
                    lost ? ". Where it has legs, name them: --" : "", lost && of_target ? "target-" : "",
                    lost ? "legs FILE.json; the hips then follow" : "");
}

int retarget_make_map(const retarget* r, retarget_job* j)
{
    sft_error error = {0};
    int code = EXIT_DONE;
    if (r->map_in != NULL)
        code = read_map(r, j);
    else
    {
        const sft_rig_pair rigs = {j->source_rig, j->target_rig};
        const sft_result result = sft_retarget_map_create(&rigs, NULL, &j->map, &error);
        const char* why = error.message[0] != '\0' ? error.message : sft_result_string(result);
        if (result == SFT_ERR_UNSUPPORTED)
            code = fail_unalike(j, why);
        else if (result != SFT_OK)
            code = cli_fail(result == SFT_ERR_MEMORY ? EXIT_MEMORY : EXIT_READ, "%s onto %s: mapping: %s",
                            j->source->path, j->target->path, why);
    }
    if (code != EXIT_DONE) return code;
    j->pairs = sft_retarget_map_view(j->map);
    if (r->map_in == NULL || j->warned) return EXIT_DONE;
    j->warned = true;
    return warn_of_map(r, j);
}

// ---- the motion ----

int32_t retarget_travel_joint(const retarget* r, const retarget_job* j)
{
    const int32_t hips = j->target_rig->hips;
    int32_t up = hips >= 0 ? j->target->skeleton->parents[hips] : -1;
    while (up >= 0 && j->pairs->pairs[up].rule != SFT_PAIR_ROOT)
        up = j->target->skeleton->parents[up];
    return up >= 0 && r->transfer.travel == SFT_TRAVEL_ROOT ? up : hips;
}

sft_v3d retarget_direction(const retarget* r, const retarget_job* j, sft_v3d v)
{
    const sft_v3d up = sft_v3d_make(0, 1, 0);
    sft_v3d figure = sft_quatd_rotate(sft_quatd_exp(sft_v3d_scale(j->source_rig->facing, up)), v);
    if (r->transfer.mirror) figure.x = -figure.x;
    return sft_quatd_rotate(sft_quatd_exp(sft_v3d_scale(-j->target_rig->facing, up)), figure);
}

// The target with the frames of the source's clip, and the legs that its rig found.
static void show_target(retarget_job* j)
{
    const loaded* s = j->source;
    j->shown = *j->target;
    j->shown.frame_count = s->frame_count;
    j->shown.frame_time = s->frame_time;
    j->shown.first_frame = s->first_frame;
    j->shown.frames = s->frames;
    j->shown.title = s->title;
}

static int transfer(const retarget* r, retarget_job* j)
{
    sft_transfer_def def = r->transfer;
    retarget_find_ground(r, j);
    def.sole_lift = j->sole_lift;
    cli_progress("moving %d frames ...", (int)j->source->clip->frame_count);
    const sft_result result = sft_retarget_clip(&def, j->map, j->source->clip, NULL, &j->moved, &j->transfer);
    cli_progress("%s", "");
    if (result != SFT_OK) return cli_fail_clip(j->source, j->source->clip, "moving the clip", result);
    return EXIT_DONE;
}

static sft_clip* copy_of(const sft_clip* clip)
{
    sft_clip* copy = NULL;
    if (sft_clip_create(clip->joint_count, clip->frame_count, clip->frame_time, NULL, &copy) != SFT_OK) return NULL;
    const size_t cells = (size_t)clip->joint_count * (size_t)clip->frame_count;
    memcpy(copy->translations, clip->translations, cells * sizeof *clip->translations);
    memcpy(copy->rotations, clip->rotations, cells * sizeof *clip->rotations);
    return copy;
}

static sft_mend_def mend_def(const retarget* r, const retarget_job* j)
{
    sft_mend_def def = r->mend;
    def.feet = retarget_why_unplanted(r, j) == NULL;
    def.contact_threshold = r->options.threshold;
    def.source_ground = j->level_foot;
    def.ground = j->target_ground + j->target_sole;
    def.scale = r->transfer.scale;
    def.mirror = r->transfer.mirror;
    def.ground_velocity = j->contacts.ground;
    def.first_frame = j->source->first_frame;
    return def;
}

static int mend_copy(const sft_mend_def* def, retarget_job* j, const char* doing)
{
    const sft_mend_input input = {.map = j->map,
                                  .rigs = {j->source_rig, j->target_rig},
                                  .source_clip = j->source->clip,
                                  .labels = def->feet ? j->contacts.labels : NULL};
    j->solved = copy_of(j->moved);
    if (j->solved == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    cli_progress("%s in %d frames ...", doing, (int)j->solved->frame_count);
    const sft_result result = sft_retarget_mend(def, &input, NULL, j->solved, NULL, &j->mended);
    cli_progress("%s", "");
    return result == SFT_OK ? EXIT_DONE : cli_fail_clip(&j->shown, j->solved, "planting feet", result);
}

static void drop_mended(retarget_job* j)
{
    sft_mend_report_release(&j->mended, NULL);
    sft_clip_destroy(j->solved, NULL);
    j->solved = NULL;
}

// A hand that is to stay where it is stays where planting the feet, which moves the body, leaves it.
static int make_goals(const retarget* r, retarget_job* j, const sft_mend_def* def)
{
    const bool first = def->feet && retarget_goals_want_places(r);
    int code = first ? mend_copy(def, j, "planting feet for goals") : EXIT_DONE;
    if (code == EXIT_DONE) code = retarget_make_goals(r, j, first ? j->solved : j->moved);
    if (first) drop_mended(j);
    return code;
}

static int mend(const retarget* r, retarget_job* j)
{
    sft_mend_def def = mend_def(r, j);
    const int code = make_goals(r, j, &def);
    if (code != EXIT_DONE || (!def.feet && !r->keep_hands && r->goal_count == 0)) return code;
    def.hands = r->keep_hands;
    def.goals = j->goals;
    def.goal_count = r->goal_count;
    return mend_copy(&def, j, "planting feet");
}

int retarget_move(const retarget* r, retarget_job* j)
{
    show_target(j);
    int code = retarget_look_at_source(r, j);
    if (code == EXIT_DONE) code = transfer(r, j);
    if (code == EXIT_DONE) code = mend(r, j);
    return code;
}

void retarget_release(retarget_job* j)
{
    sft_mend_report_release(&j->mended, NULL);
    sft_clip_destroy(j->moved, NULL);
    sft_clip_destroy(j->solved, NULL);
    sft_clip_destroy(j->written, NULL);
    cli_free_tracks(&j->source_tracks);
    cli_free_tracks(&j->before_tracks);
    cli_free_tracks(&j->after_tracks);
    cli_free_contacts(&j->contacts);
    cli_free_contacts(&j->carried);
    for (int32_t i = 0; i < j->limb_count; ++i)
    {
        free(j->limbs[i].moved);
        free(j->limbs[i].solved);
    }
    free(j->goals);
    sft_retarget_map_destroy(j->map);
    sft_rig_destroy(j->source_rig, NULL);
    cli_drop_clip(j->source);
    loaded* source = j->source;
    loaded* target = j->target;
    sft_rig* rig = j->target_rig;
    *j = (retarget_job){
        .source = source, .target = target, .target_rig = rig, .onto_bvh = j->onto_bvh, .warned = j->warned};
}
