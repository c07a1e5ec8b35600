/** The way and the step of the one-row player in the page's address, kept by the browser alone. */

/** Writing waits this long, in milliseconds: browsers refuse hundreds of changes in a row. */
const ROW_PAUSE = 150;

/** What an address asks for: `{ method, step }`, each null where it says nothing usable. */
export function rowPlace(search, methods) {
  const asked = new URLSearchParams(search);
  const method = asked.get("row_method");
  const step = asked.get("row_step");
  return {
    method: methods.includes(method) ? method : null,
    step: step !== null && /^\d+$/.test(step) ? Number(step) : null,
  };
}

/** The same address with another place; every other parameter stays as it is. */
function addressOfPlace(href, method, step) {
  const url = new URL(href);
  url.searchParams.set("row_method", method);
  url.searchParams.set("row_step", String(step));
  return url.href;
}

/** Make a writer that puts the latest place into the address a moment after the last change. */
export function createRowAddress() {
  let timer = 0;
  return {
    write(method, step) {
      clearTimeout(timer);
      timer = setTimeout(() => history.replaceState(history.state, "", addressOfPlace(location.href, method, step)), ROW_PAUSE);
    },
    stop() {
      clearTimeout(timer);
    },
  };
}
