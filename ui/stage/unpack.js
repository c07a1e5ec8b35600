/**
 * Puts back what the Python side packed or pooled to send less: wide matrices, and each step's byte counts and lists
 * of numbers. Pure.
 */

const COUNTS = ["hbm_read", "hbm_write", "hbm_read_total", "hbm_write_total", "standard_read_total", "standard_write_total", "resident"];
const LISTS = ["m", "l", "s", "p", "row_max", "m_old", "m_new", "rises", "alpha", "l_before", "l_after", "rescaled", "row_sum", "lse", "delta", "d_p", "d_s"];

function withLists(part, lists) {
  const full = { ...part };
  for (const name of LISTS) if (name in full) full[name] = lists[full[name]];
  return full;
}

/** A number as a trace writes it: −∞ is null, ∞ and NaN are words. */
function written(number) {
  if (Number.isFinite(number)) return number;
  return number === -Infinity ? null : String(number).replace("Infinity", "inf").toLowerCase();
}

/** A matrix that was packed as float32, little-endian, in base64; numbers that were sent plainly as they are. */
export function matrixOf(sent) {
  if (Array.isArray(sent)) return sent;
  const held = Uint8Array.from(atob(sent.f32), (letter) => letter.charCodeAt(0));
  const view = new DataView(held.buffer);
  const { columns } = sent;
  return Array.from({ length: held.length / 4 / columns }, (_, row) =>
    Array.from({ length: columns }, (_unused, column) => written(view.getFloat32(4 * (row * columns + column), true))));
}

/** The trace as docs/trace-format.md describes it. Steps share what is equal in them; nobody changes it. */
export function unpack({ trace, counts, lists }) {
  const steps = trace.steps.map((step) => {
    const { counts: places, ...own } = step;
    const full = { ...own, state: withLists(step.state, lists), work: withLists(step.work, lists) };
    COUNTS.forEach((name, place) => { full[name] = counts[places[place]]; });
    return full;
  });
  const arrays = Object.fromEntries(Object.entries(trace.arrays).map(([name, sent]) => [name, matrixOf(sent)]));
  return { ...trace, arrays, blocks: trace.blocks.map(matrixOf), steps };
}
