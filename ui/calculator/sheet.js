/** What follows from the controls: pieces of HTML and drawings. Only a piece that differs is touched. */

const sheetsMounted = new WeakMap();
const SET_EVENT = "tilewise:set";

function save(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Streamlit's entry: called on mount, and again on the same element whenever the data changes. */
export default function mountSheet({ data, parentElement }) {
  const host = parentElement.querySelector(".sheet-host");
  const before = sheetsMounted.get(parentElement) ?? [];
  data.pieces.forEach((piece, place) => {
    if (before[place] === piece) return;
    const box = host.children[place] ?? host.appendChild(document.createElement("div"));
    box.innerHTML = piece;
  });
  while (host.children.length > data.pieces.length) host.lastChild.remove();
  sheetsMounted.set(parentElement, data.pieces);
  host.onclick = (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.csv !== undefined) save(data.csv.name, data.csv.text);
    if (button?.dataset.set) window.dispatchEvent(new CustomEvent(SET_EVENT, { detail: JSON.parse(button.dataset.set) }));
  };
  return () => sheetsMounted.delete(parentElement);
}
