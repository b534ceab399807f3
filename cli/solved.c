// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What a solver changed goes back into the file: `clean` and `adapt` alike.
#include "cli.h"

static bool any_changed(const loaded* file, const uint8_t* changed)
{
    for (int32_t k = 0; k < file->skeleton->joint_count; ++k)
        if (changed[k] != 0) return true;
    return false;
}

sft_result cli_put_solved(const loaded* file, const sft_clip* solved, const uint8_t* changed, bool keep_keys,
                          sft_gltf_applied* applied, sft_error* error)
{
    int32_t clip;
    sft_gltf_apply_def def = sft_default_gltf_apply_def();
    def.keep_keys = keep_keys;
    const sft_take_solved what = {solved, changed};
    return sft_take_put(file->take, cli_stage(file, &clip), &what, &def, applied, error);
}

int cli_read_back(const loaded* file, const uint8_t* changed, sft_clip** written)
{
    int32_t clip;
    const sft_result result = sft_take_again(file->take, cli_stage(file, &clip), NULL, written);
    if (result != SFT_OK) return cli_fail_clip(file, NULL, "reading back", result);
    return any_changed(file, changed) ? cli_bring_back(file) : EXIT_DONE;
}

void cli_json_changed(json_out* json, const loaded* file, const uint8_t* changed)
{
    char name[NAME_SIZE];
    json_begin(json, "changed_joints", '[');
    for (int32_t k = 0; k < file->skeleton->joint_count; ++k)
    {
        if (changed[k] == 0) continue;
        json_begin(json, NULL, '{');
        json_text(json, "name", cli_joint_name(file, k, name, sizeof name));
        json_bool(json, "rotation", (changed[k] & 1u) != 0);
        json_bool(json, "translation", (changed[k] & 2u) != 0);
        json_end(json, '}');
    }
    json_end(json, ']');
}
