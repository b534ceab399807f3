// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Options that several subcommands share.

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char cli_help_file[] =
    "Reading\n"
    "  --unit U           length of one file unit: metres as a number, or m, dm, cm, mm, inch, foot, cmu (5.644 cm).\n"
    "                     Default: worked out from the figure's proportions; glTF and FBX are in metres\n"
    "  --up AXIS          axis that points up in the file: X, Y, Z, -X, -Y, -Z. Default: worked out\n"
    "  --positions HOW    BVH: what position channels of inner joints mean: replace (they are the translation), add "
    "(they\n"
    "                     are added to OFFSET), auto. Default: auto, decided from the file\n";

const char cli_help_clips[] =
    "Clips\n"
    "  --clip NAME        the clip of that name, or of that number, from 0; see `surefoot info`\n"
    "  --all-clips        every clip of the file\n"
    "  --character MODEL  the clips' nodes are found by name in this glTF, GLB or FBX file, and its skeleton and\n"
    "                     proportions count: for clips that lie in a file of their own\n";

const char cli_help_sample[] =
    "  --fps N            frames a second where the keys of a glTF or FBX clip are not "
    "evenly spaced; else a frame is a\n"
    "                     key of the legs. 0.1 to 10000. Default: the rate that FBX names, else 60\n";

const char cli_help_legs[] =
    "  --legs FILE.json   take the legs from this file and do not look for them: the form that `surefoot info --json`\n"
    "                     prints (its whole output, or the list alone). Joints by name, by name#2 for the second of\n"
    "                     that name, or by index; null where the rig has none. A name that repeats the joint above\n"
    "                     means the End Site below it\n";

const char cli_help_contacts[] =
    "  --contacts CSV     take the contact labels from this file, as `surefoot contacts` writes it\n"
    "  --contact-threshold T\n"
    "                     labels above T count as contact, 0 to 1. Default: 0.75\n"
    "  --ground-velocity X,Y,Z | auto | none\n"
    "                     velocity of the ground in m/s along the file's axes, for treadmill and in-place clips.\n"
    "                     Default: auto, worked out from the feet\n";

const char cli_help_exit[] =
    "Exit codes\n"
    "  0 done   1 a limit of check was exceeded   2 wrong command line   3 cannot read an input\n"
    "  4 cannot write an output   5 out of memory   6 no legs found where legs are needed\n"
    "  7 the two figures of retarget are not alike\n";

cli_options cli_default_options(void)
{
    return (cli_options){.role = "", .up = -1, .threshold = 0.75, .ground = GROUND_AUTO};
}

int cli_take_number(const char* command, const char* option, const char* value, double lo, double hi, double* out)
{
    char* end = NULL;
    const double number = strtod(value, &end);
    if (end == value || *end != '\0' || !isfinite(number) || number < lo || number > hi)
    {
        char a[32], b[32];
        return cli_fail(EXIT_USAGE, "%s: %s wants a number from %s to %s, not '%s'", command, option, cli_number(lo, a),
                        cli_number(hi, b), value);
    }
    *out = number;
    return EXIT_DONE;
}

static int take_unit(cli_options* options, const char* command, const char* value)
{
    static const struct
    {
        const char* name;
        double metres;
    } units[] = {{"m", 1.0},     {"dm", 0.1},      {"cm", 0.01},   {"mm", 0.001},         {"inch", 0.0254},
                 {"in", 0.0254}, {"foot", 0.3048}, {"ft", 0.3048}, {"cmu", 0.0254 / 0.45}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i)
        if (strcmp(value, units[i].name) == 0)
        {
            options->unit = units[i].metres;
            return EXIT_DONE;
        }
    char* end = NULL;
    const double number = strtod(value, &end);
    if (end == value || *end != '\0' || !(number >= 1e-6 && number <= 1e6))
        return cli_fail(EXIT_USAGE,
                        "%s: --%sunit wants metres as a number (1e-6 to 1e6) or one of m, dm, cm, mm, inch, foot, cmu, "
                        "not '%s'",
                        command, options->role, value);
    options->unit = number;
    return EXIT_DONE;
}

static int take_up(cli_options* options, const char* command, const char* value)
{
    const bool negative = value[0] == '-';
    const char* letter = value + (negative || value[0] == '+' ? 1 : 0);
    const char* axes = "xyzXYZ";
    const char* hit = letter[0] != '\0' && letter[1] == '\0' ? strchr(axes, letter[0]) : NULL;
    if (hit == NULL)
        return cli_fail(EXIT_USAGE, "%s: --%sup wants X, Y, Z, -X, -Y or -Z, not '%s'", command, options->role, value);
    options->up = (int)((hit - axes) % 3) + (negative ? (int)SFT_AXIS_NEG_X : 0);
    return EXIT_DONE;
}

static int take_positions(cli_options* options, const char* command, const char* value)
{
    if (strcmp(value, "auto") == 0)
        options->positions = SFT_BVH_POSITIONS_AUTO;
    else if (strcmp(value, "replace") == 0)
        options->positions = SFT_BVH_POSITIONS_REPLACE;
    else if (strcmp(value, "add") == 0)
        options->positions = SFT_BVH_POSITIONS_ADD;
    else
        return cli_fail(EXIT_USAGE, "%s: --positions wants auto, replace or add, not '%s'", command, value);
    return EXIT_DONE;
}

static int take_ground(cli_options* options, const char* command, const char* value)
{
    if (strcmp(value, "auto") == 0)
        options->ground = GROUND_AUTO;
    else if (strcmp(value, "none") == 0)
        options->ground = GROUND_NONE;
    else
    {
        double v[3];
        const char* at = value;
        for (int i = 0; i < 3; ++i)
        {
            char* end = NULL;
            v[i] = strtod(at, &end);
            const bool separated = i == 2 ? *end == '\0' : *end == ',';
            if (end == at || !separated || !(fabs(v[i]) <= 100.0))
                return cli_fail(EXIT_USAGE,
                                "%s: --ground-velocity wants auto, none, or three numbers such as -1.2,0,0 in m/s "
                                "(at most 100), not '%s'",
                                command, value);
            at = end + 1;
        }
        options->ground = GROUND_GIVEN;
        options->ground_velocity = sft_v3d_make(v[0], v[1], v[2]);
    }
    return EXIT_DONE;
}

int cli_take_option(cli_options* options, const char* command, int key, const char* value)
{
    switch (key)
    {
    case OPT_JSON:
        options->json = true;
        return EXIT_DONE;
    case 'o':
        options->output = value;
        return EXIT_DONE;
    case OPT_LEGS:
        options->legs = value;
        return EXIT_DONE;
    case OPT_CONTACTS:
        options->contacts = value;
        return EXIT_DONE;
    case OPT_UNIT:
        return take_unit(options, command, value);
    case OPT_UP:
        return take_up(options, command, value);
    case OPT_POSITIONS:
        return take_positions(options, command, value);
    case OPT_CLIP:
        options->clip = value;
        return EXIT_DONE;
    case OPT_ALL_CLIPS:
        options->all_clips = true;
        return EXIT_DONE;
    case OPT_CHARACTER:
        options->character = value;
        return EXIT_DONE;
    case OPT_SAMPLE_FPS:
        return cli_take_number(command, "--fps", value, 0.1, 10000.0, &options->fps);
    case OPT_THRESHOLD:
        return cli_take_number(command, "--contact-threshold", value, 0.0, 1.0, &options->threshold);
    case OPT_GROUND:
        return take_ground(options, command, value);
    default:
        return cli_bad_option(command);
    }
}

int cli_bad_option(const char* command)
{
    return cli_fail(EXIT_USAGE, "try `surefoot %s --help`", command);
}

static bool has_extension(const char* path, const char* extension)
{
    const size_t a = strlen(path), b = strlen(extension);
    if (a < b) return false;
    for (size_t i = 0; i < b; ++i)
    {
        const char c = path[a - b + i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c + 32) : c) != extension[i]) return false;
    }
    return true;
}

// The last dot of a file's name and what follows it; null: none, or the name begins with it.
static const char* ending_of(const char* path)
{
    const char* name = path;
    for (const char* at = path; *at != '\0'; ++at)
        if (*at == '/' || *at == '\\') name = at + 1;
    const char* dot = strrchr(name, '.');
    return dot != NULL && dot != name && dot[1] != '\0' ? dot : NULL;
}

int cli_check_output(const char* path)
{
    static const char* const other[] = {".c3d", ".usd", ".usda", ".usdc", ".usdz", ".dae", ".npz", ".blend"};
    if (has_extension(path, ".fbx"))
        return cli_fail(EXIT_USAGE,
                        "%s: FBX output is not there yet, nor are meshes from FBX; give the output a name in .glb, "
                        ".gltf or .bvh",
                        path);
    for (size_t i = 0; i < sizeof other / sizeof other[0]; ++i)
        if (has_extension(path, other[i]))
            return cli_fail(EXIT_USAGE, "%s: %s files are not written; give the output a name in .bvh, .glb or .gltf",
                            path, other[i]);
    // A name without any ending is in the format of the input; one with another would promise what it does not hold.
    const char* ending = ending_of(path);
    if (ending != NULL && sft_io_format_of_name(path) == SFT_IO_AUTO)
        return cli_fail(
            EXIT_USAGE,
            "%s: '%s' names no format that is written; give the output a name in .bvh, .glb or .gltf, or one "
            "without an ending for the format of the input",
            path, ending);
    return EXIT_DONE;
}

static bool is_same(const struct stat* one, const struct stat* other)
{
    return one->st_ino != 0 && one->st_ino == other->st_ino && one->st_dev == other->st_dev;
}

// A path's folder, into out; "." where it names none. The name in it is what is given back; null: too long.
static const char* split(const char* path, char* out, size_t capacity)
{
    const char* slash = strrchr(path, '/');
    const size_t size = slash == NULL ? 1 : slash == path ? 1 : (size_t)(slash - path);
    if (size >= capacity) return NULL;
    memcpy(out, slash != NULL ? path : ".", size);
    out[size] = '\0';
    return slash != NULL ? slash + 1 : path;
}

bool cli_same_file(const char* a, const char* b)
{
    if (strcmp(a, b) == 0) return true;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) return false;
    // Links and other spellings of one path.
    struct stat one, other;
    const bool there = stat(a, &one) == 0, other_there = stat(b, &other) == 0;
    if (there && other_there) return S_ISREG(one.st_mode) && is_same(&one, &other);
    // Of files that are not there yet the folders are, "n.bvh" and "./n.bvh".
    char folder[4096], other_folder[4096];
    const char* name = split(a, folder, sizeof folder);
    const char* other_name = split(b, other_folder, sizeof other_folder);
    return !there && !other_there && name != NULL && other_name != NULL && strcmp(name, other_name) == 0 &&
           stat(folder, &one) == 0 && stat(other_folder, &other) == 0 && is_same(&one, &other);
}

int cli_check_paths(const char* command, const char* const* inputs, int input_count, const char* const* outputs,
                    int output_count, bool replace)
{
    for (int i = 0; i < input_count; ++i)
        for (int k = 0; k < i; ++k)
            if (inputs[i] != NULL && inputs[k] != NULL && strcmp(inputs[i], "-") == 0 && strcmp(inputs[k], "-") == 0)
                return cli_fail(EXIT_USAGE, "%s: two inputs cannot both be standard input", command);
    for (int i = 0; i < output_count; ++i)
    {
        if (outputs[i] == NULL) continue;
        for (int k = 0; k < i; ++k)
            if (outputs[k] != NULL && strcmp(outputs[i], "/dev/null") != 0 && cli_same_file(outputs[i], outputs[k]))
                return cli_fail(EXIT_USAGE, "%s: two outputs would both go to %s", command,
                                strcmp(outputs[i], "-") == 0 ? "standard output" : outputs[i]);
        for (int k = 0; k < input_count; ++k)
            if (inputs[k] != NULL && strcmp(inputs[k], "-") != 0 && !(replace && i == 0 && k == 0) &&
                cli_same_file(outputs[i], inputs[k]))
                return cli_fail(EXIT_USAGE, "%s: the output %s would replace the input %s; give it another name",
                                command, outputs[i], inputs[k]);
    }
    return EXIT_DONE;
}
