/** Mounts a part of ours for Streamlit: first its styles, then its data if these were left at an address, then the part. */

const fetched = new Map();
const turns = new WeakMap();
const reader = new TextDecoder();

/** How long to wait before data are asked for again, at first and at most. */
const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 5000;

/** Data at an address, which names their content, so they are asked for once. A failure is not kept. */
function dataAt(address) {
  if (!fetched.has(address)) {
    const answer = fetch(address).then((response) => {
      if (response.status === 404) throw new Error(`The server no longer has ${address}. Reload the page.`);
      if (!response.ok) throw new TypeError(`${address}: ${response.status}`);
      return response.json();
    });
    fetched.set(address, answer);
    answer.catch(() => fetched.delete(address));
  }
  return fetched.get(address);
}

/**
 * The data, as soon as the network gives them; null if they are no longer wanted. Streamlit never again calls a part
 * that failed once. What a part shows meanwhile is pale: it is not what was asked for.
 */
async function dataOnceThere(address, part, wanted) {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      return await dataAt(address);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    if (!wanted()) return null;
    if (part) part.style.opacity = "0.4";
    await new Promise((done) => setTimeout(done, wait));
  }
}

/** Returns what Streamlit calls on mount, and again on the same element whenever the data changes. */
export function start({ partStyles, default: mount }) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(partStyles);
  return async (given) => {
    const { data, parentElement } = given;
    const root = parentElement.getRootNode();
    const box = root.host ?? parentElement.closest('[data-testid^="stBidiComponent"]');
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    const turn = (turns.get(parentElement) ?? 0) + 1;
    turns.set(parentElement, turn);
    const { from, ...own } = JSON.parse(reader.decode(data));
    // Meanwhile newer data may have come, or the part may be gone.
    const wanted = () => turns.get(parentElement) === turn && parentElement.isConnected;
    const far = from ? await dataOnceThere(from, box, wanted) : {};
    if (!wanted()) return () => {};
    box?.style.removeProperty("opacity");
    const left = mount({ ...given, data: { ...far, ...own } });
    // The page waits for its parts: arrival.js.
    box?.setAttribute("data-filled", "");
    return left;
  };
}
