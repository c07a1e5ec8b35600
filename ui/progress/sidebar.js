/**
 * The frame of a page: the sidebar with the pages, their ticks and the progress; the heading; the way on. Links to
 * pages are followed without loading the app anew.
 */

import { el, setAttribute } from "../stage/dom.js";
import { createPageFrame } from "./page_frame.js";
import { pageMarks } from "./progress_marks.js";
import { createPanel } from "./progress_panel.js";
import { createProgress, PROGRESS_EVENT } from "./progress_store.js";

const sidebarsMounted = new WeakMap();
/** Streamlit lays the sidebar over the page up to this width. */
const COVERS_BELOW = 768;

/** The link on an event's path, in whatever shadow root it lies. */
function linkOn(path) {
  return path.find((node) => node.localName === "a" && node.hasAttribute("href")) ?? null;
}

/** Whether a click asks for one of our pages in this tab. */
function staysHere(event, link, pages) {
  if (event.button !== 0 || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return false;
  if (link.target && link.target !== "_self") return false;
  const url = new URL(link.href, location.href);
  // To a section of this very page, which the browser scrolls to by itself.
  if (url.hash && url.pathname === location.pathname) return false;
  // A link that names a state loads anew: this session may hold another one, which the page would show instead.
  return url.origin === location.origin && !url.search && pages.some((page) => page.href === url.pathname);
}

const LOOK_MS = 30;
const QUIET_MS = 90;
const EMPTY_MS = 900;
const LONGEST_MS = 5000;

/** Call back once no script has run for a while, or after the longest wait. */
function whenIdle(quiet, then) {
  let idle = 0;
  let waited = 0;
  const looking = setInterval(() => {
    idle = document.querySelector("[data-testid='stApp']")?.dataset.testScriptState === "notRunning" ? idle + LOOK_MS : 0;
    waited += LOOK_MS;
    if (idle < quiet && waited < LONGEST_MS) return;
    clearInterval(looking);
    then();
  }, LOOK_MS);
}

/** How many links were followed, or left again by the browser's own buttons: who waits is told that it is past. */
let travels = 0;
window.addEventListener("popstate", ({ isTrusted }) => { travels += isTrusted ? 1 : 0; });

/** Whether the page of an address is what stands there. */
function arrivedAt(href) {
  const here = document.querySelector(".sidebar-host [aria-current='page']");
  return here?.pathname === new URL(href).pathname && document.querySelector("[data-testid='stMain'] h1") !== null;
}

/**
 * Streamlit follows the address as it does after "back": the session stays, and only the page's script runs. A part
 * that asks for something in the same moment would have it run that part of the page alone, which the new page does
 * not have, or the page before once more: so first what runs is waited for, and a page that does not come after all
 * is loaded anew.
 */
function follow(href) {
  travels += 1;
  const travel = travels;
  whenIdle(QUIET_MS, () => {
    if (travel !== travels) return;
    history.pushState({}, "", href);
    window.dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
    document.querySelector("[data-testid='stMain']")?.scrollTo(0, 0);
    whenIdle(EMPTY_MS, () => {
      if (travel === travels && !arrivedAt(href)) location.assign(href);
    });
  });
}

/** What makes another frame of it. */
function idOf({ page, heading, way }) {
  return JSON.stringify([page, heading, way]);
}

function createSidebar(host, data) {
  const progress = createProgress();
  const items = data.pages.map((page) => {
    const here = page.key === data.page;
    const link = el("a", { href: page.href, "aria-current": here ? "page" : null },
      el("span", { class: "icon", "aria-hidden": "true", translate: "no", text: page.icon }), el("span", { class: "label", text: page.label }));
    return el("li", {}, link);
  });
  const panel = createPanel(data);
  const frame = createPageFrame(data);
  const [before, after] = data.frame.credit.split("{link}");
  host.replaceChildren(
    el("p", { class: "name" }, el("strong", { text: data.frame.name }), el("br"), data.frame.motto),
    el("nav", { class: "pages", "aria-label": data.frame.nav }, el("ul", {}, ...items)),
    panel.root,
    el("p", { class: "credit" }, before, el("a", { href: data.lesson, target: "_blank", rel: "noopener noreferrer", text: data.frame.credit_link }), after),
  );
  const show = () => pageMarks(progress.load(), data.plan).forEach(({ done, part }, place) => {
    setAttribute(items[place], "data-done", done ? "" : null);
    setAttribute(items[place], "data-part", part || null);
    items[place].style.setProperty("--mark", done ? `"✓" / "${data.words.ticked}"` : `"${part}"`);
  });
  const onClick = (event) => {
    const link = linkOn(event.composedPath());
    if (!link || !staysHere(event, link, data.pages)) return;
    event.preventDefault();
    follow(link.href);
    if (innerWidth < COVERS_BELOW && host.contains(link)) document.querySelector("[data-testid='stSidebarCollapseButton'] button")?.click();
  };
  document.addEventListener("click", onClick);
  window.addEventListener(PROGRESS_EVENT, show);
  window.addEventListener("storage", show);
  show();
  return {
    id: idOf(data),
    destroy() {
      document.removeEventListener("click", onClick);
      window.removeEventListener(PROGRESS_EVENT, show);
      window.removeEventListener("storage", show);
      panel.destroy();
      frame.destroy();
      host.replaceChildren();
    },
  };
}

/** Streamlit's entry: called on mount, and again on the same element whenever the data changes. */
export default function mountSidebar({ data, parentElement }) {
  const before = sidebarsMounted.get(parentElement);
  if (before?.id !== idOf(data)) {
    before?.destroy();
    sidebarsMounted.set(parentElement, createSidebar(parentElement.querySelector(".sidebar-host"), data));
  }
  return () => {
    sidebarsMounted.get(parentElement)?.destroy();
    sidebarsMounted.delete(parentElement);
  };
}
