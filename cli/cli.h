// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the subcommands share: exit codes, options, a loaded file, measuring, and text out. Programs see public headers
// only. The process never calls setlocale, so printf writes points, not commas.
#ifndef SUREFOOT_CLI_H
#define SUREFOOT_CLI_H

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>

#include "surefoot/surefoot.h"

enum
{
    EXIT_DONE = 0,
    EXIT_CHECK = 1,   // a threshold of `check` was exceeded
    EXIT_USAGE = 2,   // the command line is wrong
    EXIT_READ = 3,    // an input is missing or not what it should be
    EXIT_WRITE = 4,   // an output could not be written
    EXIT_MEMORY = 5,  // out of memory, or beyond a limit of this program
    EXIT_NO_LEGS = 6, // no legs were found, and the command needs them
    EXIT_UNALIKE = 7  // motion cannot go from the one figure to the other
};

#define NAME_SIZE 160

// ---- messages (text.c) ----

#if defined(__GNUC__)
#define CLI_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define CLI_PRINTF(a, b)
#endif

// Prints `surefoot: message` to stderr and returns `code`.
int cli_fail(int code, const char* format, ...) CLI_PRINTF(2, 3);
void cli_warn(const char* format, ...) CLI_PRINTF(1, 2);
// A library error about a file: FILE:LINE: joint: message.
int cli_fail_error(const char* path, sft_result result, const sft_error* error);
// A progress line, on a terminal only; an empty text wipes it.
void cli_progress(const char* format, ...) CLI_PRINTF(1, 2);
// Whether the sequence at p is a control character, or breaks or turns lines (U+0080 to U+009F, U+2028 to U+202E,
// U+2066 to U+2069), which terminals obey.
bool cli_is_control(const char* p);
// Writes text as it is but for bytes that are no UTF-8 and control characters, which become '?'. Ends of lines and tabs
// stay.
void cli_put_safe(FILE* out, const char* text);
// fprintf whose text goes through cli_put_safe: names from files may hold anything. Cut after 4 KiB.
void cli_print(FILE* out, const char* format, ...) CLI_PRINTF(2, 3);
// Length of the valid UTF-8 sequence at p (1 to 4), 0 where it is none.
int cli_utf8_length(const char* p);
// Copies text of any bytes into out as valid UTF-8 on one line, cut to fit; bad bytes and ends of lines become U+FFFD.
const char* cli_safe_utf8(const char* text, char* out, size_t capacity);
// Shortest decimal of a double that reads back, into out (32 bytes); returns out.
const char* cli_number(double value, char* out);
// Value with at most `digits` decimals, trailing zeros cut, into out (32 bytes); "-" where it is no number.
const char* cli_figure(double value, int digits, char* out);

// Text that grows; a failed allocation is remembered and freezes it.
typedef struct cli_text
{
    char* data; // zero-terminated once anything was put
    size_t size, capacity;
    bool failed;
} cli_text;
void text_put(cli_text* text, const char* bytes, size_t size);
void text_str(cli_text* text, const char* string);
void text_fmt(cli_text* text, const char* format, ...) CLI_PRINTF(2, 3);
void text_free(cli_text* text);

// ---- JSON out (json.c) ----

typedef struct json_out
{
    cli_text text;
    int depth;
    bool first; // nothing yet in the innermost list or object
} json_out;

void json_begin(json_out* json, const char* key, char bracket); // '{' or '['; key null inside a list
void json_end(json_out* json, char bracket);
void json_text(json_out* json, const char* key, const char* value); // null value: null
void json_number(json_out* json, const char* key, double value);    // null where not finite
void json_figure(json_out* json, const char* key, double value);    // seven significant digits
void json_int(json_out* json, const char* key, long long value);
void json_bool(json_out* json, const char* key, bool value);
void json_vector(json_out* json, const char* key, sft_v3d value);
// Prints to stdout and releases. EXIT_DONE, EXIT_WRITE or EXIT_MEMORY.
int json_finish(json_out* json);

// ---- JSON in (json_read.c) ----

typedef enum json_kind
{
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} json_kind;

typedef struct json_value
{
    json_kind kind;
    uint32_t line;
    double number; // bools too
    char* string;
    char* key; // inside an object
    struct json_value* child;
    struct json_value* next;
} json_value;

// Null on error, with *error filled.
json_value* json_parse(const char* text, size_t size, sft_error* error);
void json_destroy(json_value* value);
const json_value* json_get(const json_value* object, const char* key);

// ---- options (options.c) ----

typedef enum ground_choice
{
    GROUND_AUTO,
    GROUND_NONE,
    GROUND_GIVEN
} ground_choice;

typedef struct cli_options
{
    bool json;
    const char* role; // what options about this file begin with in messages: "", or "target-"
    const char* output;
    const char* legs;
    const char* contacts;
    const char* clip; // name or number; null: not said
    bool all_clips;
    const char* character; // file whose skeleton the clips go onto; null: their own
    double fps;            // frames a second where keys are not evenly spaced; 0: the file's own, else 60
    double unit;           // metres a unit; 0: work it out
    int up;                // sft_axis; -1: work it out
    sft_bvh_positions positions;
    double threshold;
    bool held_only; // labels for measuring: plants of feet that something holds end where it lets go
    ground_choice ground;
    sft_v3d ground_velocity; // [m/s] in the file's own axes
} cli_options;

enum
{
    OPT_JSON = 256,
    OPT_HELP,
    OPT_UNIT,
    OPT_UP,
    OPT_POSITIONS,
    OPT_CLIP,
    OPT_ALL_CLIPS,
    OPT_CHARACTER,
    OPT_SAMPLE_FPS,
    OPT_LEGS,
    OPT_CONTACTS,
    OPT_THRESHOLD,
    OPT_GROUND,
    OPT_OWN // the subcommand's own options start here
};

#define CLI_FILE_OPTIONS                                                                                               \
    {"json", no_argument, NULL, OPT_JSON}, {"help", no_argument, NULL, OPT_HELP},                                      \
        {"unit", required_argument, NULL, OPT_UNIT}, {"up", required_argument, NULL, OPT_UP},                          \
        {"positions", required_argument, NULL, OPT_POSITIONS}, {"clip", required_argument, NULL, OPT_CLIP},            \
        {"all-clips", no_argument, NULL, OPT_ALL_CLIPS},                                                               \
    {                                                                                                                  \
        "character", required_argument, NULL, OPT_CHARACTER                                                            \
    }
// Frames a second of clips whose keys are uneven; `convert` has an --fps of its own.
#define CLI_SAMPLE_OPTIONS                                                                                             \
    {                                                                                                                  \
        "fps", required_argument, NULL, OPT_SAMPLE_FPS                                                                 \
    }
#define CLI_LEG_OPTIONS                                                                                                \
    {                                                                                                                  \
        "legs", required_argument, NULL, OPT_LEGS                                                                      \
    }
#define CLI_CONTACT_OPTIONS                                                                                            \
    {"contacts", required_argument, NULL, OPT_CONTACTS},                                                               \
        {"contact-threshold", required_argument, NULL, OPT_THRESHOLD},                                                 \
    {                                                                                                                  \
        "ground-velocity", required_argument, NULL, OPT_GROUND                                                         \
    }

extern const char cli_help_file[]; // help texts of the groups above
extern const char cli_help_clips[];
extern const char cli_help_sample[];
extern const char cli_help_legs[];
extern const char cli_help_contacts[];
extern const char cli_help_exit[];

cli_options cli_default_options(void);
// The next option of argv, as getopt_long gives it; `output`: there is -o OUT as well. '?' where there is no such
// option or its value is missing, which is told here; cli_take_option then says where to look.
int cli_next_option(const char* command, int argc, char** argv, bool output, const struct option* known);
// Takes one shared option; `command` is for messages. EXIT_DONE, or EXIT_USAGE with a message.
int cli_take_option(cli_options* options, const char* command, int key, const char* value);
// A finite number within [lo, hi], or EXIT_USAGE with a message.
int cli_take_number(const char* command, const char* option, const char* value, double lo, double hi, double* out);
// After '?': EXIT_USAGE, with where to look.
int cli_bad_option(const char* command);
// Checks an output's name: formats that are not written yet are refused here, before any work.
int cli_check_output(const char* path);
// True where both paths, none null, are one file, or both are '-'.
bool cli_same_file(const char* a, const char* b);
// No two of the outputs may be one file, nor an output one of the inputs, nor may two things share standard input or
// output; null entries do not count. EXIT_DONE, or EXIT_USAGE with a message. `replace`: outputs[0] may be inputs[0].
int cli_check_paths(const char* command, const char* const* inputs, int input_count, const char* const* outputs,
                    int output_count, bool replace);

// Appends the path of this program itself. False where the system does not say it (program_path.c).
bool cli_program_path(cli_text* out);
bool cli_is_program(const char* path);
// A program that was installed with this one, beside it or in ../libexec/surefoot: its path into *out. False where it
// is not there.
bool cli_program_beside(const char* name, cli_text* out);

// ---- files (files.c) ----

// Whole file, or stdin for "-". Release with free.
int cli_read_bytes(const char* path, void** bytes, size_t* size);
// The same of stdin, for a list of names, which zero bytes may part.
int cli_read_names(void** bytes, size_t* size);
// From here on what is written does not wait for the disk: whoever began this process syncs it
// (sft_file_write_unsynced).
void cli_leave_sync(void);
// From now on the path of each file that was written is added to `paths`, with its zero; null: no more.
void cli_note_written(cli_text* paths);
// Whole file, or stdout for "-".
int cli_write_bytes(const char* path, const void* bytes, size_t size);
// Reads a motion file of any format, told by its first bytes. *bytes: what it lies in, to be released with free behind
// the document; null where it has its own.
int cli_read_document(const cli_options* options, const char* path, sft_io_document** out, void** bytes);
// Format that an output is written in: by its name, else that of the document.
sft_io_format cli_output_format(const char* path, const sft_io_document* document);
// Writes a document in its own format, or glTF and GLB for each other; "-" is standard output.
int cli_write_document(const char* path, sft_io_document* document, bool embed);
// ---- a loaded file (load.c) ----

typedef struct loaded
{
    const char* path;
    const char* role; // that of its options
    char* name;       // of the file, for people: valid UTF-8
    sft_io_document* document;
    const sft_io_contents* contents;
    void* bytes;                // that the document lies in; null where it has its own
    sft_io_document* character; // of --character, which clips are bound to; null: none
    void* character_bytes;
    int32_t* chosen; // clips to work on, see cli_choose_clips
    int32_t chosen_count;
    bool space_known;
    sft_space space;
    // What follows is of the clip that was taken, see cli_take_clip.
    int32_t clip_index; // -1: the rest pose
    int32_t bound_clip; // of the character, where there is one
    char* title;        // "file.glb", or "file.glb, Walk" where it has several clips
    sft_take* take;     // owns the clip; what follows is what it says
    sft_gltf_frames frames;
    const sft_skeleton* skeleton; // metres, Y up
    sft_clip* clip;
    int32_t frame_count;
    double frame_time;
    char first_reason[128];
    int32_t first_frame;
    int32_t travel;
    int32_t leg_count;
    bool legs_given;
    sft_leg legs[SFT_MAX_LEGS];
    char foot_names[SFT_MAX_LEGS][NAME_SIZE]; // of the toe joints, made unique; valid UTF-8
    const char* foot_name_list[SFT_MAX_LEGS];
} loaded;

// Reads the document; reader's warnings go to stderr. Exit code. cli_unload after success.
int cli_open(const cli_options* options, const char* path, loaded* out);
// Unit and axes of a clip or rest pose. The unit of a format that prescribes one is believed, unless the figure is then
// no figure (a warning says so). `role` goes before "unit" in the option that the warning names.
sft_result cli_find_space(const cli_options* options, const sft_io_contents* v, const sft_skeleton* skeleton,
                          const sft_clip* clip, const char* path, const char* role, sft_space* space);
// Takes a clip out of it (-1: the rest pose): finds space, first frame, travel joint and legs. One at a time.
int cli_take_clip(const cli_options* options, loaded* file, int32_t index);
void cli_drop_clip(loaded* file);
void cli_unload(loaded* file);
// The document that the clip was taken from, and its number there: the character's where there is one.
sft_io_document* cli_stage(const loaded* file, int32_t* clip);
// Brings what was solved on the character back into the clip's own document.
int cli_bring_back(const loaded* file);
// What a solver did goes back into the file (solved.c). changed: a byte a joint, bit 0 rotation, bit 1 translation;
// none changed leaves the document as it is. *error is filled on failure.
sft_result cli_put_solved(const loaded* file, const sft_clip* solved, const uint8_t* changed, bool keep_keys,
                          sft_gltf_applied* applied, sft_error* error);
// After that: the clip as the file now says it, and the character's motion in the clip's own document. Exit code.
int cli_read_back(const loaded* file, const uint8_t* changed, sft_clip** written);
void cli_json_changed(json_out* json, const loaded* file, const uint8_t* changed);
// Name of a joint that is unique in its file: `name`, or `name#2` for its second bearer. An End Site answers to its
// parent's. Valid UTF-8.
const char* cli_joint_name(const loaded* file, int32_t joint, char* out, size_t capacity);
// "Y", "-Z" and so on.
const char* cli_axis_name(sft_axis axis);
// Leg of the first foot of each character, in their order, into first (SFT_MAX_LEGS); how many there are.
int32_t cli_characters(const loaded* file, int32_t* first);
// For what is done to one figure: leaves the first character's legs, and warns where there were more. `role` of the
// file in the warning: "the clip", "the target".
void cli_keep_one_character(loaded* file, const char* role);
// Names of the feet after legs were set by hand.
void cli_name_feet(loaded* file);
// EXIT_NO_LEGS with the remedy.
int cli_fail_no_legs(const loaded* file);
// Legs from a file in the form of `info --json` (legs_file.c).
int cli_read_legs(const char* path, loaded* file);
// A library result about a loaded clip, while doing `what`: names the frame and joint that is out of range.
int cli_fail_clip(const loaded* file, const sft_clip* clip, const char* what, sft_result result);
void cli_json_legs(json_out* json, const loaded* file);

// ---- what joints mean (info_body.c) ----

// joint_count entries to free; null where memory ran out.
sft_joint_meaning* cli_find_meanings(const loaded* file);
void cli_json_meanings(json_out* json, const loaded* file, const sft_joint_meaning* meanings);
void cli_print_meanings(const loaded* file, const sft_joint_meaning* meanings);

// Number of a frame, and its second where the clip does not start at 0: "12" or "12 (0.542 s)". Into out (48 bytes).
const char* cli_frame_name(const loaded* file, int32_t frame, char* out);

// ---- clips of a file (clips.c) ----

typedef enum clip_need
{
    CLIPS_ONE, // one, or all where --all-clips says so; a file with several and neither option is refused
    CLIPS_ANY, // the same, but all where nothing is said
    CLIPS_REST // the same, but the rest pose where there is no clip, and the first where nothing is said
} clip_need;

// Fills file->chosen. EXIT_READ where there is no such clip, EXIT_NO_LEGS where nothing moves joints.
int cli_choose_clips(const cli_options* options, const char* command, clip_need need, loaded* file);
// Whether results come as a list: several files, several clips, or --all-clips.
bool cli_many_clips(const cli_options* options, const loaded* file);
// Name of a clip for people: its own, or "clip 3".
const char* cli_clip_name(const loaded* file, int32_t index, char* out, size_t capacity);
// Title of a file's clip, see loaded. Release with free; null: out of memory.
char* cli_clip_title(const loaded* file);
// EXIT_USAGE where an output would replace a file that the input or the character refers to; null entries do not count.
int cli_check_resources(const char* command, const cli_options* options, const loaded* file, const char* const* outputs,
                        int output_count);
// EXIT_USAGE where a file that --all-clips makes of PATH would replace an input or what an input refers to.
int cli_check_clip_paths(const char* command, const cli_options* options, const char* path, const loaded* file);
// PATH with the clip's name before its ending, made safe for file systems and unlike that of any other clip of the
// file: "page-Walk.html". Release with free; null: out of memory.
char* cli_clip_path(const char* path, const loaded* file, int32_t index);

// ---- other formats out (formats.c) ----

typedef struct output_wish
{
    double unit; // BVH out: metres a unit; 0: as it was, else centimetres
    int up;      // BVH out: sft_axis; -1: as it was, else Y
    bool embed;  // glTF out: buffers as data URIs
} output_wish;

// Writes the document of a loaded file to options->output, in another format where its name says so: BVH of --all-clips
// as a file a clip. Names that had to change go to standard error, and to `json` (may be null) under "renamed".
int cli_write_converted(const cli_options* options, const loaded* file, const output_wish* wish, json_out* json);

// ---- measuring (measure.c) ----

typedef sft_tracks tracks;

int cli_make_tracks(const loaded* file, const sft_clip* clip, tracks** out);
void cli_free_tracks(tracks** t); // which becomes null

typedef struct contacts
{
    sft_contact_labels* labels;
    sft_contact_mismatch mismatch;                 // of the first character
    sft_v3d ground;                                // [m/s] inside axes: what its planted feet should ride
    sft_contact_mismatch mismatches[SFT_MAX_LEGS]; // of each foot's character
    sft_v3d grounds[SFT_MAX_LEGS];
    bool imported;
} contacts;

// Labels by the default labeller, the plain rule, or the file of --contacts; mismatch by the default labeller always.
int cli_make_contacts(const cli_options* options, const loaded* file, const tracks* t, bool plain, contacts* out);
void cli_free_contacts(contacts* c);

// Y of the floor that the clip was made on, and why.
double cli_find_floor(double threshold, const loaded* file, const tracks* t, const contacts* c, const char** reason);
// Sorts the values.
double cli_median(double* values, size_t count);

typedef struct figures
{
    sft_metrics_foot feet[SFT_MAX_LEGS];
    sft_metrics_clip clip;
} figures;

// Longest name of a foot in bytes, at least `least`: the width of a column.
int cli_name_width(const loaded* file, int least);
int cli_measure(const cli_options* options, const loaded* file, const tracks* t, const contacts* c, figures* out);
void cli_json_figures(json_out* json, const loaded* file, const figures* f);
void cli_json_mismatch(json_out* json, const contacts* c);
// Where a clip has several characters: a list of them, each with its root, feet and mismatch; else nothing.
void cli_json_characters(json_out* json, const loaded* file, const contacts* c);
// The mismatch in words: a sentence, or one for each character, each on a line of its own.
void cli_print_mismatch(FILE* out, const loaded* file, const contacts* c);
// A table of the figures, a column a foot.
void cli_print_figures(FILE* out, const loaded* file, const figures* f);
// The mismatch in a sentence, with a capital and a full stop, into out.
const char* cli_mismatch_sentence(const contacts* c, char* out, size_t capacity);

// ---- the report page and the picture (report_*.c) ----

typedef struct report_input
{
    const loaded* file;
    const sft_clip* after; // what was written; file->clip is what came in
    const tracks* tracks_before;
    const tracks* tracks_after;
    const contacts* contacts;
    const contacts* contacts_after; // of what was written, by the default labeller
    const figures* before;
    const figures* figures_after;
    const sft_cleanup_report* done;
    const sft_cleanup_def* def;
    const sft_lock_clip_def* lock; // of --method runtime, else null
    double threshold;
    const char* output;
    bool kept_keys; // what was written is the solution fitted to the file's own keys
} report_input;

void report_page(const report_input* in, cli_text* out);
void report_picture(const report_input* in, cli_text* out);
// "heel lifted", "slide left" and so on, into out.
const char* cli_gave_up(uint32_t gave_up, char* out, size_t capacity);

// ---- subcommands ----

int cmd_info(int argc, char** argv);
int cmd_check(int argc, char** argv);
int cmd_contacts(int argc, char** argv);
int cmd_clean(int argc, char** argv);
int cmd_adapt(int argc, char** argv);
int cmd_convert(int argc, char** argv);
int cmd_retarget(int argc, char** argv);
int cmd_roam(int argc, char** argv);
int cmd_view(int argc, char** argv);
int cmd_batch(int argc, char** argv);
// A whole command line, as main gets it.
int cli_run(int argc, char** argv);

#endif
