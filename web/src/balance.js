// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** Where the mass of a figure is, about: of people by the table of Winter (2009), of others by the length of their bones. */

import * as THREE from "./three.js";

// Part of the body's mass, and where on the way from the first joint to the second it is.
const SEGMENTS = [
  ["upper_arm", "forearm", 0.028, 0.436],
  ["forearm", "hand", 0.016, 0.43],
  ["hand", null, 0.006, 0],
  ["thigh", "shin", 0.1, 0.433],
  ["shin", "foot", 0.0465, 0.433],
  ["foot", "toe", 0.0145, 0.5],
];
const TRUNK = 0.497;
const HEAD = 0.081;

/** @returns {{ from: string, to: string, share: number, at: number }[] | null} null: no body with two legs and arms */
export function segmentsOf({ legs, meanings }) {
  const find = (part, side) => meanings.find((one) => one.part === part && one.side === side && one.place === 0)?.joint;
  const hips = find("hips", "middle");
  const neck = find("neck", "middle") ?? find("head", "middle");
  if (legs.length !== 2 || hips === undefined || neck === undefined) return null;
  const segments = [
    { from: hips, to: neck, share: TRUNK, at: 0.5 },
    { from: find("head", "middle") ?? neck, to: neck, share: HEAD, at: 0 },
  ];
  for (const side of ["left", "right"])
    for (const [first, second, share, at] of SEGMENTS) {
      const from = find(first, side);
      if (from === undefined) continue;
      segments.push({ from, to: (second === null ? undefined : find(second, side)) ?? from, share, at });
    }
  return segments;
}

export class Balance {
  #parts = [];

  /**
   * @param {import("./figure.js").Figure} figure
   * @param {object} info of the clip
   * @param {(joint: string) => string | undefined} joint the figure's own name of a joint of the clip
   */
  constructor(figure, info, joint) {
    for (const { from, to, share, at } of segmentsOf(info) ?? []) {
      const pair = [from, to].map((name) => figure.joints.get(joint(name)));
      if (pair.every((one) => one !== undefined)) this.#parts.push({ pair, share, at });
    }
    if (this.#parts.length > 0) return;
    const [a, b] = [new THREE.Vector3(), new THREE.Vector3()];
    for (const pair of figure.pairs) {
      const share = a.setFromMatrixPosition(pair[0].matrixWorld).distanceTo(b.setFromMatrixPosition(pair[1].matrixWorld));
      this.#parts.push({ pair, share, at: 0.5 });
    }
  }

  /** @returns {THREE.Vector3} of the pose at hand */
  place() {
    const sum = new THREE.Vector3();
    const [a, b] = [new THREE.Vector3(), new THREE.Vector3()];
    let mass = 0;
    for (const { pair, share, at } of this.#parts) {
      a.setFromMatrixPosition(pair[0].matrixWorld).lerp(b.setFromMatrixPosition(pair[1].matrixWorld), at);
      sum.addScaledVector(a, share);
      mass += share;
    }
    return mass > 0 ? sum.divideScalar(mass) : sum;
  }
}

/** A ball at a place, a ring on the ground below, and a line between. */
export class BalanceMark {
  constructor(size, colour) {
    const material = new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, opacity: 0.9 });
    this.group = new THREE.Group();
    this.ball = new THREE.Mesh(new THREE.SphereGeometry(0.018 * size, 16, 12), material);
    this.ring = new THREE.Mesh(new THREE.RingGeometry(0.025 * size, 0.04 * size, 32), material);
    this.ring.rotation.x = -Math.PI / 2;
    const path = new THREE.BufferAttribute(new Float32Array(6), 3);
    this.line = new THREE.Line(new THREE.BufferGeometry().setAttribute("position", path), new THREE.LineBasicMaterial({ color: colour }));
    this.line.frustumCulled = false;
    this.group.add(this.ball, this.ring, this.line);
    for (const part of this.group.children) part.renderOrder = 2;
  }

  /** @param {THREE.Vector3} place @param {number} ground height of it there */
  put(place, ground) {
    this.ball.position.copy(place);
    this.ring.position.set(place.x, ground + 0.004, place.z);
    const path = this.line.geometry.attributes.position;
    path.setXYZ(0, place.x, place.y, place.z);
    path.setXYZ(1, place.x, ground, place.z);
    path.needsUpdate = true;
  }
}
