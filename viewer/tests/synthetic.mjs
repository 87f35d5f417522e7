// A replay of no model there is: every shape and every kind of field of the format, and one of each to come.
export const shapes = [
  ['capsule', [0.05, 0.08]], ['sphere', [0.07]], ['cylinder', [0.06, 0.2]], ['box', [0.2, 0.1, 0.14]],
  ['circle', [0.06]], ['tube', [0.04, 0.2]], ['wheel', [0.09, 0.04]],
];

/** {replay, run, data}: bodies of every shape that move and that stand still, a rod, a rope, vectors, contacts. */
export function make_synthetic({ frames = 21, rate = 20, points = 24, title = 'Every shape and kind', time = (k) => k / rate } = {}) {
  const bodies = [];
  const fields = [];
  let width = 0;
  const column = [];
  const add = (field, values) => {
    fields.push({ unit: '', body: null, label: field.name, ...field, offset: width });
    width += field.count;
    column.push(values);
  };
  add({ name: 'time', kind: 'scalar', unit: 's', count: 1 }, (k) => [time(k)]);
  shapes.forEach(([shape, size], i) => {
    bodies.push({ name: `moving_${shape}`, shape, size, colour: '#0072b2' });
    add({ name: `moving_${shape}.pose`, kind: 'pose', body: `moving_${shape}`, unit: 'm', count: 7 }, (k) => {
      const turn = (Math.PI * k) / frames / 2;
      return [0.4 * i, 0.02 * k, 0.2, Math.cos(turn), 0, 0, Math.sin(turn)];
    });
    bodies.push({ name: `still_${shape}`, shape, size, colour: '#7f7f7f', pose: [0.4 * i, -0.5, 0.2, 1, 0, 0, 0] });
  });
  bodies.push({ name: 'ground', shape: 'plane', size: [], colour: '#e8e8e8', pose: [0, 0, 0, 1, 0, 0, 0] });
  bodies.push({ name: 'rod', shape: 'tube', size: [0.03], colour: '#009e73' });
  bodies.push({ name: 'rope', shape: 'string', size: [], colour: '#cc79a7' });
  bodies.push({ name: 'odd', shape: 'teapot', size: [0.1], colour: '#0072b2', pose: [0, 0, 1, 1, 0, 0, 0] });
  const curve = (y, z) => (k) => Array.from({ length: points }, (_, i) => [(2.4 * i) / (points - 1), y + 0.1 * Math.sin(0.4 * i + 0.2 * k), z + 0.05 * Math.cos(0.3 * i)]).flat();
  add({ name: 'rod.shape', kind: 'polyline', body: 'rod', unit: 'm', count: 3 * points }, curve(0.8, 0.2));
  add({ name: 'rope.shape', kind: 'polyline', body: 'rope', unit: 'm', count: 3 * points }, curve(1.1, 0.2));
  for (const name of ['moving_box', 'moving_sphere', 'still_box']) {
    add({ name: `${name}.velocity`, label: `${name.replace(/_/g, ' ')} velocity`, kind: 'vector', body: name, unit: 'm/s', count: 3 }, (k) => [0.1, 0.4, 0.01 * k]);
  }
  add({ name: 'wind', kind: 'vector', unit: 'm/s', count: 3 }, () => [1, 0, 0]);
  add({ name: 'moving_box.contact', kind: 'contact', body: 'moving_box', unit: 'N', count: 12 }, (k) => [1.2, 0.02 * k, 0.13, 0, 1, 9, NaN, NaN, NaN, NaN, NaN, NaN]);
  add({ name: 'energy', kind: 'scalar', unit: 'J', count: 1 }, (k) => [k]);
  add({ name: 'mesh', kind: 'heights', body: null, unit: 'm', count: 4 }, () => [1, 2, 3, 4]);
  return finish({ frames, rate, width, title, bodies, fields, column });
}

/** Four links on two wheels each, with three joints between them: only link_N are links. */
export function make_wheeled({ frames = 11, rate = 10 } = {}) {
  const bodies = [];
  const fields = [{ name: 'time', kind: 'scalar', label: 'time', body: null, unit: 's', offset: 0, count: 1 }];
  const column = [(k) => [k / rate]];
  let width = 1;
  const add = (field, values) => {
    fields.push({ label: field.name, ...field, offset: width });
    width += field.count;
    column.push(values);
  };
  const body = (name, shape, size, x, y) => {
    bodies.push({ name, shape, size, colour: shape === 'wheel' ? '#333333' : '#0072b2' });
    add({ name: `${name}.pose`, kind: 'pose', body: name, unit: 'm', count: 7 }, (k) => [x + 0.1 * k, y, 0.05, 1, 0, 0, 0]);
  };
  for (let i = 1; i <= 4; ++i) {
    body(`wheel_${2 * i - 1}`, 'wheel', [0.05, 0.02], -0.2 * i, 0.08);
    body(`wheel_${2 * i}`, 'wheel', [0.05, 0.02], -0.2 * i, -0.08);
    body(`link_${i}`, 'capsule', [0.03, 0.07], -0.2 * i, 0);
  }
  for (let j = 1; j <= 3; ++j) add({ name: `joint_torque.${j}`, label: `joint torque ${j}`, kind: 'scalar', body: null, unit: 'N m', count: 1 }, (k) => [Math.sin(k + j)]);
  return finish({ frames, rate, width, title: 'Four links on wheels', bodies, fields, column });
}

function finish({ frames, rate, width, title, bodies, fields, column }) {
  const bytes = Buffer.alloc(4 * frames * width);
  for (let k = 0; k < frames; ++k) column.flatMap((values) => values(k)).forEach((x, i) => bytes.writeFloatLE(x, 4 * (k * width + i)));
  return {
    replay: { format: 'coluber-replay', version: 1, title, frames, rate_hz: rate, floats_per_frame: width, bodies, fields },
    run: { title, scenario: {}, summary: {}, version: '0', warnings: [] },
    data: { encoding: 'float32', bytes: bytes.toString('base64') },
  };
}
