// The scene as a whole: runs, floor and cameras, and when and how finely they are drawn. World axes are the replay's:
// z is up, metres.

import * as THREE from 'three';

import type { CameraName } from '../address.ts';
import type { Replay } from '../replay/format.ts';
import { Actor, expand } from './actor.ts';
import { Cameras } from './cameras.ts';
import { Ground } from './ground.ts';
import type { Palette } from './palette.ts';

/** The browser cannot draw the scene; the rest of the page works. */
export class NoPictureError extends Error {}

/** Whether WebGL is drawn by the processor. Throws when there is none. */
function is_software(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) throw new NoPictureError('no WebGL 2');
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

const longest = (box: THREE.Box3) => Math.max(...box.getSize(new THREE.Vector3()).toArray());

export class SceneView {
  readonly actors: Actor[];
  readonly ground_z: number;
  readonly curves_top: number = 0; // m, how high over the floor curves on it reach
  private readonly bounds: THREE.Box3; // of everything in all frames
  private readonly renderer: THREE.WebGLRenderer;
  private readonly software: boolean;
  private readonly scene = new THREE.Scene();
  private readonly cameras: Cameras;
  private readonly ground: Ground;
  private readonly followed = new THREE.Vector3();
  private lit = 1; // m, the span with shadows
  private waiting = false;
  private fine_timer = 0;
  private fine = false; // the canvas has twice the pixels
  still = false; // every picture is fine, for one that is saved by a browser without a window
  private shadows = false; // wanted; without a GPU only in the fine picture
  private drawn_waiters: (() => void)[] = [];
  on_camera: () => void = () => undefined;
  on_draw: () => void = () => undefined;

  constructor(private readonly canvas: HTMLCanvasElement, replays: Replay[]) {
    this.software = is_software();
    // Without a GPU, smoothing costs half the time of a picture: draw plainly, and finely once nothing moves.
    try {
      this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.software, powerPreference: 'high-performance' });
    } catch (error) {
      throw new NoPictureError(String(error));
    }
    canvas.addEventListener('webglcontextrestored', () => this.request());
    this.renderer.setPixelRatio(this.software ? 1 : Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.type = THREE.PCFShadowMap;

    const standing = new Set<string>();
    this.actors = replays.map((replay, i) => new Actor(replay, i > 0, standing));
    for (const actor of this.actors) this.scene.add(actor.group);

    const { bounds, lowest } = find_bounds(this.actors);
    this.bounds = bounds;
    // A planar model has its links at z = 0, in the plane of the floor: draw the floor under them.
    const plane = replays[0]!.bodies.find((b) => b.shape === 'plane')?.pose ?? null;
    const plane_z = plane ? plane[2]! : 0;
    const planar = this.actors.every((a) => a.is_planar(plane_z));
    this.ground_z = planar && Number.isFinite(lowest) ? lowest : plane_z;
    bounds.min.z = planar ? this.ground_z : Math.min(bounds.min.z, this.ground_z);
    if (planar) this.curves_top = Math.max(0, ...this.actors.map((a) => a.tubes.lower(plane_z, this.ground_z)));
    const with_grid = plane !== null || planar || replays.every((r) => r.bodies.length > 0);
    this.ground = new Ground(this.scene, bounds, this.ground_z, plane, with_grid, this.software ? 1024 : 2048);

    this.cameras = new Cameras(canvas, longest(bounds));
    this.cameras.on_change = () => this.request();
    this.cameras.on_turned = () => this.on_camera();
    this.resize();
    this.set_camera('orbit');
    new ResizeObserver(() => {
      this.resize();
      if (!this.cameras.moved) this.fit();
      this.draw_now();
    }).observe(canvas.parentElement!);
  }

  /** m, of the grid */
  get cell(): number {
    return this.ground.cell;
  }

  get camera(): THREE.Camera {
    return this.cameras.camera;
  }

  get camera_kind(): CameraName {
    return this.cameras.kind;
  }

  get target(): number[] {
    return this.cameras.target.toArray();
  }

  set_palette(palette: Palette): void {
    this.scene.background = new THREE.Color(palette.page);
    this.ground.set_palette(palette);
    for (const actor of this.actors) actor.set_palette(palette);
    this.request();
  }

  set_shadows(on: boolean): void {
    this.shadows = on;
    this.apply_shadows(on && (!this.software || this.fine));
    this.request();
  }

  private apply_shadows(on: boolean): void {
    if (on === this.ground.shadows) return;
    this.renderer.shadowMap.enabled = on;
    this.ground.shadows = on;
    this.scene.traverse((object) => {
      const material = (object as THREE.Mesh).material;
      if (material instanceof THREE.Material) material.needsUpdate = true;
    });
  }

  private resize(): void {
    const { clientWidth: w, clientHeight: h } = this.canvas.parentElement!;
    if (w === 0 || h === 0) return;
    this.renderer.setSize(w, h, false);
    this.cameras.resize(w, h);
    this.request();
  }

  set_camera(name: CameraName): void {
    this.cameras.choose(name);
    this.ground.from_side = name === 'side';
    this.fit();
  }

  /** Puts the whole run, or for the following camera the robot now, into the picture. */
  fit(): void {
    const follow = this.camera_kind === 'follow';
    const box = follow ? this.robot_box() : this.bounds;
    this.cameras.fit(box);
    this.actors[0]!.centre(this.actors[0]!.frame, this.followed);
    this.lit = follow ? Math.min(2 * longest(box), longest(this.bounds)) : longest(this.bounds);
    this.ground.place_sun(box.getCenter(new THREE.Vector3()), this.lit);
    this.request();
  }

  /** Whether the run is much longer than the robot, which would be small in a picture of the whole. */
  get travels(): boolean {
    return longest(this.bounds) > 2 * longest(this.robot_box());
  }

  private robot_box(): THREE.Box3 {
    const actor = this.actors[0]!;
    const box = actor.box(actor.frame);
    return box.isEmpty() ? this.bounds.clone() : box;
  }

  get view(): number[] | null {
    return this.cameras.view;
  }

  set view(view: number[] | null) {
    this.cameras.view = view;
    this.request();
  }

  set_frame(actor: number, frame: number): void {
    const a = this.actors[actor]!;
    a.set_frame(frame);
    if (actor === 0 && this.camera_kind === 'follow') {
      const now = a.centre(frame, this.followed.clone());
      this.cameras.shift(now.clone().sub(this.followed));
      this.followed.copy(now);
      this.ground.place_sun(now, this.lit);
    }
    this.request();
  }

  project(x: number, y: number, z: number): number[] {
    return this.cameras.project(x, y, z);
  }

  pixels_per_metre(): number {
    return this.cameras.pixels_per_metre();
  }

  request(): void {
    if (this.waiting) return;
    this.waiting = true;
    clearTimeout(this.fine_timer);
    requestAnimationFrame(() => {
      this.waiting = false;
      this.set_fine(false);
      this.draw_now();
      if (this.software) this.fine_timer = window.setTimeout(() => this.draw_finely(), 500);
    });
  }

  private set_fine(wanted: boolean): void {
    if (!this.software) return;
    const on = wanted || this.still;
    this.apply_shadows(on && this.shadows);
    if (on === this.fine) return;
    this.fine = on;
    this.renderer.setPixelRatio(on ? 2 : 1);
  }

  /** With shadows, and twice the pixels each way, which the browser averages. */
  private draw_finely(): void {
    if (this.waiting) return;
    this.set_fine(true);
    this.draw_now();
  }

  private draw_now(): void {
    this.renderer.render(this.scene, this.camera);
    this.on_draw();
    if (this.drawn_waiters.length > 0) {
      const gl = this.renderer.getContext();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); // waits for the picture
      for (const tell of this.drawn_waiters.splice(0)) tell();
    }
  }

  /** Resolves when the next picture is finished. */
  drawn(): Promise<void> {
    return new Promise((resolve) => this.drawn_waiters.push(resolve));
  }

  pixels(): { width: number; height: number; data: Uint8Array } {
    this.set_fine(false);
    this.apply_shadows(this.shadows);
    this.renderer.render(this.scene, this.camera);
    const gl = this.renderer.getContext();
    const width = gl.drawingBufferWidth, height = gl.drawingBufferHeight;
    const data = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, data);
    return { width, height, data };
  }

  /** The canvas just after drawing, for a picture. */
  picture(): HTMLCanvasElement {
    this.set_fine(true);
    this.renderer.render(this.scene, this.camera);
    return this.canvas;
  }
}

// The box around all there is, in at most 400 frames, and the lowest place of what moves.
function find_bounds(actors: Actor[]): { bounds: THREE.Box3; lowest: number } {
  const bounds = new THREE.Box3();
  let lowest = Infinity;
  for (const actor of actors) {
    const { frames } = actor.replay;
    const stride = Math.max(1, Math.floor(frames / 400));
    for (let i = 0; i < frames + stride - 1; i += stride) {
      actor.each_moving(Math.min(i, frames - 1), (v, at, reach) => {
        expand(bounds, v, at, reach);
        lowest = Math.min(lowest, v[at + 2]! - reach[2]);
      });
    }
    actor.each_standing((v, at, reach) => expand(bounds, v, at, reach));
  }
  if (bounds.isEmpty()) bounds.set(new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 0.2));
  return { bounds, lowest };
}
