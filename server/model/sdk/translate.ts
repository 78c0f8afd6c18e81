import { InvalidResponseDataError, type LanguageModelV4StreamPart, TypeValidationError } from "@ai-sdk/provider";
import type { ModelEvent, ModelFailure } from "../../../protocol/model.ts";
import { stampMaker } from "./codecs/own-marks.ts";
import type { Provider } from "./providers.ts";
import { createThinkTags, type Piece } from "./think-tags.ts";
import { toFinish } from "./to-finish.ts";
import type { Watch } from "./watch.ts";

/** Characters of one call, answer and reasoning together; a model that goes on for ever is ended here. */
export const outputCharacters = 1_000_000;
/** Characters of one tool call's arguments. More is refused, not cut: half of the arguments is another call. */
export const argumentCharacters = 1_000_000;

type Part = LanguageModelV4StreamPart;
type Block = {
  readonly key: string;
  readonly kind: "text" | "reasoning";
  begun: boolean;
  provider: unknown;
  /** The first half of a character whose second half comes with the next delta. */
  held: string;
};
type ToolBlock = { readonly callId: string; input: string; readonly asText: boolean };

/**
 * One call's stream parts as our events. `read` gives the event of a part; where a part makes several, the others wait in
 * `take`. Parts are opened by their first words, so empty ones never show; unknown parts are ignored.
 */
export const createTranslation = (options: {
  readonly asked: string;
  readonly provider: Provider;
  readonly watch?: Watch | undefined;
}) => {
  const maker = `${options.provider.namespace}/${options.asked}`;
  const blocks = new Map<string, Block>();
  const tools = new Map<string, ToolBlock>();
  const callIds = new Set<string>();
  const queue: ModelEvent[] = [];
  let last: Block | undefined;
  let lastId = "";
  let count = 0;
  let written = 0;
  let calls = 0;
  let answeredBy: string | undefined;
  /** Of the first text; undefined where tags are just text, as after reasoning that the server told apart itself. */
  let tags = options.provider.hasThinkTags ? createThinkTags() : undefined;
  let thinking: Block | undefined;

  const openBlock = (kind: Block["kind"], id: string, provider: unknown): Block => {
    const block: Block = { key: `${kind}-${count++}`, kind, begun: false, provider, held: "" };
    blocks.set(kind + id, block);
    return block;
  };
  const findBlock = (kind: Block["kind"], id: string): Block => {
    if (last?.kind === kind && lastId === id) return last;
    last = blocks.get(kind + id) ?? openBlock(kind, id, undefined);
    lastId = id;
    return last;
  };

  const readDelta = (kind: Block["kind"], part: Part & { type: "text-delta" | "reasoning-delta" }) => {
    const block = findBlock(kind, part.id);
    if (part.providerMetadata !== undefined) block.provider = part.providerMetadata;
    const text = toWhole(block, part.delta);
    if (text === "") return undefined;
    written += text.length;
    if (written > outputCharacters) return overflow(text.length);
    if (kind === "reasoning") tags = undefined;
    if (tags === undefined || kind === "reasoning") return write(block, text);
    for (const piece of tags.read(text)) writePiece(block, piece);
    return queue.shift();
  };
  const write = (block: Block, text: string): ModelEvent => {
    const event: ModelEvent = { type: "delta", key: block.key, text };
    if (block.begun) return event;
    block.begun = true;
    queue.push(event);
    return { type: "start", key: block.key, kind: block.kind };
  };
  const writePiece = (textBlock: Block, { kind, text }: Piece): void => {
    if (kind === "reasoning") thinking ??= openBlock("reasoning", "in think tags", undefined);
    else endThinking();
    const block = kind === "reasoning" ? thinking : textBlock;
    if (block === undefined) return;
    const isFirst = !block.begun;
    const first = write(block, text);
    if (isFirst) queue.splice(-1, 0, first);
    else queue.push(first);
  };
  const endThinking = (): void => {
    if (thinking === undefined) return;
    queue.push({ type: "end", key: thinking.key });
    blocks.delete(`${thinking.kind}in think tags`);
    thinking = undefined;
  };
  const endTags = (textBlock: Block): void => {
    for (const piece of tags?.end() ?? []) writePiece(textBlock, piece);
    endThinking();
  };
  const overflow = (size: number): ModelEvent =>
    size > outputCharacters
      ? garbled(`${options.provider.label} sent ${size} characters in one piece, which no model writes. Try again.`)
      : { type: "finish", reason: "length", usage: null };

  const closeBlock = (id: string, marks: unknown): ModelEvent | undefined => {
    const block = blocks.get(id);
    if (block === undefined) return undefined;
    blocks.delete(id);
    if (last === block) last = undefined;
    if (block.kind === "text" && tags !== undefined) {
      endTags(block);
      if (block.begun) queue.push({ type: "end", key: block.key });
      return queue.shift();
    }
    const known = marks ?? block.provider;
    // Reasoning without words may still carry what the provider wants back.
    if (!block.begun && (block.kind === "text" || known === undefined)) return undefined;
    const provider = block.kind === "reasoning" ? stampMaker(known, maker) : known;
    const event: ModelEvent = { type: "end", key: block.key, ...(provider === undefined ? {} : { provider }) };
    if (block.begun) return event;
    queue.push(event);
    return { type: "start", key: block.key, kind: block.kind };
  };

  const startTool = (id: string, name: string, asText: boolean): ModelEvent | undefined => {
    if (tools.has(id)) return undefined;
    let callId = id === "" ? `call-${callIds.size}` : id;
    while (callIds.has(callId)) callId = `${callId}-again`;
    callIds.add(callId);
    tools.set(id, { callId, input: "", asText });
    return { type: "tool-start", key: callId, callId, name };
  };
  const growTool = (id: string, delta: string): ModelEvent | undefined => {
    const tool = tools.get(id);
    if (tool === undefined) return undefined;
    tool.input += delta;
    return tool.input.length > argumentCharacters ? tooMuchInput() : undefined;
  };
  const tooMuchInput = () =>
    garbled(
      `The model wrote more than ${argumentCharacters} characters of arguments for a tool. They were not used. Try again, or ask for less at once.`,
    );
  const callTool = (part: Part & { type: "tool-call" }): ModelEvent => {
    if (part.input.length > argumentCharacters) return tooMuchInput();
    const started = startTool(part.toolCallId, part.toolName, false);
    const tool = tools.get(part.toolCallId);
    tools.delete(part.toolCallId);
    calls += 1;
    const callId = tool?.callId ?? part.toolCallId;
    const call: ModelEvent = {
      type: "tool-call",
      key: callId,
      callId,
      name: part.toolName,
      inputText: asWritten(tool, part.input),
      ...(part.providerMetadata === undefined ? {} : { provider: stampMaker(part.providerMetadata, maker) }),
    };
    if (started === undefined) return call;
    queue.push(call);
    return started;
  };

  const finish = (part: Part & { type: "finish" }): ModelEvent | undefined => {
    const ends: ModelEvent[] = [];
    for (const [id, block] of [...blocks]) {
      if (!block.begun && (block.kind !== "text" || tags === undefined)) continue;
      const event = closeBlock(id, undefined);
      if (event !== undefined) ends.push(event, ...queue.splice(0));
    }
    queue.push(...ends, toFinish(part, { ...options, answeredBy: answeredBy ?? findAnswering(), calls }));
    return queue.shift();
  };

  const findAnswering = (): string | undefined => {
    const found = options.watch?.answeredBy;
    return found === options.asked ? undefined : found;
  };

  return {
    take: (): ModelEvent | undefined => (queue.length === 0 ? undefined : queue.shift()),
    read: (part: Part, explain: (error: unknown) => ModelFailure): ModelEvent | undefined => {
      switch (part.type) {
        case "text-delta":
          return readDelta("text", part);
        case "reasoning-delta":
          return readDelta("reasoning", part);
        case "text-start":
        case "reasoning-start": {
          const kind = part.type === "text-start" ? "text" : "reasoning";
          if (!blocks.has(kind + part.id)) openBlock(kind, part.id, part.providerMetadata);
          return undefined;
        }
        case "text-end":
          return closeBlock(`text${part.id}`, part.providerMetadata);
        case "reasoning-end":
          return closeBlock(`reasoning${part.id}`, part.providerMetadata);
        case "tool-input-start":
          return part.providerExecuted === true
            ? undefined
            : startTool(part.id, part.toolName, part.inputEncoding === "text");
        case "tool-input-delta":
          return growTool(part.id, part.delta);
        case "tool-call":
          return part.providerExecuted === true ? undefined : callTool(part);
        case "source":
          return part.sourceType === "url"
            ? { type: "source", sourceType: "url", url: part.url, ...(part.title ? { title: part.title } : {}) }
            : { type: "source", sourceType: "document", title: part.title, mediaType: part.mediaType };
        case "file":
          return toFile(part);
        case "response-metadata":
          if (part.modelId !== undefined && part.modelId !== options.asked) answeredBy = part.modelId;
          return undefined;
        case "error":
          if (isSideNote(part.error)) return undefined;
          // The server said itself that this was all.
          if (options.watch?.isDone && InvalidResponseDataError.isInstance(part.error)) return undefined;
          return { type: "failed", failure: explain(part.error) };
        case "finish":
          return finish(part);
        default:
          return undefined;
      }
    },
  };
};

const wordBearers = ["delta", "choices", "candidates", "item", "response", "content_block", "message", "error"];

/** An event the package does not know, with nothing of the answer in it: a new kind of annotation, a heartbeat. */
const isSideNote = (error: unknown): boolean => {
  if (!TypeValidationError.isInstance(error)) return false;
  const { value } = error;
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  return !wordBearers.some((name) => name in value);
};

/** No half characters and no NUL: neither can be stored as text. A pair split between two deltas is put together. */
const toWhole = (block: Block, delta: string): string => {
  let text = block.held === "" ? delta : block.held + delta;
  block.held = "";
  const end = text.charCodeAt(text.length - 1);
  if (end >= 0xd800 && end <= 0xdbff) {
    block.held = text.slice(-1);
    text = text.slice(0, -1);
  }
  if (!text.isWellFormed()) text = text.toWellFormed();
  return text.includes("\u0000") ? text.replaceAll("\u0000", "") : text;
};

/** A package may put `{}` in place of arguments that are not JSON; the run must see what the model really wrote. */
const asWritten = (tool: ToolBlock | undefined, input: string): string =>
  tool !== undefined && !tool.asText && input === "{}" && tool.input.trim() !== "" ? tool.input : input;

const toFile = (part: Part & { type: "file" }): ModelEvent | undefined => {
  if (part.data.type !== "data") return undefined;
  const { data } = part.data;
  const content = typeof data === "string" ? data : Buffer.from(data).toString("base64");
  return { type: "file", mediaType: part.mediaType, content };
};

const garbled = (text: string): ModelEvent => ({
  type: "failed",
  failure: { code: "garbled", fault: "provider", text },
});
