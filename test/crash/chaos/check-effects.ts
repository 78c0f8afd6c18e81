import type { Part, PartOf } from "../../../protocol/parts.ts";
import type { Effect } from "../../support/server/effects.ts";
import type { Findings, History } from "./history.ts";

type Call = PartOf<"tool">;
type EffectCounts = { readonly runs: number; readonly keys: number; readonly rows: number };
/** Allowed number of effects of a tool call, by its result in the thread. */
type Rule = { readonly count: (counted: EffectCounts) => number; readonly most: number };

const rules: Readonly<Record<string, Rule>> = {
  effect_pure: { count: ({ runs }) => runs, most: Number.POSITIVE_INFINITY },
  effect_keyed: { count: ({ keys }) => keys, most: 1 },
  effect_once: { count: ({ runs }) => runs, most: 1 },
  effect_own: { count: ({ rows }) => rows, most: 1 },
};

/** Checks the externally counted effects against the result of each tool call. */
export function checkEffects(
  parts: readonly Part[],
  { effects, ownRows }: Pick<History, "effects" | "ownRows">,
  found: { [K in keyof Findings]: string[] },
): void {
  const byToken = Map.groupBy(effects, ({ token }) => token);
  const calls = parts.filter((part): part is Call => part.kind === "tool" && part.aside === undefined);
  for (const [token, same] of Map.groupBy(calls, tokenOf)) {
    const [call] = same;
    const rule = call && rules[call.name];
    if (!call || !rule) continue;
    if (same.length > 1) found.doubled.push(`call ${token} stands ${same.length} times in the thread`);
    const times = rule.count(count(byToken.get(token) ?? [], ownRows.get(token) ?? 0));
    if (times > rule.most) found.doubled.push(`${call.name} ${token} took effect ${times} times`);
    if (call.state === "ok" && times === 0) found.lost.push(`${call.name} ${token} is said to be done and is not`);
    if (call.name === "effect_own" && call.state !== "ok" && times > 0) {
      found.contradicted.push(`${call.name} ${token} took effect and is said to be ${call.state}`);
    }
  }
}

const tokenOf = ({ input }: Call): string => (input as { readonly token?: string } | undefined)?.token ?? "";

const count = (effects: readonly Effect[], rows: number): EffectCounts => ({
  runs: effects.length,
  keys: new Set(effects.map(({ key }) => key)).size,
  rows,
});
