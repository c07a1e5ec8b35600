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

/** Change a text only if it differs: an untouched node needs no layout. */
export function setText(node, text) {
  const only = node.childNodes.length === 1 ? node.firstChild.data : node.childNodes.length === 0 ? "" : undefined;
  if (only !== text) node.textContent = text;
}

/** Change an attribute only if it differs; null takes it away. */
export function setAttribute(node, name, value) {
  if (value === null || value === undefined) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else if (node.getAttribute(name) !== String(value)) {
    node.setAttribute(name, value);
  }
}

/** Change a style property only if it differs. */
export function setStyle(node, name, value) {
  if (node.style.getPropertyValue(name) !== value) node.style.setProperty(name, value);
}
