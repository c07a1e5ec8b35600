/** The strips of outer memory: the rows of a matrix that belong to one tile, as numbers that can be read. */

import { format } from "./numbers.js";
import { fill } from "./sentence.js";
import { evenCell, readable } from "./tip.js";

/**
 * Let a strip be read. `shown()` gives its rows, or none; `tokens` names them. `across` says that they lie side by
 * side. `onChoose(row)` is called for a cell that is pressed.
 */
export function readableStrip(node, tip, words, { name, tokens, across, shown, onChoose }) {
  readable(node, tip, {
    cellAt: (x, y) => {
      const rows = shown();
      if (!rows?.length) return null;
      return across ? evenCell(y, x, rows.length, rows[0].length) : evenCell(x, y, rows.length, rows[0].length);
    },
    describe: (row, column) => {
      const rows = shown();
      if (!rows?.length) return null;
      return fill(words.chip.cell, { name, row: tokens[row],
        column: fill(words.chip.cell_dimension, { dimension: column }), value: format(rows[row][column], 5) });
    },
    size: () => { const rows = shown(); return rows?.length ? [rows.length, rows[0].length] : [0, 0]; },
    onChoose,
  });
}
