/** What a backward trace says about the whole run, worked out once. Pure. */

import { colourScale } from "./numbers.js";

/** D of every query, gathered from the steps that make it. */
export function deltasOf(trace) {
  const deltas = new Array(trace.problem.n_q).fill(undefined);
  for (const step of trace.steps) {
    if (step.kind === "delta") step.work.delta.forEach((value, row) => { deltas[step.rows[0] + row] = value; });
  }
  return deltas;
}

/** For each tile of a gradient: the steps that stored it, and the block of numbers that outer memory then held. */
export function storesOfGradient(trace, name) {
  const place = name === "d_q" ? 0 : 1;
  const stores = Array.from({ length: place === 0 ? trace.problem.tiles_q : trace.problem.tiles_k }, () => []);
  trace.steps.forEach((step, index) => {
    // dQ goes out with both indices known; dK and dV when the key tile is done.
    if (step.kind !== "store" || (step.tile[0] === null) === (name === "d_q")) return;
    stores[step.tile[place]].push({ index, block: step.state[name] });
  });
  return stores;
}

/** One colour scale for each tensor over the whole run. Gradients are scaled by what they are in the end. */
export function backwardScales(trace) {
  const { q, k, v, o, d_o: dO } = trace.arrays;
  const blocks = { s: [], d_p: [], d_s: [] };
  for (const step of trace.steps) {
    if (step.kind === "recompute_score") blocks.s.push(...step.work.s.flat());
    else if (step.kind === "d_s") {
      blocks.d_p.push(...step.work.d_p.flat());
      blocks.d_s.push(...step.work.d_s.flat());
    }
  }
  const scales = { p: 1 };
  for (const [name, values] of Object.entries({ q, k, v, o, d_o: dO })) scales[name] = colourScale(values.flat());
  for (const [name, values] of Object.entries(blocks)) scales[name] = colourScale(values);
  for (const name of ["d_q", "d_k", "d_v"]) {
    const last = storesOfGradient(trace, name).flatMap((stores) => (stores.length ? trace.blocks[stores.at(-1).block].flat() : []));
    scales[name] = colourScale(last);
  }
  return scales;
}
