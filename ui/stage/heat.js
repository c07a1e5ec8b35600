/** Values as colour: the tensor's own hue above zero, grey below, stronger for larger sizes. */

import { toNumber } from "./numbers.js";

const TENSORS_DRAWN = ["q", "k", "v", "o", "acc", "s", "p"];
const PROBED = [...TENSORS_DRAWN, ...TENSORS_DRAWN.map((tensor) => `${tensor}-soft`), "muted"];

function channels(colour) {
  const [red, green, blue] = colour.match(/[\d.]+/g).map(Number);
  return [red, green, blue];
}

/** Read the palette's colours as numbers, once; canvases cannot resolve custom properties. */
export function readColours(root) {
  const probe = root.ownerDocument.createElement("span");
  root.append(probe);
  const colours = {};
  for (const tensor of PROBED) {
    probe.style.color = `var(--tw-${tensor})`;
    colours[tensor] = channels(getComputedStyle(probe).color);
  }
  probe.remove();
  return colours;
}

/** Leave a canvas empty. It stays where it is: taking it away would change how the browser puts the page together. */
export function wipe(canvas) {
  canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
}

/** How strong a value's colour is, from 0 to 1. The root lifts small values, so that a row shows its texture. */
export function strength(value, scale) {
  const number = toNumber(value);
  if (Number.isNaN(number)) return 1;
  if (!Number.isFinite(number)) return number > 0 ? 1 : 0;
  return Math.min(1, Math.sqrt(Math.abs(number) / scale));
}

const images = new WeakMap();

/** The pixels of a canvas, kept from one painting to the next: new ones at each step are garbage to be collected. */
function pixelsOf(canvas, context) {
  const { width, height } = canvas;
  const kept = images.get(canvas);
  if (kept?.width === width && kept.height === height) return kept;
  const image = context.createImageData(width, height);
  images.set(canvas, image);
  return image;
}

/**
 * Paint a matrix, one pixel a value; CSS stretches it without smoothing.
 *
 * With `across`, the matrix lies on its side: its rows become columns.
 */
export function paint(canvas, rows, scale, [red, green, blue], [mutedRed, mutedGreen, mutedBlue], across = false) {
  const height = rows.length;
  const width = height ? rows[0].length : 0;
  if (height === 0 || width === 0) return;
  const [wide, high] = across ? [height, width] : [width, height];
  // Setting a canvas's size, even to what it is, makes the browser lay it out again.
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  const context = canvas.getContext("2d");
  const image = pixelsOf(canvas, context);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const value = rows[row][column];
      const offset = 4 * (across ? column * height + row : row * width + column);
      const above = toNumber(value) >= 0;
      image.data[offset] = above ? red : mutedRed;
      image.data[offset + 1] = above ? green : mutedGreen;
      image.data[offset + 2] = above ? blue : mutedBlue;
      image.data[offset + 3] = Math.round(255 * strength(value, scale));
    }
  }
  context.putImageData(image, 0, 0);
}

/** The height of a strip and the gap above and below it, in pixels; as in the style sheet. */
const STRIP = 13;
const GAP = 1;

/**
 * Paint a matrix as strips, one a row, with clear gaps between them.
 *
 * The gaps are part of the picture: whatever lies over a canvas costs the browser one more layer to put together.
 */
export function paintStrips(canvas, rows, scale, [red, green, blue], [mutedRed, mutedGreen, mutedBlue]) {
  const height = rows.length;
  const width = height ? rows[0].length : 0;
  if (height === 0 || width === 0) return;
  const pitch = STRIP + 2 * GAP;
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height * pitch) canvas.height = height * pitch;
  const context = canvas.getContext("2d");
  const image = pixelsOf(canvas, context);
  const line = 4 * width;
  for (let row = 0; row < height; row += 1) {
    const start = (row * pitch + GAP) * line;
    for (let column = 0; column < width; column += 1) {
      const value = rows[row][column];
      const above = toNumber(value) >= 0;
      const offset = start + 4 * column;
      image.data[offset] = above ? red : mutedRed;
      image.data[offset + 1] = above ? green : mutedGreen;
      image.data[offset + 2] = above ? blue : mutedBlue;
      image.data[offset + 3] = Math.round(255 * strength(value, scale));
    }
    for (let copy = 1; copy < STRIP; copy += 1) image.data.copyWithin(start + copy * line, start, start + line);
  }
  context.putImageData(image, 0, 0);
}

/** Paint what will not change as a background image: a canvas would be one more layer to put together each frame. */
export function paintStill(node, rows, scale, positive, negative, across = false) {
  const canvas = document.createElement("canvas");
  paint(canvas, rows, scale, positive, negative, across);
  node.style.backgroundImage = `url(${canvas.toDataURL()})`;
}
