/** Fill the screen with one element: full screen where the browser allows it, else the top layer of the page. */

/**
 * Make it. `left()` is called when the browser ends full screen by itself, as Escape does.
 */
export function createScreen(root, left) {
  let inFull = false;

  function raise() {
    if (typeof root.showPopover !== "function" || root.popover === "manual") return;
    root.popover = "manual";
    root.showPopover();
  }
  function lower() {
    if (root.popover !== "manual") return;
    root.hidePopover();
    root.removeAttribute("popover");
  }
  const isFull = () => root.getRootNode().fullscreenElement === root;
  root.addEventListener("fullscreenchange", () => {
    if (isFull()) inFull = true;
    else if (inFull) {
      inFull = false;
      left();
    }
  });

  /** An open popover may not go full screen, so it is lowered first; a refusal raises it again. */
  async function fill() {
    if (!document.fullscreenEnabled) return raise();
    lower();
    try {
      await root.requestFullscreen();
    } catch {
      if (root.hasAttribute("data-presenter")) raise();
    }
  }

  return {
    /** Browsers allow full screen only by a hand on a key or button. */
    enter(byHand) {
      if (byHand) fill();
      else raise();
    },
    full() {
      if (isFull()) {
        inFull = false;
        document.exitFullscreen().then(raise);
      } else fill();
    },
    leave() {
      if (isFull()) {
        inFull = false;
        document.exitFullscreen();
      }
      lower();
    },
  };
}
