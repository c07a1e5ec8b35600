/** The link to a frame: everything that made it, and only what differs from the default. Pure. */

import { addressWithParameter, numberInAddress } from "./address.js";

/**
 * The address of a frame.
 *
 * `share.path` and `share.query` name the page and the run; without them the page's own address is kept.
 * Step 0, and the row and the budget that the stage chooses by itself, are left out.
 */
export function frameLink(href, share, { step, row, usualRow, budget, usualBudget }) {
  const url = new URL(href);
  if (share?.path) {
    url.pathname = share.path;
    url.search = "";
    url.hash = "";
    for (const [name, value] of Object.entries(share.query ?? {})) url.searchParams.set(name, value);
  }
  for (const [name, value, usual] of [["step", step, 0], ["row", row, usualRow], ["budget", budget, usualBudget]]) {
    if (value === usual) url.searchParams.delete(name);
    else url.searchParams.set(name, String(value));
  }
  return url.href;
}

/** The page's own address with the row. */
export function keptAddress(href, { row, usualRow }) {
  return addressWithParameter(href, "row", row, usualRow);
}

/** The row inside its query tile that an address names, or null. */
export function rowInAddress(search) {
  return numberInAddress(search, "row", /^\d{1,4}$/);
}
