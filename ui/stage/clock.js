/** Plays a run: shows one step after the other in time, until it ends or a question stands before the next. */

/**
 * Make it. `state` has `index`, `playing` and `perSecond`; `last` is the last index. `show(index)` shows a step,
 * `stops(index)` says whether to stop before one, `tell(playing)` is told of each change.
 */
export function createClock(state, last, show, stops, tell) {
  let tick = 0;
  function play() {
    state.playing = true;
    tell(true);
    if (state.index === last) show(0);
    let due = performance.now() + 1000 / state.perSecond;
    const beat = (now) => {
      if (!state.playing) return;
      if (now >= due) {
        due = Math.max(due + 1000 / state.perSecond, now);
        if (stops(state.index + 1)) return void pause();
        show(state.index + 1);
        if (state.index >= last) return void pause();
      }
      tick = requestAnimationFrame(beat);
    };
    tick = requestAnimationFrame(beat);
  }
  function pause() {
    if (!state.playing) return;
    state.playing = false;
    cancelAnimationFrame(tick);
    tell(false);
  }
  return { play, pause };
}
