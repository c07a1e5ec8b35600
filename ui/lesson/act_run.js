/** The button that has the server compute the lesson's example: the line, the progress, the numbers. */

import { filledWords } from "../progress/progress_marks.js";
import { el, setStyle, setText } from "../stage/dom.js";

const ASK_AGAIN_MS = 400;

/** Bytes in both families, as everywhere in the app: `1.45 MiB (1.53 MB)`. */
export function runBytes(bytes) {
  const short = (value) => (value >= 99.95 ? value.toFixed(1) : value.toFixed(2)).replace(/\.?0+$/, "");
  return `${short(bytes / 2 ** 20)} MiB (${short(bytes / 1e6)} MB)`;
}

/** A small number as it is printed elsewhere: `1.6 × 10⁻⁷`. */
function smallNumber(value) {
  const [digits, power] = value.toExponential(1).split("e");
  const raised = [...String(Number(power))].map((sign) => (sign === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(sign)])).join("");
  return value === 0 ? "0" : `${digits} × 10${raised}`;
}

/** What to say of a report on the way to the result, or null for the result itself. */
export function runSays(report, words, pairs) {
  if (report.stage === "waiting") return report.sharing > 1 ? filledWords(words.waiting_shared, { others: report.sharing - 1 }) : words.waiting;
  if (report.stage === "run") return filledWords(words.stage_run, { pairs });
  if (report.stage === "measure") return words.stage_measure;
  if (report.stage === "check") return filledWords(words.check, { percent: `${Math.floor(report.done * 100)} %` });
  if (report.stage === "failed") return filledWords(words.failed, report);
  return report.stage === "done" ? null : words[report.stage] ?? words.offline;
}

/** The lines of the result: `[name, text]`, in order. */
export function runLines(result, words) {
  const part = `${((result.peak_bytes / result.single_bytes) * 100).toFixed(1)} %`;
  return [
    [words.time, filledWords(words.time_says, { ms: Math.round(result.seconds * 1000).toLocaleString("en"), threads: result.threads })],
    [words.peak, filledWords(words.peak_says, { size: runBytes(result.peak_bytes), part })],
    [words.difference, smallNumber(result.difference)],
    [words.pairs, filledWords(words.pairs_says, { pairs: result.pairs.toLocaleString("en") })],
    [words.tiles, filledWords(words.tiles_says, result)],
  ];
}

/** Make it. `run` is `{ url, pairs, words }`. */
export function createSizeRun(run, progress, finish) {
  const { words } = run;
  const button = el("button", { type: "button", class: "commit", text: words.button, "data-testid": "run-size" });
  const says = el("p", { class: "says", role: "status", "aria-live": "polite", "data-testid": "run-says" });
  const bar = el("span", { class: "fill" });
  const track = el("div", { class: "track progress", hidden: "", "aria-hidden": "true" }, bar);
  const shown = el("div", { class: "result", "data-testid": "run-result" });
  let timer = 0;
  let gone = false;

  function stop(text) {
    setText(says, text);
    track.hidden = true;
    button.disabled = false;
    setText(button, words.again);
  }
  function draw(result) {
    const most = result.single_bytes;
    const bars = [["peak_bytes", words.peak, "k"], ["score_bytes", words.matrix_two, "s"], ["single_bytes", words.matrix_four, "s"]];
    shown.replaceChildren(
      el("div", { class: "bars" }, ...bars.map(([name, label, tensor]) => {
        const fill = el("span", { class: "fill" });
        setStyle(fill, "background", `var(--tw-${tensor})`);
        setStyle(fill, "width", `${Math.max((result[name] / most) * 100, 0.4)}%`);
        return el("div", { class: "bar" }, el("span", { class: "name", text: label }), el("span", { class: "track" }, fill), el("span", { class: "bytes", text: runBytes(result[name]) }));
      })),
      el("table", {}, el("caption", { text: words.table }), el("tbody", {}, ...runLines(result, words).map(([name, text]) =>
        el("tr", {}, el("th", { scope: "row", text: name }), el("td", { text }))))),
      result.sharing > 1 ? el("p", { class: "assumes", text: filledWords(words.shared, result) }) : "",
      el("p", { class: "assumes", text: words.caution }),
    );
    progress.record("labs", "lesson_size");
    finish();
    stop("");
  }
  async function ask(address, options) {
    try {
      return await (await fetch(address, options)).json();
    } catch {
      return { stage: "offline" };
    }
  }
  async function follow(ticket) {
    const report = await ask(`${run.url}/${ticket}`);
    if (gone) return;
    const text = runSays(report, words, run.pairs);
    if (text === null) return void draw(report);
    if (["failed", "unknown", "offline"].includes(report.stage)) return void stop(text);
    setText(says, text);
    setStyle(bar, "width", `${report.stage === "check" ? 10 + report.done * 90 : report.stage === "waiting" ? 0 : 6}%`);
    timer = setTimeout(() => follow(ticket), ASK_AGAIN_MS);
  }
  button.onclick = async () => {
    button.disabled = true;
    track.hidden = false;
    setStyle(bar, "width", "0");
    setText(says, words.start);
    const taken = await ask(run.url, { method: "POST" });
    if (gone) return;
    if (taken.ticket) follow(taken.ticket);
    else stop(runSays(taken, words, run.pairs));
  };
  return {
    root: el("div", { class: "size-run" }, button, says, track, shown),
    destroy() {
      gone = true;
      clearTimeout(timer);
    },
  };
}
