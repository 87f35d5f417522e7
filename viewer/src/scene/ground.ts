// The floor with its grid, its edge as seen from the side, and the light above it.

import * as THREE from 'three';

import type { Palette } from './palette.ts';

/** 1, 2 or 5 times a power of ten, not above x. */
export function round_down(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

/** Tenths of a grid's cell are drawn when they are this wide, in pixels. */
export const tenth_pixels = 30;

const grid_shader = {
  vertex: `varying vec2 p; void main() { vec4 w = modelMatrix * vec4(position, 1.0); p = position.xy; gl_Position = projectionMatrix * viewMatrix * w; }`,
  fragment: `uniform vec3 colour; uniform vec3 ground; uniform float cell; uniform float reach; uniform vec2 middle; varying vec2 p;
    float lines(float size) { vec2 q = p / size; vec2 w = max(fwidth(q), 1e-6); vec2 d = abs(fract(q - 0.5) - 0.5) / w;
      float crowd = clamp(1.0 - 2.0 * max(w.x, w.y), 0.0, 1.0); return crowd * (1.0 - min(min(d.x, d.y), 1.0)); }
    void main() { float far = 1.0 - smoothstep(0.45 * reach, reach, length(p - middle));
      vec2 w = 10.0 * fwidth(p / cell); // tenths of cells from 20 pixels on
      float tenth = smoothstep(0.05, 0.025, max(w.x, w.y)) * lines(cell * 0.1);
      float a = max(0.18 * tenth, max(0.28 * lines(cell), 0.6 * lines(cell * 10.0))) * far;
      gl_FragColor = vec4(mix(ground, colour, a), 1.0);
      #include <colorspace_fragment>
    }`,
};

export class Ground {
  readonly cell: number; // m, of the grid
  private readonly grid: THREE.ShaderMaterial;
  private readonly shade: THREE.Mesh;
  private readonly edge: THREE.Line<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly sun = new THREE.DirectionalLight('#ffffff', 2.1);

  /** Under what is in `bounds`, at height z, turned as `pose` says; `visible` is that of the grid. */
  constructor(scene: THREE.Scene, bounds: THREE.Box3, z: number, pose: Float64Array | null, visible: boolean, shadow_pixels: number) {
    const size = bounds.getSize(new THREE.Vector3());
    const span = Math.max(size.x, size.y, size.z);
    this.cell = round_down(span / 12);
    const reach = 3.2 * span;
    const middle = bounds.getCenter(new THREE.Vector3());
    this.grid = new THREE.ShaderMaterial({
      vertexShader: grid_shader.vertex,
      fragmentShader: grid_shader.fragment,
      uniforms: { colour: { value: new THREE.Color() }, ground: { value: new THREE.Color() }, cell: { value: this.cell }, reach: { value: reach }, middle: { value: new THREE.Vector2(middle.x, middle.y) } },
    });
    const floor = new THREE.PlaneGeometry(2 * reach, 2 * reach).translate(middle.x, middle.y, 0);
    const ground = new THREE.Group();
    if (pose) ground.quaternion.set(pose[4]!, pose[5]!, pose[6]!, pose[3]!);
    ground.position.z = z - 0.0005 * span;
    const tiles = new THREE.Mesh(floor, this.grid);
    tiles.visible = visible;
    this.shade = new THREE.Mesh(floor, new THREE.ShadowMaterial({ opacity: 0.3 }));
    this.shade.receiveShadow = true;
    this.shade.position.z = 0.0002 * span;
    this.shade.visible = false;
    ground.add(tiles, this.shade);
    // from the side the floor is a line
    this.edge = new THREE.Line(
      new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(middle.x - reach, middle.y, ground.position.z), new THREE.Vector3(middle.x + reach, middle.y, ground.position.z)]),
      new THREE.LineBasicMaterial(),
    );
    this.sun.shadow.mapSize.setScalar(shadow_pixels);
    this.sun.shadow.bias = -0.0005;
    this.place_sun(middle, span);
    scene.add(ground, this.edge, new THREE.HemisphereLight('#ffffff', '#8a8f96', 1.5), this.sun, this.sun.target);
  }

  /** Light from the left behind the viewer, with shadows of what lies within 0.75 `span` of `middle`. */
  place_sun(middle: THREE.Vector3, span: number): void {
    this.sun.position.set(middle.x - 0.5 * span, middle.y - 0.9 * span, middle.z + 1.6 * span);
    this.sun.target.position.copy(middle);
    const box = this.sun.shadow.camera;
    box.left = box.bottom = -0.75 * span;
    box.right = box.top = 0.75 * span;
    box.near = 0.1 * span;
    box.far = 5 * span;
    box.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.001 * span;
  }

  set from_side(on: boolean) {
    this.edge.visible = on;
  }

  get shadows(): boolean {
    return this.sun.castShadow;
  }

  set shadows(on: boolean) {
    this.sun.castShadow = on;
    this.shade.visible = on;
  }

  set_palette(palette: Palette): void {
    (this.grid.uniforms.colour!.value as THREE.Color).set(palette.grid);
    (this.grid.uniforms.ground!.value as THREE.Color).set(palette.ground);
    this.edge.material.color.set(palette.grid);
  }
}
