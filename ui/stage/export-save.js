/** Hands files to the reader: saving, and drawing an SVG as PNG. */

/** A megabyte or so stays in memory this long, in milliseconds, while the browser takes it. */
const RELEASE_AFTER = 30_000;

/** Save data under a name. */
export function saveFile(name, type, data) {
  const address = URL.createObjectURL(new Blob([data], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), RELEASE_AFTER);
}

/** Draw SVG text as a PNG, `scale` pixels to each of its units. */
export async function pngOf(svg, scale = 2) {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = picture.naturalWidth * scale;
  canvas.height = picture.naturalHeight * scale;
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no PNG"))), "image/png");
  });
}

/** Copy a text; false when the browser does not allow it. `field` holds the text, selected, for the older way. */
export async function copyText(text, field) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without https there is no clipboard to ask; the older command still works there.
    field.focus();
    field.select();
    return document.execCommand("copy");
  }
}
