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

// Collects bodies and fields with what they hold in frame k.
function start() {
  const fields = [];
  const column = [];
  const sheet = { bodies: [], fields, column, width: 0 };
  sheet.add = (field, values) => {
    fields.push({ unit: '', body: null, label: field.name.replace(/[._]/g, ' '), ...field, offset: sheet.width });
    sheet.width += field.count;
    column.push(values);
  };
  sheet.body = (body, pose) => {
    sheet.bodies.push({ colour: '#0072b2', ...body });
    sheet.add({ name: `${body.name}.pose`, kind: 'pose', body: body.name, unit: 'm', count: 7 }, pose);
  };
  return sheet;
}

const multiply = ([a, b, c, d], [e, f, g, h]) => [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];
const about = (axis, angle) => [Math.cos(angle / 2), ...[0, 1, 2].map((i) => (i === axis ? Math.sin(angle / 2) : 0))];
export const turn = (q, v) => multiply(multiply(q, [0, ...v]), [q[0], -q[1], -q[2], -q[3]]).slice(1);

/** Angles and torques of joint j (from 1) of make_spatial in frame k. */
export const yaw = (k, j) => 0.5 * Math.sin(0.3 * k + 0.9 * j);
export const pitch = (k, j) => 0.2 * Math.cos(0.3 * k + 0.7 * j);
export const torque = (k, j) => [3 * Math.sin(0.2 * k + j), -1.5 * Math.cos(0.2 * k + j)];

/**
 * A robot in space as the program writes it now: joints with yaw and pitch in groups, ground and obstacle forces in
 * families. Its links meet where their cores end.
 */
export function make_spatial({ links = 4, frames = 21, rate = 20, step = 0.02, start: x_0 = 0, bent = 1 } = {}) {
  const sheet = start();
  const half = 0.07;
  sheet.add({ name: 'time', kind: 'scalar', unit: 's', count: 1 }, (k) => [k / rate]);
  const poses = Array.from({ length: frames }, (_, k) => {
    let end = [x_0 + step * k, 0, 0.05], q = [1, 0, 0, 0];
    return Array.from({ length: links }, (_, i) => {
      if (i > 0) q = multiply(multiply(q, about(2, bent * yaw(k, i))), about(1, bent * pitch(k, i)));
      const along = turn(q, [half, 0, 0]);
      const centre = end.map((x, a) => x + along[a]);
      end = centre.map((x, a) => x + along[a]);
      return [...centre, ...q];
    });
  });
  const each = (n, act) => Array.from({ length: n }, (_, i) => act(i + 1));
  each(links, (i) => sheet.body({ name: `link_${i}`, shape: 'capsule', size: [0.04, half] }, (k) => poses[k][i - 1]));
  sheet.bodies.push({ name: 'ground', shape: 'plane', size: [], colour: '#e8e8e8', pose: [0, 0, 0, 1, 0, 0, 0] });
  const open = [NaN, NaN, NaN, NaN, NaN, NaN];
  const contact = (i, name, family, force) => sheet.add({ name: `link_${i}.${name}`, kind: 'contact', body: `link_${i}`, unit: 'N', count: 12, family }, (k) => [...poses[k][i - 1].slice(0, 2), 0, ...force(k), ...open]);
  each(links, (i) => contact(i, 'ground', 'ground', () => [0, 0, 4 + i]));
  each(links, (i) => contact(i, 'contact', 'obstacle', (k) => (i === 1 ? [0, 60 + k, 0] : [NaN, NaN, NaN])));
  for (const [name, unit, value] of [['joint_angle', 'rad', (k, j) => [yaw(k, j), pitch(k, j)]], ['joint_torque', 'N m', torque]]) {
    each(links - 1, (j) => ['yaw', 'pitch'].forEach((component, c) => sheet.add({ name: `${name}.${j}.${component}`, kind: 'scalar', unit, count: 1, group: name, index: j, component }, (k) => [value(k, j)[c]])));
  }
  sheet.add({ name: 'energy', kind: 'scalar', unit: 'J', count: 1, group: 'energy' }, (k) => [k]);
  return finish({ frames, rate, title: 'A robot in space', ...sheet }, {
    families: [{ name: 'ground', label: 'ground forces', colour: '#009e73', unit: 'N' }, { name: 'obstacle', label: 'obstacle forces', colour: '#cc3311', unit: 'N' }],
    groups: [{ name: 'joint_angle', label: 'joint angle', unit: 'rad', role: 'angle' }, { name: 'joint_torque', label: 'joint torque', unit: 'N m', role: 'torque' }, { name: 'energy', label: 'energy', unit: 'J' }],
  });
}

/** Points, radius and numbers along the rod of make_rod in frame k, i from 0. */
export const rod = {
  points: 16,
  point: (k, i) => [0.1 * i, 0.1 * Math.sin(0.5 * i + 0.2 * k), 0],
  radius: (k, i) => 0.02 + 0.002 * i,
  bend: (k, i) => Math.sin(0.4 * i + 0.1 * k),
  load: (k, i) => 5 * i,
};
export const path = Array.from({ length: 30 }, (_, i) => [0.08 * i - 0.3, 0.3 * Math.cos(0.2 * i), 0]);

/** A rod with a radius and two quantities along it, and the path it should take; all in the plane z = `height`. */
export function make_rod({ frames = 21, rate = 20, height = 0 } = {}) {
  const sheet = start();
  const along = (value) => (k) => Array.from({ length: rod.points }, (_, i) => value(k, i)).flat();
  sheet.add({ name: 'time', kind: 'scalar', unit: 's', count: 1 }, (k) => [k / rate]);
  sheet.bodies.push({ name: 'rod', shape: 'tube', size: [0.02], colour: '#009e73' });
  sheet.bodies.push({ name: 'path', shape: 'tube', size: [0.01], colour: '#d55e00', pose: [0, 0, 0, 1, 0, 0, 0], points: path });
  sheet.add({ name: 'rod.points', kind: 'polyline', body: 'rod', unit: 'm', count: 3 * rod.points }, along((k, i) => [...rod.point(k, i).slice(0, 2), height]));
  sheet.add({ name: 'rod.radius', label: 'radius', kind: 'profile', body: 'rod', unit: 'm', count: rod.points }, along(rod.radius));
  sheet.add({ name: 'rod.bend', label: 'bend', kind: 'profile', body: 'rod', unit: '1/m', count: rod.points }, along(rod.bend));
  sheet.add({ name: 'rod.load', label: 'load', kind: 'profile', body: 'rod', unit: 'N', count: rod.points }, along(rod.load));
  sheet.add({ name: 'rod.odd', label: 'odd', kind: 'profile', body: 'rod', unit: '', count: 3 }, () => [1, 2, 3]); // not one per point
  sheet.add({ name: 'energy', kind: 'scalar', unit: 'J', count: 1, group: 'energy' }, (k) => [k]);
  return finish({ frames, rate, title: 'A rod on a path', ...sheet }, { families: [], groups: [{ name: 'energy', label: 'energy', unit: 'J' }] });
}

/** Where the arms of make_tree are joined to the board, in its axes. */
export const hinges = [[0.2, 0.15, 0.05], [-0.2, -0.15, 0.05]];

/** A board with two arms, both joined to it beside its axis, and wheels that roll; `told`: the file says where, and which is which. */
export function make_tree({ frames = 21, rate = 20, told = false } = {}) {
  const sheet = start();
  sheet.add({ name: 'time', kind: 'scalar', unit: 's', count: 1 }, (k) => [k / rate]);
  const board = (k) => [0.02 * k, 0, 0.1, ...about(2, 0.03 * k)];
  const on_board = (k, p) => turn(board(k).slice(3), p).map((x, a) => x + board(k)[a]);
  sheet.body({ name: 'link_1', shape: 'box', size: [0.6, 0.3, 0.04] }, board);
  hinges.forEach((hinge, i) => {
    const q = (k) => multiply(board(k).slice(3), about(2, (i === 0 ? 1 : -1) * (0.4 + 0.08 * k)));
    // the arm's middle is 0.1 beyond its hinge
    sheet.body({ name: `link_${i + 2}`, shape: 'capsule', size: [0.02, 0.08], parent: 'link_1', colour: '#cc79a7', ...(told ? { joint: [-0.1, 0, 0], coordinates: [2 - i] } : {}) }, (k) => [...turn(q(k), [0.1, 0, 0]).map((x, a) => x + on_board(k, hinge)[a]), ...q(k)]);
  });
  [[0.25, 0.17], [0.25, -0.17], [-0.25, 0.17], [-0.25, -0.17]].forEach(([x, y], i) => {
    sheet.body({ name: `wheel_${i + 1}`, shape: 'wheel', size: [0.1, 0.04], parent: 'link_1', colour: '#56b4e9' }, (k) => [...on_board(k, [x, y, 0]), ...multiply(board(k).slice(3), about(1, 0.2 * k))]);
  });
  sheet.bodies.push({ name: 'ground', shape: 'plane', size: [], colour: '#e8e8e8', pose: [0, 0, 0, 1, 0, 0, 0] });
  for (let j = 1; j <= 2; ++j) sheet.add({ name: `joint_torque.${j}`, kind: 'scalar', unit: 'N m', count: 1, group: 'joint_torque', index: j }, (k) => [Math.sin(k + j)]);
  return finish({ frames, rate, title: 'A board with arms and wheels', ...sheet }, { families: [], groups: [{ name: 'joint_torque', label: 'joint torque', unit: 'N m', role: 'torque' }] });
}

/** A planar robot of three links on wheels that spin, along a path which it leaves to its left; wheels are larger than links are thick. */
export const follower = { wheel: 0.065, spin: (k) => 0.37 * k, path: Array.from({ length: 60 }, (_, i) => [0.05 * i, 0, 0]), error: (k, i) => 0.002 * k * i };
export function make_follower({ frames = 21, rate = 20, thick = 0.002 } = {}) {
  const sheet = start();
  sheet.add({ name: 'time', kind: 'scalar', unit: 's', count: 1 }, (k) => [k / rate]);
  const place = (k, i) => [0.5 + 0.05 * k - 0.122 * i, follower.error(k, 1), 0];
  for (let i = 1; i <= 3; ++i) sheet.body({ name: `link_${i}`, shape: 'capsule', size: [0.03, 0.04] }, (k) => [...place(k, i), ...about(2, Math.PI)]);
  for (let i = 1; i <= 3; ++i) {
    for (const [side, y] of [['left', -0.041], ['right', 0.041]]) {
      sheet.body({ name: `wheel_${i}_${side}`, shape: 'wheel', size: [follower.wheel, 0.016], parent: `link_${i}`, colour: '#b4bcc4' }, (k) => [place(k, i)[0], place(k, i)[1] + y, 0, ...multiply(about(2, Math.PI), about(1, -follower.spin(k)))]);
    }
  }
  sheet.bodies.push({ name: 'ground', shape: 'plane', size: [], colour: '#e8e8e8', pose: [0, 0, 0, 1, 0, 0, 0] });
  sheet.bodies.push({ name: 'path', shape: 'tube', size: [thick], colour: '#e69f00', pose: [0, 0, 0, 1, 0, 0, 0], points: follower.path });
  for (let i = 1; i <= 3; ++i) sheet.add({ name: `path_error.${i}`, kind: 'scalar', unit: 'm', count: 1, group: 'path_error', index: i }, (k) => [follower.error(k, i)]);
  sheet.add({ name: 'steering', kind: 'scalar', unit: 'rad', count: 1, group: 'steering' }, (k) => [0.01 * k]);
  return finish({ frames, rate, title: 'Three links on wheels along a path', ...sheet }, {
    families: [], groups: [{ name: 'path_error', label: 'path error', unit: 'm' }, { name: 'steering', label: 'steering', unit: 'rad' }],
  });
}

function finish({ frames, rate, width, title, bodies, fields, column }, more = {}) {
  const bytes = Buffer.alloc(4 * frames * width);
  for (let k = 0; k < frames; ++k) column.flatMap((values) => values(k)).forEach((x, i) => bytes.writeFloatLE(x, 4 * (k * width + i)));
  return {
    replay: { format: 'coluber-replay', version: 1, title, frames, rate_hz: rate, floats_per_frame: width, bodies, fields, ...more },
    run: { title, scenario: {}, summary: {}, version: '0', warnings: [] },
    data: { encoding: 'float32', bytes: bytes.toString('base64') },
  };
}

/** Six links that two obstacles touch, with mapped forces beside the contact force of another; margins are missing at times. */
export const mapped = {
  force: (k, i) => [3 * i, 4 + 0.1 * k, 0],
  part: (k, i) => [2.8 * i, 3.9 + 0.1 * k, 0],
  torque: (k, j) => Math.sin(j + 0.3 * k),
  margin: (k) => (k % 3 === 2 ? NaN : 10 + k),
};
export function make_mapped({ frames = 3, rate = 1, size = [0.03, 0.05] } = {}) {
  const sheet = start();
  sheet.add({ name: 'time', kind: 'scalar', unit: 's', count: 1 }, (k) => [k / rate]);
  const place = (k, i) => [0.2 * i + 0.05 * k, 0, 0];
  for (let i = 1; i <= 6; ++i) sheet.body({ name: `link_${i}`, shape: 'capsule', size }, (k) => [...place(k, i), ...about(2, 0.1 * i)]);
  sheet.bodies.push({ name: 'ground', shape: 'plane', size: [], colour: '#e8e8e8', pose: [0, 0, 0, 1, 0, 0, 0] });
  const open = Array(6).fill(NaN);
  const arrows = (family, touched, force) => {
    for (let i = 1; i <= 6; ++i) sheet.add({ name: `link_${i}.${family}`, kind: 'contact', body: `link_${i}`, unit: 'N', count: 6, family }, (k) => (touched.includes(i) ? [...place(k, i), ...force(k, touched.indexOf(i) + 1)] : open));
  };
  arrows('obstacle', [5], () => [0, 70, 0]);
  arrows('mapped_force', [2, 4], mapped.force);
  arrows('mapped_constraint', [2, 4], mapped.part);
  for (let j = 1; j <= 5; ++j) sheet.add({ name: `mapped_torque.${j}`, kind: 'scalar', unit: 'N m', count: 1, group: 'mapped_torque', index: j }, (k) => [mapped.torque(k, j)]);
  sheet.add({ name: 'margin', kind: 'scalar', unit: 'N', count: 1, group: 'margin' }, (k) => [mapped.margin(k)]);
  return finish({ frames, rate, title: 'Forces mapped', ...sheet }, {
    families: [{ name: 'obstacle', label: 'obstacle forces', colour: '#cc3311', unit: 'N' }, { name: 'mapped_force', label: 'mapped forces', colour: '#c2318f', unit: 'N' }, { name: 'mapped_constraint', label: 'mapped constraint', colour: '#e08fc6', unit: 'N' }],
    groups: [{ name: 'mapped_torque', label: 'mapped torque', unit: 'N m', role: 'torque' }, { name: 'margin', label: 'margin', unit: 'N' }],
  });
}
