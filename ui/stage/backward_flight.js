/** Which tiles a step of a backward moves between the memories. Pure. */

/** As `flightsOf` in flight.js: `[name, tile, direction]`. */
export function backwardFlights(step) {
  const [q, k] = step.tile;
  if (step.kind === "delta") return [["o", q, "in"], ["d_o", q, "in"]];
  if (step.kind === "load_kv") return [["k", k, "in"], ["v", k, "in"]];
  if (step.kind === "load_q") return [["q", q, "in"], ["d_o", q, "in"], ["d_q", q, "in"]];
  if (step.kind !== "store") return [];
  return q === null ? [["d_k", k, "out"], ["d_v", k, "out"]] : [["d_q", q, "out"]];
}
