import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { toWords } from "./words.ts";

/** A page of the benchmark with what people say is its main content. */
export type Sample = {
  readonly id: string;
  readonly kind: string;
  readonly url: string;
  /** Pages of one site are kept together when pages are divided. */
  readonly site: string;
  readonly html: string;
  readonly content: string;
  readonly wanted: readonly string[];
};

export function* readSamples(folder: string, limit = Infinity): Generator<Sample> {
  const ids = readdirSync(folder)
    .filter((name) => name.endsWith(".html.gz"))
    .map((name) => name.slice(0, -".html.gz".length))
    .sort();
  for (const id of ids.slice(0, limit)) yield readSample(folder, id);
}

type Truth = {
  readonly url: string;
  readonly ground_truth: { readonly main_content?: string | null };
  readonly _internal?: { readonly page_type?: { readonly primary?: string } };
};

function readSample(folder: string, id: string): Sample {
  const unpack = (name: string): string => gunzipSync(readFileSync(join(folder, name))).toString("utf8");
  const { url, ground_truth, _internal } = JSON.parse(unpack(`${id}.json.gz`)) as Truth;
  const content = ground_truth.main_content ?? "";
  return {
    id,
    kind: _internal?.page_type?.primary ?? "unknown",
    url,
    site: URL.parse(url)?.hostname.split(".").slice(-2).join(".") ?? id,
    html: unpack(`${id}.html.gz`),
    content,
    wanted: toWords(content),
  };
}
