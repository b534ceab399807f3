// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The recipe of a batch: a JSON file that names a command, its options, and what differs for some of the files. It is
// checked whole before anything runs; options are checked by the command that takes them.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch.h"

#if BATCH_RUNS

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "batch_child.h"

#define SECONDS_DEFAULT 600u
#define MEMORY_DEFAULT_MB 4096u

typedef struct command
{
    const char* name;
    const char* ending; // of what it writes; null: the input's
    bool prints;        // what it finds goes to standard output, as JSON
} command;

static const command commands[] = {{"clean", NULL, false},    {"adapt", NULL, false},      {"convert", NULL, false},
                                   {"retarget", NULL, false}, {"contacts", ".csv", false}, {"check", ".json", true},
                                   {"info", ".json", true}};

static const command* find_command(const char* name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i)
        if (strcmp(commands[i].name, name) == 0) return commands + i;
    return NULL;
}

bool batch_prints(const batch_recipe* recipe)
{
    return find_command(recipe->command)->prints;
}

bool batch_is_output_option(const char* word)
{
    static const char* const outputs[] = {"--report", "--picture", "--ground-out", "--map-out"};
    // Commands take options cut short, but for those that are options whole.
    const size_t size = strlen(word);
    if (size < 3 || strcmp(word, "--ground") == 0 || strcmp(word, "--map") == 0) return false;
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; ++i)
        if (strncmp(outputs[i], word, size) == 0) return true;
    return false;
}

// ---- words ----

void batch_words_add(batch_words* list, const char* word, size_t size)
{
    if (list->count + 1 >= list->capacity)
    {
        const size_t capacity = list->capacity * 2 + 16;
        char** words = realloc(list->words, capacity * sizeof *words);
        if (words == NULL)
        {
            list->failed = true;
            return;
        }
        list->words = words;
        list->capacity = capacity;
    }
    char* copy = malloc(size + 1);
    if (copy == NULL)
    {
        list->failed = true;
        return;
    }
    memcpy(copy, word, size);
    copy[size] = '\0';
    list->words[list->count++] = copy;
    // As main gets them.
    list->words[list->count] = NULL;
}

void batch_words_free(batch_words* list)
{
    for (size_t i = 0; i < list->count; ++i)
        free(list->words[i]);
    free(list->words);
    *list = (batch_words){0};
}

// ---- patterns ----

// States are places in the pattern that the name may have come to: no pattern takes longer than its length times the
// name's. `at` and what follows it without a character.
static void reach(const char* pattern, bool* states, size_t at)
{
    while (!states[at])
    {
        states[at] = true;
        if (pattern[at] != '*') return;
        const size_t rest = at + (pattern[at + 1] == '*' ? 2 : 1);
        // "**/x" is x at any depth, none too.
        if (rest == at + 2 && pattern[rest] == '/') reach(pattern, states, rest + 1);
        at = rest;
    }
}

static void step(const char* pattern, size_t at, char c, bool* next)
{
    const char p = pattern[at];
    if (p == '*' && (pattern[at + 1] == '*' || c != '/')) reach(pattern, next, at);
    if (p == '?' ? c != '/' : p != '*' && p == c) reach(pattern, next, at + 1);
}

bool batch_matches(const char* pattern, const char* name)
{
    bool states[2][BATCH_PATTERN_MOST + 1] = {{0}};
    const size_t size = strlen(pattern);
    if (size > BATCH_PATTERN_MOST) return false;
    int now = 0;
    reach(pattern, states[now], 0);
    for (; *name != '\0'; ++name, now = 1 - now)
    {
        memset(states[1 - now], 0, sizeof states[0]);
        for (size_t at = 0; at < size; ++at)
            if (states[now][at]) step(pattern, at, *name, states[1 - now]);
    }
    return states[now][size];
}

// ---- reading ----

static int fault(const batch_recipe* recipe, const json_value* at, const char* text)
{
    return cli_fail(EXIT_READ, "%s:%u: %s", recipe->path, at->line, text);
}

static bool named_before(const json_value* object, const json_value* v)
{
    for (const json_value* w = object->child; w != v; w = w->next)
        if (strcmp(w->key, v->key) == 0) return true;
    return false;
}

// One of the two would be passed over in silence.
static int check_once(const batch_recipe* recipe, const json_value* object)
{
    for (const json_value* v = object->child; v != NULL; v = v->next)
        if (named_before(object, v))
            return cli_fail(EXIT_READ,
                            "%s:%u: \"%.100s\" stands here for the second time; give a list for several "
                            "values of an option",
                            recipe->path, v->line, v->key);
    return EXIT_DONE;
}

// A member that is not known is a slip, and would be passed over in silence.
static int check_members(const batch_recipe* recipe, const json_value* object, const char* const* known, size_t count)
{
    for (const json_value* v = object->child; v != NULL; v = v->next)
    {
        size_t i = 0;
        while (i < count && strcmp(known[i], v->key) != 0)
            ++i;
        if (i < count) continue;
        cli_text text = {0};
        text_fmt(&text, "there is no \"%.100s\" in a recipe; here may stand", v->key);
        for (size_t k = 0; k < count; ++k)
            text_fmt(&text, "%s \"%s\"", k > 0 ? "," : "", known[k]);
        const int code = fault(recipe, v, text.failed ? "unknown member" : text.data);
        text_free(&text);
        return code;
    }
    return check_once(recipe, object);
}

static int check_kind(const batch_recipe* recipe, const json_value* v, json_kind kind, const char* what)
{
    if (v == NULL || v->kind == kind) return EXIT_DONE;
    return cli_fail(EXIT_READ, "%s:%u: \"%s\" is to be %s", recipe->path, v->line, v->key, what);
}

// "give-way": "legs" is --give-way legs, true the option alone, false none, a list one option for each of its values.
// `joined`: --give-way=legs, which options without a value refuse.
static int add_option(const batch_recipe* recipe, const char* key, const json_value* v, bool joined, batch_words* out)
{
    char option[128], number[32];
    if (v->kind == JSON_ARRAY)
    {
        for (const json_value* item = v->child; item != NULL; item = item->next)
        {
            const int code = add_option(recipe, key, item, joined, out);
            if (code != EXIT_DONE) return code;
        }
        return EXIT_DONE;
    }
    if (v->kind == JSON_OBJECT || v->kind == JSON_NULL)
        return fault(recipe, v, "the value of an option is a text, a number, true, false, or a list of such");
    if (v->kind == JSON_BOOL && v->number == 0.0) return EXIT_DONE;
    const int size = snprintf(option, sizeof option, "--%s", key);
    if (size < 3 || (size_t)size >= sizeof option || strchr(key, '=') != NULL)
        return fault(recipe, v, "no option has such a name");
    const char* value = v->kind == JSON_NUMBER ? cli_number(v->number, number) : v->string;
    if (v->kind == JSON_BOOL || !joined) batch_words_add(out, option, (size_t)size);
    if (v->kind == JSON_BOOL) return EXIT_DONE;
    if (!joined)
    {
        batch_words_add(out, value, strlen(value));
        return EXIT_DONE;
    }
    cli_text word = {0};
    text_fmt(&word, "%s=%s", option, value);
    if (word.failed)
        out->failed = true;
    else
        batch_words_add(out, word.data, word.size);
    text_free(&word);
    return EXIT_DONE;
}

// What a batch does itself. Commands take options cut short, too.
static const char* own_option(const char* key)
{
    const size_t size = strlen(key);
    if (size == 0) return NULL;
    if (strncmp("output", key, size) == 0) return "the output follows from the input's name";
    if (strncmp("json", key, size) == 0) return "figures are taken as JSON anyway";
    if (strncmp("help", key, size) == 0) return "help is for the command line";
    return NULL;
}

static bool writes_a_file(const json_value* v)
{
    char option[128];
    return (size_t)snprintf(option, sizeof option, "--%s", v->key) < sizeof option && batch_is_output_option(option);
}

static bool names_the_clip(const json_value* v)
{
    bool all = true;
    for (const json_value* item = v->child; v->kind == JSON_ARRAY && item != NULL; item = item->next)
        all = all && names_the_clip(item);
    if (v->kind != JSON_STRING) return all && v->kind != JSON_NUMBER;
    return strstr(v->string, "{name}") != NULL || strstr(v->string, "{stem}") != NULL ||
           strstr(v->string, "{out}") != NULL;
}

static void fill_in(const batch_recipe* recipe, const char* name, const char* out_folder, batch_words* words);

static int check_options(const batch_recipe* recipe, const json_value* options, batch_run* run)
{
    const int once = check_once(recipe, options);
    if (once != EXIT_DONE) return once;
    for (const json_value* v = options->child; v != NULL; v = v->next)
    {
        const char* own = own_option(v->key);
        if (own != NULL) return cli_fail(EXIT_READ, "%s:%u: not --%s: %s", recipe->path, v->line, v->key, own);
        batch_words words = {0};
        batch_words_add(&words, "surefoot", 8);
        batch_words_add(&words, recipe->command, strlen(recipe->command));
        int code = add_option(recipe, v->key, v, true, &words);
        fill_in(recipe, "clip.bvh", ".", &words);
        // The command reads its options in order and stops at --help, with no file looked at.
        batch_words_add(&words, "--help", 6);
        char said[1024] = "";
        if (code == EXIT_DONE && words.failed) code = cli_fail(EXIT_MEMORY, "out of memory");
        if (code == EXIT_DONE && writes_a_file(v) && !names_the_clip(v))
            code = fault(recipe, v, "every clip would write this file; let {name}, {stem} or {out} be in its name");
        if (code == EXIT_DONE && batch_try(run, &words, said, sizeof said) != EXIT_DONE)
            code = fault(recipe, v, said[0] != '\0' ? said : "the command does not take this option");
        batch_words_free(&words);
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}

static int check_rules(batch_recipe* recipe, batch_run* run)
{
    static const char* const known[] = {"files", "options", "skip"};
    for (const json_value* rule = recipe->rules->child; rule != NULL; rule = rule->next)
    {
        if (rule->kind != JSON_OBJECT) return fault(recipe, rule, "what stands in \"for\" is to be an object");
        const json_value* files = json_get(rule, "files");
        const json_value* options = json_get(rule, "options");
        int code = check_members(recipe, rule, known, sizeof known / sizeof known[0]);
        if (code == EXIT_DONE && files == NULL)
            code = fault(recipe, rule, "\"files\" is missing: which ones this is for");
        if (code == EXIT_DONE) code = check_kind(recipe, files, JSON_STRING, "a pattern, as \"run/**\"");
        if (code == EXIT_DONE && strlen(files->string) > BATCH_PATTERN_MOST)
            code = fault(recipe, files, "a pattern is at most 1023 bytes long");
        if (code == EXIT_DONE) code = check_kind(recipe, options, JSON_OBJECT, "an object of options");
        if (code == EXIT_DONE) code = check_kind(recipe, json_get(rule, "skip"), JSON_BOOL, "true or false");
        if (code == EXIT_DONE && options != NULL) code = check_options(recipe, options, run);
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}

static int read_limits(batch_recipe* recipe)
{
    static const char* const known[] = {"seconds", "memory_mb"};
    recipe->seconds = SECONDS_DEFAULT;
    recipe->memory = (uint64_t)MEMORY_DEFAULT_MB << 20;
    const json_value* limits = json_get(recipe->json, "limits");
    if (limits == NULL) return EXIT_DONE;
    int code = check_kind(recipe, limits, JSON_OBJECT, "an object");
    if (code == EXIT_DONE) code = check_members(recipe, limits, known, sizeof known / sizeof known[0]);
    const json_value *seconds = json_get(limits, "seconds"), *memory = json_get(limits, "memory_mb");
    if (code == EXIT_DONE) code = check_kind(recipe, seconds, JSON_NUMBER, "a number");
    if (code == EXIT_DONE) code = check_kind(recipe, memory, JSON_NUMBER, "a number");
    if (code != EXIT_DONE) return code;
    if (seconds != NULL && !(seconds->number >= 1.0 && seconds->number <= 1e6))
        return fault(recipe, seconds, "seconds are to be 1 to 1000000");
    if (memory != NULL && !(memory->number >= 64.0 && memory->number <= 1048576.0))
        return fault(recipe, memory, "megabytes are to be 64 to 1048576");
    if (seconds != NULL) recipe->seconds = (unsigned)seconds->number;
    if (memory != NULL) recipe->memory = (uint64_t)memory->number << 20;
    return EXIT_DONE;
}

static int read_command(batch_recipe* recipe)
{
    static const char letters[] = ".-_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const json_value* v = json_get(recipe->json, "command");
    if (v == NULL || v->kind != JSON_STRING)
        return fault(recipe, v != NULL ? v : recipe->json,
                     "\"command\" is to be clean, adapt, convert, retarget, "
                     "contacts, check or info");
    if (find_command(v->string) == NULL)
        return cli_fail(EXIT_READ,
                        "%s:%u: no batch can be made of '%.40s'; of clean, adapt, convert, retarget, contacts, check "
                        "and info it can",
                        recipe->path, v->line, v->string);
    recipe->command = v->string;
    const json_value* ending = json_get(recipe->json, "ending");
    const int code = check_kind(recipe, ending, JSON_STRING, "an ending, as \".glb\"");
    if (code != EXIT_DONE || ending == NULL) return code;
    const size_t size = strlen(ending->string);
    if (ending->string[0] != '.' || size < 2 || size > 16 || strspn(ending->string, letters) != size ||
        ending->string[size - 1] == '.')
        return fault(recipe, ending, "an ending is a point and a few letters, as \".glb\"");
    recipe->ending = ending->string;
    return EXIT_DONE;
}

static char* folder_of(const char* path)
{
    const char* slash = strrchr(path, '/');
    const size_t size = slash == NULL ? 1 : slash == path ? 1 : (size_t)(slash - path);
    char* folder = malloc(size + 1);
    if (folder == NULL) return NULL;
    memcpy(folder, slash == NULL ? "." : path, size);
    folder[size] = '\0';
    return folder;
}

static int check_recipe(batch_recipe* recipe, batch_run* run)
{
    static const char* const known[] = {"command", "options", "for", "ending", "limits", "about"};
    if (recipe->json->kind != JSON_OBJECT)
        return fault(recipe, recipe->json, "a recipe is a JSON object, as {\"command\": \"clean\"}");
    recipe->options = json_get(recipe->json, "options");
    recipe->rules = json_get(recipe->json, "for");
    int code = check_members(recipe, recipe->json, known, sizeof known / sizeof known[0]);
    if (code == EXIT_DONE) code = read_command(recipe);
    if (code == EXIT_DONE) code = check_kind(recipe, recipe->options, JSON_OBJECT, "an object of options");
    if (code == EXIT_DONE) code = check_kind(recipe, recipe->rules, JSON_ARRAY, "a list");
    if (code == EXIT_DONE) code = read_limits(recipe);
    if (code == EXIT_DONE && recipe->options != NULL) code = check_options(recipe, recipe->options, run);
    if (code == EXIT_DONE && recipe->rules != NULL) code = check_rules(recipe, run);
    return code;
}

int batch_take_recipe(const char* path, const char* text, size_t size, batch_run* run, batch_recipe* out)
{
    batch_recipe recipe = {0};
    sft_error error = {0};
    int code = EXIT_DONE;
    recipe.path = strdup(strcmp(path, "-") == 0 ? "standard input" : path);
    recipe.folder = folder_of(path);
    recipe.text = strndup(text, size);
    recipe.json = json_parse(text, size, &error);
    if (recipe.path == NULL || recipe.folder == NULL || recipe.text == NULL)
        code = cli_fail(EXIT_MEMORY, "out of memory");
    else if (recipe.json == NULL)
        code = cli_fail_error(recipe.path, SFT_ERR_SYNTAX, &error);
    else
        code = check_recipe(&recipe, run);
    if (code != EXIT_DONE)
    {
        batch_free_recipe(&recipe);
        return code;
    }
    *out = recipe;
    return EXIT_DONE;
}

int batch_read_recipe(const char* path, batch_run* run, batch_recipe* out)
{
    void* bytes = NULL;
    size_t size = 0;
    int code = cli_read_bytes(path, &bytes, &size);
    if (code == EXIT_DONE) code = batch_take_recipe(path, bytes, size, run, out);
    free(bytes);
    return code;
}

void batch_free_recipe(batch_recipe* recipe)
{
    free(recipe->path);
    free(recipe->folder);
    free(recipe->text);
    json_destroy(recipe->json);
    *recipe = (batch_recipe){0};
}

// ---- what is done to one input ----

static size_t stem_size(const char* name)
{
    const char* slash = strrchr(name, '/');
    const char* point = strrchr(slash != NULL ? slash : name, '.');
    return point != NULL ? (size_t)(point - name) : strlen(name);
}

// {name}: of the clip below its folder, without its ending; {stem}: the last part of it; {recipe}: the recipe's folder;
// {out}: the output folder and the name.
static void fill_word(const batch_recipe* recipe, const char* name, const char* out_folder, const char* word,
                      cli_text* out)
{
    const size_t whole = stem_size(name);
    const char* slash = strrchr(name, '/');
    const size_t from = slash != NULL ? (size_t)(slash + 1 - name) : 0;
    while (*word != '\0')
    {
        if (strncmp(word, "{name}", 6) == 0)
        {
            text_put(out, name, whole);
            word += 6;
        }
        else if (strncmp(word, "{stem}", 6) == 0)
        {
            text_put(out, name + from, whole - from);
            word += 6;
        }
        else if (strncmp(word, "{recipe}", 8) == 0)
        {
            text_str(out, recipe->folder);
            word += 8;
        }
        else if (strncmp(word, "{out}", 5) == 0)
        {
            text_fmt(out, "%s/", out_folder);
            text_put(out, name, whole);
            word += 5;
        }
        else
            text_put(out, word++, 1);
    }
}

static void fill_in(const batch_recipe* recipe, const char* name, const char* out_folder, batch_words* words)
{
    for (size_t i = 0; i < words->count; ++i)
    {
        if (strchr(words->words[i], '{') == NULL) continue;
        cli_text text = {0};
        fill_word(recipe, name, out_folder, words->words[i], &text);
        if (text.failed)
        {
            words->failed = true;
            text_free(&text);
            return;
        }
        free(words->words[i]);
        words->words[i] = text.data;
    }
}

// The last rule that fits and says anything about an option decides it.
static const json_value* decided(const batch_recipe* recipe, const char* name, const char* key)
{
    const json_value* value = recipe->options != NULL ? json_get(recipe->options, key) : NULL;
    for (const json_value* rule = recipe->rules != NULL ? recipe->rules->child : NULL; rule != NULL; rule = rule->next)
    {
        const json_value* options = json_get(rule, "options");
        const json_value* v = options != NULL ? json_get(options, key) : NULL;
        if (v != NULL && batch_matches(json_get(rule, "files")->string, name)) value = v;
    }
    return value;
}

static int add_options(const batch_recipe* recipe, const char* name, batch_words* out)
{
    int code = EXIT_DONE;
    for (const json_value* v = recipe->options != NULL ? recipe->options->child : NULL; v && code == EXIT_DONE;
         v = v->next)
        code = add_option(recipe, v->key, decided(recipe, name, v->key), false, out);
    // And what only rules name, in their order, each once.
    for (const json_value* rule = recipe->rules != NULL ? recipe->rules->child : NULL; rule; rule = rule->next)
    {
        const json_value* options = json_get(rule, "options");
        if (options == NULL || !batch_matches(json_get(rule, "files")->string, name)) continue;
        for (const json_value* v = options->child; v != NULL && code == EXIT_DONE; v = v->next)
        {
            const bool general = recipe->options != NULL && json_get(recipe->options, v->key) != NULL;
            if (!general && decided(recipe, name, v->key) == v) code = add_option(recipe, v->key, v, false, out);
        }
    }
    return code;
}

static bool is_skipped(const batch_recipe* recipe, const char* name)
{
    bool skipped = false;
    for (const json_value* rule = recipe->rules != NULL ? recipe->rules->child : NULL; rule != NULL; rule = rule->next)
    {
        const json_value* skip = json_get(rule, "skip");
        if (skip != NULL && batch_matches(json_get(rule, "files")->string, name)) skipped = skip->number != 0.0;
    }
    return skipped;
}

static const char* ending_for(const batch_recipe* recipe, const char* name, const batch_words* options)
{
    const command* c = find_command(recipe->command);
    if (recipe->ending != NULL) return recipe->ending;
    if (c->ending != NULL) return c->ending;
    const char* of = name;
    // Retargeted motion is written in the target's format.
    for (size_t i = 0; i + 1 < options->count; ++i)
        if (strcmp(recipe->command, "retarget") == 0 && strcmp(options->words[i], "--onto") == 0)
            of = options->words[i + 1];
    const char* ending = of + stem_size(of);
    return strcasecmp(ending, ".fbx") == 0 ? ".glb" : ending;
}

int batch_plan_for(const batch_recipe* recipe, const char* name, const char* out_folder, batch_plan* plan)
{
    *plan = (batch_plan){.skipped = is_skipped(recipe, name)};
    if (plan->skipped) return EXIT_DONE;
    int code = add_options(recipe, name, &plan->options);
    fill_in(recipe, name, out_folder, &plan->options);
    cli_text output = {0};
    text_put(&output, name, stem_size(name));
    text_str(&output, ending_for(recipe, name, &plan->options));
    plan->output = output.data;
    if (code == EXIT_DONE && (output.failed || plan->options.failed)) code = cli_fail(EXIT_MEMORY, "out of memory");
    if (code != EXIT_DONE) batch_free_plan(plan);
    return code;
}

#define PLANS_TRIED 64

static uint64_t options_of(const batch_plan* plan)
{
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (size_t i = 0; i < plan->options.count; ++i)
        for (const char* c = plan->options.words[i]; c[0] == '-' && *c != '\0'; ++c)
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    return hash;
}

static int try_plan(const batch_recipe* recipe, batch_run* run, const batch_input* input)
{
    cli_text nowhere = {0};
    batch_words words = {0};
    char said[1024] = "";
    text_fmt(&nowhere, "/dev/null/clip%s", input->name + stem_size(input->name));
    const char* const first[] = {"surefoot", recipe->command, nowhere.failed ? "" : nowhere.data, "--json"};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; ++i)
        batch_words_add(&words, first[i], strlen(first[i]));
    for (size_t i = 0; i < input->plan.options.count; ++i)
        batch_words_add(&words, input->plan.options.words[i], strlen(input->plan.options.words[i]));
    cli_text output = {0};
    // Of another name than the input, which retarget does not write over.
    text_fmt(&output, "/dev/null/made%s", input->plan.output + stem_size(input->plan.output));
    if (!batch_prints(recipe) && !output.failed)
    {
        batch_words_add(&words, "-o", 2);
        batch_words_add(&words, output.data, output.size);
    }
    int code = EXIT_DONE;
    if (nowhere.failed || output.failed || words.failed)
        code = cli_fail(EXIT_MEMORY, "out of memory");
    else if (batch_try(run, &words, said, sizeof said) == EXIT_USAGE)
        code = cli_fail(EXIT_READ, "%s:%u: for %s: %s", recipe->path, recipe->json->line, input->name, said);
    text_free(&nowhere);
    text_free(&output);
    batch_words_free(&words);
    return code;
}

int batch_try_plans(const batch_recipe* recipe, batch_run* run, const batch_list* list)
{
    uint64_t tried[PLANS_TRIED];
    size_t count = 0;
    for (size_t i = 0; i < list->count && count < PLANS_TRIED; ++i)
    {
        const uint64_t options = options_of(&list->inputs[i].plan);
        size_t k = 0;
        while (k < count && tried[k] != options)
            ++k;
        if (k < count) continue;
        tried[count++] = options;
        const int code = try_plan(recipe, run, list->inputs + i);
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}

void batch_free_plan(batch_plan* plan)
{
    batch_words_free(&plan->options);
    free(plan->output);
    *plan = (batch_plan){0};
}

#endif
