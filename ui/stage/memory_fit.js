/** Cells of outer memory's picture as large as its zone has room for, in a forward and in a backward. */

import { setAttribute, setStyle } from "./dom.js";

/** The zone's own, at each side, in pixels; as in the style sheet. */
const PADDING = 10;

/** Below this cell size, in pixels, labels cannot be read and are left out. */
const SMALLEST_LABELLED = 8;

/**
 * Keep the picture fitting its zone. `largest` is that of a cell; `shares(width)` says what `labels` and `strip` take
 * of the zone's width, and what is left `forCells`. All in pixels. Returns what watches the zone.
 */
export function keepFitting(zone, picture, { tiles_q: tilesQ, tiles_k: tilesK, n_q: nQ, n_k: nK }, largest, shares) {
  setStyle(picture, "--tiles", String(tilesK));
  setStyle(picture, "--row-tiles", String(tilesQ));
  const watcher = new ResizeObserver(() => {
    // The zone and not the picture: presenter mode draws the picture smaller, which must not make its cells larger.
    const width = zone.clientWidth - 2 * PADDING;
    if (width <= 0) return;
    const { labels, strip, forCells } = shares(width);
    const cell = Math.max(2, Math.min(largest, Math.floor((forCells / nK) * 4) / 4, 330 / nQ));
    setStyle(picture, "--cell", `${cell}px`);
    setStyle(picture, "--labels", `${labels}px`);
    setStyle(picture, "--strip", `${strip}px`);
    setAttribute(picture, "data-small", cell < SMALLEST_LABELLED ? "" : null);
  });
  watcher.observe(zone);
  return watcher;
}
