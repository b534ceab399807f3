// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT
#ifndef SUREFOOT_CLI_REPORT_STYLE_H
#define SUREFOOT_CLI_REPORT_STYLE_H

#include <stddef.h>

extern const char* const report_css[];
extern const size_t report_css_count;
extern const char* const report_js[];
extern const size_t report_js_count;

#endif
