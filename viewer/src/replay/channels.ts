// Channels: what can be plotted. A group is one quantity with one unit; its members are numbered.

import { family_of, type Body, type Field, type GroupHeader, type Replay } from './format.ts';
import { find_links, named_coordinates } from './structure.ts';

export interface Channel {
  key: string; // the member's mark: 1, 2, … or x, y
  title: string;
  read: (frame: number) => number;
}

export interface Group {
  name: string;
  label: string;
  unit: string;
  role: GroupHeader['role'];
  channels: Channel[];
}

export interface Vectors {
  name: string;
  label: string;
  unit: string;
  fields: Field[]; // one per body
}

/** Numbers along curves that may colour them. */
export interface Profile {
  name: string;
  label: string;
  unit: string;
  fields: Field[]; // one per body
}

/** What colours may show: a group per link or joint, or numbers along curves. */
export interface Colouring {
  name: string;
  label: string;
  unit: string;
  on: 'links' | 'joints' | 'curves';
  group: Group | null;
  profile: Profile | null;
}

/** Vector fields of one quantity together: `velocity.1`, `velocity.2` or `link_1.velocity`, `link_2.velocity`. */
export function make_vectors(replay: Replay): Vectors[] {
  const families = new Map<string, Vectors>();
  for (const field of replay.fields.filter((f) => f.kind === 'vector')) {
    const own = field.body !== null && field.name.startsWith(`${field.body}.`);
    const name = own ? field.name.slice(field.body!.length + 1) : field.name.replace(/\.\d+$/, '');
    const spoken = field.body?.replace(/_/g, ' ') ?? '';
    const label = own && spoken && field.label.startsWith(`${spoken} `) ? field.label.slice(spoken.length + 1) : field.label.replace(/\s*\d+$/, '');
    const family = families.get(name) ?? { name, label, unit: field.unit, fields: [] };
    family.fields.push(field);
    families.set(name, family);
  }
  return [...families.values()];
}

/** The part of a field's name behind its body: `radius` of `rod.radius`. */
export function own_name(field: Field): string {
  return field.body !== null && field.name.startsWith(`${field.body}.`) ? field.name.slice(field.body.length + 1) : field.name;
}

/** Numbers along curves, those of one quantity together; the radius is drawn, not coloured. */
export function make_profiles(replay: Replay): Profile[] {
  const profiles = new Map<string, Profile>();
  for (const field of replay.fields.filter((f) => f.kind === 'profile' && f.body !== null)) {
    const name = own_name(field);
    if (name === 'radius') continue;
    const profile = profiles.get(name) ?? { name, label: field.label, unit: field.unit, fields: [] };
    profile.fields.push(field);
    profiles.set(name, profile);
  }
  return [...profiles.values()];
}

/** What may colour the bodies: quantities per link, quantities per joint, numbers along curves. */
export function make_colourings(groups: Group[], profiles: Profile[], links: Body[]): Colouring[] {
  const all: Colouring[] = [];
  const names = new Set(links.map((b) => short(b.name)));
  const numbered = named_coordinates(links);
  for (const group of groups) {
    const n = group.channels.length;
    const of_joints = numbered.size > 0
      ? n > 0 && n === numbered.size && (group.role !== '' || n !== links.length)
      : group.role !== '' ? n > 0 && n < links.length : n === links.length - 1;
    if (links.length < 2 || !(of_joints || n === links.length)) continue;
    if (!group.channels.every((c) => /^\d+$/.test(c.key) || names.has(c.key))) continue; // x, y, z of one thing
    all.push({ name: group.name, label: group.label, unit: group.unit, on: of_joints ? 'joints' : 'links', group, profile: null });
  }
  for (const profile of profiles) {
    const taken = all.some((c) => c.name === profile.name);
    all.push({ name: taken ? `along.${profile.name}` : profile.name, label: profile.label, unit: profile.unit, on: 'curves', group: null, profile });
  }
  return all;
}

const axes = ['x', 'y', 'z'];
const short = (name: string) => name.replace(/^link_/, '');

class Groups {
  private readonly groups = new Map<string, Group>();

  add(head: GroupHeader, key: string, title: string, read: Channel['read']): void {
    let group = this.groups.get(head.name);
    if (!group) this.groups.set(head.name, (group = { ...head, channels: [] }));
    group.channels.push({ key, title, read });
  }

  has(name: string): boolean {
    return this.groups.has(name);
  }

  all(): Group[] {
    return [...this.groups.values()];
  }
}

const plain = (name: string, label: string, unit: string): GroupHeader => ({ name, label, unit, role: '' });

// A group as the file says: its members by number. Where a member has components there is one group per component,
// and before them the size of each member, if the components are those of a vector.
function add_listed(groups: Groups, replay: Replay, head: GroupHeader): void {
  const { values, width } = replay;
  const fields = replay.fields.filter((f) => f.kind === 'scalar' && f.group === head.name && f.count === 1);
  const components = [...new Set(fields.map((f) => f.component))];
  const read_field = (field: Field) => (k: number) => values[k * width + field.offset]!;
  const numbers = [...new Set(fields.map((f) => f.index))];
  if (components.length < 2 || (numbers.length < 2 && head.role === '')) {
    for (const field of fields) groups.add(head, field.component ?? String(field.index ?? ''), field.label, read_field(field));
    return;
  }
  if (head.role === 'torque' || components.every((c) => c !== null && axes.includes(c))) {
    for (const number of numbers) {
      const parts = fields.filter((f) => f.index === number);
      const read = (k: number) => Math.hypot(...parts.map((f) => values[k * width + f.offset]!));
      groups.add(head, String(number), `${head.label} ${number}, size`, read);
    }
  }
  for (const component of components) {
    const own = { ...head, name: `${head.name}.${component}`, label: `${head.label} ${component}` };
    for (const field of fields.filter((f) => f.component === component)) groups.add(own, String(field.index ?? ''), field.label, read_field(field));
  }
}

// Scalars that belong to no group of the file: numbered ones together.
function add_scalars(groups: Groups, replay: Replay): void {
  const { values, width } = replay;
  const listed = new Set(replay.groups.map((g) => g.name));
  for (const field of replay.fields.filter((f) => f.kind === 'scalar' && f.name !== 'time')) {
    if (field.group !== null && listed.has(field.group) && field.count === 1) continue;
    const match = /^(.*)\.(\d+)$/.exec(field.name);
    for (let i = 0; i < field.count; ++i) {
      const at = field.offset + i;
      const read = (k: number) => values[k * width + at]!;
      if (match && field.count === 1) {
        const name = match[1]!;
        const role = replay.groups.length > 0 ? '' : name === 'joint_torque' ? 'torque' : name === 'joint_angle' ? 'angle' : ''; // older files name no roles
        groups.add({ ...plain(name, field.label.replace(/\s*\d+$/, ''), field.unit), role }, match[2]!, field.label, read);
      } else {
        groups.add(plain(field.name, field.label, field.unit), field.count === 1 ? '' : String(i + 1), field.label, read);
      }
    }
  }
}

// Vectors of several bodies: the size of each; a single one by axis.
function add_vectors(groups: Groups, replay: Replay): void {
  const { values, width } = replay;
  for (const family of make_vectors(replay)) {
    const head = plain(family.name, family.label, family.unit);
    if (family.fields.length > 1) {
      for (const field of family.fields) {
        const read = (k: number) => Math.hypot(...values.subarray(k * width + field.offset, k * width + field.offset + field.count));
        groups.add(head, short(field.body ?? field.name), field.label, read);
      }
      continue;
    }
    const field = family.fields[0]!;
    for (let i = 0; i < field.count; ++i) {
      const at = field.offset + i;
      const axis = field.count <= 3 ? axes[i]! : String(i + 1);
      groups.add({ ...head, name: field.name, label: field.label }, axis, `${field.label} ${axis}`, (k) => values[k * width + at]!);
    }
  }
}

// The force on each body, by family of arrows.
function add_forces(groups: Groups, replay: Replay): void {
  const { values, width } = replay;
  for (const family of replay.families) {
    const fields = replay.fields.filter((f) => f.kind === 'contact' && family_of(f) === family.name);
    if (fields.length === 0) continue;
    let name = own_name(fields[0]!); // `contact` of link_1.contact
    if (fields[0]!.family === null) name = 'contact_force';
    else if (!name.endsWith('_force')) name += '_force';
    while (groups.has(name)) name += '_';
    for (const field of fields) {
      const body = field.body ?? field.name;
      const read = (k: number) => {
        let sum = 0;
        for (let s = 0; s < field.count; s += 6) {
          const at = k * width + field.offset + s + 3;
          const f = Math.hypot(values[at]!, values[at + 1]!, values[at + 2]!);
          if (Number.isFinite(f)) sum += f;
        }
        return sum;
      };
      groups.add(plain(name, family.label, family.unit || field.unit), short(body), `${family.label} on ${body.replace(/_/g, ' ')}`, read);
    }
  }
}

// Positions of links, or of all bodies where there are none, one group per axis along which any moves.
function add_positions(groups: Groups, replay: Replay): void {
  const { values, width } = replay;
  const links = new Set(find_links(replay).map((b) => b.name));
  const poses = replay.fields.filter((f) => f.kind === 'pose' && (links.size === 0 || f.body === null || links.has(f.body)));
  for (let a = 0; a < 3; ++a) {
    const moves = poses.some((f) => {
      for (let k = 0; k < replay.frames; ++k) if (values[k * width + f.offset + a] !== values[f.offset + a]) return true;
      return false;
    });
    if (!moves) continue;
    for (const field of poses) {
      const at = field.offset + a;
      const name = field.body ?? field.name;
      groups.add(plain(`position_${axes[a]}`, `position ${axes[a]}`, field.unit || 'm'), short(name), `${name.replace(/_/g, ' ')} ${axes[a]}`, (k) => values[k * width + at]!);
    }
  }
}

/** Groups of channels: those the file lists, other scalars, vectors, the force on each body, positions by axis. */
export function make_groups(replay: Replay): Group[] {
  const groups = new Groups();
  for (const head of replay.groups) add_listed(groups, replay, head);
  add_scalars(groups, replay);
  add_vectors(groups, replay);
  add_forces(groups, replay);
  add_positions(groups, replay);
  return groups.all();
}
