/** The byte ledger: what the standard algorithm and the tiled one have moved when they have handled the same pairs. */

import { el, labelIn, percent, setAttribute, setStyle, setText } from "./dom.js";
import { bytes, total } from "./numbers.js";
import { fill } from "./sentence.js";
import { tensorLabel } from "./tensor_names.js";

const LEDGER_ORDER = ["q", "k", "v", "s", "p", "o", "m", "l", "lse", "d_o", "delta", "d_p", "d_s", "d_q", "d_k", "d_v"];

/** The segments of a lane: what was read and written of each tensor, in a fixed order. */
export function segments(read, written) {
  return LEDGER_ORDER.flatMap((tensor) => [
    { tensor, direction: "read", bytes: read[tensor] ?? 0 },
    { tensor, direction: "written", bytes: written[tensor] ?? 0 },
  ]);
}

/** How many times more the larger one is, as the ledger's sentence needs it. */
export function verdict(standard, tiled) {
  if (standard === tiled) return { outcome: "equal", ratio: 1 };
  return standard > tiled
    ? { outcome: "wins", ratio: standard / tiled }
    : { outcome: "loses", ratio: tiled / standard };
}

/** A tensor as a lane names it: whole tensors are capitals. */
export function laneLabel(tensor) {
  const label = tensorLabel(tensor);
  return label === tensor ? tensor.toUpperCase() : label;
}

const sums = ({ read, written }) => total(read) + total(written);

/** A lane for some ledgers, of which it shows one at a time. It has no part that would be empty in all of them. */
function createLane(name, words, ledgers) {
  const used = segments({}, {}).filter(({ tensor, direction }) => ledgers.some((ledger) => ledger[direction][tensor]));
  const parts = used.map(({ tensor, direction }) => ({
    tensor,
    direction,
    drawn: "",
    node: el("span", { class: `part ${direction}`, "data-tensor": tensor,
      style: `background-color: var(--tw-${tensor.replaceAll("_", "-")}); color: var(--tw-${tensor.replaceAll("_", "-")}-on)` }),
  }));
  const ghost = el("span", { class: "ghost" });
  const bar = el("div", { class: "bar" }, ghost, ...parts.map(({ node }) => node));
  const now = el("b", { "data-testid": `ledger-${name}` });
  const end = el("span", { class: "end" });
  // A whole ledger's sum stands alone; that of a run has its end beside it until it is there.
  const final = bytes(sums(ledgers[0]));
  const longest = `${final} ${fill(words.ledger.end, { bytes: final })}`;
  const root = el("div", { class: "lane" }, el("span", { class: "who", text: words.ledger[name] }), el("div", { class: "bar-cell" }, bar),
    el("span", { class: "sum", "data-longest": longest }, el("span", { class: "sums" }, now, " ", end)));
  return {
    root,
    update(ledger, final, scale) {
      for (const part of parts) {
        // Few of a lane's many parts grow in a step.
        const size = ledger[part.direction][part.tensor] ?? 0;
        const drawn = `${size}/${scale}`;
        if (part.drawn === drawn) continue;
        part.drawn = drawn;
        const share = scale ? size / scale : 0;
        const label = laneLabel(part.tensor);
        setStyle(part.node, "width", percent(share));
        setAttribute(part.node, "title", size ? fill(words.ledger[part.direction], { tensor: label, bytes: bytes(size) }) : null);
        setText(part.node, labelIn(share, label));
      }
      setStyle(ghost, "width", percent(scale ? final / scale : 0));
      const moved = sums(ledger);
      setText(now, bytes(moved));
      setAttribute(now, "data-bytes", moved);
      setText(end, fill(words.ledger.end, { bytes: bytes(final) }));
      setAttribute(end, "hidden", moved === final ? "" : null);
    },
  };
}

/** Make the zone. `real` is a ledger of a real size from the engine's closed forms, or null. */
export function createLedger(trace, words, context) {
  const { real } = context;
  const last = trace.steps.at(-1);
  const ofRun = (step) => ({
    standard: { read: step.standard_read_total, written: step.standard_write_total },
    tiled: { read: step.hbm_read_total, written: step.hbm_write_total },
  });
  const whole = ofRun(last);
  const sumsOf = ({ standard, tiled }) => ({ standard: sums(standard), tiled: sums(tiled) });
  const finals = sumsOf(whole);
  const ofReal = real && {
    standard: { read: real.standard_read, written: real.standard_written },
    tiled: { read: real.tiled_read, written: real.tiled_written },
  };
  const finalsOfReal = real && sumsOf(ofReal);
  const lane = (name) => createLane(name, words, real ? [whole[name], ofReal[name]] : [whole[name]]);
  const lanes = { standard: lane("standard"), tiled: lane("tiled") };
  const note = el("p", { class: "verdict" });
  const view = (name, text) => el("button", { type: "button", "data-view": name, text });
  const views = real
    ? [view("run", words.ledger.so_far), view("real", fill(words.ledger.real, real))]
    : [];
  const root = el("section", { class: "zone ledger", "aria-label": words.zones.ledger },
    el("header", {}, el("h2", { text: words.zones.ledger }),
      el("div", { class: "views", role: "group", "aria-label": words.ledger.view }, ...views)),
    lanes.standard.root, lanes.tiled.root, note);
  let shown = "run";
  let frame = null;

  function noteOfRun() {
    const { outcome, ratio } = verdict(finals.standard, finals.tiled);
    const { block_q: blockQ, block_k: blockK, d, order } = trace.problem;
    const name = outcome === "loses" && order === "kv_outer" ? "loses_kv" : outcome;
    const said = fill(words.ledger[name], { ratio: ratio.toFixed(ratio < 10 ? 2 : 1), block_q: blockQ, block_k: blockK, d, even: d / 2 });
    if (outcome !== "loses" || real === null) return said;
    // A run that fits a screen is too small to win, so the size at which tiling pays stands beside it.
    return `${said} ${fill(words.ledger.at_real, { ...real, tiled: bytes(finalsOfReal.tiled), standard: bytes(finalsOfReal.standard) })}`;
  }

  function noteOfReal() {
    const { outcome, ratio } = verdict(finalsOfReal.standard, finalsOfReal.tiled);
    const wonBy = trace.problem.order === "kv_outer" ? "real_wins_kv" : "real_wins";
    return fill(words.ledger[outcome === "wins" ? wonBy : "real_loses"], { ratio: ratio.toFixed(2) });
  }

  function drawBars() {
    const [ledgers, ends] = shown === "real" ? [ofReal, finalsOfReal] : [ofRun(frame.step), finals];
    const scale = Math.max(ends.standard, ends.tiled);
    for (const name of ["standard", "tiled"]) lanes[name].update(ledgers[name], ends[name], scale);
  }
  /** What stays as it is from step to step. */
  function drawView() {
    for (const button of views) setAttribute(button, "aria-pressed", String(button.dataset.view === shown));
    setText(note, shown === "real" ? noteOfReal() : noteOfRun());
  }
  for (const button of views) {
    button.onclick = () => {
      shown = button.dataset.view;
      drawView();
      drawBars();
    };
  }
  drawView();
  return {
    root,
    update(next) {
      frame = next;
      if (shown === "run") drawBars();
    },
  };
}
