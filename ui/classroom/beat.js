/**
 * Asks again and again for what has changed in the room, while somebody can see it.
 *
 * Not Streamlit's `run_every`: its timer sends a press of a button that is on its way a second time, and what the
 * button does is done twice. A part's own state goes out with the press, as one message.
 */

const LOOK_MS = 50;
const SHOW_MS = 400;

export default function mountBeat({ data, parentElement, setStateValue }) {
  const host = parentElement.querySelector(".beat-host");
  if (data.show && host.dataset.shown !== data.show) {
    host.dataset.shown = data.show;
    // Below the fold, what has opened would not be seen; it is drawn a moment later.
    setTimeout(() => document.querySelector("[class*='st-key-room_list_']")?.scrollIntoView({ block: "center" }), SHOW_MS);
  }
  if (host.dataset.beats) return;
  host.dataset.beats = "0";
  let due = performance.now() + data.every;
  const looking = setInterval(() => {
    if (!host.isConnected) return void clearInterval(looking);
    const app = document.querySelector("[data-testid='stApp']");
    // What runs brings the newest anyway, and a press made meanwhile has to wait for no further run.
    if (document.hidden || performance.now() < due || app?.dataset.testScriptState !== "notRunning") return;
    due = performance.now() + data.every;
    host.dataset.beats = Number(host.dataset.beats) + 1;
    setStateValue("beat", Number(host.dataset.beats));
  }, LOOK_MS);
}
