import { findProblem } from "./answer-problem.ts";
import { readUsage } from "./answer.ts";
import type { Answers, OpenRequest } from "./open-answers.ts";
import { createChatChunks, toCompletion } from "./chat-output.ts";
import { AnswerFailed, type OpenAiError } from "./errors.ts";
import { DONE, toLine, type Handler, type OpenAiDeps, type OpenAiRequest } from "./handler.ts";
import { parseChat } from "./parse-chat.ts";
import { toUnsupported, type ParsedRequest } from "./parse.ts";

/** Chat completions. */
export function createChatHandler(deps: OpenAiDeps, { admit, wait, followAsked }: Answers): Handler {
  const createChat: Handler = async (call) => {
    const { principal, body, signal } = call;
    const request = parseChat(body);
    const asked = await admit(call, request, "chatcmpl-");
    const head = { id: asked.id, createdAt: asked.createdAt, model: request.model };
    if (request.stream) return { events: streamChat(call, request, asked), toFailure: toChatFailure };
    const answer = await wait(principal, asked, signal);
    const failure = findProblem(answer, request.caller.settings?.format);
    if (failure) throw new AnswerFailed(failure);
    const completion = toCompletion(head, answer, await readUsage(deps.read, asked.thread, answer));
    return { json: { ...completion, ...toUnsupported(request) } };
  };

  async function* streamChat({ principal, signal }: OpenAiRequest, request: ParsedRequest, asked: OpenRequest) {
    const head = { id: asked.id, createdAt: asked.createdAt, model: request.model };
    const chunks = createChatChunks(head, request.includeUsage);
    for await (const answer of followAsked(principal, asked, signal)) {
      for (const chunk of chunks.update(answer)) yield toLine(chunk);
      if (!answer.isOver) continue;
      const failure = findProblem(answer, request.caller.settings?.format);
      if (failure) throw new AnswerFailed(failure);
      const usage = request.includeUsage ? await readUsage(deps.read, asked.thread, answer) : null;
      for (const chunk of chunks.end(answer, usage)) yield toLine(chunk);
      yield DONE;
    }
  }

  return createChat;
}

const toChatFailure = (error: OpenAiError): string => toLine({ error }) + DONE;
