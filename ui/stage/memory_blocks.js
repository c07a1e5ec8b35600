/** The score matrix that is never stored, as outer memory shows it: blocks of pairs, of which one at most is alive. */

import { createMark, el, setAttribute, setStyle, setText } from "./dom.js";
import { paint, wipe } from "./heat.js";
import { blockLives, blockState } from "./history.js";
import { fill, showToken } from "./sentence.js";

/** A token of more letters may not fit beside its row or above its column. */
const MOST_LETTERS = 7;

/** The first and the one-past-last position of each tile. */
export function tileSpans(tiles, block, count) {
  return Array.from({ length: tiles }, (_, tile) => [tile * block, Math.min((tile + 1) * block, count)]);
}

/** The labels of one tile's queries (`queries`) or keys (`keys`). */
export function createTokens(tokens, span, className) {
  return el("div", { class: `tokens ${className}`, "aria-hidden": "true", style: `--count: ${span[1] - span[0]}` },
    ...tokens.slice(...span).map(showToken).map((token) => el("span", { "data-long": token.length > MOST_LETTERS ? "" : null }, el("i", { text: token }))));
}

/** A mark on the labels of the query tile at hand, and among them on the chosen row. */
export function createQueriesMark(labels) {
  const [here, chosen] = [createMark("data-here"), createMark("data-chosen")];
  return (tile, row) => {
    here(labels[tile]);
    chosen(labels[tile]?.children[row]);
  };
}

/** A block of pairs, with a place for the strokes through those that the mask hides, where there are any. */
function createBlock(allowed, q, k, rows, columns) {
  const masked = allowed.slice(...rows).some((row) => row.slice(...columns).includes("0")) ? el("span", { class: "masked" }) : null;
  return el("div", { class: "block", "data-q": String(q), "data-k": String(k),
    style: `--rows: ${rows[1] - rows[0]}; --columns: ${columns[1] - columns[0]}` }, masked);
}

/** Strike through every pair of a block that the mask hides. */
function drawMasked(block, allowed, rows, columns, [red, green, blue]) {
  const node = block.querySelector(".masked");
  if (node === null) return;
  const size = 8;
  const canvas = document.createElement("canvas");
  canvas.width = (columns[1] - columns[0]) * size;
  canvas.height = (rows[1] - rows[0]) * size;
  const context = canvas.getContext("2d");
  context.strokeStyle = `rgba(${red}, ${green}, ${blue}, 0.36)`;
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

/**
 * Make the canvas that shows the scores of the one block that is alive. It lies over the picture and is moved from
 * block to block: a picture whose parts change places would be laid out again.
 */
function createAlive(picture, problem, spansQ, spansK) {
  const canvas = el("canvas", { class: "alive-scores" });
  picture.append(canvas);
  let home = "";
  return {
    canvas,
    /** Lay it over a block. Below the last query tile the picture ends, so its places are counted from there. */
    moveTo([q, k]) {
      if (home === `${q},${k}`) return;
      home = `${q},${k}`;
      const [rows, columns] = [spansQ[q], spansK[k]];
      setStyle(canvas, "--columns", String(columns[1] - columns[0]));
      setStyle(canvas, "--rows", String(rows[1] - rows[0]));
      setStyle(canvas, "left", `calc(var(--before) + ${columns[0]} * var(--cell) + ${k} * var(--apart))`);
      setStyle(canvas, "bottom", `calc(${problem.n_q - rows[1]} * var(--cell) + ${problem.tiles_q - 1 - q} * var(--apart))`);
    },
  };
}

/**
 * Make the blocks. `place(node, q, k)` puts each into `picture`, whose label tells their numbers.
 *
 * Returns `counts`, the line that tells them too, and `keys`, what the blocks' looks mean.
 */
export function createBlocks(trace, words, context, picture, place) {
  const { problem } = trace;
  const spansQ = tileSpans(problem.tiles_q, problem.block_q, problem.n_q);
  const spansK = tileSpans(problem.tiles_k, problem.block_k, problem.n_k);
  const lives = blockLives(trace);
  const blocks = spansQ.map((rows, q) => spansK.map((columns, k) => place(createBlock(problem.allowed, q, k, rows, columns), q, k)));
  const states = lives.map((row) => row.map(() => null));
  const alive = createAlive(picture, problem, spansQ, spansK);
  alive.moveTo([0, 0]);
  const current = createMark("data-current");
  let tallied = "";
  let drawn = null;
  const counts = el("p", { class: "counts", "data-testid": "ghost-counts" });
  const keys = ["alive", "gone", "skipped", "to_come"].map((state) =>
    el("li", {}, el("span", { class: "block", "data-state": state.replace("_", "-") }), el("span", { text: words.outer[state] })));
  return {
    counts,
    keys,
    /** Draw what depends on the theme alone. */
    paint(colours) {
      blocks.forEach((row, q) => row.forEach((block, k) => drawMasked(block, problem.allowed, spansQ[q], spansK[k], colours.muted)));
    },
    update(index, step) {
      const tally = { alive: 0, gone: 0, skipped: 0, "to-come": 0 };
      lives.forEach((row, q) => row.forEach((life, k) => {
        const state = blockState(life, index);
        tally[state] += 1;
        if (states[q][k] === state) return;
        states[q][k] = state;
        setAttribute(blocks[q][k], "data-state", state);
      }));
      if (tally.alive) alive.moveTo(step.tile);
      current(step.tile.includes(null) ? null : blocks[step.tile[0]][step.tile[1]]);
      const text = fill(words.outer.counts, { ...tally, to_come: tally["to-come"] });
      if (text !== tallied) {
        tallied = text;
        setText(counts, text);
        setAttribute(picture, "aria-label", fill(words.outer.picture, { counts: text }));
      }
      const shown = ["d_s", "d_p", "p", "s"].find((name) => step.work[name]);
      const next = tally.alive && shown ? `${shown} ${context.theme()} ${step.work[shown].join(";")}` : null;
      if (next === drawn) return;
      drawn = next;
      if (next !== null) {
        paint(alive.canvas, step.work[shown], context.scales[shown], context.colours()[shown === "p" ? "p" : "s"], context.colours().muted);
      } else wipe(alive.canvas);
    },
  };
}
