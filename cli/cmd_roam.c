// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot roam: a creature that walks without key frames, as a clip.

#include "roam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: surefoot roam [options] -o OUT\n"
    "\n"
    "Walks a creature with no key frames: its body goes where it is led, feet hold their places in the world until\n"
    "they must step, and the pose follows from what they hold. Writes the walk as a clip, with a mesh of its own or\n"
    "on a rig of yours.\n"
    "\n"
    "  --creature NAME    lizard, hexapod, spider or biped, which the program makes itself; or FILE.json, a "
    "creature's\n"
    "                     numbers, for the rig of --rig. Default: lizard; with --rig what is seen in the rig\n"
    "  --rig FILE         the figure that walks: GLB, glTF, FBX or BVH. Its own clips stay\n"
    "  --creature-out FILE.json\n"
    "                     write the creature's numbers, to look at and edit; without -o nothing else is done\n"
    "  -o OUT             where to write, as .glb, .gltf or .bvh by its name; '-' is standard output\n"
    "  --path line | circle[:radius=R] | figure8[:radius=R] | stand | FILE\n"
    "                     where it is led, from the origin along +Z; FILE has a line x,z or x,y,z in metres a point.\n"
    "                     Default: line\n"
    "  --goals FILE.csv   led by hand instead: lines SECONDS,x,z (goes there from then on), SECONDS,stand,\n"
    "                     SECONDS,push,x,z (is shoved by so much) and SECONDS,look,x,y,z, in metres\n"
    "  --ground SPEC      what it walks on, see Grounds. Default: plane:\n"
    "  --ground-out G.obj also write the ground\n"
    "  --obstacles FILE.obj[,KEYS]\n"
    "                     what its body keeps clear of, as a file of triangles, see Grounds; its feet stand on what\n"
    "                     --ground says alone. It stops before them\n"
    "  --seconds S        length of the clip. Default: 24\n"
    "  --fps N            frames a second; the walk itself is stepped 120 times a second. Default: 30\n"
    "  --speed K          part of the speed that it would choose, 0.05 to 2; its legs may serve less. Default: 1\n"
    "  --gait NAME        one of free, alternate, diagonal, tripod, ripple, wave. Default: by speed, of those that\n"
    "                     fit its legs\n"
    "  --tune KEY=K,...   parts of what it would choose, likewise: stride, step-time, lift (of the feet), bob, spine,\n"
    "                     tail, turn (its speed). Default: 1\n"
    "  --scale S          size of a creature that the program makes, 0.01 to 100. Default: 1\n"
    "  --look ahead | goal | X,Y,Z\n"
    "                     what head and eyes look at. Default: goal\n"
    "  --picture PIC.svg  write poses of a cycle, foot traces from above and the gait over time\n"
    "  --contacts-out LABELS.csv\n"
    "                     write when each foot stood, for `check --contacts` and others\n"
    "  --json             figures as an object\n"
    "\n";

static const char examples[] = "\n"
                               "Examples\n"
                               "  surefoot roam -o lizard.glb\n"
                               "  surefoot roam --creature hexapod --path figure8 --picture traces.svg -o hexapod.glb\n"
                               "  surefoot roam --creature spider --ground stairs:rise=0.03,run=0.2 -o stairs.glb\n"
                               "  surefoot roam --rig fox.glb --path circle --seconds 12 -o fox_circle.glb\n"
                               "  surefoot roam --rig fox.glb --creature-out fox.json && edit fox.json &&\n"
                               "      surefoot roam --rig fox.glb --creature fox.json -o fox_walk.glb\n"
                               "\n";

enum
{
    OPT_CREATURE = OPT_OWN,
    OPT_CREATURE_OUT,
    OPT_RIG,
    OPT_PATH,
    OPT_SPEC,
    OPT_GROUND_OUT,
    OPT_SECONDS,
    OPT_FPS,
    OPT_SPEED,
    OPT_GAIT,
    OPT_SCALE,
    OPT_LOOK,
    OPT_PICTURE,
    OPT_CONTACTS_OUT,
    OPT_OBSTACLES,
    OPT_GOALS,
    OPT_TUNE
};

// ---- out ----

static int put_clip(roam_job* j)
{
    sft_error error = {0};
    int32_t index = -1;
    const bool bvh = sft_io_view(j->document)->format == SFT_IO_BVH;
    const sft_result result = sft_io_put_clip(j->document, bvh ? 0 : -1, j->clip, &j->space, "roam", &index, &error);
    return result == SFT_OK ? EXIT_DONE : cli_fail_error(j->name, result, &error);
}

static int write_clip(const roam_options* o, roam_job* j)
{
    const sft_io_contents* v = sft_io_view(j->document);
    const sft_io_format format = cli_output_format(o->options.output, j->document);
    const bool same = format == v->format || (format != SFT_IO_BVH && v->format != SFT_IO_BVH);
    if (same) return cli_write_document(o->options.output, j->document, false);
    sft_io_convert_def def = sft_default_io_convert_def();
    sft_io_document* made = NULL;
    sft_error error = {0};
    def.format = format;
    def.clip = v->clip_count - 1;
    def.fps = o->fps;
    def.space = &j->space;
    const sft_result result = sft_io_convert(j->document, &def, NULL, &made, NULL, &error);
    if (result != SFT_OK) return cli_fail_error(o->options.output, result, &error);
    const int code = cli_write_document(o->options.output, made, false);
    sft_io_destroy(made);
    return code;
}

static int write_picture(const roam_options* o, const roam_job* j)
{
    if (o->picture == NULL) return EXIT_DONE;
    cli_text text = {0};
    roam_picture(j, &text);
    const int code = text.failed ? cli_fail(EXIT_MEMORY, "%s: out of memory", o->picture)
                                 : cli_write_bytes(o->picture, text.data, text.size);
    text_free(&text);
    return code;
}

static int write_ground(const roam_options* o, const roam_job* j)
{
    if (o->ground_out == NULL) return EXIT_DONE;
    ground_place box = {.low = j->bodies[0], .high = j->bodies[0]};
    for (int32_t f = 0; f < j->clip->frame_count; ++f)
    {
        const sft_v3d p = j->bodies[f];
        box.low = (sft_v3d){fmin(box.low.x, p.x), fmin(box.low.y, p.y), fmin(box.low.z, p.z)};
        box.high = (sft_v3d){fmax(box.high.x, p.x), fmax(box.high.y, p.y), fmax(box.high.z, p.z)};
    }
    const sft_space metres = {.unit_metres = 1, .up = SFT_AXIS_Y};
    return ground_write(&j->ground, &box, &metres, o->ground_out);
}

static int print_json(const roam_options* o, const roam_job* j)
{
    const roam_figures* f = &j->figures;
    const double seconds = (j->clip->frame_count - 1) * j->clip->frame_time;
    char name[32];
    json_out json = {.first = true};
    json_begin(&json, NULL, '{');
    json_text(&json, "creature", j->name);
    json_text(&json, "output", o->options.output);
    json_text(&json, "ground", j->ground.text);
    json_int(&json, "frames", j->clip->frame_count);
    json_figure(&json, "frame_time_s", j->clip->frame_time);
    json_figure(&json, "distance_m", f->distance);
    json_figure(&json, "speed_m_s", seconds > 0 ? f->distance / seconds : 0);
    json_figure(&json, "safe_speed_m_s", f->safe_speed);
    json_figure(&json, "stride_m", f->stride);
    json_figure(&json, "slide_mean_cm_s", f->slide);
    json_figure(&json, "slide_max_cm_s", f->slide_max);
    json_figure(&json, "foot_off_max_mm", 1000 * f->off_max);
    json_figure(&json, "foot_turn_max_deg", f->turn_max * (180 / 3.14159265358979323846));
    json_figure(&json, "blocked", f->blocked);
    json_begin(&json, "legs", '[');
    for (int32_t l = 0; l < j->def.leg_count; ++l)
    {
        const sft_creature_leg* leg = &j->def.legs[l];
        json_begin(&json, NULL, '{');
        json_text(&json, "foot",
                  cli_safe_utf8(j->skeleton->names[leg->joints[leg->joint_count - 1]], name, sizeof name));
        json_int(&json, "steps", f->steps[l]);
        json_end(&json, '}');
    }
    json_end(&json, ']');
    json_begin(&json, "feet_in_air", '[');
    for (int32_t k = 0; k <= j->def.leg_count; ++k)
        json_figure(&json, NULL, f->air[k]);
    json_end(&json, ']');
    json_end(&json, '}');
    return json_finish(&json);
}

static void print_summary(const roam_options* o, const roam_job* j)
{
    FILE* out = strcmp(o->options.output, "-") == 0 ? stderr : stdout;
    const roam_figures* f = &j->figures;
    const double seconds = (j->clip->frame_count - 1) * j->clip->frame_time;
    int64_t least = INT64_MAX, most = 0;
    for (int32_t l = 0; l < j->def.leg_count; ++l)
    {
        least = f->steps[l] < least ? f->steps[l] : least;
        most = f->steps[l] > most ? f->steps[l] : most;
    }
    cli_print(out, "%s, %d legs -> %s\n", j->name, (int)j->def.leg_count, o->options.output);
    cli_print(out, "  ground     %s\n", j->ground.text);
    fprintf(out, "  walked     %.2f m in %.1f s, %.3f m/s; its legs can serve %.3f m/s\n", f->distance, seconds,
            seconds > 0 ? f->distance / seconds : 0, f->safe_speed);
    fprintf(out, "  steps      %lld to %lld a leg, %.3f m each\n", (long long)least, (long long)most, f->stride);
    fprintf(out,
            "  feet       standing ones slide %.4f cm/s (at most %.4f), off their place by %.4f mm and %.4f degrees\n",
            f->slide, f->slide_max, 1000 * f->off_max, f->turn_max * (180 / 3.14159265358979323846));
    if (f->blocked > 0)
        fprintf(out, "  blocked    %.0f %% of the time: no foothold, no room or no reach ahead\n", 100 * f->blocked);
}

// ---- command line ----

static int take(roam_options* o, int key, const char* value)
{
    switch (key)
    {
    case OPT_CREATURE:
        o->creature = value;
        return EXIT_DONE;
    case OPT_CREATURE_OUT:
        o->creature_out = value;
        return EXIT_DONE;
    case OPT_RIG:
        o->rig = value;
        return EXIT_DONE;
    case OPT_PATH:
        o->path = value;
        return roam_path_check(value);
    case OPT_GOALS:
        o->goals = value;
        return EXIT_DONE;
    case OPT_TUNE:
        o->tune = value;
        return roam_tune_check(value);
    case OPT_SPEC:
        if (o->has_ground) ground_release_spec(&o->ground);
        o->has_ground = false;
        {
            const int code = ground_parse("roam", value, &o->ground);
            o->has_ground = code == EXIT_DONE;
            return code;
        }
    case OPT_OBSTACLES:
        if (o->has_obstacles) ground_release_spec(&o->obstacles);
        o->has_obstacles = false;
        {
            const int code = ground_parse("roam", value, &o->obstacles);
            o->has_obstacles = code == EXIT_DONE;
            if (code == EXIT_DONE && o->obstacles.kind != GROUND_FILE)
                return cli_fail(EXIT_USAGE,
                                "roam: --obstacles wants a file of triangles, .obj, .glb or .gltf, not '%s'", value);
            return code;
        }
    case OPT_GROUND_OUT:
        o->ground_out = value;
        return EXIT_DONE;
    case OPT_SECONDS:
        return cli_take_number("roam", "--seconds", value, 0, 36000, &o->seconds);
    case OPT_FPS:
        return cli_take_number("roam", "--fps", value, 1, 1000, &o->fps);
    case OPT_SPEED:
        return cli_take_number("roam", "--speed", value, 0.05, 2, &o->speed);
    case OPT_GAIT:
        o->gait = value;
        return EXIT_DONE;
    case OPT_SCALE:
        return cli_take_number("roam", "--scale", value, 0.01, 100, &o->scale);
    case OPT_LOOK:
        o->look = value;
        return EXIT_DONE;
    case OPT_CONTACTS_OUT:
        o->contacts_out = value;
        return EXIT_DONE;
    case OPT_PICTURE:
        o->picture = value;
        return EXIT_DONE;
    case '?':
        return cli_bad_option("roam");
    default:
        return cli_take_option(&o->options, "roam", key, value);
    }
}

int roam_parse(int argc, char** argv, roam_options* o, bool* helped)
{
    *o = (roam_options){
        .options = cli_default_options(), .look = "goal", .seconds = 24, .fps = 30, .speed = 1, .scale = 1};
    static const struct option long_options[] = {{"json", no_argument, NULL, OPT_JSON},
                                                 {"help", no_argument, NULL, OPT_HELP},
                                                 {"unit", required_argument, NULL, OPT_UNIT},
                                                 {"up", required_argument, NULL, OPT_UP},
                                                 {"creature", required_argument, NULL, OPT_CREATURE},
                                                 {"creature-out", required_argument, NULL, OPT_CREATURE_OUT},
                                                 {"rig", required_argument, NULL, OPT_RIG},
                                                 {"path", required_argument, NULL, OPT_PATH},
                                                 {"ground", required_argument, NULL, OPT_SPEC},
                                                 {"ground-out", required_argument, NULL, OPT_GROUND_OUT},
                                                 {"seconds", required_argument, NULL, OPT_SECONDS},
                                                 {"fps", required_argument, NULL, OPT_FPS},
                                                 {"speed", required_argument, NULL, OPT_SPEED},
                                                 {"gait", required_argument, NULL, OPT_GAIT},
                                                 {"scale", required_argument, NULL, OPT_SCALE},
                                                 {"look", required_argument, NULL, OPT_LOOK},
                                                 {"picture", required_argument, NULL, OPT_PICTURE},
                                                 {"contacts-out", required_argument, NULL, OPT_CONTACTS_OUT},
                                                 {"obstacles", required_argument, NULL, OPT_OBSTACLES},
                                                 {"goals", required_argument, NULL, OPT_GOALS},
                                                 {"tune", required_argument, NULL, OPT_TUNE},
                                                 {0}};
    int key, code = EXIT_DONE;
    while (code == EXIT_DONE && (key = cli_next_option("roam", argc, argv, true, long_options)) != -1)
    {
        if (key == OPT_HELP)
        {
            printf("%s%s%s%s", help, cli_help_ground, examples, cli_help_exit);
            *helped = true;
            return EXIT_DONE;
        }
        code = take(o, key, optarg);
    }
    if (code == EXIT_DONE && o->path != NULL && o->goals != NULL)
        return cli_fail(EXIT_USAGE, "roam: --path and --goals both lead it; give one of them");
    if (o->path == NULL) o->path = "line";
    if (o->creature == NULL) o->creature = o->rig != NULL ? "auto" : "lizard";
    return code;
}

void roam_options_free(roam_options* o)
{
    if (o->has_ground) ground_release_spec(&o->ground);
    if (o->has_obstacles) ground_release_spec(&o->obstacles);
    o->has_ground = o->has_obstacles = false;
}

static int check(int argc, roam_options* o)
{
    if (optind != argc)
        return cli_fail(EXIT_USAGE, "roam: takes no files but those of its options; a rig goes behind --rig");
    if (o->options.output == NULL && o->creature_out == NULL)
        return cli_fail(EXIT_USAGE, "roam: where to? give -o OUT.glb");
    if (o->rig != NULL && o->scale != 1)
        return cli_fail(EXIT_USAGE, "roam: --scale is for creatures that the program makes; scale the rig in its file");
    const bool out = o->options.output != NULL && strcmp(o->options.output, "-") == 0;
    if (o->options.json && out)
        return cli_fail(EXIT_USAGE, "roam: --json and -o - would both write to standard output");
    if (o->options.output == NULL && (o->picture != NULL || o->ground_out != NULL || o->contacts_out != NULL))
        return cli_fail(EXIT_USAGE, "roam: picture, ground and contacts come with a walk: give -o OUT.glb");
    const int code = o->options.output != NULL ? cli_check_output(o->options.output) : EXIT_DONE;
    const char* inputs[] = {o->rig, strchr(o->creature, '.') != NULL ? o->creature : NULL, o->ground.path,
                            o->obstacles.path, o->goals};
    const char* outputs[] = {o->options.output, o->creature_out, o->picture, o->ground_out, o->contacts_out};
    return code == EXIT_DONE ? cli_check_paths("roam", inputs, 5, outputs, 5, false) : code;
}

static int run(const roam_options* o)
{
    static roam_job job;
    job = (roam_job){0};
    int code = roam_open(o, &job);
    if (code == EXIT_DONE && o->options.output != NULL)
    {
        code = roam_walk(o, &job);
        if (code == EXIT_DONE) code = put_clip(&job);
        if (code == EXIT_DONE) code = write_clip(o, &job);
        if (code == EXIT_DONE && o->contacts_out != NULL) code = roam_write_labels(&job, o->contacts_out);
        if (code == EXIT_DONE) code = write_picture(o, &job);
        if (code == EXIT_DONE) code = write_ground(o, &job);
        if (code == EXIT_DONE && o->options.json) code = print_json(o, &job);
        if (code == EXIT_DONE && !o->options.json) print_summary(o, &job);
    }
    roam_close(&job);
    return code;
}

int cmd_roam(int argc, char** argv)
{
    roam_options o;
    bool helped = false;
    int code = roam_parse(argc, argv, &o, &helped);
    if (code == EXIT_DONE && !helped) code = check(argc, &o);
    if (code == EXIT_DONE && !helped) code = run(&o);
    roam_options_free(&o);
    return code;
}
