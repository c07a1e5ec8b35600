/** What the lines of a formula are made of. Pure. A line is `{ label, symbols, numbers, result }`. */

import { agree, bytes, toNumber, total, whole } from "./numbers.js";
import { tensorLabel } from "./tensor_names.js";

/** Wrap a negative number in brackets, where a sign would otherwise follow an operator. */
export const wrap = (text) => (text.startsWith("\u2212") ? `(${text})` : text);

/** A line as it stands. */
export function line(label, symbols, numbers, result) {
  return { label, symbols, numbers, result };
}

/** A line whose operands have as many digits as a calculator needs for the result. */
export function computed(label, symbols, operands, compute, result, write, most) {
  const shown = agree(operands, compute, result, { most });
  return line(label, symbols, write(...shown.operands), shown.result);
}

/** Bytes by tensor, and their sum. */
export function bytesLine(label, moved) {
  const parts = Object.entries(moved).map(([tensor, count]) => [tensor, whole(count)]);
  return line(
    label,
    parts.map(([tensor]) => tensorLabel(tensor)).join(" + "),
    parts.map(([, count]) => count).join(" + "),
    bytes(total(moved)),
  );
}

/** The sum of products of two rows. */
export function dot(left, right) {
  return left.reduce((sum, value, index) => sum + toNumber(value) * toNumber(right[index]), 0);
}

/** How large a block of scores is, in pairs or in bytes. */
export function blockLine(label, step, each, result) {
  const [height, width] = [step.rows[1] - step.rows[0], step.cols[1] - step.cols[0]];
  const last = each === null ? "" : ` × ${each}`;
  const letters = each === null ? "rows × keys" : "rows × keys × bytes";
  return line(label, letters, `${height} × ${width}${last}`, result);
}
