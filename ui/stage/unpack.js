/** Puts back what the Python side pooled to send less: each step's byte counts. Pure. */

const COUNTS = ["hbm_read", "hbm_write", "hbm_read_total", "hbm_write_total", "standard_read_total", "standard_write_total", "resident"];

/** The trace as docs/trace-format.md describes it. Steps share the counts that are equal; nobody changes them. */
export function unpack({ trace, counts }) {
  const steps = trace.steps.map((step) => {
    const full = { ...step };
    for (const name of COUNTS) full[name] = counts[step[name]];
    return full;
  });
  return { ...trace, steps };
}
