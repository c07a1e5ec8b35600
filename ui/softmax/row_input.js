/** The row that the player plays: typed, or taken from the rows worth trying. It stands in the address as `row_x=`. */

import { el, setText } from "../stage/dom.js";

/** The address with another row. The step goes: it belongs to the row before. */
function addressOfRow(href, typed, usual) {
  const url = new URL(href);
  url.searchParams.delete("row_step");
  if (typed === usual) url.searchParams.delete("row_x");
  else url.searchParams.set("row_x", typed);
  return url.href;
}

/** Draw the field and the menu; `take(text)` is called with a row that the reader has settled on. */
export function createRowInput(entry, take) {
  let settled = entry.typed;
  const field = el("input", { id: "row-typed", type: "text", maxlength: String(entry.longest), autocomplete: "off", spellcheck: "false", "aria-describedby": "row-help row-refused" });
  const examples = el("select", { id: "row-example" }, el("option", { value: "", text: entry.words.choose }),
    ...entry.presets.map((preset) => el("option", { value: preset.text, text: preset.label })));
  const refused = el("p", { id: "row-refused", class: "refused", role: "alert", "data-testid": "row-refused" });
  const root = el("div", { class: "row-input" },
    el("div", { class: "typed" }, el("label", { for: "row-typed", text: entry.words.row }), field),
    el("div", { class: "example" }, el("label", { for: "row-example", text: entry.words.presets }), examples),
    el("p", { id: "row-help", class: "help", text: entry.words.help }), refused);

  function show({ typed, refused: reason }) {
    settled = typed;
    field.value = typed;
    examples.value = entry.presets.some((preset) => preset.text === typed) ? typed : "";
    setText(refused, reason ?? "");
    refused.hidden = !reason;
    field.setAttribute("aria-invalid", String(Boolean(reason)));
  }
  function settle(text) {
    if (text === settled) return;
    settled = text;
    history.replaceState(history.state, "", addressOfRow(location.href, text, entry.usual));
    take(text);
  }
  field.onkeydown = (event) => { if (event.key === "Enter") settle(field.value); };
  field.onchange = () => settle(field.value);
  examples.onchange = () => { if (examples.value) settle(examples.value); };
  show(entry);
  return { root, show };
}
