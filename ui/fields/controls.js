/** The controls themselves, as elements. */

import { el, setAttribute, setText } from "../stage/dom.js";

/** The help of a field, or of anything that has one: a sign that shows it. */
export function helpOf(field) {
  return field.help ? el("span", { class: "help", tabindex: "0", role: "note", "aria-label": field.help }, el("span", { class: "sign", "aria-hidden": "true", text: "?" }), el("span", { class: "tip", "aria-hidden": "true", text: field.help })) : null;
}

function labelled(field, id, ...below) {
  return el("div", { class: "field", "data-field": field.name, style: `width: ${field.width}px` }, el("div", { class: "head" }, el("label", { for: id, text: field.label }), helpOf(field)), ...below);
}

/** What an option reads like. */
function wordsOf(field, place) {
  return field.words[place] ?? field.options[place];
}

/** Each kind returns `{ root, show(value) }`, a line of text also `refuse(reason)`, and calls `change(value)` when the reader has settled on one. */
const KINDS = {
  text(field, id, change) {
    const reason = el("p", { id: `${id}-refused`, class: "refused", hidden: "" });
    const input = el("input", { id, type: "text", "aria-describedby": reason.id, maxlength: String(field.longest), autocomplete: "off", spellcheck: "false", placeholder: field.placeholder || null });
    input.onkeydown = (event) => { if (event.key === "Enter") change(input.value); };
    input.onchange = () => change(input.value);
    return {
      root: labelled(field, id, input, reason),
      show: (value) => { if (input.value !== value) input.value = value; },
      refuse(text) {
        setText(reason, text);
        reason.hidden = !text;
        setAttribute(input, "aria-invalid", text ? "true" : null);
      },
    };
  },
  choice(field, id, change) {
    const select = el("select", { id }, ...field.options.map((option, place) => el("option", { value: option, text: wordsOf(field, place) })));
    select.onchange = () => change(select.value);
    return { root: labelled(field, id, select), show: (value) => { select.value = value; } };
  },
  parts(field, id, change) {
    const inputs = field.options.map((option) => el("input", { type: "radio", name: id, value: option }));
    inputs.forEach((input) => { input.onchange = () => change(input.value); });
    const root = el("fieldset", { class: "parts", "data-field": field.name }, el("legend", { text: field.label }),
      el("div", { class: "row" }, ...inputs.map((input, place) => el("label", {}, input, el("span", { text: wordsOf(field, place) }))), helpOf(field)));
    return { root, show: (value) => inputs.forEach((input) => { input.checked = input.value === value; }) };
  },
  switch(field, id, change) {
    const input = el("input", { id, type: "checkbox", role: "switch" });
    input.onchange = () => change(String(input.checked));
    return { root: el("div", { class: "switch", "data-field": field.name }, input, el("label", { for: id, text: field.label }), helpOf(field)), show: (value) => { input.checked = value === "true"; } };
  },
};

/** Make a field's control: `{ root, show(value) }`. Its element is named by the prefix and the field's name. */
export function createControl(field, prefix, change) {
  return KINDS[field.kind](field, `${prefix}${field.name}`, (value) => change({ [field.name]: value }));
}
