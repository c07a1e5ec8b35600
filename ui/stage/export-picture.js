/** One frame as a picture that is legible alone: title, sizes, sentence, both memories, formula and ledger. Pure. */

import { storesOfGradient } from "./backward_history.js";
import { cutText, svgBox, svgDocument, svgLabel, svgShape, wrapText } from "./export-svg.js";
import { strength } from "./heat.js";
import { blockLives, blockState, heldO, storesOfO } from "./history.js";
import { laneLabel, segments } from "./ledger.js";
import { formulaOf, isAboutARow } from "./formula.js";
import { bytes, compact, format, toNumber, total } from "./numbers.js";
import { statsOfRow } from "./rows.js";
import { fill, isBackward, sentenceOf, showToken } from "./sentence.js";
import { tensorLabel } from "./tensor_names.js";

/** In units of the picture: 16 : 9, so that it fills a slide. */
const PICTURE = { width: 1280, height: 720, edge: 28, top: 164, bottom: 612 };
const AREAS = { outer: { x: 28, width: 470 }, chip: { x: 510, width: 352 }, words: { x: 874, width: 378 } };
const ROWS_SHOWN = 8;
const STATS_SHOWN = ["m_old", "m_new", "alpha", "l_before", "l_after"];

const pictureHue = (name) => (name === "stats" ? "m" : name.replaceAll("_", "-"));

/** What was computed, in one line. */
function sizesLine({ problem }, words) {
  const text = words.picture;
  const parts = [fill(text.sizes, problem)];
  if (problem.direction === "backward") parts.push(text.backward);
  if (problem.causal) parts.push(text[`causal_${problem.causal}`]);
  if (problem.window) {
    const [left, right] = problem.window.map((count) => count ?? text.unlimited);
    parts.push(fill(text.window, { left, right }));
  }
  if (problem.has_keep) parts.push(text.masked);
  if (problem.softcap) parts.push(fill(text.softcap, problem));
  if (problem.mistake) parts.push(fill(text.mistake, problem));
  return parts.join(" · ");
}

function drawPanel({ x, width }, heading, colours, heavy = false) {
  return svgBox(x, PICTURE.top, width, PICTURE.bottom - PICTURE.top, { rx: 10, fill: heavy ? colours.page : colours.panel, stroke: heavy ? colours.muted : colours.line,
    "stroke-width": heavy ? 2 : 1 }) + svgLabel(x + 14, PICTURE.top + 22, heading.toUpperCase(), { size: 12, bold: true, fill: colours.ink });
}

/** Steps of strength that a picture tells apart. Cells of one step share a path, which keeps the file small. */
const HEAT_STEPS = 16;

/** A matrix as cells of colour: strong is large, grey is below zero. */
function drawHeat(x, y, width, height, rows, scale, colour, colours) {
  if (!rows?.length || !rows[0].length) return "";
  const [high, wide] = [height / rows.length, width / rows[0].length].map((side) => Math.round(side * 1000) / 1000);
  const paths = new Map();
  rows.forEach((row, r) => row.forEach((value, c) => {
    const step = Math.round(strength(value, scale) * HEAT_STEPS);
    if (step === 0) return;
    const key = `${toNumber(value) >= 0 ? colour : colours.muted}|${step}`;
    paths.set(key, `${paths.get(key) ?? ""}M${(x + c * wide).toFixed(1)} ${(y + r * high).toFixed(1)}h${wide}v${high}h-${wide}z`);
  }));
  return [...paths].map(([key, d]) => {
    const [fill, step] = key.split("|");
    return svgShape("path", { d, fill, "fill-opacity": step / HEAT_STEPS });
  }).join("");
}

function drawHidden(problem, x, y, cell, colours) {
  let path = "";
  problem.allowed.forEach((row, r) => [...row].forEach((mark, c) => {
    if (mark === "0") path += `M${(x + (c + 0.25) * cell).toFixed(1)} ${(y + (r + 0.75) * cell).toFixed(1)}l${(cell / 2).toFixed(1)} ${(-cell / 2).toFixed(1)}`;
  }));
  return path ? svgShape("path", { d: path, stroke: colours.muted, "stroke-opacity": 0.5, "stroke-width": 1, fill: "none" }) : "";
}

/** The block of scores on chip that a step is about, as `[name, rows]`, or null: the latest made of them. */
function blockOf({ work }) {
  const name = ["d_s", "d_p", "p", "s"].find((each) => work[each]?.length && work[each][0].length);
  return name ? [name, work[name]] : null;
}

const BLOCK_LOOKS = {
  alive: (colours) => ({ fill: colours.page, stroke: colours.s, "stroke-width": 2.5 }),
  gone: (colours) => ({ fill: "none", stroke: colours.s, "stroke-width": 1 }),
  skipped: (colours) => ({ fill: "url(#hatch)", stroke: colours.muted, "stroke-width": 0.6 }),
  "to-come": (colours) => ({ fill: "none", stroke: colours.s, "stroke-width": 1.2, "stroke-dasharray": "2 3" }),
};

function drawOuter(frame, words, context, colours) {
  const { trace, step, index, row } = frame;
  const { problem, arrays, blocks } = trace;
  const { n_q: nQ, n_k: nK, block_q: blockQ, block_k: blockK } = problem;
  const backward = isBackward(trace);
  const [labels, strip, gap] = [74, backward ? 26 : 32, 6];
  const cell = Math.max(1, Math.min((AREAS.outer.width - 28 - labels - (backward ? 3 : 2) * (strip + gap)) / nK, (PICTURE.bottom - PICTURE.top - 190) / nQ, 32));
  const left = AREAS.outer.x + 14 + labels + strip + gap;
  const top = PICTURE.top + 146;
  const size = Math.min(11, cell * 0.85);
  const spans = (tiles, block, count) => Array.from({ length: tiles }, (_, tile) => [tile * block, Math.min((tile + 1) * block, count)]);
  const tilesQ = spans(problem.tiles_q, blockQ, nQ);
  const tilesK = spans(problem.tiles_k, blockK, nK);
  const parts = [drawPanel(AREAS.outer, words.zones.outer.toUpperCase(), colours)];
  const tensor = (name, text, x, y, anchor) => svgLabel(x, y, text, { size: 14, bold: true, fill: colours[`${name}-text`], anchor });
  // A backward has two more strips above, the gradients of K and V, in the same room.
  const above = backward ? [["k", 60], ["v", 46], ["d_k", 32], ["d_v", 18]] : [["k", 58], ["v", 30]];
  const thick = backward ? 12 : 22;
  above.forEach(([name, up]) => parts.push(svgLabel(left - gap, top - up + thick / 2 + 4, laneLabel(name), { size: backward ? 11 : 14, bold: true, fill: colours[`${pictureHue(name)}-text`], anchor: "end" })));
  if (backward) parts.push(tensor("d-q", "dQ", left + nK * cell + 2 * gap + 1.5 * strip, top - 4, "middle"));
  parts.push(tensor("q", "Q", left - gap - (backward ? strip + 2 : strip / 2), top - 4, backward ? "end" : "middle"), tensor("o", "O", left + nK * cell + gap + strip / 2, top - 4, "middle"));
  const [q, k] = step.tile;
  const frameOf = (x, y, width, height, name, here) => svgBox(x, y, width, height, { fill: "none", rx: 2, stroke: colours[pictureHue(name)], "stroke-width": here ? 3 : 1 });
  const gradients = backward ? Object.fromEntries(["d_q", "d_k", "d_v"].map((name) => [name, storesOfGradient(trace, name)])) : {};
  const outside = (name, tile, span) => {
    if (!(name in gradients)) return arrays[name].slice(...span);
    const stored = heldO(gradients[name][tile], index);
    return stored && blocks[stored.block];
  };
  const held = storesOfO(trace).map((stores) => heldO(stores, index));
  tilesQ.forEach(([from, to], tile) => {
    const [y, height] = [top + from * cell, (to - from) * cell - 2];
    parts.push(drawHeat(left - gap - strip, y, strip, height, arrays.q.slice(from, to), context.scales.q, colours.q, colours),
      frameOf(left - gap - strip, y, strip, height, "q", step.resident.q && tile === q));
    const x = left + nK * cell + gap;
    // A backward starts with O in outer memory; a forward brings it there.
    const stored = backward ? arrays.o?.slice(from, to) : held[tile] && blocks[held[tile].block];
    if (stored) parts.push(drawHeat(x, y, strip, height, stored, context.scales.o ?? 1, colours.o, colours));
    parts.push(frameOf(x, y, strip, height, "o", (backward ? step.resident.o : step.kind === "store") && tile === q));
    if (!backward) return;
    const written = outside("d_q", tile);
    if (written) parts.push(drawHeat(x + strip + gap, y, strip, height, written, context.scales.d_q ?? 1, colours["d-q"], colours));
    parts.push(frameOf(x + strip + gap, y, strip, height, "d_q", step.resident.d_q && tile === q));
  });
  tilesK.forEach(([from, to], tile) => {
    const [x, width] = [left + from * cell, (to - from) * cell - 2];
    const turned = (rows) => rows[0].map((_, column) => rows.map((each) => each[column]));
    for (const [name, up] of above) {
      const rows = outside(name, tile, [from, to]);
      if (rows) parts.push(drawHeat(x, top - up, width, thick, turned(rows), context.scales[name] ?? 1, colours[pictureHue(name)], colours));
      parts.push(frameOf(x, top - up, width, thick, name, step.resident[name] && tile === k));
    }
  });
  const lives = blockLives(trace);
  const tally = { alive: 0, gone: 0, skipped: 0, "to-come": 0 };
  tilesQ.forEach(([r0, r1], tileQ) => tilesK.forEach(([c0, c1], tileK) => {
    const state = blockState(lives[tileQ][tileK], index);
    tally[state] += 1;
    const area = [left + c0 * cell, top + r0 * cell, (c1 - c0) * cell - 2, (r1 - r0) * cell - 2];
    parts.push(svgBox(...area, { rx: 3, ...BLOCK_LOOKS[state](colours) }));
    const held = blockOf(step);
    if (state === "alive" && tileQ === q && tileK === k && held) {
      parts.push(drawHeat(...area, held[1], held[0] === "p" ? 1 : context.scales[held[0]] ?? context.scales.s, colours.s, colours));
    }
    if (tileQ === q && tileK === k) parts.push(svgBox(...area, { rx: 3, fill: "none", stroke: colours.accent, "stroke-width": 2.5 }));
  }));
  parts.push(drawHidden(problem, left, top, cell, colours));
  if (cell >= 9) {
    problem.tokens_q.forEach((token, place) => {
      const chosen = step.rows && place === step.rows[0] + row;
      parts.push(svgLabel(left - gap - strip - 6, top + (place + 0.75) * cell, cutText(showToken(token), 11), { size, anchor: "end", bold: chosen, fill: chosen ? colours.accent : colours.muted }));
    });
    problem.tokens_k.forEach((token, place) =>
      parts.push(svgLabel(left + (place + 0.75) * cell, top - 64, cutText(showToken(token), 10), { size, turn: -60, fill: colours.muted })));
  }
  parts.push(svgLabel(left + (nK * cell) / 2, top + nQ * cell + 18, backward ? fill(words.outer.ghost, problem) : words.picture.scores, { size: 12, bold: true, fill: colours["s-text"], anchor: "middle" }),
    svgLabel(AREAS.outer.x + AREAS.outer.width / 2, PICTURE.bottom - 12, fill(words.outer.counts, { ...tally, to_come: tally["to-come"] }), { size: 12, fill: colours.muted, anchor: "middle" }));
  return parts.join("");
}

function drawBar(x, y, width, height, parts, scale, colours) {
  let at = x;
  return parts.map(({ name, hue, size, hatched }) => {
    const wide = (width * size) / scale;
    const drawn = svgBox(at, y, wide, height, { fill: colours[hue], stroke: colours.page, "stroke-width": 0.8 }) +
      (hatched ? svgBox(at, y, wide, height, { fill: "url(#written)" }) : "") +
      (wide > 9 * name.length + 6 ? svgLabel(at + wide / 2, y + height * 0.72, name, { size: 11, bold: true, fill: colours[`${hue}-on`], anchor: "middle" }) : "");
    at += wide;
    return drawn;
  }).join("");
}

function drawChip(frame, words, context, colours) {
  const { step, row, subject } = frame;
  const x = AREAS.chip.x + 14;
  const width = AREAS.chip.width - 28;
  const parts = [drawPanel(AREAS.chip, words.zones.chip.toUpperCase(), colours, true)];
  const used = total(step.resident);
  const scale = Math.max(context.budget, context.peak);
  parts.push(svgBox(x, PICTURE.top + 34, width, 20, { fill: colours.panel, stroke: colours.line }),
    drawBar(x, PICTURE.top + 34, width, 20, Object.entries(step.resident).map(([name, size]) => ({ name: name === "stats" ? words.chip.stats : tensorLabel(name), hue: pictureHue(name), size })), scale, colours),
    svgLabel(x, PICTURE.top + 72, fill(used > context.budget ? words.chip.over : words.chip.meter, { used: bytes(used), budget: bytes(context.budget), excess: bytes(Math.max(0, used - context.budget)) }),
      { size: 12.5, fill: colours.ink }));
  let y = PICTURE.top + 98;
  const held = blockOf(step);
  if (held) {
    const [name, rows] = held;
    const height = Math.min(150, rows.length * 22);
    const keyed = rows[0].length <= 8 && rows.length <= ROWS_SHOWN;
    parts.push(svgLabel(x, y, fill(words.picture.block, { name: tensorLabel(name) }), { size: 13, bold: true, fill: colours["s-text"] }));
    y += keyed ? 26 : 10;
    const [side, high] = [keyed ? 76 : 0, height / rows.length];
    const wide = (width - side) / rows[0].length;
    const biggest = name === "p" ? 1 : context.scales[name] ?? context.scales.s;
    if (!keyed) parts.push(drawHeat(x, y, width, height, rows, biggest, colours.s, colours), svgBox(x, y, width, height, { fill: "none", stroke: colours.s }));
    else rows.forEach((values, r) => {
      if (r === 0) subject.keys.forEach((token, c) => parts.push(svgLabel(x + side + (c + 0.5) * wide, y - 5, cutText(token, 9), { size: 11, fill: colours.muted, anchor: "middle" })));
      parts.push(svgLabel(x + side - 6, y + (r + 0.68) * high, cutText(subject.queries[r] ?? "", 10), { size: 12, anchor: "end", bold: r === row, fill: r === row ? colours.accent : colours.muted }));
      values.forEach((value, c) => parts.push(
        svgBox(x + side + c * wide, y + r * high, wide - 2, high - 2, { rx: 3, fill: toNumber(value) >= 0 ? colours["s-soft"] : colours.panel, stroke: colours.s, "stroke-width": 0.8 }),
        svgLabel(x + side + (c + 0.5) * wide - 1, y + (r + 0.68) * high, compact(value), { size: 11.5, mono: true, fill: colours.ink, anchor: "middle" })));
    });
    y += height + 24;
  }
  if (step.state?.m) {
    parts.push(drawStats(frame, words, colours, x, y, width));
    y += 50 + Math.min(ROWS_SHOWN, step.state.m.length) * 18;
  }
  for (const shown of gatheredOf(frame, words)) {
    const drawn = drawGathered(shown, frame, context, colours, x, y, width);
    parts.push(drawn);
    if (drawn) y += 34 + Math.min(ROWS_SHOWN, shown.values.length) * GATHERED_LINE;
  }
  return parts.join("");
}

/** Rows of a tile that are shown: as many as fit, with the chosen one among them. */
function rowsAround(row, count) {
  const from = Math.max(0, Math.min(row - ROWS_SHOWN + 1, count - ROWS_SHOWN));
  return Array.from({ length: Math.min(count, ROWS_SHOWN) }, (_, offset) => from + offset);
}

/** The height of a row of what is gathered. */
const GATHERED_LINE = 16;

/** What is gathered on chip: the accumulator, or the output once it is divided; in a backward the gradients. */
function gatheredOf({ trace, step, row, subject }, words) {
  if (isBackward(trace)) {
    // The one that this step adds to comes first: there may not be room for all.
    const names = ["d_v", "d_k", "d_q"].filter((name) => step.resident[name]).sort((left, right) => (right === step.kind) - (left === step.kind));
    return names.map((name) => ({ name, hue: pictureHue(name), values: trace.blocks[step.state[name]], title: tensorLabel(name),
      note: step.kind === name ? words.notes.growing : words.notes.so_far,
      tokens: name === "d_q" ? subject.queries : subject.keys, chosen: name === "d_q" ? row : null }));
  }
  const isOutput = step.work.o !== undefined && step.kind !== "load_q";
  const [title, note] = isOutput ? [words.panels.o, words.notes.normalised] : [words.panels.acc, words.notes.not_normalised];
  return [{ name: isOutput ? "o" : "acc", hue: "acc", values: trace.blocks[isOutput ? step.work.o : step.state?.acc], title, note, tokens: subject.queries, chosen: row }];
}

/** The rows of what is gathered, if there is room for them. */
function drawGathered({ name, hue, values, title, note, tokens, chosen }, { row }, context, colours, x, y, width) {
  if (!values?.length || !values[0].length || y + 12 + Math.min(values.length, ROWS_SHOWN) * GATHERED_LINE > PICTURE.bottom - 8) return "";
  const parts = [svgLabel(x, y, `${title} · ${note}`, { size: 13, bold: true, fill: colours[`${hue}-text`] })];
  rowsAround(row, values.length).forEach((here, place) => {
    const top = y + 10 + place * GATHERED_LINE;
    const marked = here === chosen;
    parts.push(svgLabel(x + 70, top + 11, cutText(tokens[here] ?? "", 10), { size: 12, anchor: "end", bold: marked, fill: marked ? colours.accent : colours.muted }),
      drawHeat(x + 76, top, width - 76, GATHERED_LINE - 3, [values[here]], context.scales[name] ?? 1, colours[hue], colours),
      svgBox(x + 76, top, width - 76, GATHERED_LINE - 3, { rx: 2, fill: "none", stroke: marked ? colours.accent : colours[hue], "stroke-width": marked ? 2 : 0.8 }));
  });
  return parts.join("");
}

function drawStats({ step, row, subject }, words, colours, x, y, width) {
  const held = step.state.m.length;
  const from = Math.max(0, Math.min(row - ROWS_SHOWN + 1, held - ROWS_SHOWN));
  const place = (column) => x + 76 + ((width - 76) * (column + 1)) / STATS_SHOWN.length - 4;
  const parts = [svgLabel(x, y, words.picture.stats, { size: 13, bold: true, fill: colours["m-text"] })];
  STATS_SHOWN.forEach((name, column) => parts.push(svgLabel(place(column), y + 20, words.columns[name], { size: 11.5, fill: colours.muted, anchor: "end" })));
  rowsAround(row, step.state.m.length).forEach((here, offset) => {
    const query = subject.queries[here] ?? "";
    const line = y + 38 + offset * 18;
    if (here === row) parts.push(svgBox(x - 6, line - 13, width + 12, 17, { rx: 4, fill: "none", stroke: colours.accent, "stroke-width": 1.5 }));
    parts.push(svgLabel(x, line, cutText(query, 10), { size: 12, bold: here === row, fill: colours.ink }));
    const values = statsOfRow(step, here);
    STATS_SHOWN.forEach((name, column) => {
      if (values[name] === undefined) return;
      parts.push(svgLabel(place(column), line, format(values[name]), { size: 11.5, mono: true, anchor: "end", fill: name === "alpha" ? colours["alpha-text"] : colours.ink }));
    });
  });
  return parts.join("");
}

function drawWorked(frame, words, colours) {
  const { trace, step, subject } = frame;
  const x = AREAS.words.x + 14;
  const heading = isAboutARow(step.kind) && subject.queries.length ? fill(words.formula.row, { query: subject.queries[subject.row] }) : words.formula.whole;
  const parts = [drawPanel(AREAS.words, heading, colours)];
  let y = PICTURE.top + 50;
  for (const { label: what, symbols, numbers, result } of formulaOf(subject, words)) {
    parts.push(svgLabel(x, y, symbols, { size: 14.5, bold: true, fill: colours.ink }));
    y += 17;
    parts.push(svgLabel(x, y, what, { size: 12, fill: colours.muted }));
    for (const text of wrapText(`= ${numbers}`, 46)) {
      y += 19;
      parts.push(svgLabel(x, y, text, { size: 12.5, mono: true, fill: colours.ink }));
    }
    if (result) {
      y += 20;
      parts.push(svgLabel(x, y, `= ${result}`, { size: 13.5, mono: true, bold: true, fill: colours.accent }));
    }
    y += 27;
  }
  const code = trace.pseudocode[step.code]?.trim();
  if (code && y < PICTURE.bottom - 60) {
    parts.push(svgLabel(x, PICTURE.bottom - 40, words.zones.code.toUpperCase(), { size: 11, bold: true, fill: colours.muted }),
      ...wrapText(code, 46).slice(0, 2).map((text, place) => svgLabel(x, PICTURE.bottom - 22 + place * 15, text, { size: 12, mono: true, fill: colours.ink })));
  }
  return parts.join("");
}

function drawLanes(frame, words, colours) {
  const { trace, step } = frame;
  const last = trace.steps.at(-1);
  const sides = [["standard", "standard_read_total", "standard_write_total"], ["tiled", "hbm_read_total", "hbm_write_total"]];
  const scale = Math.max(...sides.map(([, read, written]) => total(last[read]) + total(last[written])), 1);
  const [from, width] = [PICTURE.edge + 90, PICTURE.width - 2 * PICTURE.edge - 90 - 230];
  return sides.map(([name, read, written], place) => {
    const y = 640 + place * 32;
    const parts = segments(step[read], step[written]).filter((part) => part.bytes)
      .map(({ tensor, direction, bytes: size }) => ({ name: laneLabel(tensor), hue: pictureHue(tensor), size, hatched: direction === "written" }));
    return svgLabel(PICTURE.edge, y + 15, words.ledger[name], { size: 13, bold: true, fill: colours.ink }) +
      svgBox(from, y, (width * (total(last[read]) + total(last[written]))) / scale, 20, { fill: "none", stroke: colours.muted, "stroke-dasharray": "4 3" }) +
      drawBar(from, y, width, 20, parts, scale, colours) +
      svgLabel(PICTURE.width - PICTURE.edge, y + 15, bytes(total(step[read]) + total(step[written])), { size: 13, bold: true, fill: colours.ink, anchor: "end" });
  }).join("") + svgLabel(PICTURE.edge, 630, words.zones.ledger, { size: 12, fill: colours.muted });
}

/**
 * The picture as SVG text.
 *
 * `context` has `scales`, `budget` and `peak` as the zones use them; `colours` maps a palette name without `--tw-`
 * to a colour; `title` names the run.
 */
export function pictureOf(frame, words, context, colours, title) {
  const { trace, step, index, subject } = frame;
  const heading = fill(words.transport.step, { step: index + 1, steps: trace.steps.length, kind: words.kinds[step.kind] });
  const sizes = sizesLine(trace, words);
  const sentence = sentenceOf(subject, words);
  const hatch = (id, colour, opacity) => svgShape("pattern", { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svgShape("line", { x1: 0, y1: 0, x2: 0, y2: 6, stroke: colour, "stroke-width": 2, "stroke-opacity": opacity }));
  return svgDocument(PICTURE.width, PICTURE.height, { title: `${title || words.picture.name}. ${heading}`, description: `${sentence} ${sizes}`, background: colours.page },
    svgShape("defs", {}, hatch("hatch", colours.muted, 0.5), hatch("written", colours.page, 0.35)),
    svgLabel(PICTURE.edge, 50, heading, { size: 26, bold: true, fill: colours.ink }),
    svgLabel(PICTURE.width - PICTURE.edge, 34, cutText(title || "", 70), { size: 14, bold: true, fill: colours.ink, anchor: "end" }),
    svgLabel(PICTURE.width - PICTURE.edge, 54, words.picture.name, { size: 12.5, fill: colours.muted, anchor: "end" }),
    svgLabel(PICTURE.edge, 76, sizes, { size: 13, fill: colours.muted }),
    ...wrapText(sentence, 130).slice(0, 3).map((text, line) => svgLabel(PICTURE.edge, 106 + line * 24, text, { size: 18, fill: colours.ink })),
    drawOuter(frame, words, context, colours), drawChip(frame, words, context, colours), drawWorked(frame, words, colours), drawLanes(frame, words, colours));
}
