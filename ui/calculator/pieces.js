/** Pieces of HTML, one below the other, and files made of text. */

/** Fill a place with pieces. Only one that differs from what stood there is touched. */
export function fillPieces(host, pieces, before = []) {
  pieces.forEach((piece, place) => {
    if (before[place] === piece) return;
    const box = host.children[place] ?? host.appendChild(document.createElement("div"));
    box.innerHTML = piece;
  });
  while (host.children.length > pieces.length) host.lastChild.remove();
}

/** Let the browser save a CSV file. */
export function saveCsv({ name, text }) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
