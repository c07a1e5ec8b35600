/**
 * All of a page beside its sentences, as one part: controls, and sheets of what follows from them. It puts each between
 * the blocks that Streamlit made of the page's text, and moves none of these.
 */

import { fillPieces, saveCsv } from "../calculator/pieces.js";
import { createControl } from "../fields/controls.js";
import { createValues } from "../fields/values.js";
import { el } from "../stage/dom.js";

const columnsMounted = new WeakMap();
const SLOT = "tw-slot";

/**
 * Styles of the page itself: sentences keep to a width that the eye can follow, what stands between them does not. A
 * heading has its own space below.
 */
const pageStyles = new CSSStyleSheet();

/** What Streamlit made of the page's text, once it is all there: a text with formulas stands empty for a while. */
function textOf(blocks) {
  const made = document.querySelector("[data-testid='stMain'] .stMarkdown [data-testid='stMarkdownContainer']");
  return made && blocksOf(made).length === blocks ? made : null;
}

function blocksOf(text) {
  return [...text.children].filter((block) => !block.classList.contains(SLOT));
}

/** One place between two blocks: controls that stay, and below them a sheet that follows them. */
function createSlot({ name, above, fields }, { sheets, fonts, prefix, change }) {
  const at = el("div", { class: SLOT, "data-slot": name });
  const root = at.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = sheets;
  // Streamlit tells its theme to parts of its own only.
  for (const [name, font] of fonts) at.style.setProperty(name, font);
  const controls = fields.map((field) => [field.name, createControl(field, prefix, change)]);
  const host = el("div", { class: "sheet-host twc" });
  root.append(el("div", { class: "slot" }, el("div", { class: "row" }, ...controls.map(([, control]) => control.root)), host));
  let shown = [];
  return {
    at,
    above,
    controls,
    show({ pieces, csv }) {
      fillPieces(host, pieces, shown);
      shown = pieces;
      host.onclick = (event) => { if (event.target.closest("[data-csv]")) saveCsv(csv); };
    },
  };
}

function createColumn(host, data, send, partSheets) {
  const styles = new CSSStyleSheet();
  styles.replaceSync(data.css);
  let slots = [];
  const values = createValues(data, () => slots.flatMap((slot) => slot.controls), send);
  const theme = getComputedStyle(host);
  const fonts = ["--st-font", "--st-code-font"].map((name) => [name, theme.getPropertyValue(name)]);
  const shared = { sheets: [...partSheets, styles], fonts, prefix: data.prefix, change: values.change };
  slots = data.slots.map((slot) => createSlot(slot, shared));
  values.settle();

  /** Streamlit may draw the text anew, for example when a message above it has gone. */
  function place() {
    const text = textOf(data.blocks);
    if (!text || slots.every(({ at }) => at.parentElement === text)) return;
    const blocks = blocksOf(text);
    for (const { at, above } of slots) text.insertBefore(at, blocks[above] ?? null);
  }
  pageStyles.replaceSync(`.${SLOT} { margin: 1rem 0; } :has(> :is(h2, h3)) + .${SLOT} { margin-top: 0; } :has(> .${SLOT}) > :not(.${SLOT}) { max-width: ${data.width}px; }`);
  if (!document.adoptedStyleSheets.includes(pageStyles)) document.adoptedStyleSheets = [...document.adoptedStyleSheets, pageStyles];
  const watcher = new MutationObserver(place);
  watcher.observe(document.querySelector("[data-testid='stMain']"), { childList: true, subtree: true });
  place();
  return {
    text: data.text,
    again: values.again,
    update(next) { next.slots.forEach((slot, number) => slots[number].show(slot)); },
    destroy() {
      watcher.disconnect();
      for (const { at } of slots) at.remove();
    },
  };
}

/** Streamlit's entry: called on mount, and again on the same element whenever the data changes. */
export default function mountColumn({ data, parentElement, setStateValue }) {
  const send = (values) => setStateValue("values", values);
  let held = columnsMounted.get(parentElement);
  if (held?.text !== data.text) {
    held?.destroy();
    const sheets = parentElement.getRootNode().adoptedStyleSheets;
    held = createColumn(parentElement.querySelector(".column-host"), data, send, sheets);
    columnsMounted.set(parentElement, held);
  }
  held.again(send);
  held.update(data);
  return () => {
    columnsMounted.get(parentElement)?.destroy();
    columnsMounted.delete(parentElement);
  };
}
