/**
 * The controls of a page as one part. It keeps every value, also of controls that are not on screen, writes those that
 * are no defaults into the address, and asks the server for a run when one changes.
 */

import { el, setAttribute } from "../stage/dom.js";
import { createControl } from "./controls.js";
import { createValues } from "./values.js";

const fieldsMounted = new WeakMap();
/** Lets a button elsewhere on the page set controls: `detail` holds their values by name; others go to their defaults. */
const SET_EVENT = "tilewise:set";

function createFields(host, data, send) {
  let shown = new Map();
  let set = null;
  const values = createValues(data, () => shown, send);

  function draw(rows) {
    // What stays keeps its element, and so its focus.
    const kept = shown;
    shown = new Map();
    host.replaceChildren(...rows.map((row) => el("div", { class: `row ${row.class}` }, ...row.fields.map((field) => {
      const control = kept.get(field.name) ?? createControl(field, data.prefix, values.change);
      shown.set(field.name, control);
      return control.root;
    }))));
  }
  const onSet = (event) => values.change({ ...data.defaults, ...event.detail });
  window.addEventListener(SET_EVENT, onSet);
  return {
    update(next) {
      if (next.set !== set) {
        const focused = host.getRootNode().activeElement;
        ({ set } = next);
        draw(next.rows);
        values.settle();
        setAttribute(host, "data-set", set);
        if (focused?.isConnected) focused.focus();
      }
      for (const [name, control] of shown) control.refuse?.(next.refused[name] ?? "");
    },
    again: values.again,
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
