import type { PromptResult } from "../../../protocol/model.ts";
import { toProse, toSentences, type Source } from "./passages.ts";

export type Input = Readonly<Record<string, unknown>>;
export type PlannedCall = { readonly name: string; readonly input: Input };

/** A tool call of the current answer with its result. For `use_tool`, the tool that it called. */
export type FinishedCall = PlannedCall & { readonly text: string; readonly failed: boolean };

export type SearchHit = {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
  readonly ref: number | undefined;
  readonly relevance: number;
  readonly isLow: boolean;
};

export type Search = {
  readonly query: string;
  readonly hits: readonly SearchHit[];
  /** Why there are no hits. */
  readonly problem: string | undefined;
};

export type ReadResult = {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly ref: number | undefined;
  /** Why it could not be read. */
  readonly error: string | undefined;
};

export const readSearch = ({ input, text, failed }: FinishedCall): Search => {
  const query = toText(input["query"]);
  if (failed) return { query, hits: [], problem: text };
  const output = toFields(readJson(text));
  const hits = (output === undefined ? findObjects(text) : toList(output["results"])).flatMap(toHit);
  const note = toText(output?.["note"]) || (findText(text, ["note"]) ?? "");
  // The advice at the end of the note is meant for the model.
  const problem = note.replace(/Tell the user and answer without web results\.$/, "").trim() || "It found no results.";
  return { query, hits, problem: hits.length > 0 ? undefined : problem };
};

const toHit = (value: unknown): readonly SearchHit[] => {
  const row = toFields(value) ?? {};
  const url = toText(row["url"]);
  if (!URL.canParse(url)) return [];
  const relevance = typeof row["relevance"] === "number" ? row["relevance"] : undefined;
  return [
    {
      url,
      title: toText(row["title"]) || url,
      snippet: toText(row["snippet"]),
      ref: toRef(row["ref"]),
      relevance: relevance ?? 0,
      isLow: row["markedLowRelevance"] === true || (relevance ?? 1) < 0.5,
    },
  ];
};

/** The pages of a `scrape_webpage` or `read_artifact` result, also those that could not be read. */
export const readPages = ({ input, text, failed }: FinishedCall): readonly ReadResult[] => {
  const requested = listInputUrls(input);
  if (failed) return requested.map((url) => ({ url, title: url, text: "", ref: undefined, error: text }));
  const url = requested[0] ?? "";
  const output = toFields(readJson(text));
  if (output === undefined) return [readShortenedPage(text, url)];
  const pages = toList(output["pages"]);
  return (pages.length > 0 ? pages : [output]).map((page) => toPage(toFields(page) ?? {}, url));
};

export const listInputUrls = (input: Input): readonly string[] =>
  [input["url"], ...toList(input["urls"])].filter((url) => typeof url === "string");

const toPage = (fields: Input, requested: string): ReadResult => {
  const { error } = fields;
  const url = toText(fields["url"]) || requested;
  const reason = toText(error) || toText(toFields(error)?.["message"] ?? toFields(error)?.["code"]);
  const passages = toList(fields["passages"]).map((passage) => {
    const { quote, text } = toFields(passage) ?? {};
    return toText(quote ?? text);
  });
  return {
    url,
    title: toText(fields["title"]) || url,
    text: [toText(fields["text"]), ...passages].filter((text) => text !== "").join("\n\n"),
    ref: toRef(fields["ref"]),
    error: reason === "" ? undefined : reason,
  };
};

/** A page from a result that is no JSON: plain text, or JSON whose middle was left out to fit the window. */
const readShortenedPage = (result: string, requested: string): ReadResult => {
  const written = withoutNote(result);
  const url = findText(written, ["url"]) ?? requested;
  const body = findText(written, ["text"]) ?? (written.startsWith("{") ? "" : written);
  return {
    url,
    title: findText(written, ["title"]) ?? url,
    text: [body, findText(written, ["quote"]) ?? ""].filter((piece) => piece !== "").join("\n\n"),
    ref: findNumber(written, "ref"),
    error: undefined,
  };
};

/** Quotable sentences of an earlier answer's tool result. */
export const toSources = ({ name, text, failed }: PromptResult): readonly Source[] => {
  if (failed) return [];
  const call = { name, input: {}, text, failed };
  if (name === "search_web") return readSearch(call).hits.map(hitToSource);
  if (name === "scrape_webpage" || name === "read_artifact") return readPages(call).map(pageToSource);
  return [{ label: `The tool \`${name}\` answered`, sentences: toSentences(toReadable(text)) }];
};

export const hitToSource = ({ title, url, snippet, ref }: SearchHit): Source => ({
  label: `${nameSource(title, url)} says`,
  sentences: toSentences(toProse(snippet)),
  ref,
});

/** Sentences next to a gap may be incomplete and are dropped. */
export const pageToSource = ({ title, url, text, ref }: ReadResult): Source => {
  const pieces = text.split(GAP);
  const sentences = pieces.flatMap((piece, index) =>
    toSentences(toProse(piece)).slice(index === 0 ? 0 : 1, index === pieces.length - 1 ? undefined : -1),
  );
  return { label: `${nameSource(title, url)} says`, sentences, ref };
};

export const nameSource = (title: string, url: string): string => {
  const host = URL.canParse(url) ? new URL(url).host : "";
  const plain = title
    .replace(/[[\]*_`<>\n]/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 100)
    .toWellFormed();
  if (plain === "" || plain === url) return host || url;
  return host === "" ? plain : `${plain} (${host})`;
};

/** The readable part of a result: its `text` field, or all of it. */
export const toReadable = (result: string): string => {
  const value = readJson(result);
  return typeof value === "string" ? value : toText(toFields(value)?.["text"]) || withoutNote(result);
};

export const readJson = (text: string): unknown => {
  try {
    return JSON.parse(withoutNote(text));
  } catch {
    return undefined;
  }
};

/** Drops a first line such as `[The same call was made before ...]`. */
const withoutNote = (text: string): string => text.replace(/^\[[^\]\n]{1,400}\]\n(?=\S)/, "");

/** The flat objects in shortened JSON that are still whole. */
const findObjects = (text: string): readonly unknown[] => (text.match(/\{"[^{}\n]*\}/g) ?? []).map(readJson);

/** As `context/` writes it. */
const leftOut = /\n\[… \d+ characters left out …\]\n/;
/** Separates the two ends of a shortened text. */
const GAP = "\n\u2016\n";

/** The first text field with one of these names in shortened JSON, with a GAP where its middle was left out. */
const findText = (text: string, names: readonly string[]): string | undefined => {
  const start = [...text.matchAll(/"(\w{1,40})"\s*:\s*"/g)].find(([, name = ""]) => names.includes(name));
  if (start === undefined) return undefined;
  const [head = "", ...tail] = text.slice(start.index + start[0].length).split(leftOut);
  const isClosed = /^(?:[^"\\]|\\.)*"/s.test(head);
  return [head, ...(isClosed ? [] : tail.slice(0, 1))].map(decode).join(GAP);
};

/** JSON text up to its closing quotation mark or its end. */
const decode = (raw: string): string => {
  const written = /^(?:[^"\\]|\\.)*/s.exec(raw)?.[0] ?? "";
  return toText(readJson(`"${written.replace(/\n/g, "\\n").replace(/\\u[\da-f]{0,3}$/i, "")}"`));
};

const findNumber = (text: string, name: string): number | undefined => {
  const found = [...text.matchAll(/"(\w{1,40})"\s*:\s*(\d{1,9})(?![\d.])/g)].find(([, field]) => field === name);
  return found === undefined ? undefined : Number(found[2]);
};

export const toFields = (value: unknown): Input | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Input) : undefined;

export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const toText = (value: unknown): string => (typeof value === "string" ? value : "");

const toRef = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
