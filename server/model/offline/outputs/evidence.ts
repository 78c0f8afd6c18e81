import type { PromptResult } from "../../../../protocol/model.ts";
import { readPages, readSearch, type Hit, type Page } from "./read-web.ts";
import { gap, readJson, withoutNote } from "./read-json.ts";
import { toProse, toSentences } from "../sentences.ts";

/** Who said it, and in which sentences. What has a number is cited by it. */
export type Spoken = {
  readonly speaker: string;
  readonly sentences: readonly string[];
  readonly ref?: number | undefined;
  /** 1 when it is as good as any. */
  readonly trust?: number;
};

/** A result of an earlier answer as sentences that can be quoted, with the number to cite them by where there is one. */
export const listEvidence = ({ name, text, failed }: PromptResult): readonly Spoken[] => {
  if (failed) return [];
  const made = { name, input: {}, text, failed };
  if (name === "search_web") return readSearch(made).hits.map(toSpokenHit);
  if (name === "scrape_webpage" || name === "read_artifact") return readPages(made).map(toSpokenPage);
  return [{ speaker: `The tool \`${name}\` answered`, sentences: toSentences(toPlainText(text)) }];
};

export const toSpokenHit = ({ title, url, snippet, ref }: Hit): Spoken => ({
  speaker: `${nameSource(title, url)} says`,
  sentences: toSentences(toProse(snippet)),
  ref,
});

export const toSpokenPage = ({ title, url, text, ref }: Page): Spoken => ({
  speaker: `${nameSource(title, url)} says`,
  sentences: listWhole(text),
  ref,
});

/** What stands next to something left out may be half a sentence. */
const listWhole = (text: string): readonly string[] => {
  const pieces = text.split(gap);
  return pieces.flatMap((piece, index) =>
    toSentences(toProse(piece)).slice(index === 0 ? 0 : 1, index === pieces.length - 1 ? undefined : -1),
  );
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

/** Tools that answer with fields put into `text` what is for reading. */
export const toPlainText = (text: string): string => {
  const value = readJson(text);
  if (typeof value === "string") return value;
  const { text: told } = (value ?? {}) as { text?: unknown };
  return typeof told === "string" ? told : withoutNote(text);
};
