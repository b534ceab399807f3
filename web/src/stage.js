// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** What is seen: ground, figures, trails, planted points and the camera. Draws when something changed, not all the time. */

import * as THREE from "./three.js";

const LOOKS = {
  light: { ground: 0xf4f2ee, line: 0xd5d0c6, strong: 0xb5aea1 },
  dark: { ground: 0x16191d, line: 0x2b3037, strong: 0x444b55 },
};
const SIDES = {
  front: [0, 0.25, 1],
  side: [1, 0.25, 0],
  top: [0, 1, 1e-3],
  free: [0.75, 0.45, 0.85],
};

function dispose(objects) {
  objects?.traverse((object) => {
    object.geometry?.dispose();
    object.material?.dispose();
  });
}

const LOWER = 0.12; // of the figure's size
const FAR = 3.1; // likewise
const AROUND = 1.15; // room beside what is to be seen whole

export class Stage {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(35, 1, 0.01, 500);
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => {
      canvas.dataset.distance = this.controls.getDistance().toFixed(4);
      canvas.dataset.turn = this.controls.getAzimuthalAngle().toFixed(4);
      this.invalidate();
    });
    const sun = new THREE.DirectionalLight(0xffffff, 2.2);
    sun.position.set(2, 4, 3);
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8f98, 1.6), sun);
    this.extras = new THREE.Group();
    this.scene.add(this.extras);
    this.centre = new THREE.Vector3(0, 0.9, 0);
    this.size = 2;
    this.scenery = null;
    this.followed = new THREE.Vector3();
    /** @type {((renderer: THREE.WebGLRenderer) => void) | null} draws instead, for pages of several panes */
    this.painter = null;
    this.#pending = false;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.setTheme("light");
    this.look("free");
  }

  #pending;
  #spread = 0; // half the width that is to be seen whole
  #start = new THREE.Vector3();
  #raised = 0; // what the camera was taken up by, following [m]

  invalidate() {
    if (this.#pending) return;
    this.#pending = true;
    requestAnimationFrame(() => {
      this.#pending = false;
      this.#draw();
    });
  }

  #draw() {
    if (this.painter !== null) this.painter(this.renderer);
    else this.renderer.render(this.scene, this.camera);
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    const far = this.#far();
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.#back(this.#far() / far);
    this.invalidate();
  }

  setTheme(name) {
    const look = LOOKS[name];
    this.scene.background = new THREE.Color(look.ground);
    const height = this.grid?.position.y ?? 0;
    this.grid?.removeFromParent();
    this.grid?.dispose();
    this.grid = new THREE.GridHelper(40, 80, look.strong, look.line);
    this.grid.position.y = height;
    this.grid.visible = this.scenery === null;
    this.scene.add(this.grid);
    this.invalidate();
  }

  /** Ground to stand on in the grid's place; null: the grid. @param {THREE.Object3D | null} scenery */
  setScenery(scenery) {
    this.scenery?.removeFromParent();
    dispose(this.scenery);
    this.scenery = scenery;
    this.grid.visible = scenery === null;
    if (scenery !== null) this.scene.add(scenery);
    this.invalidate();
  }

  /** Puts camera and ground where a figure is: a box around it, the height it stands on [m], what follow goes by. */
  frame(box, ground, place = undefined) {
    box.getCenter(this.centre);
    this.followed.copy(place ?? this.centre); // null: nothing travels
    this.#start.copy(this.followed);
    this.size = Math.max(0.2, box.getSize(new THREE.Vector3()).y, 0.5 * box.getSize(new THREE.Vector3()).length());
    this.grid.position.y = ground;
    this.#raised = 0;
    this.look("free");
  }

  /** Where the camera is and what it is turned to, to be brought back behind a page with a scene of its own. */
  get viewpoint() {
    const { camera, controls, centre, followed, grid, size } = this;
    return { position: camera.position.clone(), target: controls.target.clone(), centre: centre.clone(), followed: followed.clone(), ground: grid.position.y, size };
  }

  set viewpoint({ position, target, centre, followed, ground, size }) {
    this.camera.position.copy(position);
    this.controls.target.copy(target);
    this.centre.copy(centre);
    this.followed.copy(followed);
    this.grid.position.y = ground;
    this.size = size;
    this.controls.update();
    this.invalidate();
  }

  /** @param {"front" | "side" | "top" | "free"} side */
  look(side) {
    const direction = new THREE.Vector3(...SIDES[side]).normalize();
    // A little low, so that the figure stands above the tools at the stage's foot.
    this.controls.target.copy(this.centre).add(this.followed).sub(this.#start);
    this.controls.target.y -= LOWER * this.size;
    this.camera.position.copy(this.controls.target).addScaledVector(direction, this.#far());
    this.controls.update();
    this.invalidate();
  }

  /** Keeps figures side by side in a narrow window. @param {number} spread half their width; 0: one figure, of any width */
  setSpread(spread) {
    const far = this.#far();
    this.#spread = spread;
    this.#back(this.#far() / far);
  }

  /** How far the camera stands off. */
  #far() {
    const half = Math.tan((this.camera.fov * Math.PI) / 360) * this.camera.aspect;
    return Math.max(FAR * this.size, (AROUND * this.#spread) / half);
  }

  #back(times) {
    if (times === 1) return;
    const { camera, controls } = this;
    camera.position.sub(controls.target).multiplyScalar(times).add(controls.target);
    controls.update();
    this.invalidate();
  }

  /** Moves the camera with a place of the figure; `rises`: up and down too. */
  follow(place, rises = false) {
    const moved = place.clone().sub(this.followed);
    // On level ground a figure's bobbing is its own; where stairs led up before, the camera comes down again.
    if (!rises) moved.setY(-this.#raised);
    this.#raised += moved.y;
    this.followed.add(moved);
    this.camera.position.add(moved);
    this.controls.target.add(moved);
    this.controls.update();
  }

  clearExtras() {
    dispose(this.extras);
    this.extras.clear();
  }

  /** @param {Float32Array} path x, y, z of each frame */
  addTrail(path, colour, offset) {
    const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(path, 3));
    const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour }));
    line.position.copy(offset);
    this.extras.add(line);
    return line;
  }

  /** @param {number} [height] of the ground there; else that of the grid */
  addPlantedPoint(place, colour, height = this.grid.position.y) {
    const disc = new THREE.Mesh(
      new THREE.CircleGeometry(0.022 * this.size, 24),
      new THREE.MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.75 }),
    );
    disc.rotation.x = -Math.PI / 2;
    disc.position.copy(place);
    disc.position.y = height + 0.002;
    this.extras.add(disc);
  }

  /** @returns {Promise<Blob>} what is seen, as PNG */
  picture() {
    this.#draw();
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }
}
