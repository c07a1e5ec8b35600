/**
 * The large slow memory during a backward: Q, dO and dQ at the left, O at the right, K, V, dK and dV above, and
 * between them P, which is not stored. Gradients fill as they are written.
 */

import { storesOfGradient } from "./backward_history.js";
import { createMark, el, setAttribute } from "./dom.js";
import { paint, paintStill, wipe } from "./heat.js";
import { finalStore, heldO } from "./history.js";
import { createBlocks, createQueriesMark, createTokens, tileSpans } from "./memory_blocks.js";
import { keepFitting } from "./memory_fit.js";
import { readableStrip } from "./memory_strip.js";
import { pocket } from "./pocket.js";
import { fill, showToken } from "./sentence.js";
import { tensorLabel } from "./tensor_names.js";

/** Every strip: where it lies, whose colour it wears, and whether it is filled as the run goes on. */
const STRIPS = [
  { name: "q", hue: "q", side: "queries", place: 2 },
  { name: "d_o", hue: "o", side: "queries", place: 3 },
  { name: "d_q", hue: "q", side: "queries", place: 4, made: true },
  { name: "o", hue: "o", side: "queries", place: -1 },
  { name: "k", hue: "k", side: "keys", place: 2 },
  { name: "v", hue: "v", side: "keys", place: 3 },
  { name: "d_k", hue: "k", side: "keys", place: 4, made: true },
  { name: "d_v", hue: "v", side: "keys", place: 5, made: true },
];
const FIRST_BLOCK_ROW = 7;
const FIRST_BLOCK_COLUMN = 5;

/** Make the zone; the same form as `createMemory`. */
export function createBackwardMemory(trace, words, context) {
  const { problem, arrays } = trace;
  const { tiles_q: tilesQ, tiles_k: tilesK, n_q: nQ, n_k: nK } = problem;
  const tokens = { queries: problem.tokens_q.map(showToken), keys: problem.tokens_k.map(showToken) };
  const spans = {
    queries: tileSpans(tilesQ, problem.block_q, nQ),
    keys: tileSpans(tilesK, problem.block_k, nK),
  };
  const picture = el("div", { class: "picture backward", role: "group" });
  const at = (node, row, column) => {
    node.style.gridArea = `${row} / ${column}`;
    picture.append(node);
    return node;
  };

  function makeTile(strip, tile) {
    const span = spans[strip.side][tile];
    const across = strip.side === "keys";
    const names = tokens[strip.side].slice(...span);
    const label = tensorLabel(strip.name);
    const part = { strip, tile, shown: strip.made ? null : arrays[strip.name].slice(...span) };
    part.node = el("div", { class: `held ${across ? "across" : "down"}`, role: "img", "data-tensor": strip.name, "data-tile": String(tile), "data-still": strip.made || strip.name === "o" ? null : "",
      "aria-label": `${label} ${names.join(" ")}`, style: `--hue: var(--tw-${strip.hue}); --rows: ${span[1] - span[0]}` },
    el(strip.made ? "canvas" : "span", { class: "values" }));
    readableStrip(part.node, context.tip, words, {
      name: label, tokens: names, across,
      shown: () => part.shown,
      onChoose: (row) => { if (!across) context.choose(row, false, tile); },
    });
    return part;
  }

  const tiles = {};
  for (const strip of STRIPS) {
    const across = strip.side === "keys";
    const place = strip.place < 0 ? FIRST_BLOCK_COLUMN + tilesK : strip.place;
    const letter = el("b", { class: `letter ${strip.hue} ${across ? "of-row" : "of-column"}`, text: strip.name.length === 1 ? strip.name.toUpperCase() : tensorLabel(strip.name) });
    at(letter, across ? place : FIRST_BLOCK_ROW - 1, across ? FIRST_BLOCK_COLUMN - 1 : place);
    tiles[strip.name] = spans[strip.side].map((_, tile) => {
      const part = makeTile(strip, tile);
      at(part.node, across ? place : FIRST_BLOCK_ROW + tile, across ? FIRST_BLOCK_COLUMN + tile : place);
      return part;
    });
  }
  const stores = Object.fromEntries(STRIPS.filter(({ made }) => made).map(({ name }) => [name, storesOfGradient(trace, name)]));
  const labels = (side, all) => spans[side].map((span, tile) => at(createTokens(all, span, side),
    side === "keys" ? 1 : FIRST_BLOCK_ROW + tile, side === "keys" ? FIRST_BLOCK_COLUMN + tile : 1));
  const keyLabels = labels("keys", problem.tokens_k);
  const queryLabels = labels("queries", problem.tokens_q);
  const caption = at(el("span", { class: "ghost-name", text: fill(words.outer.ghost, { n_q: nQ, n_k: nK }) }), FIRST_BLOCK_ROW - 1, FIRST_BLOCK_COLUMN);
  caption.style.gridColumn = `${FIRST_BLOCK_COLUMN} / ${FIRST_BLOCK_COLUMN + tilesK}`;
  const blocks = createBlocks(trace, words, context, picture, (node, q, k) => at(node, FIRST_BLOCK_ROW + q, FIRST_BLOCK_COLUMN + k));
  const key = el("ul", { class: "key" }, ...blocks.keys,
    el("li", {}, el("span", { class: "visits-mark" }), el("span", { text: words.outer.visits })));
  const root = el("section", { class: "zone outer", "aria-label": words.zones.outer },
    el("header", {}, el("h3", { text: words.zones.outer }), el("span", { class: "note", text: words.zones.outer_note })), pocket(picture), pocket(blocks.counts), key);
  const watcher = keepFitting(root, picture, problem, 20, (width) => {
    const labelWidth = Math.min(64, Math.max(38, width * 0.125));
    const strip = Math.min(52, Math.max(22, width * 0.074));
    return { labels: labelWidth, strip, forCells: width - labelWidth - 4 * strip - 3 * (tilesK + 5) };
  });

  const markQueries = createQueriesMark(queryLabels);
  const keyLabelsHere = createMark("data-here");
  let painted = "";
  function paintAll() {
    const colours = context.colours();
    for (const strip of STRIPS) {
      for (const part of tiles[strip.name]) {
        if (strip.made) part.shown = null;
        else paintStill(part.node.firstChild, part.shown, context.scales[strip.name], colours[strip.hue], colours.muted, strip.side === "keys");
      }
    }
    blocks.paint(colours);
    painted = context.theme();
  }

  function updateGradients(index, step) {
    for (const [name, byTile] of Object.entries(stores)) {
      for (const part of tiles[name]) {
        const held = heldO(byTile[part.tile], index);
        const values = held === null ? null : trace.blocks[held.block];
        if (part.shown !== values) {
          part.shown = values;
          const { hue, side } = part.strip;
          if (values) paint(part.node.firstChild, values, context.scales[name], context.colours()[hue], context.colours().muted, side === "keys");
          else wipe(part.node.firstChild);
        }
        setAttribute(part.node, "data-state", values === null ? "empty" : index >= finalStore(byTile[part.tile]) ? "final" : "partial");
        const leaves = step.kind === "store" && step.tile[name === "d_q" ? 0 : 1] === part.tile && (step.tile[0] !== null) === (name === "d_q");
        setAttribute(part.node, "data-here", leaves || (step.resident[name] && step.tile[name === "d_q" ? 0 : 1] === part.tile) ? "" : null);
      }
    }
  }

  return {
    root,
    tile: (name, index) => tiles[name]?.[index]?.node,
    update({ step, index, row }) {
      if (painted !== context.theme()) paintAll();
      const [q, k] = step.tile;
      for (const strip of STRIPS) {
        if (strip.made) continue;
        const here = step.resident[strip.name] ? (strip.side === "queries" ? q : k) : null;
        for (const part of tiles[strip.name]) setAttribute(part.node, "data-here", part.tile === here ? "" : null);
      }
      markQueries(q, row);
      keyLabelsHere(keyLabels[k]);
      updateGradients(index, step);
      blocks.update(index, step);
    },
    destroy() {
      watcher.disconnect();
    },
  };
}
