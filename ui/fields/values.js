/** The values of a page's controls: kept here, written into the address, and sent to the server when one changes. */

/** The address with the values that are no defaults. Other parameters stay as they are. */
function addressWith(href, prefix, values, defaults) {
  const url = new URL(href);
  for (const [name, usual] of Object.entries(defaults)) {
    if (values[name] === usual) url.searchParams.delete(prefix + name);
    else url.searchParams.set(prefix + name, values[name]);
  }
  return url.href;
}

/**
 * Keeps every value, also of controls that are not on screen. `controls` gives those that are, as pairs of a name and
 * `{ show(value) }`, and `send(values)` asks the server for a run.
 */
export function createValues({ prefix, values: first, defaults }, controls, send) {
  let values = { ...first };
  const kept = {
    /** Show the values in the controls and in the address. */
    settle() {
      const href = addressWith(location.href, prefix, values, defaults);
      if (href !== location.href) history.replaceState(history.state, "", href);
      for (const [name, control] of controls()) control.show(values[name]);
    },
    /** Take new values for some names. */
    change(next) {
      if (Object.entries(next).every(([name, value]) => values[name] === value)) return;
      values = { ...values, ...next };
      kept.settle();
      send(values);
    },
    /** Send them otherwise from now on. */
    again(next) { send = next; },
  };
  return kept;
}
