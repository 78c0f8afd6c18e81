import { readFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { ResponseError, type ApiClient, type ThreadView } from "../protocol/api-client.ts";
import { findAnswer } from "../protocol/fold.ts";
import type { PartOf } from "../protocol/parts.ts";
import {
  checkAnswers,
  findQuestion,
  toDecisionKey,
  type AnswerValue,
  type Question,
  type QuestionField,
} from "../protocol/question.ts";
import type { RunView } from "../protocol/run.ts";
import type { Output } from "./output.ts";
import type { Interrupts, Terminal } from "./terminal.ts";

export type Conversation = {
  readonly client: ApiClient;
  readonly threadId: string;
  readonly output: Output;
  /** null: there is no user to ask, so an answer that needs a decision is left waiting. */
  readonly terminal: Terminal | null;
  readonly interrupts: Interrupts;
};

/** `waiting`: the answer needs a decision, and there is no user to ask. */
export type TurnEnd = NonNullable<RunView["outcome"]> | "waiting";

type Message = { readonly text: string; readonly files?: readonly string[]; readonly model?: string | undefined };
export type MessageBody = Parameters<ApiClient["sendMessage"]>[0]["body"];

/** Uploads the files of a message. Sending the result again has no further effect. */
export async function prepareMessage(
  { client, threadId }: Pick<Conversation, "client" | "threadId">,
  { text, files = [], model }: Message,
): Promise<MessageBody> {
  const attachments: string[] = [];
  for (const path of files) {
    const query = { name: basename(path), threadId };
    const body = await readFile(path).catch(() => Promise.reject(new Error(`The file ${path} cannot be read.`)));
    attachments.push((await client.uploadAttachment({ query, body })).id);
  }
  const id = randomUUID();
  return { id, text, ...(attachments.length > 0 ? { attachments } : {}), ...(model ? { model } : {}) };
}

/** Sends a message and shows the answer until it ends. */
export async function sendMessage(conversation: Conversation, body: MessageBody): Promise<TurnEnd> {
  const { client, threadId } = conversation;
  const send = () => client.sendMessage({ params: { threadId }, body });
  // If the response was lost, the message may have arrived.
  await send().catch((error: unknown) => (error instanceof ResponseError ? Promise.reject(error) : send()));
  return followAnswer(conversation, { messageId: body.id });
}

type AnswerRef = { readonly messageId: string } | { readonly runId: string };

/**
 * Shows the answer to a message, or of a run, until it ends. The first Ctrl+C stops the answer, or withdraws a message that is
 * still queued; the second one leaves.
 */
export async function followAnswer(conversation: Conversation, answer: AnswerRef): Promise<TurnEnd> {
  const { client, threadId, output, terminal, interrupts } = conversation;
  const leaving = new AbortController();
  const stopping = Promise.withResolvers<null>();
  let isStopping = false;
  interrupts.handle(() => {
    if (isStopping) return leaving.abort();
    isStopping = true;
    stopping.resolve(null);
    void stop(conversation, runId === undefined && "messageId" in answer ? answer.messageId : null).catch(() =>
      leaving.abort(),
    );
  });
  const asked = new Set<string>();
  let runId = "runId" in answer ? answer.runId : undefined;
  let latest: RunView | null = null;
  for await (const view of client.watchThread({ params: { threadId } }, leaving.signal)) {
    if ("messageId" in answer) runId ??= findAnswer(view.messages, answer.messageId)?.runId ?? undefined;
    if (runId === undefined) {
      if ("messageId" in answer && has(view, answer.messageId)) continue;
      output.note("The message was withdrawn.");
      return "stopped";
    }
    // If the thread shows a newer run, this one has ended and is requested by its id.
    const isNewest = view.run?.id === runId;
    const run = isNewest ? view.run : (await client.getRun({ params: { threadId, runId } })).run;
    if (!run) continue;
    latest = run;
    const parts = view.messages.find(({ id }) => id === run.messageId)?.parts ?? [];
    output.show(parts);
    if (run.state === "ended" || run.state === "parked") {
      if (run.state === "parked" && run.reason) output.note(run.reason.text);
      output.end(run);
      return run.outcome ?? "failed";
    }
    const calls = parts.filter((part): part is PartOf<"tool"> => part.kind === "tool" && part.state === "asking");
    const open = calls.filter((part) => !asked.has(toDecisionKey(part)));
    if (run.state !== "waiting" || open.length === 0) continue;
    for (const part of open) {
      asked.add(toDecisionKey(part));
      const question = findQuestion(part);
      const { id: partId, name, title, asks } = part;
      if (question) output.record({ type: "question", partId, ...question });
      else output.record({ type: "approval", partId, name, title, reason: asks?.text });
    }
    if (terminal === null) {
      output.note("A tool call waits for your decision. Continue with: stonechat chat " + threadId);
      return "waiting";
    }
    const askUser = (prompt: string) => Promise.race([terminal.ask(prompt), stopping.promise]);
    for (const part of open) {
      if (!(await decide(conversation, part, askUser)) && !isStopping) return "waiting";
    }
  }
  if (latest) output.end({ ...latest, outcome: "stopped" });
  return "stopped";
}

const has = ({ messages, queue }: ThreadView, messageId: string): boolean =>
  [...queue, ...messages].some(({ id }) => id === messageId);

/** `queuedId`: a message whose answer has not been seen yet. It is withdrawn, unless its answer has started. */
async function stop({ client, threadId }: Conversation, queuedId: string | null): Promise<void> {
  const isWithdrawn =
    queuedId !== null && (await isDone(client.withdrawInput({ params: { threadId, inputId: queuedId } })));
  if (!isWithdrawn) await client.stopRun({ params: { threadId }, body: { id: randomUUID() } });
}

/** False: it is too late for this action. */
const isDone = (action: Promise<unknown>): Promise<boolean> =>
  action.then(
    () => true,
    (error: unknown) => {
      if (error instanceof ResponseError && error.code === "conflict") return false;
      throw error;
    },
  );

const DECIDED = "This was decided elsewhere in the meantime.";

type Ask = Terminal["ask"];

/** Returns false at the end of the input. */
async function decide({ client, threadId, output }: Conversation, part: PartOf<"tool">, ask: Ask): Promise<boolean> {
  const params = { threadId };
  const question = findQuestion(part);
  if (question) {
    const answers = await askFields(ask, output, question);
    if (answers === undefined) return false;
    const body = { id: randomUUID(), partId: part.id, answers };
    if (!(await isDone(client.answerQuestion({ params, body })))) output.note(DECIDED);
    return true;
  }
  output.note(`${part.name}: ${part.title ?? JSON.stringify(part.input)}${part.asks ? ` (${part.asks.text})` : ""}`);
  for (;;) {
    const line = await ask("Approve? y = once, a = always in this thread, n = deny: ");
    if (line === null) return false;
    const decision = decisions[line.trim().toLowerCase()];
    if (decision === undefined) continue;
    const body = { id: randomUUID(), partId: part.id, decision };
    if (!(await isDone(client.decideCall({ params, body })))) output.note(DECIDED);
    return true;
  }
}

const decisions: Readonly<Record<string, "once" | "thread" | "deny">> = {
  ...{ y: "once", yes: "once", once: "once" },
  ...{ a: "thread", always: "thread", thread: "thread" },
  ...{ n: "deny", no: "deny", deny: "deny" },
};

/** Returns null if the question is skipped, and undefined at the end of the input. */
async function askFields(ask: Ask, output: Output, question: Question) {
  output.note(question.text);
  for (;;) {
    const answers: Record<string, AnswerValue> = {};
    for (const field of question.fields) {
      const options = field.options.map((option, index) => `${index + 1} ${option}`).join(", ");
      const label = question.isSingle ? "" : field.label;
      const line = await ask(`${[label, options && `(${options})`].filter(Boolean).join(" ") || "Answer"}: `);
      if (line === null) return undefined;
      const value = toValue(field, line.trim());
      if (value !== undefined) answers[field.name] = value;
    }
    if (Object.keys(answers).length === 0) return null;
    const faults = checkAnswers(question, answers);
    if (faults.length === 0) return answers as Record<string, string | number | boolean | string[]>;
    for (const { text } of faults) output.note(text);
  }
}

function toValue({ type, options }: QuestionField, line: string): AnswerValue | undefined {
  const pick = (word: string): string => options[Number(word) - 1] ?? word;
  if (line === "") return undefined;
  if (type === "number") return Number(line);
  if (type === "yes_no") return /^y/i.test(line);
  if (type === "choices") return line.split(",").map((word) => pick(word.trim()));
  return type === "choice" ? pick(line) : line;
}
