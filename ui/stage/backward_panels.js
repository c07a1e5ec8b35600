/** What each panel of a backward run shows on chip; the same form as the forward's list in chip.js. */

const ofQueries = (name) => ({ trace, step }) => (step.resident[name] && step.rows ? trace.arrays[name].slice(...step.rows) : null);
const ofKeys = (name) => ({ trace, step }) => (step.resident[name] && step.cols ? trace.arrays[name].slice(...step.cols) : null);
const gathered = (name) => ({ trace, step }) => {
  // The step that stores a gradient shows it on its way out.
  const leaves = step.kind === "store" && (name === "d_q") === (step.tile[0] !== null);
  if (!step.resident[name] && !leaves) return null;
  return trace.blocks[step.state[name]] ?? null;
};

function gatheredNote(name) {
  return ({ step, trace }, words) => {
    if (step.kind === name) return words.notes.growing;
    if (step.kind !== "store") return words.notes.so_far;
    if (name !== "d_q") return step.tile[0] === null ? words.notes.final : words.notes.so_far;
    return trace.problem.visits[step.tile[0]].lastIndexOf("v") === step.tile[1] ? words.notes.final : words.notes.so_far;
  };
}

/** What lies in the place of the weights: s until p is written over it. */
function weightsHeld({ step }) {
  return step.resident.s ? "s" : "p";
}

/** What lies in the place of the gradients of the scores: dP until dS is written over it. */
function slopesHeld({ step }) {
  return step.resident.d_p ? "d_p" : "d_s";
}

/** A block on chip. */
function heldBlock({ step }, name) {
  return step.resident[name] ? (step.work[name] ?? null) : null;
}

export const BACKWARD = [
  { name: "q", tensor: "q", line: "tiles", rows: "queries", columns: "dimensions", read: ofQueries("q") },
  { name: "k", tensor: "k", line: "tiles", rows: "keys", columns: "dimensions", read: ofKeys("k") },
  { name: "v", tensor: "v", line: "tiles", rows: "keys", columns: "dimensions", read: ofKeys("v") },
  { name: "d_o", tensor: "o", scale: "d_o", line: "tiles", rows: "queries", columns: "dimensions", read: ofQueries("d_o") },
  { name: "o", tensor: "o", line: "tiles", rows: "queries", columns: "dimensions", read: ofQueries("o") },
  // p is written over s, and dS over dP: each pair has one place on chip.
  { name: "p", tensor: "p", line: "blocks", rows: "queries", columns: "keys", holds: weightsHeld,
    read: (frame) => heldBlock(frame, weightsHeld(frame)),
    title: (frame, words) => words.panels[weightsHeld(frame)],
    note: (_, words) => words.notes.made_again },
  { name: "d_s", tensor: "s", line: "blocks", rows: "queries", columns: "keys", holds: slopesHeld,
    read: (frame) => heldBlock(frame, slopesHeld(frame)),
    title: (frame, words) => words.panels[slopesHeld(frame)],
    note: (frame, words) => (slopesHeld(frame) === "d_s" ? words.notes.over_d_p : "") },
  ...["d_q", "d_k", "d_v"].map((name) => ({
    name, tensor: name.at(-1), scale: name, line: "gathered", rows: name === "d_q" ? "queries" : "keys", columns: "dimensions",
    read: gathered(name), note: gatheredNote(name),
  })),
];
