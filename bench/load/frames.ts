/** Splits server-sent events into frames, from pieces of any size. Empty lines separate frames. */
export function createFrames(onFrame: (frame: string) => void): (chunk: Buffer) => void {
  let rest = "";
  return (chunk) => {
    const text = rest + chunk.toString("latin1");
    let from = 0;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n", from)) {
      onFrame(text.slice(from, end));
      from = end + 2;
    }
    rest = text.slice(from);
  };
}

/** The text that a frame adds to the answer: one or several deltas. A settled part adds none. */
export function readText(frame: string): string {
  if (!frame.includes('"type":"text-delta"')) return "";
  const at = Math.max(frame.indexOf('"text":"') + 8, frame.indexOf('"delta":"') + 9);
  return frame.slice(at, frame.indexOf('"', at));
}

/** The whole text of a frame that settles it: a slow reader gets this instead of the deltas it missed. */
export function readSettled(frame: string): string {
  if (!frame.includes('"type":"part-settled"') || !frame.includes('"state":"done"')) return "";
  const at = frame.indexOf('"text":"') + 8;
  return frame.slice(at, frame.indexOf('"', at));
}

/** The number of words or timestamps in a text: each delta ends with a space. */
export const countDeltas = (text: string): number => text.split(" ").length - 1 - (text.includes("^") ? 1 : 0);

export function readStamps(text: string): readonly number[] {
  const stamps: number[] = [];
  for (let at = text.indexOf("~"); at >= 0; at = text.indexOf("~", at + 1)) stamps.push(readNumber(text, at));
  return stamps;
}

/** The time of the model to its first delta, if the text contains it. */
export function readOwnTime(text: string): number | undefined {
  const at = text.indexOf("^");
  return at < 0 ? undefined : readNumber(text, at);
}

const readNumber = (text: string, at: number): number => Number.parseInt(text.slice(at + 1, text.indexOf(" ", at)), 36);
