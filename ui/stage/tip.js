/** One small label that follows the pointer, or the cell that the keyboard reads. */

import { el, setText } from "./dom.js";

/** Make the label. `spoken` is a polite live region, so that cells read by keyboard are also heard. */
export function createTip(stage, spoken) {
  const root = el("div", { class: "tip", hidden: "", "aria-hidden": "true" });
  stage.append(root);
  return {
    show(text, x, y) {
      const frame = stage.getBoundingClientRect();
      root.hidden = false;
      setText(root, text);
      const left = Math.min(Math.max(4, x - frame.left - root.offsetWidth / 2), frame.width - root.offsetWidth - 4);
      root.style.transform = `translate(${left}px, ${y - frame.top - root.offsetHeight - 10}px)`;
    },
    say(text) {
      setText(spoken, text);
    },
    hide() {
      root.hidden = true;
    },
  };
}

/**
 * Let a matrix be read cell by cell, by pointer and by keyboard.
 *
 * `area()` is where the cells are on the screen: the node itself if it is left out.
 * `cellAt(x, y)` maps a point inside the node (0 to 1) to `[row, column]`; `describe(row, column)` gives its text
 * or null; `size()` gives `[rows, columns]`. A press on the mouse leaves the focus where it is, so that the arrow
 * keys go on stepping through the run.
 */
export function readable(node, tip, { area, cellAt, describe, size, onChoose }) {
  const place = area ?? (() => node.getBoundingClientRect());
  let cursor = [0, 0];
  const showCursor = () => {
    const [rows, columns] = size();
    cursor = [Math.min(cursor[0], rows - 1), Math.min(cursor[1], columns - 1)];
    const text = rows > 0 && columns > 0 ? describe(...cursor) : null;
    if (text === null) return tip.hide();
    const box = place();
    tip.show(text, box.left + ((cursor[1] + 0.5) / columns) * box.width, box.top + (cursor[0] / rows) * box.height);
    return tip.say(text);
  };
  node.tabIndex = 0;
  node.onmousedown = (event) => event.preventDefault();
  node.onmousemove = (event) => {
    const box = place();
    const cell = cellAt((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    const text = cell === null ? null : describe(...cell);
    if (text === null) tip.hide();
    else tip.show(text, event.clientX, event.clientY);
  };
  node.onmouseleave = () => tip.hide();
  node.onfocus = showCursor;
  node.onblur = () => tip.hide();
  node.onclick = (event) => {
    const box = place();
    const cell = cellAt((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    if (cell !== null) onChoose?.(...cell);
  };
  node.onkeydown = (event) => {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const move = moves[event.key];
    const [rows, columns] = size();
    if (event.key === "Enter") onChoose?.(...cursor);
    else if (move === undefined || rows === 0 || columns === 0) return;
    else {
      cursor = [
        Math.min(Math.max(cursor[0] + move[0], 0), rows - 1),
        Math.min(Math.max(cursor[1] + move[1], 0), columns - 1),
      ];
      showCursor();
    }
    event.preventDefault();
    event.stopPropagation();
  };
}

/** The cell of an even grid under a point given from 0 to 1. */
export function evenCell(x, y, rows, columns) {
  if (rows === 0 || columns === 0) return null;
  const clamp = (part, count) => Math.min(Math.max(Math.floor(part * count), 0), count - 1);
  return [clamp(y, rows), clamp(x, columns)];
}
