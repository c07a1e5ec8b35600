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

const late = new Set();
const notice = document.createElement("p");
notice.className = "tw-late";
notice.setAttribute("role", "status");
const NOTICE = "The network does not answer. What is pale is not up to date; it comes by itself as soon as it can.";

/** Say whether a part waits for its data: it is pale (page.css), with all that it put elsewhere, for it is out of date. */
function setLate(part, waits) {
  if (waits) late.add(part);
  else if (!late.delete(part)) return;
  part?.toggleAttribute("data-late", waits);
  document.documentElement.classList.toggle("late", late.size > 0);
  // In the app, where the theme is.
  if (!notice.isConnected) (document.querySelector("[data-testid='stApp']") ?? document.body).append(notice);
  notice.textContent = late.size > 0 ? NOTICE : "";
}

/**
 * The data, as soon as the network gives them; null if they are no longer wanted. Streamlit never again calls a part
 * that failed once.
 */
async function dataOnceThere(address, part, wanted) {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      return await dataAt(address);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    if (!wanted()) return null;
    setLate(part, true);
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
    if (!wanted()) {
      // A part that is gone waits for nothing.
      if (!box?.isConnected) setLate(box, false);
      return () => {};
    }
    setLate(box, false);
    const left = mount({ ...given, data: { ...far, ...own } });
    // The page waits for its parts: arrival.js.
    box?.setAttribute("data-filled", "");
    return left;
  };
}
