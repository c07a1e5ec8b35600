/** Builds SVG text: escaping, elements, wrapped lines and raised text. Pure. */

const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
const MONO = "ui-monospace, 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";

/** Text for XML: marks escaped; below U+0020, XML 1.0 allows only tab and line breaks. */
function escapeXml(text) {
  return String(text)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

const svgValue = (value) => (typeof value === "number" ? String(Math.round(value * 100) / 100) : escapeXml(value));

/** One element as text. Attributes that are null are left out; children are SVG text already. */
export function svgShape(tag, attributes, ...children) {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => ` ${name}="${svgValue(value)}"`)
    .join("");
  const inner = children.flat().join("");
  return inner ? `<${tag}${written}>${inner}</${tag}>` : `<${tag}${written}/>`;
}

/** A rectangle. */
export function svgBox(x, y, width, height, attributes = {}) {
  return svgShape("rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), ...attributes });
}

/** One line of text. `^{…}` raises; `mono`, `bold`, `anchor` and `size` say how it looks. */
export function svgLabel(x, y, text, { size = 13, fill, bold = false, mono = false, anchor = null, turn = null } = {}) {
  const parts = String(text).split(/(\^\{[^}]*\})/).filter(Boolean);
  let raised = false;
  const inner = parts.map((part) => {
    const isRaised = part.startsWith("^{");
    const shift = isRaised === raised ? null : `${isRaised ? -0.4 : 0.4 * 0.75}em`;
    raised = isRaised;
    return isRaised || shift
      ? svgShape("tspan", { dy: shift, "font-size": isRaised ? size * 0.75 : null }, escapeXml(isRaised ? part.slice(2, -1) : part))
      : escapeXml(part);
  });
  return svgShape("text", { x, y, fill, "font-size": size, "font-family": mono ? MONO : null, "font-weight": bold ? 700 : null,
    "text-anchor": anchor, transform: turn === null ? null : `rotate(${turn} ${svgValue(x)} ${svgValue(y)})`, "xml:space": "preserve" }, ...inner);
}

/** Cut a text to at most `room` characters, with an ellipsis. */
export function cutText(text, room) {
  const characters = [...String(text)];
  return characters.length <= room ? String(text) : `${characters.slice(0, Math.max(1, room - 1)).join("")}…`;
}

/** Break a text into lines of at most `room` characters; what is raised stays whole. */
export function wrapText(text, room) {
  const lines = [];
  for (const word of String(text).match(/(?:\^\{[^}]*\}|[^\s])+/g) ?? []) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && longer.replace(/\^\{([^}]*)\}/g, "$1").length <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The whole document, with its title and description for who cannot see it. */
export function svgDocument(width, height, { title, description, background }, ...children) {
  return svgShape("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`,
    role: "img", "aria-labelledby": "title description", "font-family": SANS },
    svgShape("title", { id: "title" }, escapeXml(title)),
    svgShape("desc", { id: "description" }, escapeXml(description)),
    svgBox(0, 0, width, height, { fill: background }), ...children);
}
