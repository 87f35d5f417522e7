// Numbers and names as people read them.

/** A number with about `digits` significant digits; large and tiny ones in powers of ten. */
export function format_number(x: number, digits = 4): string {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? '–' : x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-3) {
    const [lead, power] = x.toExponential(Math.max(0, digits - 2)).split('e') as [string, string];
    const raised = [...String(Number(power))].map((c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)]!)).join('');
    return `${lead.replace(/\.?0+$/, '')}·10${raised}`.replace('-', '−');
  }
  if (Number.isInteger(x)) return String(x).replace('-', '−');
  return String(+x.toPrecision(digits)).replace('-', '−');
}

export function format_value(value: unknown): string {
  if (value === undefined || value === null) return '–';
  if (typeof value === 'number') return format_number(value, 6);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value === 'inf') return '∞';
  if (Array.isArray(value)) return value.map(format_value).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Nested keys as dotted ones; empty values are left out, lists of tables become their count. */
export function flatten(value: Record<string, unknown>, prefix = ''): Map<string, unknown> {
  const out = new Map<string, unknown>();
  for (const [key, item] of Object.entries(value)) {
    const name = prefix + key;
    if (item === null || item === undefined || name === 'title') continue;
    if (Array.isArray(item) && item.length > 0 && typeof item[0] === 'object') {
      out.set(name, `${item.length} of them`);
    } else if (typeof item === 'object' && !Array.isArray(item)) {
      for (const [k, v] of flatten(item as Record<string, unknown>, `${name}.`)) out.set(k, v);
    } else {
      out.set(name, item);
    }
  }
  return out;
}

const names: Record<string, string> = {
  path_length: 'way travelled',
  net_speed: 'net speed',
  mean_speed: 'mean speed',
  heading_change: 'heading change',
  max_torque: 'largest torque',
  work_positive: 'work put in',
  work_net: 'work, braking counted back',
  energy_in: 'energy put in',
  cost_of_transport: 'cost of transport',
  max_penetration: 'deepest overlap',
  max_ground_penetration: 'deepest in the ground',
  residual_max: 'largest residual',
  rigid_residual_max: 'rigid residual',
  failed_steps: 'failed steps',
  real_time_factor: 'times real time',
  real_time_factor_total: 'the same with result files',
  final_state: 'final state',
  path_error: 'path error, all links',
  path_error_head: 'path error, link 1',
  path_error_max: 'largest path error',
  path_error_max_head: 'the same, link 1',
  path_progress: 'way along the path',
  max_wheel_torque: 'largest wheel torque',
  torque_joints: 'joint torque, total',
  torque_wheels: 'wheel torque, total',
  slip_share: 'slipping wheels',
  slip_mean: 'mean slip',
  steering_clamped: 'steering at its limit',
  constraint_rate: 'speed across contacts',
  share: 'share that is feasible',
  rank_share: 'share solvable by rank',
  margin_min: 'least margin',
  torque_max: 'largest torque',
};
const known_units: Record<string, string> = { distance: 'm', displacement: 'm', path_length: 'm', net_speed: 'm/s', mean_speed: 'm/s', heading_change: 'rad', max_torque: 'N m', work_positive: 'J', work_net: 'J', energy_in: 'J', max_penetration: 'm', max_ground_penetration: 'm' };

/** A line of the summary: name, value and unit; angles in degrees. */
export function figure(key: string, value: unknown, given_unit: string | undefined): { name: string; value: string; unit: string } {
  const name = names[key] ?? key.replace(/_/g, ' ');
  let unit = given_unit ?? known_units[key] ?? '';
  if (typeof value !== 'number') return { name, value: format_value(value), unit: value === null ? '' : unit };
  let x = value;
  if (unit === 'rad') {
    x *= 180 / Math.PI;
    unit = '°';
  } else if (unit === 'm' && Math.abs(x) < 1e-3) {
    x *= 1e6;
    unit = 'µm';
  }
  return { name, value: format_number(x, 4), unit };
}
