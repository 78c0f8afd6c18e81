import type { PartOf } from "../../protocol/parts.ts";
import { ASK_USER } from "../../protocol/question.ts";
import { joinList } from "../lib/format.ts";
import { asRecord } from "../lib/read-json.ts";
import { own } from "../lib/own.ts";
import { toolLabels } from "../strings/labels/tools.ts";
import { getLanguage } from "../strings/language.ts";
import { toolCards, toolTitles } from "../strings/tool-cards.ts";
import { toPageText } from "./notices.ts";

export type ToolPart = PartOf<"tool">;

/** `search_web` and `searchWeb` read as "Search web". */
export const toTitle = (name: string): string => {
  const words = name
    .replace(/^lov-/, "")
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** The name of a tool for people. */
export const toToolName = (name: string): string =>
  own(toolLabels, name)?.name ?? toTitle(toMcpToolName(name)?.tool ?? name);

/** A description for people, if the tool is built in; `description` is the one for models. */
export const describeTool = (name: string, description: string): string => own(toolLabels, name)?.about ?? description;

/**
 * A call as it is shown. `use_tool` wraps another tool call, which is shown instead. A tool of another program needs no approval
 * here: it runs there.
 */
export function unwrapCall(part: ToolPart): ToolPart {
  const { name, input } = asRecord(part.input);
  if (part.client && part.state === "asking")
    return { ...part, state: "running", progress: { text: part.asks ? toPageText(part.asks) : "" } };
  return part.name === "use_tool" && typeof name === "string" ? { ...part, name, input } : part;
}

export type McpToolName = { readonly server: string; readonly tool: string };

/** Names of MCP tools start with the name of their server. */
export function toMcpToolName(name: string): McpToolName | null {
  if (!name.startsWith("mcp__")) return null;
  const [start, end] = ["mcp__".length, name.indexOf("__", "mcp__".length + 1)];
  const tool = end < 0 ? "" : name.slice(end + 2);
  return tool === "" ? null : { server: name.slice(start, end), tool };
}

/**
 * Title of a tool call: as the tool reports it, or derived from its name. Built-in tools report it in English, so in other languages
 * it is the name of the tool and what it was called with.
 */
export function titleOf({ name, input, title, titleSentences }: ToolPart): string {
  if (title !== undefined && titleSentences) return toPageText({ text: title, sentences: titleSentences });
  if (title === undefined) return own(toolTitles, name) ?? toTitle(toMcpToolName(name)?.tool ?? name);
  if (name === ASK_USER) return title;
  return nameCall(name, toSubject(asRecord(input))) ?? title;
}

/** The translated name of a built-in tool and what it was called with; undefined on English pages, which show the tool's own title. */
export function nameCall(name: string, subject: string): string | undefined {
  const translated = getLanguage() === "en" ? undefined : (own(toolTitles, name) ?? own(toolLabels, name)?.name);
  return translated === undefined || subject === "" ? translated : toolCards.nameWith(translated, subject);
}

/** Arguments of built-in tools that say what a call is about. */
const subjects = [
  "query",
  "find",
  "search",
  "words",
  "place",
  "expression",
  "file_path",
  "original_file_path",
  "package",
  "url",
];

const maxSubject = 300;

function toSubject({ urls, entities, new_file_path: newPath, ...input }: Readonly<Record<string, unknown>>): string {
  const titles = Array.isArray(entities) ? entities.map((one) => asRecord(one)["title"]) : [];
  const listed = [...(Array.isArray(urls) ? urls : []), ...titles].filter((one) => typeof one === "string");
  const [first = ""] = subjects.map((name) => input[name]).filter((one) => typeof one === "string");
  const subject = listed.length > 0 ? joinList(listed) : first;
  return (typeof newPath === "string" ? `${subject} → ${newPath}` : subject).slice(0, maxSubject).toWellFormed();
}

/** Id of the form of an open question, which gets the focus when typing in the message field cannot answer it. */
export const toQuestionFormId = (partId: string): string => `question-${partId}`;
