import { basename } from "node:path";
import { attachmentLimits } from "../../../protocol/attachment-limits.ts";
import type { ImportFormat } from "../../../protocol/account/imports.ts";
import type { OutlineUnit, Unit } from "../items.ts";
import { isFields, textOr, toFields, toList, toText, type Fields, type ForeignThread } from "./foreign.ts";
import { readArchive } from "./formats/archive.ts";
import { isChatGpt, readChatGpt, type FindAsset } from "./formats/chatgpt.ts";
import { isClaude, isClaudeMemory, isClaudeProject, readClaude } from "./formats/claude.ts";
import { readMarkdown } from "./formats/markdown.ts";
import { isOpenWebUi, readOpenWebUi } from "./formats/open-webui.ts";
import { isLibreChat, isPlainMessage, isPlainThread, readLibreChat, readPlain } from "./formats/others.ts";
import { isOwnJson, readOwnJson } from "./formats/own-json.ts";
import { readJsonItems } from "./json-items.ts";
import { copyTo, readWhole, Unimportable, withFaults, type Source } from "./open-source.ts";
import { planThread, type OpenFile } from "./plan-thread.ts";

type Options = { readonly name: string; readonly now: number; readonly isArchive: boolean };

/** Everything in the file, in a fixed order. Anything that is not understood is a note. */
export async function* readUnits(source: Source, { name, now, isArchive }: Options): AsyncGenerator<Unit> {
  if (source.kind === "zip") {
    if (isArchive) yield* readArchive(source);
    else yield* readZip(source, now);
    return;
  }
  const context = createContext({ name, now, findAsset: () => undefined, openFile: openBytes });
  if (source.kind === "json") yield* readJson(source.read(), context);
  else yield* readText(source.read(), context);
}

type Zip = Extract<Source, { kind: "zip" }>;

async function* readZip(zip: Zip, now: number): AsyncGenerator<Unit> {
  const used = new Set<string>();
  const findAsset = createAssets(zip.names);
  const openFile: OpenFile = async (file, path) => {
    const { content } = file;
    if (content && "entry" in content) return copyTo(zip.read(content.entry), path, attachmentLimits.fileBytes);
    return openBytes(file, path);
  };
  const find: FindAsset = (id) => {
    const entry = findAsset(id);
    if (entry !== undefined) used.add(entry);
    return entry;
  };
  const isText = (name: string): boolean => /\.(json|jsonl|md|markdown)$/i.test(name);
  // Threads refer to their projects: `projects.json`, or a file for each in `projects/`.
  const isProjects = (name: string): boolean => /(?:^|\/)projects?\b/i.test(name);
  const texts = zip.names.filter(isText);
  for (const name of [...texts.filter(isProjects), ...texts.filter((one) => !isProjects(one))]) {
    const context = createContext({ name: basename(name), now, findAsset: find, openFile });
    yield* withFaults(/\.jsonl?$/i.test(name) ? readJson(zip.read(name), context) : readText(zip.read(name), context));
  }
  const unused = zip.names.filter((name) => !isText(name) && !used.has(name));
  for (const name of unused.slice(0, MOST_NAMED))
    yield { kind: "note", text: `No conversation refers to ${name}, so it was not imported.` };
  if (unused.length > MOST_NAMED)
    yield { kind: "note", text: `${unused.length - MOST_NAMED} further files are used by no conversation.` };
}

const MOST_NAMED = 500;

const openBytes: OpenFile = ({ content }, path) => {
  if (content && "bytes" in content) return copyTo([content.bytes], path, attachmentLimits.fileBytes);
  return Promise.reject(new Unimportable("The file is not in the import."));
};

/** Files are named after the id that a conversation refers to, such as `file-abc-photo.png`. */
function createAssets(names: readonly string[]): FindAsset {
  const byId = new Map<string, string>();
  for (const name of names) {
    const last = basename(name);
    byId.set(last, name);
    const id = /^file[-_][A-Za-z0-9]+/.exec(last)?.[0];
    if (id !== undefined && !byId.has(id)) byId.set(id, name);
    const stem = last.replace(/\.\w{1,8}$/, "");
    if (!byId.has(stem)) byId.set(stem, name);
  }
  return (id) => (id === "" ? undefined : (byId.get(id) ?? byId.get(/^file[-_][A-Za-z0-9]+/.exec(id)?.[0] ?? "")));
}

type Context = {
  readonly name: string;
  readonly now: number;
  readonly findAsset: FindAsset;
  readonly openFile: OpenFile;
  readonly plan: (format: ImportFormat, thread: ForeignThread) => Unit;
};

function createContext(given: Omit<Context, "plan">): Context {
  const { now, openFile } = given;
  return { ...given, plan: (format, thread) => planThread(thread, { format, openFile, now }) };
}

async function* readJson(chunks: AsyncIterable<Buffer>, context: Context): AsyncGenerator<Unit> {
  const messages: Fields[] = [];
  const strange: string[] = [];
  let [units, total] = [0, 0];
  for await (const item of readJsonItems(chunks)) {
    total += 1;
    if ("fault" in item) {
      units += 1;
      yield { kind: "note", text: `${context.name}: ${item.fault}` };
      continue;
    }
    if (isPlainMessage(item.value)) {
      messages.push(item.value);
      continue;
    }
    let isKnown = false;
    for (const unit of readValue(item.value, context)) {
      isKnown = true;
      units += 1;
      yield unit;
    }
    if (!isKnown && strange.push(describeValue(item.value)) <= MOST_STRANGE)
      yield {
        kind: "note",
        text: `${context.name}: item ${total} is not a conversation (${describeValue(item.value)}).`,
      };
  }
  if (messages.length > 0) yield context.plan("json", readPlain({ messages }, context.name));
  if (strange.length > MOST_STRANGE)
    yield {
      kind: "note",
      text: `${context.name}: ${strange.length - MOST_STRANGE} further items are not conversations.`,
    };
  if (units + messages.length + strange.length === 0)
    yield { kind: "note", text: `${context.name} has no conversations.` };
}

const MOST_STRANGE = 50;

const describeValue = (value: unknown): string =>
  isFields(value)
    ? `an object with ${Object.keys(value).slice(0, 8).join(", ").slice(0, 200) || "no fields"}`
    : Array.isArray(value)
      ? "a list"
      : `a ${value === null ? "null" : typeof value}`;

function* readValue(value: unknown, context: Context): Generator<Unit> {
  const { plan, findAsset, name } = context;
  if (isOwnJson(value)) yield* readOwnJson(value, plan);
  else if (isChatGpt(value)) yield plan("chatgpt", readChatGpt(value, findAsset));
  else if (isClaude(value)) yield plan("claude", readClaude(value));
  else if (isClaudeProject(value)) yield toOutline(value);
  else if (isClaudeMemory(value)) yield* readMemory(value);
  else if (isOpenWebUi(value)) yield plan("open-webui", readOpenWebUi(value));
  else if (isLibreChat(value)) yield plan("librechat", readLibreChat(value));
  else if (isPlainThread(value)) yield plan("json", readPlain(value, name));
  else if (Array.isArray(value) && value.length > 0 && value.every(isPlainMessage))
    yield plan("json", readPlain({ messages: value }, name));
  else if (isFields(value))
    for (const key of ["conversations", "chats", "threads"])
      for (const inner of toList(value[key])) yield* readValue(inner, context);
}

function toOutline(given: Fields): OutlineUnit {
  return {
    kind: "outline",
    id: toText(given["uuid"]),
    name: textOr(given["name"]) || "Project",
    description: toText(given["description"]),
    instructions: toText(given["prompt_template"]),
    documents: toList(given["docs"]).map((doc, index) => ({
      title: textOr(toFields(doc)["filename"], toFields(doc)["title"]) || `Document ${index + 1}`,
      body: toText(toFields(doc)["content"]),
    })),
  };
}

function* readMemory(given: Fields): Generator<Unit> {
  const texts = [given["conversations_memory"], ...Object.values(toFields(given["project_memories"]))];
  for (const text of texts)
    for (const paragraph of typeof text === "string" ? text.split(/\n[ \t]*\n/) : [])
      if (paragraph.trim() !== "") yield { kind: "memory", field: "notes", text: paragraph.trim() };
}

async function* readText(chunks: AsyncIterable<Buffer>, context: Context): AsyncGenerator<Unit> {
  const text = new TextDecoder("utf-8").decode(await readWhole(chunks));
  if (text.trim() === "") yield { kind: "note", text: `${context.name} is empty.` };
  else yield context.plan("markdown", readMarkdown(text, context.name));
}
