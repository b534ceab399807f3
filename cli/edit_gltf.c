// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Root scale, frame range and frame rate of a clip in a glTF document.

#include "edits.h"

int edit_gltf(const edits* e, const cli_options* options, loaded* file)
{
    (void)e;
    (void)options;
    return cli_fail(EXIT_USAGE, "convert: %s: root scale, range and rate of glTF clips are not there yet", file->path);
}
