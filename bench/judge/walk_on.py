# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""A walk in closed form on any ground, feet exactly on it: what a perfect adaptation looks like, for the judge's own
tests. The same walk on level ground is the source. Metres, Y up, walking along +Z; the figure of test_judge.py."""

import numpy as np

import bvh

THIGH = SHIN = 0.40
FOOT = np.array([0.0, -0.10, 0.15])  # heel to toe, in the foot's own space
TIP = np.array([0.0, 0.0, 0.07])
SOLE = 0.0  # the toe joint lies on the sole
STRIDE, PERIOD, STANCE = 0.80, 1.2, 0.62

LEG = """
JOINT {s}Hip {{ OFFSET {x} 0 0
CHANNELS 3 Zrotation Xrotation Yrotation
JOINT {s}Knee {{ OFFSET 0 -0.40 0
CHANNELS 3 Zrotation Xrotation Yrotation
JOINT {s}Heel {{ OFFSET 0 -0.40 0
CHANNELS 3 Zrotation Xrotation Yrotation
JOINT {s}Toe {{ OFFSET 0 -0.10 0.15
CHANNELS 3 Zrotation Xrotation Yrotation
End Site {{ OFFSET 0 0 0.07 }} }} }} }} }}"""
BIPED = ("HIERARCHY\nROOT Pelvis {{ OFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
         "JOINT Chest {{ OFFSET 0 0.3 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site {{ OFFSET 0 0.3 0 }} }}"
         + LEG.replace("{s}", "Left").replace("{x}", "0.1") + LEG.replace("{s}", "Right").replace("{x}", "-0.1")
         + "\n}}\nMOTION\nFrames: {frames}\nFrame Time: {dt!r}\n{rows}\n")


def euler_zxy(m):
    """Degrees Z, X, Y of rotations Rz Rx Ry, (F, 3)."""
    x = np.arcsin(np.clip(m[:, 2, 1], -1.0, 1.0))
    z = np.arctan2(-m[:, 0, 1], m[:, 1, 1])
    y = np.arctan2(-m[:, 2, 0], m[:, 2, 2])
    return np.degrees(np.stack([z, x, y], axis=1))


def about(axis, radians):
    """Rotations (F, 3, 3) about one axis vector."""
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0.0]])
    s, c = np.sin(radians)[:, None, None], np.cos(radians)[:, None, None]
    return np.eye(3) + s * k + (1.0 - c) * (k @ k)


def upright_to(up):
    """Shortest rotations (F, 3, 3) from +Y to unit vectors up (F, 3)."""
    x, y, z = up.T
    f = 1.0 / (1.0 + y)
    return np.moveaxis(np.array([[1 - f * x * x, x, -f * x * z], [-x, y, -z], [-f * x * z, z, 1 - f * z * z]]), 2, 0)


def smooth(u):
    u = np.clip(u, 0.0, 1.0)
    return u ** 3 * (10.0 - 15.0 * u + 6.0 * u * u)


def bump(u):
    u = np.clip(u, 0.0, 1.0)
    return 64.0 * (u * (1.0 - u)) ** 3


class Gait:
    """What one foot does: place and heights, by time (F,)."""

    def __init__(self, times, side, ground, start, width=0.1):
        phase = (times + (0.0 if side == "Left" else PERIOD / 2)) / PERIOD
        step, u = np.floor(phase), phase - np.floor(phase)
        self.contact = u < STANCE
        swing = (u - STANCE) / (1.0 - STANCE)
        at = lambda k: start + k * STRIDE + (0.0 if side == "Left" else -STRIDE / 2)
        x = np.full(len(times), width if side == "Left" else -width)
        self.z = at(step) + STRIDE * smooth(swing)
        flat = lambda z: ground.height(x, z)
        # in swing from the height left to the one reached, high enough for what lies between
        a, b, mid = flat(at(step)), flat(at(step + 1)), flat(self.z)
        level = a + (b - a) * smooth(np.where(b > a, 2.2 * swing, 2.2 * swing - 1.2))
        here = np.where(self.contact, flat(self.z), level)
        self.lift = 0.10 * bump(swing)
        self.x, self.ground_y, self.swing, self.mid = x, here, swing, mid
        self.up = (1 - smooth(swing))[:, None] * ground.normal(x, at(step)) + smooth(swing)[:, None] * ground.normal(
            x, at(step + 1))
        self.up /= np.linalg.norm(self.up, axis=1, keepdims=True)
        # the heel rises about the toe before the foot leaves, and is down again when it lands
        self.pitch = np.radians(25.0) * (smooth((u - 0.45) / (STANCE - 0.45)) * (u < STANCE)
                                         + (1.0 - smooth(swing / 0.9)) * (u >= STANCE))


class Walk:
    """frames at dt on a ground; change(walk) may alter its parts before the legs are solved."""

    def __init__(self, ground, frames=240, dt=1 / 60, start=-1.0, change=None):
        self.dt, self.times = dt, np.arange(frames) * dt
        self.frames = frames
        self.gaits = {side: Gait(self.times, side, ground, start) for side in ("Left", "Right")}
        self.pelvis = np.zeros((frames, 3))
        # under way the pelvis is over the middle of its feet, and rides a very smooth line of the ground's heights
        self.pelvis[:, 2] = start + STRIDE * (self.times / PERIOD - STANCE / 2)
        fine = np.arange(self.pelvis[0, 2] - 2.0, self.pelvis[-1, 2] + 2.0, 0.002)
        weight = np.exp(-0.5 * (np.arange(-500, 501) * 0.002 / 0.25) ** 2)
        line = np.convolve(ground.height(np.zeros(len(fine)), fine), weight / weight.sum(), "same")
        self.pelvis[:, 1] = 0.72 + np.interp(self.pelvis[:, 2], fine, line)
        self.pelvis[:, 1] += 0.02 * np.cos(4 * np.pi * self.times / PERIOD)
        self.chest = np.zeros((frames, 3))
        self.chest[:, 2] = 5.0 * np.sin(2 * np.pi * self.times / PERIOD)
        self.toe, self.foot, self.toes = {}, {}, {}
        for side, g in self.gaits.items():
            ground_turn = upright_to(g.up)
            self.toe[side] = np.stack([g.x, g.ground_y, g.z], axis=1) + SOLE * g.up + g.lift[:, None] * [0, 1.0, 0]
            self.foot[side] = ground_turn @ about([1.0, 0, 0], g.pitch)
            bend = np.where(g.contact, 1.0, 1.0 - smooth(g.swing / 0.3))
            self.toes[side] = self.foot[side] @ about([1.0, 0, 0], -g.pitch * bend)
        if change:
            change(self)

    def knees(self, side):
        """Rotations of thigh and shin that bring the heel where foot and toe want it, knee forward."""
        hip = self.pelvis + [0.1 if side == "Left" else -0.1, 0, 0]
        heel = self.toe[side] - self.foot[side] @ FOOT
        d = heel - hip
        length = np.linalg.norm(d, axis=1)
        reach = np.minimum(length, THIGH + SHIN)
        along = d / length[:, None]
        ahead = np.array([0, 0, 1.0]) - along * along[:, 2:3]
        ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
        half = reach / 2
        knee = half[:, None] * along + np.sqrt(np.maximum(THIGH ** 2 - half ** 2, 0.0))[:, None] * ahead
        out = []
        for bone in (knee, reach[:, None] * along - knee):
            y = -bone / np.linalg.norm(bone, axis=1, keepdims=True)
            x = np.cross(-along, ahead)
            out.append(np.stack([x, y, np.cross(x, y)], axis=2))
        return out

    def values(self):
        out = np.zeros((self.frames, 33))
        out[:, :3] = self.pelvis
        out[:, 6:9] = self.chest
        t = lambda m: np.swapaxes(m, 1, 2)
        for n, side in enumerate(("Left", "Right")):
            thigh, shin = self.knees(side)
            local = [thigh, t(thigh) @ shin, t(shin) @ self.foot[side], t(self.foot[side]) @ self.toes[side]]
            out[:, 9 + 12 * n:21 + 12 * n] = np.concatenate([euler_zxy(m) for m in local], axis=1)
        return out

    def clip(self):
        rows = "\n".join(" ".join(repr(float(v)) for v in row) for row in self.values())
        return bvh.parse(BIPED.format(frames=self.frames, dt=self.dt, rows=rows).encode())

    def labels(self):
        return {side + "Toe": g.contact for side, g in self.gaits.items()}
