/** Arguments as the model wrote them: an object, perhaps after one repair; undefined when there is none in it. */
export function parseArguments(text: string): { readonly value: object; readonly repaired: boolean } | undefined {
  const value = parseObject(text);
  if (value) return { value, repaired: false };
  const mended = parseObject(repair(text));
  return mended && { value: mended, repaired: true };
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
    // What is nested too deep parses, but can be neither checked nor stored.
    JSON.stringify(value);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The faults that models make: a fence or words around it, line breaks inside strings, a comma too many, an end that is
 * missing. One pass over the characters; what else is wrong stays wrong.
 */
function repair(text: string): string {
  const start = text.indexOf("{");
  if (start < 0) return text;
  const out: string[] = [];
  const open: string[] = [];
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const letter = text[at] ?? "";
    if (quoted && letter === "\\") {
      out.push(letter, text[(at += 1)] ?? "\\");
      continue;
    }
    if (letter === '"') quoted = !quoted;
    if (quoted) {
      out.push(breaks.get(letter) ?? letter);
      continue;
    }
    if (letter === "{" || letter === "[") open.push(letter === "{" ? "}" : "]");
    if (letter === "}" || letter === "]") {
      dropComma(out);
      if (open.pop() !== letter) return text;
    }
    out.push(letter);
    if (open.length === 0) return out.join("");
  }
  if (quoted) out.push('"');
  dropComma(out);
  if (out.at(-1) === ":") out.push("null");
  return out.join("") + open.toReversed().join("");
}

const breaks: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

function dropComma(out: string[]): void {
  let end = out.length;
  while (end > 0 && out[end - 1]?.trim() === "") end -= 1;
  if (out[end - 1] === ",") out.length = end - 1;
}
