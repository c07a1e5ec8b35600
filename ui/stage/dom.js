/** Small helpers for building elements, and for changing only what differs. */

/** Make an element. `text` sets its text; other attributes are set as they are. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter(Boolean));
  return node;
}

/** Change a text only if it differs: an untouched node needs no layout. A text that is there already is changed in place. */
export function setText(node, text) {
  const { firstChild } = node;
  if (firstChild !== null && firstChild === node.lastChild && firstChild.nodeType === Node.TEXT_NODE) {
    if (firstChild.data !== text) firstChild.data = text;
  } else if (firstChild !== null || text !== "") node.textContent = text;
}

/** A token of more letters may not fit beside its strip or above its column. */
const MOST_SHORT = 5;

/** Change a token's text, and mark a long one: only what may not fit is clipped, because a clip costs at every paint. */
export function setToken(node, text) {
  setText(node, text);
  setAttribute(node, "data-long", text.length > MOST_SHORT ? "" : null);
}

/** Change an attribute only if it differs; null takes it away. */
export function setAttribute(node, name, value) {
  if (value === null || value === undefined) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else if (node.getAttribute(name) !== String(value)) {
    node.setAttribute(name, value);
  }
}

/** A mark that one of some nodes carries at most, as an attribute: to move it touches two of them. Takes the next node, or none. */
export function createMark(name) {
  let marked = null;
  return (node = null) => {
    if (node === marked) return;
    if (marked) setAttribute(marked, name, null);
    if (node) setAttribute(node, name, "");
    marked = node;
  };
}

/** The label of a part of a bar, if it has room: nothing cuts it off. `share` is of the whole bar. */
export function labelIn(share, label) {
  return share > 0.02 + 0.02 * label.length ? label : "";
}

/** A share from 0 to 1 as CSS, in a form that the browser gives back unchanged, so that `setStyle` can compare. */
export function percent(share) {
  return `${Number((100 * share).toPrecision(5))}%`;
}

/** Change a style property only if it differs. */
export function setStyle(node, name, value) {
  if (node.style.getPropertyValue(name) !== value) node.style.setProperty(name, value);
}
