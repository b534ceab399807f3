// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// glTF documents for tests, put together from JSON text and bytes.
#ifndef SUREFOOT_SUPPORT_GLB_H
#define SUREFOOT_SUPPORT_GLB_H

#include "support/support.h"

#include "surefoot/gltf.h"

/// A GLB of a JSON text and, where bin is not null, a BIN chunk, both filled up to four bytes. The caller frees it.
uint8_t* support_glb(const char* json, const void* bin, size_t bin_size, size_t* size);

/// Reads a text; fails the test, showing the error, where it cannot be read.
sft_gltf* support_read_gltf(const char* json);
sft_gltf* support_read_glb(const char* json, const void* bin, size_t bin_size);

/// Reads a text that must be refused: *error says how.
void support_refuse_gltf(const char* json, sft_error* error);

/// Base64 of bytes into out (4 * (size / 3 + 1) + 1 bytes), with padding.
void support_base64(const void* bytes, size_t size, char* out);

#endif
