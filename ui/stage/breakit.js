/** A wrong algorithm beside the right one: their numbers for the chosen row, and how the error grows by key tile. */

import { createErrorChart, rangeText } from "./breakit_chart.js";
import { el, setAttribute, setText } from "./dom.js";
import { createButton } from "./elements.js";
import { format, toNumber } from "./numbers.js";
import { fill, nameTokens, showToken } from "./sentence.js";

/** More rows than this are counted and not named; `nameTokens` names each of so many. */
const MOST_NAMED = 4;

/** The largest tile that the page's menu offers, in keys. */
const WIDEST_TILE = 64;

const COMPARED = ["m", "alpha", "l", "acc", "o"];

/** Whether two numbers differ by more than a few roundings. NaN is like NaN. */
export function partsFrom(one, other) {
  const [left, right] = [toNumber(one), toNumber(other)];
  if (Object.is(left, right) || left === right) return false;
  if (!Number.isFinite(left) || !Number.isFinite(right)) return true;
  return Math.abs(left - right) > 1e-4 * Math.max(Math.abs(left), Math.abs(right));
}

/** The numbers of both sides for one row at a step: `{ right, wrong, differs }` by column, or null. */
function sidesAt(comparison, index, row) {
  const [right, wrong] = [comparison.right[index], comparison.wrong[index]];
  if (right === null || wrong === null) return null;
  const column = (name) => {
    const [one, other] = [comparison.states[right][name]?.[row], comparison.states[wrong][name]?.[row]];
    return { right: one, wrong: other, differs: partsFrom(one, other) };
  };
  return Object.fromEntries(COMPARED.map((name) => [name, column(name)]));
}

/** How the run ends: `same`, `some` or `wrong`, with the queries that are right by luck. */
export function luckOf(comparison, tokens) {
  const lucky = tokens.filter((_, query) => comparison.lucky[query]);
  return { outcome: lucky.length === tokens.length ? "same" : lucky.length ? "some" : "wrong", lucky };
}

/** The same run with all its keys in one tile, as the rest of an address; null when no menu offers such a tile. */
function oneTile({ problem }, query) {
  if (query === null || problem.tiles_k < 2 || problem.n_k > WIDEST_TILE) return null;
  return new URLSearchParams({ ...query, run_bk: String(WIDEST_TILE) }).toString();
}

function linksTo(title, examples, words) {
  const links = examples.map(({ label, address }) => el("a", { href: `?${address}`, target: "_self", text: label }));
  return el("p", { class: "examples" }, el("b", { text: `${title}: ` }),
    ...(links.length ? links.flatMap((link, place) => (place ? [" · ", link] : [link])) : [words.none]));
}

/** Make the zone, and the line that says which run the stage itself draws. `go` shows a step; `query` holds the settings of the run in its address, or is null. */
export function createBreakit(trace, comparison, context, go, query) {
  const { words, examples } = comparison;
  const tokens = trace.problem.tokens_q.map(showToken);
  const { outcome, lucky } = luckOf(comparison, tokens);
  const parts = comparison.parts_at;
  const there = createButton({ class: "parts", "data-testid": "parts-at", "data-step": parts,
    text: parts === null ? words.never_parts : fill(words.parts, { step: parts + 1 }) }, () => {
    // The row that shows it best is one that ends up wrong.
    const held = trace.steps[parts].rows;
    const row = comparison.errors.findIndex((_, query) => query >= held[0] && query < held[1] && !comparison.lucky[query]);
    go(parts);
    if (row >= 0) context.choose(row - held[0]);
  });
  there.disabled = parts === null;
  const named = lucky.length <= MOST_NAMED ? nameTokens(lucky) : fill(words.count, { count: lucky.length, total: tokens.length });
  const summary = fill(words[outcome], { rows: named });
  const text = el("div", { class: "why" },
    el("p", { class: "reason", "data-testid": "why", text: comparison.why }), there,
    el("p", { class: "luck", "data-testid": "luck", "data-outcome": outcome }, el("b", { text: summary }), ` ${fill(words.needs, { by_luck: comparison.by_luck })}`));
  // A file opened from disk has no page to go to.
  if (location.protocol.startsWith("http")) {
    const address = oneTile(trace, query);
    const here = address === null ? [] : [{ label: words.one_tile, address }];
    const [fits, unlucky] = comparison.one_tile_agrees ? [here, []] : [[], here];
    text.append(el("details", {}, el("summary", { text: words.inputs }), linksTo(words.lucky, [...fits, ...examples.lucky], words), linksTo(words.unlucky, [...unlucky, ...examples.unlucky], words)));
  }

  const caption = el("caption");
  const cells = {};
  const line = (side) => el("tr", { "data-side": side }, el("th", { scope: "row", text: side === "right" ? words.right : words.mistake }),
    ...COMPARED.map((name) => {
      cells[`${side}-${name}`] = el("td", { "data-testid": `${side}-${name}`, "data-column": name });
      return cells[`${side}-${name}`];
    }));
  const table = el("table", { class: "sides" }, caption,
    el("thead", {}, el("tr", {}, el("th", { scope: "col", text: words.row }), ...COMPARED.map((name) => el("th", { scope: "col", text: words[name] })))),
    el("tbody", {}, line("right"), line("wrong")));

  const { tiles_k: tilesK, block_q: blockQ, n_q: nQ } = trace.problem;
  const charts = Array.from({ length: Math.min(blockQ, nQ) }, (_, row) => createErrorChart(comparison, tilesK, () => context.choose(row)));
  const note = fill(words.chart_note, rangeText(comparison));
  const grid = el("div", { class: "errors", role: "group", "aria-label": words.chart }, ...charts.map(({ root }) => root));
  const root = el("section", { class: "zone breakit", "data-testid": "breakit", "data-mistake": comparison.mistake, "aria-label": fill(words.title, { name: comparison.name }) },
    el("header", {}, el("h2", { text: fill(words.title, { name: comparison.name }) })),
    el("div", { class: "break-grid" }, text,
      el("div", { class: "sides-box" }, table),
      el("div", { class: "growth" }, el("h3", { text: words.chart }), grid, el("p", { class: "note", text: note }))));

  return {
    root,
    drawn: el("p", { class: "which-run", "data-testid": "which-run", text: words.drawn }),
    update({ step, index, row }) {
      const sides = sidesAt(comparison, index, row);
      const tile = step.tile[0] ?? 0;
      const first = tile * blockQ;
      setText(caption, sides && step.rows ? fill(words.table, { query: tokens[step.rows[0] + row] }) : words.table_empty);
      for (const name of COMPARED) {
        for (const side of ["right", "wrong"]) {
          const cell = cells[`${side}-${name}`];
          const value = sides?.[name][side];
          const differs = side === "wrong" && Boolean(sides?.[name].differs);
          const shown = value === undefined ? "" : format(value);
          if (cell.dataset.shown !== `${differs}${shown}`) {
            cell.dataset.shown = `${differs}${shown}`;
            cell.replaceChildren(...(differs ? [el("i", { title: words.differs_text, text: words.differs }), " "] : []), shown);
          }
          setAttribute(cell, "data-differs", differs ? "" : null);
          setAttribute(cell, "data-value", value === undefined ? null : String(value));
        }
      }
      charts.forEach((chart, place) => {
        const query = first + place;
        chart.root.hidden = query >= nQ;
        if (query < nQ) chart.update(tokens[query], comparison.errors[query], index, step.rows !== null && place === row);
      });
    },
  };
}
