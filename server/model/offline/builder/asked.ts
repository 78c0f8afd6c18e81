import { toRequest } from "../intents/polite.ts";
import type { Step } from "../research/next-steps.ts";
import { writeApp } from "./template.ts";

const path = "[`\"']?(?<path>[\\w@()\\[\\].-]+(?:/[\\w@()\\[\\].-]+)*\\.\\w{1,8})[`\"']?";
const other = path.replace("path", "other");

type Words = Readonly<Record<string, string | undefined>>;
type Form = { readonly form: RegExp; readonly to: (words: Words) => readonly Step[] };
const form = (pattern: string, to: Form["to"]): Form => ({ form: new RegExp(`^(?:${pattern})$`, "isu"), to });
const step = (name: string, input: Step["input"]): readonly Step[] => [{ name, input }];

const forms: readonly Form[] = [
  form(`(?:show|open|view|read|print)\\s+(?:me\\s+)?(?:the\\s+)?(?:file\\s+)?${path}`, ({ path: file }) =>
    step("view_file", { file_path: file }),
  ),
  form(
    `(?:rename|move)\\s+(?:the\\s+)?(?:file\\s+)?${path}\\s+(?:to|into|as)\\s+${other}`,
    ({ path: file, other: to }) => step("rename_file", { original_file_path: file, new_file_path: to }),
  ),
  form(`(?:delete|remove)\\s+(?:the\\s+)?(?:file\\s+)?${path}`, ({ path: file }) =>
    step("delete_file", { file_path: file }),
  ),
  form(
    `(?:search|look|grep)\\s+(?:(?:in|through)\\s+)?(?:the\\s+|all\\s+)?(?:files|code|workspace)\\s+for\\s+(?<query>.+)`,
    ({ query = "" }) => step("search_files", { query: toPattern(query) }),
  ),
  form(
    `(?:(?:read|show|check|what (?:is|does))\\s+(?:me\\s+)?)(?:in\\s+)?(?:the\\s+)?console(?:\\s+(?:logs?|errors?|say))?`,
    () => step("read_console_logs", { search: "" }),
  ),
  form(`(?:(?:read|show|check)\\s+(?:me\\s+)?)(?:the\\s+)?network(?:\\s+(?:requests?|logs?))?`, () =>
    step("read_network_requests", { search: "" }),
  ),
  form(
    `(?:create|write|make|add)\\s+(?:a\\s+|the\\s+)?(?:new\\s+)?(?:file\\s+)?(?:called\\s+)?${path}\\s*(?:with|containing|saying|:)(?:\\s+the\\s+text)?\\s*:?\\s+(?<content>.+)`,
    ({ path: file, content = "" }) => step("write_file", { file_path: file, content: toContent(content) }),
  ),
  form(
    `(?:create|make|build|write|start)\\s+(?:me\\s+)?(?:(?:an?|the)\\s+)?(?:new\\s+|simple\\s+|small\\s+|little\\s+)*(?<what>.*?)\\s*(?:web\\s*)?(?:page|app|application|site|website|counter)(?:[\\s,]+(?:called|named|titled|that says|with the title|saying)[\\s:]+(?<title>.+?))?(?:\\s+with\\s+a\\s+(?<part>counter|button))?`,
    ({ what = "", title, part }) => writeApp(toTitle(title ?? what), part !== undefined || /counter/i.test(what)),
  ),
];

/** What is plainly asked of a workspace; none: something else is. */
export function findBuilding(text: string): readonly Step[] {
  const request = toRequest(text);
  for (const { form: pattern, to } of forms) {
    const found = pattern.exec(request);
    if (found) return to(found.groups ?? {});
  }
  return [];
}

/** Words as they stand, for a search that takes patterns. */
const toPattern = (query: string): string =>
  query
    .trim()
    .replace(/^["“'‘`](.+)["”'’`]$/u, "$1")
    .replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

const toContent = (text: string): string => {
  const fenced = /^```\w*\n([^]*?)\n?```$/.exec(text.trim())?.[1];
  return `${fenced ?? text.trim().replace(/^["“](.*)["”]$/su, "$1")}\n`;
};

const toTitle = (text: string): string => {
  const plain = text
    .trim()
    .replace(/^["“'‘](.+)["”'’]$/u, "$1")
    .slice(0, 80)
    .toWellFormed();
  return plain === "" ? "Hello" : plain.charAt(0).toUpperCase() + plain.slice(1);
};
