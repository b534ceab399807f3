// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** Before against after in one frame: lines between the same joints, bones the redder the further they went. */

import * as THREE from "./three.js";

const FULL = 0.06; // parts of the figure's height that are drawn as far as it goes
const NEAR = new THREE.Color(0x2a9d96);
const FAR = new THREE.Color(0xd62828);

export class Difference {
  /**
   * @param {import("./figure.js").Figure} before
   * @param {import("./figure.js").Figure} after
   * @param {(joint: string) => string | undefined} joint its own name of a joint of the clip
   * @param {number} size of the figure [m]
   */
  constructor(before, after, joint, size) {
    this.after = after;
    this.full = FULL * size;
    const bones = new Set(before.pairs.flat());
    this.pairs = [...before.joints].flatMap(([name, object]) => {
      const other = after.joints.get(joint(name));
      return other === undefined || !bones.has(object) ? [] : [{ name, object, other }];
    });
    const attribute = () => new THREE.BufferAttribute(new Float32Array(6 * this.pairs.length), 3);
    const geometry = new THREE.BufferGeometry().setAttribute("position", attribute()).setAttribute("color", attribute());
    this.lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true }));
    this.lines.frustumCulled = false;
  }

  /** Draws the poses at hand. @returns {{ joint: string, distance: number }} the furthest [m] */
  update() {
    const [a, b] = [new THREE.Vector3(), new THREE.Vector3()];
    const { position, color } = this.lines.geometry.attributes;
    const shades = new Map();
    const most = { joint: "", distance: 0 };
    this.pairs.forEach(({ name, object, other }, i) => {
      a.setFromMatrixPosition(object.matrixWorld);
      b.setFromMatrixPosition(other.matrixWorld);
      const distance = a.distanceTo(b);
      if (distance > most.distance) Object.assign(most, { joint: name, distance });
      const shade = NEAR.clone().lerp(FAR, Math.min(1, distance / this.full));
      shades.set(other, shade);
      for (const [k, place] of [a, b].entries()) {
        position.setXYZ(2 * i + k, place.x, place.y, place.z);
        color.setXYZ(2 * i + k, shade.r, shade.g, shade.b);
      }
    });
    position.needsUpdate = color.needsUpdate = true;
    this.after.shade((object) => shades.get(object) ?? NEAR);
    return most;
  }
}
