/** The stage: mounts the zones on one trace, and holds which step and which row are shown. */

import { createAddress, stepInAddress } from "./address.js";
import { backwardFlights } from "./backward_flight.js";
import { backwardScales } from "./backward_history.js";
import { createBackwardMemory } from "./backward_memory.js";
import { createBreakit } from "./breakit.js";
import { budgetInAddress } from "./budget.js";
import { createChip } from "./chip.js";
import { createClock } from "./clock.js";
import { createCode } from "./code.js";
import { el, setAttribute, setText } from "./dom.js";
import { createFlights, flightsOf } from "./flight.js";
import { readColours } from "./heat.js";
import { colourScales, finalStore, peakResident, storesOfO } from "./history.js";
import { listen } from "./keys.js";
import { createLedger } from "./ledger.js";
import { createMemory } from "./memory.js";
import { createPredict } from "./predict.js";
import { createPresenter, presentInAddress } from "./presenter.js";
import { isBackward, sentenceOf, topic } from "./sentence.js";
import { rowInAddress } from "./share-link.js";
import { createShare } from "./share.js";
import { clampStep, nextRescale, samePlace, shrinkingRows } from "./timeline.js";
import { createTip } from "./tip.js";
import { createTransport } from "./transport.js";
import { unpack } from "./unpack.js";
import { createWords } from "./words.js";

/** What is mounted in each parent element. Streamlit calls again on the same element without cleaning up. */
const mounted = new WeakMap();

/** Sentences are spoken at most this often, in milliseconds, so that playing fast does not flood the listener. */
const SPEAK_AFTER = 400;

/** The row to start at: the first for which something shrinks, else the first. */
function usualRowOf(steps) {
  const first = steps.find((step) => shrinkingRows(step).length > 0);
  return first ? shrinkingRows(first)[0] : 0;
}

/** What the zones are told of a step, with a row of its query tile chosen. */
function frameAt(trace, stores, index, chosen) {
  const step = trace.steps[index];
  const held = step.rows ? step.rows[1] - step.rows[0] : 1;
  const row = Math.min(chosen, held - 1);
  const isFinal = step.tile[0] !== null && index >= finalStore(stores[step.tile[0]]);
  return { trace, step, index, row, subject: topic(trace, step, row, isFinal) };
}

/** What keys and buttons do. `parts` gives the predictions and the presenter, which are made later. */
function createActions(state, steps, show, { play, pause }, parts) {
  const actions = {
    go(index) {
      pause();
      show(clampStep(index, steps));
    },
    present() {
      parts().presenter.enter();
    },
    by(offset) {
      if (offset === 1 && parts().presenter.reveals()) return;
      if (offset === 1 && parts().predict.stops(state.index + 1)) return void pause();
      actions.go(state.index + offset);
    },
    rescale() {
      const target = nextRescale(steps, state.index);
      const shrinking = shrinkingRows(steps[target]);
      if (shrinking.length && !shrinking.includes(state.row)) state.row = shrinking[0];
      actions.go(target);
    },
    toggle() {
      if (state.playing) pause();
      else play();
    },
    speed(perSecond) {
      state.perSecond = perSecond;
    },
  };
  return actions;
}

/** Make the questions, with their button and card in the player. */
function addPredict(trace, data, player, hooks) {
  const predict = createPredict(trace, data.words.predict, data.ask ?? false, hooks);
  player.querySelector(".place").before(predict.toggle);
  player.append(predict.passed, predict.card);
  return predict;
}

/** Make the view of a wrong run beside the right one. */
function addBreakit(trace, data, root, context, go) {
  const breakit = createBreakit(trace, data.comparison, context, go, data.share?.query ?? null);
  root.querySelector(".stage-grid").prepend(breakit.root);
  root.querySelector(".step-name").before(breakit.drawn);
  return breakit;
}

/** Make presenter mode, with its buttons before another of the player's. */
function addPresenter(words, next, hooks) {
  const presenter = createPresenter(words, hooks);
  const { root } = hooks;
  next.before(presenter.bar, presenter.toggle);
  root.querySelector(".sentence").after(presenter.room.question, presenter.room.waiting);
  root.querySelector(".stage-grid").append(presenter.room.note);
  root.append(presenter.blank);
  return presenter;
}

/** Make a stage. `moved` says that another run stood in its place before. */
function create(host, data, start, moved) {
  const { words } = data;
  const trace = unpack(data);
  const { steps } = trace;
  const stores = storesOfO(trace);
  const spoken = el("p", { class: "spoken", role: "status", "aria-live": "polite" });
  const sentinel = el("span", { class: "theme-sentinel", "aria-hidden": "true" });
  const root = el("div", { class: "stage", "data-testid": "stage", role: "region", "aria-label": words.zones.stage });
  host.replaceChildren(root);
  root.append(spoken, sentinel);

  let colours = readColours(root);
  let theme = String(colours.q);
  const usualRow = usualRowOf(steps);
  const state = { index: start, row: usualRow, playing: false, perSecond: 1 };
  if (data.address && !moved) state.row = rowInAddress(location.search) ?? usualRow;

  const clock = createClock(state, steps.length - 1, show,
    (index) => predict.stops(index, true), (on) => transport.playing(on));
  const actions = createActions(state, steps, show, clock, () => ({ predict, presenter }));
  const context = {
    tip: createTip(root, spoken),
    colours: () => colours,
    theme: () => theme,
    scales: isBackward(trace) ? backwardScales(trace) : colourScales(trace),
    budget: (data.address ? budgetInAddress(location.search) : null) ?? data.budget,
    usualBudget: data.budget,
    keepsAddress: data.address,
    redraw: () => show(state.index, { quiet: true }),
    peak: peakResident(trace),
    real: data.real ?? null,
    choose(row, focus = false, tile = null) {
      const held = steps[state.index].rows;
      if (!held || (tile !== null && tile !== steps[state.index].tile[0])) return;
      state.row = Math.min(Math.max(row, 0), held[1] - held[0] - 1);
      show(state.index);
      if (focus) chip.focusRow(state.row);
    },
  };
  const memory = (isBackward(trace) ? createBackwardMemory : createMemory)(trace, words, context);
  const chip = createChip(trace, words, context);
  const transport = createTransport(trace, words, actions);
  const zones = [memory, chip, createCode(trace, words), createWords(trace, words), createLedger(trace, words, context), transport];
  root.prepend(transport.skip);
  root.append(el("div", { class: "stage-grid" }, ...zones.map((zone) => zone.root)));
  const shelf = createShare(trace, words, context, data.share ?? null, usualRow);
  zones.push(shelf);
  root.append(shelf.root);
  const flights = createFlights(root, memory, chip, isBackward(trace) ? backwardFlights : flightsOf);
  const address = createAddress(shelf.address);
  state.perSecond = transport.initialSpeed;
  const predict = addPredict(trace, data, transport.root, {
    root, go: actions.go, resume: clock.play, choose: context.choose, say: speak,
    giveFocus: () => transport.root.querySelector(".next").focus(),
  });
  zones.push(predict);
  if (data.comparison) zones.push(addBreakit(trace, data, root, context, actions.go));
  const presenter = addPresenter(words.presenter, predict.toggle, {
    root, by: actions.by, keepsAddress: data.address, playing: () => state.playing, say: (subject) => speak(spokenOf(subject)),
  });
  zones.push(presenter);

  let speaking = 0;
  function speak(text) {
    clearTimeout(speaking);
    speaking = setTimeout(() => setText(spoken, text), SPEAK_AFTER);
  }

  const spokenOf = (subject) => presenter.spoken(subject) ?? sentenceOf(subject, words);

  function show(index, { quiet = false } = {}) {
    const forward = index === state.index + 1;
    state.index = index;
    const frame = frameAt(trace, stores, index, state.row);
    const { step, subject } = frame;
    setAttribute(root, "data-step", index);
    setAttribute(root, "data-steps", steps.length);
    setAttribute(root, "data-kind", step.kind);
    setAttribute(root, "data-tile", step.tile.includes(null) ? "" : step.tile.join(","));
    for (const zone of zones) zone.update(frame);
    if (forward && !quiet && state.perSecond < 10) flights.launch(step, state.perSecond);
    else flights.clear();
    if (!quiet) {
      speak(spokenOf(subject));
      if (data.address) address.write(index);
    }
  }

  // The sentinel's colour follows the theme through a very short transition, so its end tells of a change.
  sentinel.ontransitionend = () => {
    colours = readColours(root);
    theme = String(colours.q);
    show(state.index, { quiet: true });
  };
  const stopKeys = listen(root, () => steps.length - 1, actions);
  show(start, { quiet: true });
  if (data.address && presentInAddress(location.search)) presenter.open();
  // Another run stands at another step: the address must name it, or a link would open the old one.
  if (data.address && moved) address.write(start);

  return {
    id: data.id,
    retell: shelf.retell,
    place: () => ({ step: steps[state.index], index: state.index, length: steps.length }),
    destroy() {
      clock.pause();
      stopKeys();
      predict.destroy();
      presenter.destroy();
      chip.destroy();
      clearTimeout(speaking);
      flights.clear();
      address.stop();
      memory.destroy();
      host.replaceChildren();
    },
  };
}

/** Streamlit's entry: called on mount, and again on the same element whenever the data changes. */
export default function mount({ data, parentElement }) {
  const before = mounted.get(parentElement);
  if (before?.id !== data.id) {
    const { steps } = data.trace;
    let start = clampStep((data.address ? stepInAddress(location.search) : null) ?? data.step, steps);
    if (before) {
      const { step, index, length } = before.place();
      start = samePlace(step, index, length, steps);
      before.destroy();
    }
    const stage = create(parentElement.querySelector(".stage-host"), data, start, before !== undefined);
    mounted.set(parentElement, stage);
  } else before.retell(data.share ?? null);
  return () => {
    mounted.get(parentElement)?.destroy();
    mounted.delete(parentElement);
  };
}
