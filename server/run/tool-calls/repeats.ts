/** An earlier tool call, as needed to detect repetition. */
export type EarlierCall = {
  readonly name: string;
  readonly input: unknown;
  readonly pure: boolean;
  /** Its data may be changed by others, so an earlier result may be outdated. */
  readonly changing?: boolean;
  readonly ok: boolean;
};

export type Repeat =
  /** The same read was made before and nothing was written since, so its result is reused. */
  | { readonly kind: "known"; readonly index: number }
  /** A loop: A-A-A or A-B-A-B. */
  | { readonly kind: "circle"; readonly text: string };

/** Checks whether a call repeats earlier calls of this answer (oldest first). */
export function findRepeat(made: readonly EarlierCall[], call: Omit<EarlierCall, "ok">): Repeat | undefined {
  const own = signOf(call);
  const signs = made.map(signOf);
  const [last, second, third] = [signs.at(-1), signs.at(-2), signs.at(-3)];
  if (call.changing) {
    const isStuck =
      signs.length >= MAX_REPEATED_READS && signs.slice(-MAX_REPEATED_READS).every((sign) => sign === own);
    return isStuck ? { kind: "circle", text: LOOKED } : undefined;
  }
  if (last === own && second === own) {
    return {
      kind: "circle",
      text: "This call was already made twice. Use its result above, or try something else.",
    };
  }
  if (second === own && last !== own && last === third) {
    return {
      kind: "circle",
      text: "These two calls were already made in alternation. Use their results above, or try something else.",
    };
  }
  if (!call.pure) return undefined;
  const written = made.findLastIndex(({ pure }) => !pure);
  const index = made.findLastIndex((one, at) => at > written && one.ok && signs[at] === own);
  return index < 0 ? undefined : { kind: "known", index };
}

/** Maximum consecutive reads of data that others may change. */
const MAX_REPEATED_READS = 4;
const LOOKED = `This was read ${MAX_REPEATED_READS} times in a row. Continue with the last result, or try something else.`;

const signOf = ({ name, input }: Pick<EarlierCall, "name" | "input">): string => `${name} ${canonical(input)}`;

/** JSON with sorted keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? "";
