// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Maps as text: what is written reads back the same; what people get wrong is named with its line and its joint.

#include "support/mover.h"

static mover source, target;

static void make_rigs(sft_rig_pair* rigs)
{
    mover_def def = mover_default();
    def.digits = 5;
    mover_make(&def, &source);
    def.spines = 4;
    def.twists = 2;
    def.root = true;
    def.axes = 7;
    mover_make(&def, &target);
    *rigs = (sft_rig_pair){&source.rig, &target.rig};
}

static char* text_of(const sft_rig_pair* rigs, size_t* size)
{
    sft_retarget_map* map = NULL;
    char* text = NULL;
    assert_int_equal(sft_retarget_map_create(rigs, NULL, &map, NULL), SFT_OK);
    assert_int_equal(sft_retarget_map_format_json(map, rigs, NULL, &text, size), SFT_OK);
    sft_retarget_map_destroy(map);
    assert_int_equal(strlen(text), *size);
    return text;
}

/// A copy with the first `what` after `from` replaced; the caller frees it.
static char* edited(const char* text, const char* from, const char* what, const char* with)
{
    const char* at = strstr(strstr(text, from), what);
    assert_non_null(at);
    char* out = malloc(strlen(text) + strlen(with) + 1);
    const size_t head = (size_t)(at - text);
    memcpy(out, text, head);
    strcpy(out + head, with);
    strcat(out, at + strlen(what));
    return out;
}

static uint32_t line_of(const char* text, const char* what)
{
    uint32_t line = 1;
    for (const char* p = text; p < strstr(text, what); ++p)
        line += *p == '\n';
    return line;
}

static void test_retarget_map_json__what_is_written_reads_back(void** state)
{
    (void)state;
    sft_rig_pair rigs;
    make_rigs(&rigs);
    size_t size = 0, again_size = 0;
    char *text = text_of(&rigs, &size), *again = NULL;
    sft_retarget_map *map = NULL, *first = NULL;
    sft_error error = {0};
    const sft_result result = sft_retarget_map_parse_json(&rigs, text, size, NULL, &map, &error);
    if (result != SFT_OK) fail_msg("%u: %s", error.line, error.message);
    assert_int_equal(sft_retarget_map_create(&rigs, NULL, &first, NULL), SFT_OK);
    const sft_retarget_map_contents *a = sft_retarget_map_view(first), *b = sft_retarget_map_view(map);
    for (int j = 0; j < target.count; ++j)
    {
        const sft_joint_pair *p = &a->pairs[j], *q = &b->pairs[j];
        assert_true(p->target == q->target && p->source == q->source && p->source_next == q->source_next);
        assert_true(p->rule == q->rule && p->share == q->share && p->confidence == q->confidence);
        assert_string_equal(p->reason, q->reason);
    }
    assert_int_equal(a->fallback_count, b->fallback_count);
    assert_true(a->scale == b->scale);
    assert_int_equal(sft_retarget_map_format_json(map, &rigs, NULL, &again, &again_size), SFT_OK);
    assert_string_equal(text, again);
    free(text);
    free(again);
    sft_retarget_map_destroy(map);
    sft_retarget_map_destroy(first);
}

// A changed rig is another identity; the message says what differs, and of which rig.
static void test_retarget_map_json__another_rig_is_refused(void** state)
{
    (void)state;
    sft_rig_pair rigs;
    make_rigs(&rigs);
    size_t size = 0;
    char* text = text_of(&rigs, &size);
    sft_retarget_map* map = NULL;
    sft_error error;
    static mover other;
    mover_def def = mover_default();
    def.digits = 5;
    def.tail = 1;
    mover_make(&def, &other);
    const sft_rig_pair more = {&other.rig, &target.rig};
    assert_int_equal(sft_retarget_map_parse_json(&more, text, size, NULL, &map, &error), SFT_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "another source"));
    assert_non_null(strstr(error.message, "joints, this one has"));
    // A name.
    def.tail = 0;
    mover_make(&def, &other);
    strcpy(other.names[9], "Elsewhere");
    other.rig.identity = sft_rig_identity(&other.skeleton);
    assert_int_equal(sft_retarget_map_parse_json(&more, text, size, NULL, &map, &error), SFT_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "Elsewhere"));
    assert_non_null(strstr(error.message, source.names[9]));
    assert_string_equal(error.joint, "Elsewhere");
    // A length, on the target's side.
    def.spines = 4;
    def.twists = 2;
    def.root = true;
    def.axes = 7;
    def.scale = 1.01;
    mover_make(&def, &other);
    const sft_rig_pair longer = {&source.rig, &other.rig};
    assert_int_equal(sft_retarget_map_parse_json(&longer, text, size, NULL, &map, &error), SFT_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "another target"));
    assert_non_null(strstr(error.message, "places in the rest pose"));
    assert_null(map);
    free(text);
}

typedef struct slip
{
    const char *what, *with; ///< in the line of the left forearm
    sft_result result;
    const char* says;
} slip;

static void test_retarget_map_json__slips_are_named_with_line_and_joint(void** state)
{
    (void)state;
    sft_rig_pair rigs;
    make_rigs(&rigs);
    size_t size = 0;
    char* text = text_of(&rigs, &size);
    static const char at[] = "\"target\": \"Leftforearm0\"";
    static const slip slips[] = {
        {"\"source\": \"Leftforearm0\"", "\"source\": \"Nobody\"", SFT_ERR_ARG, "no joint 'Nobody'"},
        {"\"target\": \"Leftforearm0\"", "\"target\": \"Nobody\"", SFT_ERR_ARG, "no joint 'Nobody'"},
        {"\"target\": \"Leftforearm0\"", "\"target\": \"Leftupper_arm0\"", SFT_ERR_ARG, "has a pair already"},
        {"\"rule\": \"joint\"", "\"rule\": \"joints\"", SFT_ERR_ARG, "'rule' is one of"},
        {"\"rule\": \"joint\"", "\"role\": \"joint\"", SFT_ERR_SYNTAX, "no member 'role'"},
        {"\"rule\": \"joint\", ", "", SFT_ERR_SYNTAX, "no 'rule'"},
        {"\"rule\": \"joint\"", "\"rule\": \"chain\"", SFT_ERR_SYNTAX, "'next' must name a joint"},
        {"\"rule\": \"joint\"", "\"rule\": \"joint\", \"share\": 1.5", SFT_ERR_ARG, "'share' is a number from 0 to 1"},
        {"\"confidence\": 1", "\"confidence\": -1", SFT_ERR_ARG, "'confidence' is a number"},
        {"\"rule\": \"joint\"", "\"rule\": \"joint\", \"source_index\": 3", SFT_ERR_ARG, "is not called"},
        {"{\"target\"", "[\"target\"", SFT_ERR_SYNTAX, ""},
    };
    for (size_t k = 0; k < sizeof slips / sizeof slips[0]; ++k)
    {
        const char* from = strstr(text, at) - 8;
        char* bad = edited(text, from, slips[k].what, slips[k].with);
        sft_retarget_map* map = NULL;
        sft_error error = {0};
        const sft_result result = sft_retarget_map_parse_json(&rigs, bad, strlen(bad), NULL, &map, &error);
        assert_int_equal(result, slips[k].result);
        assert_int_equal(error.line, line_of(text, at));
        if (strstr(error.message, slips[k].says) == NULL) fail_msg("%s", error.message);
        assert_null(map);
        free(bad);
    }
    free(text);
}

// What a person edits does what it says.
static void test_retarget_map_json__an_edited_map_is_followed(void** state)
{
    (void)state;
    sft_rig_pair rigs;
    make_rigs(&rigs);
    size_t size = 0;
    char* text = text_of(&rigs, &size);
    char* other =
        edited(text, "\"target\": \"Lefthand0\"", "\"Lefthand0\", \"confidence\"", "\"Righthand0\", \"confidence\"");
    sft_retarget_map* map = NULL;
    sft_error error = {0};
    const sft_result result = sft_retarget_map_parse_json(&rigs, other, strlen(other), NULL, &map, &error);
    if (result != SFT_OK) fail_msg("%s", error.message);
    const int hand = mover_find(&target, SFT_PART_HAND, SFT_LEG_LEFT, 0);
    assert_int_equal(sft_retarget_map_view(map)->pairs[hand].source,
                     mover_find(&source, SFT_PART_HAND, SFT_LEG_RIGHT, 0));
    sft_retarget_map_destroy(map);
    free(other);
    free(text);
}

static void test_retarget_map_json__any_cut_and_any_failing_allocation_is_safe(void** state)
{
    (void)state;
    sft_rig_pair rigs;
    make_rigs(&rigs);
    size_t size = 0;
    char* text = text_of(&rigs, &size);
    for (size_t cut = 0; cut < size - 2; cut += 7)
    {
        sft_retarget_map* map = NULL;
        sft_error error = {0};
        char* part = malloc(cut + 1);
        memcpy(part, text, cut);
        assert_int_equal(sft_retarget_map_parse_json(&rigs, part, cut, NULL, &map, &error), SFT_ERR_SYNTAX);
        assert_true(error.message[0] != '\0' && map == NULL);
        free(part);
    }
    support_heap heap = {.fail_at = -1};
    const sft_allocator allocator = support_allocator(&heap);
    for (long k = 0;; ++k)
    {
        heap = (support_heap){.fail_at = k};
        sft_retarget_map* map = NULL;
        sft_error error = {0};
        const sft_result result = sft_retarget_map_parse_json(&rigs, text, size, &allocator, &map, &error);
        if (result == SFT_OK)
        {
            sft_retarget_map_destroy(map);
            assert_int_equal(heap.live_blocks, 0);
            assert_true(k > 20);
            break;
        }
        assert_int_equal(result, SFT_ERR_MEMORY);
        assert_int_equal(heap.live_blocks, 0);
        assert_null(map);
    }
    free(text);
}

// Joints that share a name go by number.
static void test_retarget_map_json__names_that_repeat(void** state)
{
    (void)state;
    sft_rig_pair rigs;
    make_rigs(&rigs);
    for (int j = 0; j < target.count; ++j)
        strcpy(target.names[j], "Bone");
    for (int j = 0; j < source.count; ++j)
        strcpy(source.names[j], j % 2 == 0 ? "\xff\xfe" : "B\xc3\xa4r");
    source.rig.identity = sft_rig_identity(&source.skeleton);
    target.rig.identity = sft_rig_identity(&target.skeleton);
    size_t size = 0;
    char* text = text_of(&rigs, &size);
    sft_retarget_map *map = NULL, *first = NULL;
    sft_error error = {0};
    const sft_result result = sft_retarget_map_parse_json(&rigs, text, size, NULL, &map, &error);
    if (result != SFT_OK) fail_msg("%u: %s", error.line, error.message);
    assert_int_equal(sft_retarget_map_create(&rigs, NULL, &first, NULL), SFT_OK);
    for (int j = 0; j < target.count; ++j)
        assert_int_equal(sft_retarget_map_view(map)->pairs[j].source, sft_retarget_map_view(first)->pairs[j].source);
    sft_retarget_map_destroy(map);
    sft_retarget_map_destroy(first);
    char* bad = edited(text, "\"pairs\"", ", \"target_index\": 5", "");
    assert_int_equal(sft_retarget_map_parse_json(&rigs, bad, strlen(bad), NULL, &map, &error), SFT_ERR_ARG);
    assert_non_null(strstr(error.message, "several joints 'Bone'"));
    free(bad);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retarget_map_json__what_is_written_reads_back),
        cmocka_unit_test(test_retarget_map_json__another_rig_is_refused),
        cmocka_unit_test(test_retarget_map_json__slips_are_named_with_line_and_joint),
        cmocka_unit_test(test_retarget_map_json__an_edited_map_is_followed),
        cmocka_unit_test(test_retarget_map_json__any_cut_and_any_failing_allocation_is_safe),
        cmocka_unit_test(test_retarget_map_json__names_that_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
