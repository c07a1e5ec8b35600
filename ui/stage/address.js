/** The step in the page's address, kept by the browser alone. */

/** Writing waits this long, in milliseconds: browsers refuse hundreds of changes in a row. */
const PAUSE = 150;

/** The step that an address names, or null. */
export function stepInAddress(search) {
  const text = new URLSearchParams(search).get("step");
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

/** The same address with another step; every other parameter stays as it is. */
export function addressWithStep(href, step) {
  const url = new URL(href);
  url.searchParams.set("step", String(step));
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
      timer = setTimeout(() => history.replaceState(history.state, "", complete(addressWithStep(location.href, step))), PAUSE);
    },
    stop() {
      clearTimeout(timer);
    },
  };
}
