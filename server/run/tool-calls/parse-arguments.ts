export type Arguments = { readonly value: object; readonly repaired: boolean };

/**
 * Arguments as the model wrote them: an object, perhaps after a repair that adds nothing. `incomplete`: they break off, so whatever
 * could be made of them is not what the model meant. undefined: there is no object in it.
 */
export function parseArguments(text: string): Arguments | "incomplete" | undefined {
  const value = parseObject(text);
  if (value) return { value, repaired: false };
  const repaired = repair(text);
  if (repaired === null) return "incomplete";
  const found = parseObject(repaired);
  return found && { value: found, repaired: true };
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
 * The faults that models make: a fence or words around it, line breaks inside strings, a comma too many. One pass over the
 * characters; null: the end is missing, and none is made up.
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
