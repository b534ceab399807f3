// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** Ground that is seen to go by: triangles with tiles laid over them, in the colours of the theme. */

import * as THREE from "./three.js";

const LOOKS = { light: ["#e9e5dc", "#c3bcae", "#8f8672"], dark: ["#2c323a", "#4a525d", "#8a93a0"] };
/** Of more triangles than this, edges would be a net. */
const EDGED = 3000;

/** Behind its own edges and what lies on it, by more than a long face's depth is off. */
const BEHIND = { polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 200 };

/** Risers are darker than what is stood on. */
function shades(normals) {
  const colours = new Float32Array(normals.length);
  for (let i = 0; i < normals.length; i += 3) colours.fill(Math.abs(normals[i + 1]) < 0.5 ? 0.7 : 1, i, i + 3);
  return colours;
}

/** A square with a line about it, to be laid side by side. */
function tile([paper, line]) {
  const canvas = Object.assign(document.createElement("canvas"), { width: 128, height: 128 });
  const pen = canvas.getContext("2d");
  pen.fillStyle = paper;
  pen.fillRect(0, 0, 128, 128);
  pen.strokeStyle = line;
  pen.lineWidth = 4;
  pen.strokeRect(0, 0, 128, 128);
  const texture = new THREE.CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.anisotropy = 2;
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

export class TiledGround {
  #theme = null;

  /** @param {Float32Array} corners x, y, z of each, three to a triangle @param {number} size of a tile [m] */
  constructor(corners, size) {
    const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(corners, 3));
    // Tiles run on over risers: across and along, and up where it is steep.
    const uv = new Float32Array((corners.length / 3) * 2);
    for (let i = 0; i < corners.length / 3; ++i) {
      uv[2 * i] = corners[3 * i] / size;
      uv[2 * i + 1] = (corners[3 * i + 2] + corners[3 * i + 1]) / size;
    }
    geometry.setAttribute("uv", new THREE.BufferAttribute(uv, 2));
    geometry.computeVertexNormals();
    geometry.setAttribute("color", new THREE.BufferAttribute(shades(geometry.attributes.normal.array), 3));
    this.mesh = new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ side: THREE.DoubleSide, flatShading: true, vertexColors: true, ...BEHIND }));
    if (corners.length > 3 * EDGED) return;
    this.edges = new THREE.LineSegments(new THREE.EdgesGeometry(geometry, 10), new THREE.LineBasicMaterial());
    this.edges.raycast = () => {};
    this.mesh.add(this.edges);
  }

  /** A level square about the origin. @param {number} reach to its sides [m] */
  static level(reach, size) {
    const [a, b, c, d] = [[-reach, -reach], [-reach, reach], [reach, reach], [reach, -reach]].map(([x, z]) => [x, 0, z]);
    return new TiledGround(new Float32Array([a, b, c, a, c, d].flat()), size);
  }

  /** Before it is drawn: the theme may have changed. */
  dress() {
    const theme = document.documentElement.dataset.theme ?? "light";
    if (theme === this.#theme) return;
    this.#theme = theme;
    this.mesh.material.map?.dispose();
    this.mesh.material.map = tile(LOOKS[theme]);
    this.mesh.material.needsUpdate = true;
    this.edges?.material.color.set(LOOKS[theme][2]);
  }

  dispose() {
    this.mesh.removeFromParent();
    this.edges?.geometry.dispose();
    this.edges?.material.dispose();
    this.mesh.geometry.dispose();
    this.mesh.material.map?.dispose();
    this.mesh.material.dispose();
  }
}
