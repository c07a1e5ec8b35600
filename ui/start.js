/** Mounts a part of ours for Streamlit: first its styles, then its data if these were left at an address, then the part. */

const fetched = new Map();
const turns = new WeakMap();
const reader = new TextDecoder();

/** Data at an address, which names their content, so they are asked for once. A failure is not kept. */
function dataAt(address) {
  if (!fetched.has(address)) {
    const answer = fetch(address).then((response) => {
      if (!response.ok) throw new Error(`The server no longer has ${address}. Reload the page.`);
      return response.json();
    });
    fetched.set(address, answer);
    answer.catch(() => fetched.delete(address));
  }
  return fetched.get(address);
}

/** Returns what Streamlit calls on mount, and again on the same element whenever the data changes. */
export function start({ partStyles, default: mount }) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(partStyles);
  return async (given) => {
    const { data, parentElement } = given;
    const root = parentElement.getRootNode();
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    const turn = (turns.get(parentElement) ?? 0) + 1;
    turns.set(parentElement, turn);
    const { from, ...own } = JSON.parse(reader.decode(data));
    const far = from ? await dataAt(from) : {};
    // Meanwhile newer data may have come, or the part may be gone.
    if (turns.get(parentElement) !== turn || !parentElement.isConnected) return () => {};
    const left = mount({ ...given, data: { ...far, ...own } });
    // The page waits for its parts: arrival.js.
    (root.host ?? parentElement.closest('[data-testid^="stBidiComponent"]'))?.setAttribute("data-filled", "");
    return left;
  };
}
