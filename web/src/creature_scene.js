// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** What is seen about a creature that is led: the ground it walks on, its goal, and what its feet do. */

import * as THREE from "./three.js";
import { TiledGround } from "./tiles.js";

const COLOUR = { stands: 0x2a9d96, swings: 0xe08a2c, lost: 0xd62828, goal: 0x3e7cb1 };
const UP = new THREE.Vector3(0, 0, 1);
const TRAIL = 240;

/** Triangles of an OBJ that has places and faces only. */
export function trianglesOf(text) {
  const points = [];
  const triangles = [];
  for (const line of text.split("\n")) {
    const [word, ...rest] = line.split(" ");
    if (word === "v") points.push(rest.map(Number));
    if (word !== "f") continue;
    const corners = rest.map((index) => points[Number(index) < 0 ? points.length + Number(index) : Number(index) - 1]);
    for (let i = 2; i < corners.length; ++i) triangles.push(...corners[0], ...corners[i - 1], ...corners[i]);
  }
  return new Float32Array(triangles);
}

const place = (object, [x, y, z]) => object.position.set(x, y, z);

export class CreatureScene {
  #ray = new THREE.Raycaster();
  #level = new THREE.Plane(new THREE.Vector3(0, 1, 0), 0);

  /** @param {import("./stage.js").Stage} stage */
  constructor(stage) {
    this.stage = stage;
    this.group = new THREE.Group();
    this.feet = [];
    this.ground = null;
    this.goal = new THREE.Group();
    const material = new THREE.MeshBasicMaterial({ color: COLOUR.goal, transparent: true, opacity: 0.7 });
    const disc = new THREE.Mesh(new THREE.CircleGeometry(1, 32), material);
    disc.rotation.x = -Math.PI / 2;
    const ball = new THREE.Mesh(new THREE.SphereGeometry(0.4, 16, 12), material);
    ball.position.y = 0.6;
    this.goal.add(disc, ball);
    this.goal.visible = false;
    const circle = Array.from({ length: 97 }, (_, i) => [Math.cos((i * Math.PI) / 48), 0, Math.sin((i * Math.PI) / 48)]);
    const round = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(new Float32Array(circle.flat()), 3));
    /** About one that stands: for goals beyond it, it sets out. */
    this.ring = new THREE.Line(round, new THREE.LineBasicMaterial({ color: COLOUR.goal, transparent: true, opacity: 0.6 }));
    this.group.add(this.goal, this.ring);
  }

  enter() {
    this.stage.scene.add(this.group);
    this.stage.painter = (renderer) => {
      this.ground?.dress();
      // A change of theme makes it anew.
      this.stage.grid.visible = false;
      renderer.render(this.stage.scene, this.stage.camera);
    };
  }

  leave() {
    this.group.removeFromParent();
    this.stage.painter = null;
    this.stage.grid.visible = true;
  }

  /** @param {string} obj @param {number} size of its tiles [m] */
  setGround(obj, size) {
    this.ground?.dispose();
    this.ground = new TiledGround(trianglesOf(obj), size);
    this.group.add(this.ground.mesh);
  }

  /** @param {number} reach radius of the ring [m] */
  setReach(reach) {
    this.ring.scale.setScalar(reach);
  }

  /** @param {number} legs @param {number} size of the creature [m] */
  setFeet(legs, size) {
    for (const { marks } of this.feet) for (const mark of marks) this.#drop(mark);
    this.size = size;
    this.goal.scale.setScalar(0.05 * size);
    this.feet = Array.from({ length: legs }, () => {
      const paint = (opacity) => new THREE.MeshBasicMaterial({ transparent: true, opacity });
      const ball = new THREE.Mesh(new THREE.SphereGeometry(0.016 * size, 12, 8), paint(1));
      const disc = new THREE.Mesh(new THREE.CircleGeometry(0.035 * size, 24), paint(0.7));
      const foothold = new THREE.Mesh(new THREE.CircleGeometry(0.035 * size, 24), paint(0.35));
      const path = new Float32Array(3 * TRAIL);
      const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(path, 3));
      const trail = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: COLOUR.swings, transparent: true, opacity: 0.6 }));
      trail.frustumCulled = false;
      ball.renderOrder = 1;
      const marks = [ball, disc, foothold, trail];
      this.group.add(...marks);
      return { marks, ball, disc, foothold, trail, path, count: 0 };
    });
  }

  #drop(mark) {
    mark.removeFromParent();
    mark.geometry.dispose();
    mark.material.dispose();
  }

  /** While a recording is shown, nothing of the one that is led is. */
  setLive(live) {
    for (const { marks } of this.feet) for (const mark of marks) mark.visible = live;
    if (!live) this.goal.visible = this.ring.visible = false;
  }

  clearTrails() {
    for (const foot of this.feet) foot.count = 0;
  }

  /** @param {import("./lab_module.js").Look} look @param {{ trails: boolean, marks: boolean }} wanted */
  show(look, { trails, marks }) {
    this.#level.constant = -look.place[1];
    place(this.ring, look.place);
    this.ring.position.y += 0.01 * this.size;
    this.ring.visible = marks && !look.moving;
    look.legs.forEach((leg, i) => {
      const foot = this.feet[i];
      const colour = !leg.standing ? COLOUR.lost : leg.swinging ? COLOUR.swings : COLOUR.stands;
      for (const mark of [foot.ball, foot.disc]) mark.material.color.setHex(colour);
      foot.foothold.material.color.setHex(COLOUR.swings);
      for (const mark of foot.marks) mark.visible = marks;
      place(foot.ball, leg.joint);
      this.#lay(foot.disc, leg.position, leg.normal, leg.ankle);
      foot.disc.visible = marks && leg.standing && !leg.swinging;
      this.#lay(foot.foothold, leg.to, leg.toNormal, leg.ankle);
      foot.foothold.visible = marks && leg.swinging;
      this.#grow(foot, leg.joint);
      foot.trail.visible = trails && foot.count > 1;
    });
  }

  /** On the ground below a foot joint. */
  #lay(disc, [x, y, z], [nx, ny, nz], ankle) {
    const down = ankle - 0.006 * this.size;
    disc.position.set(x - down * nx, y - down * ny, z - down * nz);
    disc.quaternion.setFromUnitVectors(UP, new THREE.Vector3(nx, ny, nz));
  }

  #grow(foot, [x, y, z]) {
    const { path } = foot;
    const last = 3 * (foot.count - 1);
    if (foot.count > 0 && Math.hypot(path[last] - x, path[last + 1] - y, path[last + 2] - z) < 0.002 * this.size) return;
    if (foot.count === TRAIL) path.copyWithin(0, 3);
    else ++foot.count;
    path.set([x, y, z], 3 * (foot.count - 1));
    foot.trail.geometry.attributes.position.needsUpdate = true;
    foot.trail.geometry.setDrawRange(0, foot.count);
  }

  /** @param {[number, number] | null} goal x and z [m] */
  setGoal(goal) {
    this.goal.visible = goal !== null;
    if (goal === null) return;
    this.goal.position.set(goal[0], this.#heightAt(goal) + 0.004 * this.size, goal[1]);
  }

  #heightAt([x, z]) {
    if (this.ground === null) return 0;
    this.#ray.set(new THREE.Vector3(x, 1000, z), new THREE.Vector3(0, -1, 0));
    return this.#ray.intersectObject(this.ground.mesh)[0]?.point.y ?? 0;
  }

  /** Where a pointer points at the ground. @returns {[number, number] | null} x and z [m] */
  pointedAt(event) {
    const { left, top, width, height } = this.stage.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(((event.clientX - left) / width) * 2 - 1, 1 - ((event.clientY - top) / height) * 2);
    this.#ray.setFromCamera(at, this.stage.camera);
    const hit = this.ground === null ? undefined : this.#ray.intersectObject(this.ground.mesh)[0]?.point;
    const point = hit ?? this.#ray.ray.intersectPlane(this.#level, new THREE.Vector3());
    return point === null ? null : [point.x, point.z];
  }
}
