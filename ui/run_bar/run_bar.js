/**
 * The bar above a run: the page's heading, a line about what runs, and two menus. One has the fields that change the
 * run, the other the list of mistakes that break it. All their values stand in the address and go to the server.
 */

import { createControl, helpOf } from "../fields/controls.js";
import { createValues } from "../fields/values.js";
import { el } from "../stage/dom.js";
import { createMenu } from "./menu.js";
import { createMistakes } from "./mistakes.js";

const barsMounted = new WeakMap();

function createBar(host, data, send) {
  const { prefix, defaults, menus, mistake } = data;
  let set = null;
  let said = null;
  const controls = new Map();
  const onScreen = new Map();
  const values = createValues({ prefix, defaults, values: data.values }, () => onScreen, send);

  const about = el("p", { class: "about", "data-testid": "about-run" });
  const rows = el("div", { class: "fields-host" });
  const mistakes = createMistakes(mistake, prefix + mistake.name, (key) => values.change({ [mistake.name]: key }));
  const changing = createMenu(menus.change, rows);
  const breaking = createMenu(menus.break, mistakes.root);
  /** A control whose menu is marked while its value is not the usual one. */
  const marked = (menu, name, control) => ({
    root: control.root,
    show(value) {
      control.show(value);
      menu.mark(name, value !== defaults[name]);
    },
  });
  controls.set(mistake.name, marked(breaking, mistake.name, mistakes));

  function draw(nextRows) {
    onScreen.clear();
    onScreen.set(mistake.name, controls.get(mistake.name));
    rows.replaceChildren(...nextRows.map((row) => el("div", { class: `row ${row.class}` }, ...row.fields.map((field) => {
      // What stays keeps its element, and so its focus.
      if (!controls.has(field.name)) controls.set(field.name, marked(changing, field.name, createControl(field, prefix, values.change)));
      onScreen.set(field.name, controls.get(field.name));
      return controls.get(field.name).root;
    }))));
  }

  host.replaceChildren(el("div", { class: "bar" }, el("h1", { text: data.title }), about,
    el("div", { class: "menus" }, changing.button, changing.panel, breaking.button, breaking.panel)));
  return {
    update(next) {
      mistakes.allow(next.breakable);
      if (next.about !== said) about.replaceChildren(`${next.about} `, helpOf({ help: next.source }));
      said = next.about;
      if (next.set !== set) {
        ({ set } = next);
        const focused = document.activeElement;
        draw(next.rows);
        values.settle();
        if (focused?.isConnected) focused.focus();
      }
    },
    again: values.again,
    destroy() {
      changing.destroy();
      breaking.destroy();
      host.replaceChildren();
    },
  };
}

/** Streamlit's entry: called on mount, and again on the same element whenever the data changes. */
export default function mountRunBar({ data, parentElement, setStateValue }) {
  const send = (values) => setStateValue("values", values);
  let bar = barsMounted.get(parentElement);
  if (bar) bar.again(send);
  else barsMounted.set(parentElement, bar = createBar(parentElement.querySelector(".run-bar"), data, send));
  bar.update(data);
  return () => {
    barsMounted.get(parentElement)?.destroy();
    barsMounted.delete(parentElement);
  };
}
