/**
 * Keeps a lecturer's key in a cookie that no script can read, so that a reload of the page finds the room again;
 * or takes that cookie away. The server sets the cookie: it gets the key in a header, never in an address.
 */

const done = new WeakMap();

export default function keepKey({ data, parentElement }) {
  const { url, key } = data;
  const job = `${key ? "keep" : "drop"} ${url}`;
  if (done.get(parentElement) === job) return;
  done.set(parentElement, job);
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  fetch(url, { method: key ? "PUT" : "DELETE", headers, credentials: "same-origin" }).catch(() => {
    // Without it a reload asks for the key, which the lecturer has.
  });
}
