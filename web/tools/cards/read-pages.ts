import type { ToolPart } from "../names.ts";
import { asRecord, listAt, numberAt, textAt } from "../read-output.ts";

export type PageView = {
  readonly url: string;
  readonly title: string;
  readonly error: string;
  /** Something to know about it: by whom and when, or what is missing. */
  readonly note: string;
  readonly ref: number | undefined;
};

/** One page or a list of them; before anything came back, the addresses that were asked for. */
export function readPages({ input, output }: ToolPart): readonly PageView[] {
  const list = listAt(output, "pages", "results");
  if (list.length > 0) return list.map(toPage);
  if (textAt(output, "url", "title") !== "") return [toPage(output)];
  const asked = listAt(input, "urls").filter((url) => typeof url === "string");
  const urls = asked.length > 0 ? asked : [textAt(input, "url")].filter((url) => url !== "");
  return urls.map((url) => ({ url, title: "", error: "", note: "", ref: undefined }));
}

function toPage(value: unknown): PageView {
  const { error } = asRecord(value);
  const origin = [textAt(value, "author"), textAt(value, "date", "published")].filter((text) => text !== "");
  return {
    url: textAt(value, "canonicalUrl", "url"),
    title: textAt(value, "title"),
    error: typeof error === "string" ? error : textAt(error, "message", "code"),
    note: textAt(value, "note", "warning") || origin.join(", "),
    ref: numberAt(value, "ref"),
  };
}
