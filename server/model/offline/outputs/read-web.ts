import type { Made } from "../turn.ts";
import { findNumber, findObjects, findText, readJson, withoutNote } from "./read-json.ts";

type Fields = Readonly<Record<string, unknown>>;

export type Hit = {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
  readonly ref: number | undefined;
  /** 0 where it was not told. */
  readonly relevance: number;
  readonly isLow: boolean;
};

export type Search = {
  readonly query: string;
  readonly hits: readonly Hit[];
  /** Why there are none. */
  readonly problem: string | undefined;
};

export type Page = {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly ref: number | undefined;
  /** Why it could not be read. */
  readonly error: string | undefined;
};

export const readSearch = ({ input, text, failed }: Made): Search => {
  const query = toText(input["query"]);
  if (failed) return { query, hits: [], problem: text };
  const output = toFields(readJson(text));
  const rows = output === undefined ? findObjects(text) : toList(output["results"]);
  const hits = rows.flatMap(toHit);
  const note = toText(output?.["note"]) || (findText(text, ["note"]) ?? "");
  return { query, hits, problem: hits.length > 0 ? undefined : toProblem(note) };
};

/** What a tool advises the model is not for the person. */
const toProblem = (note: string): string =>
  note.replace(/Say so, and answer without the web\.$/, "").trim() || "It found nothing.";

const toHit = (value: unknown): readonly Hit[] => {
  const row = toFields(value);
  const url = toText(row?.["url"]);
  if (row === undefined || !URL.canParse(url)) return [];
  const relevance = typeof row["relevance"] === "number" ? row["relevance"] : 0;
  return [
    {
      url,
      title: toText(row["title"]) || url,
      snippet: toText(row["snippet"]),
      ref: toRef(row["ref"]),
      relevance,
      isLow: row["markedLowRelevance"] === true || (typeof row["relevance"] === "number" && relevance < 0.5),
    },
  ];
};

/** One page or several. A page that could not be read is one too. */
export const readPages = (made: Made): readonly Page[] => {
  const asked = listUrls(made.input);
  if (made.failed) return asked.map((url) => ({ url, title: url, text: "", ref: undefined, error: made.text }));
  const output = toFields(readJson(made.text));
  if (output === undefined) return [readCutPage(made, asked[0] ?? "")];
  const pages = toList(output["pages"] ?? output["results"]);
  return (pages.length > 0 ? pages : [output]).flatMap((page) => toPage(toFields(page) ?? {}, asked[0] ?? ""));
};

export const listUrls = (input: Fields): readonly string[] =>
  [input["url"], ...toList(input["urls"])].filter((url) => typeof url === "string");

const textNames = ["text", "content", "markdown", "body"];

const toPage = (fields: Fields, asked: string): Page => {
  const { error } = fields;
  const url = toText(fields["url"]) || asked;
  const reason = typeof error === "string" ? error : toText(toFields(error)?.["message"] ?? toFields(error)?.["code"]);
  const passages = toList(fields["passages"]).map((passage) =>
    toText(toFields(passage)?.["quote"] ?? toFields(passage)?.["text"]),
  );
  return {
    url,
    title: toText(fields["title"]) || url,
    text: [textNames.map((name) => toText(fields[name])).find((text) => text !== "") ?? "", ...passages]
      .filter((text) => text !== "")
      .join("\n\n"),
    ref: toRef(fields["ref"]),
    error: reason === "" ? undefined : reason,
  };
};

const readCutPage = ({ text }: Made, asked: string): Page => {
  const written = withoutNote(text);
  const url = findText(written, ["url"]) ?? asked;
  // A plain text is its own page.
  const body = findText(written, textNames) ?? (written.startsWith("{") ? "" : written);
  return {
    url,
    title: findText(written, ["title"]) ?? url,
    text: [body, findText(written, ["quote"]) ?? ""].filter((piece) => piece !== "").join("\n\n"),
    ref: findNumber(written, "ref"),
    error: undefined,
  };
};

export const toFields = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;

export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const toText = (value: unknown): string => (typeof value === "string" ? value : "");

const toRef = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
