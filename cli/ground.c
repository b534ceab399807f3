// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// `--ground SPEC`: what it may say, read before any work is done.

#include "ground.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char cli_help_ground[] =
    "Grounds\n"
    "  FILE.obj, FILE.glb, FILE.gltf     triangles of a file; an OBJ is in metres with Y up unless said otherwise\n"
    "      ,unit=U ,up=AXIS ,scale=S     unit as for --unit, axis as for --up, a factor\n"
    "      ,heading=DEG ,x=M ,y=M ,z=M   turned about the vertical, then moved, in metres\n"
    "  plane:height=M,pitch=DEG,roll=DEG a plane; rises ahead by pitch, to the left by roll. Defaults: 0\n"
    "  slope:angle=DEG,start=M,length=M  a ramp, level before and after it. Default: 10 degrees, without end\n"
    "  stairs:rise=M,run=M,count=N,start=M[,down]\n"
    "                                    Default: 8 steps of 0.17 m, 0.29 m apart\n"
    "  gap:width=M,start=M,depth=M       nothing there, or a pit of that depth. Default: 0.3 m wide, nothing there\n"
    "  rough:height=M,cell=M,seed=N      random heights on a grid, lowest to highest `height`. Default: 0.08, 0.25, 1\n"
    "  profile:FILE.csv,start=M          lines `distance,height` in metres; equal distances are a riser, the height\n"
    "                                    `nan` begins a gap\n"
    "  All made grounds lie on the source's floor along the clip's way, from below the pelvis in its first frame;\n"
    "  ,x=M ,y=M ,z=M ,heading=DEG say otherwise (world, Y up; heading 0 is +Z, 90 is +X). `start` counts from there.\n"
    "  What was chosen is printed, in a form that can be given back.\n";

typedef struct key_rule
{
    const char* name;
    double least, most;
    bool whole;
} key_rule;

static const key_rule rules[KEYS] = {
    [KEY_X] = {"x", -1e5, 1e5, false},           [KEY_Y] = {"y", -1e5, 1e5, false},
    [KEY_Z] = {"z", -1e5, 1e5, false},           [KEY_HEADING] = {"heading", -360, 360, false},
    [KEY_HEIGHT] = {"height", -100, 100, false}, [KEY_PITCH] = {"pitch", -60, 60, false},
    [KEY_ROLL] = {"roll", -60, 60, false},       [KEY_ANGLE] = {"angle", -60, 60, false},
    [KEY_START] = {"start", -1e4, 1e4, false},   [KEY_LENGTH] = {"length", 1e-3, 1e4, false},
    [KEY_RISE] = {"rise", -2, 2, false},         [KEY_RUN] = {"run", 0.01, 100, false},
    [KEY_COUNT] = {"count", 1, 10000, true},     [KEY_DOWN] = {"down", 0, 1, true},
    [KEY_WIDTH] = {"width", 1e-3, 1000, false},  [KEY_DEPTH] = {"depth", 1e-3, 100, false},
    [KEY_CELL] = {"cell", 0.01, 100, false},     [KEY_SEED] = {"seed", 0, 4294967295.0, true},
    [KEY_UNIT] = {"unit", 1e-6, 1e6, false},     [KEY_UP] = {"up", 0, 5, true},
    [KEY_SCALE] = {"scale", 1e-6, 1e6, false}};

#define BIT(key) (1u << (key))
#define PLACE (BIT(KEY_X) | BIT(KEY_Y) | BIT(KEY_Z) | BIT(KEY_HEADING))

static const struct
{
    const char* name;
    unsigned keys;
} kinds[] = {
    [GROUND_FILE] = {"a file", PLACE | BIT(KEY_UNIT) | BIT(KEY_UP) | BIT(KEY_SCALE)},
    [GROUND_PLANE] = {"plane", PLACE | BIT(KEY_HEIGHT) | BIT(KEY_PITCH) | BIT(KEY_ROLL)},
    [GROUND_SLOPE] = {"slope", PLACE | BIT(KEY_ANGLE) | BIT(KEY_START) | BIT(KEY_LENGTH)},
    [GROUND_STAIRS] = {"stairs",
                       PLACE | BIT(KEY_RISE) | BIT(KEY_RUN) | BIT(KEY_COUNT) | BIT(KEY_START) | BIT(KEY_DOWN)},
    [GROUND_GAP] = {"gap", PLACE | BIT(KEY_START) | BIT(KEY_WIDTH) | BIT(KEY_DEPTH)},
    [GROUND_ROUGH] = {"rough", BIT(KEY_X) | BIT(KEY_Y) | BIT(KEY_Z) | BIT(KEY_HEIGHT) | BIT(KEY_CELL) | BIT(KEY_SEED)},
    [GROUND_PROFILE] = {"profile", PLACE | BIT(KEY_START)}};

#define KINDS ((int)(sizeof kinds / sizeof kinds[0]))

// ---- keys ----

static const char* list_keys(ground_kind kind, char* out, size_t capacity)
{
    size_t size = 0;
    out[0] = '\0';
    for (int k = 0; k < KEYS && size < capacity; ++k)
        if ((kinds[kind].keys & BIT(k)) != 0)
            size += (size_t)snprintf(out + size, capacity - size, "%s%s", size > 0 ? ", " : "", rules[k].name);
    return out;
}

static int take_up(const char* command, const char* value, double* out)
{
    cli_options options = cli_default_options();
    const int code = cli_take_option(&options, command, OPT_UP, value);
    *out = options.up;
    return code;
}

static int take_unit(const char* command, const char* value, double* out)
{
    cli_options options = cli_default_options();
    const int code = cli_take_option(&options, command, OPT_UNIT, value);
    *out = options.unit;
    return code;
}

static int take_value(const char* command, ground_spec* spec, int key, const char* value)
{
    const key_rule* rule = &rules[key];
    char label[64];
    snprintf(label, sizeof label, "--ground: %s", rule->name);
    if (spec->given[key]) return cli_fail(EXIT_USAGE, "%s: %s is said twice; leave one out", command, label);
    spec->given[key] = true;
    if (key == KEY_DOWN && value == NULL)
    {
        spec->values[key] = 1.0;
        return EXIT_DONE;
    }
    if (value == NULL) return cli_fail(EXIT_USAGE, "%s: %s wants a value: %s=...", command, label, rule->name);
    if (key == KEY_UNIT) return take_unit(command, value, &spec->values[key]);
    if (key == KEY_UP) return take_up(command, value, &spec->values[key]);
    const int code = cli_take_number(command, label, value, rule->least, rule->most, &spec->values[key]);
    if (code != EXIT_DONE) return code;
    if (rule->whole && spec->values[key] != floor(spec->values[key]))
        return cli_fail(EXIT_USAGE, "%s: %s wants a whole number, not '%s'", command, label, value);
    return EXIT_DONE;
}

static int take_pair(const char* command, ground_spec* spec, char* pair)
{
    char keys[300];
    char* equals = strchr(pair, '=');
    if (equals != NULL) *equals = '\0';
    for (int k = 0; k < KEYS; ++k)
        if (strcmp(pair, rules[k].name) == 0 && (kinds[spec->kind].keys & BIT(k)) != 0)
            return take_value(command, spec, k, equals != NULL ? equals + 1 : NULL);
    return cli_fail(EXIT_USAGE, "%s: --ground: %s knows no '%s'; it knows %s", command, kinds[spec->kind].name, pair,
                    list_keys(spec->kind, keys, sizeof keys));
}

static int take_pairs(const char* command, ground_spec* spec, char* text)
{
    int code = EXIT_DONE;
    for (char* at = text; at != NULL && code == EXIT_DONE;)
    {
        char* comma = strchr(at, ',');
        if (comma != NULL) *comma = '\0';
        if (*at == '\0')
            code = cli_fail(EXIT_USAGE, "%s: --ground: there is nothing %s a comma; write key=value", command,
                            comma != NULL ? "before" : "behind");
        else
            code = take_pair(command, spec, at);
        at = comma != NULL ? comma + 1 : NULL;
    }
    return code;
}

// ---- kinds ----

static char* copy_text(const char* text)
{
    const size_t size = strlen(text) + 1;
    char* copy = malloc(size);
    if (copy != NULL) memcpy(copy, text, size);
    return copy;
}

static bool ends_here(const char* at, const char* ending)
{
    for (; *ending != '\0'; ++at, ++ending)
        if ((*at >= 'A' && *at <= 'Z' ? *at + 32 : *at) != *ending) return false;
    return *at == '\0' || *at == ',';
}

// Length of the file's name that stands at the beginning, endings in any case; 0 where there is none. Names may hold
// commas, so the first ending that is followed by a comma or nothing counts.
static size_t name_length(const char* text, const char* const* endings, int count)
{
    for (const char* at = text; *at != '\0'; ++at)
        for (int i = 0; i < count && at > text; ++i)
            if (ends_here(at, endings[i])) return (size_t)(at - text) + strlen(endings[i]);
    return 0;
}

static int take_file(const char* command, ground_spec* spec, char* text, const char* const* endings, int count)
{
    const size_t length = name_length(text, endings, count);
    if (length == 0) return -1;
    char* rest = text[length] == ',' ? text + length + 1 : NULL;
    text[length] = '\0';
    spec->path = copy_text(text);
    if (spec->path == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    return rest != NULL ? take_pairs(command, spec, rest) : EXIT_DONE;
}

static int fail_kind(const char* command, const char* text)
{
    return cli_fail(EXIT_USAGE,
                    "%s: --ground wants FILE.obj, FILE.glb or FILE.gltf, or plane:, slope:, stairs:, gap:, rough: or "
                    "profile:FILE.csv with key=value pairs and commas between; not '%s'. Try `surefoot %s --help`",
                    command, text, command);
}

static int parse(const char* command, const char* whole, char* text, ground_spec* out)
{
    static const char* const meshes[] = {".obj", ".glb", ".gltf"};
    static const char* const tables[] = {".csv", ".txt"};
    const size_t word = strcspn(text, ":");
    for (int k = GROUND_PLANE; k < KINDS; ++k)
    {
        if (strlen(kinds[k].name) != word || strncmp(text, kinds[k].name, word) != 0) continue;
        out->kind = (ground_kind)k;
        char* rest = text[word] == ':' && text[word + 1] != '\0' ? text + word + 1 : NULL;
        if (k != GROUND_PROFILE) return rest != NULL ? take_pairs(command, out, rest) : EXIT_DONE;
        const int code = rest != NULL ? take_file(command, out, rest, tables, 2) : -1;
        if (code >= 0) return code;
        return cli_fail(EXIT_USAGE, "%s: --ground: profile wants a table, as in profile:FILE.csv; not '%s'", command,
                        whole);
    }
    out->kind = GROUND_FILE;
    const int code = take_file(command, out, text, meshes, 3);
    return code >= 0 ? code : fail_kind(command, whole);
}

int ground_parse(const char* command, const char* text, ground_spec* out)
{
    *out = (ground_spec){.kind = GROUND_FILE};
    char* copy = copy_text(text);
    if (copy == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    int code = parse(command, text, copy, out);
    free(copy);
    if (code == EXIT_DONE && out->kind == GROUND_STAIRS && out->given[KEY_RISE] && out->values[KEY_RISE] == 0.0)
        code = cli_fail(EXIT_USAGE, "%s: --ground: stairs with a rise of 0 are none; give another rise", command);
    if (code != EXIT_DONE) ground_release_spec(out);
    return code;
}

void ground_release_spec(ground_spec* spec)
{
    free(spec->path);
    spec->path = NULL;
}

int ground_parse_output(const char* command, const char* text, char** path, double* unit, int* up)
{
    static const char* const endings[] = {".obj"};
    ground_spec spec = {.kind = GROUND_FILE};
    char* copy = copy_text(text);
    if (copy == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    int code = take_file(command, &spec, copy, endings, 1);
    if (code < 0)
        code =
            cli_fail(EXIT_USAGE, "%s: --ground-out wants a name in .obj, and if need be ,unit=U and ,up=AXIS; not '%s'",
                     command, text);
    for (int k = 0; k < KEYS && code == EXIT_DONE; ++k)
        if (spec.given[k] && k != KEY_UNIT && k != KEY_UP)
            code = cli_fail(EXIT_USAGE, "%s: --ground-out knows unit and up alone, not %s", command, rules[k].name);
    free(copy);
    if (code != EXIT_DONE)
    {
        ground_release_spec(&spec);
        return code;
    }
    *path = spec.path;
    *unit = spec.given[KEY_UNIT] ? spec.values[KEY_UNIT] : 0.0;
    *up = spec.given[KEY_UP] ? (int)spec.values[KEY_UP] : -1;
    return EXIT_DONE;
}
