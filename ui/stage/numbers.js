/** Numbers as a reader sees them: significant digits, true minus signs, exact bytes. Pure. */

const MINUS = "\u2212";
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Turn what the trace holds (null is −∞, "inf" and "nan" are strings) into a JavaScript number. */
export function toNumber(value) {
  if (value === null || value === undefined) return -Infinity;
  if (value === "inf") return Infinity;
  if (value === "nan") return NaN;
  return value;
}

/**
 * The shortest way to write a number that is exact to `digits` digits: 0.125 and not 0.1250.
 *
 * A number that was sent as float32 is exact when its text gives the same float32.
 */
export function shortest(number, digits) {
  for (let fewer = 1; fewer < digits; fewer += 1) {
    const text = format(number, fewer);
    const read = parse(text);
    if (read === number || Math.fround(read) === number) return text;
  }
  return format(number, digits);
}

function superscript(exponent) {
  const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPTS[Number(digit)]).join("");
  return (exponent < 0 ? "⁻" : "") + digits;
}

/** Show a number to `digits` significant digits. An exact 0 or 1 is shown bare, because it is exact. */
export function format(value, digits = 3) {
  const number = toNumber(value);
  if (Number.isNaN(number)) return "NaN";
  const sign = number < 0 ? MINUS : "";
  const size = Math.abs(number);
  if (size === Infinity) return sign + "∞";
  if (size === 0 || size === 1) return sign + String(size);
  const [mantissa, power] = size.toExponential(digits - 1).split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 7) return `${sign}${mantissa} × 10${superscript(exponent)}`;
  if (exponent >= digits) return sign + String(Math.round(size));
  return sign + Number(`${mantissa}e${exponent}`).toFixed(Math.max(0, digits - 1 - exponent));
}

/** Show a number in at most `room` characters, with as many of three significant digits as fit. */
export function compact(value, room = 5) {
  for (let digits = 3; digits > 1; digits -= 1) {
    const text = format(value, digits);
    if (text.length <= room) return text;
  }
  const text = format(value, 1);
  return text.length <= room || Math.abs(toNumber(value)) >= 1 ? text : "≈ 0";
}

/** Read a shown number back, as a reader with a calculator would. */
export function parse(text) {
  const plain = text.replaceAll(MINUS, "-").replaceAll(",", "");
  if (plain === "NaN") return NaN;
  if (plain.endsWith("∞")) return plain.startsWith("-") ? -Infinity : Infinity;
  const scientific = /^(-?[\d.]+) × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)$/.exec(plain);
  if (!scientific) return Number(plain);
  const exponent = [...scientific[2]].map((sign) => (sign === "⁻" ? "-" : SUPERSCRIPTS.indexOf(sign))).join("");
  return Number(`${scientific[1]}e${exponent}`);
}

/**
 * Choose how many digits to show so that the shown operands give the shown result.
 *
 * Operands gain digits until recomputing with them rounds to the result that is printed; only if the trace's own
 * digits do not suffice does the result lose one.
 */
export function agree(operands, compute, result, { digits = 4, most = 6 } = {}) {
  const numbers = operands.map(toNumber);
  for (let shown = digits; shown >= 1; shown -= 1) {
    const target = format(result, shown);
    for (let depth = Math.min(3, most); depth <= most; depth += 1) {
      const texts = numbers.map((number) => shortest(number, depth));
      if (format(compute(...texts.map(parse)), shown) === target) return { operands: texts, result: target };
    }
  }
  return { operands: numbers.map((number) => format(number, most)), result: format(result, 1) };
}

/** Group thousands with commas. */
export function whole(count) {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** Exact bytes, with KiB or MiB beside them from 1024 upwards. */
export function bytes(count) {
  const exact = `${whole(count)} B`;
  if (count < 1024) return exact;
  const [unit, size] = count < 1024 ** 2 ? ["KiB", 1024] : count < 1024 ** 3 ? ["MiB", 1024 ** 2] : ["GiB", 1024 ** 3];
  const scaled = count / size;
  return `${exact} (${scaled >= 100 ? Math.round(scaled) : Number(scaled.toPrecision(3))} ${unit})`;
}

/** Sum the values of an object of byte counts. */
export function total(counts) {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The size above which only one value in fifty lies: where a tensor's colour is full. */
export function colourScale(values) {
  const sizes = values.map((value) => Math.abs(toNumber(value))).filter(Number.isFinite);
  if (sizes.length === 0) return 1;
  sizes.sort((left, right) => left - right);
  return sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * 0.98))] || 1;
}
