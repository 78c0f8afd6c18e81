import type { SummaryFields } from "../../../protocol/context/summary.ts";

/** Parses a model's reply; undefined if it contains no object. Tolerates fences, prose, other capitalization, missing lists and a cut end. */
export function parseFields(text: string): SummaryFields | undefined {
  const object = findObject(text);
  if (object === undefined) return undefined;
  const byName = new Map(Object.entries(object).map(([name, value]) => [toPlainName(name), value]));
  const list = (name: string): readonly unknown[] => {
    const value = byName.get(name);
    return Array.isArray(value) ? value.slice(0, MOST) : typeof value === "string" && value !== "" ? [value] : [];
  };
  const texts = (name: string): readonly string[] =>
    list(name)
      .map(toText)
      .filter((one) => one !== "");
  const fields: SummaryFields = {
    overview: toText(byName.get("overview") ?? byName.get("summary")),
    keyPoints: texts("keypoints"),
    decisions: texts("decisions"),
    actionItems: list("actionitems").flatMap((item) => {
      const text = toText(item);
      return text === "" ? [] : [{ text, context: toText((item as { context?: unknown } | null)?.context) }];
    }),
    openQuestions: texts("openquestions"),
    toolResults: list("toolresults").flatMap((item) => {
      if (typeof item !== "object" || item === null) return [];
      const { toolName, tool, name, summary, importance } = item as Record<string, unknown>;
      const said = toText(summary);
      const rank = ["high", "medium", "low"].find((one) => one === importance) as "high" | "medium" | "low" | undefined;
      return said === ""
        ? []
        : [{ toolName: toText(toolName ?? tool ?? name), summary: said, importance: rank ?? "medium" }];
    }),
  };
  return fields.overview === "" && fields.keyPoints.length + fields.decisions.length === 0 ? undefined : fields;
}

const MOST = 30;
const LONGEST = 1500;

const toPlainName = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, "");

function toText(value: unknown): string {
  if (typeof value === "string") return value.trim().slice(0, LONGEST);
  if (typeof value !== "object" || value === null) return "";
  const { text, item, task, point, question, decision } = value as Record<string, unknown>;
  const said = [text, item, task, point, question, decision].find((one) => typeof one === "string");
  return typeof said === "string" ? said.trim().slice(0, LONGEST) : "";
}

function findObject(text: string): Record<string, unknown> | undefined {
  const start = text.indexOf("{");
  if (start < 0) return undefined;
  const from = text.slice(start);
  const end = from.lastIndexOf("}");
  for (const candidate of [from.slice(0, end + 1), from.slice(0, end + 1).replace(/,(\s*[}\]])/g, "$1"), close(from)]) {
    const parsed = parse(candidate);
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Repairs a reply that was cut: keeps it up to the last complete string and closes open brackets. */
function close(text: string): string {
  const open: string[] = [];
  let quoted = false;
  let safe = 0;
  let closing = "";
  for (let at = 0; at < text.length; at += 1) {
    const one = text[at];
    if (quoted) {
      if (one === "\\") at += 1;
      else if (one === '"') quoted = false;
      else continue;
      if (quoted) continue;
    } else if (one === '"') quoted = true;
    else if (one === "{" || one === "[") open.push(one === "{" ? "}" : "]");
    else if (one === "}" || one === "]") open.pop();
    if (quoted || !/["}\]]/.test(one ?? "")) continue;
    const rest = text.slice(at + 1).trimStart();
    if (rest.startsWith(":")) continue;
    safe = at + 1;
    closing = open.toReversed().join("");
  }
  return text.slice(0, safe) + closing;
}
