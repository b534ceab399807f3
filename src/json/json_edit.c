// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "json/json_internal.h"

sft_result sft_json_edit_create(const sft_json* json, const sft_allocator* allocator, sft_json_edit** out)
{
    (void)json, (void)allocator, (void)out;
    return SFT_ERR_UNSUPPORTED;
}
void sft_json_edit_destroy(sft_json_edit* edit)
{
    (void)edit;
}
sft_result sft_json_edit_splice(sft_json_edit* edit, size_t start, size_t end, const char* text, size_t size)
{
    (void)edit, (void)start, (void)end, (void)text, (void)size;
    return SFT_ERR_UNSUPPORTED;
}
sft_result sft_json_edit_replace(sft_json_edit* edit, sft_json_value value, const char* text, size_t size)
{
    (void)edit, (void)value, (void)text, (void)size;
    return SFT_ERR_UNSUPPORTED;
}
sft_result sft_json_edit_set(sft_json_edit* edit, sft_json_value object, const char* key, const char* text, size_t size)
{
    (void)edit, (void)object, (void)key, (void)text, (void)size;
    return SFT_ERR_UNSUPPORTED;
}
sft_result sft_json_edit_remove(sft_json_edit* edit, sft_json_value object, const char* key)
{
    (void)edit, (void)object, (void)key;
    return SFT_ERR_UNSUPPORTED;
}
sft_result sft_json_edit_append(sft_json_edit* edit, sft_json_value array, const char* text, size_t size)
{
    (void)edit, (void)array, (void)text, (void)size;
    return SFT_ERR_UNSUPPORTED;
}
sft_result sft_json_edit_pieces(sft_json_edit* edit, const sft_json_piece** pieces, size_t* count, size_t* total,
                                sft_error* error)
{
    (void)edit, (void)pieces, (void)count, (void)total, (void)error;
    return SFT_ERR_UNSUPPORTED;
}
sft_result sft_json_edit_text(sft_json_edit* edit, char** text, size_t* size, sft_error* error)
{
    (void)edit, (void)text, (void)size, (void)error;
    return SFT_ERR_UNSUPPORTED;
}
