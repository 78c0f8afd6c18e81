import {
  inputRequired,
  inputResponse,
  type CallToolResult,
  type InputRequest,
  type InputRequiredResult,
  type PrimitiveSchemaDefinition,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { untrustedIn } from "../../../protocol/context/untrusted.ts";
import { ApiError } from "../../../protocol/errors.ts";
import { describeEnd, textOf, toEarlyEnd } from "../../../protocol/fold.ts";
import type { PartOf } from "../../../protocol/parts.ts";
import { findQuestion, QUESTION, toDecisionKey, type QuestionField } from "../../../protocol/question.ts";
import { followAnswer, listAsking, type AnswerState, type AskedQuestion } from "./follow-answer.ts";
import { listSources, threadUri } from "./render.ts";
import type { McpRequest } from "./request.ts";
import { clip, toResult, withNote } from "./result.ts";
import { defineMcpTool, Id, type McpTool } from "./tool.ts";

/** A new thread is named after it, within the length of an id. */
const QuestionId = z.string().min(1).max(100);
const Input = z.object({
  question: z.string().min(1).max(100_000),
  id: QuestionId.optional().describe(
    "Chosen by you. If the call is cut, call again with the same id and question: you get the answer of the same run.",
  ),
  thread_id: Id.optional().describe("Continue this thread. Omitted: a new one."),
  profile: Id.optional().describe("For a new thread; see list_profiles."),
  model: z.string().min(1).max(200).optional(),
  project_id: Id.optional().describe("For a new thread: the project that it belongs to."),
});
type Input = z.infer<typeof Input>;

const MAX_ANSWER = 100_000;

/**
 * A durable answer: the question is a message of a thread, the answer a run, which continues when the caller leaves. Tool calls
 * that need approval and questions of the model are put to the client's user, or wait in the thread.
 */
const ask = defineMcpTool({
  name: "ask",
  title: "Ask",
  description:
    "Asks the assistant of this instance, with its memory, tools and projects, and returns its answer with sources. The answer is " +
    "written in a thread that the user sees, and finishes even if this call is cut.",
  input: Input,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  run: async (input, request) => {
    const question = await send(input, request);
    const decided = await decide(request, question.threadId);
    const state = await followAnswer(request, question, { decided, onProgress: createProgress(request) });
    const asking =
      state.run.state === "waiting" ? listAsking(state.answer).filter((part) => !decided.has(toDecisionKey(part))) : [];
    // The user of the client has looked at the questions and chose not to answer now: they wait in the thread.
    const isPutOff = Object.keys(request.context.mcpReq.inputResponses ?? {}).length > 0 && decided.size === 0;
    const forms = asking.filter(({ client }) => !client);
    if (forms.length > 0 && request.canElicit() && !isPutOff) return toInputRequests(forms, question);
    return toAnswer(request, question, state, asking);
  },
});

const stop = defineMcpTool({
  name: "stop_answer",
  title: "Stop an answer",
  description: "Stops the running answer of a thread. Its text so far is kept.",
  input: z.object({ thread_id: Id }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: async ({ thread_id: threadId }, { call, ids }) => {
    const { run, queue } = await call("getThread", { params: { threadId }, query: { limit: 1 } });
    const isRunning = run !== null && run.state !== "ended";
    if (isRunning) await call("stopRun", { params: { threadId }, body: { id: ids.next() } });
    return toResult({
      ...{ thread_id: threadId, stopped: isRunning },
      ...(isRunning ? {} : { note: "No answer of this thread was running." }),
      ...(queue.length === 0 ? {} : { queued: queue.length, next: "The next queued message is answered now." }),
    });
  },
});

export const askTools: readonly McpTool[] = [ask, stop];

/** Creates the thread and sends the message. Both have ids, so that repeating them changes nothing. */
async function send(input: Input, { call, ids, context }: McpRequest): Promise<AskedQuestion> {
  const { question: text, model, profile, project_id: projectId } = input;
  const resumed = ResumedState.safeParse(parseState(context.mcpReq.requestState<string>())).data;
  const messageId = input.id ?? resumed?.id ?? ids.next();
  const threadId = input.thread_id ?? `ask-${messageId}`;
  if (input.thread_id !== undefined && (profile !== undefined || projectId !== undefined))
    throw new ApiError(
      "invalid",
      "A profile and a project can be chosen only for a new thread. Omit thread_id, or omit them.",
    );
  if (input.thread_id === undefined)
    await call("createThread", {
      body: {
        id: threadId,
        ...(profile === undefined ? {} : { profile }),
        ...(model === undefined ? {} : { model }),
        ...(projectId === undefined ? {} : { projectId }),
      },
    });
  await call("sendMessage", { params: { threadId }, body: { id: messageId, text, ...(model ? { model } : {}) } });
  return { threadId, messageId };
}

/** Goes to the client and back between two rounds of the same call. It only names an id, which is authorized like any other. */
const ResumedState = z.object({ id: QuestionId });

function parseState(state: string | undefined): unknown {
  try {
    return state === undefined ? undefined : JSON.parse(state);
  } catch {
    return undefined;
  }
}

function createProgress({ context }: McpRequest): (message: string) => void {
  const { _meta, notify } = context.mcpReq;
  const progressToken = _meta?.progressToken;
  let progress = 0;
  return (message) => {
    if (progressToken === undefined) return;
    progress += 1;
    const params = { progressToken, progress, message: clip(message, 300) };
    // A client that has left is noticed by its signal.
    notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

/** One form for each waiting call, under the key of its decision. */
function toInputRequests(asking: readonly PartOf<"tool">[], { messageId }: AskedQuestion): InputRequiredResult {
  const inputRequests = Object.fromEntries(asking.map((part) => [toDecisionKey(part), toForm(part)]));
  return inputRequired({ inputRequests, requestState: JSON.stringify({ id: messageId }) });
}

function toForm(part: PartOf<"tool">): InputRequest {
  const question = findQuestion(part);
  if (part.asks?.code !== QUESTION || !question) {
    const message = `${part.title ?? part.name}\n${part.asks?.text ?? ""}`.trim();
    const approve = { type: "boolean", title: "Allow this?" } as const;
    return inputRequired.elicit({
      message: clip(message, 2000),
      requestedSchema: { type: "object", properties: { approve }, required: ["approve"] },
    });
  }
  return inputRequired.elicit({
    message: question.text,
    requestedSchema: {
      type: "object",
      properties: Object.fromEntries(question.fields.map((field) => [field.name, toFieldSchema(field)])),
      required: question.fields.flatMap(({ name, required }) => (required ? [name] : [])),
    },
  });
}

function toFieldSchema({ label: title, type, options }: QuestionField): PrimitiveSchemaDefinition {
  switch (type) {
    case "number":
      return { type: "number", title };
    case "yes_no":
      return { type: "boolean", title };
    case "date":
      return { type: "string", format: "date", title };
    case "choice":
      return { type: "string", title, enum: [...options] };
    case "choices":
      return { type: "array", title, items: { type: "string", enum: [...options] } };
    case "text":
      return { type: "string", title };
  }
}

/** Applies the user's answers of a repeated call. Returns the ids of the decided tool calls. */
async function decide(request: McpRequest, threadId: string): Promise<ReadonlySet<string>> {
  const responses = request.context.mcpReq.inputResponses ?? {};
  const decided = new Set<string>();
  const { run, messages } = await request.call("getThread", { params: { threadId }, query: { limit: 2 } });
  const answer = messages.find(({ id }) => id === run?.messageId);
  for (const part of answer ? listAsking(answer) : []) {
    if (part.client) continue;
    const given = inputResponse(responses, toDecisionKey(part));
    if (given.kind !== "elicit" || given.action === "cancel") continue;
    const content = given.action === "accept" ? (given.content ?? {}) : null;
    await decidePart(request, { threadId, part, content });
    decided.add(toDecisionKey(part));
  }
  return decided;
}

type Decision = {
  readonly threadId: string;
  readonly part: PartOf<"tool">;
  /** null: declined. */
  readonly content: Record<string, unknown> | null;
};

async function decidePart({ call, ids }: McpRequest, { threadId, part, content }: Decision): Promise<void> {
  const base = { id: ids.next(), partId: part.id };
  const params = { threadId };
  try {
    if (part.asks?.code === QUESTION)
      await call("answerQuestion", { params, body: { ...base, answers: content as Record<string, string> | null } });
    else
      await call("decideCall", {
        params,
        body: { ...base, decision: content?.["approve"] === true ? "once" : "deny" },
      });
  } catch (error) {
    // Decided on the page in the meantime.
    if (!(error instanceof ApiError) || error.code !== "conflict") throw error;
  }
}

function toAnswer(
  { publicUrl }: McpRequest,
  { threadId, messageId }: AskedQuestion,
  { answer, run, isQueued }: AnswerState,
  asking: readonly PartOf<"tool">[],
): CallToolResult {
  const url = `${publicUrl}/t/${threadId}`;
  if (isQueued) {
    const next = describeWait("An earlier answer of this thread", asking, { url, id: messageId });
    return toResult({ status: "queued", next, id: messageId, thread_id: threadId, uri: threadUri(threadId), url });
  }
  const end = toEarlyEnd(run);
  const untrusted = untrustedIn(answer.parts);
  const value = withNote(
    {
      status: run.outcome ?? run.state,
      answer: clip(textOf(answer.parts), MAX_ANSWER),
      ...(end ? { ended_early: describeEnd(end) } : {}),
      ...(run.state === "ended" ? {} : { next: describeWait("The answer", asking, { url, id: messageId }) }),
      ...{ sources: listSources(answer.parts), untrusted },
      ...{ id: messageId, thread_id: threadId, uri: threadUri(threadId), url, answer_id: answer.id, run_id: run.id },
      ...{ model: run.model, cost_usd: run.costUsd },
    },
    untrusted,
  );
  return { ...toResult(value), ...(run.outcome === "failed" ? { isError: true } : {}) };
}

/** Titles may end with a question mark. */
function describeAsk({ title, name, asks }: PartOf<"tool">): string {
  const sentences = [title ?? name, ...(asks?.text ? [asks.text] : [])];
  return sentences.map((one) => (/[.?!]$/.test(one) ? one : `${one}.`)).join(" ");
}

type ThreadLink = { readonly url: string; readonly id: string };

function describeWait(subject: string, asking: readonly PartOf<"tool">[], { url, id }: ThreadLink): string {
  const what =
    asking.length === 0
      ? `${subject} stopped the server several times and is parked.`
      : `${subject} waits for the user: ${asking.map((part) => clip(describeAsk(part), 400)).join(" ")}`;
  return `${what} Ask the user to decide at ${url}, then call ask again with id “${id}” and the same question.`;
}
