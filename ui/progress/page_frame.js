/** What stands above and below every page: its heading, and the links to the page before and the page after. */

import { el } from "../stage/dom.js";

function createHeading({ title, summary }) {
  return el("div", { class: "tw-top" }, el("h1", { text: title }), el("p", { text: summary }));
}

function createWay({ both, back, next }, before, after) {
  const icon = (name) => el("span", { class: "tw-icon", "aria-hidden": "true", translate: "no", text: name });
  const label = (words, page) => el("span", { text: words.replace("{page}", page.label) });
  return el("nav", { class: "tw-way", "aria-label": both },
    before && el("a", { class: "tw-page", rel: "prev", href: before.href }, icon("arrow_back"), label(back, before)),
    after && el("a", { class: "tw-page", rel: "next", href: after.href }, label(next, after), icon("arrow_forward")));
}

/**
 * Put them around what Streamlit makes of the page, which is one block. `data` is what the sidebar gets:
 * `{ page, heading, way, pages, frame }`.
 */
export function createPageFrame({ page, heading, way, pages, frame }) {
  const main = document.querySelector("[data-testid='stMainBlockContainer']");
  const place = pages.findIndex(({ key }) => key === page);
  const top = heading ? createHeading(pages[place]) : null;
  const foot = way ? createWay(frame, pages[place - 1], pages[place + 1]) : null;
  if (top) main.prepend(top);
  if (foot) main.append(foot);
  return {
    destroy() {
      top?.remove();
      foot?.remove();
    },
  };
}
