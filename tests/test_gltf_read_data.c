// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The files of the optional data folder: all that are meant to be read are, with what their makers put in; broken ones
// meet the fate that gltf_expect.tsv writes down.

#include "support/glb.h"

#include "surefoot/io.h"

// Counts as the files' JSON has them (nodes, skins, meshes, animations).
static const struct
{
    const char* file;
    int32_t nodes, skins, meshes, animations;
} files[] = {{"gltf/bitmoji_idle.glb", 80, 1, 1, 1},
             {"gltf/bitmoji_model.glb", 81, 1, 2, 0},
             {"gltf/bitmoji_walk.glb", 80, 1, 1, 1},
             {"gltf/kaykit_Knight.glb", 57, 1, 15, 76},
             {"gltf/khronos_BoxAnimated.gltf", 4, 0, 2, 1},
             {"gltf/khronos_CesiumMan.gltf", 22, 1, 1, 1},
             {"gltf/khronos_Fox.glb", 26, 1, 1, 3},
             {"gltf/khronos_InterpolationTest.gltf", 12, 0, 10, 9},
             {"gltf/khronos_MorphStressTest.gltf", 1, 0, 1, 3},
             {"gltf/khronos_SimpleSkin.gltf", 3, 1, 1, 1},
             {"gltf/m2m_bird-animations.glb", 57, 1, 1, 5},
             {"gltf/m2m_fox-animations.glb", 51, 1, 1, 14},
             {"gltf/m2m_no_animation.glb", 68, 1, 1, 0},
             {"gltf/m2m_rig-human.glb", 67, 1, 0, 0},
             {"gltf/m2m_rig-spider.glb", 57, 1, 0, 0},
             {"gltf/m2m_spider-animations.glb", 58, 1, 1, 10},
             {"gltf/mixamo_sample_rig.glb", 68, 1, 2, 1},
             {"gltf/raylib_greenman.glb", 14, 1, 1, 4}};

static sft_result load_beside(void* user, const char* path, size_t max_bytes, const sft_allocator* allocator,
                              void** bytes, size_t* size, sft_error* error)
{
    char full[1200];
    snprintf(full, sizeof full, "%s/%s", (const char*)user, path);
    return sft_file_read(full, max_bytes, allocator, bytes, size, error);
}

static sft_result read_file(const char* path, sft_gltf** gltf, sft_error* error)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", path);
    char* slash = strrchr(folder, '/');
    assert_non_null(slash);
    *slash = '\0';
    void* bytes = NULL;
    size_t size = 0;
    assert_int_equal(sft_file_read(path, SIZE_MAX / 2, NULL, &bytes, &size, error), SFT_OK);
    sft_gltf_read_def def = sft_default_gltf_read_def();
    def.load = load_beside;
    def.load_user = folder;
    const sft_result result = sft_gltf_read(&def, bytes, size, NULL, gltf, error);
    free(bytes);
    return result;
}

static void test_gltf_data__real_files(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
    {
        char path[1024];
        if (!support_data(files[i].file, path, sizeof path)) continue;
        sft_gltf* gltf = NULL;
        sft_error error = {.code = SFT_OK};
        if (read_file(path, &gltf, &error) != SFT_OK) fail_msg("%s: %s", files[i].file, error.message);
        const sft_gltf_contents* view = sft_gltf_view(gltf);
        assert_int_equal(view->node_count, files[i].nodes);
        assert_int_equal(view->skin_count, files[i].skins);
        assert_int_equal(view->mesh_count, files[i].meshes);
        assert_int_equal(view->animation_count, files[i].animations);
        if (view->warning_count > 0) fail_msg("%s: %s", files[i].file, view->warnings[0].message);
        for (int32_t a = 0; a < view->animation_count; ++a)
            if (view->animations[a].problem[0] != '\0') fail_msg("%s: %s", files[i].file, view->animations[a].problem);
        sft_gltf_destroy(gltf);
    }
}

// Every part of `names` between ';' must be in the text in one of its spellings between '/'.
static bool names_all(char* names, const char* text)
{
    for (char* part = names; part != NULL && *part != '\0';)
    {
        char* next = strchr(part, ';');
        if (next != NULL) *next++ = '\0';
        bool found = false;
        for (char* spelling = part; spelling != NULL;)
        {
            char* other = strchr(spelling, '/');
            if (other != NULL) *other++ = '\0';
            found = found || strstr(text, spelling) != NULL;
            spelling = other;
        }
        if (!found) return false;
        part = next;
    }
    return true;
}

static bool refused(const char* path, char* message, size_t capacity)
{
    sft_gltf* gltf = NULL;
    sft_error error = {.code = SFT_OK};
    if (read_file(path, &gltf, &error) != SFT_OK)
    {
        snprintf(message, capacity, "byte %llu line %u %s", (unsigned long long)error.byte, error.line, error.message);
        return true;
    }
    sft_gltf_destroy(gltf);
    return false;
}

static void check_line(char* line, int* checked)
{
    char* fields[4] = {line, "", "", ""};
    for (int i = 1; i < 4; ++i)
    {
        char* tab = strchr(fields[i - 1], '\t');
        if (tab == NULL) return;
        *tab = '\0';
        fields[i] = tab + 1;
    }
    char relative[1100], path[1024], message[512] = "";
    snprintf(relative, sizeof relative, "malformed_gltf/%s", fields[0]);
    if (!support_data(relative, path, sizeof path)) return;
    const bool was_refused = refused(path, message, sizeof message);
    if (was_refused ? strcmp(fields[1], "read") == 0 : strcmp(fields[1], "error") == 0)
        fail_msg("%s: expected '%s': %s", fields[0], fields[1], message);
    if (was_refused && strcmp(fields[2], "-") != 0 && !names_all(fields[2], message))
        fail_msg("%s: not all is named: %s", fields[0], message);
    ++*checked;
}

static void test_gltf_data__malformed_files(void** state)
{
    (void)state;
    const char* source = getenv("SFT_SOURCE");
    char path[1024], line[1024];
    snprintf(path, sizeof path, "%s/tests/gltf_expect.tsv", source != NULL ? source : ".");
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    int checked = 0;
    while (fgets(line, sizeof line, file) != NULL)
        if (line[0] != '#') check_line(line, &checked);
    fclose(file);
    printf("%d malformed files checked\n", checked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_data__real_files),
        cmocka_unit_test(test_gltf_data__malformed_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
