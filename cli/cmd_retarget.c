// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot retarget: a clip onto another figure.

#include "retarget.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: surefoot retarget [options] SOURCE --onto TARGET -o OUT\n"
    "\n"
    "Moves the clip of SOURCE onto the skeleton of TARGET: joints are paired by what they mean, not by their names\n"
    "alone, rest poses and bone axes may differ, travel goes by leg length, and feet that were planted are planted on\n"
    "the new legs. SOURCE and TARGET are BVH, glTF, GLB or FBX.\n"
    "\n"
    "  --onto TARGET      the figure that gets the motion. Of a glTF or GLB the whole file is kept and an animation "
    "added,\n"
    "                     named after the source's; a BVH keeps joints, channels, unit and axes, with the frames and "
    "the\n"
    "                     frame time of the source; of an FBX the skeleton comes out as GLB\n"
    "  -o OUT             where to write, as .bvh, .glb or .gltf by its name; '-' is standard output, in the format "
    "of\n"
    "                     TARGET (of FBX: GLB). May be TARGET itself, which is replaced only once OUT is complete\n"
    "  --replace CLIP     put the motion in the place of that clip of TARGET, instead of adding one\n"
    "  --json             map, figures before and after, and what could not be reached, as one object; a list with\n"
    "                     --all-clips\n"
    "  --report PAGE.html write a page with both figures side by side, curves of limbs and feet, and the map\n"
    "  --picture PIC.svg  write the heart of that page as one picture. With --all-clips one of each a clip\n"
    "\n"
    "Map\n"
    "  --map FILE.json    take the pairs from this file instead of finding them. A map of other skeletons is refused\n"
    "  --map-out FILE.json\n"
    "                     write the pairs, with confidence and reason, to look at and edit. Without -o nothing else "
    "is\n"
    "                     done\n"
    "  --source-pose N | rest | auto\n"
    "  --target-pose N | rest | auto\n"
    "                     pose in which the figure stands upright with its limbs apart: frame N of its clip, from 0, "
    "or\n"
    "                     the rest pose. Default: auto, the rest pose where that is one, else the best frame\n"
    "  --target-clip CLIP clip of TARGET that --target-pose counts in. Default: the first\n"
    "  --target-unit U, --target-up AXIS, --target-legs FILE.json\n"
    "                     as --unit, --up and --legs, for TARGET\n"
    "\n"
    "Motion\n"
    "  --mirror           swap left and right\n"
    "  --scale S          of travel and height, 0.001 to 1000. Default: leg length over leg length\n"
    "  --root root | hips who carries the travel where TARGET has a joint above its hips. Default: root\n"
    "  --non-rigid none | ratio\n"
    "                     what becomes of bones whose length the source animates: none, the target's keep theirs and\n"
    "                     point the same way; ratio, they stretch as much. Default: none\n"
    "\n"
    "What proportions broke\n"
    "  --no-clean         leave the feet where the transfer puts them\n"
    "  --keep hands       hands that touch each other, the head, the body or the ground keep touching\n"
    "  --goal JOINT[:OTHER]@FIRST-LAST[=X,Y,Z]\n"
    "                     JOINT of TARGET holds on to a place in the world, or on OTHER, in these frames. X,Y,Z: "
    "metres\n"
    "                     along the file's axes, or in the space of OTHER. Default: where it is at FIRST. Repeatable\n"
    "  --unreachable pelvis | release | stretch\n"
    "                     what gives way where a goal is out of reach: the body leans, the goal is let go, the limb "
    "gets\n"
    "                     longer by a tenth at most. Default: pelvis\n"
    "  --loop             the clip is a cycle\n"
    "\n";

static const char examples[] = "\n"
                               "Examples\n"
                               "  surefoot retarget walk.bvh --onto knight.glb -o knight_walk.glb\n"
                               "  surefoot retarget mocap.fbx --onto rig.bvh -o rig_take.bvh --report page.html\n"
                               "  surefoot retarget clips.glb --onto hero.glb --all-clips -o hero_all.glb\n"
                               "  surefoot retarget odd.bvh --onto hero.glb --map-out map.json && edit map.json &&\n"
                               "      surefoot retarget odd.bvh --onto hero.glb --map map.json -o hero_odd.glb\n"
                               "  surefoot retarget clap.bvh --onto child.glb --keep hands -o child_clap.glb\n"
                               "\n";

enum
{
    OPT_ONTO = OPT_OWN,
    OPT_REPLACE,
    OPT_MAP,
    OPT_MAP_OUT,
    OPT_SOURCE_POSE,
    OPT_TARGET_POSE,
    OPT_TARGET_CLIP,
    OPT_TARGET_UNIT,
    OPT_TARGET_UP,
    OPT_TARGET_LEGS,
    OPT_MIRROR,
    OPT_SCALE,
    OPT_ROOT,
    OPT_NON_RIGID,
    OPT_NO_CLEAN,
    OPT_KEEP,
    OPT_GOAL,
    OPT_UNREACHABLE,
    OPT_LOOP,
    OPT_REPORT,
    OPT_PICTURE
};

// ---- outputs of a clip ----

static int write_reports(const retarget* r, const retarget_job* j, const char* page, const char* picture)
{
    const char* const paths[2] = {page, picture};
    int code = EXIT_DONE;
    for (int i = 0; i < 2 && code == EXIT_DONE; ++i)
    {
        if (paths[i] == NULL) continue;
        cli_text text = {0};
        (i == 0 ? retarget_page : retarget_picture)(r, j, &text);
        code = text.failed ? cli_fail(EXIT_MEMORY, "%s: out of memory", paths[i])
                           : cli_write_bytes(paths[i], text.data, text.size);
        text_free(&text);
    }
    return code;
}

// Rigs and map of one clip of the source.
static int understand(const retarget* r, retarget_job* j, int32_t index)
{
    int code = cli_take_clip(&r->options, j->source, index);
    if (code == EXIT_DONE && r->options.output != NULL && j->source->frame_count == 0)
        code = cli_fail(EXIT_READ, "%s: holds no frames", j->source->path);
    if (code == EXIT_DONE) cli_keep_one_character(j->source, "the clip");
    if (code == EXIT_DONE) code = retarget_make_rigs(r, j);
    // The rig finds legs where the loader had no frame to look at.
    if (code == EXIT_DONE && j->target->leg_count == 0 && j->target_rig->leg_count > 0)
    {
        j->target->leg_count = j->target_rig->leg_count;
        memcpy(j->target->legs, j->target_rig->legs, (size_t)j->target->leg_count * sizeof *j->target->legs);
        cli_name_feet(j->target);
    }
    return code == EXIT_DONE ? retarget_make_map(r, j) : code;
}

static int move_clip(const retarget* r, retarget_job* j, retarget_outputs* out, int32_t index)
{
    int code = understand(r, j, index);
    if (code == EXIT_DONE) code = retarget_move(r, j);
    if (code == EXIT_DONE) code = retarget_put(r, j, out);
    if (code == EXIT_DONE) code = retarget_measure(r, j);
    return code;
}

static FILE* words_go_to(const retarget* r)
{
    const bool taken = (r->options.output != NULL && strcmp(r->options.output, "-") == 0) ||
                       (r->map_out != NULL && strcmp(r->map_out, "-") == 0);
    return taken ? stderr : stdout;
}

static int map_only(const retarget* r, retarget_job* j)
{
    int code = understand(r, j, j->source->chosen[0]);
    if (code == EXIT_DONE) code = retarget_write_map(r, j);
    if (code == EXIT_DONE && r->options.json)
    {
        json_out json = {.first = true};
        json_begin(&json, NULL, '{');
        json_text(&json, "source", j->source->path);
        json_text(&json, "target", j->target->path);
        retarget_json_map(&json, j);
        json_end(&json, '}');
        code = json_finish(&json);
    }
    else if (code == EXIT_DONE)
    {
        FILE* out = words_go_to(r);
        cli_print(out, "%s onto %s: map -> %s\n", j->source->title, j->target->name, r->map_out);
        retarget_print_map(out, r, j);
    }
    retarget_release(j);
    return code;
}

static int move_one(const retarget* r, retarget_job* j, retarget_outputs* out)
{
    json_out json = {.first = true};
    int code = move_clip(r, j, out, j->source->chosen[0]);
    if (code == EXIT_DONE) code = retarget_write(r, out, NULL);
    if (code == EXIT_DONE) code = retarget_write_map(r, j);
    if (code == EXIT_DONE) code = write_reports(r, j, r->page, r->picture);
    if (code == EXIT_DONE && r->options.json)
    {
        retarget_json(&json, r, j, r->page);
        code = json_finish(&json);
    }
    else if (code == EXIT_DONE)
        retarget_print_summary(words_go_to(r), r, j);
    retarget_release(j);
    return code;
}

static int move_next(const retarget* r, retarget_job* j, retarget_outputs* out, int32_t index, json_out* json,
                     cli_text* lines)
{
    char* page = r->page != NULL ? cli_clip_path(r->page, j->source, index) : NULL;
    char* picture = r->picture != NULL ? cli_clip_path(r->picture, j->source, index) : NULL;
    int code = (r->page != NULL && page == NULL) || (r->picture != NULL && picture == NULL)
                   ? cli_fail(EXIT_MEMORY, "out of memory")
                   : move_clip(r, j, out, index);
    if (code == EXIT_DONE) code = write_reports(r, j, page, picture);
    if (code == EXIT_DONE && out->count == 1) code = retarget_write_map(r, j);
    if (code == EXIT_DONE && r->options.json)
        retarget_json(json, r, j, page);
    else if (code == EXIT_DONE)
        retarget_print_line(lines, j);
    free(page);
    free(picture);
    retarget_release(j);
    return code;
}

// Clip by clip into one document, which is written once all went well.
static int move_all(const retarget* r, retarget_job* j, retarget_outputs* out)
{
    json_out json = {.first = true};
    cli_text lines = {0};
    int code = EXIT_DONE;
    if (r->options.json) json_begin(&json, NULL, '[');
    for (int32_t i = 0; i < j->source->chosen_count && code == EXIT_DONE; ++i)
        code = move_next(r, j, out, j->source->chosen[i], &json, &lines);
    if (r->options.json) json_end(&json, ']');
    if (code == EXIT_DONE) code = retarget_write(r, out, NULL);
    if (code == EXIT_DONE && r->options.json)
        code = json_finish(&json);
    else
        text_free(&json.text);
    if (code == EXIT_DONE && !r->options.json)
    {
        FILE* words = words_go_to(r);
        cli_print(words, "%s onto %s -> %s, %d clip%s\n", j->source->name, j->target->name, r->options.output,
                  (int)j->source->chosen_count, j->source->chosen_count == 1 ? "" : "s");
        cli_put_safe(words, lines.data != NULL ? lines.data : "");
    }
    text_free(&lines);
    return code;
}

static int check_files(const retarget* r, const loaded* source, const loaded* target)
{
    const char* const outputs[] = {r->options.output, r->map_out, r->page, r->picture};
    int code = cli_check_resources("retarget", &r->options, source, outputs, 4);
    if (code == EXIT_DONE) code = cli_check_resources("retarget", &r->target_options, target, outputs, 4);
    // OUT is one file of many clips, but for BVH.
    const bool many = r->options.output != NULL && r->options.all_clips;
    const bool each = many && cli_output_format(r->options.output, target->document) == SFT_IO_BVH;
    for (int i = each ? 0 : 2; i < 4 && code == EXIT_DONE && many; ++i)
        if (i != 1) code = cli_check_clip_paths("retarget", &r->options, outputs[i], source);
    return code;
}

static int run(const retarget* r, loaded* source, loaded* target)
{
    static retarget_job job;
    retarget_outputs out = {0};
    job = (retarget_job){.source = source, .target = target};
    int code = cli_choose_clips(&r->options, "retarget", r->options.output != NULL ? CLIPS_ONE : CLIPS_REST, source);
    if (code == EXIT_DONE) code = cli_choose_clips(&r->target_options, "retarget", CLIPS_REST, target);
    if (code == EXIT_DONE && r->replace != NULL && source->chosen_count > 1)
        code =
            cli_fail(EXIT_USAGE, "retarget: --replace takes one clip, not %d; say --clip", (int)source->chosen_count);
    if (code == EXIT_DONE) code = check_files(r, source, target);
    if (code == EXIT_DONE) code = cli_take_clip(&r->target_options, target, target->chosen[0]);
    if (code == EXIT_DONE) cli_keep_one_character(target, "the target");
    job.onto_bvh = target->contents->format == SFT_IO_BVH;
    if (code == EXIT_DONE) code = retarget_open_outputs(r, source, target, &out);
    if (code == EXIT_DONE)
        code = r->options.output == NULL ? map_only(r, &job)
               : r->options.all_clips    ? move_all(r, &job, &out)
                                         : move_one(r, &job, &out);
    retarget_close_outputs(&out);
    sft_rig_destroy(job.target_rig, NULL);
    return code;
}

// ---- command line ----

static int choose(const char* option, const char* value, const char* const* names, int count, int* out)
{
    for (int i = 0; i < count; ++i)
        if (strcmp(value, names[i]) == 0)
        {
            *out = i;
            return EXIT_DONE;
        }
    return cli_fail(EXIT_USAGE, "retarget: %s does not know '%s'; try `surefoot retarget --help`", option, value);
}

static int take_pose(const char* option, const char* value, int32_t* out)
{
    double number = 0.0;
    if (strcmp(value, "auto") == 0)
        *out = SFT_RIG_POSE_AUTO;
    else if (strcmp(value, "rest") == 0)
        *out = SFT_RIG_POSE_REST;
    else
    {
        char* end = NULL;
        number = value[0] >= '0' && value[0] <= '9' ? strtod(value, &end) : -1.0;
        if (!(number >= 0.0 && number <= 2147483647.0) || *end != '\0' || number != (double)(int32_t)number)
            return cli_fail(EXIT_USAGE, "retarget: %s wants a frame from 0, rest, or auto, not '%s'", option, value);
        *out = (int32_t)number;
    }
    return EXIT_DONE;
}

static int take_choice(retarget* r, int key, const char* value)
{
    static const char* const hands[1] = {"hands"};
    int choice = 0, code;
    switch (key)
    {
    case OPT_ROOT:
        code = choose("--root", value, retarget_root_names, 2, &choice);
        r->transfer.travel = (sft_travel_owner)choice;
        return code;
    case OPT_NON_RIGID:
        code = choose("--non-rigid", value, retarget_non_rigid_names, 2, &choice);
        r->transfer.non_rigid = (sft_non_rigid)choice;
        return code;
    case OPT_UNREACHABLE:
        code = choose("--unreachable", value, retarget_unreachable_names, 3, &choice);
        r->mend.unreachable = (sft_unreachable)choice;
        return code;
    case OPT_KEEP:
        r->keep_hands = true;
        return choose("--keep", value, hands, 1, &choice);
    case OPT_SOURCE_POSE:
        return take_pose("--source-pose", value, &r->source_pose);
    case OPT_TARGET_POSE:
        return take_pose("--target-pose", value, &r->target_pose);
    default:
        return cli_bad_option("retarget");
    }
}

static int take_target(retarget* r, int key, const char* value)
{
    switch (key)
    {
    case OPT_TARGET_CLIP:
        return cli_take_option(&r->target_options, "retarget", OPT_CLIP, value);
    case OPT_TARGET_UNIT:
        return cli_take_option(&r->target_options, "retarget", OPT_UNIT, value);
    case OPT_TARGET_UP:
        return cli_take_option(&r->target_options, "retarget", OPT_UP, value);
    case OPT_TARGET_LEGS:
        return cli_take_option(&r->target_options, "retarget", OPT_LEGS, value);
    default:
        return take_choice(r, key, value);
    }
}

static int take(retarget* r, int key, const char* value)
{
    switch (key)
    {
    case OPT_ONTO:
        r->target_path = value;
        return EXIT_DONE;
    case OPT_REPLACE:
        r->replace = value;
        return EXIT_DONE;
    case OPT_MAP:
        r->map_in = value;
        return EXIT_DONE;
    case OPT_MAP_OUT:
        r->map_out = value;
        return EXIT_DONE;
    case OPT_MIRROR:
        r->transfer.mirror = true;
        return EXIT_DONE;
    case OPT_SCALE:
        return cli_take_number("retarget", "--scale", value, 0.001, 1000.0, &r->transfer.scale);
    case OPT_NO_CLEAN:
        r->no_clean = true;
        return EXIT_DONE;
    case OPT_GOAL:
        return retarget_take_goal(r, value);
    case OPT_LOOP:
        r->mend.loop = true;
        return EXIT_DONE;
    case OPT_REPORT:
        r->page = value;
        return EXIT_DONE;
    case OPT_PICTURE:
        r->picture = value;
        return EXIT_DONE;
    default:
        return key >= OPT_OWN ? take_target(r, key, value) : cli_take_option(&r->options, "retarget", key, value);
    }
}

static int parse(int argc, char** argv, retarget* r, bool* helped)
{
    static const struct option long_options[] = {CLI_FILE_OPTIONS,
                                                 CLI_SAMPLE_OPTIONS,
                                                 CLI_LEG_OPTIONS,
                                                 CLI_CONTACT_OPTIONS,
                                                 {"onto", required_argument, NULL, OPT_ONTO},
                                                 {"replace", required_argument, NULL, OPT_REPLACE},
                                                 {"map", required_argument, NULL, OPT_MAP},
                                                 {"map-out", required_argument, NULL, OPT_MAP_OUT},
                                                 {"source-pose", required_argument, NULL, OPT_SOURCE_POSE},
                                                 {"target-pose", required_argument, NULL, OPT_TARGET_POSE},
                                                 {"target-clip", required_argument, NULL, OPT_TARGET_CLIP},
                                                 {"target-unit", required_argument, NULL, OPT_TARGET_UNIT},
                                                 {"target-up", required_argument, NULL, OPT_TARGET_UP},
                                                 {"target-legs", required_argument, NULL, OPT_TARGET_LEGS},
                                                 {"mirror", no_argument, NULL, OPT_MIRROR},
                                                 {"scale", required_argument, NULL, OPT_SCALE},
                                                 {"root", required_argument, NULL, OPT_ROOT},
                                                 {"non-rigid", required_argument, NULL, OPT_NON_RIGID},
                                                 {"no-clean", no_argument, NULL, OPT_NO_CLEAN},
                                                 {"keep", required_argument, NULL, OPT_KEEP},
                                                 {"goal", required_argument, NULL, OPT_GOAL},
                                                 {"unreachable", required_argument, NULL, OPT_UNREACHABLE},
                                                 {"loop", no_argument, NULL, OPT_LOOP},
                                                 {"report", required_argument, NULL, OPT_REPORT},
                                                 {"picture", required_argument, NULL, OPT_PICTURE},
                                                 {0}};
    int key, code = EXIT_DONE;
    while (code == EXIT_DONE && (key = cli_next_option("retarget", argc, argv, true, long_options)) != -1)
    {
        if (key == OPT_HELP)
        {
            printf("%s%s%s%s%s%s%s%s", help, cli_help_file, cli_help_clips, cli_help_sample, cli_help_legs,
                   cli_help_contacts, examples, cli_help_exit);
            *helped = true;
            return EXIT_DONE;
        }
        code = take(r, key, optarg);
    }
    return code;
}

static int check(int argc, char** argv, const retarget* r)
{
    if (optind + 1 != argc) return cli_fail(EXIT_USAGE, "retarget: wants one SOURCE; try `surefoot retarget --help`");
    if (r->target_path == NULL) return cli_fail(EXIT_USAGE, "retarget: onto what? give --onto TARGET");
    if (r->options.output == NULL && r->map_out == NULL)
        return cli_fail(EXIT_USAGE, "retarget: where to? give -o OUT, or --map-out FILE.json for the map alone");
    if (r->options.output == NULL && (r->page != NULL || r->picture != NULL))
        return cli_fail(EXIT_USAGE, "retarget: %s shows a moved clip, so it wants -o OUT too",
                        r->page != NULL ? "--report" : "--picture");
    if (r->options.json && r->options.output != NULL && strcmp(r->options.output, "-") == 0)
        return cli_fail(EXIT_USAGE, "retarget: --json and -o - would both write to standard output");
    int code = r->options.output != NULL ? cli_check_output(r->options.output) : EXIT_DONE;
    const char* const inputs[] = {r->target_path,  argv[optind],         r->options.contacts,
                                  r->options.legs, r->options.character, r->target_options.legs,
                                  r->map_in};
    const char* const outputs[] = {r->options.output, r->map_out, r->page, r->picture, r->options.json ? "-" : NULL};
    if (code == EXIT_DONE) code = cli_check_paths("retarget", inputs, 7, outputs, 5, true);
    return code;
}

int cmd_retarget(int argc, char** argv)
{
    retarget r = {.options = cli_default_options(),
                  .target_options = cli_default_options(),
                  .source_pose = SFT_RIG_POSE_AUTO,
                  .target_pose = SFT_RIG_POSE_AUTO,
                  .transfer = sft_default_transfer_def(),
                  .mend = sft_default_mend_def()};
    static loaded source, target;
    bool helped = false;
    r.target_options.role = "target-";
    int code = parse(argc, argv, &r, &helped);
    if (code == EXIT_DONE && !helped) code = check(argc, argv, &r);
    if (code == EXIT_DONE && !helped)
    {
        r.target_options.positions = r.options.positions;
        code = cli_open(&r.options, argv[optind], &source);
        if (code == EXIT_DONE)
        {
            code = cli_open(&r.target_options, r.target_path, &target);
            if (code == EXIT_DONE) code = run(&r, &source, &target);
            cli_unload(&target);
            cli_unload(&source);
        }
    }
    free(r.goals);
    return code;
}
