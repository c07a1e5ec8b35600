/** Mounts the app's parts on a page without a server. A classic script, because a page from disk may not load modules. */

"use strict";

/** The settings of an address that say which run is meant, sorted: `site_builder.address.canonical` makes the same. */
function runName(search, defaults) {
  const asked = new URLSearchParams(search);
  return Object.keys(defaults)
    .filter((name) => asked.has(name) && asked.get(name) !== defaults[name])
    .sort()
    .map((name) => `${name}=${asked.get(name)}`)
    .join("&");
}

const tilewise = (() => {
  const parts = {};
  let took = null;

  /** Fill an element's shadow root as Streamlit does: styles, the host, then the part's own code. */
  function mount(element, name, data) {
    const { css, host, mount: run } = parts[name];
    const parentElement = element.attachShadow({ mode: "open" });
    const style = document.createElement("style");
    style.textContent = css;
    const inner = document.createElement("div");
    inner.className = host;
    parentElement.append(style, inner);
    run({ data, parentElement });
  }

  const held = (id) => JSON.parse(document.getElementById(id).textContent);

  /** Load one file of computed data. A page from disk may not fetch, but it may load a script. */
  function load(file) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = file;
      script.onload = () => resolve(took);
      script.onerror = () => reject(new Error(file));
      document.head.append(script);
    });
  }

  /** Mount the part whose data the address chooses, and offer the others in a menu. */
  async function mountChosen(element) {
    const { part, name, defaults, files, extra, unknown } = held(element.dataset.chosen);
    const menu = document.getElementById("runs");
    const read = name ? new URLSearchParams(location.search).get(name) ?? "" : runName(location.search, defaults);
    const asked = read === "" && name ? defaults[name] : read;
    const known = Object.hasOwn(files, asked);
    const chosen = known ? asked : name ? defaults[name] : "";
    if (!known) document.getElementById("unknown").textContent = unknown.replace("{asked}", asked.slice(0, 80));
    menu.value = chosen;
    menu.onchange = () => {
      location.search = name ? new URLSearchParams({ [name]: menu.value }).toString() : menu.value;
    };
    mount(element, part, { ...(await load(files[chosen])), ...extra });
  }

  /** A link to a step of the lesson's own stage shows it there, as in the app. */
  function driveStage(event) {
    const link = event.target.closest?.("a[href]");
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const url = new URL(link.href);
    const step = url.searchParams.get("step");
    if (!url.pathname.endsWith("/step_through.html") || [...url.searchParams].length !== 1 || !/^\d+$/.test(step)) return;
    const section = link.closest("section[data-section]")?.dataset.section ?? null;
    const asked = new CustomEvent("tilewise:show", { cancelable: true, detail: { step: Number(step), section } });
    if (!window.dispatchEvent(asked)) event.preventDefault();
  }

  return {
    part: (name, given) => (parts[name] = given),
    take: (data) => (took = data),
    start() {
      for (const element of document.querySelectorAll("[data-part]")) mount(element, element.dataset.part, held(element.dataset.from));
      for (const element of document.querySelectorAll("[data-chosen]")) mountChosen(element);
      document.addEventListener("click", driveStage);
    },
  };
})();
