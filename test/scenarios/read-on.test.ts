import { expect, onTestFinished, test } from "vitest";
import type { PromptMessage } from "../../protocol/model.ts";
import { countTokens } from "../../server/lib/tokens.ts";
import { call, say, startInstance } from "../support/instance.ts";
import { openLoopback, send as respond } from "../support/web/loopback.ts";

const PAGES = 3;
const SENTENCES = 900;
const secret = ["AKIA", "Q7RZ3MK9XW2LTB4H"].join("");

const sentence = (page: number, at: number): string => `Fact ${page}-${at} of the harbour handbook.`;

/** A redacted secret at the start shifts all positions: the stored text is shorter than the page. */
const html = (page: number): string =>
  `<!doctype html><html lang="en"><head><title>Handbook ${page}</title></head><body><main><article><h1>Handbook ${page}</h1>
   <p>The key of the crane is ${secret}, and the key of the dock is ${secret}.</p>
   ${Array.from({ length: SENTENCES }, (_, at) => `<p>${sentence(page, at)}</p>`).join("\n")}</article></main></body></html>`;

const resultsIn = (messages: readonly PromptMessage[]): readonly string[] =>
  messages.flatMap((message) => (message.role === "tool" ? message.results.map(({ text }) => text) : []));

test("reads several long pages and continues by `more` without skipping a sentence", async () => {
  const site = await openLoopback((asked, response) => {
    const page = Number(asked.path.slice(1));
    const answer = page > 0 ? respond("text/html; charset=utf-8", html(page)) : respond("text/plain", "", 404);
    answer(asked, response);
  });
  onTestFinished(site.close);
  const read: string[] = [];
  const { start, send, follow } = await startInstance({
    env: {
      STONECHAT_ALLOW_PRIVATE: "mcp=127.0.0.1,search=127.0.0.1,scrape=127.0.0.1",
      STONECHAT_MAX_STEPS: "60",
      STONECHAT_MAX_CALLS: "200",
    },
    script: ({ messages }, index) => {
      const [last = ""] = resultsIn(messages).slice(-1);
      if (last !== "") read.push(last);
      if (index === 0) {
        const urls = Array.from({ length: PAGES }, (_, at) => `${site.url}/${at + 1}`);
        return call({ name: "scrape_webpage", input: JSON.stringify({ urls }) });
      }
      const next = findNext(read);
      return next ? call({ name: "read_artifact", input: JSON.stringify(next) }) : say("done");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, `Read ${[1, 2, 3].map((page) => `${site.url}/${page}`).join(" and ")} to the end.`);
  await live.ended();

  const [scraped = ""] = read;
  expect(countTokens(scraped)).toBeLessThanOrEqual(4_500);
  expect(countTokens(scraped)).toBeGreaterThan(3_600);
  expect(scraped).not.toContain("left out");
  const all = read.join("\n");
  expect(all).not.toContain(secret);
  for (let page = 1; page <= PAGES; page += 1)
    for (let at = 0; at < SENTENCES; at += 1) expect(all, sentence(page, at)).toContain(sentence(page, at));
  expect(read.length).toBeGreaterThan(PAGES);
}, 60_000);

/** Follows every page's `more`, like a model that obeys it. */
function findNext(read: readonly string[]): { readonly ref: number; readonly from: number } | undefined {
  const ends = new Map<number, number | undefined>();
  for (const text of read) {
    for (const [, ref = "", from = ""] of text.matchAll(/read_artifact with ref (\d+) and from (\d+) reads the rest/g))
      ends.set(Number(ref), Number(from));
    const opened = /^\{"ref":(\d+),/.exec(text);
    const more = /more characters: from (\d+)\./.exec(text);
    if (opened) ends.set(Number(opened[1]), more ? Number(more[1]) : undefined);
  }
  for (const [ref, from] of ends) if (from !== undefined) return { ref, from };
  return undefined;
}
