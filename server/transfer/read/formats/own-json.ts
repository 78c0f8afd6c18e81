import type { ImportFormat } from "../../../../protocol/account/imports.ts";
import { memoryFields, type MemoryField } from "../../../../protocol/memory.ts";
import type { Unit } from "../../items.ts";
import {
  isFields,
  textOr,
  toFields,
  toList,
  toText,
  toTime,
  type Fields,
  type ForeignNode,
  type ForeignPart,
  type ForeignThread,
} from "../foreign.ts";

type Plan = (format: ImportFormat, thread: ForeignThread) => Unit;

/** The JSON exports of a thread and of everything. They contain the conversations, but less than an archive. */
export const isOwnJson = (value: unknown): value is Fields =>
  isFields(value) && (value["format"] === "stonechat-thread" || value["format"] === "stonechat-export");

export function* readOwnJson(given: Fields, plan: Plan): Generator<Unit> {
  const isThread = given["format"] === "stonechat-thread";
  for (const field of memoryFields) {
    const value = toText(toFields(toFields(given["memory"])[field])["value"]);
    if (value !== "") yield { kind: "memory", field: field satisfies MemoryField, text: value };
  }
  for (const one of isThread ? [given] : toList(given["threads"]))
    if (isFields(one)) yield plan("stonechat", readThread(one));
  for (const one of toList(given["projects"])) {
    const project = toFields(toFields(one)["project"]);
    const documents = toList(toFields(one)["entities"]).map((entity) => {
      const { kind, title, body } = toFields(entity);
      return {
        title: `${kind === "document" ? "" : `${toText(kind)}: `}${textOr(title) || "Untitled"}`,
        body: toText(body),
      };
    });
    const { id, name, description, instructions } = project;
    if (toText(id) === "") continue;
    yield {
      kind: "outline",
      id: toText(id),
      name: textOr(name) || "Project",
      description: toText(description),
      instructions: toText(instructions),
      documents,
    };
    const count = toList(toFields(one)["files"]).length;
    if (count > 0)
      yield {
        kind: "note",
        text: `${count} files of the project “${toText(name)}” were not imported from the JSON export. Export an archive instead.`,
      };
  }
  const settings = ["profiles", "prompts", "drafts", "shares", "budgets"].filter(
    (key) => toList(given[key]).length > 0,
  );
  if (settings.length > 0) yield { kind: "note", text: `Settings are not imported: ${settings.join(", ")}.` };
}

function readThread(given: Fields): ForeignThread {
  const thread = toFields(given["thread"]);
  const branches = new Map(toList(given["branches"]).map((one) => [toText(toFields(one)["id"]), toFields(one)]));
  const byPlace = new Map<string, string>();
  const messages = toList(given["messages"]).filter(isFields);
  for (const message of messages)
    byPlace.set(`${toText(message["branchId"])} ${Number(message["depth"])}`, toText(message["id"]));
  const files = new Map(toList(given["attachments"]).map((one) => [toText(toFields(one)["id"]), toFields(one)]));
  const nodes = messages
    .map((message): ForeignNode & { readonly depth: number } => {
      const parts = toList(message["parts"]).filter(isFields);
      return {
        id: toText(message["id"]),
        parent: findParent(message, branches, byPlace),
        depth: Number(message["depth"]),
        role: message["role"] === "user" ? "user" : "assistant",
        at: toTime(message["createdAt"]),
        model: toText(parts.findLast((part) => part["kind"] === "step")?.["model"]),
        parts: parts.flatMap((part) => readPart(part, files)),
      };
    })
    .toSorted((a, b) => a.depth - b.depth || (a.at ?? 0) - (b.at ?? 0));
  const active = messages.filter(({ branchId }) => branchId === given["activeBranchId"]);
  const last = active.reduce<Fields | undefined>(
    (most, one) => (most && Number(most["depth"]) > Number(one["depth"]) ? most : one),
    undefined,
  );
  return {
    id: toText(thread["id"]),
    title: toText(thread["title"]),
    createdAt: toTime(thread["createdAt"]),
    updatedAt: toTime(thread["updatedAt"]),
    archived: thread["archived"] === true,
    pinned: thread["pinned"] === true,
    project: textOr(thread["projectId"]) || null,
    nodes,
    active: toText(last?.["id"]) || (nodes.at(-1)?.id ?? null),
    notes: [],
  };
}

/** The message before this one: on its branch, or above the fork of its branch. */
function findParent(
  message: Fields,
  branches: ReadonlyMap<string, Fields>,
  byPlace: ReadonlyMap<string, string>,
): string | null {
  const depth = Number(message["depth"]) - 1;
  let branch = toText(message["branchId"]);
  for (let hops = 0; hops < MOST_HOPS; hops += 1) {
    const found = byPlace.get(`${branch} ${depth}`);
    if (found !== undefined) return found;
    const above = branches.get(branch)?.["parentId"];
    if (typeof above !== "string") return null;
    branch = above;
  }
  return null;
}
const MOST_HOPS = 10_000;

function readPart(part: Fields, files: ReadonlyMap<string, Fields>): readonly ForeignPart[] {
  if (part["aside"] !== undefined) return [];
  switch (part["kind"]) {
    case "text":
    case "reasoning":
    case "notice":
      return toText(part["text"]) === "" ? [] : [{ kind: part["kind"], text: toText(part["text"]) }];
    case "tool": {
      const failed = part["state"] !== "ok";
      const output = failed ? textOr(part["errorText"], part["state"]) : part["output"];
      const callId = textOr(part["callId"]) || undefined;
      return [
        {
          kind: "tool",
          name: toText(part["name"]),
          callId,
          input: part["input"] ?? {},
          output: output ?? null,
          failed,
        },
      ];
    }
    case "source":
      return typeof part["url"] === "string"
        ? [{ kind: "source", url: part["url"], title: toText(part["title"]) }]
        : [];
    case "file": {
      const file = files.get(toText(part["attachmentId"]));
      const content = textOr(file?.["content"], part["content"]);
      const name = textOr(part["name"], file?.["name"]) || "file";
      return [
        { kind: "file", file: { name, content: content === "" ? null : { bytes: Buffer.from(content, "base64") } } },
      ];
    }
    default:
      return [];
  }
}
