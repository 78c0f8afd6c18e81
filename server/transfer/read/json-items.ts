/** A value of a JSON file. `key`: it is an element of this list of the outermost object; empty: of the outermost list. */
export type JsonItem = { readonly key: string; readonly value: unknown };
export type JsonFault = { readonly fault: string };

const MOST_BYTES = 48_000_000;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * The elements of an outermost list, or outermost values one after another, as in JSON Lines. Only one is in memory at a time. An
 * element that is too large or damaged is a fault, and the next one is read. A file with a single object gives that object.
 */
export async function* readJsonItems(
  chunks: AsyncIterable<Buffer>,
  most: number = MOST_BYTES,
): AsyncGenerator<JsonItem | JsonFault> {
  let [depth, isString, isEscaped, isList, isStart] = [0, false, false, false, true];
  let parts: Buffer[] = [];
  let [sizeBytes, count] = [0, 0];

  const take = (): JsonItem | JsonFault | undefined => {
    const bytes = Buffer.concat(parts);
    const isTooLarge = sizeBytes > most;
    const text = isTooLarge ? "x" : bytes.toString("utf8").trim();
    parts = [];
    sizeBytes = 0;
    if (text === "") return undefined;
    count += 1;
    if (isTooLarge) return { fault: `Item ${count} has more than ${most / 1_000_000} MB, the limit for one item.` };
    try {
      return { key: "", value: JSON.parse(text) as unknown };
    } catch {
      return { fault: `Item ${count} is not valid JSON.` };
    }
  };
  const add = (bytes: Buffer): void => {
    sizeBytes += bytes.length;
    // A value that is too large is counted, but its bytes are dropped.
    if (sizeBytes <= most) parts.push(Buffer.from(bytes));
    else parts = [];
  };

  for await (const chunk of chunks) {
    let from = 0;
    if (isStart && chunk.length >= 3 && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf) from = 3;
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isString = false;
        continue;
      }
      if (byte === QUOTE) isString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        if (isStart && byte === OPEN_LIST) {
          isList = true;
          from = at + 1;
        }
        depth += 1;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
      const isEnd = depth === 0 && (byte === CLOSE_OBJECT || byte === CLOSE_LIST);
      if (isEnd || (byte === COMMA && depth === 1 && isList)) {
        add(chunk.subarray(from, isEnd && !isList ? at + 1 : at));
        from = at + 1;
        const item = take();
        if (item) yield item;
        if (isEnd) isList = false;
      }
      if (!isSpace(byte)) isStart = depth === 0 && !isString && (byte === CLOSE_LIST || byte === CLOSE_OBJECT);
    }
    add(chunk.subarray(from));
  }
  const rest = take();
  if (rest) yield rest;
  if (depth > 0) yield { fault: "The file ends early, so its last item is incomplete." };
}
