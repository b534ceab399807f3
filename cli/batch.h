// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// `surefoot batch`: one command over many clips, to the end, whatever is among them. A recipe (batch_recipe.c) says
// what is done to which of the inputs (batch_list.c); each clip has a process of its own (batch_pool.c); what became of
// it is a line of the manifest (batch_manifest.c), so that a run that was cut off goes on where it was.
#ifndef SUREFOOT_BATCH_H
#define SUREFOOT_BATCH_H

#include "cli.h"

#include <sys/stat.h>

// Processes and their limits are POSIX; elsewhere the command says so.
#if defined(_WIN32) || defined(__wasi__) || !defined(SFT_HAVE_XXHASH)
#define BATCH_RUNS 0
#else
#define BATCH_RUNS 1
#endif

// ---- recipe ----

// A list of words that grows: arguments of a command.
typedef struct batch_words
{
    char** words;
    size_t count, capacity;
    bool failed;
} batch_words;
void batch_words_add(batch_words* list, const char* word, size_t size);
void batch_words_free(batch_words* list);

typedef struct batch_recipe
{
    char* path;
    char* folder; // of the recipe: paths in it are relative to here
    char* text;   // as it was read
    json_value* json;
    const char* command;
    const json_value* options; // may be null
    const json_value* rules;   // list of "for", may be null
    const char* ending;        // of outputs, with its point; null: as the command has it
    unsigned seconds;          // a clip may take
    uint64_t memory;           // bytes a clip may take
} batch_recipe;

// Reads and checks a recipe, each option by the command itself. EXIT_DONE, or an exit code that was told with file and
// line. `run` runs a command line in this process.
typedef int batch_run(int argc, char** argv);
int batch_read_recipe(const char* path, batch_run* run, batch_recipe* out);
// The same of a text that was read before; `path` is where it stood.
int batch_take_recipe(const char* path, const char* text, size_t size, batch_run* run, batch_recipe* out);
void batch_free_recipe(batch_recipe* recipe);

// What is done to one input.
typedef struct batch_plan
{
    bool skipped;
    batch_words options; // the command's, with the words that stand for the clip filled in
    char* output;        // below the output folder
} batch_plan;
// `name`: of the input below its folder, '/' between parts. EXIT_DONE or EXIT_MEMORY.
int batch_plan_for(const batch_recipe* recipe, const char* name, const char* out_folder, batch_plan* plan);
void batch_free_plan(batch_plan* plan);
// Whether the command says what it finds on standard output, which then is what it makes.
bool batch_prints(const batch_recipe* recipe);
// Whether what follows an option ("--report") is a file that the command writes.
bool batch_is_output_option(const char* word);
#define BATCH_PATTERN_MOST 1023 // bytes
// Whether a name fits a pattern: `*` within a part, `**` over parts, `?` one character, as shells have it.
bool batch_matches(const char* pattern, const char* name);

// ---- inputs ----

typedef struct batch_input
{
    char* path;
    char* name; // below the folder it was found in
    uint64_t size;
    bool open; // by a merge: it is not done
    batch_plan plan;
} batch_input;

typedef struct batch_list
{
    batch_input* inputs; // by name
    size_t count, capacity;
    size_t unread; // folders that could not be read; told, and left out
} batch_list;

// Motion files of folders (with what is below them) and patterns, and files; "-": names on standard input, one a line
// or each with a zero byte behind it. Told where one is not there. A file that is given twice is taken once; two inputs
// of one name, or of one output, and inputs in the output folder are refused.
int batch_find_inputs(const char* const* given, size_t count, const char* out_folder, batch_list* out);
// Adds one. EXIT_DONE or EXIT_MEMORY.
int batch_add_input(batch_list* list, const char* path, const char* name, uint64_t size);
// Whether a name leads out of the folder that it is below.
bool batch_goes_up(const char* name);
// Brings a list that was added to in order, and refuses empty ones and two inputs of one name.
int batch_order_list(batch_list* list);
int batch_plan_all(const batch_recipe* recipe, const char* out_folder, batch_list* list);
// Runs each set of options that comes up once, with an input that is not there: the command then says what is missing,
// or does not go together.
int batch_try_plans(const batch_recipe* recipe, batch_run* run, const batch_list* list);
// Keeps every n-th, so that shards differ by one clip at most and each clip is in exactly one.
void batch_take_shard(batch_list* list, unsigned shard, unsigned shards);
void batch_free_list(batch_list* list);

// ---- manifest ----

#define BATCH_HASH_SIZE 33 // 128 bits in hexadecimal, and the zero

typedef enum batch_result
{
    BATCH_DONE,
    BATCH_FAILED,  // the command ended with another code than 0
    BATCH_CRASHED, // by a signal
    BATCH_TIMEOUT,
    BATCH_MEMORY,
    BATCH_RESULTS
} batch_result;
extern const char* const batch_result_names[BATCH_RESULTS];

// What a dataset is sorted by. Before: as the command got the motion, and for retarget as it was moved to the target;
// after: as it was written.
typedef enum batch_figure
{
    BATCH_FRAMES,
    BATCH_CLIPS,
    BATCH_DURATION, // [s]
    BATCH_JOINTS,
    BATCH_LEGS,
    BATCH_SLIDE_BEFORE, // of planted feet, mean over planted steps of all feet [cm/s]
    BATCH_SLIDE_AFTER,
    BATCH_SLIDE_MOST_BEFORE, // the largest of a foot
    BATCH_SLIDE_MOST,
    BATCH_SHARE,      // of frames, mean of all feet, in which a foot is planted
    BATCH_DIP_BEFORE, // deepest point of a foot below the ground that it is over [cm]
    BATCH_DIP_AFTER,
    BATCH_UNREACHED,      // frames in which a limb missed its place, each limb for itself
    BATCH_UNREACHED_MOST, // by how much at most [cm]
    BATCH_FIGURES
} batch_figure;

typedef struct batch_figures
{
    bool known;               // of what follows
    double of[BATCH_FIGURES]; // NaN where the command does not say
} batch_figures;
// As manifests, tables and summaries call them.
extern const char* const batch_figure_names[BATCH_FIGURES];
#define BATCH_NOT_COUNTED (-1)

typedef struct batch_entry
{
    char* name;
    char* output; // below the output folder; null: none
    char* message;
    batch_words beside;            // other files that it wrote, where it is done; as the command called them
    char hash[BATCH_HASH_SIZE];    // of the input and its parts
    char options[BATCH_HASH_SIZE]; // of the command, its options and the files that they name
    char version[16];
    batch_result result;
    int code; // exit code, or the signal
    uint64_t size, output_size;
    int warnings;   // that were said; BATCH_NOT_COUNTED: by a version that did not count them
    double seconds; // that it took
    double ended;   // seconds since 1970
    batch_figures figures;
} batch_entry;

typedef struct batch_manifest
{
    batch_entry* entries; // by name; of each the one that ended last
    size_t count, capacity;
    batch_entry* former; // lines before those, where the clip's output had another name
    size_t former_count;
} batch_manifest;

// Reads all manifests of an output folder, those of shards too. A last line that was cut off counts as not written;
// any other line that is no entry is an error with its number.
int batch_read_manifests(const char* folder, batch_manifest* out);
// manifest.jsonl, manifest-3-of-16.jsonl and the like.
bool batch_is_manifest(const char* name);
// Appends a line that says of an input that what was made of it, until `ended`, is removed: readers then know nothing
// of it.
int batch_append_removed(int fd, const char* path, const char* name, double ended);
// Drops the entries of clips that are not in the list, or are open.
void batch_keep_listed(batch_manifest* manifest, const batch_list* list);
const batch_entry* batch_find_entry(const batch_manifest* manifest, const char* name);
void batch_free_manifest(batch_manifest* manifest);
void batch_free_entry(batch_entry* entry);
// Appends an entry by one write to an open manifest.
int batch_append_entry(int fd, const char* path, const batch_entry* entry);
void batch_put_entry(cli_text* out, const batch_entry* entry);
// A member with its comma, of an object that is one line; bytes of names come back from it as they were.
void batch_put_text(cli_text* out, const char* key, const char* value);

// ---- frozen batches (batch_frozen.c) ----

// What a batch is of, in one file: the recipe's text, the output folder, and the list of clips. Shards that begin hours
// apart, on other machines, are then parts of one list, whatever came into folders or was changed in the recipe. JSON
// lines: first an object {"frozen": 1, "recipe": its path, "text": its bytes, "output": folder, "unread": folders that
// could not be read, "clips": how many follow}, then {"path", "input" (its name below the folder it was found in)} for
// each clip. Paths are those that were given: relative ones begin where the command ran.
int batch_freeze(const char* path, const batch_recipe* recipe, const char* out_folder, const batch_list* list);
// Reads one. *output: to be released with free. EXIT_DONE, or an exit code that was told with file and line.
int batch_thaw(const char* path, batch_run* run, batch_recipe* recipe, char** output, batch_list* list);
// Sizes of the clips, which a frozen batch has none of: each shard asks for its own.
void batch_find_sizes(batch_list* list);

// ---- a cluster (batch_slurm.c) ----

// A batch as jobs of Slurm: an array of tasks, each a shard, and behind it a merge, which begins when all tasks came to
// an end, whatever it was (afterany). OUT/slurm/1, /2 and so on hold of each submission the frozen batch, both scripts
// and the logs; OUT/slurm/submitted.jsonl has a line for each, {"folder", "array", "merge": numbers of the jobs}.
typedef struct batch_slurm
{
    unsigned tasks;   // 0: 16, or as many as there are clips
    unsigned at_once; // tasks of the array that run at the same time; 0: all
    unsigned cores;   // of a task, and clips that it does at a time
    bool dry_run;     // only shows scripts and commands
    bool json, retry;
    const char *partition, *account, *qos, *time, *memory; // null: the cluster's own
    batch_words options;                                   // of sbatch, more
    batch_words setup;                                     // lines of the scripts, before the command
    const char* csv;                                       // of the merge
} batch_slurm;
// Whether an option of the command line may stand in a script; EXIT_DONE, or EXIT_USAGE with what is wrong.
int batch_check_slurm(const batch_slurm* slurm);
// Writes and submits, or shows. Refused while jobs of the last submission are not over. Where the merge is not taken,
// the array is cancelled. EXIT_DONE, or an exit code that was told.
int batch_submit(const batch_slurm* slurm, const batch_recipe* recipe, const char* out_folder, const batch_list* list);

// ---- outputs without an input (batch_orphans.c) ----

// A file that this batch wrote once, and that the list as it is now makes no more: its input is gone, has another name,
// is skipped, or is written elsewhere.
#define BATCH_SIZE_UNKNOWN UINT64_MAX
typedef struct batch_orphan
{
    char* path;          // below the output folder, or elsewhere as options said
    char* input;         // of which it was made
    double began, ended; // when that was made, seconds since 1970
    uint64_t size;       // BATCH_SIZE_UNKNOWN of what was written beside an output
    const char* why;
    bool below;   // its path is below the output folder
    bool changed; // since this batch wrote it, or not of it
    bool removed; // by batch_prune
} batch_orphan;

typedef struct batch_orphans
{
    batch_orphan* files; // by path
    size_t count, capacity;
} batch_orphans;

// By all lines of all manifests; the list is to be the whole one. EXIT_DONE or EXIT_MEMORY.
int batch_find_orphans(const batch_manifest* manifest, const batch_recipe* recipe, const batch_list* list,
                       const char* out_folder, batch_orphans* out);
// Removes those that are as they were written, and folders that are empty then; the manifest forgets inputs that are
// not in the list and of which nothing is left. EXIT_DONE, or EXIT_WRITE with what could not be removed.
int batch_prune(const batch_manifest* manifest, batch_orphans* orphans, const batch_list* list, const char* out_folder,
                int fd, const char* path);
void batch_free_orphans(batch_orphans* orphans);

// ---- hashes ----

// Files that options name are often the same for all clips.
typedef struct batch_hasher
{
    char* paths[16];
    char hashes[16][BATCH_HASH_SIZE];
    size_t count;
} batch_hasher;
// Of a file's bytes, and of those that a glTF names beside it. False where it cannot be read.
bool batch_hash_input(const char* path, char out[BATCH_HASH_SIZE]);
// Of a command and its options; of those that are files, the bytes too.
void batch_hash_options(batch_hasher* hasher, const char* command, const batch_plan* plan, char out[BATCH_HASH_SIZE]);
void batch_free_hasher(batch_hasher* hasher);

// ---- figures ----

// What a clip's process printed: what its command says with --json, in a few numbers over all clips of the file, and
// behind it the files that were written, each with a zero before it.
void batch_read_said(const char* said, size_t size, batch_entry* out);
// Warnings among what a command said; text may be null.
int batch_count_warnings(const char* said);
// Whether an entry's figures count among those of all: of clips that are done, and of those that slide more than a
// check allows.
bool batch_has_figures(const batch_entry* entry);

// ---- processes ----

typedef struct batch_job
{
    const batch_input* input;
    batch_entry entry; // name, options and version are filled in before, the rest by the run, and so is a hash that is
                       // not there yet
} batch_job;

// What a run that was killed left beside a file that it was writing (batch_leftovers.c).
void batch_remove_leftovers(const char* path);
// Takes away an output, and what was left beside it and beside what options have written: what is done again is not to
// leave what was made before in its place where it fails, and buffers of a glTF are not written over by other bytes.
void batch_clear_place(const char* output, const batch_words* options);
// Whether what an input becomes is the file that is planned: not where each of its clips goes into a file of its own,
// when the planned name may be that of another input's clip ("fox-Run.csv" of fox.glb, and of fox-Run.glb).
bool batch_has_one_output(const batch_recipe* recipe, const batch_input* input);
// Takes away what options have a command write beside its output: pages, pictures, grounds, maps. Not what is the input
// or is named by another option.
void batch_clear_beside(const char* input, const batch_words* options);
// Takes away what a clip's process wrote when its line was made, as far as it is as it was then.
void batch_clear_written(const batch_entry* entry, const char* input, const batch_words* options);
// Whether a file is of the time in which a clip's process was at work.
bool batch_is_of_then(const struct stat* status, double began, double ended);
// What was left beside files that clips have of their own, where jobs have --all-clips. No other run may be at work.
void batch_sweep_clips(const batch_job* jobs, size_t count, const char* out_folder);

typedef struct batch_pool
{
    const batch_recipe* recipe;
    const char* out_folder;
    unsigned jobs;
    batch_run* run;
    // Called for each clip when its process ended; anything but EXIT_DONE ends the run.
    int (*ended)(void* context, const batch_job* job);
    // Called a few times a second.
    void (*waited)(void* context);
    void* context;
    struct batch_starter* starter; // of the clips' processes
    int held;                      // descriptor that they keep open, as the lock on the manifest is
} batch_pool;

// Makes a folder where there is none; told where that cannot be (batch_place.c).
int batch_make_folder(const char* path);
// Runs all, in the order given. EXIT_DONE, or an exit code where the run itself could not go on: a signal asked for the
// end (BATCH_STOPPED), or what `ended` gave. Clips that were at work then count as not begun.
#define BATCH_STOPPED 130
int batch_run_all(const batch_pool* pool, batch_job* jobs, size_t count);

// ---- words (batch_say.c) ----

typedef struct batch_tally
{
    size_t total;
    size_t ended;                  // clips with a result
    size_t before;                 // of them, by runs before
    size_t results[BATCH_RESULTS]; // of those that ended
    bool merged;                   // by a run that did none; those without a result are missing
    bool pruned;                   // orphans were to be removed
    bool part;                     // by a shard, which makes no page
    uint64_t bytes;                // of inputs of this run
    double seconds;                // since it began
} batch_tally;
// A bar on a terminal; elsewhere a line in ten seconds. `last`: when the last was written, 0 at first.
void batch_say_progress(const batch_tally* tally, double* last);
// What is said beside the manifest's entries.
typedef struct batch_rest
{
    batch_words missing; // names of clips that have no result, where the list is known
    batch_orphans orphans;
} batch_rest;
// What became of all, with those that failed.
void batch_say_summary(FILE* out, const batch_tally* tally, const batch_manifest* manifest, const batch_rest* rest,
                       const char* folder);
void batch_json_summary(json_out* json, const batch_tally* tally, const batch_manifest* manifest,
                        const batch_rest* rest, const char* folder);
// A row a clip.
void batch_put_csv(cli_text* out, const batch_manifest* manifest);
// The page (batch_report.c); links are relative to the output folder; `missing`: clips without a line. False where
// memory ran out.
bool batch_put_report(cli_text* out, const batch_manifest* manifest, const batch_rest* rest, const char* folder,
                      size_t missing);

#endif
