/**
 * A question with its right and wrong answers, worked out from the run. Pure.
 *
 * A question is `{ kind, index, row, slots, choices }` or `{ kind, index, row, slots, answer, tolerance, whole, wrongs }`.
 * A choice is `{ id, right }`, a wrong number `{ id, value }`; the words have a text for every `id`.
 */

import { bytes, format, toNumber, total, whole } from "./numbers.js";
import { tellingWrongs } from "./predict_answer.js";
import { bytesWritten, WRONG_ALPHAS, WRONG_BYTES } from "./predict_wrong.js";
import { bestKey, nameTokens, topic } from "./sentence.js";

/** An estimate of alpha within this counts. */
const ALPHA_TOLERANCE = 0.02;

const NAMES_ON_CHIP = { stats: "m, l" };
const nameOnChip = (name) => NAMES_ON_CHIP[name] ?? name;
const joinNames = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} + ${names.at(-1)}` : names[0] ?? "");

function numberQuestion(facts, answerOf, wrongsOf, tolerance) {
  const answer = answerOf(facts);
  const wrongs = Object.entries(wrongsOf).map(([id, formula]) => ({ id, value: formula(facts) }));
  return { answer, tolerance, wrongs: tellingWrongs(answer, tolerance, wrongs) };
}

function askRise(trace, step, row, { keys }) {
  const { s, m_old: mOld, row_max: rowMax, rises } = step.work;
  const [old, here] = [toNumber(mOld[row]), toNumber(rowMax[row])];
  const last = toNumber(s[row].findLast((score) => score !== null));
  const sum = old + here;
  const right = rises[row] ? "rises" : "stays";
  const choices = [{ id: "stays", right: right === "stays" }, { id: rises[row] ? "rises" : "tile_max", right: right === "rises" }];
  const taken = [old, here];
  if (!taken.includes(last) && format(last) !== format(old) && format(last) !== format(here)) choices.push({ id: "last_score", right: false });
  else if (!taken.includes(sum)) choices.push({ id: "sum", right: false });
  return {
    choices,
    slots: { m_old: format(old), row_max: format(here), last: format(last), sum: format(sum), best_key: keys[bestKey(s[row])],
      last_key: keys[s[row].findLastIndex((score) => score !== null)] },
  };
}

function askAlpha(trace, step, row) {
  const mOld = toNumber(step.work.m_old[row]);
  const mNew = toNumber(step.work.m_new[row]);
  return {
    ...numberQuestion({ mOld, mNew }, () => toNumber(step.work.alpha[row]), WRONG_ALPHAS, ALPHA_TOLERANCE),
    whole: false,
    slots: { m_old: format(mOld), m_new: format(mNew), alpha: format(step.work.alpha[row]), tolerance: String(ALPHA_TOLERANCE) },
  };
}

function askLeaves(trace, step, row, subject, before) {
  const tiles = ["k", "v"].filter((name) => before.resident[name]);
  const block = ["s", "p"].filter((name) => before.resident[name]);
  const gone = Object.keys(before.resident).filter((name) => !step.resident[name]);
  const tilesGo = tiles.some((name) => gone.includes(name));
  const carried = ["acc", "stats"].filter((name) => step.resident[name]);
  const freed = gone.reduce((sum, name) => sum + before.resident[name], 0);
  const standard = step.standard_write_total;
  return {
    choices: [
      { id: tilesGo ? "block_and_tiles" : "tiles_too", right: tilesGo },
      { id: tilesGo ? "block_only" : "block_alone", right: !tilesGo },
      { id: "block_written", right: false },
      { id: "carried", right: false },
    ],
    slots: {
      block: joinNames(block), tiles: joinNames(tiles), carried: joinNames(carried.map(nameOnChip)), freed: bytes(freed),
      block_bytes: bytes(step.work.block_bytes), written: bytes(total(step.hbm_write)),
      standard_scores: bytes((standard.s ?? 0) + (standard.p ?? 0)),
      visits: String([...trace.problem.visits.join("")].filter((visit) => visit === "v").length),
      tiles_q: String(trace.problem.tiles_q), tiles_k: String(trace.problem.tiles_k),
    },
  };
}

/** The facts that the bytes written so far follow from. */
function bytesFacts(trace, step) {
  const { hbm_write: written, hbm_write_total: writtenTotal, hbm_read_total: readTotal } = step;
  const standard = step.standard_write_total;
  const rows = step.rows[1] - step.rows[0];
  const statBytes = (written.lse ?? written.m) / rows;
  const elements = (counts) => Object.entries(counts).reduce((sum, [tensor, count]) =>
    sum + count / (tensor === "o" ? trace.problem.bytes_per_element : statBytes), 0);
  return {
    rows, statBytes, written: total(written), writtenTotal: total(writtenTotal), readTotal: total(readTotal),
    output: written.o, outputTotal: writtenTotal.o, elementsTotal: elements(writtenTotal),
    scoresTotal: (standard.s ?? 0) + (standard.p ?? 0), standardWritten: total(standard),
  };
}

function askBytes(trace, step) {
  const facts = bytesFacts(trace, step);
  const stats = Object.keys(step.hbm_write).filter((tensor) => tensor !== "o");
  const stores = trace.steps.slice(0, trace.steps.indexOf(step)).filter(({ kind }) => kind === "store").length;
  return {
    ...numberQuestion(facts, bytesWritten, WRONG_BYTES, 0),
    whole: true,
    slots: {
      rows: facts.rows, d_v: trace.problem.d_v, each: trace.problem.bytes_per_element, stat_each: facts.statBytes, stats: joinNames(stats),
      stores, before: bytes(facts.writtenTotal - facts.written), now: bytes(facts.written), total: bytes(facts.writtenTotal),
      sum: `${whole(facts.writtenTotal - facts.written)} + ${whole(facts.written)}`, scores: bytes(facts.scoresTotal),
      read: bytes(facts.readTotal), standard: bytes(facts.standardWritten),
    },
  };
}

function askFinal(trace, step) {
  const tile = step.tile[0];
  const { visits, order } = trace.problem;
  const all = [...visits[tile]].filter((visit) => visit === "v").length;
  // With queries outside, the division waits until every key tile is in.
  const done = order === "q_outer" ? all : [...visits[tile].slice(0, step.tile[1] + 1)].filter((visit) => visit === "v").length;
  return {
    choices: [
      { id: "final", right: done === all },
      { id: done === all ? "more_keys" : "more_to_come", right: done < all },
      { id: "not_divided", right: false },
    ],
    slots: { visited: done, visits: all, left: all - done, skipped: visits[tile].length - all },
  };
}

const QUESTIONS = { rise: askRise, alpha: askAlpha, leaves: askLeaves, bytes: askBytes, final: askFinal };

/** Work out a planned question. */
export function makeQuestion(trace, { kind, index, row }) {
  const step = trace.steps[index];
  const subject = topic(trace, step, row);
  const made = QUESTIONS[kind](trace, step, row, subject, trace.steps[index - 1]);
  const slots = {
    query: subject.queries[row] ?? "",
    queries: nameTokens(subject.queries),
    q_tile: step.tile[0] === null ? "" : step.tile[0] + 1,
    k_tile: step.tile[1] === null ? "" : step.tile[1] + 1,
    ...made.slots,
  };
  return { kind, index, row, ...made, slots };
}
