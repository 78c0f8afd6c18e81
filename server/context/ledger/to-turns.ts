import type { MessageView } from "../../../protocol/fold.ts";
import { isTerminal, type PartOf } from "../../../protocol/parts.ts";
import type { LedgerCall, LedgerTurn } from "./entry.ts";

type ToolPart = PartOf<"tool">;

/** The preview that a tool provides for a call, if any. */
export type PreviewOf = (part: ToolPart) => string | undefined;

/** Messages as the ledger reads them: their text and their finished calls. */
export const toLedgerTurns = (
  messages: readonly MessageView[],
  previewOf: PreviewOf = ({ gist }) => gist,
): readonly LedgerTurn[] =>
  messages.map(({ depth, role, parts }) => {
    const live = parts.filter((part) => part.aside === undefined);
    return {
      depth,
      role: role === "user" ? "user" : "assistant",
      text: live.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n"),
      calls: live.flatMap((part) => (part.kind === "tool" && isTerminal(part.state) ? [toCall(part, previewOf)] : [])),
    };
  });

function toCall(part: ToolPart, previewOf: PreviewOf): LedgerCall {
  const { callId, output, state, errorText } = part;
  const { name, input } = toMeant(part);
  const ok = state === "ok";
  const preview = ok ? previewOf(part) : undefined;
  return {
    id: callId,
    tool: name,
    input,
    output,
    ok,
    ...(ok ? {} : { error: errorText ?? state }),
    ...(preview === undefined ? {} : { preview }),
  };
}

/** `use_tool` is a wrapper: its input names the real tool. */
function toMeant({ name, input }: ToolPart): Pick<ToolPart, "name" | "input"> {
  const meant = (typeof input === "object" ? input : null) as {
    readonly name?: unknown;
    readonly input?: unknown;
  } | null;
  return name === "use_tool" && typeof meant?.name === "string"
    ? { name: meant.name, input: meant.input }
    : { name, input };
}
