import type { PartOf } from "../../../protocol/parts.ts";
import { boundResult } from "../../context/bound-result.ts";
import { countTokens } from "../../lib/tokens.ts";
import { RESULT_TOKENS, type Tool, type ToolContext } from "../../tools/tool.ts";
import type { ArtifactInput } from "./tool-context.ts";

type Bounding = {
  readonly tool: Tool;
  readonly part: PartOf<"tool">;
  /** Without secrets. */
  readonly output: unknown;
  /** What the tool itself has kept in this call. */
  readonly artifacts: readonly ArtifactInput[];
  readonly keep: ToolContext["keep"];
};

/** Decided once, before anybody reads it: what the model gets of a result too long for it. The whole is kept by then. */
export function boundOutput({ tool, part, output, artifacts, keep }: Bounding): { readonly digest?: string } {
  const { text, cut } = boundResult(output, {
    tokens: tool.limits.resultTokens ?? RESULT_TOKENS,
    count: countTokens,
    ref: () => {
      const known = new Set(artifacts.filter(({ kind }) => kind !== "file").map(({ ref }) => ref));
      if (refOf(output, known) !== undefined) return refOf(output, known);
      return namesRefs(output, known) ? undefined : keepWhole(tool, part, output, keep);
    },
  });
  return cut ? { digest: text } : {};
}

/** A result that is one kept text says so at its root. */
const refOf = (output: unknown, known: ReadonlySet<number>): number | undefined => {
  const { ref } = (typeof output === "object" ? (output ?? {}) : {}) as { readonly ref?: unknown };
  return typeof ref === "number" && known.has(ref) ? ref : undefined;
};

/** A list of things of which each is kept, as searches and pages are. */
const namesRefs = (output: unknown, known: ReadonlySet<number>): boolean =>
  known.size > 0 &&
  typeof output === "object" &&
  output !== null &&
  Object.values(output).some((list) => Array.isArray(list) && list.some((item) => refOf(item, known) !== undefined));

function keepWhole(tool: Tool, part: PartOf<"tool">, output: unknown, keep: ToolContext["keep"]): number {
  const isText = typeof output === "string";
  return keep({
    kind: "result",
    title: part.title ?? tool.name,
    type: isText ? "text/plain" : "application/json",
    text: isText ? output : JSON.stringify(output, null, 1),
    meta: { tool: tool.name },
  }).ref;
}
