/** The question in the page's address, kept by the browser alone. */

/** The place in the bank that an address names, or 0. */
export function placeInAddress(search, bank) {
  const asked = new URLSearchParams(search).get("quiz_q");
  return Math.max(0, bank.findIndex(({ id }) => id === asked));
}

/** The same address with another question; every other parameter stays as it is. */
export function addressOfQuestion(href, id) {
  const url = new URL(href);
  url.searchParams.set("quiz_q", id);
  return url.href;
}
