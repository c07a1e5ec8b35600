/**
 * One question as it may be shown to anybody: what is asked, and the means to answer. It never sees a key.
 * The quiz page and the phones of the live room draw it the same way.
 */

import { el, setAttribute, setText } from "../stage/dom.js";
import { answerFrom, givenBy, moved } from "./quiz_entry.js";

let views = 0;

/** Put `{slots}` into a text. */
export function fillWords(text, slots) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in slots ? String(slots[name]) : whole));
}

/** A line of code whose continuation hangs below its own beginning when it has to wrap. */
function codeLine(text) {
  const bare = text.trimStart();
  const line = el("code", { text: bare });
  line.style.paddingLeft = `${text.length - bare.length + 2}ch`;
  line.style.textIndent = "-2ch";
  return line;
}

/** A small table of numbers that belongs to a question. */
function tableOf({ caption, columns, rows }) {
  return el("table", {},
    el("caption", { text: caption }),
    el("thead", {}, el("tr", {}, ...columns.map((text) => el("th", { scope: "col", text })))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((text) => el("td", { text }))))));
}

/**
 * Make a view. `words` is the table `answer` of the player's words; `onchange()` is called when an answer changes.
 *
 * `show(question)` draws a public question, `read()` gives `{ answer }` or `{ missing }`, `untouched()` says whether an
 * order is as it was dealt, `set(answer)` puts an answer in, `lock(on)` stops or allows changes, `mark(marks, words)`
 * writes beside each option how it fared, and `focus()` goes to where the answer is given.
 */
export function createQuestionView(words, onchange = () => {}) {
  const name = `quiz-${++views}`;
  const prompt = el("legend", { class: "prompt" });
  const ask = el("p", { class: "ask", id: `${name}-ask` });
  const before = el("div", { class: "before" });
  const body = el("div", { class: "body" });
  const said = el("p", { class: "unseen", role: "status" });
  const fields = el("fieldset", { class: "question", "data-testid": "quiz-question", "aria-describedby": ask.id }, prompt, before, ask, body);
  const root = el("div", { class: "question-view" }, fields, said);
  let question = null;
  let order = [];
  let first = order;

  const inputs = () => [...body.querySelectorAll("input")];
  const given = () => {
    if (question.kind === "number") return inputs()[0].value;
    return question.kind === "order" ? order : inputs().filter((input) => input.checked).map((input) => input.value);
  };

  function choices(type) {
    body.setAttribute("class", question.kind === "line" ? "body lines" : "body");
    body.replaceChildren(...question.options.map(({ id, text }, place) => {
      const input = el("input", { type, name, value: id });
      input.onchange = onchange;
      const shown = question.kind === "line" ? codeLine(text) : el("span", { class: "words", text });
      const sign = el("i", { "aria-hidden": "true", text: question.kind === "line" ? String(place + 1) : id });
      return el("label", { class: "option", "data-option": id }, input, sign, shown, el("b", { class: "fared" }));
    }));
  }

  function number() {
    const input = el("input", {
      type: "text", inputmode: question.whole ? "numeric" : "decimal", autocomplete: "off", spellcheck: "false", maxlength: "40",
      "aria-label": question.unit ? `${words.number}, ${question.unit}` : words.number,
    });
    input.oninput = onchange;
    body.replaceChildren(
      el("div", { class: "entry" }, input, el("span", { class: "unit", text: question.unit })),
      el("p", { class: "note", text: question.counts }));
  }

  function sort(held) {
    const texts = Object.fromEntries(question.options.map(({ id, text }) => [id, text]));
    const list = el("ol", { class: "steps" }, ...order.map((id, place) => {
      const mover = (by, label, sign) => {
        const button = el("button", { type: "button", class: "move", "aria-label": fillWords(label, { text: texts[id] }), text: sign });
        button.disabled = place + by < 0 || place + by >= order.length;
        button.onclick = () => {
          order = moved(order, place, by);
          sort({ id, by });
          setText(said, fillWords(words.moved, { text: texts[id], place: place + by + 1, count: order.length }));
          onchange();
        };
        return button;
      };
      return el("li", { "data-option": id }, el("span", { class: "words", text: texts[id] }), el("b", { class: "fared" }),
        el("span", { class: "moves" }, mover(-1, words.up, "↑"), mover(1, words.down, "↓")));
    }));
    body.replaceChildren(list);
    if (!held) return;
    // The button that was pressed, in its new place; at an end the other one, since it cannot go on.
    const buttons = list.children[order.indexOf(held.id)].querySelectorAll("button");
    const same = buttons[held.by < 0 ? 0 : 1];
    (same.disabled ? buttons[held.by < 0 ? 1 : 0] : same).focus();
  }

  return {
    root,
    show(next) {
      question = next;
      fields.disabled = false;
      setAttribute(fields, "data-id", next.id);
      setAttribute(fields, "data-kind", next.kind);
      setText(prompt, next.prompt);
      setText(said, "");
      before.replaceChildren(...[next.code && el("p", { class: "code-name", text: next.code }), next.table && tableOf(next.table)].filter(Boolean));
      setText(ask, { several: words.choose_several, number: words.type, order: words.sort, line: words.pick_line }[next.kind] ?? words.choose);
      body.setAttribute("class", "body");
      setAttribute(body, "data-fared", null);
      if (next.kind === "number") number();
      else if (next.kind === "order") {
        order = first = next.options.map(({ id }) => id);
        sort();
      } else choices(next.kind === "several" ? "checkbox" : "radio");
    },
    read: () => answerFrom(question, given()),
    untouched: () => question.kind === "order" && order === first,
    set(answer) {
      const value = givenBy(question, answer);
      if (question.kind === "number") inputs()[0].value = value;
      else if (question.kind === "order") {
        order = [...value];
        sort();
      } else for (const input of inputs()) input.checked = value.includes(input.value);
    },
    lock(on) {
      fields.disabled = on;
    },
    mark(marks, texts) {
      for (const row of body.querySelectorAll("[data-option]")) {
        const fared = marks[row.dataset.option] ?? null;
        setAttribute(row, "data-fared", fared);
        setText(row.querySelector(".fared"), fared ? texts[fared] : "");
      }
      if (question.kind === "number") setAttribute(body, "data-fared", marks.number ?? null);
    },
    focus() {
      const where = body.querySelector("input:checked") ?? body.querySelector("input, button:not(:disabled)");
      where?.focus();
    },
  };
}
