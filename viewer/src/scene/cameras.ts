// The cameras: orbit, top, side and follow; how they are turned by hand, and what they show at first.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

import type { CameraName } from '../address.ts';

export class Cameras {
  private readonly perspective = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
  private readonly flat = new THREE.OrthographicCamera(-1, 1, 1, -1, 0.01, 100);
  private controls!: OrbitControls;
  private name: CameraName = 'orbit';
  moved = false; // by hand or by what it follows, since fit()
  on_change: () => void = () => undefined; // another picture is due
  on_turned: () => void = () => undefined; // a hand let go

  /** `span` is the longest side of all there is to see, in metres. */
  constructor(private readonly canvas: HTMLCanvasElement, span: number) {
    for (const camera of [this.perspective, this.flat]) {
      camera.up.set(0, 0, 1);
      camera.near = 0.005 * span;
      camera.far = 40 * span;
    }
  }

  get kind(): CameraName {
    return this.name;
  }

  get camera(): THREE.PerspectiveCamera | THREE.OrthographicCamera {
    return this.name === 'top' || this.name === 'side' ? this.flat : this.perspective;
  }

  get target(): THREE.Vector3 {
    return this.controls.target;
  }

  /** Pixels of the picture. */
  resize(width: number, height: number): void {
    this.perspective.aspect = width / height;
    this.perspective.updateProjectionMatrix();
    const half = (this.flat.top - this.flat.bottom) / 2;
    this.flat.left = (-half * width) / height;
    this.flat.right = (half * width) / height;
    this.flat.updateProjectionMatrix();
  }

  /** Chooses a camera; to be followed by fit(). */
  choose(name: CameraName): void {
    const had = this.controls?.target.clone();
    this.controls?.dispose();
    this.name = name;
    const controls = new OrbitControls(this.camera, this.canvas);
    this.controls = controls;
    controls.enableRotate = name === 'orbit' || name === 'follow';
    controls.maxPolarAngle = 0.495 * Math.PI;
    controls.zoomToCursor = name !== 'follow';
    controls.screenSpacePanning = name !== 'orbit' && name !== 'follow';
    if (!controls.enableRotate) {
      controls.maxPolarAngle = Math.PI;
      controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
      controls.touches.ONE = THREE.TOUCH.PAN;
    }
    if (had) controls.target.copy(had);
    controls.addEventListener('change', () => this.on_change());
    controls.addEventListener('end', () => {
      this.moved = true;
      this.on_turned();
    });
  }

  /** Puts all of a box into the picture. */
  fit(box: THREE.Box3): void {
    if (this.camera === this.flat) this.fit_flat(box);
    else this.fit_perspective(box);
    this.moved = false;
    this.controls.update();
  }

  private fit_flat(box: THREE.Box3): void {
    const middle = box.getCenter(new THREE.Vector3());
    const size = box.getSize(new THREE.Vector3());
    const { aspect } = this.perspective;
    const top = this.name === 'top';
    const half = 0.56 * Math.max(size.x / aspect, top ? size.y * 1.15 : 3 * size.z, 1e-3);
    this.flat.top = half;
    this.flat.bottom = -half;
    this.flat.left = -half * aspect;
    this.flat.right = half * aspect;
    this.flat.zoom = 1;
    const far = 4 * Math.max(size.x, size.y, size.z);
    // straight down with y up in the picture: a hair's breadth from the pole, where orbiting is defined
    this.flat.position.copy(middle).add(top ? new THREE.Vector3(0, -1e-4 * far, far) : new THREE.Vector3(0, -far, 0));
    this.flat.updateProjectionMatrix();
    this.controls.target.copy(middle);
  }

  private fit_perspective(box: THREE.Box3): void {
    const middle = box.getCenter(new THREE.Vector3());
    const size = box.getSize(new THREE.Vector3());
    const { aspect } = this.perspective;
    // along the short side of the run, so that its long side lies across the picture; upright ones see it end on,
    // and what is very long from further above, up the picture
    const [long, short] = size.x >= size.y ? [size.x, size.y] : [size.y, size.x];
    const follow = this.name === 'follow';
    const direction = new THREE.Vector3(0, -1, follow ? 0.95 : 0.72);
    if (aspect > 0.9) direction.x = long > 2.5 * short ? -0.16 : -0.28;
    else if (long > 4 * short) direction.set(-1, -0.4, 1.15);
    else direction.x = -0.75;
    direction.normalize();
    if (size.y > 1.3 * size.x) direction.set(-direction.y, direction.x, direction.z);
    const tan = Math.tan(THREE.MathUtils.degToRad(this.perspective.fov / 2));
    const right = new THREE.Vector3().crossVectors(this.perspective.up, direction).normalize();
    const up = new THREE.Vector3().crossVectors(direction, right);
    // the nearest place from which every corner is inside, then the middle of what is seen into the middle
    let distance = 0;
    for (let pass = 0; pass < 4; ++pass) {
      distance = 0;
      let [left, most, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
      const corners = [...Array(8).keys()].map((c) => new THREE.Vector3(c & 1 ? box.max.x : box.min.x, c & 2 ? box.max.y : box.min.y, c & 4 ? box.max.z : box.min.z).sub(middle));
      for (const corner of corners) {
        const near = corner.dot(direction);
        distance = Math.max(distance, near + Math.abs(corner.dot(right)) / (tan * aspect), near + Math.abs(corner.dot(up)) / tan);
      }
      for (const corner of corners) {
        const away = distance - corner.dot(direction);
        left = Math.min(left, corner.dot(right) / away);
        most = Math.max(most, corner.dot(right) / away);
        low = Math.min(low, corner.dot(up) / away);
        high = Math.max(high, corner.dot(up) / away);
      }
      middle.addScaledVector(right, (distance * (left + most)) / 2).addScaledVector(up, (distance * (low + high)) / 2);
    }
    this.controls.target.copy(middle);
    this.perspective.position.copy(middle).addScaledVector(direction, distance * (follow ? 1.3 : 1.1));
  }

  /** Moves camera and target by a step. */
  shift(step: THREE.Vector3): void {
    this.camera.position.add(step);
    this.controls.target.add(step);
    this.moved = true;
    this.controls.update();
  }

  /** Target, camera relative to it, and zoom as one list, for the address; null where fit() left them. */
  get view(): number[] | null {
    if (!this.moved) return null;
    const { target } = this.controls;
    return [...target.toArray(), ...this.camera.position.clone().sub(target).toArray(), this.camera.zoom];
  }

  set view(view: number[] | null) {
    if (view === null || view.length !== 7 || !view.every(Number.isFinite) || view[6]! <= 0) return;
    this.controls.target.set(view[0]!, view[1]!, view[2]!);
    this.camera.position.set(view[3]!, view[4]!, view[5]!).add(this.controls.target);
    this.moved = true;
    this.camera.zoom = view[6]!;
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  /** Where a point of the world is in the picture: CSS pixels from its top left, and whether it is before (< 1) the far end and beyond (> -1) the near one. */
  project(x: number, y: number, z: number): number[] {
    this.camera.updateMatrixWorld();
    const p = new THREE.Vector3(x, y, z).project(this.camera);
    return [((p.x + 1) / 2) * this.canvas.clientWidth, ((1 - p.y) / 2) * this.canvas.clientHeight, p.z];
  }

  /** Pixels of a metre at the camera's target. */
  pixels_per_metre(): number {
    const h = this.canvas.clientHeight;
    if (this.camera === this.flat) return (h * this.flat.zoom) / (this.flat.top - this.flat.bottom);
    const distance = this.perspective.position.distanceTo(this.controls.target);
    return (h * this.perspective.zoom) / (2 * distance * Math.tan(THREE.MathUtils.degToRad(this.perspective.fov / 2)));
  }
}
