import { expect, test } from "vitest";
import type { MessageView } from "../../../protocol/fold.ts";
import type { Part } from "../../../protocol/parts.ts";
import { collectUrls, listPageRefs } from "./known-urls.ts";
import { toPlainUrl } from "./policy.ts";

const message = (role: "user" | "assistant", ...parts: readonly object[]): MessageView =>
  ({
    ...{ id: role, depth: 1, role, createdAt: 0, variants: [] },
    parts: parts.map((part, n) => ({ id: `${n}`, v: 1, n, step: 1, ...part }) as Part),
  }) as unknown as MessageView;
const text = (words: string) => ({ kind: "text", state: "done", text: words });

test("a URL that the user wrote is known, with or without trailing punctuation", () => {
  const said =
    'Look at (https://a.example/x), "https://b.example/?q=1", c.example/z or https://c.example/y. 3.5 e.g. this';
  const { knownUrls: known } = collectUrls([message("user", text(said))], []);
  for (const url of [
    "https://a.example/x",
    "https://b.example/?q=1",
    "https://c.example/y",
    "HTTPS://A.example/x#part",
    "https://c.example/z",
    "http://c.example/z",
  ])
    expect(known.has(toPlainUrl(url)), url).toBe(true);
  for (const url of ["https://a.example/x/secret", "https://a.example/", "https://c.example/y?z"])
    expect(known.has(toPlainUrl(url)), url).toBe(false);
});

test("search results are known URLs, read pages and their links are page URLs, other texts and failed pages are neither", () => {
  const source = (url: string, status?: string, ref?: number) => ({
    kind: "source",
    sourceType: "url",
    url,
    status,
    ref,
  });
  const messages = [
    message(
      "assistant",
      text("go to https://model.example/"),
      source("https://found.example/", "found", 1),
      source("https://read.example/", "read", 2),
      source("https://failed.example/?leak=1", "failed"),
      source("https://cited.example/"),
      { ...source("https://opened.example/", "read", 3), found: true },
      { kind: "tool", callId: "c", name: "plan_research", state: "ok", output: { query: "https://echo.example/" } },
    ),
  ];
  expect(listPageRefs(messages)).toEqual([2, 3]);
  const { knownUrls, pageUrls } = collectUrls(messages, ["https://linked.example/#top"]);
  expect([...knownUrls]).toEqual(["https://found.example/", "https://opened.example/"]);
  expect([...pageUrls]).toEqual(["https://linked.example/", "https://read.example/"]);
});
