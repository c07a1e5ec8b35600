/**
 * Named wrong formulas: what a learner gets who makes one usual mistake with this run's own numbers. Pure.
 *
 * Each takes the facts of a question and gives a number. Its name is the key of the reason in the words.
 */

/** The right alpha. */
export function alphaOf({ mOld, mNew }) {
  return Math.exp(mOld - mNew);
}

/** Wrong ways to alpha = e^(m_old − m_new). */
export const WRONG_ALPHAS = {
  /** Subtracts the other way round. */
  upside_down: ({ mOld, mNew }) => Math.exp(mNew - mOld),
  /** Stops at the difference. */
  difference: ({ mOld, mNew }) => mOld - mNew,
  /** Stops at the difference, taken the other way round. */
  gap: ({ mOld, mNew }) => mNew - mOld,
  /** Divides the maxima where their exponentials are divided. */
  ratio: ({ mOld, mNew }) => mOld / mNew,
  /** Forgets the maximum that the sums were measured against. */
  forgets_old: ({ mNew }) => Math.exp(-mNew),
  /** Raises 2 instead of e. */
  base_two: ({ mOld, mNew }) => 2 ** (mOld - mNew),
  /** Gives the part that is taken away. */
  part_lost: ({ mOld, mNew }) => 1 - Math.exp(mOld - mNew),
  /** Takes the maximum to stand still. */
  stands_still: () => 1,
};

/** The right count of bytes that the tiled lane has written. */
export function bytesWritten({ writtenTotal }) {
  return writtenTotal;
}

/** Wrong ways to the bytes that the tiled lane has written so far. */
export const WRONG_BYTES = {
  /** Counts this store alone. */
  this_store_only: ({ written }) => written,
  /** Counts the stores before this one. */
  before_this_store: ({ writtenTotal, written }) => writtenTotal - written,
  /** Leaves the row statistics out. */
  o_only: ({ outputTotal }) => outputTotal,
  /** Counts O of this store alone. */
  o_of_this_store: ({ output }) => output,
  /** Adds what was read. */
  with_reads: ({ writtenTotal, readTotal }) => writtenTotal + readTotal,
  /** Takes S and P to be written too. */
  with_scores: ({ writtenTotal, scoresTotal }) => writtenTotal + scoresTotal,
  /** Reads the other lane. */
  standard_lane: ({ standardWritten }) => standardWritten,
  /** Counts numbers and not bytes. */
  elements: ({ elementsTotal }) => elementsTotal,
};
