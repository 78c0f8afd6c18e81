import { expect, onTestFinished, test } from "vitest";
import { textOf, type MessageView } from "../../protocol/fold.ts";
import type { PartOf } from "../../protocol/parts.ts";
import { mintId, startInstance, type Follower, type Instance } from "../support/instance.ts";
import { openLoopback, send as respond, sendJson, type Loopback, type Respond } from "../support/web/loopback.ts";

const fact = "At Saint-Malo the tidal range reaches 12 metres at spring tide.";
const second = "The tidal range at Saint-Malo is among the largest in Europe.";
const filler = "The harbour is a quiet place in winter, and the gulls own it. ".repeat(20);

const html = (title: string, ...paragraphs: readonly string[]): Respond =>
  respond(
    "text/html; charset=utf-8",
    `<!doctype html><html lang="en"><head><title>${title}</title></head><body><nav><a href="/">Home</a></nav><main><article><h1>${title}</h1>${paragraphs.map((text) => `<p>${text}</p>`).join("")}</article></main></body></html>`,
  );

async function openSite(pages: Readonly<Record<string, Respond>>): Promise<Loopback> {
  const site = await openLoopback((asked, response) =>
    (pages[asked.path] ?? respond("text/plain", "There is nothing here.", 404))(asked, response),
  );
  onTestFinished(site.close);
  return site;
}

const row = (url: string, title: string, content: string) => ({ url, title, content });

/** A fake SearXNG that returns fixed results. */
const openSearch = (results: readonly object[]): Promise<Loopback> => openSite({ "/search": sendJson({ results }) });

const start = (search: string, env: Readonly<Record<string, string>> = {}): Promise<Instance> =>
  startInstance({
    env: {
      ...env,
      STONECHAT_MODEL: "offline/stone",
      STONECHAT_OFFLINE_PACE_MS: "0",
      STONECHAT_SEARCH: "searxng",
      STONECHAT_SEARXNG_URL: search,
      STONECHAT_ALLOW_PRIVATE: "mcp=127.0.0.1,search=127.0.0.1,scrape=127.0.0.1",
    },
  });

const ask = async (instance: Instance, text: string, profile: "stone" | "research" | "assistant" = "research") => {
  const threadId = await instance.start({ profile });
  const live = instance.follow(threadId);
  await instance.send(threadId, text);
  const run = await live.ended();
  return { threadId, live, run, answer: answerOf(live) };
};
const answerOf = (live: Follower): MessageView => live.view().messages.findLast(({ role }) => role === "assistant")!;
const callsOf = ({ parts }: MessageView): PartOf<"tool">[] => parts.filter((part) => part.kind === "tool");
const citationsOf = ({ parts }: MessageView) =>
  parts.flatMap((part) => (part.kind === "data" && part.name === "citations" ? [part.value] : [])).at(-1);

test("plans, searches, reads and answers with quotations found in the stored pages", async () => {
  const a = await openSite({ "/tides": html("Tides at Saint-Malo", filler, fact, filler) });
  const b = await openSite({ "/": html("The coast", filler, second) });
  const search = await openSearch([
    row(`${a.url}/tides`, "Tides at Saint-Malo", "The tidal range at Saint-Malo, day by day."),
    row(`${b.url}/`, "The coast", "About the tidal range at Saint-Malo and elsewhere."),
    row(`${b.url}/lunch`, "Lunch", "Where to eat."),
  ]);
  const instance = await start(search.url);
  const { threadId, run, answer } = await ask(instance, "What is the tidal range at Saint-Malo?");

  expect(run).toMatchObject({ outcome: "done", step: 4 });
  expect(callsOf(answer).map(({ name, state, input }) => [name, state, input])).toEqual([
    ["plan_research", "ok", { queries: [expect.objectContaining({ query: "tidal range at Saint-Malo" })] }],
    ["search_web", "ok", { query: "tidal range at Saint-Malo" }],
    ["scrape_webpage", "ok", { url: `${a.url}/tides` }],
    ["scrape_webpage", "ok", { url: `${b.url}/` }],
  ]);
  expect(search.asked.map(({ params }) => params["q"])).toEqual(["tidal range at Saint-Malo"]);

  const text = textOf(answer.parts);
  expect(text).toContain("only quote");
  const quoted = [...text.matchAll(/^> (.+) \[(\d+)\]$/gm)].map(([, quote = "", ref]) => ({ quote, ref: Number(ref) }));
  expect(quoted.map(({ quote }) => quote)).toEqual(expect.arrayContaining([fact, second]));
  for (const { quote, ref } of quoted) {
    const artifact = await instance.client.getArtifact({ params: { threadId, ref } });
    expect(artifact.kind).toBe("page");
    expect(artifact.text).toContain(quote);
  }
  expect(citationsOf(answer)).toEqual(
    quoted.map(({ quote, ref }) => expect.objectContaining({ ref, state: "verified", quote })),
  );
});

test("control: says it does not know if no page has the sentence", async () => {
  const a = await openSite({ "/tides": html("Harbours", filler) });
  const search = await openSearch([row(`${a.url}/tides`, "Tidal range at Saint-Malo", "")]);
  const { answer } = await ask(await start(search.url), "What is the tidal range at Saint-Malo?");
  expect(callsOf(answer)).toHaveLength(3);
  expect(textOf(answer.parts)).toContain("I do not know");
  expect(textOf(answer.parts)).not.toContain("> ");
});

test("reports a page that fails and reads the next best instead", async () => {
  const broken = await openSite({ "/": respond("text/plain", "sorry", 503) });
  const sites = await Promise.all([fact, second].map((text) => openSite({ "/": html("Tides", filler, text) })));
  const search = await openSearch([
    row(`${broken.url}/`, "Tidal range at Saint-Malo", "The tidal range at Saint-Malo."),
    ...sites.map(({ url }) =>
      row(`${url}/`, "Tidal range", "The tidal range at Saint-Malo, and more about other things."),
    ),
  ]);
  const { answer, run } = await ask(await start(search.url), "What is the tidal range at Saint-Malo?");
  expect(run.outcome).toBe("done");
  expect(callsOf(answer).filter(({ name }) => name === "scrape_webpage")).toHaveLength(3);
  const text = textOf(answer.parts);
  expect(text).toContain(`The page ${broken.url}/ could not be read: The site had a server error (HTTP 503).`);
  expect(text).toContain(`> ${fact} [`);
  expect(text).toContain(`> ${second} [`);
});

test("says so when the search is unreachable and invents nothing", async () => {
  const search = await openSite({ "/search": respond("text/plain", "down", 500) });
  const { answer, run } = await ask(await start(search.url), "What is the tidal range at Saint-Malo?");
  expect(run.outcome).toBe("done");
  const text = textOf(answer.parts);
  expect(text).toMatch(/No results for “tidal range at Saint-Malo”: No search provider could be reached.*searxng/);
  expect(text).toContain("nothing to quote");
  expect(text).not.toMatch(/^> /m);
});

test("quotes the beginning and the end of pages that are longer than the window", async () => {
  const long = filler.repeat(9);
  const a = await openSite({ "/": html("Tides", fact, long) });
  const b = await openSite({ "/": html("Tides", long, second) });
  const search = await openSearch(
    [a, b].map(({ url }) => row(`${url}/`, "Tidal range at Saint-Malo", "The tidal range at Saint-Malo. ".repeat(20))),
  );
  const instance = await start(search.url);
  const { answer, run, threadId } = await ask(instance, "What is the tidal range at Saint-Malo?");
  expect(run).toMatchObject({ outcome: "done", step: 4 });
  expect(textOf(answer.parts)).toContain(`> ${fact} [`);
  expect(textOf(answer.parts)).toContain(`> ${second} [`);
  const { calls } = await instance.client.getRun({ params: { threadId, runId: run.id } });
  const { receipt } = await instance.client.getReceipt({
    params: { threadId, receiptId: calls.at(-1)?.receiptId ?? "" },
  });
  expect(JSON.stringify(receipt)).toContain("shortenedFrom");
});

test("commands and plain requests call their tools without a key", async () => {
  const search = await openSearch([row("http://127.0.0.1:9/", "Granite", "Granite is a rock of quartz and feldspar.")]);
  const instance = await start(search.url);
  const threadId = await instance.start({ profile: "assistant" });
  const live = instance.follow(threadId);
  let turn = 0;
  const say = async (text: string) => {
    await instance.send(threadId, text);
    await live.ended(++turn);
    const answer = answerOf(live);
    return { calls: callsOf(answer).map(({ name, state }) => `${name} ${state}`), text: textOf(answer.parts) };
  };
  expect(await say("remember that I like granite")).toEqual({
    calls: ["working_memory ok"],
    text: "Remembered:\n\n> preferences: I like granite",
  });
  expect(await say("@workingMemory I live in Bergen")).toMatchObject({ text: "Remembered:\n\n> location: Bergen" });
  expect(await say("What is 12 times 7?")).toMatchObject({
    calls: ["calculate ok"],
    text: expect.stringContaining("= 84"),
  });
  expect((await say("What time is it in Tokyo?")).text).toMatch(/\d{2}:\d{2}:\d{2}/);
  expect((await say("What do you know about me?")).text).toContain("> preferences: I like granite\n> location: Bergen");
  const basic = await say("@basic what is granite made of?");
  expect(basic.calls).toEqual(["search_web ok"]);
  expect(basic.text).toMatch(/> Granite is a rock of quartz and feldspar\. \[1\]/);
  expect((await say("open [1]")).text).toContain("Granite is a rock of quartz and feldspar. [1]");
  expect(await say("Where is my passport?")).toMatchObject({
    calls: [],
    text: expect.stringContaining("I do not know"),
  });
});

test("answers with what it has at a limit and reads the pages after Continue", async () => {
  const a = await openSite({ "/": html("Tides", filler, fact) });
  const search = await openSearch([
    row(`${a.url}/`, "Tidal range at Saint-Malo", "The tidal range is told in a table."),
  ]);
  const instance = await start(search.url, { STONECHAT_MAX_CALLS: "2" });
  const { answer, run, live, threadId } = await ask(instance, "Find out the tidal range at Saint-Malo", "stone");
  expect(run.outcome).toBe("limit");
  expect(textOf(answer.parts)).toContain("> The tidal range is told in a table. [1]");
  expect(textOf(answer.parts)).not.toContain(fact);
  await instance.client.continueRun({ params: { threadId }, body: { id: mintId() } });
  expect((await live.ended(2)).outcome).toBe("done");
  expect(callsOf(answerOf(live)).map(({ name }) => name)).toEqual(["plan_research", "search_web", "scrape_webpage"]);
  expect(textOf(answerOf(live).parts)).toContain(`> ${fact} [2]`);
});

test("stores the user's own words without approval after a search; a denied call does nothing", async () => {
  const search = await openSearch([row("http://127.0.0.1:9/", "Granite", "Granite is a rock.")]);
  const instance = await start(search.url);
  const { threadId, live } = await ask(instance, "@basic granite", "assistant");
  await instance.send(threadId, "remember that I like granite");
  await live.ended(2);
  const preferences = async () => (await instance.client.getMemory({ params: {}, query: {} })).memory.preferences;
  expect(callsOf(answerOf(live))).toMatchObject([{ name: "working_memory", state: "ok" }]);
  expect((await preferences())?.value).toContain("granite");
  await instance.send(threadId, "forget everything");
  const asking = () => callsOf(answerOf(live)).find(({ state }) => state === "asking");
  await live.until(() => asking() !== undefined);
  expect(asking()?.asks?.text).toContain("This run has read untrusted content from web search results.");
  const body = { id: mintId(), partId: asking()?.id ?? "", decision: "deny" as const, word: "not now" };
  await instance.client.decideCall({ params: { threadId }, body });
  await live.ended(3);
  expect(textOf(answerOf(live).parts)).toBe("You did not allow `working_memory` (“not now”), so it was not run.");
  expect((await preferences())?.value).toContain("granite");
});
