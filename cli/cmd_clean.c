// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot clean: the main job.

#include "clean.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: surefoot clean [options] IN -o OUT\n"
    "\n"
    "Takes the foot sliding out of a clip: planted toes stand still, the legs and the path of the pelvis give way\n"
    "smoothly, everything else keeps its numbers: of a glTF file meshes, materials, other clips and unknown "
    "extensions\n"
    "come back byte for byte. What could not be reached is named, never hidden. IN is BVH, glTF, GLB or FBX.\n"
    "\n"
    "  -o OUT             where to write, as .bvh, .glb or .gltf by its name; '-' is standard output, in the format "
    "of\n"
    "                     IN (of FBX: GLB). May be IN itself, which is replaced only once the new file is complete\n"
    "  --method M         direct: banded least squares, linear in the number of frames. relax: particle relaxation in\n"
    "                     25,000 sweeps, slow, kept as the reference. runtime: the foot lock of games, frame by frame\n"
    "                     and blind to what comes; legs alone give way. Default: direct\n"
    "  --give-way WHO     who pays: both (pelvis path and strides), legs (the root's path is kept number for number,\n"
    "                     strides warp), root (the root follows what the feet support). Default: both\n"
    "  --loop             the clip is a cycle, with or without its first frame repeated at the end; travel per cycle "
    "is\n"
    "                     kept and a plant may cross the seam\n"
    "  --allow-stretch    where a leg is too short to reach, stretch it. Default: leave a little slide and say so\n"
    "  --blend S          runtime: seconds in which a foot crosses between animation and planted point, 0 to 10.\n"
    "                     Default: 0.2\n"
    "  --lock-distance D  runtime: locks only where the output is within D metres of the animation. Default: 0.01\n"
    "  --unlock-distance D\n"
    "                     runtime: lets go where it is further than D metres from it. Default: 0.25\n"
    "  --lock-orientation runtime: hold the foot's orientation too. Default: the foot pivots about its toe\n"
    "  --keep-keys        of a glTF clip: fit the result to the source's own key times instead of a key a frame, and "
    "say\n"
    "                     the largest error\n"
    "  --report PAGE.html write a page with curves, traces, poses and figures before and after; it stands alone\n"
    "  --picture PIC.svg  write the heart of that page as one picture. With --all-clips one of each a clip:\n"
    "                     PAGE-NAME.html, PIC-NAME.svg; --contacts then reads LABELS-NAME.csv\n"
    "  --json             what was done, figures before and after, and what could not be reached, as one object; a "
    "list\n"
    "                     with --all-clips\n"
    "\n";

static const char examples[] =
    "\n"
    "A clip in which no foot is planted is written as it is, with a plain word; exit code 0.\n"
    "A clip in which no legs are found is not written; exit code 6.\n"
    "\n"
    "Examples\n"
    "  surefoot clean walk.bvh -o fixed.bvh\n"
    "  surefoot clean walk.bvh -o fixed.bvh --give-way legs --report page.html\n"
    "  surefoot clean knight.glb -o fixed.glb --clip Walking_A --loop\n"
    "  surefoot clean knight.glb -o fixed.glb --all-clips\n"
    "  surefoot clean take.fbx -o fixed.glb\n"
    "  surefoot clean walk.bvh -o fixed.bvh --method runtime --blend 0.3\n"
    "  surefoot contacts walk.bvh -o labels.csv && edit labels.csv &&\n"
    "      surefoot clean walk.bvh --contacts labels.csv -o fixed.bvh\n"
    "\n";

enum
{
    OPT_METHOD = OPT_OWN,
    OPT_GIVE_WAY,
    OPT_LOOP,
    OPT_STRETCH,
    OPT_KEEP_KEYS,
    OPT_BLEND,
    OPT_LOCK_DISTANCE,
    OPT_UNLOCK_DISTANCE,
    OPT_LOCK_ORIENTATION,
    OPT_REPORT,
    OPT_PICTURE
};

// ---- one clip ----

static sft_result clean_up(const clean* c, clean_job* j)
{
    sft_cleanup_def def = c->def;
    def.contact_threshold = c->options.threshold;
    def.ground_velocities = j->contacts.grounds;
    def.first_frame = j->file->first_frame;
    return sft_cleanup_clip(&def, j->file->skeleton, j->file->legs, j->file->leg_count, j->contacts.labels, NULL,
                            j->solved, j->changed, &j->report);
}

static int solve(const clean* c, clean_job* j)
{
    const sft_clip* clip = j->file->clip;
    if (c->page == NULL && c->picture == NULL)
    {
        j->solved = j->file->clip;
        j->file->clip = NULL;
        j->file->take->clip = NULL;
    }
    else
    {
        if (sft_clip_create(clip->joint_count, clip->frame_count, clip->frame_time, NULL, &j->solved) != SFT_OK)
            return cli_fail(EXIT_MEMORY, "out of memory");
        const size_t cells = (size_t)clip->joint_count * (size_t)clip->frame_count;
        memcpy(j->solved->translations, clip->translations, cells * sizeof *clip->translations);
        memcpy(j->solved->rotations, clip->rotations, cells * sizeof *clip->rotations);
    }
    j->changed = calloc((size_t)clip->joint_count + 1, 1);
    if (j->changed == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    cli_progress("cleaning %d frames ...", (int)j->solved->frame_count);
    const sft_result result = c->runtime ? clean_lock(c, j) : clean_up(c, j);
    cli_progress("%s", "");
    if (result == SFT_OK) return EXIT_DONE;
    return cli_fail_clip(j->file, j->solved, "cleaning", result);
}

static int fail_apply(const clean* c, const clean_job* j, sft_result result, const sft_error* error)
{
    // Most BVH files have position channels at the root alone, so there is no place for longer bones.
    if (result == SFT_ERR_UNSUPPORTED && c->def.allow_stretch && sft_io_bvh(j->file->document) != NULL)
        return cli_fail(EXIT_READ,
                        "%s: %s: a stretched leg wants position channels, which this joint has not; leave "
                        "--allow-stretch out",
                        j->file->path, error->joint);
    return cli_fail_error(j->file->path, result, error);
}

// Puts the solved joints into the document, and reads back what it now says.
static int put_back(const clean* c, clean_job* j)
{
    sft_error error = {0};
    const sft_result result = cli_put_solved(j->file, j->solved, j->changed, c->keep_keys, &j->applied, &error);
    if (result != SFT_OK) return fail_apply(c, j, result, &error);
    sft_clip_destroy(j->solved, NULL);
    j->solved = NULL;
    return cli_read_back(j->file, j->changed, &j->written);
}

static int clean_clip(const clean* c, clean_job* j, int32_t index)
{
    j->applied = (sft_gltf_applied){
        .rotation_joint = -1, .rotation_frame = -1, .translation_joint = -1, .translation_frame = -1};
    int code = cli_take_clip(&c->options, j->file, index);
    if (code != EXIT_DONE) return code;
    if (j->file->frame_count == 0) return cli_fail(EXIT_READ, "%s: holds no frames", j->file->path);
    if (j->file->leg_count == 0) return cli_fail_no_legs(j->file);
    code = cli_make_tracks(j->file, j->file->clip, &j->before_tracks);
    if (code == EXIT_DONE) code = cli_make_contacts(&c->options, j->file, j->before_tracks, false, &j->contacts);
    if (code == EXIT_DONE) code = cli_measure(&c->options, j->file, j->before_tracks, &j->contacts, &j->before);
    if (code == EXIT_DONE) code = solve(c, j);
    if (code == EXIT_DONE) code = put_back(c, j);
    if (code == EXIT_DONE) code = cli_make_tracks(j->file, j->written, &j->after_tracks);
    if (code == EXIT_DONE) code = cli_measure(&c->options, j->file, j->after_tracks, &j->contacts, &j->after);
    return code;
}

static void release(clean_job* j)
{
    sft_cleanup_report_release(&j->report, NULL);
    sft_lock_clip_report_release(&j->locked, NULL);
    sft_clip_destroy(j->solved, NULL);
    sft_clip_destroy(j->written, NULL);
    free(j->changed);
    cli_free_contacts(&j->contacts);
    cli_free_tracks(&j->before_tracks);
    cli_free_tracks(&j->after_tracks);
    cli_drop_clip(j->file);
    loaded* file = j->file;
    *j = (clean_job){.file = file};
}

// ---- outputs ----

static int write_reports(const clean* c, const clean_job* j, const char* page, const char* picture)
{
    if (page == NULL && picture == NULL) return EXIT_DONE;
    cli_options own = c->options;
    own.contacts = NULL;
    contacts again;
    int code = cli_make_contacts(&own, j->file, j->after_tracks, false, &again);
    if (code != EXIT_DONE) return code;
    const report_input in = {.file = j->file,
                             .after = j->written,
                             .tracks_before = j->before_tracks,
                             .tracks_after = j->after_tracks,
                             .contacts = &j->contacts,
                             .contacts_after = &again,
                             .before = &j->before,
                             .figures_after = &j->after,
                             .done = &j->report,
                             .def = &c->def,
                             .lock = c->runtime ? &c->lock : NULL,
                             .threshold = c->options.threshold,
                             .output = c->options.output,
                             .kept_keys = c->keep_keys && sft_io_gltf(j->file->document) != NULL};
    const char* const paths[2] = {page, picture};
    for (int i = 0; i < 2 && code == EXIT_DONE; ++i)
    {
        if (paths[i] == NULL) continue;
        cli_text text = {0};
        (i == 0 ? report_page : report_picture)(&in, &text);
        code = text.failed ? cli_fail(EXIT_MEMORY, "%s: out of memory", paths[i])
                           : cli_write_bytes(paths[i], text.data, text.size);
        text_free(&text);
    }
    cli_free_contacts(&again);
    return code;
}

// Names of the reports: as given, or with the clip's name where there are many. Release with free.
static int report_names(const clean* c, const loaded* file, char** page, char** picture)
{
    *page = c->page != NULL ? cli_clip_path(c->page, file, file->clip_index) : NULL;
    *picture = c->picture != NULL ? cli_clip_path(c->picture, file, file->clip_index) : NULL;
    const bool fine = (c->page == NULL || *page != NULL) && (c->picture == NULL || *picture != NULL);
    return fine ? EXIT_DONE : cli_fail(EXIT_MEMORY, "out of memory");
}

static int clean_one(const clean* c, clean_job* j)
{
    int code = clean_clip(c, j, j->file->chosen[0]);
    if (code == EXIT_DONE) code = cli_write_converted(&c->options, j->file, NULL, NULL);
    if (code == EXIT_DONE) code = write_reports(c, j, c->page, c->picture);
    if (code == EXIT_DONE && c->options.json)
    {
        json_out json = {.first = true};
        clean_json(&json, c, j, c->options.output, c->page);
        code = json_finish(&json);
    }
    else if (code == EXIT_DONE)
        clean_print_summary(strcmp(c->options.output, "-") == 0 ? stderr : stdout, c, j);
    release(j);
    return code;
}

static int clean_next(const clean* c, clean_job* j, int32_t index, json_out* json, cli_text* lines)
{
    char *page = NULL, *picture = NULL;
    int code = clean_clip(c, j, index);
    if (code == EXIT_DONE) code = report_names(c, j->file, &page, &picture);
    if (code == EXIT_DONE) code = write_reports(c, j, page, picture);
    if (code == EXIT_DONE && c->options.json)
        clean_json(json, c, j, c->options.output, page);
    else if (code == EXIT_DONE)
        clean_print_line(lines, j);
    free(page);
    free(picture);
    release(j);
    return code;
}

// Clip by clip into one document, which is written once all went well.
static int clean_all(const clean* c, clean_job* j)
{
    json_out json = {.first = true};
    cli_text lines = {0};
    int code = EXIT_DONE;
    if (c->options.json) json_begin(&json, NULL, '[');
    for (int32_t i = 0; i < j->file->chosen_count && code == EXIT_DONE; ++i)
        code = clean_next(c, j, j->file->chosen[i], &json, &lines);
    if (c->options.json) json_end(&json, ']');
    if (code == EXIT_DONE) code = cli_write_converted(&c->options, j->file, NULL, NULL);
    FILE* out = strcmp(c->options.output, "-") == 0 ? stderr : stdout;
    if (code == EXIT_DONE && c->options.json)
        code = json_finish(&json);
    else
        text_free(&json.text);
    if (code == EXIT_DONE && !c->options.json)
    {
        cli_print(out, "%s -> %s, %d clip%s\n", j->file->name, c->options.output, (int)j->file->chosen_count,
                  j->file->chosen_count == 1 ? "" : "s");
        cli_put_safe(out, lines.data != NULL ? lines.data : "");
    }
    text_free(&lines);
    return code;
}

static int run(const clean* c, loaded* file)
{
    static clean_job job;
    job = (clean_job){.file = file};
    const char* outputs[] = {c->options.output, c->page, c->picture};
    int code = cli_choose_clips(&c->options, "clean", CLIPS_ONE, file);
    if (code == EXIT_DONE) code = cli_check_resources("clean", &c->options, file, outputs, 3);
    for (int i = 1; i < 3 && code == EXIT_DONE && c->options.all_clips; ++i)
        code = cli_check_clip_paths("clean", &c->options, outputs[i], file);
    if (code != EXIT_DONE) return code;
    return c->options.all_clips ? clean_all(c, &job) : clean_one(c, &job);
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
    return cli_fail(EXIT_USAGE, "clean: %s does not know '%s'; try `surefoot clean --help`", option, value);
}

static int take(clean* c, int key, const char* value)
{
    int choice = 0, code = EXIT_DONE;
    switch (key)
    {
    case OPT_METHOD:
        code = choose("--method", value, clean_method_names, 3, &choice);
        c->runtime = choice == 2;
        c->def.method = c->runtime ? SFT_CLEANUP_DIRECT : (sft_cleanup_method)choice;
        return code;
    case OPT_BLEND:
        c->live = "--blend";
        return cli_take_number("clean", c->live, value, 0.0, 10.0, &c->lock.lock.blend_time);
    case OPT_LOCK_DISTANCE:
        c->live = "--lock-distance";
        return cli_take_number("clean", c->live, value, 0.0, 1000.0, &c->lock.lock.lock_distance);
    case OPT_UNLOCK_DISTANCE:
        c->live = "--unlock-distance";
        return cli_take_number("clean", c->live, value, 0.0, 1000.0, &c->lock.lock.unlock_distance);
    case OPT_LOCK_ORIENTATION:
        c->live = "--lock-orientation";
        c->lock.lock.lock_orientation = true;
        return EXIT_DONE;
    case OPT_GIVE_WAY:
        c->offline = "--give-way";
        code = choose("--give-way", value, clean_give_way_names, 3, &choice);
        c->def.give_way = (sft_give_way)choice;
        return code;
    case OPT_LOOP:
        c->offline = "--loop";
        c->def.loop = true;
        return EXIT_DONE;
    case OPT_STRETCH:
        c->offline = "--allow-stretch";
        c->def.allow_stretch = true;
        return EXIT_DONE;
    case OPT_KEEP_KEYS:
        c->keep_keys = true;
        return EXIT_DONE;
    case OPT_REPORT:
        c->page = value;
        return EXIT_DONE;
    case OPT_PICTURE:
        c->picture = value;
        return EXIT_DONE;
    default:
        return cli_take_option(&c->options, "clean", key, value);
    }
}

int cmd_clean(int argc, char** argv)
{
    static const struct option long_options[] = {CLI_FILE_OPTIONS,
                                                 CLI_SAMPLE_OPTIONS,
                                                 CLI_LEG_OPTIONS,
                                                 CLI_CONTACT_OPTIONS,
                                                 {"method", required_argument, NULL, OPT_METHOD},
                                                 {"give-way", required_argument, NULL, OPT_GIVE_WAY},
                                                 {"loop", no_argument, NULL, OPT_LOOP},
                                                 {"allow-stretch", no_argument, NULL, OPT_STRETCH},
                                                 {"blend", required_argument, NULL, OPT_BLEND},
                                                 {"lock-distance", required_argument, NULL, OPT_LOCK_DISTANCE},
                                                 {"unlock-distance", required_argument, NULL, OPT_UNLOCK_DISTANCE},
                                                 {"lock-orientation", no_argument, NULL, OPT_LOCK_ORIENTATION},
                                                 {"keep-keys", no_argument, NULL, OPT_KEEP_KEYS},
                                                 {"report", required_argument, NULL, OPT_REPORT},
                                                 {"picture", required_argument, NULL, OPT_PICTURE},
                                                 {0}};
    clean c = {.options = cli_default_options(), .def = sft_default_cleanup_def(), .lock = sft_default_lock_clip_def()};
    int key;
    while ((key = cli_next_option("clean", argc, argv, true, long_options)) != -1)
    {
        if (key == OPT_HELP)
        {
            printf("%s%s%s%s%s%s%s%s", help, cli_help_file, cli_help_clips, cli_help_sample, cli_help_legs,
                   cli_help_contacts, examples, cli_help_exit);
            return EXIT_DONE;
        }
        const int code = take(&c, key, optarg);
        if (code != EXIT_DONE) return code;
    }
    if (optind + 1 != argc) return cli_fail(EXIT_USAGE, "clean: wants one file; try `surefoot clean --help`");
    if (c.options.output == NULL) return cli_fail(EXIT_USAGE, "clean: where to? give -o OUT");
    if (c.runtime && c.offline != NULL)
        return cli_fail(EXIT_USAGE,
                        "clean: --method runtime sees no frame before its time and moves legs alone, so it "
                        "knows no %s",
                        c.offline);
    if (!c.runtime && c.live != NULL) return cli_fail(EXIT_USAGE, "clean: %s is for --method runtime", c.live);
    if (c.options.json && strcmp(c.options.output, "-") == 0)
        return cli_fail(EXIT_USAGE, "clean: --json and -o - would both write to standard output");
    int code = cli_check_output(c.options.output);
    const char* inputs[] = {argv[optind], c.options.contacts, c.options.legs, c.options.character};
    const char* outputs[] = {c.options.output, c.page, c.picture, c.options.json ? "-" : NULL};
    if (code == EXIT_DONE) code = cli_check_paths("clean", inputs, 4, outputs, 4, true);
    if (code != EXIT_DONE) return code;
    static loaded file;
    code = cli_open(&c.options, argv[optind], &file);
    if (code != EXIT_DONE) return code;
    code = run(&c, &file);
    cli_unload(&file);
    return code;
}
