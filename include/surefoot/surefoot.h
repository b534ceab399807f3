// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file surefoot.h
/// Everything at once.
#ifndef SUREFOOT_SUREFOOT_H
#define SUREFOOT_SUREFOOT_H

#include "surefoot/base.h"
#include "surefoot/math.h"
#include "surefoot/skeleton.h"
#include "surefoot/clip.h"
#include "surefoot/bvh.h"
#include "surefoot/gltf.h"
#include "surefoot/io.h"
#include "surefoot/ground.h"
#include "surefoot/ik.h"
#include "surefoot/contact.h"
#include "surefoot/leg.h"
#include "surefoot/metrics.h"
#include "surefoot/tracks.h"
#include "surefoot/cleanup.h"
#include "surefoot/lock.h"
#include "surefoot/adapt.h"
#include "surefoot/crowd.h"
#include "surefoot/rig.h"
#include "surefoot/retarget.h"
#include "surefoot/creature.h"
#include "surefoot/take.h"

#endif
