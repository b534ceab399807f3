// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** A figure to draw: nodes, bones and skin of a GLB, posed at any frame of one clip. */

import * as THREE from "./three.js";

const UP = new THREE.Vector3(0, 1, 0);

const NO_PICTURE = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=";

/** Pictures that a GLB takes from files beside it, out of those that were opened; a white point for those that were not. */
function picturesFrom(files, opened) {
  const manager = new THREE.LoadingManager();
  manager.setURLModifier((url) => {
    if (/^(data|blob):/.test(url)) return url;
    const name = decodeURIComponent(url);
    if (files[name] === undefined) return NO_PICTURE;
    opened.push(URL.createObjectURL(new Blob([files[name]])));
    return opened.at(-1);
  });
  return manager;
}

/** Joints of a GLB by the names that the command uses: name#2 is the second of that name. */
function jointsByName(json, objects) {
  const seen = new Map();
  const joints = new Map();
  json.nodes?.forEach(({ name }, i) => {
    if (name === undefined || name === "") {
      joints.set(`node ${i}`, objects[i]);
      return;
    }
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    joints.set(count === 1 ? name : `${name}#${count}`, objects[i]);
  });
  return joints;
}

export class Figure {
  #placed = null;
  #sizes = [];
  #carried = [];
  /** Metres a unit of the file, for what is placed in the world. */
  unit = 1;

  /**
   * @param {Uint8Array} glb
   * @param {Record<string, Uint8Array>} files beside it
   * @param {{ clip?: number, colour: number, opacity?: number }} look
   */
  static async load(glb, files, look) {
    const bytes = glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.byteLength);
    const opened = [];
    try {
      return new Figure(await new THREE.GLTFLoader(picturesFrom(files, opened)).parseAsync(bytes, ""), look);
    } finally {
      for (const url of opened) URL.revokeObjectURL(url);
    }
  }

  constructor(gltf, { clip = 0, colour, opacity = 1 }) {
    this.group = new THREE.Group();
    this.group.add(gltf.scene);
    const { json } = gltf.parser;
    const objects = new Array(json.nodes?.length ?? 0);
    for (const [object, { nodes }] of gltf.parser.associations) if (nodes !== undefined) objects[nodes] ??= object;
    this.joints = jointsByName(json, objects);
    this.mixer = new THREE.AnimationMixer(gltf.scene);
    const animation = gltf.animations.at(clip);
    this.duration = animation?.duration ?? 0;
    if (animation !== undefined) this.mixer.clipAction(animation).play();
    this.skins = [];
    gltf.scene.traverse((object) => {
      if (object.isMesh) this.#dress(object, colour, opacity);
    });
    this.#makeBones(json, objects, colour, opacity);
    this.showSkin(true);
    this.pose(0);
  }

  /** Whether what is dressed is a whole figure, not a hat or a head on bare bones. */
  get hasSkin() {
    return this.skins.length > 4 || this.skins.some((mesh) => mesh.isSkinnedMesh);
  }

  #dress(mesh, colour, opacity) {
    this.skins.push(mesh);
    mesh.frustumCulled = false; // its bounds are those of the rest pose
    if (opacity === 1) return;
    mesh.material = new THREE.MeshLambertMaterial({ color: colour, transparent: true, opacity, depthWrite: false });
  }

  #makeBones(json, objects, colour, opacity) {
    // Joints of skins; without skins whatever the clip moves, and all below and between.
    const joints = new Set((json.skins ?? []).flatMap((skin) => skin.joints));
    if (joints.size === 0)
      for (const animation of json.animations ?? [])
        for (const { target } of animation.channels) if (target.node !== undefined) joints.add(target.node);
    this.pairs = [];
    json.nodes?.forEach((node, i) => {
      if (!joints.has(i)) return;
      for (const child of node.children ?? [])
        if (objects[child] !== undefined && json.nodes[child].mesh === undefined) this.pairs.push([objects[i], objects[child]]);
    });
    const shape = new THREE.OctahedronGeometry(0.5);
    shape.translate(0, 0.5, 0);
    const material = new THREE.MeshLambertMaterial({ color: colour, transparent: opacity < 1, opacity, depthWrite: opacity === 1 });
    this.bones = new THREE.InstancedMesh(shape, material, Math.max(1, this.pairs.length));
    this.bones.count = this.pairs.length;
    this.colour = new THREE.Color(colour);
    this.bones.frustumCulled = false;
    this.group.add(this.bones);
  }

  /** Skin where there is one, else bones. */
  showSkin(wanted) {
    const skin = wanted && this.hasSkin;
    for (const mesh of this.skins) mesh.visible = wanted;
    this.bones.visible = !skin;
  }

  /** Colours bones by the joint at their end; null: all as they were. @param {((joint: THREE.Object3D) => THREE.Color) | null} colourOf */
  shade(colourOf) {
    if (colourOf === null && this.bones.instanceColor === null) return;
    // Colours of single bones are multiplied with that of all.
    this.bones.material.color.set(0xffffff);
    this.pairs.forEach(([, child], i) => this.bones.setColorAt(i, colourOf?.(child) ?? this.colour));
    if (this.bones.instanceColor !== null) this.bones.instanceColor.needsUpdate = true;
    this.bones.material.needsUpdate = true;
  }

  /** @returns {THREE.Box3} about the joints of the pose at hand, and the skin where it is shown */
  box() {
    const box = new THREE.Box3();
    const at = new THREE.Vector3();
    for (const pair of this.pairs) for (const joint of pair) box.expandByPoint(at.setFromMatrixPosition(joint.matrixWorld));
    for (const mesh of this.skins) {
      if (!mesh.visible) continue;
      const own = mesh.isSkinnedMesh ? mesh : mesh.geometry;
      own.computeBoundingBox();
      box.union(own.boundingBox.clone().applyMatrix4(mesh.matrixWorld));
    }
    return box;
  }

  /** @param {number} time of the clip [s] */
  pose(time) {
    this.mixer.setTime(Math.min(Math.max(time, 0), Math.max(0, this.duration - 1e-6)));
    this.group.updateMatrixWorld(true);
    if (this.bones.visible) this.#placeBones();
  }

  /**
   * Poses joints by what is known of them in the world, and by no clip from then on.
   * @param {THREE.Object3D[]} joints
   * @param {Float64Array} transforms x, y, z and quaternion of each
   */
  place(joints, transforms) {
    const at = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    if (this.#placed !== joints) this.#hold(joints);
    joints.forEach((joint, i) => {
      if (joint === undefined) return;
      joint.matrixWorld.compose(at.fromArray(transforms, 7 * i), turn.fromArray(transforms, 7 * i + 3), this.#sizes[i]);
    });
    for (const object of this.#carried) object.updateMatrixWorld(true);
    if (this.bones.visible) this.#placeBones();
  }

  /** Joints keep the scale that they have at rest, and carry what hangs from them and is no joint: a hat, a sword. */
  #hold(joints) {
    this.#placed = joints;
    const known = new Set(joints);
    this.#sizes = joints.map((joint) => joint?.getWorldScale(new THREE.Vector3()).multiplyScalar(this.unit));
    this.#carried = joints.flatMap((joint) => joint?.children.filter((child) => !known.has(child)) ?? []);
    for (const joint of joints) if (joint !== undefined) joint.matrixWorldAutoUpdate = false;
  }

  #placeBones() {
    const from = new THREE.Vector3();
    const to = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    const size = new THREE.Vector3();
    const place = new THREE.Matrix4();
    const back = new THREE.Matrix4().copy(this.group.matrixWorld).invert();
    this.pairs.forEach(([parent, child], i) => {
      from.setFromMatrixPosition(parent.matrixWorld);
      to.setFromMatrixPosition(child.matrixWorld).sub(from);
      const length = to.length();
      turn.setFromUnitVectors(UP, length > 0 ? to.divideScalar(length) : UP);
      const width = Math.min(0.22 * length, 0.08);
      place.compose(from, turn, size.set(width, length, width)).premultiply(back);
      this.bones.setMatrixAt(i, place);
    });
    this.bones.instanceMatrix.needsUpdate = true;
  }

  /**
   * Where joints are in every frame.
   * @param {string[]} names
   * @param {number[]} times
   * @returns {Map<string, Float32Array>} x, y, z of each frame, in the figure's own space; absent joints are left out
   */
  paths(names, times) {
    const paths = new Map();
    for (const name of names) if (this.joints.get(name) !== undefined) paths.set(name, new Float32Array(3 * times.length));
    const at = new THREE.Vector3();
    const back = new THREE.Matrix4().copy(this.group.matrixWorld).invert();
    times.forEach((time, frame) => {
      this.mixer.setTime(Math.min(time, Math.max(0, this.duration - 1e-6)));
      for (const [name, path] of paths) {
        const joint = this.joints.get(name);
        joint.updateWorldMatrix(true, false);
        at.setFromMatrixPosition(joint.matrixWorld).applyMatrix4(back).toArray(path, 3 * frame);
      }
    });
    return paths;
  }

  dispose() {
    this.group.removeFromParent();
    this.mixer.stopAllAction();
    this.group.traverse((object) => {
      object.geometry?.dispose();
      for (const material of [object.material ?? []].flat()) {
        for (const value of Object.values(material)) value?.isTexture && value.dispose();
        material.dispose();
      }
    });
  }
}
