/**
 * A new room's key, for the lecturer alone: the page it stands on is on the wall. It is written out on request only;
 * copying it and saving it need no look at it.
 */

import { el, setText } from "../stage/dom.js";
import { copyText, saveFile } from "../stage/export-save.js";

const DOTS = "•".repeat(16);

export default function mountKeyPanel({ data, parentElement }) {
  const { key, file, text, words } = data;
  const root = parentElement.querySelector(".key-host");
  // Called again with every run of the page: what was shown on purpose stays as it is.
  if (root.dataset.file === file) return;
  root.dataset.file = file;
  const shown = el("code", { "aria-label": words.key_hidden, text: DOTS });
  const said = el("p", { class: "said", role: "status" });
  const copy = el("button", { type: "button", class: "main", text: words.key_copy });
  const save = el("button", { type: "button", text: words.key_file });
  const show = el("button", { type: "button", text: words.key_show, "aria-pressed": "false" });
  save.onclick = () => saveFile(file, "text/plain", text);
  copy.onclick = async () => {
    // Outside what is seen, for the older way of copying.
    const field = el("textarea", { class: "unseen", "aria-hidden": "true", tabindex: "-1" });
    field.value = key;
    root.append(field);
    const done = await copyText(key, field);
    field.remove();
    copy.focus();
    setText(said, done ? words.key_copied : words.key_not_copied);
  };
  show.onclick = () => {
    const hidden = show.getAttribute("aria-pressed") === "true";
    show.setAttribute("aria-pressed", String(!hidden));
    setText(show, hidden ? words.key_show : words.key_hide);
    setText(shown, hidden ? DOTS : key);
    if (hidden) shown.setAttribute("aria-label", words.key_hidden);
    else shown.removeAttribute("aria-label");
  };
  root.replaceChildren(
    el("h2", { text: words.key_heading }),
    el("p", { text: words.key_lead }),
    el("div", { class: "row" }, shown, copy, save, show, said),
  );
}
