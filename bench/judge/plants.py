# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""The plain plant rule, label files, and runs of planted frames."""

import csv

import numpy as np

SPEED_LIMIT = 0.25  # m/s
WINDOW = 5.0 / 60.0  # s
LABEL_THRESHOLD = 0.75


def speeds(x, dt):
    """Backward-difference speed of points x (F, 3) [m]; the first frame repeats the second's."""
    speed = np.zeros(len(x))
    if len(x) > 1:
        speed[1:] = np.linalg.norm(x[1:] - x[:-1], axis=1) / dt
        speed[0] = speed[1]
    return speed


def window_frames(dt):
    """max(3, round(5/60/dt) made odd), the odd number not below the rounded one."""
    n = int(np.floor(WINDOW / dt + 0.5))
    return max(3, n if n % 2 else n + 1)


def majority(labels, n):
    """Majority over n (odd) frames, edge values repeated."""
    half = n // 2
    padded = np.concatenate([np.repeat(labels[:1], half), labels, np.repeat(labels[-1:], half)]).astype(int)
    total = np.concatenate([[0], np.cumsum(padded)])
    return (total[n:] - total[:-n]) * 2 > n


def plain_rule(x, dt):
    """Plant labels (bool) of one toe path x (F, 3) [m]: slower than 0.25 m/s, majority filtered. No height test."""
    if len(x) == 0:
        return np.zeros(0, bool)
    return majority(speeds(x, dt) < SPEED_LIMIT, window_frames(dt))


def runs(labels):
    """[(first, end)] of runs of true frames, end not included."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(labels, int), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2])]


def read_labels(path, threshold=LABEL_THRESHOLD):
    """{column name: bool array} of a label file, `frame` and `time` left out; rows are put at their frame number."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if row and not row[0].startswith("#")]
    head = [name.strip() for name in rows[0]]
    data = np.array([[float(v) for v in row] for row in rows[1:]]).reshape(-1, len(head))
    if "frame" in head and len(data):
        order = data[:, head.index("frame")].astype(int)
        if not np.array_equal(order, np.arange(len(data))):
            raise ValueError("%s: frames must run from 0 without gaps" % path)
    return {name: data[:, i] > threshold for i, name in enumerate(head) if name not in ("frame", "time")}


def write_labels(path, dt, columns):
    """Writes {name: values} as a label file."""
    names = list(columns)
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["frame", "time"] + names)
        for i in range(len(columns[names[0]])):
            out.writerow([i, repr(i * dt)] + ["%g" % float(columns[n][i]) for n in names])


def f1(predicted, true, counted=None):
    """2TP / (predicted + true) over the counted frames; 1 when both are empty."""
    p, t = np.asarray(predicted, bool), np.asarray(true, bool)
    if counted is not None:
        p, t = p[counted], t[counted]
    total = p.sum() + t.sum()
    return 1.0 if total == 0 else 2.0 * np.sum(p & t) / total


def away_from_boundaries(*labellings):
    """Mask of frames that are not next to a change of label in any labelling (both frames of a change go)."""
    keep = np.ones(len(labellings[0]), bool)
    for labels in labellings:
        change = np.flatnonzero(np.diff(np.asarray(labels, int)))
        keep[change] = False
        keep[change + 1] = False
    return keep
