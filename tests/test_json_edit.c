// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The JSON editor: what it writes, byte for byte, in the styles files come in; and, over random documents and random
// edits, that the result says exactly what a plain tree says that went through the same edits.

#include "support/support.h"

#include "json/json.h"

static sft_json* parse(const char* text, size_t size)
{
    sft_json* json = NULL;
    sft_error error = {0};
    if (sft_json_parse(NULL, text, size, NULL, &json, &error) != SFT_OK)
        fail_msg("refused at byte %d: %s\n%.*s", (int)error.byte, error.message, (int)size, text);
    return json;
}

// ---- style ----

// Follows a path such as "nodes/0/extras".
static sft_json_value find(const sft_json* json, const char* path)
{
    sft_json_value v = sft_json_root(json);
    while (*path != '\0')
    {
        char step[32];
        const size_t length = strcspn(path, "/");
        memcpy(step, path, length);
        step[length] = '\0';
        path += length + (path[length] == '/');
        v = v.kind == SFT_JSON_ARRAY ? sft_json_at(json, v, (size_t)atoi(step)) : sft_json_get(json, v, step);
    }
    assert_int_not_equal(v.kind, SFT_JSON_NONE);
    return v;
}

// One edit a word: "set PATH KEY TEXT", "remove PATH KEY", "append PATH TEXT", "replace PATH TEXT"; '.' is the root.
static void command(sft_json_edit* edit, const sft_json* json, const char* line)
{
    char word[4][64] = {{0}};
    sscanf(line, "%63s %63s %63s %63s", word[0], word[1], word[2], word[3]);
    const sft_json_value v = find(json, strcmp(word[1], ".") == 0 ? "" : word[1]);
    sft_result result = SFT_ERR_ARG;
    if (strcmp(word[0], "set") == 0) result = sft_json_edit_set(edit, v, word[2], word[3], strlen(word[3]));
    if (strcmp(word[0], "remove") == 0) result = sft_json_edit_remove(edit, v, word[2]);
    if (strcmp(word[0], "append") == 0) result = sft_json_edit_append(edit, v, word[2], strlen(word[2]));
    if (strcmp(word[0], "replace") == 0) result = sft_json_edit_replace(edit, v, word[2], strlen(word[2]));
    assert_int_equal(result, SFT_OK);
}

// `commands` are lines.
static void assert_edited(const char* text, const char* commands, const char* expected)
{
    sft_json* json = parse(text, strlen(text));
    sft_json_edit* edit = NULL;
    assert_int_equal(sft_json_edit_create(json, NULL, &edit), SFT_OK);
    for (const char* line = commands; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n')
    {
        char one[128];
        snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
        command(edit, json, one);
    }
    char* out = NULL;
    size_t size = 0;
    sft_error error = {0};
    if (sft_json_edit_text(edit, &out, &size, &error) != SFT_OK) fail_msg("%s: %s", commands, error.message);
    if (strcmp(out, expected) != 0) fail_msg("%s\n  and %s\ngave %s\nnot  %s", text, commands, out, expected);
    assert_int_equal(size, strlen(out));
    sft_json_destroy(parse(out, size));
    free(out);
    sft_json_edit_destroy(edit);
    sft_json_destroy(json);
}

static void test_json_edit__without_edits_gives_the_original(void** state)
{
    (void)state;
    const char* text = " { \"a\" : [ 1 , 2.50 ] }\r\n";
    assert_edited(text, "", text);
    sft_json* json = parse(text, strlen(text));
    sft_json_edit* edit = NULL;
    assert_int_equal(sft_json_edit_create(json, NULL, &edit), SFT_OK);
    const sft_json_piece* pieces;
    size_t count, total;
    assert_int_equal(sft_json_edit_pieces(edit, &pieces, &count, &total, NULL), SFT_OK);
    assert_int_equal(count, 1);
    assert_ptr_equal(pieces[0].data, text);
    assert_int_equal(total, strlen(text));
    sft_json_edit_destroy(edit);
    sft_json_edit_destroy(NULL);
    sft_json_destroy(json);
}

static void test_json_edit__replaces_values(void** state)
{
    (void)state;
    assert_edited("1", "replace . [2]", "[2]");
    assert_edited(" {\"a\": 1.0 , \"b\":[true,\"x\"]} ", "replace a 2\nreplace b/1 null",
                  " {\"a\": 2 , \"b\":[true,null]} ");
    assert_edited("{\"a\":1}", "replace a 2\nreplace a 3", "{\"a\":3}");
    assert_edited("{\"a\":1}", "set . a 2\nreplace a 3", "{\"a\":3}");
    assert_edited("{\"a\":1}", "replace a 3\nset . a 2", "{\"a\":2}");
    assert_edited("{\"a\":{\"b\":1}}", "replace a/b []", "{\"a\":{\"b\":[]}}");
    assert_edited("{\"a\":1,\"\\u0061\":2}", "set . a 3", "{\"a\":1,\"\\u0061\":3}");
}

static void test_json_edit__adds_members_in_the_style_of_the_file(void** state)
{
    (void)state;
    assert_edited("{}", "set . a 1", "{\"a\":1}");
    assert_edited("{ }", "set . a 1", "{\"a\":1}");
    assert_edited("{\"a\":1}", "set . b 2", "{\"a\":1,\"b\":2}");
    assert_edited("{\"a\":1}", "set . b 2\nset . c 3", "{\"a\":1,\"b\":2,\"c\":3}");
    assert_edited("{\"a\": 1}", "set . b 2", "{\"a\": 1, \"b\": 2}");
    assert_edited("{\"a\": 1, \"b\": 2}", "set . c 3", "{\"a\": 1, \"b\": 2, \"c\": 3}");
    assert_edited("{ \"a\" : 1 }", "set . b 2", "{ \"a\" : 1, \"b\" : 2 }");
    assert_edited("{\n  \"a\": 1\n}", "set . b 2", "{\n  \"a\": 1,\n  \"b\": 2\n}");
    assert_edited("{\r\n\t\"a\" : 1,\r\n\t\"b\" : 2\r\n}\r\n", "set . c 3",
                  "{\r\n\t\"a\" : 1,\r\n\t\"b\" : 2,\r\n\t\"c\" : 3\r\n}\r\n");
    assert_edited("{\n  \"a\": 1\n, \"b\": 2\n}", "set . c 3", "{\n  \"a\": 1\n, \"b\": 2\n, \"c\": 3\n}");
    // Into an empty one on a line of its own: a line one step deeper.
    assert_edited("{\n    \"a\": {}\n}", "set a b 1", "{\n    \"a\": {\n        \"b\": 1\n    }\n}");
    assert_edited("{\n\t\"a\" : {}\n}", "set a b 1\nset a c 2",
                  "{\n\t\"a\" : {\n\t\t\"b\" : 1,\n\t\t\"c\" : 2\n\t}\n}");
    assert_edited("{\"a\":{}}", "set a b 1\nset a c 2", "{\"a\":{\"b\":1,\"c\":2}}");
    assert_edited("{\"a\": {}}", "set a b 1\nset a c 2", "{\"a\": {\"b\": 1, \"c\": 2}}");
    assert_edited("[\r\n  {},\r\n  {}\r\n]", "set 1 k 1", "[\r\n  {},\r\n  {\r\n    \"k\": 1\r\n  }\r\n]");
    assert_edited("{\n  \"a\": [ {}, {} ]\n}", "set a/1 k 1", "{\n  \"a\": [ {}, {\"k\": 1} ]\n}");
    // Set twice: one member, where it was first put, with the later text.
    assert_edited("{\"x\":0}", "set . a 1\nset . b 2\nset . a 3", "{\"x\":0,\"a\":3,\"b\":2}");
}

static void test_json_edit__appends_elements_in_the_style_of_the_file(void** state)
{
    (void)state;
    assert_edited("[]", "append . 1", "[1]");
    assert_edited("[ ]", "append . 1\nappend . 2", "[1,2]");
    assert_edited("[1]", "append . 2\nappend . 3", "[1,2,3]");
    assert_edited("[1, 2]", "append . 3", "[1, 2, 3]");
    assert_edited("[ 1 ]", "append . 2", "[ 1, 2 ]");
    assert_edited("[\n  1,\n  2\n]", "append . 3\nappend . 4", "[\n  1,\n  2,\n  3,\n  4\n]");
    assert_edited("[\n\t{}\n]", "append . {}", "[\n\t{},\n\t{}\n]");
    assert_edited("{\"a\":[[1],[2]]}", "append a [3]\nappend a/1 9", "{\"a\":[[1],[2,9],[3]]}");
    assert_edited("{\"a\": [1]}", "append a 2", "{\"a\": [1, 2]}");
    assert_edited("{\n  \"a\": []\n}", "append a {}", "{\n  \"a\": [\n    {}\n  ]\n}");
    assert_edited("{\n  \"a\": [\n  ]\n}", "append a 1\nappend a 2", "{\n  \"a\": [\n    1,\n    2\n  ]\n}");
    assert_edited("[\"a]\",\"\\\"\"]", "append . \"b\"", "[\"a]\",\"\\\"\",\"b\"]");
    assert_edited("[1,2]", "replace 1 3\nappend . 4", "[1,3,4]");
}

static void test_json_edit__removes_members_with_their_commas(void** state)
{
    (void)state;
    assert_edited("{\"a\":1}", "remove . a", "{}");
    assert_edited("{\n  \"a\": 1\n}", "remove . a", "{}");
    assert_edited("{\"a\":1,\"b\":2,\"c\":3}", "remove . a", "{\"b\":2,\"c\":3}");
    assert_edited("{\"a\":1,\"b\":2,\"c\":3}", "remove . b", "{\"a\":1,\"c\":3}");
    assert_edited("{\"a\":1,\"b\":2,\"c\":3}", "remove . c", "{\"a\":1,\"b\":2}");
    assert_edited("{\"a\":1,\"b\":2,\"c\":3}", "remove . a\nremove . b", "{\"c\":3}");
    assert_edited("{\"a\":1,\"b\":2,\"c\":3}", "remove . c\nremove . b", "{\"a\":1}");
    assert_edited("{\"a\":1,\"b\":2,\"c\":3}", "remove . a\nremove . c", "{\"b\":2}");
    assert_edited("{\"a\":1,\"b\":2,\"c\":3}", "remove . a\nremove . b\nremove . c", "{}");
    assert_edited("{\"a\":1}", "remove . none", "{\"a\":1}");
    assert_edited("{\"a\":1,\"b\":2,\"\\u0061\":3}", "remove . a", "{\"b\":2}");
    assert_edited("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", "remove . a", "{\n  \"b\": 2,\n  \"c\": 3\n}");
    assert_edited("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", "remove . b", "{\n  \"a\": 1,\n  \"c\": 3\n}");
    assert_edited("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", "remove . c", "{\n  \"a\": 1,\n  \"b\": 2\n}");
}

static void test_json_edit__edits_of_one_object_go_together(void** state)
{
    (void)state;
    assert_edited("{\"a\":1,\"b\":2}", "remove . b\nset . c 3", "{\"a\":1,\"c\":3}");
    assert_edited("{\"a\":1,\"b\":2}", "set . c 3\nremove . a\nset . b 4", "{\"b\":4,\"c\":3}");
    assert_edited("{\"a\":1,\"b\":2}", "remove . a\nremove . b\nset . c 3\nset . d 4", "{\"c\":3,\"d\":4}");
    assert_edited("{ \"a\": 1, \"b\": 2 }", "remove . a\nremove . b\nset . c 3\nset . d 4", "{ \"c\": 3, \"d\": 4 }");
    assert_edited("{\"a\":1,\"b\":2}", "remove . a\nset . a 5", "{\"a\":5,\"b\":2}");
    assert_edited("{\"a\":1,\"b\":2}", "set . a 5\nremove . a", "{\"b\":2}");
    assert_edited("{\"a\":1}", "set . b 5\nremove . b", "{\"a\":1}");
    assert_edited("{\"a\":1}", "set . b 5\nremove . b\nset . b 6", "{\"a\":1,\"b\":6}");
    assert_edited("{}", "set . b 5\nremove . b", "{}");
    assert_edited("{ }", "remove . b", "{ }");
    assert_edited("{\"a\":{\"x\":1},\"b\":[{\"y\":2}]}", "set a x 2\nset b/0 z 3\nappend b 4\nset . c 5",
                  "{\"a\":{\"x\":2},\"b\":[{\"y\":2,\"z\":3},4],\"c\":5}");
}

static void test_json_edit__splices_anywhere_in_call_order(void** state)
{
    (void)state;
    const char* text = "[1,2,3]";
    sft_json* json = parse(text, strlen(text));
    sft_json_edit* edit = NULL;
    assert_int_equal(sft_json_edit_create(json, NULL, &edit), SFT_OK);
    assert_int_equal(sft_json_edit_splice(edit, 6, 6, ",4", 2), SFT_OK);
    assert_int_equal(sft_json_edit_splice(edit, 6, 6, ",5", 2), SFT_OK);
    assert_int_equal(sft_json_edit_splice(edit, 1, 2, "11", 2), SFT_OK);
    assert_int_equal(sft_json_edit_splice(edit, 2, 4, NULL, 0), SFT_OK);
    assert_int_equal(sft_json_edit_splice(edit, 1, 1, "0,", 2), SFT_OK);
    char* out = NULL;
    size_t size = 0;
    assert_int_equal(sft_json_edit_text(edit, &out, &size, NULL), SFT_OK);
    assert_string_equal(out, "[0,11,3,4,5]");
    free(out);
    // And on: the next layout has all of it.
    assert_int_equal(sft_json_edit_append(edit, sft_json_root(json), "6", 1), SFT_OK);
    assert_int_equal(sft_json_edit_text(edit, &out, &size, NULL), SFT_OK);
    assert_string_equal(out, "[0,11,3,4,5,6]");
    free(out);
    sft_json_edit_destroy(edit);
    sft_json_destroy(json);
}

static void test_json_edit__refuses_overlap_and_nonsense(void** state)
{
    (void)state;
    const char* text = "{\"a\":\n{\"b\":[1,2]}}";
    sft_json* json = parse(text, strlen(text));
    sft_json_edit* edit = NULL;
    const sft_json_value a = find(json, "a"), b = find(json, "a/b"), none = {0}, root = sft_json_root(json);
    assert_int_equal(sft_json_edit_create(json, NULL, &edit), SFT_OK);
    assert_int_equal(sft_json_edit_replace(edit, none, "1", 1), SFT_ERR_ARG);
    assert_int_equal(sft_json_edit_set(edit, b, "k", "1", 1), SFT_ERR_ARG);
    assert_int_equal(sft_json_edit_set(edit, a, NULL, "1", 1), SFT_ERR_ARG);
    assert_int_equal(sft_json_edit_set(edit, a, "\xFF", "1", 1), SFT_ERR_ARG);
    assert_int_equal(sft_json_edit_append(edit, a, "1", 1), SFT_ERR_ARG);
    assert_int_equal(sft_json_edit_remove(edit, none, "k"), SFT_ERR_ARG);
    assert_int_equal(sft_json_edit_splice(edit, 3, 2, "", 0), SFT_ERR_ARG);
    assert_int_equal(sft_json_edit_splice(edit, 0, strlen(text) + 1, "", 0), SFT_ERR_ARG);
    assert_int_equal(sft_json_edit_set(edit, a, "k", "1,", 2), SFT_ERR_SYNTAX);
    assert_int_equal(sft_json_edit_append(edit, b, "", 0), SFT_ERR_SYNTAX);
    assert_int_equal(sft_json_edit_replace(edit, b, "nul", 3), SFT_ERR_SYNTAX);
    const sft_json_piece* pieces = NULL;
    size_t count = 0;
    assert_int_equal(sft_json_edit_pieces(edit, &pieces, &count, NULL, NULL), SFT_OK);
    assert_int_equal(count, 1);
    // A value and what is inside it.
    pieces = NULL;
    assert_int_equal(sft_json_edit_append(edit, b, "3", 1), SFT_OK);
    assert_int_equal(sft_json_edit_set(edit, root, "a", "0", 1), SFT_OK);
    sft_error error = {0};
    assert_int_equal(sft_json_edit_pieces(edit, &pieces, &count, NULL, &error), SFT_ERR_ARG);
    assert_int_equal(error.byte, 15);
    assert_int_equal(error.line, 2);
    assert_null(pieces);
    sft_json_edit_destroy(edit);
    sft_json_destroy(json);
}

// ---- against a tree ----

/// A value as a tree knows it: the text of a scalar, or children; `key` is plain text.
typedef struct node
{
    char kind; ///< '[' '{' or 's' for a scalar
    char key[24];
    char text[24];
    struct node** children;
    size_t count;
    bool removed; ///< still here, so that a member set again comes back in its place
    bool added;   ///< by an edit: no value of the original document
    bool frozen;  ///< replaced or added, or something around it was: no more edits inside
    bool busy;    ///< something inside was edited: must not be replaced or removed
} node;

static size_t pick(support_rng* rng, size_t count)
{
    return (size_t)support_uniform(rng, 0, (double)count) % count;
}

static const char* const SCALARS[] = {"null",
                                      "true",
                                      "false",
                                      "0",
                                      "-1.50e+3",
                                      "1e400",
                                      "\"\"",
                                      "\"x\\n\\\"]\"",
                                      "\"\\u00e9\"",
                                      "\"\xC3\xA9\"",
                                      "12345678901234567890",
                                      "\"{[,:\""};
static const char* const KEYS[] = {"a",     "b",   "name", "",   "k\"q",   "\xC3\xA9",
                                   "nodes", "a b", "\\",   "\n", "extras", "x/y"};

static node* new_node(char kind)
{
    node* n = calloc(1, sizeof *n);
    n->kind = kind;
    return n;
}

static void free_node(node* n)
{
    for (size_t i = 0; i < n->count; ++i)
        free_node(n->children[i]);
    free(n->children);
    free(n);
}

static void add_child(node* parent, node* child)
{
    parent->children = realloc(parent->children, (parent->count + 1) * sizeof *parent->children);
    parent->children[parent->count++] = child;
}

static node* child_by_key(const node* parent, const char* key, size_t* index)
{
    for (size_t i = 0; i < parent->count; ++i)
        if (strcmp(parent->children[i]->key, key) == 0)
        {
            if (index != NULL) *index = i;
            return parent->children[i];
        }
    return NULL;
}

static node* random_tree(support_rng* rng, int depth)
{
    const double what = support_uniform(rng, 0, 1);
    if (depth <= 0 || what < 0.3)
    {
        node* n = new_node('s');
        snprintf(n->text, sizeof n->text, "%s", SCALARS[pick(rng, sizeof SCALARS / sizeof *SCALARS)]);
        return n;
    }
    node* n = new_node(what < 0.6 ? '[' : '{');
    const size_t count = pick(rng, 6);
    for (size_t i = 0; i < count; ++i)
    {
        const char* key = KEYS[pick(rng, sizeof KEYS / sizeof *KEYS)];
        if (n->kind == '{' && child_by_key(n, key, NULL) != NULL) continue;
        node* child = random_tree(rng, depth - 1);
        if (n->kind == '{') snprintf(child->key, sizeof child->key, "%s", key);
        add_child(n, child);
    }
    return n;
}

/// How a whole text is spaced: 0 compact, 1 with spaces, 2 with lines, 3 anyhow.
typedef struct printer
{
    sft_json_out out;
    support_rng* rng;
    int style;
} printer;

static void put_space(printer* p, int depth, bool line)
{
    static const char* const any[] = {"", " ", "\n", "\r\n\t", "  ", "\t \n  "};
    if (p->style == 1 && !line) sft_json_out_text(&p->out, " ");
    if (p->style == 3) sft_json_out_text(&p->out, any[pick(p->rng, 6)]);
    if (p->style != 2) return;
    sft_json_out_text(&p->out, line ? "\n" : " ");
    for (int i = 0; line && i < depth; ++i)
        sft_json_out_text(&p->out, "  ");
}

static void print_node(printer* p, const node* n, int depth)
{
    if (n->kind == 's')
    {
        sft_json_out_text(&p->out, n->text);
        return;
    }
    sft_json_out_text(&p->out, n->kind == '[' ? "[" : "{");
    for (size_t i = 0; i < n->count; ++i)
    {
        if (i > 0 && p->style == 3) put_space(p, depth, false);
        if (i > 0) sft_json_out_text(&p->out, ",");
        put_space(p, depth + 1, true);
        if (n->kind == '{')
        {
            const char* key = n->children[i]->key;
            sft_json_out_string(&p->out, key, strlen(key));
            if (p->style == 3) put_space(p, depth, false);
            sft_json_out_text(&p->out, ":");
            put_space(p, depth, false);
        }
        print_node(p, n->children[i], depth + 1);
    }
    if (n->count > 0 || p->style == 3) put_space(p, depth, true);
    sft_json_out_text(&p->out, n->kind == '[' ? "]" : "}");
}

// The document says what the tree says; scalars in the very bytes.
static void assert_says(const sft_json* json, sft_json_value v, const node* n)
{
    if (n->kind == 's')
    {
        assert_int_equal(v.end - v.start, strlen(n->text));
        assert_memory_equal(sft_json_text(json, NULL) + v.start, n->text, v.end - v.start);
        return;
    }
    assert_int_equal(v.kind, n->kind == '[' ? SFT_JSON_ARRAY : SFT_JSON_OBJECT);
    size_t i = 0, index = 0;
    for (sft_json_iter it = sft_json_iterate(json, v); sft_json_next(json, &it); ++i)
    {
        assert_int_equal(it.index, index++);
        while (i < n->count && n->children[i]->removed)
            ++i;
        assert_true(i < n->count);
        if (n->kind == '{')
        {
            assert_true(sft_json_equals(json, it.key, n->children[i]->key));
            const sft_json_value got = sft_json_get(json, v, n->children[i]->key);
            assert_int_equal(got.start, it.value.start);
        }
        assert_says(json, it.value, n->children[i]);
    }
    while (i < n->count && n->children[i]->removed)
        ++i;
    assert_int_equal(i, n->count);
    assert_int_equal(sft_json_count(json, v), index);
}

/// One random edit, of the text and of the tree alike.
typedef struct session
{
    support_rng* rng;
    sft_json_edit* edit;
    const sft_json* json;
    int edits;
} session;

static node* random_value(session* s, sft_json_out* text)
{
    node* n = random_tree(s->rng, 2);
    printer p = {{0}, s->rng, (int)pick(s->rng, 4)};
    print_node(&p, n, 0);
    *text = p.out;
    n->added = n->frozen = true;
    return n;
}

static void replace_child(session* s, node* parent, size_t i, sft_json_value v)
{
    sft_json_out text;
    node* n = random_value(s, &text);
    memcpy(n->key, parent->children[i]->key, sizeof n->key);
    assert_int_equal(sft_json_edit_replace(s->edit, v, text.data, text.size), SFT_OK);
    sft_json_out_free(&text);
    free_node(parent->children[i]);
    parent->children[i] = n;
}

static void set_member(session* s, node* object, sft_json_value v)
{
    const char* key = KEYS[pick(s->rng, sizeof KEYS / sizeof *KEYS)];
    size_t i = 0;
    const node* old = child_by_key(object, key, &i);
    if (old != NULL && old->busy) return;
    sft_json_out text;
    node* n = random_value(s, &text);
    snprintf(n->key, sizeof n->key, "%s", key);
    assert_int_equal(sft_json_edit_set(s->edit, v, key, text.data, text.size), SFT_OK);
    sft_json_out_free(&text);
    if (old == NULL)
    {
        add_child(object, n);
        return;
    }
    free_node(object->children[i]);
    object->children[i] = n;
}

static void remove_member(session* s, node* object, sft_json_value v)
{
    const char* key = KEYS[pick(s->rng, sizeof KEYS / sizeof *KEYS)];
    size_t i = 0;
    const node* old = child_by_key(object, key, &i);
    // What was replaced as a value is not to be removed as a member.
    if (old == NULL || old->busy || old->added) return;
    assert_int_equal(sft_json_edit_remove(s->edit, v, key), SFT_OK);
    object->children[i]->removed = true;
}

static void append_element(session* s, node* array, sft_json_value v)
{
    sft_json_out text;
    add_child(array, random_value(s, &text));
    assert_int_equal(sft_json_edit_append(s->edit, v, text.data, text.size), SFT_OK);
    sft_json_out_free(&text);
}

// Walks both and edits here and there. `v` is of the original; children are met by key, or by index where nothing was
// taken out before them.
static void edit_somewhere(session* s, node* n, sft_json_value v)
{
    if (n->kind == 's' || n->frozen) return;
    const int before = s->edits;
    for (size_t i = 0; i < n->count; ++i)
    {
        node* child = n->children[i];
        if (child->added || child->removed) continue;
        const sft_json_value inner = n->kind == '{' ? sft_json_get(s->json, v, child->key) : sft_json_at(s->json, v, i);
        edit_somewhere(s, child, inner);
        if (child->busy || support_uniform(s->rng, 0, 1) > 0.1) continue;
        replace_child(s, n, i, inner);
        ++s->edits;
    }
    for (size_t times = pick(s->rng, 4); times > 0; --times, ++s->edits)
    {
        if (n->kind == '[')
            append_element(s, n, v);
        else if (support_uniform(s->rng, 0, 1) < 0.6)
            set_member(s, n, v);
        else
            remove_member(s, n, v);
    }
    n->busy = s->edits != before;
}

// Bytes of the original in the pieces stand in their order, and all that is not in them was edited away.
static void assert_pieces(sft_json_edit* edit, const char* text, size_t size, const char* whole, size_t whole_size)
{
    const sft_json_piece* pieces;
    size_t count, total, at = 0;
    assert_int_equal(sft_json_edit_pieces(edit, &pieces, &count, &total, NULL), SFT_OK);
    assert_int_equal(total, whole_size);
    const char* reached = text;
    for (size_t i = 0; i < count; ++i)
    {
        assert_memory_equal(whole + at, pieces[i].data, pieces[i].size);
        at += pieces[i].size;
        if (pieces[i].data < text || pieces[i].data >= text + size) continue;
        assert_true(pieces[i].data >= reached);
        reached = pieces[i].data + pieces[i].size;
        assert_true(reached <= text + size);
    }
    assert_int_equal(at, whole_size);
}

static void test_json_edit__random_edits_say_what_a_tree_says(void** state)
{
    (void)state;
    int edits = 0;
    for (uint64_t seed = 1; seed <= 4000; ++seed)
    {
        support_rng rng = {seed};
        node* top = new_node('[');
        add_child(top, random_tree(&rng, 4));
        printer p = {{0}, &rng, (int)(seed % 4)};
        print_node(&p, top->children[0], 0);
        sft_json* json = parse(p.out.data, p.out.size);
        assert_says(json, sft_json_root(json), top->children[0]);
        session s = {&rng, NULL, json, 0};
        assert_int_equal(sft_json_edit_create(json, NULL, &s.edit), SFT_OK);
        edit_somewhere(&s, top->children[0], sft_json_root(json));
        char* text = NULL;
        size_t size = 0;
        sft_error error = {0};
        if (sft_json_edit_text(s.edit, &text, &size, &error) != SFT_OK)
            fail_msg("seed %d: %s", (int)seed, error.message);
        assert_pieces(s.edit, p.out.data, p.out.size, text, size);
        sft_json* again = parse(text, size);
        assert_says(again, sft_json_root(again), top->children[0]);
        edits += s.edits;
        sft_json_destroy(again);
        free(text);
        sft_json_edit_destroy(s.edit);
        sft_json_destroy(json);
        sft_json_out_free(&p.out);
        free_node(top);
    }
    assert_true(edits > 10000);
}

// ---- memory ----

static sft_result edit_all(const sft_json* json, const sft_allocator* allocator, char** out, size_t* size)
{
    sft_json_edit* edit = NULL;
    sft_result result = sft_json_edit_create(json, allocator, &edit);
    const sft_json_value root = sft_json_root(json);
    if (result == SFT_OK) result = sft_json_edit_set(edit, root, "new", "[1]", 3);
    for (int i = 0; result == SFT_OK && i < 40; ++i)
        result = sft_json_edit_append(edit, sft_json_get(json, root, "list"), "{\"a\":1}", 7);
    if (result == SFT_OK) result = sft_json_edit_remove(edit, root, "gone");
    if (result == SFT_OK) result = sft_json_edit_replace(edit, sft_json_get(json, root, "old"), "null", 4);
    if (result == SFT_OK) result = sft_json_edit_splice(edit, 0, 0, " ", 1);
    sft_error error = {0};
    if (result == SFT_OK)
    {
        result = sft_json_edit_text(edit, out, size, &error);
        assert_int_equal(error.code, result);
    }
    sft_json_edit_destroy(edit);
    return result;
}

static void test_json_edit__memory_may_run_out_anywhere(void** state)
{
    (void)state;
    const char* source = "{\"list\":[0],\"gone\":1,\"old\":2}";
    sft_json* json = parse(source, strlen(source));
    long k = 0;
    for (sft_result result = SFT_ERR_MEMORY; result != SFT_OK; ++k)
    {
        support_heap heap = {.fail_at = k};
        const sft_allocator allocator = support_allocator(&heap);
        char* text = NULL;
        size_t size = 0;
        result = edit_all(json, &allocator, &text, &size);
        if (result == SFT_OK)
        {
            assert_memory_equal(text, " {\"list\":[0,{\"a\":1},", 20);
            allocator.release(allocator.user, text, size + 1);
        }
        else
            assert_true(result == SFT_ERR_MEMORY && text == NULL);
        assert_int_equal(heap.live_blocks, 0);
    }
    assert_true(k > 40);
    sft_json_destroy(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_edit__without_edits_gives_the_original),
        cmocka_unit_test(test_json_edit__replaces_values),
        cmocka_unit_test(test_json_edit__adds_members_in_the_style_of_the_file),
        cmocka_unit_test(test_json_edit__appends_elements_in_the_style_of_the_file),
        cmocka_unit_test(test_json_edit__removes_members_with_their_commas),
        cmocka_unit_test(test_json_edit__edits_of_one_object_go_together),
        cmocka_unit_test(test_json_edit__splices_anywhere_in_call_order),
        cmocka_unit_test(test_json_edit__refuses_overlap_and_nonsense),
        cmocka_unit_test(test_json_edit__random_edits_say_what_a_tree_says),
        cmocka_unit_test(test_json_edit__memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
