/** What follows from the controls: pieces of HTML and drawings. */

import { createEcho } from "./echo.js";
import { fillPieces, saveCsv } from "./pieces.js";

const sheetsMounted = new WeakMap();
const SET_EVENT = "tilewise:set";

/** Streamlit's entry: called on mount, and again on the same element whenever the data changes. */
export default function mountSheet({ data, parentElement }) {
  const host = parentElement.querySelector(".sheet-host");
  const before = sheetsMounted.get(parentElement);
  fillPieces(host, data.pieces, before?.pieces);
  const echo = before?.echo ?? createEcho(host);
  echo();
  sheetsMounted.set(parentElement, { pieces: data.pieces, echo });
  host.onclick = (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.csv !== undefined) saveCsv(data.csv);
    if (button?.dataset.set) window.dispatchEvent(new CustomEvent(SET_EVENT, { detail: JSON.parse(button.dataset.set) }));
  };
  return () => sheetsMounted.delete(parentElement);
}
