/** Reads what a learner typed, and says whether it is right or which named mistake it is. Pure. */

/** Turn a typed number into a number, or null. A comma is a decimal point, or parts thousands of a whole number. */
export function readEntry(text, whole = false) {
  const plain = text.trim().replaceAll("\u2212", "-").replace(/[\s_']/g, "");
  if (whole && /^\d{1,3}([.,]\d{3})+$/.test(plain)) return Number(plain.replace(/[.,]/g, ""));
  if (!/^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i.test(plain)) return null;
  const number = Number(plain.replace(",", "."));
  return Number.isFinite(number) ? number : null;
}

/** The wrong answers that can be told from the right one: those further from it than the tolerance, each value once. */
export function tellingWrongs(answer, tolerance, wrongs) {
  const kept = [];
  for (const wrong of wrongs) {
    const near = (other) => Math.abs(wrong.value - other) <= Math.max(tolerance, 1e-9);
    if (!Number.isFinite(wrong.value) || near(answer) || kept.some(({ value }) => value === wrong.value)) continue;
    kept.push(wrong);
  }
  return kept;
}

/**
 * Grade a number: `{ right, reason, value }`. `reason` is the name of a wrong formula, `too_large`, `too_small`, or
 * `right`. A wrong formula is recognised within the tolerance, or within the digits that a reader would type.
 */
export function gradeNumber({ answer, tolerance, wrongs }, typed) {
  if (Math.abs(typed - answer) <= tolerance) return { right: true, reason: "right", value: answer };
  let nearest = null;
  for (const wrong of wrongs) {
    const distance = Math.abs(typed - wrong.value);
    const room = Math.max(tolerance / 2, tolerance > 0 ? 0.01 * Math.abs(wrong.value) : 0);
    if (distance <= room && (nearest === null || distance < nearest.distance)) nearest = { ...wrong, distance };
  }
  if (nearest) return { right: false, reason: nearest.id, value: nearest.value };
  return { right: false, reason: typed > answer ? "too_large" : "too_small", value: typed };
}

/** Grade a choice: the same shape. */
export function gradeChoice({ choices }, id) {
  const choice = choices.find((each) => each.id === id);
  return { right: choice.right, reason: choice.id, value: null };
}

/** A small steady number from a text (FNV-1a), so that the same run is the same run tomorrow. */
export function hashOf(text) {
  let hash = 0x811c9dc5;
  for (const sign of text) hash = Math.imul(hash ^ sign.codePointAt(0), 0x01000193) >>> 0;
  return hash;
}

/** The same options in an order that depends on the place alone, so that the right one is not always first. */
export function shuffled(list, seed) {
  const order = list.map((item, place) => ({ item, key: hashOf(`${seed}:${place}`) }));
  return order.sort((left, right) => left.key - right.key).map(({ item }) => item);
}
