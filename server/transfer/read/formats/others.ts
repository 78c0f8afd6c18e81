import {
  isFields,
  readDataUrl,
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

const NO_PARENT = "00000000-0000-0000-0000-000000000000";

/** A conversation that LibreChat exported as JSON: a list with parents, or nested `children`. */
export const isLibreChat = (value: unknown): value is Fields =>
  isFields(value) &&
  (Array.isArray(value["messages"]) || Array.isArray(value["messagesTree"])) &&
  (typeof value["conversationId"] === "string" || listLibre(value).some((one) => "messageId" in toFields(one)));

/** Older versions export nested messages under another name. */
const listLibre = (given: Fields): readonly unknown[] => toList(given["messagesTree"] ?? given["messages"]);

export function readLibreChat(given: Fields): ForeignThread {
  const notes = new Set<string>();
  const nodes: ForeignNode[] = [];
  const open: { readonly message: unknown; readonly above: string | null }[] = listLibre(given)
    .map((message) => ({ message, above: null }))
    .toReversed();
  let before: string | null = null;
  for (let next = open.pop(); next; next = open.pop()) {
    const { message, above } = next;
    if (!isFields(message)) {
      notes.add("A message that is no object was left out.");
      continue;
    }
    const id = textOr(message["messageId"]) || `message-${nodes.length}`;
    const parent = textOr(message["parentMessageId"]);
    const isUser = message["isCreatedByUser"] === true || toText(message["sender"]).toLowerCase() === "user";
    const hasParent = typeof message["parentMessageId"] === "string";
    nodes.push({
      id,
      parent: hasParent ? (parent === NO_PARENT || parent === "" ? null : parent) : (above ?? before),
      role: isUser ? "user" : "assistant",
      at: toTime(textOr(message["createdAt"], message["updatedAt"])),
      model: textOr(message["model"], given["model"], toFields(given["options"])["model"]),
      parts: readLibreParts(message, notes),
    });
    before = id;
    for (const child of toList(message["children"]).toReversed()) open.push({ message: child, above: id });
  }
  return {
    id: textOr(given["conversationId"]) || `librechat ${toText(given["title"])}`,
    title: toText(given["title"]),
    createdAt: toTime(given["createdAt"]),
    updatedAt: toTime(given["updatedAt"]),
    archived: given["isArchived"] === true,
    nodes,
    active: nodes.at(-1)?.id ?? null,
    notes: [...notes],
  };
}

function readLibreParts(message: Fields, notes: Set<string>): readonly ForeignPart[] {
  const parts: ForeignPart[] = [];
  for (const block of toList(message["content"])) {
    const fields = toFields(block);
    const type = toText(fields["type"]);
    const inner = fields[type];
    if (type === "text") parts.push(...toTextPart(typeof inner === "string" ? inner : toFields(inner)["value"]));
    else if (type === "think") parts.push({ kind: "reasoning", text: toText(inner) });
    else if (type === "error") parts.push({ kind: "notice", text: textOr(inner) || JSON.stringify(block) });
    else if (type === "tool_call") {
      const { id, name, args, output } = toFields(inner);
      const input = typeof args === "string" ? parse(args) : (args ?? {});
      const callId = textOr(id) || undefined;
      const result = output === undefined || output === null ? {} : { output };
      parts.push({ kind: "tool", name: textOr(name) || "tool", callId, input, ...result });
    } else if (type === "image_file") {
      const { filename, file_id: id } = toFields(inner);
      parts.push({ kind: "file", file: { name: textOr(filename, id), content: null } });
    } else if (isFields(block)) {
      notes.add(`Content of the type ${JSON.stringify(type.slice(0, 60))} is shown as data.`);
      parts.push({ kind: "notice", text: JSON.stringify(block) });
    }
  }
  const text = toText(message["text"]);
  if (!parts.some(({ kind }) => kind === "text")) parts.push(...toTextPart(text));
  for (const file of [...toList(message["files"]), ...toList(message["attachments"])]) {
    const name = textOr(toFields(file)["filename"], toFields(file)["name"], toFields(file)["file_id"]);
    if (name !== "") parts.push({ kind: "file", file: { name, content: null } });
  }
  return parts;
}

const toTextPart = (text: unknown): readonly ForeignPart[] =>
  typeof text === "string" && text !== "" ? [{ kind: "text", text }] : [];

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { text };
  }
}

/** A message with `role` and `content`, as in the APIs of model providers. */
export const isPlainMessage = (value: unknown): value is Fields =>
  isFields(value) &&
  typeof value["role"] === "string" &&
  (typeof value["content"] === "string" || Array.isArray(value["content"]) || Array.isArray(value["tool_calls"]));

export const isPlainThread = (value: unknown): value is Fields =>
  isFields(value) && toList(value["messages"]).length > 0 && toList(value["messages"]).every(isPlainMessage);

export function readPlain(given: Fields, name: string): ForeignThread {
  const notes = new Set<string>();
  const nodes: ForeignNode[] = [];
  for (const [index, message] of toList(given["messages"]).entries()) {
    const fields = toFields(message);
    const role = toText(fields["role"]);
    const parts = readPlainParts(fields, notes);
    if (role === "tool" && joinPlainResult(nodes, fields, parts)) continue;
    const isSystem = role === "system" || role === "developer";
    nodes.push({
      id: textOr(fields["id"]) || `message-${index}`,
      parent: nodes.at(-1)?.id ?? null,
      role: role === "user" || role === "human" ? "user" : isSystem ? "system" : "assistant",
      at: toTime(fields["created_at"] ?? fields["createdAt"] ?? fields["timestamp"]),
      model: textOr(fields["model"], given["model"]),
      parts: isSystem
        ? parts.map((part) => (part.kind === "text" ? { kind: "notice", text: part.text } : part))
        : parts,
    });
  }
  return {
    id: textOr(given["id"]) || `plain ${name} ${JSON.stringify(given).slice(0, 10_000)}`,
    title: textOr(given["title"], given["name"]) || name.replace(/\.\w{1,8}$/, ""),
    createdAt: toTime(given["created_at"] ?? given["createdAt"]),
    updatedAt: toTime(given["updated_at"] ?? given["updatedAt"]),
    nodes,
    active: nodes.at(-1)?.id ?? null,
    notes: [...notes],
  };
}

function joinPlainResult(nodes: ForeignNode[], message: Fields, parts: readonly ForeignPart[]): boolean {
  const output = parts.map((part) => (part.kind === "text" ? part.text : JSON.stringify(part))).join("\n");
  for (let at = nodes.length - 1; at >= 0; at -= 1) {
    const node = nodes[at];
    const index =
      node?.parts.findIndex(
        (part) => part.kind === "tool" && part.output === undefined && part.callId === message["tool_call_id"],
      ) ?? -1;
    const call = node?.parts[index];
    if (!node || call?.kind !== "tool") continue;
    nodes[at] = { ...node, parts: node.parts.with(index, { ...call, output }) };
    return true;
  }
  return false;
}

function readPlainParts(message: Fields, notes: Set<string>): readonly ForeignPart[] {
  const parts: ForeignPart[] = [];
  const reasoning = textOr(message["reasoning_content"], message["reasoning"]);
  if (reasoning !== "") parts.push({ kind: "reasoning", text: reasoning });
  if (typeof message["content"] === "string") parts.push(...toTextPart(message["content"]));
  for (const block of toList(message["content"])) {
    const fields = toFields(block);
    const type = toText(fields["type"]);
    const url = textOr(toFields(fields["image_url"])["url"], fields["image_url"], fields["image"]);
    const data = url === "" ? undefined : readDataUrl(url, "");
    if (typeof block === "string") parts.push(...toTextPart(block));
    else if (typeof fields["text"] === "string") parts.push(...toTextPart(fields["text"]));
    else if (data) parts.push({ kind: "file", file: data });
    else if (url !== "") parts.push({ kind: "file", file: { name: url.slice(0, 200), content: null } });
    else {
      notes.add(`Content of the type ${JSON.stringify(type.slice(0, 60))} is shown as data.`);
      parts.push({ kind: "notice", text: JSON.stringify(block) });
    }
  }
  for (const call of toList(message["tool_calls"])) {
    const { id, function: called } = toFields(call);
    const { name, arguments: args } = toFields(called);
    const input = typeof args === "string" ? parse(args) : (args ?? {});
    parts.push({ kind: "tool", name: textOr(name) || "tool", callId: textOr(id) || undefined, input });
  }
  return parts;
}
