/** The error of the output so far, key tile by key tile: where its points lie, and one small chart a row. */

import { el, setAttribute, setText } from "./dom.js";
import { createButton, elSvg } from "./elements.js";
import { format, toNumber } from "./numbers.js";
import { fill } from "./sentence.js";

const WIDE = 120;
const HIGH = 48;
const EDGE = 7;

/** The powers of ten between which errors are drawn: from what rounding explains to the largest finite error. */
export function errorRange(errors, allowed) {
  const sizes = errors.flat().map(([, , error]) => toNumber(error)).filter((size) => Number.isFinite(size) && size > 0);
  const low = Math.floor(Math.log10(allowed)) - 1;
  return { low, high: Math.max(low + 3, Math.ceil(Math.log10(Math.max(allowed, ...sizes)))) };
}

/** How high an error stands, from 0 (nothing) to 1; NaN and ∞ stand at the very top. */
export function errorHeight(error, { low, high }) {
  const size = toNumber(error);
  if (!Number.isFinite(size)) return 1;
  if (size <= 10 ** low) return 0;
  return Math.min(0.86, (0.86 * (Math.log10(size) - low)) / (high - low));
}

/** The points of a row that the run has reached: `{ tile, error, broken }`, where broken is NaN or ∞. */
function pointsUntil(visits, index) {
  return visits.filter(([step]) => step <= index).map(([, tile, error]) =>
    ({ tile, error, broken: !Number.isFinite(toNumber(error)) }));
}

/** Make the chart of one row; it is also the button that chooses the row. */
export function createErrorChart(comparison, tilesK, onChoose) {
  const { words, allowed } = comparison;
  const range = errorRange(comparison.errors, allowed);
  const across = (tile) => (tilesK > 1 ? EDGE + (tile / (tilesK - 1)) * (WIDE - 2 * EDGE) : WIDE / 2);
  const down = (error) => HIGH - EDGE - errorHeight(error, range) * (HIGH - 2 * EDGE);
  const line = elSvg("polyline", { class: "error-line", points: "" });
  const points = elSvg("g", {});
  const svg = elSvg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true" },
    elSvg("line", { class: "explained", x1: 0, x2: WIDE, y1: down(allowed), y2: down(allowed) }),
    ...Array.from({ length: tilesK }, (_, tile) =>
      elSvg("line", { class: "tick", x1: across(tile), x2: across(tile), y1: HIGH - 3, y2: HIGH })),
    line, points);
  const name = el("span", { class: "name" });
  const now = el("span", { class: "now", "data-testid": "error-now" });
  const root = createButton({ class: "error-row", "data-testid": "error-row" }, onChoose, el("span", { class: "top" }, name, now), svg);
  root.onmousedown = (event) => event.preventDefault();
  const told = (error) => {
    const size = toNumber(error);
    return size <= allowed ? words.equal : format(error);
  };
  let drawn = "";
  return {
    root,
    update(query, visits, index, chosen) {
      const reached = pointsUntil(visits, index);
      setAttribute(root, "aria-pressed", String(chosen));
      const key = `${query}|${visits[0]?.[0]}|${reached.length}`;
      if (key === drawn) return;
      drawn = key;
      setText(name, query);
      const last = reached.at(-1);
      setText(now, last ? told(last.error) : "");
      setAttribute(now, "data-error", last ? String(last.error) : null);
      setAttribute(root, "data-outcome", !last ? null : toNumber(last.error) <= allowed ? "agrees" : last.broken ? "broken" : "wrong");
      setAttribute(root, "aria-label", last
        ? fill(words.series, { query, points: reached.map(({ tile, error }) => fill(words.point, { tile: tile + 1, error: told(error) })).join("; ") })
        : fill(words.series_none, { query }));
      // A line through NaN or ∞ would claim numbers that there are not.
      setAttribute(line, "points", reached.filter(({ broken }) => !broken).map(({ tile, error }) => `${across(tile)},${down(error)}`).join(" "));
      points.replaceChildren(...reached.map(({ tile, error, broken }) =>
        (broken
          ? elSvg("text", { class: "broken", x: across(tile), y: 9, "text-anchor": tile === 0 ? "start" : tile === tilesK - 1 ? "end" : "middle" }, Number.isNaN(toNumber(error)) ? words.nan : words.inf)
          : elSvg("circle", { class: toNumber(error) <= allowed ? "agrees" : "wrong", cx: across(tile), cy: down(error), r: 3.5 }))));
    },
  };
}

/** The ends of the scale as text. */
export function rangeText(comparison) {
  const { low, high } = errorRange(comparison.errors, comparison.allowed);
  return { low: format(10 ** low, 1), high: format(10 ** high, 1) };
}
