import type { Usage } from "../../../protocol/run.ts";
import type { Answer } from "./answer.ts";
import { answerRestarted, type OpenAiError } from "./errors.ts";
import { readNames } from "./namespaces.ts";
import {
  toContentPart,
  toItemObject,
  toOutputItems,
  toResponse,
  type OutputItem,
  type ResponseHead,
} from "./response-output.ts";

export type StreamEvent = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * Turns changes of an answer into the events of a response. The number of an event does not depend on how the answer was cut
 * into deltas: an event counts one, and a delta counts its characters. So a stream that was cut at any event continues exactly
 * there, on any node and after any crash: everything is made again from the stored answer, and numbers up to `after` are left out.
 */
export function createResponseEvents(head: ResponseHead, after: number) {
  const toCalled = readNames(head.echo);
  let next = 0;
  /** Among the items of the answer. */
  let position = 0;
  /** Among the items of the stream: without those that were left out. */
  let index = 0;
  /** Parts of messages that were written to their end. */
  const written = new Set<string>();
  let open: { readonly id: string; sent: number } | undefined;
  let isBegun = false;
  const events: StreamEvent[] = [];

  const add = (type: string, fields: object): void => {
    if (next > after) events.push({ type, sequence_number: next, ...fields });
    next += 1;
  };
  const addDelta = (type: string, text: string, fields: object): void => {
    const last = next + text.length - 1;
    const unsent = text.slice(Math.max(0, after + 1 - next));
    if (text !== "" && last > after) events.push({ type, sequence_number: last, ...fields, delta: unsent });
    next += text.length;
  };
  const take = (): readonly StreamEvent[] => events.splice(0);

  const begin = (answer: Answer): void => {
    if (isBegun) return;
    isBegun = true;
    const response = { ...toResponse(head, { ...answer, parts: [], isOver: false }, null), status: "in_progress" };
    add("response.created", { response });
    add("response.in_progress", { response });
  };
  /** Events for a new item, for the part of its text that was not sent yet, and for its end. */
  const write = (item: OutputItem): void => {
    const place = { item_id: item.id, output_index: index };
    const names = eventNames[item.kind];
    if (open?.id !== item.id) {
      open = { id: item.id, sent: 0 };
      add("response.output_item.added", { output_index: index, item: toItemObject(item, "", false, toCalled) });
      if (names.part) add(names.part.added, { ...place, ...names.place, part: names.part.of("") });
      if (item.kind === "mcp_call") add("response.mcp_call.in_progress", place);
    }
    addDelta(names.delta, item.text.slice(open.sent), { ...place, ...names.place, ...names.extra });
    open.sent = item.text.length;
    if (!item.isDone) return;
    const text = item.kind === "message" || item.kind === "reasoning" ? { text: item.text } : { arguments: item.text };
    const name = item.kind === "function_call" && item.part.kind === "tool" ? toCalled(item.part.name) : {};
    add(names.done, { ...place, ...names.place, ...names.extra, ...text, ...name });
    if (names.part) add(names.part.done, { ...place, ...names.place, part: names.part.of(item.text) });
    if (item.kind === "mcp_call") add(`response.mcp_call.${isOk(item) ? "completed" : "failed"}`, place);
    add("response.output_item.done", { output_index: index, item: toItemObject(item, item.text, true, toCalled) });
    if (item.kind === "message") written.add(item.part.id);
    index += 1;
    open = undefined;
  };
  /**
   * Leaves out text of a superseded attempt, which has its numbers nevertheless. If the client has some of it, now or before its
   * stream was cut, the stream cannot be continued.
   */
  const leaveOut = (item: OutputItem, isFailed: boolean): void => {
    const isOpen = open?.id === item.id;
    const size = item.text.length + EVENTS_OF_MESSAGE;
    if (!isFailed && (isOpen || (after >= next && after < next + size))) throw answerRestarted();
    if (!isOpen) next += size;
    open = undefined;
  };
  const writeAll = (answer: Answer): void => {
    begin(answer);
    const isFailed = answer.run?.outcome === "failed";
    const isRestarted = answer.parts.some(({ id, aside }) => aside !== undefined && written.has(id));
    if (isRestarted && !isFailed) throw answerRestarted();
    for (const item of toOutputItems(answer, position)) {
      if (item.isDropped && item.kind === "message") leaveOut(item, isFailed);
      else write(item);
      if (!item.isDone) return;
      position += 1;
    }
  };
  return {
    update: (answer: Answer): readonly StreamEvent[] => {
      writeAll(answer);
      return take();
    },
    end: (answer: Answer, usage: Usage): readonly StreamEvent[] => {
      writeAll(answer);
      const response = toResponse(head, answer, usage);
      // Their stream has no event for a cancelled response.
      const type = response.status === "completed" || response.status === "failed" ? response.status : "incomplete";
      add(`response.${type}`, { response });
      return take();
    },
    /** The stream cannot be continued, but the response may be over or still be running. */
    fail: ({ code, message, param }: OpenAiError): readonly StreamEvent[] => {
      next = Math.max(next, after + 1);
      add("error", { code, message, param });
      return take();
    },
  };
}

/** Events of a message besides its deltas: item and part are added; text, part and item are done. */
const EVENTS_OF_MESSAGE = 5;

const isOk = ({ part }: OutputItem): boolean => part.kind === "tool" && part.state === "ok";

type EventNames = {
  readonly delta: string;
  readonly done: string;
  readonly place: object;
  readonly extra: object;
  readonly part?: { readonly added: string; readonly done: string; readonly of: (text: string) => object };
};

const eventNames: Readonly<Record<OutputItem["kind"], EventNames>> = {
  message: {
    delta: "response.output_text.delta",
    done: "response.output_text.done",
    place: { content_index: 0 },
    extra: { logprobs: [] },
    part: { added: "response.content_part.added", done: "response.content_part.done", of: toContentPart },
  },
  reasoning: {
    delta: "response.reasoning_summary_text.delta",
    done: "response.reasoning_summary_text.done",
    place: { summary_index: 0 },
    extra: {},
    part: {
      added: "response.reasoning_summary_part.added",
      done: "response.reasoning_summary_part.done",
      of: (text) => ({ type: "summary_text", text }),
    },
  },
  function_call: {
    delta: "response.function_call_arguments.delta",
    done: "response.function_call_arguments.done",
    place: {},
    extra: {},
  },
  mcp_call: {
    delta: "response.mcp_call_arguments.delta",
    done: "response.mcp_call_arguments.done",
    place: {},
    extra: {},
  },
};
