import type { LanguageSupport } from "@codemirror/language";
import { own } from "../../lib/own.ts";

/** Grammars are loaded on demand, with the first file that needs one. */
const loaders: Readonly<Record<string, () => Promise<LanguageSupport>>> = {
  ts: async () => (await import("@codemirror/lang-javascript")).javascript({ typescript: true }),
  tsx: async () => (await import("@codemirror/lang-javascript")).javascript({ typescript: true, jsx: true }),
  js: async () => (await import("@codemirror/lang-javascript")).javascript({ jsx: true }),
  css: async () => (await import("@codemirror/lang-css")).css(),
  html: async () => (await import("@codemirror/lang-html")).html(),
  json: async () => (await import("@codemirror/lang-json")).json(),
  md: async () => (await import("@codemirror/lang-markdown")).markdown(),
};

const aliases: Readonly<Record<string, string>> = {
  jsx: "js",
  mjs: "js",
  cjs: "js",
  mts: "ts",
  cts: "ts",
  htm: "html",
  svg: "html",
  xml: "html",
  markdown: "md",
  webmanifest: "json",
};

const loaded = new Map<string, Promise<LanguageSupport>>();

export function loadLanguage(path: string): Promise<LanguageSupport> | null {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const name = own(aliases, ending) ?? ending;
  const load = own(loaders, name);
  if (!load) return null;
  const known = loaded.get(name) ?? load();
  loaded.set(name, known);
  return known;
}
