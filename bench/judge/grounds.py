# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""What feet stand on, by the judge's own formulas: planes, profiles, height fields, and triangles from OBJ files by
brute force. Y up, metres. Points are arrays (n, 3); x and z arrays (n,). No ground: height NaN.

Every ground answers
  height(x, z)   Y of the ground (the highest where there are several)
  normal(x, z)   (n, 3) unit, up
  depth(points)  how far a point below the ground has to go to come out, by the shortest way: along a riser's face it
                 is that much and no more. 0 above ground and where there is none.
"""

import numpy as np


def _segment_distance(p, a, b):
    """Distances (n, m) of points p (n, d) from segments a-b (m, d)."""
    d = b - a
    length = np.sum(d * d, axis=1)
    t = np.sum((p[:, None] - a[None]) * d[None], axis=2) / np.where(length > 0.0, length, 1.0)
    near = a[None] + np.clip(t, 0.0, 1.0)[..., None] * d[None]
    return np.linalg.norm(p[:, None] - near, axis=2)


class Ground:
    def gap(self, points):
        """Vertical distance of points over the ground below or above them; NaN where there is none."""
        return points[:, 1] - self.height(points[:, 0], points[:, 2])

    def depth(self, points):
        gap = self.gap(points)
        out = np.zeros(len(points))
        below = np.flatnonzero(gap < 0.0)
        if len(below):
            out[below] = self._distance(points[below], -gap[below])
        return out

    def _distance(self, points, below):
        return below * self.normal(points[:, 0], points[:, 2])[:, 1]


class Plane(Ground):
    def __init__(self, point, normal):
        self.point, normal = np.array(point, float), np.array(normal, float)
        self.up = normal / np.linalg.norm(normal)
        if self.up[1] < 0.0:
            self.up = -self.up
        if self.up[1] < 1e-6:
            raise ValueError("a plane that stands upright is no ground")

    def height(self, x, z):
        p, n = self.point, self.up
        return p[1] - (n[0] * (x - p[0]) + n[2] * (z - p[2])) / n[1]

    def normal(self, x, z):
        return np.broadcast_to(self.up, (len(x), 3))


class Profile(Ground):
    """Heights along one horizontal direction, the same all the way across. heading [rad]: 0 along +Z, a quarter turn
    along +X. Equal distances are a riser, a NaN height begins a gap. Level before the first and after the last."""

    def __init__(self, distances, heights, origin=(0.0, 0.0, 0.0), heading=0.0):
        self.distances, self.heights = np.array(distances, float), np.array(heights, float)
        self.origin, self.heading = np.array(origin, float), float(heading)
        self.along = np.array([np.sin(heading), 0.0, np.cos(heading)])
        d, h = self.distances, self.heights
        if (np.diff(d) < 0.0).any():
            raise ValueError("distances decrease")
        far = 1e4 + float(np.max(np.abs(d)))
        d = np.concatenate([[-far], d, [far]])
        h = np.concatenate([[h[0]], h, [h[-1]]])
        whole = ~(np.isnan(h[:-1]) | np.isnan(h[1:]))
        self.a = np.stack([d[:-1], h[:-1]], axis=1)[whole]
        self.b = np.stack([d[1:], h[1:]], axis=1)[whole]

    def _along(self, x, z):
        return (x - self.origin[0]) * self.along[0] + (z - self.origin[2]) * self.along[2]

    def _pick(self, s):
        """(height, segment): the highest of the segments over s; NaN and -1 where there is none."""
        a, b = self.a, self.b
        width = b[:, 0] - a[:, 0]
        flat = width > 0.0
        inside = (s[:, None] >= a[None, :, 0]) & (s[:, None] <= b[None, :, 0]) & flat[None]
        t = (s[:, None] - a[None, :, 0]) / np.where(flat, width, 1.0)[None]
        h = np.where(inside, a[None, :, 1] + t * (b - a)[None, :, 1], -np.inf)
        best = np.argmax(h, axis=1)
        top = h[np.arange(len(s)), best]
        return np.where(np.isfinite(top), top, np.nan), np.where(np.isfinite(top), best, -1)

    def height(self, x, z):
        return self._pick(self._along(np.asarray(x, float), np.asarray(z, float)))[0] + self.origin[1]

    def normal(self, x, z):
        _, k = self._pick(self._along(np.asarray(x, float), np.asarray(z, float)))
        d = (self.b - self.a)[k]
        d = d / np.linalg.norm(d, axis=1, keepdims=True)
        n = -d[:, 1:2] * self.along[None] + d[:, :1] * np.array([[0.0, 1.0, 0.0]])
        return np.where((k >= 0)[:, None], n, [[0.0, 1.0, 0.0]])

    def _distance(self, points, below):
        p = np.stack([self._along(points[:, 0], points[:, 2]), points[:, 1] - self.origin[1]], axis=1)
        return _segment_distance(p, self.a, self.b).min(axis=1)


def slope(degrees, start, length, origin=(0.0, 0.0, 0.0), heading=0.0):
    """A ramp that rises (or falls) by `degrees` from `start` over `length`, level on both sides; endless without."""
    rise = np.tan(np.radians(degrees))
    if length is None or not np.isfinite(length):
        length = 1e3
    return Profile([start, start + length], [0.0, rise * length], origin, heading)


def stairs(rise, run, count, start, origin=(0.0, 0.0, 0.0), heading=0.0):
    """`count` risers, the first at `start`, `run` apart."""
    distances, heights = [], []
    for k in range(int(count)):
        distances += [start + k * run] * 2
        heights += [k * rise, (k + 1) * rise]
    return Profile(distances, heights, origin, heading)


def gap(width, start, origin=(0.0, 0.0, 0.0), heading=0.0):
    """Level ground with nothing from `start` over `width`."""
    return Profile([start, start, start + width, start + width], [0.0, np.nan, np.nan, 0.0], origin, heading)


class HeightField(Ground):
    """Heights [k, i] on a grid, two triangles a cell, split from (i, k) to (i + 1, k + 1)."""

    def __init__(self, heights, step_x, step_z, origin=(0.0, 0.0, 0.0)):
        self.heights, self.step = np.array(heights, float), (float(step_x), float(step_z))
        self.origin = np.array(origin, float)

    def _cell(self, x, z):
        u, w = (x - self.origin[0]) / self.step[0], (z - self.origin[2]) / self.step[1]
        rows, columns = self.heights.shape
        inside = (u >= 0) & (w >= 0) & (u <= columns - 1) & (w <= rows - 1)
        i = np.clip(np.floor(u), 0, columns - 2).astype(int)
        k = np.clip(np.floor(w), 0, rows - 2).astype(int)
        u, w, h = u - i, w - k, self.heights
        h00, h10, h01, h11 = h[k, i], h[k, i + 1], h[k + 1, i], h[k + 1, i + 1]
        right = u >= w
        dx = np.where(right, h10 - h00, h11 - h01)
        dz = np.where(right, h11 - h10, h01 - h00)
        return np.where(inside, h00 + dx * u + dz * w, np.nan), dx / self.step[0], dz / self.step[1]

    def height(self, x, z):
        return self._cell(np.asarray(x, float), np.asarray(z, float))[0] + self.origin[1]

    def normal(self, x, z):
        h, dx, dz = self._cell(np.asarray(x, float), np.asarray(z, float))
        n = np.stack([-dx, np.ones(len(dx)), -dz], axis=1)
        n /= np.linalg.norm(n, axis=1, keepdims=True)
        return np.where(np.isnan(h)[:, None], [[0.0, 1.0, 0.0]], n)


class Mesh(Ground):
    """Triangles (m, 3, 3). Vertical queries try every triangle of the column that the point lies in; distances try
    every triangle."""

    CELL = 0.25

    def __init__(self, triangles):
        self.triangles = np.array(triangles, float).reshape(-1, 3, 3)
        a, b, c = self.triangles[:, 0], self.triangles[:, 1], self.triangles[:, 2]
        cross = np.cross(b - a, c - a)
        size = np.linalg.norm(cross, axis=1)
        self.triangles, cross, size = self.triangles[size > 0], cross[size > 0], size[size > 0]
        self.up = cross / size[:, None]
        self.up *= np.where(self.up[:, 1] < 0.0, -1.0, 1.0)[:, None]
        self.flat = np.flatnonzero(self.up[:, 1] > 1e-6)
        self.columns = None

    def _build(self):
        """Triangles by column of CELL metres; large ones in a list of their own."""
        self.columns, self.large = {}, []
        low = np.floor(self.triangles[self.flat].min(axis=1) / self.CELL - 1e-6).astype(int)
        high = np.floor(self.triangles[self.flat].max(axis=1) / self.CELL + 1e-6).astype(int)
        for t, lo, hi in zip(self.flat, low, high):
            if (hi[0] - lo[0] + 1) * (hi[2] - lo[2] + 1) > 400:
                self.large.append(t)
                continue
            for i in range(lo[0], hi[0] + 1):
                for k in range(lo[2], hi[2] + 1):
                    self.columns.setdefault((i, k), []).append(t)

    def _column(self, x, z, which):
        """Height and triangle of the highest of triangles `which` over each point."""
        tri = self.triangles[which]
        a, b, c = tri[:, 0], tri[:, 1], tri[:, 2]
        e, f = b - a, c - a
        area = e[:, 0] * f[:, 2] - e[:, 2] * f[:, 0]
        px, pz = x[:, None] - a[None, :, 0], z[:, None] - a[None, :, 2]
        u = (px * f[None, :, 2] - pz * f[None, :, 0]) / area
        v = (e[None, :, 0] * pz - e[None, :, 2] * px) / area
        inside = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1.0 + 1e-9)
        h = np.where(inside, a[None, :, 1] + u * e[None, :, 1] + v * f[None, :, 1], -np.inf)
        best = np.argmax(h, axis=1)
        top = h[np.arange(len(x)), best]
        return top, np.array(which)[best]

    def _pick(self, x, z):
        if self.columns is None:
            self._build()
        x, z = np.asarray(x, float), np.asarray(z, float)
        top, tri = np.full(len(x), -np.inf), np.full(len(x), -1)
        cell = np.stack([np.floor(x / self.CELL), np.floor(z / self.CELL)], axis=1).astype(int)
        keys, group = np.unique(cell, axis=0, return_inverse=True)
        group = group.reshape(-1)
        for g, key in enumerate(keys):
            which = self.columns.get(tuple(key), []) + self.large
            if not which:
                continue
            rows = np.flatnonzero(group == g)
            top[rows], tri[rows] = self._column(x[rows], z[rows], which)
        none = ~np.isfinite(top)
        return np.where(none, np.nan, top), np.where(none, -1, tri)

    def height(self, x, z):
        return self._pick(x, z)[0]

    def normal(self, x, z):
        tri = self._pick(x, z)[1]
        return np.where((tri >= 0)[:, None], self.up[tri], [[0.0, 1.0, 0.0]])

    def _distance(self, points, below):
        # the way straight up is a bound; triangles further than that need no look
        out = below.copy()
        low, high = self.triangles.min(axis=1), self.triangles.max(axis=1)
        for n, p in enumerate(points):
            near = np.flatnonzero(np.all((low <= p + out[n]) & (high >= p - out[n]), axis=1))
            if len(near):
                out[n] = min(out[n], triangle_distance(p, self.triangles[near]).min())
        return out


def triangle_distance(p, triangles):
    """Distances of one point from triangles (m, 3, 3)."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    inside = np.ones(len(triangles), bool)
    edges = []
    for s, t in ((a, b), (b, c), (c, a)):
        inside &= np.sum(np.cross(t - s, p - s) * normal, axis=1) >= 0.0
        edges.append(_segment_distance(p[None], s, t)[0])
    return np.where(inside, np.abs(np.sum((p - a) * normal, axis=1)), np.min(edges, axis=0))


def read_obj(path):
    """The faces of an OBJ file as a Mesh: v and f lines, polygons as fans, negative indices from the end."""
    points, triangles = [], []
    with open(path, encoding="latin-1") as file:
        for line in file.read().replace("\\\n", " ").split("\n"):
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] == "v":
                points.append([float(w) for w in words[1:4]])
            elif words[0] == "f":
                index = [int(w.split("/")[0]) for w in words[1:]]
                index = [i - 1 if i > 0 else len(points) + i for i in index]
                triangles += [(index[0], index[k], index[k + 1]) for k in range(1, len(index) - 1)]
    if not triangles:
        raise ValueError("%s: no faces" % path)
    return Mesh(np.array(points)[np.array(triangles)])


def difference(a, b, x, z):
    """Largest difference of two grounds' heights over the places (x, z), and the number where only one has ground."""
    p, q = a.height(x, z), b.height(x, z)
    only = np.isnan(p) != np.isnan(q)
    both = ~(np.isnan(p) | np.isnan(q))
    return (float(np.max(np.abs(p - q)[both])) if both.any() else 0.0), int(only.sum())


# ---- grounds as `surefoot adapt` names them ----

DEFAULTS = {"plane": {"height": 0.0, "pitch": 0.0, "roll": 0.0}, "slope": {"angle": 10.0, "length": None},
            "stairs": {"rise": 0.17, "run": 0.29, "count": 8, "down": 0}, "gap": {"width": 0.3, "depth": None},
            "rough": {"height": 0.08, "cell": 0.25, "seed": 1}}


def rough_heights(seed, columns, rows):
    """Numbers in [0, 1) of grid points: SplitMix64 over seed, column and row; both arrays of whole numbers."""
    mask = (1 << 64) - 1
    i, k = np.meshgrid(np.asarray(columns, np.int64), np.asarray(rows, np.int64))
    h = np.full(i.shape, int(seed) & mask, np.uint64)
    with np.errstate(over="ignore"):
        for step in (i, k):
            h = h + np.uint64(0x9e3779b97f4a7c15) + step.astype(np.uint64)
            h = (h ^ (h >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
            h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
            h = h ^ (h >> np.uint64(31))
    return (h >> np.uint64(11)).astype(float) / 2.0 ** 53


def from_spec(text, reach=30.0):
    """(ground, 'slope' or 'stairs') of a made ground with its place said, as the report names it: whose limits of
    pelvis jerk hold. `reach` [m]: rough ground is made that far around its origin."""
    kind, _, rest = text.partition(":")
    if kind not in DEFAULTS:
        raise ValueError("no ground called %r" % kind)
    v = dict(DEFAULTS[kind], x=0.0, y=0.0, z=0.0, heading=0.0, start=0.0)
    for pair in filter(None, rest.split(",")):
        key, _, value = pair.partition("=")
        if key not in v:
            raise ValueError("%s: no %r" % (kind, key))
        v[key] = float(value) if value else 1.0
    origin, turn = (v["x"], v["y"], v["z"]), np.radians(v["heading"])
    if kind == "plane":
        ahead, left = np.tan(np.radians(v["pitch"])), np.tan(np.radians(v["roll"]))
        s, c = np.sin(turn), np.cos(turn)
        return Plane((v["x"], v["y"] + v["height"], v["z"]), (-ahead * s - left * c, 1.0, -ahead * c + left * s)), "slope"
    if kind == "slope":
        return slope(v["angle"], v["start"], v["length"] or 1e4, origin, turn), "slope"
    if kind == "stairs":
        return stairs(-v["rise"] if v["down"] else v["rise"], v["run"], v["count"], v["start"], origin, turn), "stairs"
    if kind == "gap":
        if v["depth"] is None:
            return gap(v["width"], v["start"], origin, turn), "stairs"
        d, h = [v["start"]] * 2 + [v["start"] + v["width"]] * 2, [0.0, -v["depth"], -v["depth"], 0.0]
        return Profile(d, h, origin, turn), "stairs"
    n = int(np.ceil(reach / v["cell"]))
    line = np.arange(-n, n + 1)
    heights = v["height"] * (rough_heights(v["seed"], line, line) - 0.5)
    return HeightField(heights, v["cell"], v["cell"], np.array(origin) - [n * v["cell"], 0.0, n * v["cell"]]), "stairs"
