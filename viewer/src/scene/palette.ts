// Colours of the scene.

import * as THREE from 'three';

export interface Palette {
  page: string;
  grid: string;
  ground: string;
  obstacle: string;
  force: string;
  vector: string;
}

export const light: Palette = { page: '#f6f7f8', grid: '#9aa5af', ground: '#f6f7f8', obstacle: '#8d959d', force: '#b87512', vector: '#6a4fb3' };
export const dark: Palette = { page: '#14171a', grid: '#56616b', ground: '#14171a', obstacle: '#7d868f', force: '#e0a33a', vector: '#a893ea' };

/** Plain greys of bodies that stand take the theme's grey. */
export const standing_colour = (colour: string, palette: Palette): string => (/^#(..)\1\1$/.test(colour) ? palette.obstacle : colour);

/** Blue over grey to red for s in -1 … 1. */
export function diverging(s: number, to: THREE.Color): THREE.Color {
  const x = Math.max(-1, Math.min(1, Number.isFinite(s) ? s : 0));
  const grey = [0.86, 0.86, 0.86], end = x < 0 ? [0.13, 0.4, 0.82] : [0.8, 0.16, 0.14];
  const w = Math.abs(x) ** 0.8;
  const mix = (i: number) => grey[i]! + (end[i]! - grey[i]!) * w;
  return to.setRGB(mix(0), mix(1), mix(2), THREE.SRGBColorSpace);
}

/** What bodies are made of; a ghost lets the others show through. */
export function make_material(ghost: boolean): THREE.MeshPhongMaterial {
  return new THREE.MeshPhongMaterial({ color: '#ffffff', specular: '#1c1c1c', shininess: 25, transparent: ghost, opacity: ghost ? 0.32 : 1, depthWrite: !ghost });
}
