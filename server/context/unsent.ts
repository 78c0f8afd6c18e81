import type { Omission, ReceiptItem } from "../../protocol/context/receipt.ts";
import type { MessageView } from "../../protocol/fold.ts";
import { isTerminal, type Part, type PartOf } from "../../protocol/parts.ts";
import type { Counter } from "./fit.ts";
import type { TokenCounts, Unit } from "./units.ts";

/** Parts that are not sent to the called model, by `message/n`, and why. */
export type UnsentParts = ReadonlyMap<string, Extract<Omission["why"], "reasoning" | PictureReason>>;
type PictureReason = NonNullable<ReceiptItem["notSent"]>[number]["why"];

/** Which kinds of parts the model accepts. */
type ModelSupport = {
  /** Whether a reasoning part is sent back to this model. Without it, all reasoning is. */
  readonly sendsReasoning?: ((part: PartOf<"reasoning">) => boolean) | undefined;
  readonly vision: boolean;
};

type LoadedMessages = { readonly messages: readonly MessageView[]; readonly counts: TokenCounts };

/** Removes parts that must not be sent to this model, before anything is counted, chosen or listed in the receipt. */
export function leaveOutUnsent(
  { messages, counts }: LoadedMessages,
  { sendsReasoning = () => true, vision }: ModelSupport,
  count: Counter,
): LoadedMessages & { readonly unsent: UnsentParts } {
  const pictures = findUnsentPictures(messages, vision);
  const unsent = new Map<string, "reasoning" | PictureReason>(pictures);
  const counted = new Map(counts);
  const sent = messages.map((message): MessageView => {
    if (!message.parts.some(({ kind }) => kind === "reasoning" || kind === "file")) return message;
    const steps = Map.groupBy(message.parts, ({ step }) => step);
    const parts = message.parts.flatMap((part): readonly Part[] => {
      const name = `${message.id}/${part.n}`;
      const why = pictures.get(name);
      if (part.kind === "file" && why !== undefined) {
        const unsentPicture = toUnsentPicture(part, why);
        counted.set(name, count(unsentPicture.digest ?? ""));
        return [unsentPicture];
      }
      if (part.kind !== "reasoning") return [part];
      const isSent = isInCall(part, steps.get(part.step) ?? []) && sendsReasoning(part);
      if (!isSent && part.aside === undefined) unsent.set(name, "reasoning");
      return isSent ? [part] : [];
    });
    return { ...message, parts };
  });
  return { messages: sent, counts: counted, unsent };
}

/** Reasoning is sent back only in a step with tool calls, and only before a text or a call of that step. */
const isInCall = (part: PartOf<"reasoning">, step: readonly Part[]): boolean => {
  const said = step.filter((one) => one.aside === undefined);
  const hasCalls = said.some((one) => one.kind === "tool" && isTerminal(one.state));
  return hasCalls && part.state === "done" && said.some((one) => one.n > part.n && isSaid(one));
};

const isSaid = (part: Part): boolean =>
  (part.kind === "text" && part.text.trim() !== "") || (part.kind === "tool" && isTerminal(part.state));

/** Maximum base64 characters of all pictures in a request. The newest pictures are kept. Every provider accepts this much. */
const MOST_CHARACTERS = 20_000_000;

function findUnsentPictures(messages: readonly MessageView[], vision: boolean): ReadonlyMap<string, PictureReason> {
  const unsent = new Map<string, PictureReason>();
  let left = MOST_CHARACTERS;
  const all = messages.flatMap(({ id, parts }) => parts.map((part) => ({ name: `${id}/${part.n}`, part })));
  for (const { name, part } of all.toReversed()) {
    if (part.kind !== "file" || part.hash === undefined) continue;
    const { width, pictures, sizeBytes = 0 } = part;
    if (width === undefined && pictures === undefined) continue;
    const characters = Math.ceil((pictures?.reduce((sum, one) => sum + one.sizeBytes, 0) ?? sizeBytes) / 3) * 4;
    if (!vision || characters > left) {
      unsent.set(name, vision ? "too-large" : "no-vision");
      continue;
    }
    left -= characters;
  }
  return unsent;
}

/** A picture part without its hash is sent as text only. */
export function toUnsentPicture({ hash: _, ...part }: PartOf<"file">, why: PictureReason): PartOf<"file"> {
  // A document: its text is sent.
  if (part.ref !== undefined) return { ...part, digest: `${part.digest ?? ""}\n[${unsentPages[why]}]` };
  const text = (part.digest ?? "").replace(/\[The person attached/, "[The user attached").replace(/\]$/, "");
  return { ...part, digest: `${text} ${unsentNotes[why]}]` };
}

const unsentNotes: Readonly<Record<PictureReason, string>> = {
  "no-vision": "It was not sent because this model cannot read pictures. Tell the user if it matters.",
  "too-large": "It was not sent because newer pictures fill the request. Tell the user if it matters.",
};

const unsentPages: Readonly<Record<PictureReason, string>> = {
  "no-vision": "Its pages were not sent as pictures because this model cannot read pictures.",
  "too-large": "Its pages were not sent as pictures because newer pictures fill the request.",
};

export function listUnsentPictures({ messageId, parts }: Unit, unsent?: UnsentParts): Pick<ReceiptItem, "notSent"> {
  const notSent = parts.flatMap(({ n: part }) => {
    const why = unsent?.get(`${messageId}/${part}`);
    return why === undefined || why === "reasoning" ? [] : [{ part, why }];
  });
  return notSent.length === 0 ? {} : { notSent };
}
