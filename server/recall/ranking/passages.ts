const border = /\n{2,}|\n|(?<=[.!?…。！？]["'”’»)\]]{0,3})(?<!\s)\s+|(?<=[。！？])/gu;

/**
 * Splits a text into passages of at most `most` characters: at paragraphs if possible, then at sentences, and within a sentence
 * only if it is longer than that. Only white space between passages is lost.
 */
export function splitPassages(text: string, most: number): readonly string[] {
  const whole = text.trim();
  if (whole.length <= most) return whole === "" ? [] : [whole];
  const passages: string[] = [];
  let start = 0;
  while (start < whole.length) {
    const end = findEnd(whole, start, most);
    const passage = whole.slice(start, end).trim();
    if (passage !== "") passages.push(passage);
    start = end;
  }
  return passages;
}

/** The end of the last paragraph, sentence or word that fits, unless the passage would be too short. */
function findEnd(text: string, start: number, most: number): number {
  if (text.length - start <= most) return text.length;
  const room = text.slice(start, start + most);
  const paragraph = room.lastIndexOf("\n\n");
  if (paragraph > most / 3) return start + paragraph + 2;
  let last = 0;
  for (const match of room.matchAll(border)) last = match.index + match[0].length;
  if (last > most / 3) return start + last;
  const space = room.lastIndexOf(" ");
  if (space > most / 2) return start + space + 1;
  const splitsPair = /[\ud800-\udbff]$/.test(room);
  return start + most - (splitsPair ? 1 : 0);
}
