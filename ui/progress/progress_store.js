/**
 * What a learner has done, kept in the browser under one key and nowhere else.
 *
 * `{version: 1, sections: {id: time}, predictions: {id: {...}}, labs: {id: time}, quiz: {id: {...}}}`, times as ISO
 * texts. Nothing is held between calls: several players on a page, and several tabs, write to the same place.
 * Pure but for the storage it is given and one event, so that it runs in any module and in tests.
 */

/** Where it lies. The stage's own memory of answers is cleared with it, so that it asks again. */
const PROGRESS_KEY = "tilewise.progress.v1";
const ANSWERS_KEY = "tilewise.predict";

/** Told to the window after each change. Other tabs get the browser's own `storage` event. */
export const PROGRESS_EVENT = "tilewise:progress";

/** Which kinds there are, and whether an entry is a time or a record. */
const PROGRESS_KINDS = { sections: "time", predictions: "record", labs: "time", quiz: "record" };
const MOST_ENTRIES = 2000;
const LONGEST_FILE = 1_000_000;

/** Why a file cannot be restored: `problem` names the sentence, `place` and `value` what is wrong. */
export class ProgressError extends Error {
  constructor(problem, place = "", value = "") {
    super(`${problem} ${place} ${value}`.trim());
    Object.assign(this, { problem, place, value });
  }
}

/** The browser's own storage, or null where it may not be touched. */
function progressStorage() {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}

const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isTime = (value) => typeof value === "string" && value.length <= 40 && !Number.isNaN(Date.parse(value));
const isName = (id) => /^[\w.:,-]{1,120}$/.test(id) && id !== "__proto__";

/** What is wrong with one entry, or null. */
function faultOf(kind, id, value) {
  if (!isName(id)) return "name";
  if (PROGRESS_KINDS[kind] === "time") return isTime(value) ? null : "time";
  return isRecord(value) && JSON.stringify(value).length <= 2000 ? null : "record";
}

function emptyProgress() {
  return { version: 1, sections: {}, predictions: {}, labs: {}, quiz: {} };
}

/** The sound part of whatever was stored. */
function soundPart(stored) {
  const sound = emptyProgress();
  if (!isRecord(stored) || stored.version !== 1) return sound;
  for (const kind of Object.keys(PROGRESS_KINDS)) {
    if (!isRecord(stored[kind])) continue;
    for (const [id, value] of Object.entries(stored[kind])) if (faultOf(kind, id, value) === null) sound[kind][id] = value;
  }
  return sound;
}

/** Read a file's text, or throw a `ProgressError` that names what is wrong. */
function parseProgress(text) {
  if (text.length > LONGEST_FILE) throw new ProgressError("long", "", String(text.length));
  let given;
  try {
    given = JSON.parse(text);
  } catch {
    throw new ProgressError("json");
  }
  if (!isRecord(given)) throw new ProgressError("json");
  if (given.version !== 1) throw new ProgressError("version", "version", JSON.stringify(given.version) ?? "");
  for (const kind of Object.keys(given)) {
    if (kind !== "version" && !(kind in PROGRESS_KINDS)) throw new ProgressError("kind", kind.slice(0, 60));
  }
  for (const kind of Object.keys(PROGRESS_KINDS)) {
    if (!isRecord(given[kind] ?? {})) throw new ProgressError("kind", kind);
    for (const [id, value] of Object.entries(given[kind] ?? {})) {
      const fault = faultOf(kind, id, value);
      if (fault) throw new ProgressError(fault, `${kind}.${id.slice(0, 60)}`, (JSON.stringify(value) ?? "").slice(0, 60));
    }
  }
  return soundPart(given);
}

/** The later of two entries of a kind: both times are ISO texts, a record carries its own as `at`. */
function laterEntry(kind, one, other) {
  if (PROGRESS_KINDS[kind] === "time") return Date.parse(one) <= Date.parse(other) ? one : other;
  return Date.parse(other.at) > Date.parse(one.at) ? other : one;
}

/** Everything of both: of an entry in both, the first time of a section or lab and the latest record. */
function joinedProgress(mine, theirs) {
  const joined = emptyProgress();
  for (const kind of Object.keys(PROGRESS_KINDS)) {
    joined[kind] = { ...mine[kind] };
    for (const [id, value] of Object.entries(theirs[kind])) {
      joined[kind][id] = id in mine[kind] ? laterEntry(kind, mine[kind][id], value) : value;
    }
  }
  return joined;
}

/**
 * Open the learner's progress over a storage (or null: then it lasts as long as the page).
 *
 * `load()`, `record(kind, id, value)`, `forget(kind, id)`, `clear()`, `exportText()` and `restore(text)`.
 */
export function createProgress(storage = progressStorage(), now = () => new Date().toISOString()) {
  let unkept = null;

  function load() {
    if (unkept) return soundPart(unkept);
    try {
      return soundPart(JSON.parse(storage?.getItem(PROGRESS_KEY) ?? "null"));
    } catch {
      return emptyProgress();
    }
  }
  function keep(progress) {
    for (const kind of Object.keys(PROGRESS_KINDS)) {
      const ids = Object.keys(progress[kind]);
      for (const id of ids.slice(0, Math.max(0, ids.length - MOST_ENTRIES))) delete progress[kind][id];
    }
    unkept = null;
    try {
      if (!storage) throw new Error("nothing to keep it in");
      storage.setItem(PROGRESS_KEY, JSON.stringify(progress));
    } catch {
      unkept = progress;
    }
    tell();
  }
  function tell() {
    globalThis.dispatchEvent?.(new CustomEvent(PROGRESS_EVENT));
  }

  return {
    /** The progress, always whole: what is damaged is left out. */
    load,
    /** Note one thing done. A section or lab needs no value: it is done now. */
    record(kind, id, value = now()) {
      if (!(kind in PROGRESS_KINDS)) throw new ProgressError("kind", kind);
      const fault = faultOf(kind, id, value);
      if (fault) throw new ProgressError(fault, `${kind}.${id}`, JSON.stringify(value) ?? "");
      const progress = load();
      delete progress[kind][id];
      progress[kind][id] = value;
      keep(progress);
    },
    /** Take one entry back. */
    forget(kind, id) {
      const progress = load();
      if (!(id in (progress[kind] ?? {}))) return;
      delete progress[kind][id];
      keep(progress);
    },
    /** Forget everything, the stage's answers too. */
    clear() {
      unkept = null;
      try {
        storage?.removeItem(PROGRESS_KEY);
        storage?.removeItem(ANSWERS_KEY);
      } catch {
        // What may not be touched holds nothing of ours.
      }
      tell();
    },
    /** The progress as a file's text. */
    exportText: () => `${JSON.stringify(load(), null, 2)}\n`,
    /** Add a file's progress to what is here. Throws, and changes nothing, if the file is not sound. */
    restore(text) {
      const joined = joinedProgress(load(), parseProgress(text));
      keep(joined);
      return joined;
    },
  };
}
