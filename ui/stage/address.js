/** The step and other parameters in the page's address, kept by the browser alone. */

/** Writing waits this long, in milliseconds: browsers refuse hundreds of changes in a row. */
const PAUSE = 150;

/** The number that an address names, or null where none of this form stands there. */
export function numberInAddress(search, name, form) {
  const text = new URLSearchParams(search).get(name);
  return text !== null && form.test(text) ? Number(text) : null;
}

/** The step that an address names, or null. */
export function stepInAddress(search) {
  return numberInAddress(search, "step", /^\d+$/);
}

/** The same address with another value of one parameter; the usual value needs no mention. */
export function addressWithParameter(href, name, value, usual = null) {
  const url = new URL(href);
  if (value === usual) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  return url.href;
}

/**
 * Make a writer that puts the latest step into the address a moment after the last change.
 *
 * `complete` adds what else belongs to the frame.
 */
export function createAddress(complete = (href) => href) {
  let timer = 0;
  return {
    write(step) {
      clearTimeout(timer);
      timer = setTimeout(() => history.replaceState(history.state, "", complete(addressWithParameter(location.href, "step", step))), PAUSE);
    },
    stop() {
      clearTimeout(timer);
    },
  };
}
