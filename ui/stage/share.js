/** Take it with you: the link to this frame, its QR code, its picture, and the ledger. All made in the browser. */

import { el, setText } from "./dom.js";
import { createButton } from "./elements.js";
import { ledgerBySteps, ledgerTotals } from "./export-csv.js";
import { pictureOf } from "./export-picture.js";
import { copyText, pngOf, saveFile } from "./export-save.js";
import { fill } from "./sentence.js";
import { frameLink, keptAddress } from "./share-link.js";
import { paletteOf } from "./share-palette.js";

/** Excel reads a CSV file as UTF-8 only if it starts with this mark. */
const UTF8_MARK = "\ufeff";

/**
 * Make the zone. `told` is what Python knows of the run: `path`, `query`, `title`, `name`, `qr` (the route that
 * draws QR codes) and `own_file`; null where the page says nothing. `usualRow` is the row chosen without a link.
 */
export function createShare(trace, words, context, told, usualRow) {
  let share = told;
  const text = words.share;
  let frame = null;
  // A step without rows at hand shows none, so it has none to name.
  const place = () => ({ step: frame.index, row: frame.step.rows ? frame.row : usualRow, usualRow,
    budget: context.budget, usualBudget: context.usualBudget });
  const button = (name, action) => createButton({ text: text[name], "data-share": name }, action);
  const said = el("p", { class: "said", role: "status", "data-testid": "share-status" });
  const field = el("input", { type: "text", readonly: "", "aria-label": text.link_label, "data-testid": "share-link" });
  const line = el("div", { class: "link-line", hidden: "" }, field);
  const qr = el("figure", { class: "qr", hidden: "", "data-testid": "share-qr" });
  const theme = el("select", { "aria-label": text.theme }, ...["shown", "light", "dark"].map((name) =>
    el("option", { value: name === "shown" ? "" : name, text: text[`theme_${name}`] })));
  const link = () => frameLink(location.href, share, place());
  const file = (what) => `tilewise-${share?.name ?? "run"}-${what}`;
  const drawn = () => pictureOf(frame, words, context, paletteOf(root, theme.value || null), share?.title ?? "");

  function showLink() {
    field.value = link();
    line.hidden = false;
  }
  function keep(name, type, data) {
    saveFile(name, type, data);
    setText(said, fill(text.saved, { file: name }));
  }
  const actions = {
    async link() {
      showLink();
      const copied = await copyText(field.value, field);
      if (!copied) {
        field.focus();
        field.select();
      }
      const done = copied ? fill(text.copied, { step: frame.index + 1 }) : text.not_copied;
      setText(said, share?.own_file ? `${done} ${text.own_file}` : done);
    },
    qr() {
      showLink();
      const target = field.value;
      const image = el("img", { alt: fill(text.qr_alt, { link: target }), width: "220", height: "220" });
      image.onerror = () => {
        qr.hidden = true;
        setText(said, text.qr_failed);
      };
      image.src = `${share.qr}?link=${encodeURIComponent(target)}`;
      qr.replaceChildren(image, el("figcaption", { text: fill(text.qr_caption, { step: frame.index + 1, steps: trace.steps.length }) }));
      qr.hidden = false;
      setText(said, "");
    },
    svg() {
      keep(file(`step-${frame.index}.svg`), "image/svg+xml", drawn());
    },
    async png() {
      const name = file(`step-${frame.index}.png`);
      try {
        keep(name, "image/png", await pngOf(drawn()));
      } catch (error) {
        setText(said, fill(text.failed, { reason: error.message }));
      }
    },
    ledger_steps: () => keep(file("ledger-steps.csv"), "text/csv", UTF8_MARK + ledgerBySteps(trace)),
    ledger_totals: () => keep(file("ledger-totals.csv"), "text/csv", UTF8_MARK + ledgerTotals(trace)),
  };
  const root = el("section", { class: "zone share", "aria-label": text.title },
    el("header", {}, el("h3", { text: text.title })),
    el("div", { class: "shelf" }, button("link", actions.link), share?.qr ? button("qr", actions.qr) : null,
      el("span", { class: "pair" }, button("svg", actions.svg), button("png", actions.png), theme),
      button("ledger_steps", actions.ledger_steps), button("ledger_totals", actions.ledger_totals)),
    line, qr, said);
  return {
    root,
    /** The page's address, completed for the frame on show. */
    address: (href) => keptAddress(href, place()),
    /** Take over what the page says now: the same run may be reached by other settings. */
    retell(next) {
      share = next;
    },
    update(next) {
      const moved = frame !== null && (next.index !== frame.index || next.row !== frame.row);
      frame = next;
      // A link or a code on show would name another frame than the one on the stage.
      if (!moved || line.hidden) return;
      line.hidden = true;
      qr.hidden = true;
      setText(said, "");
    },
  };
}
