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

/** A chat that Open WebUI exported: a tree in `history.messages`. */
export const isOpenWebUi = (value: unknown): value is Fields => {
  const chat = toFields(isFields(value) && isFields(value["chat"]) ? value["chat"] : value);
  return isFields(toFields(chat["history"])["messages"]);
};

export function readOpenWebUi(given: Fields): ForeignThread {
  const chat = isFields(given["chat"]) ? given["chat"] : given;
  const history = toFields(chat["history"]);
  const notes = new Set<string>();
  const mapping = toFields(history["messages"]);
  const rank = new Map<string, number>();
  for (const message of Object.values(mapping))
    for (const [index, child] of toList(toFields(message)["childrenIds"]).entries())
      if (typeof child === "string") rank.set(child, index);
  const nodes = Object.entries(mapping)
    .toSorted(([a], [b]) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0))
    .flatMap(([id, message]): ForeignNode[] => {
      if (!isFields(message)) {
        notes.add("A message that is no object was left out.");
        return [];
      }
      const role = toText(message["role"]);
      return [
        {
          id,
          parent: textOr(message["parentId"]) || null,
          role: role === "user" || role === "system" ? role : "assistant",
          at: toTime(message["timestamp"]),
          model: textOr(message["model"], message["modelName"], toList(chat["models"])[0]),
          parts: readOpenWebUiParts(message),
        },
      ];
    });
  const system = toText(toFields(chat["params"])["system"]);
  if (system !== "") notes.add("The chat's system prompt was not imported. Create a profile with it.");
  return {
    id: textOr(given["id"], chat["id"]) || `open-webui ${toText(chat["title"])} ${String(chat["timestamp"])}`,
    title: textOr(chat["title"], given["title"]),
    createdAt: toTime(given["created_at"] ?? chat["timestamp"]),
    updatedAt: toTime(given["updated_at"]),
    archived: given["archived"] === true,
    pinned: given["pinned"] === true,
    nodes,
    active: textOr(history["currentId"], history["current_id"]) || null,
    notes: [...notes],
  };
}

function readOpenWebUiParts(message: Fields): readonly ForeignPart[] {
  const parts: ForeignPart[] = readDetails(toText(message["content"]));
  const error = toFields(message["error"])["content"];
  if (typeof error === "string" && error !== "") parts.push({ kind: "notice", text: error });
  for (const source of toList(message["sources"])) {
    const { name, url } = toFields(toFields(source)["source"]);
    if (toText(url).startsWith("http")) parts.push({ kind: "source", url: toText(url), title: toText(name) });
  }
  for (const given of toList(message["files"])) {
    const file = toFields(given);
    const inner = toFields(file["file"]);
    const name = textOr(file["name"], inner["filename"]);
    const text = toFields(inner["data"])["content"];
    const data = readDataUrl(toText(file["url"]), name);
    const bytes = typeof text === "string" && text !== "" ? Buffer.from(text) : null;
    parts.push({ kind: "file", file: data ?? { name: name || textOr(file["url"]), content: bytes && { bytes } } });
  }
  return parts;
}

const DETAILS = '<details type="';

/** Reasoning and tool calls are in the text, as HTML elements with quoted attributes. Others stay text. */
function readDetails(text: string): ForeignPart[] {
  const parts: ForeignPart[] = [];
  let from = 0;
  for (let at = text.indexOf(DETAILS); at !== -1; at = text.indexOf(DETAILS, at + DETAILS.length)) {
    const start = text.indexOf(">", at);
    if (start === -1) break;
    const attributes = readAttributes(text.slice(at, start));
    if (!known.has(attributes.get("type") ?? "")) continue;
    const end = text.indexOf("</details>", start);
    if (end === -1) break;
    const inner = text.slice(start + 1, end);
    const summary = inner.indexOf("</summary>");
    const body = summary === -1 ? inner : inner.slice(summary + "</summary>".length);
    parts.push(...toTextPart(text.slice(from, at).trim()), readElement(attributes, body));
    from = end + "</details>".length;
    at = from - DETAILS.length;
  }
  parts.push(...toTextPart(from === 0 ? text : text.slice(from).trim()));
  return parts;
}

const known: ReadonlySet<string> = new Set(["reasoning", "tool_calls", "code_interpreter"]);

const readAttributes = (tag: string): ReadonlyMap<string, string> =>
  new Map([...tag.matchAll(/ ([a-z_]{1,40})="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, decode(value)]));

function readElement(attributes: ReadonlyMap<string, string>, body: string): ForeignPart {
  const type = attributes.get("type");
  if (type === "reasoning") {
    const lines = body.trim().split("\n");
    const isEncoded = lines.every((line) => line.startsWith("&gt;"));
    return { kind: "reasoning", text: lines.map((line) => toLine(isEncoded ? decode(line) : line)).join("\n") };
  }
  const result = attributes.get(type === "tool_calls" ? "result" : "output") ?? "";
  const output = result === "" ? {} : { output: parse(result) ?? result };
  if (type !== "tool_calls")
    return { kind: "tool", name: "code_interpreter", input: { code: toCode(body) }, ...output };
  const [name, callId] = [attributes.get("name") || "tool", attributes.get("id") || undefined];
  const input = parseTwice(attributes.get("arguments") ?? "");
  return { kind: "tool", name, callId, input: isFields(input) ? input : { text: input }, ...output };
}

/** Without the fence around it. */
function toCode(body: string): string {
  const lines = body.trim().split("\n");
  const isFenced = lines.length > 1 && lines[0]?.startsWith("```") && lines.at(-1) === "```";
  return (isFenced ? lines.slice(1, -1) : lines).join("\n");
}

const toLine = (line: string): string => line.replace(/^> ?/, "");

const entities: Readonly<Record<string, string>> = { quot: '"', lt: "<", gt: ">", amp: "&", "#39": "'", "#x27": "'" };

const decode = (text: string): string =>
  text.replace(/&(quot|lt|gt|amp|#39|#x27);/g, (whole, name: string) => entities[name] ?? whole);

/** Arguments are JSON in a JSON string. */
function parseTwice(text: string): unknown {
  const once = parse(text) ?? text;
  return typeof once === "string" ? (parse(once) ?? once) : once;
}

/** Undefined: the text is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const toTextPart = (text: string): readonly ForeignPart[] => (text === "" ? [] : [{ kind: "text", text }]);
