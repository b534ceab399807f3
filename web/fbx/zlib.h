// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The one call of zlib that the reader of FBX makes, for builds without zlib (inflate.c).
#ifndef SUREFOOT_WEB_ZLIB_H
#define SUREFOOT_WEB_ZLIB_H

#define Z_OK 0
#define Z_DATA_ERROR (-3)

typedef unsigned long uLong;
typedef unsigned long uLongf;

// *out_size is the room, then the bytes made.
int uncompress(unsigned char* out, uLongf* out_size, const unsigned char* in, uLong in_size);

#endif
