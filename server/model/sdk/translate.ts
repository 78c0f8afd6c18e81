import { InvalidResponseDataError, type LanguageModelV4StreamPart, TypeValidationError } from "@ai-sdk/provider";
import type { ModelEvent, ModelFailure } from "../../../protocol/model.ts";
import { say, sentence, type Sentence } from "../../../protocol/sentences.ts";
import { addMaker } from "./codecs/provider-metadata.ts";
import type { Provider } from "./provider.ts";
import { createThinkTags, type ThinkPiece } from "./think-tags.ts";
import { toFinish } from "./to-finish.ts";
import type { Watch } from "./watch.ts";

/** Characters of one call, answer and reasoning together. A model that does not stop is ended here. */
const outputCharacters = 1_000_000;
/** Characters of one tool call's arguments. Longer arguments fail: truncated ones would be a different call. */
const argumentCharacters = 1_000_000;

type Part = LanguageModelV4StreamPart;

/**
 * Translates the stream parts of one call into events. `read` returns the event of a part; if a part has several, `take`
 * returns the others. A block starts with its first text, so empty blocks never appear. Unknown parts are ignored.
 */
export const createTranslation = (options: {
  readonly model: string;
  readonly provider: Provider;
  readonly watch?: Watch | undefined;
}) => {
  const maker = `${options.provider.namespace}/${options.model}`;
  const queue: ModelEvent[] = [];
  const blocks = createBlocks(options.provider, maker, queue);
  const tools = createToolCalls(maker, queue);
  let answeredBy: string | undefined;

  const finish = (part: Part & { type: "finish" }): ModelEvent | undefined => {
    const found = options.watch?.answeredBy;
    answeredBy ??= found === options.model ? undefined : found;
    queue.push(...blocks.closeAll(), toFinish(part, { ...options, answeredBy, calls: tools.count() }));
    return queue.shift();
  };

  return {
    take: (): ModelEvent | undefined => (queue.length === 0 ? undefined : queue.shift()),
    read: (part: Part, explain: (error: unknown) => ModelFailure): ModelEvent | undefined => {
      switch (part.type) {
        case "text-delta":
          return blocks.read("text", part);
        case "reasoning-delta":
          return blocks.read("reasoning", part);
        case "text-start":
          return blocks.start("text", part.id, part.providerMetadata);
        case "reasoning-start":
          return blocks.start("reasoning", part.id, part.providerMetadata);
        case "text-end":
          return blocks.close(`text${part.id}`, part.providerMetadata);
        case "reasoning-end":
          return blocks.close(`reasoning${part.id}`, part.providerMetadata);
        case "tool-input-start":
          return part.providerExecuted === true
            ? undefined
            : tools.start(part.id, part.toolName, part.inputEncoding === "text");
        case "tool-input-delta":
          return tools.grow(part.id, part.delta);
        case "tool-call":
          return part.providerExecuted === true ? undefined : tools.call(part);
        case "source":
          return part.sourceType === "url"
            ? { type: "source", sourceType: "url", url: part.url, ...(part.title ? { title: part.title } : {}) }
            : { type: "source", sourceType: "document", title: part.title, mediaType: part.mediaType };
        case "file":
          return toFile(part);
        case "response-metadata":
          if (part.modelId !== undefined && part.modelId !== options.model) answeredBy = part.modelId;
          return undefined;
        case "error":
          if (isSideNote(part.error)) return undefined;
          // The server itself marked the end of the stream.
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

type Block = {
  key: string;
  readonly kind: "text" | "reasoning";
  isStarted: boolean;
  metadata: unknown;
  /** The first half of a surrogate pair that the next delta completes. */
  held: string;
};

/** The text and reasoning of one call. Methods return the first event and put the others into the queue. */
const createBlocks = ({ hasThinkTags, label }: Provider, maker: string, queue: ModelEvent[]) => {
  const blocks = new Map<string, Block>();
  let last: Block | undefined;
  let lastId = "";
  let count = 0;
  let characters = 0;
  /** Parser for the first text; undefined where tags are plain text: after reasoning that the server sent separately. */
  let tags = hasThinkTags ? createThinkTags() : undefined;
  let thinking: Block | undefined;

  const open = (kind: Block["kind"], id: string, metadata: unknown): Block => {
    const block: Block = { key: `${kind}-${count++}`, kind, isStarted: false, metadata, held: "" };
    blocks.set(kind + id, block);
    return block;
  };
  const find = (kind: Block["kind"], id: string): Block => {
    if (last?.kind === kind && lastId === id) return last;
    last = blocks.get(kind + id) ?? open(kind, id, undefined);
    lastId = id;
    return last;
  };
  const write = (block: Block, text: string): readonly ModelEvent[] => {
    const delta: ModelEvent = { type: "delta", key: block.key, text };
    if (block.isStarted) return [delta];
    block.isStarted = true;
    return [{ type: "start", key: block.key, kind: block.kind }, delta];
  };
  const writePiece = (textBlock: Block, { kind, text }: ThinkPiece): void => {
    if (kind === "closed") {
      if (textBlock.isStarted) queue.push({ type: "end", key: textBlock.key, isReasoning: true });
      textBlock.key = `text-${count++}`;
      textBlock.isStarted = false;
      return;
    }
    if (kind === "text") {
      endThinking();
      queue.push(...write(textBlock, text));
      return;
    }
    thinking ??= open("reasoning", "in think tags", undefined);
    queue.push(...write(thinking, text));
  };
  const endThinking = (): void => {
    if (thinking === undefined) return;
    queue.push({ type: "end", key: thinking.key });
    blocks.delete(`${thinking.kind}in think tags`);
    thinking = undefined;
  };
  const closeTagged = (block: Block): ModelEvent | undefined => {
    for (const piece of tags?.end() ?? []) writePiece(block, piece);
    endThinking();
    if (block.isStarted) queue.push({ type: "end", key: block.key });
    return queue.shift();
  };
  const close = (id: string, given: unknown): ModelEvent | undefined => {
    const block = blocks.get(id);
    if (block === undefined) return undefined;
    blocks.delete(id);
    if (last === block) last = undefined;
    if (block.kind === "text" && tags !== undefined) return closeTagged(block);
    const metadata = given ?? block.metadata;
    // Reasoning without text may still have metadata that must be sent back.
    if (!block.isStarted && (block.kind === "text" || metadata === undefined)) return undefined;
    const provider = block.kind === "reasoning" ? addMaker(metadata, maker) : metadata;
    const event: ModelEvent = { type: "end", key: block.key, ...(provider === undefined ? {} : { provider }) };
    if (block.isStarted) return event;
    queue.push(event);
    return { type: "start", key: block.key, kind: block.kind };
  };

  return {
    start: (kind: Block["kind"], id: string, metadata: unknown): undefined => {
      if (!blocks.has(kind + id)) open(kind, id, metadata);
    },
    read: (kind: Block["kind"], part: Part & { type: "text-delta" | "reasoning-delta" }): ModelEvent | undefined => {
      const block = find(kind, part.id);
      if (part.providerMetadata !== undefined) block.metadata = part.providerMetadata;
      const text = toWhole(block, part.delta);
      if (text === "") return undefined;
      characters += text.length;
      if (characters > outputCharacters) return overflow(text.length, label);
      if (kind === "reasoning") tags = undefined;
      if (tags !== undefined) {
        for (const piece of tags.read(text)) writePiece(block, piece);
        return queue.shift();
      }
      if (block.isStarted) return { type: "delta", key: block.key, text };
      const [first, ...others] = write(block, text);
      queue.push(...others);
      return first;
    },
    close,
    closeAll: (): readonly ModelEvent[] => {
      const ends: ModelEvent[] = [];
      for (const [id, block] of [...blocks]) {
        if (!block.isStarted && (block.kind !== "text" || tags === undefined)) continue;
        const event = close(id, undefined);
        if (event !== undefined) ends.push(event, ...queue.splice(0));
      }
      return ends;
    },
  };
};

const overflow = (size: number, label: string): ModelEvent =>
  size > outputCharacters
    ? garbled(sentence("huge-piece", label, size))
    : { type: "finish", reason: "length", usage: null };

type ToolBlock = { readonly callId: string; input: string; readonly asText: boolean };

/** The tool calls of one call, each with a unique id. */
const createToolCalls = (maker: string, queue: ModelEvent[]) => {
  const tools = new Map<string, ToolBlock>();
  const callIds = new Set<string>();
  let count = 0;

  const start = (id: string, name: string, asText: boolean): ModelEvent | undefined => {
    if (tools.has(id)) return undefined;
    let callId = id === "" ? `call-${callIds.size}` : id;
    while (callIds.has(callId)) callId = `${callId}-again`;
    callIds.add(callId);
    tools.set(id, { callId, input: "", asText });
    return { type: "tool-start", key: callId, callId, name };
  };

  return {
    count: () => count,
    start,
    grow: (id: string, delta: string): ModelEvent | undefined => {
      const tool = tools.get(id);
      if (tool === undefined) return undefined;
      tool.input += delta;
      return tool.input.length > argumentCharacters ? tooMuchInput() : undefined;
    },
    call: (part: Part & { type: "tool-call" }): ModelEvent => {
      if (part.input.length > argumentCharacters) return tooMuchInput();
      const started = start(part.toolCallId, part.toolName, false);
      const tool = tools.get(part.toolCallId);
      tools.delete(part.toolCallId);
      count += 1;
      const callId = tool?.callId ?? part.toolCallId;
      const call: ModelEvent = {
        type: "tool-call",
        key: callId,
        callId,
        name: part.toolName,
        inputText: asWritten(tool, part.input),
        ...(part.providerMetadata === undefined ? {} : { provider: addMaker(part.providerMetadata, maker) }),
      };
      if (started === undefined) return call;
      queue.push(call);
      return started;
    },
  };
};

const tooMuchInput = (): ModelEvent => garbled(sentence("huge-arguments", argumentCharacters));

const contentFields = ["delta", "choices", "candidates", "item", "response", "content_block", "message", "error"];

/** An event that the package does not know and that has no content: a new kind of annotation, a heartbeat. */
const isSideNote = (error: unknown): boolean => {
  if (!TypeValidationError.isInstance(error)) return false;
  const { value } = error;
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  return !contentFields.some((name) => name in value);
};

/** Removes lone surrogates and NUL, which cannot be stored as text. Joins a pair that is split between two deltas. */
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

/** A package may replace arguments that are not JSON by `{}`. The run must see what the model wrote. */
const asWritten = (tool: ToolBlock | undefined, input: string): string =>
  tool !== undefined && !tool.asText && input === "{}" && tool.input.trim() !== "" ? tool.input : input;

const toFile = (part: Part & { type: "file" }): ModelEvent | undefined => {
  if (part.data.type !== "data") return undefined;
  const { data } = part.data;
  const content = typeof data === "string" ? data : Buffer.from(data).toString("base64");
  return { type: "file", mediaType: part.mediaType, content };
};

const garbled = (explanation: Sentence): ModelEvent => ({
  type: "failed",
  failure: { code: "garbled", fault: "provider", ...say(explanation) },
});
