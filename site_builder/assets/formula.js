/** The score-storage formula with the reader's numbers. Whole numbers throughout, so no size is too large to be exact. */

"use strict";

const BINARY = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"];
const DECIMAL = ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"];

/** A whole number with a comma between thousands. */
function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Bytes in the largest unit in which they round to at least 1, with two digits after the point. */
function scaledBytes(bytes, base, units) {
  if (bytes < base) return `${grouped(bytes)} B`;
  let power = 0;
  let hundredths = 0n;
  do {
    power += 1;
    const unit = base ** BigInt(power);
    hundredths = (2n * bytes * 100n + unit) / (2n * unit);
  } while (hundredths >= base * 100n && power < units.length);
  const rest = String(hundredths % 100n).padStart(2, "0").replace(/0+$/, "");
  return `${grouped(hundredths / 100n)}${rest && `.${rest}`} ${units[power - 1]}`;
}

/** Bytes in every form. */
function formatBytes(bytes) {
  const exact = bytes === 1n ? "1 byte" : `${grouped(bytes)} bytes`;
  return bytes < 1000n ? exact : `${exact} (${scaledBytes(bytes, 1024n, BINARY)}, ${scaledBytes(bytes, 1000n, DECIMAL)})`;
}

/** The whole number that a reader typed, or null: digits, with commas or spaces between thousands. */
function wholeNumber(text) {
  const plain = text.trim().replace(/(?<=\d)[,\s](?=\d{3}(?:\D|$))/g, "");
  return /^\d{1,20}$/.test(plain) ? BigInt(plain) : null;
}

/** Draw the result below the fields, again at every change, and keep the numbers in the address. */
function startFormula() {
  const data = JSON.parse(document.getElementById("formula-data").textContent);
  const form = document.getElementById("formula");
  const says = document.getElementById("formula-says");
  const result = document.getElementById("formula-result");
  const wrong = document.getElementById("formula-wrong");
  const asked = new URLSearchParams(location.search);
  for (const field of form.elements) {
    const value = asked.get(`calc_${field.name}`);
    const allowed = field.tagName !== "SELECT" || [...field.options].some((option) => option.value === value);
    if (value !== null && allowed) field.value = value;
  }
  function show() {
    const numbers = {};
    for (const { name, label, most } of data.fields) {
      const typed = form.elements[name].value;
      const value = wholeNumber(typed);
      const refused = value === null || value < 1n || value > BigInt(most);
      form.elements[name].setAttribute("aria-invalid", String(refused));
      if (refused) {
        wrong.textContent = data.words.refused.replace("{name}", label).replace("{value}", typed.slice(0, 40)).replace("{most}", grouped(most));
        result.textContent = "";
        says.textContent = "";
        return;
      }
      numbers[name] = value;
    }
    const format = form.elements.format.value;
    const size = BigInt(data.bytes[format]);
    const one = numbers.n_q * numbers.n_k * size;
    wrong.textContent = "";
    result.textContent = `${grouped(numbers.n_q)} · ${grouped(numbers.n_k)} · ${size} = ${formatBytes(one)}`;
    says.textContent = data.words.all
      .replace("{copies}", grouped(numbers.heads * numbers.batch))
      .replace("{size}", formatBytes(one * numbers.heads * numbers.batch));
    const address = new URL(location.href);
    for (const [name, value] of [...Object.entries(numbers), ["format", format]]) address.searchParams.set(`calc_${name}`, String(value));
    history.replaceState(history.state, "", address);
  }
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
}
