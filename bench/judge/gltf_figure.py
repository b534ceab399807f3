# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""A walking figure in closed form for glTF samples: metres, Y up, walking along +Z, feet that stand exactly still.

Travel is scaled by `root_scale`, so that feet slide and clean-up has work. Joints have turned rest axes, as exporters
write them, so that nothing rests on axes of zero rotation.
"""

import numpy as np

# name, parent, rest position from the parent [m]
BODY = (
    ("Hips", None, (0, 0.98, 0)), ("LeftUpLeg", "Hips", (0.09, -0.05, 0)), ("LeftLeg", "LeftUpLeg", (0, -0.43, 0)),
    ("LeftFoot", "LeftLeg", (0, -0.42, 0)), ("LeftToeBase", "LeftFoot", (0, -0.06, 0.13)),
    ("LeftToe_End", "LeftToeBase", (0, -0.01, 0.07)), ("RightUpLeg", "Hips", (-0.09, -0.05, 0)),
    ("RightLeg", "RightUpLeg", (0, -0.43, 0)), ("RightFoot", "RightLeg", (0, -0.42, 0)),
    ("RightToeBase", "RightFoot", (0, -0.06, 0.13)), ("RightToe_End", "RightToeBase", (0, -0.01, 0.07)),
    ("Spine", "Hips", (0, 0.11, -0.01)), ("Chest", "Spine", (0, 0.2, 0)), ("Neck", "Chest", (0, 0.24, 0.01)),
    ("Head", "Neck", (0, 0.09, 0.01)), ("LeftArm", "Chest", (0.17, 0.19, 0)), ("LeftForeArm", "LeftArm", (0.27, 0, 0)),
    ("LeftHand", "LeftForeArm", (0.25, 0, 0)), ("RightArm", "Chest", (-0.17, 0.19, 0)),
    ("RightForeArm", "RightArm", (-0.27, 0, 0)), ("RightHand", "RightForeArm", (-0.25, 0, 0)),
)


def about(axis, angle):
    """(n, 3, 3) rotations about a coordinate axis."""
    angle = np.atleast_1d(np.asarray(angle, float))
    c, s, m = np.cos(angle), np.sin(angle), np.zeros((len(angle), 3, 3))
    i, j, k = axis, (axis + 1) % 3, (axis + 2) % 3
    m[:, i, i] = 1.0
    m[:, j, j] = m[:, k, k] = c
    m[:, j, k], m[:, k, j] = -s, s
    return m


def quaternion(m):
    """xyzw of rotation matrices (.., 3, 3), w not negative."""
    m = np.asarray(m, float)
    flat = m.reshape(-1, 3, 3)
    out = np.empty((len(flat), 4))
    for n, r in enumerate(flat):
        t = np.trace(r)
        k = np.array([[r[0, 0] * 2 - t, r[0, 1] + r[1, 0], r[0, 2] + r[2, 0], r[2, 1] - r[1, 2]],
                      [0, r[1, 1] * 2 - t, r[1, 2] + r[2, 1], r[0, 2] - r[2, 0]],
                      [0, 0, r[2, 2] * 2 - t, r[1, 0] - r[0, 1]], [0, 0, 0, t]])
        out[n] = np.linalg.eigh(k, "U")[1][:, -1]
    out *= np.where(out[:, 3:] < 0.0, -1.0, 1.0)
    return out.reshape(m.shape[:-2] + (4,))


class Walk:
    """names, parents (index or -1), local rotations (frames, joints, 4) xyzw, hips (frames, 3), offsets (joints, 3)
    in the parent's axes, times (frames,)."""

    def __init__(self, frames=60, fps=30.0, speed=1.2, stride=1.2, root_scale=1.25, in_place=False, seed=3):
        self.fps, self.times = fps, np.arange(frames) / fps
        self.names = [b[0] for b in BODY]
        self.parents = [-1 if b[1] is None else self.names.index(b[1]) for b in BODY]
        self.rest = np.zeros((len(BODY), 3))
        for i, b in enumerate(BODY):
            self.rest[i] = np.array(b[2]) + (self.rest[self.parents[i]] if self.parents[i] >= 0 else 0.0)
        phase = self.times * speed / stride
        turn = np.broadcast_to(np.eye(3), (frames, len(BODY), 3, 3)).copy()  # from the rest pose, in the model
        hips = np.stack([0.01 * np.sin(2 * np.pi * phase), 0.87 + 0.012 * np.cos(4 * np.pi * phase),
                         speed * self.times], axis=1)
        turn[:] = about(1, 0.06 * np.sin(2 * np.pi * phase))[:, None]
        for side, name in ((0.0, "Left"), (0.5, "Right")):
            self._leg(turn, hips, name, phase + side, stride)
            swing = 0.5 * np.sin(2 * np.pi * (phase + side))
            down = about(2, -1.2 if name == "Left" else 1.2)
            for joint, bend in (("Arm", 0.0), ("ForeArm", -0.3), ("Hand", -0.3)):
                turn[:, self.names.index(name + joint)] = about(0, swing + bend) @ down
        hips[:, 2] *= 0.0 if in_place else root_scale
        self.hips, self.turn = hips, turn
        self._axes(np.random.default_rng(seed))

    def _leg(self, turn, hips, name, phase, stride):
        """Plane trigonometry: the ankle goes where the foot's step says; the foot stays level."""
        i = self.names.index(name + "UpLeg")
        cycle, step = np.floor(phase), phase - np.floor(phase)
        u = np.clip((step - 0.6) / 0.4, 0.0, 1.0)
        ease = u ** 3 * (10 - 15 * u + 6 * u ** 2)
        # stands at z while its hip passes over it, from 0.3 of a stride before to 0.3 behind
        ankle_z = (cycle + 0.3 + ease) * stride - (0.5 * stride if name == "Right" else 0.0)
        ankle_y = 0.08 + 0.16 * (u * (1 - u)) ** 2 * 16 * 0.6
        hip = hips + np.einsum("fij,j->fi", turn[:, 0], self.rest[i] - self.rest[0])
        y, z = ankle_y - hip[:, 1], ankle_z - hip[:, 2]
        a, b, d = 0.43, 0.42, np.hypot(y, z)
        d = np.minimum(d, 0.999 * (a + b))
        thigh = np.arctan2(-z, -y) - np.arccos(np.clip((a * a + d * d - b * b) / (2 * a * d), -1, 1))
        knee = np.pi - np.arccos(np.clip((a * a + b * b - d * d) / (2 * a * b), -1, 1))
        turn[:, i] = about(0, thigh)
        turn[:, i + 1] = about(0, thigh + knee)
        turn[:, i + 2:i + 5] = np.eye(3)

    def _axes(self, rng):
        """Local rotations and offsets in joint axes that are turned at rest."""
        axes = np.linalg.qr(rng.normal(size=(len(BODY), 3, 3)))[0]
        axes *= np.sign(np.linalg.det(axes))[:, None, None]
        self.axes = axes
        world = self.turn @ axes
        local, rest = np.empty_like(world), np.empty_like(axes)
        self.offsets = np.zeros((len(BODY), 3))
        for i, p in enumerate(self.parents):
            local[:, i] = world[:, i] if p < 0 else np.swapaxes(world[:, p], 1, 2) @ world[:, i]
            rest[i] = axes[i] if p < 0 else axes[p].T @ axes[i]
            self.offsets[i] = self.rest[i] if p < 0 else axes[p].T @ (self.rest[i] - self.rest[p])
        self.rotations, self.rest_rotations = quaternion(local), quaternion(rest)
        for q in np.swapaxes(self.rotations, 0, 1):
            for n in range(1, len(q)):
                if q[n] @ q[n - 1] < 0.0:
                    q[n] *= -1.0

    def positions(self):
        """(frames, joints, 3) [m] in the model, by formula."""
        out = np.zeros((len(self.times), len(BODY), 3))
        for i, p in enumerate(self.parents):
            out[:, i] = self.hips if p < 0 else out[:, p] + np.einsum("fij,j->fi", self.turn[:, p],
                                                                     self.rest[i] - self.rest[p])
        return out
