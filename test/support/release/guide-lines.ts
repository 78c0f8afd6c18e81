import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./packed.ts";

/** Documents for people who use or run Stonechat. */
export const guides = [
  "README.md",
  ...[
    "accounts",
    "api",
    "data",
    "export-format",
    "guide",
    "operate",
    "providers",
    "research",
    "security",
    "settings",
  ].map((name) => `docs/${name}.md`),
];

/** A line of code in a guide. Output and data are no commands, but must be recognized as such. */
export type Line = {
  readonly kind: "command" | "settings" | "json" | "other";
  readonly text: string;
  readonly guide: string;
};

const programs =
  "npm|npx|node|stonechat|docker|kubectl|git|rm|cp|mv|tar|sh|sudo|curl|openssl|systemctl|nginx|caddy|psql|pg_dump|ollama";
/** Settings before a command. */
export const assignments = /^(?:[A-Z][A-Z_]*=(?:"[^"]*"|\S)+\s*)+/;
const command = new RegExp(`^(?:${programs})(?: |$)`);
const commandWithSettings = new RegExp(`^(?:${programs}) `);

function toLine(guide: string, text: string): Line {
  const rest = text.replace(assignments, "");
  if (rest === "") return { kind: "settings", text, guide };
  if (command.test(rest)) return { kind: "command", text, guide };
  return { kind: text.startsWith("{") ? "json" : "other", text, guide };
}

/** Lines of blocks that are indented by four spaces, or fenced as `sh`. A comment after a command is no part of it. */
function listBlockLines(text: string): readonly string[] {
  const fences = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const shell = fences.filter(([, language]) => language === "sh" || language === "").map(([, , code = ""]) => code);
  const indented = text
    .replace(/^```\w*\n[\s\S]*?^```$/gm, "")
    .split("\n")
    .filter((line) => line.startsWith("    "));
  return [...indented, ...shell.flatMap((code) => code.split("\n"))]
    .map((line) => line.trim().replace(/ +# .*$/, ""))
    .filter((line) => line !== "");
}

/** Code in a sentence or a table: a command if it begins with a program, and settings or arguments stand around it. */
function listInlineCommands(text: string): readonly string[] {
  const prose = text.replace(/^```\w*\n[\s\S]*?^```$/gm, "");
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  return spans.filter((span) => span === "stonechat" || commandWithSettings.test(span.replace(assignments, "")));
}

/** Every command line and every line of code blocks in the guides, each once for a guide. */
export const listLines = (): readonly Line[] =>
  guides.flatMap((guide) => {
    const text = readFileSync(join(root, guide), "utf8");
    const lines = [...listBlockLines(text), ...listInlineCommands(text)];
    return [...new Set(lines)].map((line) => toLine(guide, line));
  });

/** The same command of an installed package, for texts with npm or npx. */
export const toStonechat = (text: string): string =>
  text
    .replace(/\bnpm start$|^stonechat$|^npx stonechat$/, "stonechat start")
    .replace(/\bnpm run ([\w-]+)(?: --)?/, "stonechat $1")
    .replace(/^npx stonechat /, "stonechat ");
