// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The room in which page and laboratory hand each other words and bytes.

#include "lab.h"

#include <stdlib.h>
#include <string.h>

static char* room;
static size_t room_size;

void lab_room_take(char* bytes, size_t size)
{
    free(room);
    room = bytes;
    room_size = bytes != NULL ? size : 0;
}

char* LAB_EXPORT(lab_room)(size_t size)
{
    lab_room_take(calloc(size + 1, 1), size);
    return room;
}

size_t LAB_EXPORT(lab_room_size)(void)
{
    return room_size;
}

const char* LAB_EXPORT(lab_room_bytes)(void)
{
    return room;
}

int lab_room_words(char** words, int most)
{
    static char name[] = "surefoot";
    int count = 1;
    words[0] = name;
    for (size_t at = 0; at < room_size && count + 1 < most; at += strlen(room + at) + 1)
        words[count++] = room + at;
    words[count] = NULL;
    return count;
}
