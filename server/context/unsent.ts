import type { LeftOut } from "../../protocol/context/receipt.ts";
import type { MessageView } from "../../protocol/fold.ts";
import { isTerminal, type Part, type PartOf } from "../../protocol/parts.ts";

/** Parts that are not sent to the model that is called, by `message/n`, and why. */
export type Unsent = ReadonlyMap<string, Extract<LeftOut["why"], "reasoning">>;

export type Sending = {
  /** Whether reasoning goes back to this model; where it is not there, all of it does. */
  readonly sendsReasoning?: ((part: PartOf<"reasoning">) => boolean) | undefined;
};

/** The messages as they go to this model: what does not go leaves before anything is counted, chosen or listed. */
export function leaveOutUnsent(
  messages: readonly MessageView[],
  { sendsReasoning = () => true }: Sending,
): { readonly messages: readonly MessageView[]; readonly unsent: Unsent } {
  const unsent = new Map<string, "reasoning">();
  const sent = messages.map((message): MessageView => {
    if (!message.parts.some(({ kind }) => kind === "reasoning")) return message;
    const steps = Map.groupBy(message.parts, ({ step }) => step);
    const parts = message.parts.filter((part) => {
      if (part.kind !== "reasoning") return true;
      const isSent = isInCall(part, steps.get(part.step) ?? []) && sendsReasoning(part);
      if (!isSent && part.aside === undefined) unsent.set(`${message.id}/${part.n}`, "reasoning");
      return isSent;
    });
    return { ...message, parts };
  });
  return { messages: sent, unsent };
}

/** Reasoning goes back only beside the calls it led to, ahead of something that was said or called. */
const isInCall = (part: PartOf<"reasoning">, step: readonly Part[]): boolean => {
  const said = step.filter((one) => one.aside === undefined);
  const hasCalls = said.some((one) => one.kind === "tool" && isTerminal(one.state));
  return hasCalls && part.state === "done" && said.some((one) => one.n > part.n && isSaid(one));
};

const isSaid = (part: Part): boolean =>
  (part.kind === "text" && part.text.trim() !== "") || (part.kind === "tool" && isTerminal(part.state));
