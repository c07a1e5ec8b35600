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

function createLane(name, words) {
  const parts = segments({}, {}).map(({ tensor, direction }) => ({
    drawn: "",
    node: el("span", { class: `part ${direction}`, "data-tensor": tensor,
      style: `background-color: var(--tw-${tensor.replaceAll("_", "-")}); color: var(--tw-${tensor.replaceAll("_", "-")}-on)` }),
  }));
  const ghost = el("span", { class: "ghost" });
  const bar = el("div", { class: "bar" }, ghost, ...parts.map(({ node }) => node));
  const now = el("b", { "data-testid": `ledger-${name}` });
  const end = el("span", { class: "end" });
  const root = el("div", { class: "lane" }, el("span", { class: "who", text: words.ledger[name] }), bar, el("span", { class: "sum" }, now, " ", end));
  return {
    root,
    update({ read, written }, final, scale) {
      segments(read, written).forEach((segment, place) => {
        // Few of a lane's many parts grow in a step.
        const part = parts[place];
        const drawn = `${segment.bytes}/${scale}`;
        if (part.drawn === drawn) return;
        part.drawn = drawn;
        const share = scale ? segment.bytes / scale : 0;
        setStyle(part.node, "width", percent(share));
        const text = fill(words.ledger[segment.direction], { tensor: laneLabel(segment.tensor), bytes: bytes(segment.bytes) });
        setAttribute(part.node, "title", segment.bytes ? text : null);
        setText(part.node, labelIn(share, laneLabel(segment.tensor)));
      });
      setStyle(ghost, "width", percent(scale ? final / scale : 0));
      const moved = total(read) + total(written);
      setText(now, bytes(moved));
      setAttribute(now, "data-bytes", moved);
      setText(end, fill(words.ledger.end, { bytes: bytes(final) }));
      end.hidden = moved === final;
    },
  };
}

/** Make the zone. `real` is a ledger of a real size from the engine's closed forms, or null. */
export function createLedger(trace, words, context) {
  const { real } = context;
  const last = trace.steps.at(-1);
  const sums = (read, written) => total(read) + total(written);
  const finals = {
    standard: sums(last.standard_read_total, last.standard_write_total),
    tiled: sums(last.hbm_read_total, last.hbm_write_total),
  };
  const lanes = { standard: createLane("standard", words), tiled: createLane("tiled", words) };
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
    return fill(words.ledger[name], { ratio: ratio.toFixed(ratio < 10 ? 2 : 1), block_q: blockQ, block_k: blockK, d, even: d / 2 });
  }

  function draw() {
    if (shown === "real") {
      const standard = sums(real.standard_read, real.standard_written);
      const tiled = sums(real.tiled_read, real.tiled_written);
      const scale = Math.max(standard, tiled);
      lanes.standard.update({ read: real.standard_read, written: real.standard_written }, standard, scale);
      lanes.tiled.update({ read: real.tiled_read, written: real.tiled_written }, tiled, scale);
      const { outcome, ratio } = verdict(standard, tiled);
      const wonBy = trace.problem.order === "kv_outer" ? "real_wins_kv" : "real_wins";
      setText(note, fill(words.ledger[outcome === "wins" ? wonBy : "real_loses"], { ratio: ratio.toFixed(2) }));
    } else {
      const { step } = frame;
      const scale = Math.max(finals.standard, finals.tiled);
      lanes.standard.update({ read: step.standard_read_total, written: step.standard_write_total }, finals.standard, scale);
      lanes.tiled.update({ read: step.hbm_read_total, written: step.hbm_write_total }, finals.tiled, scale);
      setText(note, noteOfRun());
    }
    for (const button of views) setAttribute(button, "aria-pressed", String(button.dataset.view === shown));
  }
  for (const button of views) {
    button.onclick = () => {
      shown = button.dataset.view;
      draw();
    };
  }
  return {
    root,
    update(next) {
      frame = next;
      if (shown === "run" || note.textContent === "") draw();
    },
  };
}
