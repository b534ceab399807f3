// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Writes a walking biped as BVH, GLB or glTF, with contacts known exactly: something to try the program on.
//
//     surefoot-make-sample OUT.bvh|OUT.glb|OUT.gltf [options]
//
// See usage below; sample/walker.h says how the walk is made, sample/figure.h who the other figure is.

#include "sample/figure.h"
#include "sample/walker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: surefoot-make-sample OUT.bvh [options]\n"
    "\n"
    "Writes a synthetic walk, Y up, whose planted toes stand exactly still: as BVH in centimetres,\n"
    "or as GLB or glTF where the name ends so.\n"
    "\n"
    "  --labels CSV       also write the true contact labels\n"
    "  --frames N         number of frames (240)\n"
    "  --fps N            frames a second (60)\n"
    "  --speed V          [m/s] (1.3)\n"
    "  --step L           [m] length of one step (0.65)\n"
    "  --rise H           [m] climbed a step: stairs (0)\n"
    "  --slope DEG        of the ground along the way (0)\n"
    "  --heading DEG      direction of the walk (0 is +Z)\n"
    "  --start C          fraction of a cycle done at frame 0 (0)\n"
    "  --root-scale K     travel of the hips scaled, so that the feet slide (1)\n"
    "  --hip-edit DEG     a slow swing added to both hips: slide that no travel explains (0)\n"
    "  --noise CM         jitter of hips and feet (0)\n"
    "  --seed N           of the noise (1)\n"
    "  --treadmill        the ground moves instead of the walker\n"
    "  --reference        frame 0 is a T-pose at the origin\n"
    "  --figure           no walk, but another figure that stands: a stocky child with other joints, names and axes,\n"
    "                     to move the walk onto; of the other options none counts\n";

typedef struct number_option
{
    const char* name;
    double* value;
    double scale;
} number_option;

static int fail(const char* what, const char* detail)
{
    fprintf(stderr, "surefoot-make-sample: %s%s\n", what, detail);
    return 2;
}

// Takes "--name value"; 1 where it was taken, 0 where the name is another, -1 on a bad number.
static int take_number(const number_option* options, size_t count, const char* name, const char* text)
{
    for (size_t i = 0; i < count; ++i)
    {
        if (strcmp(name, options[i].name) != 0) continue;
        char* end = NULL;
        const double value = text != NULL ? strtod(text, &end) : 0.0;
        if (text == NULL || end == text || *end != '\0' || !isfinite(value)) return -1;
        *options[i].value = value * options[i].scale;
        return 1;
    }
    return 0;
}

static int parse(int argc, char** argv, walker_def* def, const char** out, const char** labels, bool* figure)
{
    double frames = def->frames, seed = 1.0;
    const double degree = SFT_PI / 180.0;
    const number_option numbers[] = {
        {"--frames", &frames, 1.0},
        {"--fps", &def->fps, 1.0},
        {"--speed", &def->speed, 1.0},
        {"--step", &def->step_length, 1.0},
        {"--rise", &def->rise, 1.0},
        {"--slope", &def->slope, degree},
        {"--heading", &def->heading, degree},
        {"--start", &def->start, 1.0},
        {"--root-scale", &def->root_scale, 1.0},
        {"--hip-edit", &def->hip_edit, degree},
        {"--noise", &def->noise, 0.01},
        {"--seed", &seed, 1.0},
    };
    for (int i = 1; i < argc; ++i)
    {
        const int taken = take_number(numbers, sizeof numbers / sizeof numbers[0], argv[i], argv[i + 1]);
        if (taken < 0) return fail("a number is missing after ", argv[i]);
        if (taken > 0)
            ++i;
        else if (strcmp(argv[i], "--treadmill") == 0)
            def->treadmill = true;
        else if (strcmp(argv[i], "--reference") == 0)
            def->reference = true;
        else if (strcmp(argv[i], "--figure") == 0)
            *figure = true;
        else if (strcmp(argv[i], "--labels") == 0 && argv[i + 1] != NULL)
            *labels = argv[++i];
        else if (argv[i][0] != '-' && *out == NULL)
            *out = argv[i];
        else
            return fail("does not know ", argv[i]);
    }
    if (*out == NULL) return fail("which file to write? try --help", "");
    if (!(frames >= 1.0 && frames <= 1e7)) return fail("--frames wants 1 to 10000000", "");
    def->frames = (int32_t)frames;
    def->seed = (uint64_t)fabs(seed);
    return 0;
}

// The BVH text as a document of another format.
static sft_result write_converted(const char* text, size_t size, sft_io_format format, const char* path,
                                  sft_error* error)
{
    sft_io_document *bvh = NULL, *made = NULL;
    sft_io_convert_def def = sft_default_io_convert_def();
    def.format = format;
    sft_result result = sft_io_read(NULL, text, size, NULL, &bvh, error);
    if (result == SFT_OK) result = sft_io_convert(bvh, &def, NULL, &made, NULL, error);
    if (result == SFT_OK) result = sft_io_write_file(made, NULL, path, error);
    sft_io_destroy(made);
    sft_io_destroy(bvh);
    return result;
}

static sft_result write_clip(sft_skeleton* skeleton, sft_clip* clip, const char* path, sft_error* error)
{
    // Files of this kind are in centimetres: the same figures, a hundred times as large.
    const sft_space centimetres = {.unit_metres = 100.0, .up = SFT_AXIS_Y};
    const sft_io_format format = sft_io_format_of_name(path);
    sft_bvh* bvh = NULL;
    char* text = NULL;
    size_t size = 0;
    sft_result result = sft_clip_rescale(skeleton, clip, &centimetres);
    if (result == SFT_OK) result = sft_bvh_create(skeleton, clip, NULL, &bvh);
    if (result == SFT_OK) result = sft_bvh_write(bvh, NULL, &text, &size);
    if (result == SFT_OK && (format == SFT_IO_GLB || format == SFT_IO_GLTF))
        result = write_converted(text, size, format, path, error);
    else if (result == SFT_OK)
        result = sft_file_write(path, text, size, error);
    sft_bvh_destroy(bvh);
    free(text);
    return result;
}

// glTF can hold bones with axes of their own, so there they have them.
static sft_result write_turned_figure(const char* path, sft_error* error)
{
    sft_skeleton* skeleton = NULL;
    sft_gltf* gltf = NULL;
    sft_gltf_output* output = NULL;
    sft_gltf_write_def def = sft_default_gltf_write_def();
    def.glb = sft_io_format_of_name(path) == SFT_IO_GLB;
    def.embed = !def.glb;
    sft_result result = figure_create(true, &skeleton);
    if (result == SFT_OK) result = sft_gltf_create(skeleton, NULL, NULL, NULL, &gltf);
    if (result == SFT_OK) result = sft_gltf_write(gltf, &def, NULL, &output);
    const sft_gltf_file* file = result == SFT_OK ? &output->files[output->file_count - 1] : NULL;
    char* bytes = file != NULL ? malloc((size_t)file->size + 1) : NULL;
    if (result == SFT_OK && bytes == NULL) result = SFT_ERR_MEMORY;
    size_t at = 0;
    for (int32_t i = 0; result == SFT_OK && i < file->part_count; ++i)
    {
        memcpy(bytes + at, file->parts[i].data, file->parts[i].size);
        at += file->parts[i].size;
    }
    if (result == SFT_OK) result = sft_file_write(path, bytes, at, error);
    free(bytes);
    sft_gltf_output_destroy(output, NULL);
    sft_gltf_destroy(gltf);
    sft_skeleton_destroy(skeleton, NULL);
    return result;
}

static sft_result write_figure(const char* path, sft_error* error)
{
    const sft_io_format format = sft_io_format_of_name(path);
    if (format == SFT_IO_GLB || format == SFT_IO_GLTF) return write_turned_figure(path, error);
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    sft_result result = figure_create(false, &skeleton);
    if (result == SFT_OK) result = sft_clip_create(skeleton->joint_count, 1, 1.0 / 30.0, NULL, &clip);
    if (result == SFT_OK)
        memcpy(clip->translations, skeleton->rest_translations,
               (size_t)skeleton->joint_count * sizeof *clip->translations);
    if (result == SFT_OK) result = write_clip(skeleton, clip, path, error);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    return result;
}

static sft_result write_labels(const walker* w, const char* path, sft_error* error)
{
    const char* const toes[2] = {"LeftToeBase", "RightToeBase"};
    char* text = NULL;
    size_t size = 0;
    sft_result result = sft_contact_format_csv(&w->labels, w->clip->frame_time, toes, NULL, &text, &size);
    if (result == SFT_OK) result = sft_file_write(path, text, size, error);
    free(text);
    return result;
}

int main(int argc, char** argv)
{
    walker_def def = walker_default_def();
    const char* out = NULL;
    const char* labels = NULL;
    bool figure = false;
    if (argc > 1 && strcmp(argv[1], "--help") == 0)
    {
        fputs(usage, stdout);
        return 0;
    }
    const int bad = parse(argc, argv, &def, &out, &labels, &figure);
    if (bad != 0) return bad;
    walker w = {0};
    sft_error error = {0};
    sft_result result = figure ? write_figure(out, &error) : walker_create(&def, &w);
    if (result == SFT_ERR_RANGE) return fail("such a walk cannot be walked: shorten the step or lower the rise", "");
    if (result == SFT_OK && labels != NULL && !figure) result = write_labels(&w, labels, &error);
    if (result == SFT_OK && !figure) result = write_clip(w.skeleton, w.clip, out, &error);
    walker_release(&w);
    if (result == SFT_OK) return 0;
    fail(error.message[0] != '\0' ? error.message : sft_result_string(result), "");
    return result == SFT_ERR_IO ? 4 : 5;
}
