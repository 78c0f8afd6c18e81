import type { Receipt, ReceiptItem } from "../../../../protocol/context/receipt.ts";
import type { MessageView } from "../../../../protocol/fold.ts";
import type { ModelRequest } from "../../../../protocol/model.ts";
import { isTerminal, type Part, type PartOf } from "../../../../protocol/parts.ts";
import { hashRequest } from "../../../../server/context/render.ts";

/** One request as the provider received it, with everything that its receipt is checked against. */
export type SentRequest = {
  readonly request: ModelRequest;
  readonly receipt: Receipt;
  /** The step of the answer that it was sent for. */
  readonly step: number;
  readonly answerId: string;
  /** The active path up to the answer. */
  readonly path: readonly MessageView[];
  readonly summaries: readonly KnownSummary[];
};

/** `texts`: the first line of every version of it. */
export type KnownSummary = {
  readonly id: string;
  readonly fromDepth: number;
  readonly toDepth: number;
  readonly texts: readonly string[];
};

/**
 * Every contradiction between the receipt, the bytes that were sent and the messages of the path. Written without the code that
 * makes receipts, so that both cannot be wrong in the same way.
 */
export function findContradictions(sent: SentRequest): readonly string[] {
  const { request, receipt, path } = sent;
  const bytes = toText(request);
  const shown = listShown(bytes);
  const found: string[] = [];
  if (hashRequest(request) !== receipt.requestHash) found.push("the hash is not that of the bytes");
  const onPath = new Map(path.map((message) => [message.id, message]));
  for (const item of receipt.items) {
    if (item.kind === "message") found.push(...checkMessageItem(item, onPath.get(item.id), bytes));
    if (item.text !== undefined && !bytes.includes(item.text))
      found.push(`the text of ${item.kind} ${item.id} is missing`);
    if (item.kind === "summary") found.push(...checkSummaryItem(item, sent, shown));
  }
  for (const message of path) found.push(...checkMessage(message, sent, shown));
  found.push(...checkCompaction(sent));
  return found;
}

function checkMessageItem(item: ReceiptItem, message: MessageView | undefined, bytes: string): readonly string[] {
  if (!message) return [`message ${item.id} is listed but not on the path`];
  const parts = message.parts.filter(({ n }) => item.parts?.includes(n));
  const unnamed = parts.flatMap((part) => (part.kind === "tool" ? checkResult(item, part, bytes) : []));
  if (unnamed.length > 0) return unnamed;
  if (item.room !== undefined)
    return bytes.includes("characters left out") || isTiny(parts) ? [] : ["nothing was shortened"];
  return parts.flatMap((part) => {
    const text = textOf(part);
    return text === null || bytes.includes(text)
      ? []
      : [`part ${message.depth}/${part.n} is listed but its bytes are missing`];
  });
}

/** A result is whole in the request, or named as shortened, with its true size. */
function checkResult({ id, shortened = [] }: ReceiptItem, part: PartOf<"tool">, bytes: string): readonly string[] {
  const whole = textOf({ ...part, digest: undefined });
  if (whole === null) return [];
  const named = shortened.find((one) => one.part === `${id}/${part.n}`);
  const isWhole = bytes.includes(whole);
  if (isWhole !== (named === undefined))
    return [`result ${id}/${part.n} is ${isWhole ? "whole" : "shortened"}: not said`];
  return named && named.fromCharacters !== whole.length ? [`result ${id}/${part.n} has another size`] : [];
}

const isTiny = (parts: readonly Part[]): boolean => parts.every((part) => (textOf(part) ?? "").length < 200);

function checkSummaryItem(
  { id, covers = [] }: ReceiptItem,
  { summaries }: SentRequest,
  shown: readonly ShownSummary[],
): readonly string[] {
  const summary = summaries.find((one) => one.id === id);
  if (!summary) return [`summary ${id} is listed but unknown`];
  const isRange = covers.length === 1 && covers[0]?.[0] === summary.fromDepth && covers[0][1] === summary.toDepth;
  return [
    ...(isRange ? [] : [`summary ${id} covers other messages than it says`]),
    ...(isIn(summary, shown) ? [] : [`summary ${id} is listed but its text is missing`]),
  ];
}

/** The place of a summary in a request, and how the text there begins. `range`: the messages that the place names. */
type ShownSummary = { readonly range: string | null; readonly text: string };

/**
 * Matched by position and not only by text: a summary made without a model quotes messages, so the same text can be in an
 * extract or in a policy's history.
 */
const listShown = (bytes: string): readonly ShownSummary[] =>
  [...bytes.matchAll(SUMMARIES)].map(([, range, inHead, inBlock]) => ({
    range: range ?? null,
    text: inHead ?? inBlock ?? "",
  }));

const SUMMARIES = /^\[messages (\d+-\d+)\]\n(.*)|(?:^<(?:conversation-)?summary>\n|"conversation_summary":")(.*)/gm;

const isIn = ({ texts, fromDepth, toDepth }: KnownSummary, shown: readonly ShownSummary[]): boolean =>
  shown.some(
    ({ range, text }) =>
      (range === null || range === `${fromDepth}-${toDepth}`) && texts.some((start) => text.startsWith(start)),
  );

/** Is it in the request, in a text that covers it, or named as left out? And is that true? */
function checkMessage(message: MessageView, sent: SentRequest, shown: readonly ShownSummary[]): readonly string[] {
  const { receipt, answerId, step, summaries } = sent;
  const { depth, id } = message;
  const said = message.parts.filter((part) => textOf(part) !== null && (id !== answerId || part.step < step));
  if (said.length === 0) return [];
  const listed = new Set(
    receipt.items.flatMap((item) => (item.kind === "message" && item.id === id ? (item.parts ?? []) : [])),
  );
  const named = new Set(receipt.leftOut.flatMap(({ parts = [] }) => parts));
  const ranges = receipt.leftOut.filter(
    ({ fromDepth, toDepth, messages }) => messages > 0 && fromDepth <= depth && depth <= toDepth,
  );
  const missing = said.filter(({ n }) => !listed.has(n));
  const lost = missing.filter(({ n }) => ranges.length === 0 && !named.has(`${id}/${n}`));
  const found = lost.map(
    ({ n, kind }) => `part ${depth}/${n} (${kind}) is neither in the request nor named as left out`,
  );
  if (missing.length < said.length) return found;
  const claimed = [...new Set(ranges.flatMap(({ coveredBy }) => coveredBy))];
  found.push(...claimed.flatMap((by) => checkCover(by, message, sent)));
  const texts = summaries.filter((one) => one.fromDepth <= depth && depth <= one.toDepth && isIn(one, shown));
  const ids = receipt.items.flatMap((item) => (item.kind === "summary" ? [item.id] : []));
  const silent = texts.filter((one) => !claimed.includes(one.id) && !isSameText(one, ids, summaries));
  found.push(
    ...silent.map((one) => `summary ${one.id} in the request covers ${depth}, and the receipt does not say so`),
  );
  const isCompacted = ranges.some(({ why }) => why === "before-the-cut");
  if (isCompacted && claimed.length === 0) found.push(`message ${depth} was compacted and nothing covers it`);
  return found;
}

/** Two summaries may begin alike. */
const isSameText = (one: KnownSummary, ids: readonly string[], all: readonly KnownSummary[]): boolean =>
  all.some(
    (other) => other.id !== one.id && ids.includes(other.id) && other.texts.some((text) => one.texts.includes(text)),
  );

function checkCover(by: string, { depth, parts }: MessageView, { request, receipt }: SentRequest): readonly string[] {
  const item = receipt.items.find((one) => (by === "extract" ? one.kind === by : one.id === by));
  if (!item) return [`message ${depth} is covered by ${by}, which is not in the request`];
  if (!item.covers?.some(([from, to]) => from <= depth && depth <= to))
    return [`${by} does not cover message ${depth}`];
  if (by === "extract") {
    const isLine = listRanges(headOf(request), LINES).some(([from, to]) => from <= depth && depth <= to);
    return isLine ? [] : [`no line of the compaction covers message ${depth}`];
  }
  if (by === "history") {
    const text = parts
      .flatMap((part) => (part.kind === "text" && part.aside === undefined ? [part.text] : []))
      .join("\n\n");
    return item.text?.includes(text.slice(-40)) ? [] : [`the history has nothing of message ${depth}`];
  }
  return [];
}

/** Checks the compaction summary: each message is in one of its texts, or named as not included. */
function checkCompaction({ request, receipt }: SentRequest): readonly string[] {
  const head = headOf(request);
  const end = Number(/^<context messages="1-(\d+)">/.exec(head)?.[1] ?? 0);
  if (receipt.policy !== "stone" || end === 0) return [];
  const ranges = [...listRanges(head, LINES), ...listRanges(head, CHUNKS), ...listOmitted(head)];
  const found: string[] = [];
  for (let depth = 1; depth <= end; depth += 1) {
    if (!ranges.some(([from, to]) => from <= depth && depth <= to))
      found.push(`the compaction claims message ${depth}`);
    const isNamed = receipt.leftOut.some(
      ({ fromDepth, toDepth, messages }) => messages > 0 && fromDepth <= depth && depth <= toDepth,
    );
    if (!isNamed) found.push(`message ${depth} is compacted and not named as left out`);
  }
  return found;
}

const LINES = /^m(\d+)(?:-(\d+))?:/gm;
const CHUNKS = /^\[messages (\d+)-(\d+)\]$/gm;

const listRanges = (text: string, pattern: RegExp): readonly (readonly [number, number])[] =>
  [...text.matchAll(pattern)].map(([, from, to]) => [Number(from), Number(to ?? from)] as const);

const listOmitted = (head: string): readonly (readonly [number, number])[] => {
  const listed = /^Not included: messages ([\d, -]+)\./m.exec(head)?.[1] ?? "";
  return listed.split(", ").flatMap((one) => {
    const [from, to = from] = one.split("-").map(Number);
    return from ? [[from, to ?? from] as const] : [];
  });
};

const headOf = ({ messages: [first] }: ModelRequest): string =>
  first?.role === "user" && first.text.startsWith("<context") ? first.text : "";

/** Every text of a request, as a provider's package would be given it. */
function toText({ messages }: ModelRequest): string {
  return messages
    .flatMap((message): readonly string[] => {
      if (message.role === "user") return [message.text];
      if (message.role === "tool") return message.results.map(({ text }) => text);
      return message.parts.map((part) => (part.kind === "tool-call" ? JSON.stringify(part.input) : part.text));
    })
    .join("\n");
}

/** The text that a model reads of a part; null if there is none. */
function textOf(part: Part): string | null {
  if (part.aside !== undefined) return null;
  if (part.kind === "text") return part.text === "" ? null : part.text;
  return part.kind === "tool" && isTerminal(part.state) ? toResult(part) : null;
}

const toResult = ({ state, digest, output, errorText }: PartOf<"tool">): string => {
  if (state !== "ok") return errorText ?? state;
  return digest ?? (typeof output === "string" ? output : JSON.stringify(output ?? null));
};
