import {
  isFields,
  textOr,
  toFields,
  toList,
  toText,
  toTime,
  type Fields,
  type ForeignFile,
  type ForeignNode,
  type ForeignPart,
  type ForeignThread,
} from "../foreign.ts";

/** Finds the entry of an archive that has a file, by the id that the conversation refers to. */
export type FindAsset = (id: string) => string | undefined;

/** A conversation of ChatGPT's data export (`conversations.json`): a tree of nodes in `mapping`. */
export const isChatGpt = (value: unknown): value is Fields => isFields(value) && isFields(value["mapping"]);

export function readChatGpt(given: Fields, findAsset: FindAsset): ForeignThread {
  const notes = new Set<string>();
  const nodes: ForeignNode[] = [];
  const order = orderNodes(toFields(given["mapping"]));
  for (const [id, node] of order) {
    const message = node["message"];
    const parent = typeof node["parent"] === "string" ? node["parent"] : null;
    if (!isFields(message)) {
      nodes.push({ id, parent, role: "assistant", at: null, parts: [] });
      continue;
    }
    const role = roleOf(message);
    const parts = readMessage(message, findAsset, (note) => notes.add(note));
    nodes.push({
      id,
      parent,
      role: role === "user" || role === "system" ? role : "assistant",
      at: toTime(message["create_time"]),
      model: textOr(toFields(message["metadata"])["model_slug"], given["default_model_slug"]),
      parts,
    });
  }
  joinResults(nodes);
  return {
    id:
      textOr(given["conversation_id"], given["id"]) ||
      `chatgpt ${toText(given["title"])} ${String(given["create_time"])}`,
    title: toText(given["title"]),
    createdAt: toTime(given["create_time"]),
    updatedAt: toTime(given["update_time"]),
    archived: given["is_archived"] === true,
    pinned: given["is_starred"] === true,
    nodes,
    active: typeof given["current_node"] === "string" ? given["current_node"] : null,
    notes: [...notes],
  };
}

/** Instructions that ChatGPT adds in the user's name count as the system's. */
function roleOf(message: Fields): string {
  const role = toText(toFields(message["author"])["role"]);
  const { is_user_system_message, is_visually_hidden_from_conversation } = toFields(message["metadata"]);
  const isHidden = is_user_system_message === true || is_visually_hidden_from_conversation === true;
  return role === "user" && isHidden ? "system" : role;
}

/** Siblings in the order of their parent's `children`, which is that of their creation. */
function orderNodes(mapping: Fields): readonly (readonly [string, Fields])[] {
  const rank = new Map<string, number>();
  for (const node of Object.values(mapping))
    for (const [index, child] of toList(toFields(node)["children"]).entries())
      if (typeof child === "string" && !rank.has(child)) rank.set(child, index);
  return Object.entries(mapping)
    .map(([id, node]) => [id, toFields(node)] as const)
    .toSorted(([a], [b]) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
}

/** A result follows its call as a separate message. */
type ToolResult = { readonly tool: string; readonly output: string };
const results = new WeakMap<readonly ForeignPart[], ToolResult>();

function joinResults(nodes: ForeignNode[]): void {
  const byId = new Map(nodes.map((node, index) => [node.id, index]));
  for (const [index, node] of nodes.entries()) {
    const result = results.get(node.parts);
    if (!result) continue;
    const at = node.parent === null ? undefined : byId.get(node.parent);
    const caller = at === undefined ? undefined : nodes[at];
    const call = caller?.parts.findLastIndex((part) => part.kind === "tool" && part.output === undefined) ?? -1;
    const rest = node.parts.filter(({ kind }) => kind === "file" || kind === "source");
    const called = caller?.parts[call];
    if (at === undefined || !caller || called?.kind !== "tool") {
      const part = { kind: "tool" as const, name: result.tool || "tool", input: {}, output: result.output };
      nodes[index] = { ...node, parts: [part, ...rest] };
      continue;
    }
    nodes[at] = { ...caller, parts: caller.parts.with(call, { ...called, output: result.output }) };
    nodes[index] = { ...node, parts: rest };
  }
}

type Note = (text: string) => void;

function readMessage(message: Fields, findAsset: FindAsset, note: Note): readonly ForeignPart[] {
  const author = toFields(message["author"]);
  const role = roleOf(message);
  const metadata = toFields(message["metadata"]);
  const content = toFields(message["content"]);
  const cited = readCitations(metadata);
  const found = readContent(content, findAsset, note).map((part): ForeignPart =>
    part.kind === "text" ? { kind: "text", text: cited.replaceIn(part.text) } : part,
  );
  const attached = toList(metadata["attachments"]).flatMap((given): ForeignPart[] => {
    const { id, name } = toFields(given);
    const isShown =
      toText(id) !== "" && found.some((part) => part.kind === "file" && part.file.name.startsWith(toText(id)));
    return isShown ? [] : [{ kind: "file", file: toAsset(toText(id), toText(name), findAsset) }];
  });
  const named = found.map((part) => (part.kind === "file" ? nameFile(part, metadata) : part));
  const recipient = textOr(message["recipient"]) || "all";
  const texts = named.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  if (role === "tool") {
    const drawn = readDrawn(metadata, findAsset);
    const kept: readonly ForeignPart[] = [...named.filter(({ kind }) => kind !== "text"), ...drawn, ...attached];
    const files = kept.flatMap((part) => (part.kind === "file" ? [part.file.name] : []));
    const output = [texts, readSearchResults(metadata), files].find((lines) => lines.length > 0);
    if (output) results.set(kept, { tool: toText(author["name"]), output: output.join("\n") });
    return kept;
  }
  if (role === "assistant" && recipient !== "all" && texts.length > 0)
    return [
      ...named.filter(({ kind }) => kind !== "text"),
      { kind: "tool", name: recipient, input: toInput(texts.join("\n")) },
    ];
  if (role === "system")
    return named.flatMap((part): ForeignPart[] => {
      if (part.kind !== "text") return [part];
      return part.text.trim() === "" ? [] : [{ kind: "notice", text: part.text }];
    });
  return [...named, ...cited.sources, ...attached];
}

/** A mark between private-use characters, as ChatGPT writes citations. */
const MARK = /\ue200[^\ue200\ue201]*\ue201/g;

/** Citations: their marks in the text become the links that ChatGPT shows, and each address a source. */
function readCitations(metadata: Fields): {
  readonly replaceIn: (text: string) => string;
  readonly sources: readonly ForeignPart[];
} {
  const references = toList(metadata["content_references"]).map(toFields);
  const titles = new Map<string, string>();
  const addPage = (given: unknown): void => {
    const { url, title } = toFields(given);
    if (toText(url).startsWith("http") && !titles.has(toText(url))) titles.set(toText(url), toText(title));
  };
  for (const reference of references)
    for (const page of [reference, ...toList(reference["items"]), ...toList(reference["sources"])]) addPage(page);
  for (const citation of toList(metadata["citations"])) addPage(toFields(toFields(citation)["metadata"]));
  const links = new Map(references.map((reference) => [toText(reference["matched_text"]), toText(reference["alt"])]));
  return {
    replaceIn: (text) => text.replace(MARK, (mark) => links.get(mark) ?? ""),
    sources: [...titles].map(([url, title]) => ({ kind: "source", url, title })),
  };
}

/** Search results of a tool: one line per page. */
const readSearchResults = (metadata: Fields): readonly string[] =>
  toList(metadata["search_result_groups"])
    .flatMap((group) => toList(toFields(group)["entries"]))
    .map((entry) => {
      const { title, url, snippet } = toFields(entry);
      return [title, url, snippet]
        .map(toText)
        .filter((text) => text !== "")
        .join(" – ");
    });

/** Pictures drawn by executed code. */
const readDrawn = (metadata: Fields, findAsset: FindAsset): readonly ForeignPart[] =>
  toList(toFields(metadata["aggregate_result"])["messages"])
    .map((message) => toText(toFields(message)["image_url"]))
    .filter((url) => url !== "")
    .map((url) => ({ kind: "file", file: toAsset(toAssetId(url), "", findAsset) }));

/** `file-service://ID` or `sediment://ID`. */
const toAssetId = (pointer: string): string => pointer.replace(/^[\w-]{1,40}:\/\//, "");

const toInput = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : { text };
  } catch {
    return { text };
  }
};

function readContent(content: Fields, findAsset: FindAsset, note: Note): readonly ForeignPart[] {
  const type = textOr(content["content_type"]) || "text";
  const text = (value: unknown): readonly ForeignPart[] =>
    typeof value === "string" && value !== "" ? [{ kind: "text", text: value }] : [];
  switch (type) {
    case "text":
    case "multimodal_text":
      if (!Array.isArray(content["parts"])) return text(content["text"]);
      return toList(content["parts"]).flatMap((part) => readPart(part, findAsset, note));
    case "code":
    case "execution_output":
    case "system_error":
      return text(textOr(content["text"], content["name"]));
    case "tether_quote":
      return [
        ...text(textOr(content["text"])),
        ...(toText(content["url"]).startsWith("http")
          ? [{ kind: "source", url: toText(content["url"]), title: toText(content["title"]) } as const]
          : []),
      ];
    case "tether_browsing_display":
      return text(textOr(content["result"], content["summary"]));
    case "thoughts":
      return toList(content["thoughts"]).flatMap((thought): ForeignPart[] => {
        const { summary, content: body } = toFields(thought);
        const whole = [toText(summary), toText(body)].filter((line) => line !== "").join("\n\n");
        return whole === "" ? [] : [{ kind: "reasoning", text: whole }];
      });
    case "reasoning_recap": {
      const recap = textOr(content["content"]);
      return recap === "" ? [] : [{ kind: "notice", text: recap }];
    }
    case "user_editable_context":
    case "model_editable_context": {
      const fields = ["user_profile", "user_instructions", "model_set_context", "repository"];
      const texts = fields.map((field) => toText(content[field])).filter((value) => value.trim() !== "");
      return texts.map((value) => ({ kind: "notice", text: value }));
    }
    default: {
      note(`Content of the type ${JSON.stringify(type.slice(0, 60))} is shown as data.`);
      return [{ kind: "notice", text: JSON.stringify(content) }];
    }
  }
}

function readPart(part: unknown, findAsset: FindAsset, note: Note): readonly ForeignPart[] {
  if (typeof part === "string") return part === "" ? [] : [{ kind: "text", text: part }];
  if (!isFields(part)) return [];
  const type = toText(part["content_type"]);
  const pointer = toText(part["asset_pointer"]);
  if (pointer !== "") return [{ kind: "file", file: toAsset(toAssetId(pointer), "", findAsset) }];
  if (type === "audio_transcription") return [{ kind: "text", text: toText(part["text"]) }];
  if (type.includes("audio") || type.includes("video")) {
    const inner = toText(toFields(part["audio_asset_pointer"])["asset_pointer"]);
    if (inner !== "") return [{ kind: "file", file: toAsset(toAssetId(inner), "", findAsset) }];
  }
  if (typeof part["text"] === "string" && part["text"] !== "") return [{ kind: "text", text: part["text"] }];
  note(`A part of the type ${JSON.stringify(type.slice(0, 60))} is shown as data.`);
  return [{ kind: "notice", text: JSON.stringify(part) }];
}

function toAsset(id: string, name: string, findAsset: FindAsset): ForeignFile {
  const entry = findAsset(id);
  const named = name || (entry?.split("/").at(-1) ?? id);
  return { name: named, content: entry === undefined ? null : { entry } };
}

/** The name under which the user attached a picture. */
function nameFile(part: Extract<ForeignPart, { kind: "file" }>, metadata: Fields): ForeignPart {
  const all = toList(metadata["attachments"]).map(toFields);
  const own = all.find(({ id }) => typeof id === "string" && id !== "" && part.file.name.startsWith(id));
  return own && toText(own["name"]) !== "" ? { kind: "file", file: { ...part.file, name: toText(own["name"]) } } : part;
}
