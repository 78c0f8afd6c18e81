import { splitLines } from "../lines.ts";

type Package = { readonly name: string; readonly version: string };

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]{0,100}\/)?[a-z0-9~-][a-z0-9._~-]{0,100}$/;
/** Ranges and tags. URLs and paths are rejected. */
const VERSION = /^[A-Za-z0-9.^~<>=*| +-]{1,80}$/;

/** `name` or `name@version`. */
export function readPackage(spec: string): Package {
  const at = spec.indexOf("@", 1);
  const [name, version] = at < 0 ? [spec, "latest"] : [spec.slice(0, at), spec.slice(at + 1)];
  if (!NAME.test(name))
    throw new Error(`"${spec.slice(0, 80)}" is not a package name. Use a name such as react or @scope/name@1.2.3.`);
  if (!VERSION.test(version))
    throw new Error(`"${version.slice(0, 80)}" is not a version. Write it like 1.2.3, ^1.2.0 or latest.`);
  return { name, version };
}

type Json = Record<string, unknown>;
const lists = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] as const;

/** Adds a package to package.json and keeps its layout. Creates a minimal file if there is none. */
export function addPackage(text: string | undefined, { name, version }: Package, dev: boolean): string {
  const json = parse(text ?? '{\n  "name": "app",\n  "private": true,\n  "type": "module"\n}\n');
  const [list, other] = dev
    ? (["devDependencies", "dependencies"] as const)
    : (["dependencies", "devDependencies"] as const);
  const { [name]: _, ...rest } = toList(json, other);
  const packages = sort({ ...toList(json, list), [name]: version });
  return write(text, { ...json, ...(json[other] === undefined ? {} : { [other]: rest }), [list]: packages });
}

/** undefined: the package is not listed. */
export function removePackage(text: string, name: string): string | undefined {
  const json = parse(text);
  const holding = lists.filter((list) => Object.hasOwn(toList(json, list), name));
  if (holding.length === 0) return undefined;
  const without = holding.map((list) => {
    const { [name]: _, ...rest } = toList(json, list);
    return [list, rest] as const;
  });
  return write(text, { ...json, ...Object.fromEntries(without) });
}

export const versionOf = (text: string | undefined, name: string): string | undefined => {
  const json = text === undefined ? {} : parse(text);
  const found = lists.map((list) => toList(json, list)).find((list) => Object.hasOwn(list, name));
  return found && String(found[name]);
};

function parse(text: string): Json {
  const json = tryParse(text);
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json as Json;
  throw new Error("package.json is not a JSON object. Fix it first.");
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    throw new Error(`package.json is not valid JSON (${why}). Fix it first.`, { cause: error });
  }
}

function toList(json: Json, list: string): Json {
  const found = json[list] ?? {};
  if (typeof found === "object" && !Array.isArray(found)) return found as Json;
  throw new Error(`${list} of package.json is not an object. Fix it first.`);
}

const sort = (list: Json): Json =>
  Object.fromEntries(Object.entries(list).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));

function write(old: string | undefined, json: Json): string {
  const indent = /^([ \t]+)"/m.exec(old ?? "")?.[1] ?? "  ";
  const text = `${JSON.stringify(json, null, indent)}\n`;
  const { mark = "", lines = [] } = old === undefined ? {} : splitLines(old);
  const isLast = lines.length > 0 && lines.at(-1)?.end === "";
  const whole = isLast ? text.slice(0, -1) : text;
  return mark + (lines.some(({ end }) => end === "\r\n") ? whole.replaceAll("\n", "\r\n") : whole);
}
