/** Tiles that visibly move between the two memories. Decoration only: the frame is complete without it. */

/** How long a tile is on its way, in milliseconds; at higher speeds it has to be there before the next step. */
const DURATION = 420;

/** A step must be on show this long before its tiles set off, in milliseconds: who steps faster than that sees none fly. */
const SET_OFF = 60;

/** Which tiles a step moves, as `[name, tile, direction]`. */
export function flightsOf(step) {
  const [q, k] = step.tile;
  if (step.kind === "load_q") return [["q", q, "in"], ...(step.work.o === undefined ? [] : [["o", q, "in"], ["stats", q, "in"]])];
  if (step.kind === "load_kv") return [["k", k, "in"], ["v", k, "in"]];
  if (step.kind === "store" && q !== null) return [["o", q, "out"], ["stats", q, "out"]];
  return [];
}

/** Whether the reader asked for less motion. */
function prefersStillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Make the layer that tiles fly in. */
export function createFlights(stage, memory, chip, moves = flightsOf) {
  const layer = document.createElement("div");
  layer.className = "flights";
  layer.setAttribute("aria-hidden", "true");
  stage.append(layer);

  function fly([name, tile, direction], duration) {
    const outside = memory.tile(name, tile);
    const inside = name === "stats" ? chip.stats : chip.panel(name === "o" ? "acc" : name)?.querySelector(".matrix");
    // A panel that is not drawn just now has no place to fly to.
    if (!outside || !inside || inside.getClientRects().length === 0) return;
    const [from, to] = direction === "in" ? [outside, inside] : [inside, outside];
    const [start, end, home] = [from, to, stage].map((node) => node.getBoundingClientRect());
    const ghost = document.createElement("div");
    ghost.style.cssText = `left: ${start.left - home.left}px; top: ${start.top - home.top}px; width: ${start.width}px;
      height: ${start.height}px; background-color: var(--tw-${name === "stats" ? "m" : name.replace("_", "-")})`;
    ghost.dataset.tensor = name;
    ghost.dataset.direction = direction;
    layer.append(ghost);
    const move = `translate(${end.left - start.left}px, ${end.top - start.top}px) scale(${end.width / start.width}, ${end.height / start.height})`;
    const flight = ghost.animate(
      [{ transform: "none", opacity: 0.75 }, { transform: move, opacity: 0.15 }],
      { duration, easing: "cubic-bezier(.3,.1,.2,1)" },
    );
    flight.onfinish = flight.oncancel = () => ghost.remove();
  }

  let waiting = 0;
  function clear() {
    clearTimeout(waiting);
    layer.replaceChildren();
  }
  return {
    /** Fly a step's tiles, after its frame is painted, so that it never delays it. */
    launch(step, perSecond) {
      clear();
      const flights = prefersStillness() ? [] : moves(step);
      if (flights.length) waiting = setTimeout(() => flights.forEach((flight) => fly(flight, Math.min(DURATION, 800 / perSecond))), SET_OFF);
    },
    clear,
  };
}
