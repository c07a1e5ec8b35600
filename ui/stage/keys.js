/** Keys of the player. They never fire while a field has the focus or a modifier is down. */

const FIELDS = new Set(["INPUT", "TEXTAREA", "SELECT"]);
const FIELD_ROLES = new Set(["combobox", "listbox", "option", "slider", "spinbutton", "textbox", "menu", "menuitem", "radio", "tab"]);
const PRESSED_BY_SPACE = new Set(["BUTTON", "A", "SUMMARY"]);

/** Whether a key pressed on this element belongs to it and not to the player. */
export function belongsTo(target, key) {
  if (!target?.tagName) return false;
  if (FIELDS.has(target.tagName) || target.isContentEditable) return true;
  if (FIELD_ROLES.has(target.getAttribute?.("role"))) return true;
  return (key === " " || key === "Enter") && PRESSED_BY_SPACE.has(target.tagName);
}

/** The action of a key, as the name of a function of `actions` with its argument; null for other keys. */
export function actionOf(key, last) {
  switch (key) {
    case " ": return ["toggle"];
    case "ArrowRight": case "PageDown": return ["by", 1];
    case "ArrowLeft": case "PageUp": return ["by", -1];
    case "Home": return ["go", 0];
    case "End": return ["go", last];
    case "r": case "R": return ["rescale"];
    case "p": case "P": return ["present"];
    default: return null;
  }
}

/** Whether an element is on show. To ask for its boxes would lay out the page in the middle of an input. */
const isDrawn = (node) => node.isConnected && (node.checkVisibility?.() ?? node.getClientRects().length > 0);

/** Listen on the document while `root` is on the page. Returns a function that stops listening. */
export function listen(root, last, actions) {
  const onKey = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (!isDrawn(root)) return;
    if (belongsTo(event.composedPath()[0], event.key)) return;
    const action = actionOf(event.key, last());
    if (action === null || !(action[0] in actions)) return;
    event.preventDefault();
    const [name, argument] = action;
    actions[name](argument);
  };
  // The page around the player runs its script again on R: a letter that the player takes must not travel on.
  const onLetter = (event) => {
    if (!/^[a-z]$/i.test(event.key)) return;
    onKey(event);
    if (event.defaultPrevented) event.stopImmediatePropagation();
  };
  document.addEventListener("keydown", onKey);
  window.addEventListener("keydown", onLetter, true);
  return () => {
    document.removeEventListener("keydown", onKey);
    window.removeEventListener("keydown", onLetter, true);
  };
}
