const border = /\n{2,}|\n|(?<=[.!?…。！？]["'”’»)\]]{0,3})(?<!\s)\s+|(?<=[。！？])/gu;

/**
 * A text in passages of at most `most` characters, in order: whole paragraphs while they fit, then whole sentences, and pieces
 * of a sentence only where it is longer than that. Nothing but white space between them is lost.
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

/** Behind the last paragraph, or sentence, or word that fits and leaves the passage not too short. */
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
