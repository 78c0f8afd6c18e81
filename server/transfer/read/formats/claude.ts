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

/** A conversation of Claude's data export (`conversations.json`). */
export const isClaude = (value: unknown): value is Fields => isFields(value) && Array.isArray(value["chat_messages"]);

const ROOT = "00000000-0000-4000-8000-000000000000";

export function readClaude(given: Fields): ForeignThread {
  const notes = new Set<string>();
  let before: string | null = null;
  const nodes = toList(given["chat_messages"]).flatMap((one, index): ForeignNode[] => {
    if (!isFields(one)) {
      notes.add("A message that is no object was left out.");
      return [];
    }
    const id = textOr(one["uuid"]) || `message-${index}`;
    const above = textOr(one["parent_message_uuid"]);
    const parent = one["parent_message_uuid"] === undefined ? before : above === "" || above === ROOT ? null : above;
    before = id;
    const isUser = toText(one["sender"]) === "human";
    return [
      {
        id,
        parent,
        role: isUser ? "user" : "assistant",
        at: toTime(textOr(one["created_at"], one["updated_at"])),
        model: textOr(one["model"], given["model"]) || "claude",
        parts: [...readBlocks(one, notes), ...readFiles(one)],
      },
    ];
  });
  const project = toFields(given["project"]);
  return {
    id: textOr(given["uuid"]) || `claude ${toText(given["name"])} ${toText(given["created_at"])}`,
    title: toText(given["name"]),
    createdAt: toTime(given["created_at"]),
    updatedAt: toTime(given["updated_at"]),
    pinned: given["is_starred"] === true,
    project: textOr(project["uuid"], given["project_uuid"]) || null,
    nodes,
    active: textOr(given["current_leaf_message_uuid"]) || (nodes.at(-1)?.id ?? null),
    notes: [...notes],
  };
}

function readBlocks(message: Fields, notes: Set<string>): readonly ForeignPart[] {
  const blocks = toList(message["content"]);
  const parts: ForeignPart[] = [];
  for (const block of blocks) {
    const fields = toFields(block);
    const type = toText(fields["type"]);
    if (type === "text") {
      if (toText(fields["text"]) !== "") parts.push({ kind: "text", text: toText(fields["text"]) });
      for (const citation of toList(fields["citations"])) {
        const url = textOr(toFields(citation)["url"], toFields(toFields(citation)["details"])["url"]);
        if (url.startsWith("http")) parts.push({ kind: "source", url, title: toText(toFields(citation)["title"]) });
      }
    } else if (type === "voice_note") {
      if (toText(fields["text"]) !== "") parts.push({ kind: "text", text: toText(fields["text"]) });
    } else if (type === "thinking") {
      if (toText(fields["thinking"]) !== "") parts.push({ kind: "reasoning", text: toText(fields["thinking"]) });
    } else if (type === "tool_use") {
      const callId = textOr(fields["id"]) || undefined;
      parts.push({ kind: "tool", name: textOr(fields["name"]) || "tool", callId, input: fields["input"] ?? {} });
    } else if (type === "tool_result") {
      const output = toOutput(fields["content"]);
      const failed = fields["is_error"] === true;
      const at = parts.findLastIndex(
        (part) =>
          part.kind === "tool" &&
          part.output === undefined &&
          (part.callId === fields["tool_use_id"] || typeof fields["tool_use_id"] !== "string"),
      );
      const call = parts[at];
      if (call?.kind === "tool") parts[at] = { ...call, output, failed };
      else parts.push({ kind: "tool", name: textOr(fields["name"]) || "tool", input: {}, output, failed });
    } else if (type !== "token_budget" && isFields(block)) {
      notes.add(`Content of the type ${JSON.stringify(type.slice(0, 60))} is shown as data.`);
      parts.push({ kind: "notice", text: JSON.stringify(block) });
    }
  }
  const text = toText(message["text"]);
  if (!parts.some(({ kind }) => kind === "text" || kind === "tool") && text !== "") parts.push({ kind: "text", text });
  return parts;
}

const toOutput = (content: unknown): unknown => {
  if (!Array.isArray(content)) return content ?? "";
  // Search results have a title and an address, too.
  const texts = content.map((block) => {
    const { title, url, text } = toFields(block);
    return typeof text === "string"
      ? [toText(title), toText(url), text].filter((line) => line !== "").join("\n")
      : null;
  });
  return texts.every((text) => text !== null) ? texts.join("\n") : content;
};

function readFiles(message: Fields): readonly ForeignPart[] {
  const attachments = toList(message["attachments"]).map((given): ForeignPart => {
    const { file_name: name, extracted_content: text } = toFields(given);
    const bytes = typeof text === "string" && text !== "" ? Buffer.from(text) : null;
    return { kind: "file", file: { name: textOr(name) || "attachment.txt", content: bytes && { bytes } } };
  });
  const known = new Set(attachments.map((part) => (part.kind === "file" ? part.file.name : "")));
  const files = toList(message["files"]).flatMap((given): ForeignPart[] => {
    const name = textOr(toFields(given)["file_name"], toFields(given)["file_uuid"]);
    return name === "" || known.has(name) ? [] : [{ kind: "file", file: { name, content: null } }];
  });
  return [...attachments, ...files];
}

/** A project of Claude's data export (`projects.json`). */
export const isClaudeProject = (value: unknown): value is Fields =>
  isFields(value) &&
  typeof value["uuid"] === "string" &&
  typeof value["name"] === "string" &&
  Array.isArray(value["docs"]);

/** Claude's `memories.json`: texts about the user. */
export const isClaudeMemory = (value: unknown): value is Fields =>
  isFields(value) && (typeof value["conversations_memory"] === "string" || isFields(value["project_memories"]));
