import { nowUs, toOwnTime, toPiece, toStamp, toWord, type Script } from "./script.ts";

/** A running script: the time and text of the next delta. */
export type Play = {
  /** Milliseconds until the next delta; null if there is none. */
  readonly next: () => number | null;
  readonly take: () => string;
};

let halts = 0;

/** Ends every running script at its next delta, at the end of a trial. */
export const halt = (): void => {
  halts += 1;
};

export function play({ deltas, paceMs, firstMs, clock, says }: Script): Play {
  const startedUs = nowUs();
  const haltsBefore = halts;
  let taken = 0;
  const dueUs = (): number => startedUs + (firstMs + taken * paceMs) * 1000;
  const speak = (): string => {
    if (says === "words") return toWord(taken);
    if (says === "markdown") return toPiece(taken);
    const stamp = toStamp(says === "due" ? dueUs() : nowUs());
    return taken === 0 ? stamp + toOwnTime(nowUs() - startedUs) : stamp;
  };
  return {
    next: () => {
      if (taken >= deltas || halts !== haltsBefore) return null;
      if (clock === "due") return Math.max(0, Math.ceil((dueUs() - nowUs()) / 1000));
      return taken === 0 ? firstMs : paceMs;
    },
    take: () => {
      const text = speak();
      taken += 1;
      return text;
    },
  };
}
