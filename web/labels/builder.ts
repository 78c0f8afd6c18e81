import { thread } from "../strings/thread.ts";

/** Its threads write files, which belong to a project. */
export const builderProfile = "builder";

const longest = 48;

/** A project's name from the first message: "Build me a page about tides, please" becomes "Page about tides". */
export function toProjectName(text: string): string {
  const line = text.toWellFormed().trim().split("\n", 1)[0] ?? "";
  const printable = [...line.slice(0, 400)].map((sign) => (sign < " " || sign === "\u007f" ? " " : sign)).join("");
  const words = printable.split(/\s+/).filter((word) => word !== "");
  const start = words.findIndex((word) => !openings.has(toPlain(word)));
  const kept = (start === -1 ? words : words.slice(start)).map((word) => word.replace(/^[*_#>`"“]+/, ""));
  let name = "";
  for (const word of kept) {
    const next = name === "" ? word : `${name} ${word}`;
    if (next.length > longest) break;
    name = next;
    if (/[.,;:!?]$/.test(word)) break;
  }
  const cut = (name || [...kept.join(" ")].slice(0, longest).join("")).replace(/[.,;:!?*_`"”]{1,8}$/, "");
  return cut === "" ? thread.start.newProject : cut.charAt(0).toUpperCase() + cut.slice(1);
}

const toPlain = (word: string): string => word.toLowerCase().replace(/[^\p{L}]/gu, "");
const openings = new Set(thread.start.projectOpenings.split(" ").map(toPlain));
