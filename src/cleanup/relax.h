// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#ifndef SUREFOOT_CLEANUP_RELAX_H
#define SUREFOOT_CLEANUP_RELAX_H

#include "cleanup/problem.h"

/// The particle relaxation of article 000, kept to compare with: fills shift and angles.
sft_result cu_relax_solve(cu_problem* problem, sft_cleanup_report* report);

#endif
