/** How a tensor of the trace is written for a reader. Pure. */

/** `d_q` is dQ and `delta` is D, as in the listing; other names stay as they are. */
export function tensorLabel(name) {
  if (name === "delta") return "D";
  const gradient = /^d_(\w)$/.exec(name);
  return gradient ? `d${gradient[1].toUpperCase()}` : name;
}

/** The tensor that a word of the listing means: the inverse of `tensorLabel`. */
export function tensorOfLabel(word) {
  if (word === "D") return "delta";
  const gradient = /^d([QKVOPS])$/.exec(word);
  return gradient ? `d_${gradient[1].toLowerCase()}` : word;
}
