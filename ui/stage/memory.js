/**
 * The large slow memory, laid out as the product is computed: Q at the left, K and V above, O at the right, and
 * between them the score matrix that is never stored.
 */

import { createMark, el, setAttribute } from "./dom.js";
import { paint, paintStill, wipe } from "./heat.js";
import { finalStore, heldO, storesOfO } from "./history.js";
import { createBlocks, createQueriesMark, createTokens, tileSpans } from "./memory_blocks.js";
import { keepFitting } from "./memory_fit.js";
import { createSaved } from "./memory_saved.js";
import { readableStrip } from "./memory_strip.js";
import { pocket } from "./pocket.js";
import { fill, showToken } from "./sentence.js";

/** The strip of m and l, or lse, beside O; in pixels, as in the style sheet. */
const SAVED_WIDTH = 16;

/** Make the zone. */
export function createMemory(trace, words, context) {
  const { problem, arrays } = trace;
  const { tiles_q: tilesQ, tiles_k: tilesK, block_q: blockQ, block_k: blockK, n_q: nQ, n_k: nK } = problem;
  const tokensQ = problem.tokens_q.map(showToken);
  const tokensK = problem.tokens_k.map(showToken);
  const spansQ = tileSpans(tilesQ, blockQ, nQ);
  const spansK = tileSpans(tilesK, blockK, nK);
  const stores = storesOfO(trace);
  const picture = el("div", { class: "picture", role: "group" });
  const oColumn = tilesK + 3;
  const at = (node, row, column) => {
    node.style.gridArea = `${row} / ${column}`;
    picture.append(node);
    return node;
  };

  function strip(name, tile, span, across) {
    const node = el("div", { class: `held ${across ? "across" : "down"}`, role: "img", "data-tensor": name, "data-tile": String(tile),
      "data-still": name === "o" ? null : "", style: `--hue: var(--tw-${name}); --rows: ${span[1] - span[0]}` }, el(name === "o" ? "canvas" : "span", { class: "values" }));
    const tokens = (name === "q" || name === "o" ? tokensQ : tokensK).slice(...span);
    setAttribute(node, "aria-label", `${name} ${tokens.join(" ")}`);
    readableStrip(node, context.tip, words, {
      name: name.toUpperCase(), tokens, across,
      shown: () => (name === "o" ? currentO[tile] : arrays[name].slice(...span)),
      onChoose: (row) => { if (name === "q" || name === "o") context.choose(row, false, tile); },
    });
    return node;
  }
  const currentO = new Array(tilesQ).fill(null);

  const keyLabels = spansK.map((span, tile) => at(createTokens(problem.tokens_k, span, "keys"), 1, tile + 3));
  at(el("b", { class: "letter k", text: "K" }), 2, 2);
  at(el("b", { class: "letter v", text: "V" }), 3, 2);
  const tilesOfK = spansK.map((span, tile) => at(strip("k", tile, span, true), 2, tile + 3));
  const tilesOfV = spansK.map((span, tile) => at(strip("v", tile, span, true), 3, tile + 3));
  at(el("b", { class: "letter q", text: "Q" }), 4, 2);
  at(el("b", { class: "letter o", text: "O" }), 4, oColumn);
  const caption = at(el("span", { class: "ghost-name", text: fill(words.outer.ghost, { n_q: nQ, n_k: nK }) }), 4, 3);
  caption.style.gridColumn = `3 / ${oColumn}`;
  const queryLabels = spansQ.map((span, tile) => at(createTokens(problem.tokens_q, span, "queries"), tile + 5, 1));
  const tilesOfQ = spansQ.map((span, tile) => at(strip("q", tile, span, false), tile + 5, 2));
  const tilesOfO = spansQ.map((span, tile) => at(strip("o", tile, span, false), tile + 5, oColumn));
  const saved = createSaved(trace, words, context, spansQ);
  at(saved.letters, 4, oColumn + 1);
  saved.strips.forEach((node, tile) => at(node, tile + 5, oColumn + 1));
  const blocks = createBlocks(trace, words, context, picture, (node, q, k) => at(node, q + 5, k + 3));
  const key = el("ul", { class: "key" }, ...blocks.keys,
    problem.allowed.some((row) => row.includes("0"))
      ? el("li", {}, el("span", { class: "pair-hidden" }), el("span", { text: words.outer.masked })) : null);
  const root = el("section", { class: "zone outer", "aria-label": words.zones.outer },
    el("header", {}, el("h2", { text: words.zones.outer }), el("span", { class: "note", text: words.zones.outer_note })),
    pocket(picture), pocket(blocks.counts), key, el("p", { class: "note heat", text: words.outer.heat }));
  const watcher = keepFitting(root, picture, problem, 22, (width) => {
    const labels = Math.min(76, Math.max(42, width * 0.14));
    const strip = Math.min(72, Math.max(26, width * 0.2 - 28));
    return { labels, strip, forCells: width - labels - 2 * strip - SAVED_WIDTH - 3 * (tilesK + 4) };
  });

  let painted = "";
  function paintInputs() {
    const colours = context.colours();
    tilesOfQ.forEach((node, tile) => paintStill(node.firstChild, arrays.q.slice(...spansQ[tile]), context.scales.q, colours.q, colours.muted));
    tilesOfK.forEach((node, tile) => paintStill(node.firstChild, arrays.k.slice(...spansK[tile]), context.scales.k, colours.k, colours.muted, true));
    tilesOfV.forEach((node, tile) => paintStill(node.firstChild, arrays.v.slice(...spansK[tile]), context.scales.v, colours.v, colours.muted, true));
    blocks.paint(colours);
    currentO.fill(null);
    painted = context.theme();
  }

  const [queriesHere, keysHere, valuesHere, keyLabelsHere, storedHere] = Array.from({ length: 5 }, () => createMark("data-here"));
  const markQueries = createQueriesMark(queryLabels);
  const stateOfO = new Array(tilesQ).fill("");

  function updateO(index, step) {
    tilesOfO.forEach((node, tile) => {
      const held = heldO(stores[tile], index);
      const values = held === null ? null : trace.blocks[held.block];
      if (currentO[tile] !== values) {
        currentO[tile] = values;
        if (values) paint(node.firstChild, values, context.scales.o, context.colours().o, context.colours().muted);
        else wipe(node.firstChild);
      }
      const state = values === null ? "empty" : index >= finalStore(stores[tile]) ? "final" : "partial";
      if (stateOfO[tile] === state) return;
      stateOfO[tile] = state;
      setAttribute(node, "data-state", state);
    });
    storedHere(step.kind === "store" ? tilesOfO[step.tile[0]] : null);
  }

  return {
    root,
    tile: (name, index) => ({ q: tilesOfQ, k: tilesOfK, v: tilesOfV, o: tilesOfO, stats: saved.strips })[name][index],
    update({ step, index, row }) {
      if (painted !== context.theme()) paintInputs();
      const [q, k] = step.tile;
      queriesHere(step.resident.q ? tilesOfQ[q] : null);
      keysHere(step.resident.k ? tilesOfK[k] : null);
      valuesHere(step.resident.k ? tilesOfV[k] : null);
      markQueries(q, row);
      keyLabelsHere(keyLabels[k]);
      updateO(index, step);
      saved.update(index, step);
      blocks.update(index, step);
    },
    destroy() {
      watcher.disconnect();
    },
  };
}
