/**
 * The large slow memory, laid out as the product is computed: Q at the left, K and V above, O at the right, and
 * between them the score matrix that is never stored.
 */

import { el, setAttribute, setStyle, setText } from "./dom.js";
import { paint, paintStill } from "./heat.js";
import { blockLives, blockState, finalStore, heldO, storesOfO } from "./history.js";
import { createSaved } from "./memory_saved.js";
import { format } from "./numbers.js";
import { fill, showToken } from "./sentence.js";
import { evenCell, readable } from "./tip.js";

/** Below this cell size, in pixels, labels cannot be read and are left out. */
export const SMALLEST_LABELLED = 9;

/** The first and the one-past-last position of a tile. */
export const tileSpan = (tile, block, count) => [tile * block, Math.min((tile + 1) * block, count)];

/** The strip of m and l, or lse, beside O; in pixels, as in the style sheet. */
const SAVED_WIDTH = 16;

/** The zone's own, at each side, in pixels; as in the style sheet. */
export const PADDING = 10;

/** Strike through every pair of a block that the mask hides. */
export function drawMasked(node, allowed, rows, columns, [red, green, blue]) {
  const size = 8;
  const canvas = document.createElement("canvas");
  canvas.width = (columns[1] - columns[0]) * size;
  canvas.height = (rows[1] - rows[0]) * size;
  const context = canvas.getContext("2d");
  context.strokeStyle = `rgba(${red}, ${green}, ${blue}, 0.55)`;
  for (let row = rows[0]; row < rows[1]; row += 1) {
    for (let column = columns[0]; column < columns[1]; column += 1) {
      if (allowed[row][column] === "1") continue;
      const [x, y] = [(column - columns[0]) * size, (row - rows[0]) * size];
      context.beginPath();
      context.moveTo(x + 1.5, y + 6.5);
      context.lineTo(x + 6.5, y + 1.5);
      context.stroke();
    }
  }
  node.style.backgroundImage = `url(${canvas.toDataURL()})`;
}

/** Make the zone. */
export function createMemory(trace, words, context) {
  const { problem, arrays } = trace;
  const { tiles_q: tilesQ, tiles_k: tilesK, block_q: blockQ, block_k: blockK, n_q: nQ, n_k: nK } = problem;
  const tokensQ = problem.tokens_q.map(showToken);
  const tokensK = problem.tokens_k.map(showToken);
  const spansQ = Array.from({ length: tilesQ }, (_, tile) => tileSpan(tile, blockQ, nQ));
  const spansK = Array.from({ length: tilesK }, (_, tile) => tileSpan(tile, blockK, nK));
  const lives = blockLives(trace);
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
      style: `--hue: var(--tw-${name}); --rows: ${span[1] - span[0]}` }, el(name === "o" ? "canvas" : "span", { class: "values" }));
    const values = () => (name === "o" ? currentO[tile] : arrays[name].slice(span[0], span[1]));
    const tokens = name === "q" || name === "o" ? tokensQ : tokensK;
    setAttribute(node, "aria-label", `${name} ${tokens.slice(span[0], span[1]).join(" ")}`);
    readable(node, context.tip, {
      cellAt: (x, y) => {
        const rows = values();
        if (!rows?.length) return null;
        return across ? evenCell(y, x, rows.length, rows[0].length) : evenCell(x, y, rows.length, rows[0].length);
      },
      describe: (row, column) => {
        const rows = values();
        if (!rows?.length) return null;
        return fill(words.chip.cell, { name: name.toUpperCase(), row: tokens[span[0] + row],
          column: fill(words.chip.cell_dimension, { dimension: column }), value: format(rows[row][column], 5) });
      },
      size: () => { const rows = values(); return rows?.length ? [rows.length, rows[0].length] : [0, 0]; },
      onChoose: (row) => { if (name === "q" || name === "o") context.choose(row, false, tile); },
    });
    return node;
  }
  const currentO = new Array(tilesQ).fill(null);

  function tokenList(tokens, span, className) {
    return el("div", { class: `tokens ${className}`, "aria-hidden": "true" },
      ...tokens.slice(span[0], span[1]).map((token) => el("span", {}, el("i", { text: token }))));
  }

  const keyLabels = spansK.map((span, tile) => at(tokenList(tokensK, span, "keys"), 1, tile + 3));
  at(el("b", { class: "letter k", text: "K" }), 2, 2);
  at(el("b", { class: "letter v", text: "V" }), 3, 2);
  const tilesOfK = spansK.map((span, tile) => at(strip("k", tile, span, true), 2, tile + 3));
  const tilesOfV = spansK.map((span, tile) => at(strip("v", tile, span, true), 3, tile + 3));
  at(el("b", { class: "letter q", text: "Q" }), 4, 2);
  at(el("b", { class: "letter o", text: "O" }), 4, oColumn);
  const caption = at(el("span", { class: "ghost-name", text: fill(words.outer.ghost, { n_q: nQ, n_k: nK }) }), 4, 3);
  caption.style.gridColumn = `3 / ${oColumn}`;
  const queryLabels = spansQ.map((span, tile) => at(tokenList(tokensQ, span, "queries"), tile + 5, 1));
  const tilesOfQ = spansQ.map((span, tile) => at(strip("q", tile, span, false), tile + 5, 2));
  const tilesOfO = spansQ.map((span, tile) => at(strip("o", tile, span, false), tile + 5, oColumn));
  const saved = createSaved(trace, words, context, spansQ);
  at(saved.letters, 4, oColumn + 1);
  saved.strips.forEach((node, tile) => at(node, tile + 5, oColumn + 1));
  const blocks = spansQ.map((rows, q) => spansK.map((columns, k) => {
    const masked = el("span", { class: "masked" });
    return at(el("div", { class: "block", "data-q": String(q), "data-k": String(k),
      style: `--rows: ${rows[1] - rows[0]}; --columns: ${columns[1] - columns[0]}` }, masked), q + 5, k + 3);
  }));
  const alive = el("canvas", { class: "alive-scores" });
  const counts = el("p", { class: "counts", "data-testid": "ghost-counts" });
  const key = el("ul", { class: "key" }, ...["alive", "gone", "skipped", "to_come"].map((state) =>
    el("li", {}, el("span", { class: "block", "data-state": state.replace("_", "-") }), el("span", { text: words.outer[state] }))),
    problem.allowed.some((row) => row.includes("0"))
      ? el("li", {}, el("span", { class: "pair-hidden" }), el("span", { text: words.outer.masked })) : null);
  const root = el("section", { class: "zone outer", "aria-label": words.zones.outer },
    el("header", {}, el("h2", { text: words.zones.outer }), el("span", { class: "note", text: words.zones.outer_note })),
    picture, counts, key, el("p", { class: "note heat", text: words.outer.heat }));
  setStyle(picture, "--tiles", String(tilesK));
  setStyle(picture, "--row-tiles", String(tilesQ));

  function fit() {
    // The zone and not the picture: presenter mode draws the picture smaller, which must not make its cells larger.
    const width = root.clientWidth - 2 * PADDING;
    if (width <= 0) return;
    const labels = Math.min(76, Math.max(42, width * 0.14));
    const strips = Math.min(72, Math.max(36, width * 0.13));
    const forCells = width - labels - 2 * strips - SAVED_WIDTH - 3 * (tilesK + 4);
    const cell = Math.max(2, Math.min(22, Math.floor((forCells / nK) * 4) / 4, 330 / nQ));
    setStyle(picture, "--cell", `${cell}px`);
    setStyle(picture, "--labels", `${labels}px`);
    setStyle(picture, "--strip", `${strips}px`);
    setAttribute(picture, "data-small", cell < SMALLEST_LABELLED ? "" : null);
  }
  const watcher = new ResizeObserver(fit);
  watcher.observe(root);

  let painted = "";
  function paintInputs() {
    const colours = context.colours();
    tilesOfQ.forEach((node, tile) => paintStill(node.firstChild, arrays.q.slice(...spansQ[tile]), context.scales.q, colours.q, colours.muted));
    tilesOfK.forEach((node, tile) => paintStill(node.firstChild, arrays.k.slice(...spansK[tile]), context.scales.k, colours.k, colours.muted, true));
    tilesOfV.forEach((node, tile) => paintStill(node.firstChild, arrays.v.slice(...spansK[tile]), context.scales.v, colours.v, colours.muted, true));
    blocks.forEach((row, q) => row.forEach((block, k) =>
      drawMasked(block.firstChild, problem.allowed, spansQ[q], spansK[k], colours.muted)));
    currentO.fill(null);
    painted = context.theme();
  }

  function updateO(index, step) {
    tilesOfO.forEach((node, tile) => {
      const held = heldO(stores[tile], index);
      const values = held === null ? null : trace.blocks[held.block];
      if (currentO[tile] !== values) {
        currentO[tile] = values;
        if (values) paint(node.firstChild, values, context.scales.o, context.colours().o, context.colours().muted);
      }
      setAttribute(node, "data-state", values === null ? "empty" : index >= finalStore(stores[tile]) ? "final" : "partial");
      setAttribute(node, "data-here", step.kind === "store" && step.tile[0] === tile ? "" : null);
    });
  }

  function updateBlocks(index, step) {
    const tally = { alive: 0, gone: 0, skipped: 0, "to-come": 0 };
    lives.forEach((row, q) => row.forEach((life, k) => {
      const state = blockState(life, index);
      tally[state] += 1;
      setAttribute(blocks[q][k], "data-state", state);
      setAttribute(blocks[q][k], "data-current", step.tile[0] === q && step.tile[1] === k ? "" : null);
    }));
    const text = fill(words.outer.counts, { ...tally, to_come: tally["to-come"] });
    setText(counts, text);
    setAttribute(picture, "aria-label", fill(words.outer.picture, { counts: text }));
    const scores = step.work.p ?? step.work.s;
    if (tally.alive && scores) {
      const home = blocks[step.tile[0]][step.tile[1]];
      if (alive.parentNode !== home) home.append(alive);
      const [tensor, scale] = step.work.p ? ["p", 1] : ["s", context.scales.s];
      paint(alive, scores, scale, context.colours()[tensor], context.colours().muted);
    } else alive.remove();
  }

  return {
    root,
    tile: (name, index) => ({ q: tilesOfQ, k: tilesOfK, v: tilesOfV, o: tilesOfO, stats: saved.strips })[name][index],
    update({ step, index, row }) {
      if (painted !== context.theme()) paintInputs();
      const [q, k] = step.tile;
      const queriesHere = step.resident.q ? q : null;
      const keysHere = step.resident.k ? k : null;
      tilesOfQ.forEach((node, tile) => setAttribute(node, "data-here", tile === queriesHere ? "" : null));
      tilesOfK.forEach((node, tile) => setAttribute(node, "data-here", tile === keysHere ? "" : null));
      tilesOfV.forEach((node, tile) => setAttribute(node, "data-here", tile === keysHere ? "" : null));
      queryLabels.forEach((node, tile) => {
        setAttribute(node, "data-here", tile === q ? "" : null);
        [...node.children].forEach((token, place) => setAttribute(token, "data-chosen", tile === q && place === row ? "" : null));
      });
      keyLabels.forEach((node, tile) => setAttribute(node, "data-here", tile === k ? "" : null));
      updateO(index, step);
      saved.update(index, step);
      updateBlocks(index, step);
    },
    destroy() {
      watcher.disconnect();
    },
  };
}
