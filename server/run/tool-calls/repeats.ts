/** A call as far as repetition goes: its name and arguments, and whether it only reads. */
export type Made = {
  readonly name: string;
  readonly input: unknown;
  readonly pure: boolean;
  /** Others change what it reads: what it said before may no longer be so. */
  readonly changing?: boolean;
  readonly ok: boolean;
};

export type Repeat =
  /** The same read as before, with nothing written since: its result is still the result. */
  | { readonly kind: "known"; readonly index: number }
  /** A-A-A or A-B-A-B: going on would bring nothing new. */
  | { readonly kind: "circle"; readonly text: string };

/** Whether a call repeats what was made before it in this answer, oldest first. */
export function findRepeat(made: readonly Made[], call: Omit<Made, "ok">): Repeat | undefined {
  const own = signOf(call);
  const signs = made.map(signOf);
  const [last, second, third] = [signs.at(-1), signs.at(-2), signs.at(-3)];
  if (call.changing) {
    const isStuck = signs.length >= MOST_LOOKS && signs.slice(-MOST_LOOKS).every((sign) => sign === own);
    return isStuck ? { kind: "circle", text: LOOKED } : undefined;
  }
  if (last === own && second === own) {
    return {
      kind: "circle",
      text: "This same call was made twice already. Its result is above: use it, or do something else.",
    };
  }
  if (second === own && last !== own && last === third) {
    return {
      kind: "circle",
      text: "These two calls have been made in turn before. Their results are above: use them, or do something else.",
    };
  }
  if (!call.pure) return undefined;
  const written = made.findLastIndex(({ pure }) => !pure);
  const index = made.findLastIndex((one, at) => at > written && one.ok && signs[at] === own);
  return index < 0 ? undefined : { kind: "known", index };
}

/** In a row, at what others may change meanwhile. */
const MOST_LOOKS = 4;
const LOOKED = `This was looked at ${MOST_LOOKS} times in a row. Go on with what is there, or do something else.`;

const signOf = ({ name, input }: Pick<Made, "name" | "input">): string => `${name} ${canonical(input)}`;

/** The same arguments in any order of keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? "";
