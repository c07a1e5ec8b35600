/** The one-row player: mounts its zones on one row, and holds which way and which step are shown. */

import { createClock } from "../stage/clock.js";
import { createCode } from "../stage/code.js";
import { el, setAttribute, setText } from "../stage/dom.js";
import { listen } from "../stage/keys.js";
import { fill } from "../stage/sentence.js";
import { clampStep, nextRescale } from "../stage/timeline.js";
import { createTransport } from "../stage/transport.js";
import { createRowAddress, rowPlace } from "./row_address.js";
import { createCompare } from "./row_compare.js";
import { createElements } from "./row_elements.js";
import { createRowInput } from "./row_input.js";
import { createMerge } from "./row_merge.js";
import { rowSentence } from "./row_sentence.js";
import { createKept } from "./row_state.js";
import { createRowWords } from "./row_words.js";

/** What is mounted in each parent element. Streamlit calls again on the same element without cleaning up. */
const mounted = new WeakMap();

/** Sentences are spoken at most this often, in milliseconds. */
const SPEAK_AFTER = 400;

/** The frames of one way, as the transport and the timeline know steps: a pass is their outer tile. */
function stepsOf(frames) {
  return frames.map((frame) => ({
    kind: frame.rescales ? "rescale" : frame.kind,
    tile: [frame.pass, null],
    work: { rescaled: [frame.rescales] },
    code: frame.code,
  }));
}

/** One way of the three, with its own zones and its own place. */
function createWay(data, method, root, state, shown) {
  const { words } = data;
  const { frames, pseudocode } = data.methods[method];
  const steps = stepsOf(frames);
  const trace = { steps, pseudocode, problem: { order: "q_outer" } };
  const actions = {
    go(index) {
      way.pause();
      way.show(clampStep(index, steps));
    },
    by(offset) {
      actions.go(state.index + offset);
    },
    rescale() {
      actions.go(nextRescale(steps, state.index));
    },
    toggle() {
      if (state.playing) way.pause();
      else way.play();
    },
    speed(perSecond) {
      state.perSecond = perSecond;
    },
  };
  const { no_rescale, never_rescales, ...text } = words.transport;
  const transport = createTransport(trace,
    { ...words, transport: { ...text, no_rescale: method === "online" ? no_rescale : never_rescales } }, actions);
  const code = createCode(trace, words);
  const zones = [createElements(data, words), createKept(method, words), createRowWords(frames.length, words), code, transport];
  const way = {
    method,
    actions,
    zones,
    last: steps.length - 1,
    show(index) {
      state.index = index;
      const frame = frames[index];
      const subject = { data, method, frame, x: frame.index === null ? null : data.row[frame.index] };
      for (const [name, value] of [["method", method], ["step", index], ["steps", steps.length], ["kind", frame.kind], ["index", frame.index]]) {
        setAttribute(root, `data-${name}`, value);
      }
      for (const zone of zones) zone.update({ frame, index, subject, step: steps[index] });
      shown(method, index, rowSentence(subject, words));
    },
    ...createClock(state, steps.length - 1, (index) => way.show(index), () => false, (on) => transport.playing(on)),
  };
  state.perSecond = transport.initialSpeed;
  return way;
}

function create(host, data, start, moved) {
  const { words } = data;
  const methods = Object.keys(data.methods);
  const address = createRowAddress();
  const spoken = el("p", { class: "spoken", role: "status", "aria-live": "polite" });
  const buttons = methods.map((name) => el("button", { type: "button", "data-method": name },
    el("b", { text: words.methods[name] }), el("span", { text: fill(words.methods.loads, { loads: data.methods[name].loads }) })));
  const grid = el("div", { class: "row-grid" });
  const below = el("div", { class: "row-below" }, createCompare(data, words).root, createMerge(data, words).root);
  const root = el("div", { class: "stage one-row", "data-testid": "one-row", role: "region", "aria-label": words.zones.stage },
    spoken, el("div", { class: "ways", role: "group", "aria-label": words.methods.group }, ...buttons), grid, below);
  host.replaceChildren(root);
  const state = { index: 0, playing: false, perSecond: 1 };
  const places = Object.fromEntries(methods.map((name) => [name, 0]));
  let way = null;
  let quiet = true;
  let speaking = 0;

  function shown(method, index, sentence) {
    places[method] = index;
    if (quiet) return;
    clearTimeout(speaking);
    speaking = setTimeout(() => setText(spoken, sentence), SPEAK_AFTER);
    address.write(method, index);
  }
  function choose(method) {
    way?.pause();
    way = createWay(data, method, root, state, shown);
    grid.replaceChildren(...way.zones.map((zone) => zone.root));
    for (const button of buttons) setAttribute(button, "aria-pressed", String(button.dataset.method === method));
    way.show(Math.min(places[method], way.last));
  }
  for (const button of buttons) {
    button.onclick = () => choose(button.dataset.method);
    // A press leaves the focus where it is, so that the space bar goes on playing.
    button.onmousedown = (event) => event.preventDefault();
  }
  places[start.method] = clampStep(start.step, data.methods[start.method].frames);
  choose(start.method);
  quiet = false;
  if (moved) address.write(way.method, state.index);
  const delegate = Object.fromEntries(["go", "by", "rescale", "toggle"].map((name) => [name, (argument) => way.actions[name](argument)]));
  const stopKeys = listen(root, () => way.last, delegate);

  return {
    id: data.id,
    method: () => way.method,
    destroy() {
      way.pause();
      stopKeys();
      clearTimeout(speaking);
      address.stop();
      host.replaceChildren();
    },
  };
}

/** Streamlit's entry: called on mount, and again on the same element whenever the data changes. */
export default function mount({ data, parentElement, setStateValue }) {
  let held = mounted.get(parentElement);
  if (!held) {
    const host = parentElement.querySelector(".row-host");
    const place = el("div", {});
    // A lesson without a server has nobody to ask for another row.
    const input = data.entry ? createRowInput(data.entry, (typed) => setStateValue("typed", typed)) : null;
    host.replaceChildren(...(input ? [input.root] : []), place);
    mounted.set(parentElement, held = { input, place, player: null });
  }
  held.input?.show(data.entry);
  const before = held.player;
  if (before?.id !== data.id) {
    const asked = rowPlace(location.search, Object.keys(data.methods));
    const start = before ? { method: before.method(), step: 0 } : { method: asked.method ?? "online", step: asked.step ?? 0 };
    before?.destroy();
    held.player = create(held.place, data, start, before !== null);
  }
  return () => {
    mounted.get(parentElement)?.player.destroy();
    mounted.delete(parentElement);
  };
}
