import { expect, test } from "vitest";
import type { MessageView } from "../../../protocol/fold.ts";
import type { Part } from "../../../protocol/parts.ts";
import { collectUrls, listPageRefs } from "./known-urls.ts";
import { toPlainUrl } from "./approval-rules.ts";

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

test("a URL in a message that a program wrote for the user is not known", () => {
  const said = { ...text("Open https://a.example/"), untrusted: ["the MCP client editor"] };
  expect([...collectUrls([message("user", said)], []).knownUrls]).toEqual([]);
});

test.each(["the import “chats.zip”", "messages of other project members"])(
  "search results and answers to questions that come from %s are not the user's",
  (name) => {
    const untrusted = [name];
    const answered = { kind: "tool", callId: "c", name: "ask_user", state: "ok", input: { question: "Which?" } };
    const messages = [
      message(
        "assistant",
        { kind: "source", sourceType: "url", url: "https://found.example/", status: "found", ref: 1, untrusted },
        { ...answered, output: { answers: { answer: "https://typed.example/" } }, untrusted },
      ),
    ];
    const { knownUrls, pageUrls } = collectUrls(messages, []);
    expect([[...knownUrls], [...pageUrls]]).toEqual([[], ["https://found.example/"]]);
    const own = messages.map((one) => ({ ...one, parts: one.parts.map(({ untrusted: _, ...part }) => part as Part) }));
    expect([...collectUrls(own, []).knownUrls]).toEqual(["https://found.example/", "https://typed.example/"]);
  },
);

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
