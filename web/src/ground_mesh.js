// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** Ground as the command writes it with --ground-out: drawn, and asked how high it is. */

import * as THREE from "./three.js";

const CELL = 0.5; // [m] of the grid in which triangles are looked up
const ABOVE = 0.1; // [m] ground that is as much higher than a toe is still below it

export class GroundMesh {
  /** @param {number[]} corners x, y, z of three corners a triangle @param {number} unit of them [m] */
  constructor(corners, unit = 1) {
    this.unit = unit;
    this.cell = CELL / unit;
    this.corners = Float32Array.from(corners);
    this.cells = new Map();
    for (let t = 0; t < corners.length; t += 9) {
      const range = (axis) => {
        const values = [corners[t + axis], corners[t + 3 + axis], corners[t + 6 + axis]];
        return [Math.floor(Math.min(...values) / this.cell), Math.floor(Math.max(...values) / this.cell)];
      };
      const [left, right] = range(0);
      const [near, far] = range(2);
      for (let i = left; i <= right; ++i)
        for (let k = near; k <= far; ++k) {
          const key = `${i},${k}`;
          if (!this.cells.has(key)) this.cells.set(key, []);
          this.cells.get(key).push(t);
        }
    }
  }

  /** @param {string} text OBJ with Y up: corners and faces, as --ground-out writes them @param {number} unit of it [m] */
  static parse(text, unit) {
    const points = [];
    const corners = [];
    for (const line of text.split("\n")) {
      const [kind, ...words] = line.trim().split(/\s+/);
      if (kind === "v") points.push(words.slice(0, 3).map(Number));
      if (kind !== "f") continue;
      const face = words.map((word) => {
        const index = Number.parseInt(word, 10);
        return points[index < 0 ? points.length + index : index - 1];
      });
      for (let i = 2; i < face.length; ++i) corners.push(...face[0], ...face[i - 1], ...face[i]);
    }
    return new GroundMesh(corners, unit);
  }

  /** Height at x, z: of the highest ground that is not above y by more than a hand. NaN: there is none. */
  heightAt(x, z, y) {
    const { corners: c } = this;
    let height = NaN;
    for (const t of this.cells.get(`${Math.floor(x / this.cell)},${Math.floor(z / this.cell)}`) ?? []) {
      const [ax, ay, az] = [c[t], c[t + 1], c[t + 2]];
      const [ux, uz, vx, vz] = [c[t + 3] - ax, c[t + 5] - az, c[t + 6] - ax, c[t + 8] - az];
      const area = ux * vz - uz * vx;
      if (Math.abs(area) < 1e-12 * this.cell * this.cell) continue; // upright
      const u = ((x - ax) * vz - (z - az) * vx) / area;
      const v = (ux * (z - az) - uz * (x - ax)) / area;
      if (u < -1e-6 || v < -1e-6 || u + v > 1 + 1e-6) continue;
      const at = ay + u * (c[t + 4] - ay) + v * (c[t + 7] - ay);
      if (at <= y + ABOVE / this.unit && !(at <= height)) height = at;
    }
    return height;
  }

  /** @returns {THREE.Group} to be put into the stage */
  draw() {
    const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(this.corners, 3));
    geometry.computeVertexNormals();
    const surface = new THREE.MeshLambertMaterial({
      color: 0x9aa0a8,
      side: THREE.DoubleSide,
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 1,
    });
    const edges = new THREE.LineSegments(new THREE.EdgesGeometry(geometry, 1), new THREE.LineBasicMaterial({ color: 0x6d747d }));
    return new THREE.Group().add(new THREE.Mesh(geometry, surface), edges);
  }
}
