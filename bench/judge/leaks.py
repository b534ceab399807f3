# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Looks for leaks in some of many starts of a program built with the address sanitizer. At the end of each it costs as
much again as a short run itself; every n-th start (SFT_LEAKS_EVERY, not set: none is treated apart) finds what leaks on
the usual ways for a fraction of that."""
import os

_started = 0


def options():
    """What the next start wants of ASAN_OPTIONS, or None: as they are."""
    global _started
    every = int(os.environ.get("SFT_LEAKS_EVERY") or 0)
    _started += 1
    if every < 1:
        return None
    # The last of two settings holds. The exit code is none that the program has.
    wanted = "detect_leaks=0" if _started % every else "detect_leaks=1:exitcode=99"
    return ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), wanted)))


def environment():
    """The same as a whole environment for subprocess; None: the one at hand."""
    own = options()
    return None if own is None else {**os.environ, "ASAN_OPTIONS": own}
