import { createHash } from "node:crypto";

export type ToolKey = { readonly server: string; readonly tool: string };

const MAX_LENGTH = 64;
/** No `__` and no `_` at the ends, so that the first `__` after the prefix always ends the server's name. */
const plainServer = /^[a-zA-Z0-9-]+(_[a-zA-Z0-9-]+)*$/;
const plainTool = /^[a-zA-Z0-9_-]+$/;

/**
 * Names that every provider accepts, `mcp__server__tool`, in input order. A key that does not fit gets part of a hash, so two
 * tools never share a name. The same tools always get the same names.
 */
export function nameTools(keys: readonly ToolKey[]): readonly string[] {
  const names = new Map<ToolKey, string>();
  const taken = new Set<string>();
  const plainFirst = keys.toSorted((a, b) => Number(isPlain(b)) - Number(isPlain(a)) || compare(a, b));
  for (const key of plainFirst) {
    const name = candidates(key).find((one) => !taken.has(one));
    if (name === undefined) throw new Error(`No free name for the tool ${key.tool} of ${key.server}.`);
    taken.add(name);
    names.set(key, name);
  }
  return keys.map((key) => names.get(key) ?? "");
}

const toFullName = ({ server, tool }: ToolKey): string => `mcp__${server}__${tool}`;

const isPlain = (key: ToolKey): boolean =>
  plainServer.test(key.server) && plainTool.test(key.tool) && toFullName(key).length <= MAX_LENGTH;

const compare = (a: ToolKey, b: ToolKey): number => {
  const [left, right] = [`${a.server}\0${a.tool}`, `${b.server}\0${b.tool}`];
  return left < right ? -1 : Number(left > right);
};

function candidates(key: ToolKey): readonly string[] {
  const hash = createHash("sha256").update(`${key.server}\0${key.tool}`).digest("hex");
  const whole = toFullName(key).replaceAll(/[^a-zA-Z0-9_-]/g, "_");
  const hashed = [6, 12, 24, 40].map((length) => `${whole.slice(0, MAX_LENGTH - length - 1)}_${hash.slice(0, length)}`);
  return isPlain(key) ? [whole, ...hashed] : hashed;
}
