import type { ToolPart } from "../calls/names.ts";
import { listAt, numberAt, textAt } from "../calls/read-output.ts";

export type PageView = {
  readonly url: string;
  readonly title: string;
  readonly error: string;
  /** Something to know about it: cut, needs scripts, by whom and when. */
  readonly note: string;
  readonly ref: number | undefined;
};

/** One page or a list of them; before anything came back, the addresses that were asked for. */
export function readPages({ input, output, state }: ToolPart): readonly PageView[] {
  const list = listAt(output, "pages", "results");
  if (list.length > 0) return list.map(toPage);
  if (textAt(output, "url", "title") !== "") return [toPage(output)];
  const asked = listAt(input, "urls", "pages").map((url) => (typeof url === "string" ? url : textAt(url, "url")));
  const urls = asked.length > 0 ? asked : [textAt(input, "url")].filter((url) => url !== "");
  const error = state === "error" ? "not read" : "";
  return urls.map((url) => ({ url, title: "", error, note: "", ref: undefined }));
}

function toPage(value: unknown): PageView {
  const author = textAt(value, "author", "byline");
  const date = textAt(value, "date", "published", "publishedAt");
  return {
    url: textAt(value, "canonicalUrl", "canonical", "url"),
    title: textAt(value, "title"),
    error: textAt(value, "error", "errorMessage", "errorText"),
    note: textAt(value, "note", "notice", "hint") || [author, date].filter((text) => text !== "").join(", "),
    ref: numberAt(value, "ref"),
  };
}
