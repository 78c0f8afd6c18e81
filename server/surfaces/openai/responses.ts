import { z } from "zod";
import { ApiError } from "../../../protocol/errors.ts";
import type { Principal } from "../../auth/principal.ts";
import type { RowOf } from "../../store/schema.ts";
import { loadWindow } from "../../thread/path.ts";
import { findProblem } from "./answer-problem.ts";
import { findAnswer, readUsage, type Answer, type AnswerPosition } from "./answer.ts";
import { first, stopAnswer, type Answers } from "./open-answers.ts";
import { AnswerFailed } from "./errors.ts";
import { DONE, toLine, toJson, type Handler, type OpenAiDeps, type OpenAiReply } from "./handler.ts";
import { toInputItems, toList } from "./list-items.ts";
import { parseWith, toUnsupported, type ParsedRequest } from "./parse.ts";
import { parseResponses } from "./parse-responses.ts";
import { toResponse, type ResponseHead } from "./response-output.ts";
import { createResponseEvents, type StreamEvent } from "./response-stream.ts";

const MOST_INPUTS = 500;

export const ResponseQuery = z.object({
  stream: z.enum(["true", "false"]).optional(),
  starting_after: z.coerce.number().int().min(-1).max(Number.MAX_SAFE_INTEGER).default(-1),
});

/** Creates responses. */
export function createResponseHandler(deps: OpenAiDeps, { admit, wait, followAsked }: Answers): Handler {
  return async (call) => {
    const { principal, body, signal } = call;
    const request = parseResponses(body);
    const asked = await admit(call, request, "resp_");
    const head: ResponseHead = { ...asked, echo: { ...toEcho(request), store: asked.isKept } };
    const answers = followAsked(principal, asked, signal);
    if (request.stream) return streamResponse(deps.read, head, { place: asked, after: -1 }, answers);
    const answer = request.background ? await first(answers) : await wait(principal, asked, signal);
    const failure = request.background ? undefined : findProblem(answer, request.caller.settings?.format);
    if (failure) throw new AnswerFailed(failure);
    return toJson(describe(deps.read, head, asked, answer));
  };
}

/** Stored responses. */
export function createStoredResponses(deps: OpenAiDeps, { follow }: Answers) {
  return {
    getResponse: async (call) => {
      const row = await getRow(deps, call.principal, call.params["id"]);
      const { stream, starting_after: after } = parseWith(ResponseQuery, call.query);
      const head = toHead(row);
      const answers = follow(call.principal, row, call.signal);
      if (stream === "true") return streamResponse(deps.read, head, { place: row, after }, answers);
      return toJson(describe(deps.read, head, row, await first(answers)));
    },
    /** The answer stays in its thread, unless the thread is temporary and has no other response. */
    deleteResponse: async ({ principal, params }) => {
      const { owner, id, thread } = await getRow(deps, principal, params["id"]);
      const others = (await deps.read.apiRequestsOf(thread)).filter((row) => row.id !== id);
      const isTemporary = (await deps.threads.get(principal, thread)).temporary === 1;
      if (isTemporary && others.length === 0) await deps.threads.remove(principal, thread);
      else
        await deps.log.commit({
          events: [],
          writes: [{ do: "delete", table: "api_requests", where: { owner, id } }],
        });
      return { json: { id, object: "response", deleted: true } };
    },
    cancelResponse: async ({ principal, params, signal }) => {
      const row = await getRow(deps, principal, params["id"]);
      await stopAnswer(deps, principal, row);
      let last: Answer | undefined;
      for await (const answer of follow(principal, row, signal)) last = answer;
      if (!last) throw new ApiError("unavailable", "The request was ended.");
      return toJson(describe(deps.read, toHead(row), row, last));
    },
    /** The messages of the thread up to this response. */
    listInputItems: async ({ principal, params, query }) => {
      const row = await getRow(deps, principal, params["id"]);
      const answer = await findAnswer(deps.read, row);
      const upTo = answer ? { branch: answer.branchId, upTo: answer.depth } : undefined;
      const { branch } = await deps.threads.get(principal, row.thread);
      const place = { thread: row.thread, branch, ...upTo, count: MOST_INPUTS };
      const { messages } = await loadWindow(deps.read, place);
      // The steps of the answer that earlier requests got, with the results that were sent for them.
      const input = messages.flatMap((message) =>
        toInputItems(
          row.thread,
          message.id === answer?.id
            ? { ...message, parts: message.parts.filter(({ step }) => step <= row.step) }
            : message,
        ),
      );
      return { json: toList(input, query) };
    },
  } satisfies Record<string, Handler>;
}

const describe = async (read: OpenAiDeps["read"], head: ResponseHead, place: AnswerPosition, answer: Answer) =>
  toResponse(head, answer, answer.isOver ? await readUsage(read, place.thread, answer) : null);

function streamResponse(
  read: OpenAiDeps["read"],
  head: ResponseHead,
  { place, after }: { readonly place: AnswerPosition; readonly after: number },
  answers: AsyncGenerator<Answer>,
): OpenAiReply {
  const events = createResponseEvents(head, after);
  const toLines = (all: readonly StreamEvent[]): string[] =>
    all.map((event) => `event: ${event.type}\n${toLine(event)}`);
  async function* stream() {
    for await (const answer of answers) {
      if (!answer.isOver) yield* toLines(events.update(answer));
      else yield* [...toLines(events.end(answer, await readUsage(read, place.thread, answer))), DONE];
    }
  }
  return { events: stream(), toFailure: (error) => [...toLines(events.fail(error)), DONE].join("") };
}

async function getRow(
  { read }: Pick<OpenAiDeps, "read">,
  principal: Principal,
  id = "",
): Promise<RowOf<"api_requests">> {
  const row = id.startsWith("resp_") ? await read.apiRequest(principal.userId, id) : undefined;
  const thread = row?.stored === 1 ? await read.thread(row.thread) : undefined;
  if (row && thread?.owner === principal.userId) return row;
  throw new ApiError("not-found", `Response with id "${id.slice(0, 100)}" not found.`);
}

const toEcho = ({ model, echo, conversationId, unsupported }: ParsedRequest) => ({
  ...{ model, ...echo, ...toUnsupported({ unsupported }) },
  ...(conversationId === undefined ? {} : { conversation: { id: conversationId } }),
});

const toHead = ({ id, created_at: createdAt, body }: RowOf<"api_requests">): ResponseHead => ({
  ...{ id, createdAt, echo: JSON.parse(body) as ResponseHead["echo"] },
});
