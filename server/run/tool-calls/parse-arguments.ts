/** `text`: the parsed text, as written or repaired. */
export type Arguments = { readonly value: object; readonly text: string; readonly repaired: boolean };

/**
 * Parses tool arguments as the model wrote them. Repairs common faults but adds no content. `incomplete`: the text ends early,
 * so it is not repaired. undefined: it contains no object.
 */
export function parseArguments(text: string): Arguments | "incomplete" | undefined {
  const value = parseObject(text);
  if (value) return { value, text, repaired: false };
  const repaired = repair(text);
  if (repaired === null) return "incomplete";
  const found = parseObject(repaired);
  return found && { value: found, text: repaired, repaired: true };
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
    // JSON.stringify throws for values that are nested too deeply to check or store.
    JSON.stringify(value);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Repairs common faults: a code fence or text around the object, line breaks inside strings, trailing commas. O(n). null: the
 * end is missing.
 */
function repair(text: string): string | null {
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
  return null;
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
