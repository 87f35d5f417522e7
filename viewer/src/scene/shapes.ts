// Shapes of bodies: their geometry, and how far they reach.

import * as THREE from 'three';
import { mergeGeometries } from 'three/examples/jsm/utils/BufferGeometryUtils.js';

import { rotation, type Point } from '../replay/structure.ts';

/** One geometry per shape and size; the long axis of capsules and tubes is the body's x, of cylinders z, of wheels y. */
export function make_geometry(shape: string, size: number[], circle_height: number): THREE.BufferGeometry | null {
  const [a = 0.05, b = 0.05, c = 0.05] = size;
  switch (shape) {
    case 'capsule':
      return new THREE.CapsuleGeometry(a, 2 * b, 8, 20).rotateZ(-Math.PI / 2);
    case 'sphere':
      return new THREE.SphereGeometry(a, 24, 16);
    case 'cylinder':
      return new THREE.CylinderGeometry(a, a, b, 32).rotateX(Math.PI / 2);
    case 'circle': // of a planar model: as high as the robot
      return new THREE.CylinderGeometry(a, a, circle_height, 32).rotateX(Math.PI / 2);
    case 'box':
      return new THREE.BoxGeometry(a, b, c);
    case 'tube':
      return size.length > 1 ? new THREE.CylinderGeometry(a, a, b, 20).rotateZ(-Math.PI / 2) : null;
    case 'wheel':
      return make_wheel(a, b);
    default:
      return null;
  }
}

// A dark tyre on five spokes, one of them broad: rolling is seen from the side, and from above by bars on the tread.
function make_wheel(radius: number, width: number): THREE.BufferGeometry {
  const inner = 0.76 * radius, half = width / 2;
  // around y: tread, sides, the inside of the tyre
  const profile = [[inner, -half], [radius, -half], [radius, half], [inner, half], [inner, -half]] as const;
  const tyre = new THREE.LatheGeometry(profile.map(([x, y]) => new THREE.Vector2(x, y)), 30).toNonIndexed();
  tyre.computeVertexNormals();
  const hub = new THREE.CylinderGeometry(0.2 * radius, 0.2 * radius, 0.8 * width, 12).toNonIndexed();
  const parts = [tyre, hub];
  for (let i = 0; i < 5; ++i) {
    const spoke = new THREE.BoxGeometry((i === 0 ? 0.36 : 0.13) * radius, 0.6 * width, inner - 0.1 * radius).toNonIndexed();
    parts.push(spoke.translate(0, 0, (inner + 0.1 * radius) / 2).rotateY((2 * Math.PI * i) / 5));
  }
  for (const part of parts) {
    const position = part.getAttribute('position');
    const shade = new Float32Array(3 * position.count).fill(part === tyre ? 0.4 : 1);
    for (let i = 0; part === tyre && i + 2 < position.count; i += 3) {
      // a bar across the tread every fifth of a turn
      const x = (position.getX(i) + position.getX(i + 1) + position.getX(i + 2)) / 3, z = (position.getZ(i) + position.getZ(i + 1) + position.getZ(i + 2)) / 3;
      const turn = (Math.atan2(x, z) / (2 * Math.PI)) * 5;
      if (Math.hypot(x, z) > 0.95 * radius && turn - Math.floor(turn) < 0.17) shade.fill(1, 3 * i, 3 * i + 9);
    }
    part.setAttribute('color', new THREE.BufferAttribute(shade, 3));
    part.deleteAttribute('uv');
  }
  return mergeGeometries(parts);
}

/** Half the lengths of a body along its own axes; `circle_height` is that of circles. */
export function half_lengths(shape: string, size: number[], circle_height: number): Point {
  const [a = 0, b = 0, c = 0] = size;
  switch (shape) {
    case 'capsule':
      return [a + b, a, a];
    case 'cylinder':
      return [a, a, b / 2];
    case 'circle':
      return [a, a, circle_height / 2];
    case 'box':
      return [a / 2, b / 2, c / 2];
    case 'tube':
      return [b / 2, a, a];
    case 'wheel':
      return [a, b / 2, a];
    default:
      return [a, a, a];
  }
}

// The axis about which a shape is round; of others the box about them counts.
const round_about: Partial<Record<string, 0 | 1 | 2>> = { capsule: 0, tube: 0, wheel: 1, cylinder: 2, circle: 2 };

/** Half the lengths along the world's axes of a body whose pose starts at `at`; turning about the axis of a round one changes none. */
export function reach_of(shape: string, half: Point, values: ArrayLike<number>, at: number): Point {
  const e = rotation(values, at);
  const axis = round_about[shape];
  const along = (i: number): number => {
    if (shape === 'sphere') return half[0];
    if (axis === undefined) return Math.abs(e[0][i]!) * half[0] + Math.abs(e[1][i]!) * half[1] + Math.abs(e[2][i]!) * half[2];
    const lean = Math.min(1, Math.abs(e[axis][i]!)), radius = half[axis === 0 ? 1 : 0];
    // the ends of a capsule are half balls, those of the others discs
    if (shape === 'capsule') return lean * (half[0] - radius) + radius;
    return lean * half[axis] + Math.sqrt(1 - lean * lean) * radius;
  };
  return [along(0), along(1), along(2)];
}
