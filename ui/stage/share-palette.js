/** The palette's colours as the document resolves them, in the theme shown or in a chosen one. */

const PALETTE_TENSORS = ["q", "k", "v", "o", "acc", "s", "p", "m", "l", "lse", "delta", "alpha", "d-o", "d-q", "d-k", "d-v", "d-p", "d-s"];
const PALETTE_SURFACES = ["page", "panel", "ink", "muted", "line", "accent"];

/** Read them all. `scheme` is `light`, `dark` or null for what is shown. */
export function paletteOf(root, scheme) {
  const probe = root.ownerDocument.createElement("span");
  if (scheme) probe.style.colorScheme = scheme;
  root.append(probe);
  const colours = {};
  for (const name of [...PALETTE_SURFACES, ...PALETTE_TENSORS.flatMap((tensor) => [tensor, `${tensor}-soft`, `${tensor}-text`, `${tensor}-on`])]) {
    probe.style.color = `var(--tw-${name})`;
    colours[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return colours;
}
