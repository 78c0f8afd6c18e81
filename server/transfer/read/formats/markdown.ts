import { textOr, toTime, type ForeignNode, type ForeignThread } from "../foreign.ts";

const HEADING =
  /^(#{1,6}|\*\*) ?(you|user|human|me|assistant|chatgpt|claude|gemini|ai|bot|model|system)((?:[,:*(]| \().{0,200})?$/i;
const LABEL = /^(you|user|human|assistant|chatgpt|claude|ai|bot|system) ?(?:said)? ?:(?: |$)(.*)$/i;
const users: ReadonlySet<string> = new Set(["you", "user", "human", "me"]);

/** A conversation in Markdown: headings or speaker labels. Without any, the text is one user message. */
export function readMarkdown(text: string, name: string): ForeignThread {
  const { front, body } = readFrontMatter(text.replaceAll("\r\n", "\n"));
  const nodes: { role: ForeignNode["role"]; at: number | null; model: string; lines: string[] }[] = [];
  const before: string[] = [];
  let title = front.get("title") ?? "";
  let fence = "";
  for (const line of body.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (fence === "" && mark !== "") fence = mark;
    else if (fence !== "" && mark.startsWith(fence) && line.trim() === mark) fence = "";
    const isOpen = fence === "" && mark === "";
    const heading = isOpen ? HEADING.exec(line) : null;
    const label = isOpen && !heading ? LABEL.exec(line) : null;
    const speaker = (heading?.[2] ?? label?.[1] ?? "").toLowerCase();
    if (speaker !== "") {
      const rest = heading?.[3] ?? "";
      const said = heading?.[1] === "**" ? rest.replace(/^[^*]{0,100}\*\* ?:? ?/, "") : "";
      const first = label ? (label[2] ?? "") : said;
      const role = users.has(speaker) ? "user" : speaker === "system" ? "system" : "assistant";
      nodes.push({ role, ...readHead(rest), lines: first === "" ? [] : [first] });
    } else if (nodes.length > 0) nodes.at(-1)?.lines.push(line);
    else if (title === "" && line.startsWith("# ")) title = line.slice(2).trim();
    else before.push(line);
  }
  const started = before.join("\n").trim();
  const isOwnHead = /^_Started .{1,40}_$/.test(started);
  if (nodes.length === 0) nodes.push({ role: "user", at: null, model: "", lines: before });
  else if (started !== "" && !isOwnHead) nodes.unshift({ role: "system", at: null, model: "", lines: before });
  const created = toTime(front.get("created") ?? front.get("date"));
  return {
    id: textOr(front.get("id")) || `markdown ${name} ${text.slice(0, 10_000)} ${text.length}`,
    title: title || name.replace(/\.\w{1,8}$/, ""),
    createdAt: created,
    updatedAt: toTime(front.get("updated")),
    archived: front.get("archived") === "true",
    pinned: front.get("pinned") === "true",
    nodes: nodes.map(({ role, at, model, lines }, index) => {
      const said = lines.join("\n").trim();
      const kind = role === "system" ? ("notice" as const) : ("text" as const);
      return {
        id: `message-${index}`,
        parent: index === 0 ? null : `message-${index - 1}`,
        role,
        at,
        model,
        parts: said === "" ? [] : [{ kind, text: said }],
      };
    }),
    active: `message-${nodes.length - 1}`,
    notes: [],
  };
}

/** The model and the time after a speaker, as in our own exports. */
function readHead(rest: string): { readonly at: number | null; readonly model: string } {
  const model = /^ ?\(([^()]{1,100})\)/.exec(rest)?.[1] ?? "";
  const time = /(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(?::\d\d)? ?(UTC|Z)?/.exec(rest);
  return { model, at: time ? toTime(`${time[1]}T${time[2]}:00Z`) : null };
}

/** Lines of `key: value` between two lines of dashes. */
function readFrontMatter(text: string): { readonly front: ReadonlyMap<string, string>; readonly body: string } {
  const front = new Map<string, string>();
  if (!text.startsWith("---\n")) return { front, body: text };
  const end = text.indexOf("\n---\n", 3);
  if (end === -1) return { front, body: text };
  for (const line of text.slice(4, end).split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) front.set(line.slice(0, colon).trim().toLowerCase(), unquote(line.slice(colon + 1).trim()));
  }
  return { front, body: text.slice(end + 5) };
}

function unquote(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return value;
  }
}
