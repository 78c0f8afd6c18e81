/** A step of a path into a result: `results[3].title`, `rows[*].id`, `rows[2:5]`, `["a key"]`; a leading `$` is optional. */
type Step =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "slice"; readonly from: number; readonly to: number | undefined }
  | { readonly kind: "each" };

const step = /\.?(?:\[(?:(-?\d+)|(\d*):(\d*)|(\*)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\]|(\*)|([^.[\]]+))/y;
const MAX_LENGTH = 40;

/** The value at a path. Throws an error that names the last step that exists. */
export function findAtPath(root: unknown, path: string): unknown {
  let value = root;
  let walked = "";
  for (const one of parsePath(path)) {
    value = take(value, one, walked === "" ? "the result" : walked);
    walked += toText(one);
  }
  return value;
}

function parsePath(path: string): readonly Step[] {
  const text = path.trim().replace(/^\$/, "");
  const steps: Step[] = [];
  for (step.lastIndex = 0; step.lastIndex < text.length;) {
    const at = step.lastIndex;
    const found = step.exec(text);
    if (!found) throw new Error(`The path is invalid at “${text.slice(at, at + MAX_LENGTH)}”.`);
    const [, index, from, to, each, quoted, single, star, name] = found;
    if (each !== undefined || star !== undefined) steps.push({ kind: "each" });
    else if (from !== undefined)
      steps.push({ kind: "slice", from: Number(from || 0), to: to ? Number(to) : undefined });
    else steps.push({ kind: "name", name: index ?? unescape(quoted ?? single) ?? name ?? "" });
  }
  return steps;
}

const unescape = (text: string | undefined): string | undefined => text?.replace(/\\(.)/g, "$1");

const toText = (one: Step): string => {
  if (one.kind === "each") return "[*]";
  if (one.kind === "slice") return `[${one.from}:${one.to ?? ""}]`;
  return /^-?\d+$/.test(one.name) ? `[${one.name}]` : `.${one.name}`;
};

function take(value: unknown, one: Step, where: string): unknown {
  if (typeof value !== "object" || value === null) throw new Error(`${where} is a plain value without fields.`);
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  if (one.kind === "each") return items;
  if (one.kind === "slice") return items.slice(one.from, one.to);
  if (!Array.isArray(value)) {
    if (Object.hasOwn(value, one.name)) return (value as Record<string, unknown>)[one.name];
    const names = Object.keys(value);
    const more = names.length > MAX_LENGTH ? `, and ${names.length - MAX_LENGTH} more` : "";
    throw new Error(`${where} has no “${one.name}”. It has: ${names.slice(0, MAX_LENGTH).join(", ")}${more}.`);
  }
  if (!/^-?\d+$/.test(one.name)) return value.map((item) => pick(item, one.name));
  const at = Number(one.name);
  const item: unknown = value.at(at);
  if (item === undefined) throw new Error(`${where} has ${value.length} items: [0] to [${value.length - 1}].`);
  return item;
}

/** A field name applied to a list is read from each item. */
const pick = (item: unknown, name: string): unknown =>
  typeof item === "object" && item !== null && Object.hasOwn(item, name)
    ? (item as Record<string, unknown>)[name]
    : null;
