// Axes of plots.

/** What the vertical axis shows: the values and a little room; something around a constant, or around rounding errors of 0. */
export function around(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low + high)) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size < 1e-15) return [-1, 1];
  const room = high - low > 1e-6 * size ? 0.06 * (high - low) : 0.5 * size;
  return [low - room, high + room];
}
