import type { Client } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { ElicitationAnswer, ElicitResponse } from "./elicitation.ts";
import { callResourceTool } from "./resources.ts";

export type McpToolCall = {
  readonly tool: string;
  readonly input: unknown;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }) => void;
  /** The user's answers, if the call asked for something before. */
  readonly answer?: ElicitationAnswer;
};

type Options = {
  readonly client: Client;
  readonly lastRequestId: () => number;
  /** Whether this name is our tool for resources. */
  readonly isResourceTool: (tool: string) => boolean;
  readonly toFailure: (error: unknown) => Error;
};

type Calls = {
  readonly call: (call: McpToolCall) => Promise<unknown>;
  /** Fails a call whose response stream was cut. */
  readonly abandon: (requestId: number) => void;
  /** Cancels a held call, which will get no answer. */
  readonly cancelHeld: (held: string) => void;
  /** Calls run or are held. */
  readonly isBusy: () => boolean;
};

/** A request that runs, or that a server of 2025 keeps open while its question waits for the user. */
type OpenRequest = {
  readonly controller: AbortController;
  answered: Promise<unknown>;
  /** Called when the server asks something in the middle of the call. */
  onAsked: (asked: object) => void;
  reply?: (response: ElicitResponse) => void;
};

const Result = z.record(z.string(), z.unknown());
const MAX_HELD = 20;
/** How long a server of 2025 waits for an answer. Later answers fail. */
const HELD_MS = 60 * 60_000;
const KEY = "form";
const LOST =
  "The connection was lost while the question waited for the user's answer. It is not known whether the call took effect.";

/**
 * Tool calls of a link. A server may ask the user in the middle of a call. Since 2026 the call then ends with a request for
 * input and is repeated with the answers. A server of 2025 sends a request while the call is open: the call is held here, and
 * its caller gets the same kind of result.
 */
export function createCalls({ client, lastRequestId, isResourceTool, toFailure }: Options): Calls {
  const byId = new Map<number, AbortController>();
  const running = new Set<OpenRequest>();
  const held = new Map<string, OpenRequest>();
  let lastHeld = 0;

  const start = ({ tool, input, onProgress, answer }: McpToolCall): OpenRequest => {
    const controller = new AbortController();
    const asked = answer && {
      inputResponses: answer.responses,
      ...(answer.requestState === undefined ? {} : { requestState: answer.requestState }),
    };
    const params = { name: tool, arguments: input as Record<string, unknown>, ...asked };
    const options = {
      ...{ signal: controller.signal, timeout: HELD_MS, maxTotalTimeout: HELD_MS, onprogress: onProgress },
      allowInputRequired: true,
    };
    const answered = isResourceTool(tool)
      ? callResourceTool(client, input, options)
      : client.request({ method: "tools/call", params }, Result, options);
    const id = lastRequestId();
    byId.set(id, controller);
    answered.catch(() => {}).finally(() => byId.delete(id));
    return { controller, answered, onAsked: () => {} };
  };

  const resume = ({ held: id = "", responses }: ElicitationAnswer): OpenRequest => {
    const request = held.get(id);
    if (!request?.reply) throw new Error(LOST);
    held.delete(id);
    request.reply(responses[KEY] ?? { action: "decline" });
    return request;
  };

  client.setRequestHandler("elicitation/create", async (request) => {
    const [only, ...others] = running;
    // The request does not say which call it belongs to.
    if (!only || others.length > 0 || held.size >= MAX_HELD) return { action: "decline" };
    const id = String((lastHeld += 1));
    held.set(id, only);
    only.answered.catch(() => {}).finally(() => held.delete(id));
    return new Promise((reply) => {
      only.reply = reply;
      only.onAsked({ resultType: "input_required", inputRequests: { [KEY]: request }, held: id });
    });
  });

  const call = async (asked: McpToolCall): Promise<unknown> => {
    const { signal: stop, timeoutMs, answer } = asked;
    stop.throwIfAborted();
    const request = answer?.held === undefined ? start(asked) : resume(answer);
    const { controller } = request;
    // The SDK never removes its listener from the signal, so each call gets a separate one.
    const cancel = (): void => controller.abort(new Error("stopped"));
    stop.addEventListener("abort", cancel, { once: true });
    const timer = setTimeout(() => controller.abort(new Error("It did not respond in time.")), timeoutMs);
    running.add(request);
    try {
      const question = new Promise<object>((resolve) => void (request.onAsked = resolve));
      return await Promise.race([request.answered, question]);
    } catch (error) {
      throw controller.signal.aborted ? controller.signal.reason : toFailure(error);
    } finally {
      running.delete(request);
      clearTimeout(timer);
      stop.removeEventListener("abort", cancel);
    }
  };

  return {
    call,
    cancelHeld: (id) => {
      const request = held.get(id);
      held.delete(id);
      request?.reply?.({ action: "cancel" });
      request?.controller.abort(new Error("stopped"));
    },
    isBusy: () => running.size > 0 || held.size > 0,
    abandon: (id) => byId.get(id)?.abort(new Error("The connection was cut before the response arrived.")),
  };
}
