/**
 * The controls of a page as one part. It keeps every value, also of controls that are not on screen, writes those that
 * are no defaults into the address, and asks the server for a run when one changes.
 */

import { el, setAttribute } from "../stage/dom.js";

const fieldsMounted = new WeakMap();
/** Lets a button elsewhere on the page set controls: `detail` holds their values by name; others go to their defaults. */
const SET_EVENT = "tilewise:set";

/** The address with the values that are no defaults. Other parameters stay as they are. */
export function addressWith(href, prefix, values, defaults) {
  const url = new URL(href);
  for (const [name, usual] of Object.entries(defaults)) {
    if (values[name] === usual) url.searchParams.delete(prefix + name);
    else url.searchParams.set(prefix + name, values[name]);
  }
  return url.href;
}

function labelled(field, control, id) {
  const label = el("label", { for: id, text: field.label });
  const help = field.help ? el("span", { class: "help", tabindex: "0", role: "note", "aria-label": field.help }, el("span", { class: "sign", "aria-hidden": "true", text: "?" }), el("span", { class: "tip", "aria-hidden": "true", text: field.help })) : null;
  return el("div", { class: "field", "data-field": field.name, style: `width: ${field.width}px` }, el("div", { class: "head" }, label, help), control);
}

/** Each kind returns `{ root, show(value) }` and calls `change(value)` when the reader has settled on one. */
const KINDS = {
  text(field, id, change) {
    const input = el("input", { id, type: "text", maxlength: "60", autocomplete: "off", spellcheck: "false", placeholder: field.placeholder || null });
    input.onkeydown = (event) => { if (event.key === "Enter") change(input.value); };
    input.onchange = () => change(input.value);
    return { root: labelled(field, input, id), show: (value) => { if (input.value !== value) input.value = value; } };
  },
  choice(field, id, change) {
    const select = el("select", { id }, ...field.options.map((option) => el("option", { value: option, text: option })));
    select.onchange = () => change(select.value);
    return { root: labelled(field, select, id), show: (value) => { select.value = value; } };
  },
  parts(field, id, change) {
    const inputs = field.options.map((option) => el("input", { type: "radio", name: id, value: option }));
    inputs.forEach((input) => { input.onchange = () => change(input.value); });
    const root = el("fieldset", { class: "parts", "data-field": field.name }, el("legend", { text: field.label }),
      el("div", { class: "row" }, ...inputs.map((input, place) => el("label", {}, input, el("span", { text: field.options[place] })))));
    return { root, show: (value) => inputs.forEach((input) => { input.checked = input.value === value; }) };
  },
  switch(field, id, change) {
    const input = el("input", { id, type: "checkbox", role: "switch" });
    input.onchange = () => change(String(input.checked));
    return { root: el("div", { class: "switch", "data-field": field.name }, input, el("label", { for: id, text: field.label })), show: (value) => { input.checked = value === "true"; } };
  },
};

function createFields(host, data, send) {
  let values = { ...data.values };
  let shown = [];
  let set = null;

  function settle() {
    const href = addressWith(location.href, data.prefix, values, data.defaults);
    if (href !== location.href) history.replaceState(history.state, "", href);
    for (const { field, control } of shown) control.show(values[field.name]);
  }
  function change(next) {
    if (Object.entries(next).every(([name, value]) => values[name] === value)) return;
    values = { ...values, ...next };
    settle();
    send(values);
  }
  function draw(rows) {
    // What stays keeps its element, and so its focus.
    const kept = new Map(shown.map((each) => [each.field.name, each]));
    shown = [];
    host.replaceChildren(...rows.map((row) => el("div", { class: `row ${row.class}` }, ...row.fields.map((field) => {
      const each = kept.get(field.name) ?? { field, control: KINDS[field.kind](field, `${data.prefix}${field.name}`, (value) => change({ [field.name]: value })) };
      shown.push(each);
      return each.control.root;
    }))));
  }
  const onSet = (event) => change({ ...data.defaults, ...event.detail });
  window.addEventListener(SET_EVENT, onSet);
  return {
    update(next) {
      if (next.set === set) return;
      const focused = host.getRootNode().activeElement;
      ({ set } = next);
      draw(next.rows);
      settle();
      setAttribute(host, "data-set", set);
      if (focused?.isConnected) focused.focus();
    },
    again(changedSend) { send = changedSend; },
    destroy() {
      window.removeEventListener(SET_EVENT, onSet);
      host.replaceChildren();
    },
  };
}

/** Streamlit's entry: called on mount, and again on the same element whenever the data changes. */
export default function mountFields({ data, parentElement, setStateValue }) {
  const send = (values) => setStateValue("values", values);
  let held = fieldsMounted.get(parentElement);
  if (held) held.again(send);
  else fieldsMounted.set(parentElement, held = createFields(parentElement.querySelector(".fields-host"), data, send));
  held.update(data);
  return () => {
    fieldsMounted.get(parentElement)?.destroy();
    fieldsMounted.delete(parentElement);
  };
}
