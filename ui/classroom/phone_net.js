/** The phone's three requests. None of them fails: status 0 says that nobody answered. */

const PATIENCE_MS = 8000;

export function createNet(base) {
  let tag = null;

  async function ask(path, options = {}) {
    try {
      const reply = await fetch(`${base}/${path}`, {
        cache: "no-store",
        credentials: "same-origin",
        signal: AbortSignal.timeout(PATIENCE_MS),
        ...options,
      });
      const isJson = (reply.headers.get("content-type") ?? "").includes("json");
      return { status: reply.status, tag: reply.headers.get("etag"), body: isJson ? await reply.json() : null };
    } catch {
      return { status: 0, tag: null, body: null };
    }
  }

  const post = (path, body) =>
    ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

  return {
    async join(code) {
      const reply = await post(`${code}/join`, {});
      if (reply.status === 200) tag = reply.tag;
      return reply;
    },
    async state(code) {
      const reply = await ask(`${code}/state`, tag ? { headers: { "If-None-Match": tag } } : {});
      if (reply.status === 200) tag = reply.tag;
      return reply;
    },
    vote: (code, vote) => post(`${code}/vote`, vote),
    /** Ask for everything with the next state. */
    forget() {
      tag = null;
    },
  };
}
