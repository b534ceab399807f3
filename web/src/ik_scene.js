// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** Four figures side by side, each in a pane of its own, under one camera, with one target. */

import { SOLVERS } from "./lab_module.js";
import * as THREE from "./three.js";
import { TiledGround } from "./tiles.js";

const COLOUR = { bone: 0x2a9d96, target: 0x3e7cb1, miss: 0xd62828, pole: 0xe08a2c };
const UP = new THREE.Vector3(0, 1, 0);
/** What must be in sight of a figure [m]. */
const WIDE = 1.7;
const HIGH = 2.1;
/** A pointer so near to the target takes it [pixels]. */
const NEAR = 34;

class Bones {
  /** @param {{ parents: number[] }} figure */
  constructor({ parents }) {
    this.pairs = parents.map((parent, child) => [parent, child]).filter(([parent]) => parent >= 0);
    const shape = new THREE.OctahedronGeometry(0.5);
    shape.translate(0, 0.5, 0);
    this.bones = new THREE.InstancedMesh(shape, new THREE.MeshLambertMaterial({ color: COLOUR.bone }), this.pairs.length);
    this.bones.frustumCulled = false;
    const line = (color) => {
      const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(new Float32Array(6), 3));
      const made = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color }));
      made.frustumCulled = false;
      return made;
    };
    const ball = (radius, color) => new THREE.Mesh(new THREE.SphereGeometry(radius, 20, 14), new THREE.MeshLambertMaterial({ color }));
    this.target = ball(0.035, COLOUR.target);
    this.pole = ball(0.02, COLOUR.pole);
    this.miss = line(COLOUR.miss);
    this.polar = line(COLOUR.pole);
    this.group = new THREE.Group();
    this.group.add(this.bones, this.target, this.pole, this.miss, this.polar);
  }

  static #between(line, from, to) {
    line.geometry.attributes.position.array.set([...from, ...to]);
    line.geometry.attributes.position.needsUpdate = true;
  }

  show(places, target, end) {
    const at = (joint) => new THREE.Vector3().fromArray(places, 3 * joint);
    const turn = new THREE.Quaternion();
    const place = new THREE.Matrix4();
    this.pairs.forEach(([parent, child], i) => {
      const from = at(parent);
      const way = at(child).sub(from);
      const length = way.length();
      turn.setFromUnitVectors(UP, length > 0 ? way.divideScalar(length) : UP);
      const width = Math.min(0.36 * length, 0.09);
      this.bones.setMatrixAt(i, place.compose(from, turn, new THREE.Vector3(width, length, width)));
    });
    this.bones.instanceMatrix.needsUpdate = true;
    this.target.position.fromArray(target);
    Bones.#between(this.miss, places.subarray(3 * end, 3 * end + 3), target);
  }

  /** @param {Float64Array | null} from root of the limb; null: no pole counts here */
  showPole(from, pole) {
    this.pole.visible = this.polar.visible = from !== null;
    if (from === null) return;
    const to = pole.map((value, i) => from[i] + 0.4 * value);
    this.pole.position.fromArray(to);
    Bones.#between(this.polar, from, to);
  }

  dispose() {
    this.group.removeFromParent();
    this.group.traverse((object) => {
      object.geometry?.dispose();
      object.material?.dispose();
    });
  }
}

export class IkScene {
  /** @param {import("./stage.js").Stage} stage */
  constructor(stage) {
    this.stage = stage;
    this.panes = [];
    this.figure = null;
    this.target = [0, 1, 0];
    this.ground = TiledGround.level(4, 0.25);
  }

  /** @param {{ parents: number[], places: Float64Array, end: number, limb: number[], pole: Float64Array }} figure */
  setFigure(figure) {
    this.clear();
    this.figure = figure;
    this.panes = SOLVERS.map(() => new Bones(figure));
    for (const { group } of this.panes) this.stage.scene.add(group);
  }

  clear() {
    for (const pane of this.panes) pane.dispose();
    this.panes = [];
    this.figure = null;
  }

  enter() {
    this.stage.scene.add(this.ground.mesh);
    this.stage.painter = (renderer) => this.#paint(renderer);
    this.frame();
  }

  leave() {
    this.stage.painter = null;
    this.stage.grid.visible = true;
    this.ground.mesh.removeFromParent();
    this.clear();
    this.stage.resize();
  }

  /** Turns the camera to the figures. */
  frame() {
    const { camera, controls } = this.stage;
    const { distance } = this.#layout();
    controls.target.set(0.1, 0.92, 0.1);
    camera.position.set(0.45, 0.28, 0.85).normalize().multiplyScalar(distance).add(controls.target);
    controls.update();
    this.stage.invalidate();
  }

  /** Panes in rows: whichever of four by one and two by two shows figures larger. */
  #layout() {
    const { clientWidth, clientHeight } = this.stage.canvas;
    const tangent = Math.tan((this.stage.camera.fov * Math.PI) / 360);
    const of = (columns) => {
      const width = clientWidth / columns;
      const height = (clientHeight * columns) / SOLVERS.length;
      const distance = Math.max(HIGH / 2 / tangent, WIDE / 2 / (tangent * (width / height)));
      // Of the pixels that a metre has.
      return { columns, width, height, distance, size: height / distance };
    };
    const [row, square] = [of(4), of(2)];
    return row.size >= square.size ? row : square;
  }

  /** Where pane i lies, from the upper left [CSS pixels]. */
  pane(i) {
    const { columns, width, height } = this.#layout();
    return { left: (i % columns) * width, top: Math.floor(i / columns) * height, width, height };
  }

  #paint(renderer) {
    const { camera, canvas, scene } = this.stage;
    this.ground.dress();
    // A change of theme makes it anew.
    this.stage.grid.visible = false;
    renderer.setScissorTest(true);
    this.panes.forEach((_, i) => {
      const { left, top, width, height } = this.pane(i);
      const bottom = canvas.clientHeight - top - height;
      this.panes.forEach(({ group }, other) => (group.visible = other === i));
      this.#lookInto(camera, width, height);
      renderer.setViewport(left, bottom, width, height);
      renderer.setScissor(left, bottom, width, height);
      renderer.render(scene, camera);
    });
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, canvas.clientWidth, canvas.clientHeight);
  }

  #lookInto(camera, width, height) {
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
  }

  /** @param {{ places: Float64Array }[]} answers @param {boolean} pole whether it counts */
  show(answers, target, pole) {
    this.target = target;
    const root = 3 * this.figure.limb[0];
    answers.forEach(({ places }, i) => {
      this.panes[i].show(places, target, this.figure.end);
      this.panes[i].showPole(pole && i === 0 ? places.subarray(root, root + 3) : null, [...this.figure.pole]);
    });
    this.stage.invalidate();
  }

  #inPane(event, i) {
    const box = this.stage.canvas.getBoundingClientRect();
    const { left, top, width, height } = this.pane(i);
    return { x: event.clientX - box.left - left, y: event.clientY - box.top - top, width, height };
  }

  /** Where the target is seen in a pane [CSS pixels of the canvas]. */
  seen(i) {
    const { left, top, width, height } = this.pane(i);
    this.#lookInto(this.stage.camera, width, height);
    const at = new THREE.Vector3().fromArray(this.target).project(this.stage.camera);
    return { x: left + ((at.x + 1) / 2) * width, y: top + ((1 - at.y) / 2) * height };
  }

  /** @returns {number | null} the pane in which a pointer is on the target */
  paneAt(event) {
    const box = this.stage.canvas.getBoundingClientRect();
    const i = this.panes.findIndex((_, pane) => {
      const { x, y } = this.seen(pane);
      return Math.hypot(event.clientX - box.left - x, event.clientY - box.top - y) < NEAR;
    });
    return i < 0 ? null : i;
  }

  /** Where a pointer over pane i points at, in the camera's plane through the target. @returns {number[]} */
  pointedAt(event, i) {
    const { x, y, width, height } = this.#inPane(event, i);
    const { camera } = this.stage;
    this.#lookInto(camera, width, height);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2((x / width) * 2 - 1, 1 - (y / height) * 2), camera);
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(camera.getWorldDirection(new THREE.Vector3()), new THREE.Vector3().fromArray(this.target));
    return ray.ray.intersectPlane(plane, new THREE.Vector3())?.toArray() ?? this.target;
  }

  /** The target moved along the camera's right, up and forward [m]. @returns {number[]} */
  moved(right, up, ahead) {
    const { camera } = this.stage;
    camera.updateMatrixWorld();
    const axes = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
    camera.matrixWorld.extractBasis(...axes);
    return new THREE.Vector3().fromArray(this.target).addScaledVector(axes[0], right).addScaledVector(axes[1], up).addScaledVector(axes[2], -ahead).toArray();
  }
}
