// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Any bytes as a label file: refused with a reason, or read into labels that come back from their own text.

#include <stdlib.h>
#include <string.h>

#include "surefoot/surefoot.h"

#define FRAMES 3
#define FEET 2

static const char* const names[FEET] = {"LeftToe", "RightToe"};

static void require(bool condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    sft_contact_labels *labels = NULL, *again = NULL;
    require(sft_contact_labels_create(FRAMES, FEET, NULL, &labels) == SFT_OK);
    require(sft_contact_labels_create(FRAMES, FEET, NULL, &again) == SFT_OK);
    sft_error error;
    if (sft_contact_parse_csv((const char*)data, size, names, NULL, labels, &error) != SFT_OK)
        require(error.code != SFT_OK && error.message[0] != '\0' && error.byte <= size && error.line > 0);
    else
    {
        char* text = NULL;
        size_t length = 0;
        require(sft_contact_format_csv(labels, 1.0 / 60.0, names, NULL, &text, &length) == SFT_OK);
        require(sft_contact_parse_csv(text, length, names, NULL, again, &error) == SFT_OK);
        for (int i = 0; i < FRAMES * FEET; ++i)
        {
            const float plant = labels->plant[i] - again->plant[i], touch = labels->touch[i] - again->touch[i];
            require(plant < 1e-8f && plant > -1e-8f && touch < 1e-8f && touch > -1e-8f);
        }
        free(text);
    }
    sft_contact_labels_destroy(labels, NULL);
    sft_contact_labels_destroy(again, NULL);
    return 0;
}
