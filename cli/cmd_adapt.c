// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot adapt: a clip that was made on a flat floor goes onto ground that is not.

#include "adapt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: surefoot adapt [options] IN --ground SPEC -o OUT\n"
    "\n"
    "Puts a clip onto uneven ground: planted feet stand on it with the pitch and roll they had to the floor, swinging\n"
    "feet pass over it, the pelvis follows smoothly and as low as the legs need. Everything else keeps its numbers.\n"
    "What could not be done is named, with the frames. IN is BVH, glTF, GLB or FBX. A clip whose feet slide is "
    "cleaned\n"
    "first, as `surefoot clean` would.\n"
    "\n"
    "  --ground SPEC      what to stand on, see Grounds\n"
    "  -o OUT             where to write, as .bvh, .glb or .gltf by its name; '-' is standard output, in the format "
    "of\n"
    "                     IN (of FBX: GLB). May be IN itself, which is replaced only once the new file is complete\n"
    "  --method M         clip: sees the whole clip. runtime: frame by frame, as an engine would, later and softer.\n"
    "                     Default: clip\n"
    "  --no-clean         leave foot sliding in\n"
    "  --ground-out G.obj[,unit=U][,up=AXIS]\n"
    "                     also write the ground, to look at both in a viewer. Default: unit and axes of the clip's "
    "file\n"
    "  --keep-keys        of a glTF clip: fit the result to the source's own key times instead of a key a frame, and "
    "say\n"
    "                     the largest error\n"
    "  --report PAGE.html write a page with poses on the ground, heights of feet over it and figures; it stands "
    "alone.\n"
    "                     With --all-clips one a clip: PAGE-NAME.html\n"
    "  --json             what was done, figures before and after, and what was missed, as one object; a list with\n"
    "                     --all-clips\n"
    "\n"
    "Feet\n"
    "  --floor M          height in metres of the floor the clip was made on. Default: where planted feet are lowest;\n"
    "                     for a file with a mesh 0, if they are close above it\n"
    "  --pitch-max DEG    most the ankle tilts up or down. Default: 40\n"
    "  --roll-max DEG     most it tilts sideways. Default: 25\n"
    "  --edge-height M    steps under one sole higher than this are edges, which it does not tilt over. Default: 0.04\n"
    "  --place-max M      most a plant moves to get off an edge; 0: never. Default: 0.1\n"
    "  --clearance M      least height of a swinging sole over what it passes. Default: 0.02\n"
    "  --pelvis-drop M    most the pelvis sinks so that legs reach. Default: 0.3 leg lengths\n"
    "  --max-extension F  knees no straighter than this part of the leg, or than the source's. Default: 0.995\n"
    "  --blend S          runtime: seconds after which feet have followed the ground; the pelvis three times as long.\n"
    "                     Default: 0.12\n"
    "\n";

static const char examples[] =
    "\n"
    "A clip in which no legs are found is not written; exit code 6.\n"
    "\n"
    "Examples\n"
    "  surefoot adapt walk.bvh --ground slope:angle=10 -o uphill.bvh\n"
    "  surefoot adapt walk.bvh --ground stairs:rise=0.17,run=0.29 -o stairs.bvh --ground-out stairs.obj\n"
    "  surefoot adapt knight.glb --ground level.glb -o knight_level.glb --clip Walking_A\n"
    "  surefoot adapt walk.bvh --ground terrain.obj,unit=cm,up=z,heading=90,x=2 -o out.bvh\n"
    "  surefoot adapt walk.bvh --ground plane: --no-clean -o same.bvh     # level ground changes nothing\n"
    "\n";

enum
{
    OPT_SPEC = OPT_OWN,
    OPT_METHOD,
    OPT_NO_CLEAN,
    OPT_GROUND_OUT,
    OPT_KEEP_KEYS,
    OPT_REPORT,
    OPT_FLOOR,
    OPT_PITCH,
    OPT_ROLL,
    OPT_EDGE,
    OPT_PLACE,
    OPT_CLEARANCE,
    OPT_DROP,
    OPT_EXTENSION,
    OPT_BLEND
};

// A clip that slides faster at any time [cm/s] is cleaned first: what `clean` leaves is less.
#define SLIDE_LEAST 0.5

// ---- one clip ----

static sft_clip* copy_of(const sft_clip* clip)
{
    sft_clip* copy = NULL;
    if (sft_clip_create(clip->joint_count, clip->frame_count, clip->frame_time, NULL, &copy) != SFT_OK) return NULL;
    const size_t cells = (size_t)clip->joint_count * (size_t)clip->frame_count;
    memcpy(copy->translations, clip->translations, cells * sizeof *clip->translations);
    memcpy(copy->rotations, clip->rotations, cells * sizeof *clip->rotations);
    return copy;
}

static bool slides(const adapt_job* j)
{
    for (int32_t i = 0; i < j->file->leg_count; ++i)
        if (j->before.feet[i].slide_max_cm_s > SLIDE_LEAST) return true;
    return false;
}

// The clip as it is to stand on its floor, into j->stood.
static int stand(const adapt* a, adapt_job* j)
{
    j->stood = copy_of(j->file->clip);
    j->changed = calloc((size_t)j->file->clip->joint_count + 1, 1);
    if (j->stood == NULL || j->changed == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    if (a->no_clean || !slides(j)) return EXIT_DONE;
    sft_cleanup_def def = sft_default_cleanup_def();
    def.contact_threshold = a->options.threshold;
    def.ground_velocity = j->contacts.ground;
    def.first_frame = j->file->first_frame;
    cli_progress("cleaning %d frames ...", (int)j->stood->frame_count);
    const sft_result result = sft_cleanup_clip(&def, j->file->skeleton, j->file->legs, j->file->leg_count,
                                               j->contacts.labels, NULL, j->stood, j->changed, &j->clean_report);
    cli_progress("%s", "");
    if (result != SFT_OK) return cli_fail_clip(j->file, j->stood, "cleaning", result);
    j->cleaned = j->clean_report.plant_count > 0;
    return EXIT_DONE;
}

static int adapt_whole(const adapt* a, adapt_job* j, uint8_t* changed)
{
    sft_adapt_clip_def def = a->def;
    def.contact_threshold = a->options.threshold;
    def.first_frame = j->file->first_frame;
    def.foot.floor = j->floor;
    const sft_result result =
        sft_adapt_clip(&def, j->file->skeleton, j->file->legs, j->file->leg_count, j->contacts.labels,
                       &j->ground.ground, NULL, j->solved, changed, &j->report);
    return result == SFT_OK ? EXIT_DONE : cli_fail_clip(j->file, j->solved, "putting onto the ground", result);
}

static int solve(const adapt* a, adapt_job* j)
{
    const size_t joints = (size_t)j->stood->joint_count;
    j->solved = copy_of(j->stood);
    uint8_t* changed = calloc(joints + 1, 1);
    if (j->solved == NULL || changed == NULL)
    {
        free(changed);
        return cli_fail(EXIT_MEMORY, "out of memory");
    }
    cli_progress("putting %d frames onto the ground ...", (int)j->solved->frame_count);
    const int code = a->method == ADAPT_CLIP ? adapt_whole(a, j, changed) : adapt_frames(a, j, changed);
    cli_progress("%s", "");
    for (size_t k = 0; k < joints; ++k)
        j->changed[k] |= changed[k];
    free(changed);
    return code;
}

// Puts the solved joints into the document, and reads back what it now says.
static int put_back(const adapt* a, adapt_job* j)
{
    sft_error error = {0};
    const sft_result result = cli_put_solved(j->file, j->solved, j->changed, a->keep_keys, &j->applied, &error);
    if (result != SFT_OK) return cli_fail_error(j->file->path, result, &error);
    return cli_read_back(j->file, j->changed, &j->written);
}

static int look_at_source(const adapt* a, adapt_job* j)
{
    int code = cli_make_tracks(j->file, j->file->clip, &j->before_tracks);
    if (code == EXIT_DONE) code = cli_make_contacts(&a->options, j->file, j->before_tracks, false, &j->contacts);
    if (code == EXIT_DONE) code = cli_measure(&a->options, j->file, j->before_tracks, &j->contacts, &j->before);
    const sft_v3d g = j->contacts.ground;
    if (code == EXIT_DONE && (g.x != 0.0 || g.z != 0.0))
        cli_warn("%s: the clip walks in place: its feet ride over the ground, which is laid where they are. For ground "
                 "that stands still below planted feet, give the clip with its travel",
                 j->file->title);
    return code;
}

static int adapt_clip(const adapt* a, adapt_job* j, int32_t index)
{
    j->applied = (sft_gltf_applied){
        .rotation_joint = -1, .rotation_frame = -1, .translation_joint = -1, .translation_frame = -1};
    int code = cli_take_clip(&a->options, j->file, index);
    if (code != EXIT_DONE) return code;
    if (j->file->frame_count == 0) return cli_fail(EXIT_READ, "%s: holds no frames", j->file->path);
    if (j->file->leg_count == 0) return cli_fail_no_legs(j->file);
    cli_keep_one_character(j->file, "the clip");
    code = look_at_source(a, j);
    if (code == EXIT_DONE) code = stand(a, j);
    if (code == EXIT_DONE) code = cli_make_tracks(j->file, j->stood, &j->stood_tracks);
    if (code != EXIT_DONE) return code;
    j->floor = adapt_find_floor(a, j->file, j->stood_tracks, &j->contacts, &j->floor_reason);
    j->place = ground_find_place(j->file, j->stood_tracks, j->floor);
    code = ground_make(&a->spec, &j->place, &j->ground);
    if (code == EXIT_DONE) code = solve(a, j);
    if (code == EXIT_DONE) code = put_back(a, j);
    if (code == EXIT_DONE) code = cli_make_tracks(j->file, j->written, &j->after_tracks);
    if (code == EXIT_DONE) code = cli_measure(&a->options, j->file, j->after_tracks, &j->contacts, &j->after);
    if (code == EXIT_DONE) code = adapt_measure(a, j);
    return code;
}

static void release(adapt_job* j)
{
    sft_adapt_clip_report_release(&j->report, NULL);
    sft_cleanup_report_release(&j->clean_report, NULL);
    sft_clip_destroy(j->stood, NULL);
    sft_clip_destroy(j->solved, NULL);
    sft_clip_destroy(j->written, NULL);
    free(j->changed);
    cli_free_contacts(&j->contacts);
    cli_free_tracks(&j->before_tracks);
    cli_free_tracks(&j->stood_tracks);
    cli_free_tracks(&j->after_tracks);
    cli_drop_clip(j->file);
    ground_drop(&j->ground);
    // The ground of a file serves the next clip too.
    const made_ground ground = j->ground;
    loaded* file = j->file;
    *j = (adapt_job){.file = file, .ground = ground};
}

// ---- outputs ----

static int write_ground(const adapt* a, const adapt_job* j)
{
    if (a->ground_out == NULL) return EXIT_DONE;
    sft_space space = j->file->space;
    if (a->ground_unit > 0.0) space.unit_metres = a->ground_unit;
    if (a->ground_up >= 0) space.up = (sft_axis)a->ground_up;
    char* own = a->options.all_clips ? cli_clip_path(a->ground_out, j->file, j->file->clip_index) : NULL;
    if (a->options.all_clips && own == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    const int code = ground_write(&j->ground, &j->place, &space, own != NULL ? own : a->ground_out);
    free(own);
    return code;
}

// What goes beside the clip.
static int write_beside(const adapt* a, const adapt_job* j)
{
    const int code = write_ground(a, j);
    return code == EXIT_DONE ? adapt_report(a, j) : code;
}

static int adapt_one(const adapt* a, adapt_job* j)
{
    int code = adapt_clip(a, j, j->file->chosen[0]);
    if (code == EXIT_DONE) code = cli_write_converted(&a->options, j->file, NULL, NULL);
    if (code == EXIT_DONE) code = write_beside(a, j);
    if (code == EXIT_DONE && a->options.json)
    {
        json_out json = {.first = true};
        adapt_json(&json, a, j);
        code = json_finish(&json);
    }
    else if (code == EXIT_DONE)
        adapt_print_summary(strcmp(a->options.output, "-") == 0 ? stderr : stdout, a, j);
    release(j);
    return code;
}

// Clip by clip into one document, which is written once all went well.
static int adapt_all(const adapt* a, adapt_job* j)
{
    json_out json = {.first = true};
    cli_text lines = {0};
    int code = EXIT_DONE;
    if (a->options.json) json_begin(&json, NULL, '[');
    for (int32_t i = 0; i < j->file->chosen_count && code == EXIT_DONE; ++i)
    {
        code = adapt_clip(a, j, j->file->chosen[i]);
        if (code == EXIT_DONE) code = write_beside(a, j);
        if (code == EXIT_DONE && a->options.json)
            adapt_json(&json, a, j);
        else if (code == EXIT_DONE)
            adapt_print_line(&lines, j);
        release(j);
    }
    if (a->options.json) json_end(&json, ']');
    if (code == EXIT_DONE) code = cli_write_converted(&a->options, j->file, NULL, NULL);
    FILE* out = strcmp(a->options.output, "-") == 0 ? stderr : stdout;
    if (code == EXIT_DONE && a->options.json)
        code = json_finish(&json);
    else
        text_free(&json.text);
    if (code == EXIT_DONE && !a->options.json)
    {
        cli_print(out, "%s -> %s, %d clip%s\n", j->file->name, a->options.output, (int)j->file->chosen_count,
                  j->file->chosen_count == 1 ? "" : "s");
        cli_put_safe(out, lines.data != NULL ? lines.data : "");
    }
    text_free(&lines);
    return code;
}

static int run(const adapt* a, loaded* file)
{
    static adapt_job job;
    job = (adapt_job){.file = file};
    const char* outputs[] = {a->options.output, a->ground_out, a->page};
    int code = cli_choose_clips(&a->options, "adapt", CLIPS_ONE, file);
    if (code == EXIT_DONE) code = cli_check_resources("adapt", &a->options, file, outputs, 3);
    for (int i = 1; i < 3 && code == EXIT_DONE && a->options.all_clips; ++i)
        code = cli_check_clip_paths("adapt", &a->options, outputs[i], file);
    if (code == EXIT_DONE) code = a->options.all_clips ? adapt_all(a, &job) : adapt_one(a, &job);
    ground_release(&job.ground);
    return code;
}

// ---- command line ----

static int take_metres(const char* option, const char* value, double lo, double hi, double* out)
{
    return cli_take_number("adapt", option, value, lo, hi, out);
}

static int take_degrees(const char* option, const char* value, double* out)
{
    const int code = cli_take_number("adapt", option, value, 0.0, 80.0, out);
    if (code == EXIT_DONE) *out *= SFT_PI / 180.0;
    return code;
}

static int take_method(adapt* a, const char* value)
{
    for (int i = 0; i < 2; ++i)
        if (strcmp(value, adapt_method_names[i]) == 0)
        {
            a->method = (adapt_method)i;
            return EXIT_DONE;
        }
    return cli_fail(EXIT_USAGE, "adapt: --method wants clip or runtime, not '%s'", value);
}

static int take_spec(adapt* a, const char* value)
{
    ground_release_spec(&a->spec);
    return ground_parse("adapt", value, &a->spec);
}

static int take_foot(adapt* a, int key, const char* value)
{
    sft_adapt_def* foot = &a->def.foot;
    switch (key)
    {
    case OPT_FLOOR:
        a->floor_given = true;
        return take_metres("--floor", value, -1e5, 1e5, &foot->floor);
    case OPT_PITCH:
        return take_degrees("--pitch-max", value, &foot->pitch_max);
    case OPT_ROLL:
        return take_degrees("--roll-max", value, &foot->roll_max);
    case OPT_EDGE:
        return take_metres("--edge-height", value, 0.0, 10.0, &foot->edge_height);
    case OPT_PLACE:
        return take_metres("--place-max", value, 0.0, 10.0, &a->def.place_max);
    case OPT_CLEARANCE:
        return take_metres("--clearance", value, 0.0, 1.0, &foot->clearance);
    case OPT_DROP:
        return take_metres("--pelvis-drop", value, 0.0, 10.0, &foot->pelvis_drop_max);
    case OPT_EXTENSION:
        return take_metres("--max-extension", value, 0.1, 1.0, &foot->max_extension);
    default:
        return take_metres("--blend", value, 0.0, 10.0, &foot->smooth_time);
    }
}

static int take(adapt* a, int key, const char* value)
{
    switch (key)
    {
    case OPT_SPEC:
        return take_spec(a, value);
    case OPT_METHOD:
        return take_method(a, value);
    case OPT_NO_CLEAN:
        a->no_clean = true;
        return EXIT_DONE;
    case OPT_KEEP_KEYS:
        a->keep_keys = true;
        return EXIT_DONE;
    case OPT_REPORT:
        a->page = value;
        return EXIT_DONE;
    case OPT_GROUND_OUT:
        free(a->ground_out);
        a->ground_out = NULL;
        return ground_parse_output("adapt", value, &a->ground_out, &a->ground_unit, &a->ground_up);
    default:
        return key >= OPT_FLOOR ? take_foot(a, key, value) : cli_take_option(&a->options, "adapt", key, value);
    }
}

static int parse(int argc, char** argv, adapt* a, bool* helped)
{
    static const struct option long_options[] = {CLI_FILE_OPTIONS,
                                                 CLI_SAMPLE_OPTIONS,
                                                 CLI_LEG_OPTIONS,
                                                 CLI_CONTACT_OPTIONS,
                                                 {"ground", required_argument, NULL, OPT_SPEC},
                                                 {"method", required_argument, NULL, OPT_METHOD},
                                                 {"no-clean", no_argument, NULL, OPT_NO_CLEAN},
                                                 {"ground-out", required_argument, NULL, OPT_GROUND_OUT},
                                                 {"keep-keys", no_argument, NULL, OPT_KEEP_KEYS},
                                                 {"report", required_argument, NULL, OPT_REPORT},
                                                 {"floor", required_argument, NULL, OPT_FLOOR},
                                                 {"pitch-max", required_argument, NULL, OPT_PITCH},
                                                 {"roll-max", required_argument, NULL, OPT_ROLL},
                                                 {"edge-height", required_argument, NULL, OPT_EDGE},
                                                 {"place-max", required_argument, NULL, OPT_PLACE},
                                                 {"clearance", required_argument, NULL, OPT_CLEARANCE},
                                                 {"pelvis-drop", required_argument, NULL, OPT_DROP},
                                                 {"max-extension", required_argument, NULL, OPT_EXTENSION},
                                                 {"blend", required_argument, NULL, OPT_BLEND},
                                                 {0}};
    int key, code = EXIT_DONE;
    while (code == EXIT_DONE && (key = cli_next_option("adapt", argc, argv, true, long_options)) != -1)
    {
        if (key == OPT_HELP)
        {
            printf("%s%s%s%s%s%s%s%s%s%s", help, cli_help_ground, "\n", cli_help_file, cli_help_clips, cli_help_sample,
                   cli_help_legs, cli_help_contacts, examples, cli_help_exit);
            *helped = true;
            return EXIT_DONE;
        }
        code = take(a, key, optarg);
    }
    return code;
}

static int check(int argc, char** argv, const adapt* a, bool spec_given)
{
    if (optind + 1 != argc) return cli_fail(EXIT_USAGE, "adapt: wants one file; try `surefoot adapt --help`");
    if (!spec_given)
        return cli_fail(EXIT_USAGE, "adapt: onto what? give --ground SPEC, such as --ground slope:angle=10 or "
                                    "--ground FILE.obj");
    if (a->options.output == NULL) return cli_fail(EXIT_USAGE, "adapt: where to? give -o OUT");
    if (a->options.json && strcmp(a->options.output, "-") == 0)
        return cli_fail(EXIT_USAGE, "adapt: --json and -o - would both write to standard output");
    const int code = cli_check_output(a->options.output);
    const char* inputs[] = {argv[optind], a->options.contacts, a->options.legs, a->options.character, a->spec.path};
    const char* outputs[] = {a->options.output, a->ground_out, a->page, a->options.json ? "-" : NULL};
    return code == EXIT_DONE ? cli_check_paths("adapt", inputs, 5, outputs, 4, true) : code;
}

int cmd_adapt(int argc, char** argv)
{
    adapt a = {.options = cli_default_options(), .def = sft_default_adapt_clip_def(), .ground_up = -1};
    bool helped = false;
    // The kind of no spec: told apart from that of a file, which has a path.
    a.spec.kind = GROUND_FILE;
    int code = parse(argc, argv, &a, &helped);
    const bool spec_given = a.spec.kind != GROUND_FILE || a.spec.path != NULL;
    if (code == EXIT_DONE && !helped) code = check(argc, argv, &a, spec_given);
    if (code == EXIT_DONE && !helped)
    {
        static loaded file;
        code = cli_open(&a.options, argv[optind], &file);
        if (code == EXIT_DONE)
        {
            code = run(&a, &file);
            cli_unload(&file);
        }
    }
    ground_release_spec(&a.spec);
    free(a.ground_out);
    return code;
}
