import { textOf, type MessageView } from "../../../protocol/fold.ts";
import { isTerminal, type Part, type PartOf } from "../../../protocol/parts.ts";
import { toArguments } from "./chat-output.ts";
import { toSlice, type Item } from "./items.ts";

/**
 * Stored messages as items of a conversation. With `isSameThread` their files stay attached; in another thread they become their
 * text.
 */
export const copyMessages = (
  messages: readonly Pick<MessageView, "role" | "parts">[],
  isSameThread = false,
): readonly Item[] =>
  messages.flatMap(({ role, parts }): readonly Item[] => {
    if (role === "assistant") return copySteps(parts, new Set());
    const files = parts.filter((part) => part.kind === "file");
    const texts = files.flatMap(({ digest }) => (isSameThread || digest === undefined ? [] : [digest]));
    const attached = files.flatMap(({ attachmentId: id }) => (isSameThread && id !== undefined ? [id] : []));
    return [{ role: "user", text: [...texts, textOf(parts)].join("\n\n"), files: [], attached }];
  });

/** The steps of an answer up to the end of one of its responses. Results that the caller sends again replace stored ones. */
export function copyAnswer(parts: readonly Part[], afterStep: number, rest: readonly Item[]): readonly Item[] {
  const slice = toSlice(parts, afterStep);
  const end = slice.at(-1)?.step ?? afterStep;
  const given = new Set(rest.flatMap((item) => (item.role === "tool" ? [item.callId] : [])));
  const replaced = new Set(slice.flatMap((part) => (isReplaced(part, given, end) ? [part.id] : [])));
  return copySteps(
    parts.filter(({ step }) => step <= end),
    replaced,
  );
}

const isReplaced = (part: Part, given: ReadonlySet<string>, step: number): boolean =>
  part.kind === "tool" && part.step === step && given.has(part.callId);

/** `withoutResult`: ids of calls whose results follow. A call that has none otherwise is left out. */
function copySteps(parts: readonly Part[], withoutResult: ReadonlySet<string>): readonly Item[] {
  const used = parts.filter(({ aside }) => aside === undefined);
  return [...Map.groupBy(used, ({ step }) => step).values()].flatMap((step): readonly Item[] => {
    const calls = step.filter(
      (part): part is PartOf<"tool"> => part.kind === "tool" && (isTerminal(part.state) || withoutResult.has(part.id)),
    );
    const text = textOf(step);
    if (text === "" && calls.length === 0) return [];
    return [
      {
        ...{ role: "assistant", text },
        calls: calls.map((part) => ({ callId: part.callId, name: part.name, args: toArguments(part) })),
      },
      ...calls
        .filter(({ id }) => !withoutResult.has(id))
        .map((part): Item => ({ role: "tool", callId: part.callId, text: toResult(part) })),
    ];
  });
}

function toResult({ state, output, errorText = state }: PartOf<"tool">): string {
  if (state !== "ok") return errorText;
  return typeof output === "string" ? output : JSON.stringify(output ?? null);
}
