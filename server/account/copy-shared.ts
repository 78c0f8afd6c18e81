import { describeEnd, type MessageView } from "../../protocol/fold.ts";
import type { Part } from "../../protocol/parts.ts";
import type { SharedMessage, SharedPart, SharedThread } from "../../protocol/account/shares.ts";
import type { Redactor } from "../redact/redact.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { loadShown } from "../thread/snapshot.ts";

/** The newest are shared; what is beyond this is left out and counted. */
const MOST_MESSAGES = 2_000;
const MOST_CHARACTERS = 4_000_000;

/** The active path as it is now, told without receipts, memory, reasoning, and what tools were given or returned. */
export async function copyShared(
  read: Reads,
  thread: RowOf<"threads">,
  redactor: Redactor,
  now: number,
): Promise<{ readonly shared: SharedThread; readonly redacted: number }> {
  const messages = await read.together((reads) =>
    loadShown(reads, { thread: thread.id, branch: thread.branch, count: MOST_MESSAGES }),
  );
  // Told twice: first to gather the texts, which are redacted together, then with what they became.
  const texts = new Set<string>([thread.title]);
  const gather = (text: string): string => (texts.add(text), text);
  for (const message of messages) toSharedMessage(message, gather);
  const { value, found } = await redactor.apart.value([...texts]);
  const cleaned = new Map([...texts].map((text, n) => [text, (value as readonly string[])[n] ?? ""]));
  const clean = (text: string): string => cleaned.get(text) ?? "";
  const hidden = new Set(found.map(({ placeholder }) => placeholder));
  const told = messages.map((message) => toSharedMessage(message, clean));
  const kept = keepNewest(told);
  const first = messages[0]?.depth ?? 1;
  const shared = {
    title: clean(thread.title),
    sharedAt: now,
    messages: kept,
    leftOut: first - 1 + told.length - kept.length,
  };
  return { shared, redacted: hidden.size };
}

function keepNewest(messages: readonly SharedMessage[]): SharedMessage[] {
  let room = MOST_CHARACTERS;
  const from = messages.findLastIndex((message) => (room -= JSON.stringify(message).length) < 0);
  return messages.slice(from + 1);
}

function toSharedMessage(message: MessageView, clean: (text: string) => string): SharedMessage {
  const { role, createdAt, parts, endedEarly } = message;
  const model = parts.findLast((part) => part.kind === "step")?.model ?? null;
  const told = parts.filter((part) => part.aside === undefined).flatMap((part) => toSharedPart(part, clean));
  const end: SharedPart[] = endedEarly ? [{ kind: "notice", level: "info", text: clean(describeEnd(endedEarly)) }] : [];
  return { role, createdAt, model, parts: [...told, ...end] };
}

function toSharedPart(part: Part, clean: (text: string) => string): SharedPart[] {
  switch (part.kind) {
    case "text":
      return part.text === "" ? [] : [{ kind: "text", text: clean(part.text) }];
    case "tool":
      return [{ kind: "tool", name: part.name, title: clean(part.title ?? ""), state: part.state }];
    case "source":
      return [
        { kind: "source", title: clean(part.title ?? ""), url: toOpenUrl(part.url, clean), ref: part.ref ?? null },
      ];
    case "notice":
      return [{ kind: "notice", level: part.level, text: clean(part.text) }];
    case "file":
      return [{ kind: "file", name: clean(part.name ?? ""), mediaType: part.mediaType }];
    case "reasoning":
    case "context":
    case "step":
    case "data":
      return [];
  }
}

/** Of the web, without credentials; one that holds a secret is not told at all. */
function toOpenUrl(text: string | undefined, clean: (text: string) => string): string | null {
  if (text === undefined || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  url.username = "";
  url.password = "";
  url.hash = "";
  return clean(url.href) === url.href ? url.href : null;
}
