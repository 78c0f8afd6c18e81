import { describeEnd, textOf, type MessageView } from "../../protocol/fold.ts";
import type { Part, PartOf } from "../../protocol/parts.ts";
import { listCitedRefs, listSourceRefs } from "../../protocol/source-refs.ts";
import type { SharedMessage, SharedPart, SharedThread } from "../../protocol/account/shares.ts";
import type { Redactor } from "../redact/redact.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { loadMessageViews } from "../thread/snapshot.ts";

/** The newest messages are shared; the number of omitted ones is recorded. */
const MOST_MESSAGES = 2_000;
const MOST_CHARACTERS = 4_000_000;

/** Snapshot of the active path without receipts, memory, reasoning, and the input and output of tools. */
export async function takeSnapshot(
  read: Reads,
  thread: RowOf<"threads">,
  redactor: Redactor,
  now: number,
): Promise<{ readonly shared: SharedThread; readonly redacted: number }> {
  const messages = await read.together((reads) =>
    loadMessageViews(reads, { thread: thread.id, branch: thread.branch, count: MOST_MESSAGES }),
  );
  // Two passes: the first collects all texts so that they are redacted together, the second inserts the redacted texts.
  const texts = new Set<string>([thread.title]);
  const gather = (text: string): string => (texts.add(text), text);
  for (const message of messages) toSharedMessage(message, gather);
  const { value, found } = await redactor.inWorker.value([...texts]);
  const cleaned = new Map([...texts].map((text, n) => [text, (value as readonly string[])[n] ?? ""]));
  const clean = (text: string): string => cleaned.get(text) ?? "";
  const hidden = new Set(found.map(({ placeholder }) => placeholder));
  const all = messages.map((message) => toSharedMessage(message, clean));
  const newest = keepNewest(all);
  const first = messages[0]?.depth ?? 1;
  const shared = {
    title: clean(thread.title),
    sharedAt: now,
    messages: newest,
    leftOut: first - 1 + all.length - newest.length,
  };
  return { shared, redacted: hidden.size };
}

function keepNewest(messages: readonly SharedMessage[]): SharedMessage[] {
  let left = MOST_CHARACTERS;
  const from = messages.findLastIndex((message) => (left -= JSON.stringify(message).length) < 0);
  return messages.slice(from + 1);
}

function toSharedMessage(message: MessageView, clean: (text: string) => string): SharedMessage {
  const { role, createdAt, parts, endedEarly } = message;
  const model = parts.findLast((part) => part.kind === "step")?.model ?? null;
  const shown = parts.filter((part) => part.aside === undefined);
  const toCited = findCited(shown);
  const seen = new Set<string>();
  const shared = shown.flatMap((part): SharedPart[] => {
    if (part.kind !== "source") return toSharedPart(part, clean);
    // A page that was found and then read is listed once.
    if (part.url !== undefined && seen.has(part.url)) return [];
    if (part.url !== undefined) seen.add(part.url);
    return [toSharedSource(part, toCited(part.url), clean)];
  });
  const end: SharedPart[] = endedEarly ? [{ kind: "notice", level: "info", text: clean(describeEnd(endedEarly)) }] : [];
  return { role, createdAt, model, parts: [...shared, ...end] };
}

/** The numbers of an address that the text of these parts cites. */
function findCited(parts: readonly Part[]): (url: string | undefined) => readonly number[] {
  const cited = new Set(listCitedRefs(textOf(parts)));
  const refs = listSourceRefs(parts);
  return (url) => (refs.get(url ?? "") ?? []).filter((ref) => cited.has(ref));
}

const toSharedSource = (
  { title, url, ref }: PartOf<"source">,
  cited: readonly number[],
  clean: (text: string) => string,
): SharedPart => ({
  kind: "source",
  title: clean(title ?? ""),
  url: toOpenUrl(url, clean),
  ref: cited[0] ?? ref ?? null,
  ...(cited.length > 1 ? { refs: [...cited] } : {}),
});

function toSharedPart(part: Part, clean: (text: string) => string): SharedPart[] {
  switch (part.kind) {
    case "text":
      return part.text === "" ? [] : [{ kind: "text", text: clean(part.text) }];
    case "tool":
      return [{ kind: "tool", name: part.name, title: clean(part.title ?? ""), state: part.state }];
    case "notice":
      return [{ kind: "notice", level: part.level, text: clean(part.text) }];
    case "file":
      return [{ kind: "file", name: clean(part.name ?? ""), mediaType: part.mediaType }];
    case "source":
    case "reasoning":
    case "context":
    case "step":
    case "data":
      return [];
  }
}

/** Only http(s) URLs, without credentials. A URL that contains a secret is omitted. */
function toOpenUrl(text: string | undefined, clean: (text: string) => string): string | null {
  if (text === undefined || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  url.username = "";
  url.password = "";
  url.hash = "";
  return clean(url.href) === url.href ? url.href : null;
}
