// The saved picture: the scene as it is drawn now, with its scales.

import { at } from './dom.ts';

function arrow(draw: CanvasRenderingContext2D, left: number, right: number, y: number): void {
  draw.beginPath();
  draw.moveTo(left, y);
  draw.lineTo(right - 6, y);
  draw.stroke();
  draw.beginPath();
  for (const [x, by] of [[right - 7, -5], [right + 1, 0], [right - 7, 5]] as const) draw.lineTo(x, y + by);
  draw.fill();
}

function matrix_of(element: Element): [number, number, number, number, number, number] {
  const { a, b, c, d, e, f } = new DOMMatrix(getComputedStyle(element).transform);
  return [a, b, c, d, e, f];
}

/** The scene's canvas with the scales that the page lays over it. */
export function compose_picture(scene: HTMLCanvasElement): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = scene.width;
  canvas.height = scene.height;
  const draw = canvas.getContext('2d')!;
  draw.drawImage(scene, 0, 0);
  const stage = scene.getBoundingClientRect();
  const ratio = scene.width / stage.width;
  draw.scale(ratio, ratio);
  draw.translate(-stage.left, -stage.top);
  draw.textBaseline = 'middle';
  const write = (text: Element, to_left: boolean) => {
    const { font, color } = getComputedStyle(text);
    const box = text.getBoundingClientRect();
    draw.font = font;
    draw.fillStyle = color;
    draw.textAlign = to_left ? 'right' : 'left';
    draw.fillText(text.textContent ?? '', to_left ? box.right : box.left, box.top + box.height / 2);
  };
  for (const part of at('legend').children as HTMLCollectionOf<HTMLElement>) {
    const { id } = part;
    if (part.hidden) continue;
    const mark = part.querySelector('i')!;
    const { left, top, right, bottom, width, height } = mark.getBoundingClientRect();
    draw.strokeStyle = draw.fillStyle = getComputedStyle(mark).color;
    draw.lineWidth = id === 'scale' ? 1.5 : 2;
    draw.beginPath();
    if (id === 'scale') {
      for (const [x, y] of [[left, top], [left, bottom], [right, bottom], [right, top]] as const) draw.lineTo(x, y);
      draw.stroke();
    } else if (id === 'ramp') {
      const ramp = draw.createLinearGradient(left, 0, right, 0);
      const colours = getComputedStyle(mark).backgroundImage.match(/rgba?\([^)]*\)/g) ?? [];
      colours.forEach((colour, i) => ramp.addColorStop(colours.length > 1 ? i / (colours.length - 1) : 0, colour));
      draw.fillStyle = ramp;
      draw.fillRect(left, top, width, height);
    } else if (id === 'slope') {
      const half = mark.offsetWidth / 2;
      draw.save();
      draw.translate((left + right) / 2, (top + bottom) / 2);
      draw.transform(...matrix_of(mark));
      if (getComputedStyle(mark).visibility !== 'hidden') arrow(draw, -half, half, 0);
      draw.restore();
    } else {
      arrow(draw, left, right, top + 1);
    }
    for (const text of part.querySelectorAll('span')) write(text, text.nextElementSibling === mark);
  }
  return canvas;
}
