/** Puts back what the Python side pooled to send less: each step's byte counts and lists of numbers. Pure. */

const COUNTS = ["hbm_read", "hbm_write", "hbm_read_total", "hbm_write_total", "standard_read_total", "standard_write_total", "resident"];
const LISTS = ["m", "l", "s", "p", "row_max", "m_old", "m_new", "rises", "alpha", "l_before", "l_after", "rescaled", "row_sum", "lse", "delta", "d_p", "d_s"];

function withLists(part, lists) {
  const full = { ...part };
  for (const name of LISTS) if (name in full) full[name] = lists[full[name]];
  return full;
}

/** The trace as docs/trace-format.md describes it. Steps share what is equal in them; nobody changes it. */
export function unpack({ trace, counts, lists }) {
  const steps = trace.steps.map((step) => {
    const full = { ...step, state: withLists(step.state, lists), work: withLists(step.work, lists) };
    for (const name of COUNTS) full[name] = counts[step[name]];
    return full;
  });
  return { ...trace, steps };
}
