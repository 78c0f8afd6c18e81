import type { PartOf } from "../../protocol/parts.ts";
import { asRecord } from "../lib/read-json.ts";
import { own } from "../lib/own.ts";
import { toolLabels } from "../strings/labels/tools.ts";
import { toolTitles } from "../strings/tool-cards.ts";

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

/** `use_tool` wraps another tool call; the wrapped tool is shown. */
export function unwrapCall(part: ToolPart): ToolPart {
  const { name, input } = asRecord(part.input);
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

/** Title of a tool call: as the tool reports it, or derived from its name. */
export const titleOf = (part: ToolPart): string =>
  part.title ?? own(toolTitles, part.name) ?? toTitle(toMcpToolName(part.name)?.tool ?? part.name);
