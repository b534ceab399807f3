# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Rotations as arrays of 3x3 matrices (column vectors), in doubles.

Written for the judge alone, with library trigonometry, so that no error of the C program's own
trigonometry can hide in it.
"""

import numpy as np

AXES = {"x": 0, "y": 1, "z": 2}


def axis_matrix(axis, radians):
    """Rotation matrices about one coordinate axis; radians has any shape, result shape + (3, 3)."""
    radians = np.asarray(radians, dtype=float)
    c, s = np.cos(radians), np.sin(radians)
    out = np.zeros(radians.shape + (3, 3))
    i = AXES[axis]
    j, k = (i + 1) % 3, (i + 2) % 3
    out[..., i, i] = 1.0
    out[..., j, j] = c
    out[..., k, k] = c
    out[..., j, k] = -s
    out[..., k, j] = s
    return out


def rotation_vector(m):
    """Rotation vectors (axis times angle, angle in [0, pi]) of rotation matrices, shape (..., 3).

    Goes through the quaternion, taking the largest component first, so that neither tiny angles
    nor angles near pi lose digits.
    """
    m = np.asarray(m, dtype=float)
    t = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    # four candidates, each exact up to a common factor; the one with the largest pivot is well conditioned
    q = np.empty(m.shape[:-2] + (4, 4))
    d = (m[..., 0, 0], m[..., 1, 1], m[..., 2, 2])
    w = (m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1])
    q[..., 0, 0] = 1.0 + t
    for a in range(3):
        q[..., 0, a + 1] = w[a]
        q[..., a + 1, 0] = w[a]
        for b in range(3):
            if a == b:
                q[..., a + 1, b + 1] = 1.0 + 2.0 * d[a] - t
            else:
                q[..., a + 1, b + 1] = m[..., a, b] + m[..., b, a]
    pivot = np.stack([q[..., i, i] for i in range(4)], axis=-1)
    best = np.argmax(pivot, axis=-1)
    quat = np.take_along_axis(q, best[..., None, None], axis=-2)[..., 0, :]
    quat = quat / np.linalg.norm(quat, axis=-1, keepdims=True)
    quat = np.where(quat[..., :1] < 0.0, -quat, quat)
    length = np.linalg.norm(quat[..., 1:], axis=-1)
    angle = 2.0 * np.arctan2(length, quat[..., 0])
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.where(length > 1e-12, angle / length, 2.0)
    return quat[..., 1:] * factor[..., None]


def angle_between(a, b):
    """Angle [rad] of the rotation that takes a to b, elementwise."""
    return np.linalg.norm(rotation_vector(np.swapaxes(a, -1, -2) @ b), axis=-1)


def angular_acceleration(rotation, dt):
    """Magnitudes [rad/s^2] of (w(i+1) - w(i)) / dt^2 for i = 1 .. frames-2.

    w(i) is the rotation vector that takes frame i-1 to frame i, written in the space that the rotations
    map to (the parent's for local rotations, the model's for model rotations). Entry n belongs to frame n+1
    and uses frames n, n+1, n+2.
    """
    if rotation.shape[0] < 3:
        return np.zeros(0)
    step = rotation_vector(rotation[1:] @ np.swapaxes(rotation[:-1], -1, -2))
    return np.linalg.norm(step[1:] - step[:-1], axis=-1) / (dt * dt)
