// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What somebody outside writes first: include everything, ask for the version, make and free a clip.
#include <stdio.h>

#include <surefoot/surefoot.h>

int main(void)
{
    const uint32_t header = SFT_VERSION_MAJOR * 10000 + SFT_VERSION_MINOR * 100 + SFT_VERSION_PATCH;
    if (sft_version() != header)
    {
        fprintf(stderr, "header %u, library %u\n", (unsigned)header, (unsigned)sft_version());
        return 1;
    }
    sft_clip* clip = NULL;
    if (sft_clip_create(3, 10, 1.0 / 60.0, NULL, &clip) != SFT_OK) return 1;
    const int frames = clip->frame_count;
    sft_clip_destroy(clip, NULL);
    if (frames != 10 || sft_cos(0.0) != 1.0) return 1;
    printf("outside: surefoot %u works\n", (unsigned)sft_version());
    return 0;
}
