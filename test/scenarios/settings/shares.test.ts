import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { z } from "zod";
import { SharedThread } from "../../../protocol/account/shares.ts";
import { call, mintId, say, startInstance } from "../../support/instance.ts";
import { query } from "../../support/server/database.ts";
import { tool } from "../../support/server/loop-tools.ts";
import { describeOnBoth, type Start } from "./on-both.ts";

const SECRET = "sk-proj-Zx8Qw3Er5Ty7Ui9Op1As2Df4Gh6Jk8Lz0Xc3Vb5Nm";

/** A thread with tool input and output, a source, a secret in plain text, and memory. */
const tellThread = async (start: Start) => {
  const instance = await start({
    tools: [
      tool({
        name: "look",
        input: z.object({ note: z.string() }),
        execute: async (_, context) => {
          context.saveArtifact({
            kind: "page",
            title: "Stones",
            type: "text/plain",
            text: "the whole page",
            url: "https://a.example/",
          });
          context.addSource({
            url: "https://user:pass@a.example/stones#part",
            title: "Stones",
            status: "read",
            ref: 1,
          });
          context.addSource({ url: `https://a.example/?api_key=${SECRET}`, title: "Hidden", status: "found" });
          return { output: { inside: "what it returned" } };
        },
      }),
    ],
    script: (_, index) =>
      index === 0
        ? call({ name: "look", input: JSON.stringify({ note: "what it was given" }) })
        : say("Granite is hard [1]."),
  });
  const threadId = await instance.start({ title: `About ${SECRET}` });
  const live = instance.follow(threadId);
  await instance.send(threadId, `My key is ${SECRET}, and what is hard?`);
  await live.ended();
  return { ...instance, threadId };
};

/** The answer cites a page by its number as a search result; its last number is that of the page that was read. */
const citeThread = async (start: Start) => {
  const url = "https://tides.example/a";
  const instance = await start({
    tools: [
      tool({
        name: "look",
        input: z.object({}),
        execute: async (_, context) => {
          context.addSource({ url, title: "Tides", status: "found", ref: 1 });
          context.addSource({ url, title: "Tides", status: "read", ref: 7 });
          return { output: { results: [{ url, ref: 1 }] } };
        },
      }),
    ],
    script: (_, index) => (index === 0 ? call({ name: "look", input: "{}" }) : say("The range is 12 m [1].")),
  });
  const threadId = await instance.start();
  const live = instance.follow(threadId);
  await instance.send(threadId, "How large is it?");
  await live.ended();
  return { ...instance, threadId };
};

const openLink = (url: string, token: string) => fetch(`${url}/api/shared/${token}`);

describeOnBoth("a shared thread", (start) => {
  test("lists a source once, under the number that the text cites", async () => {
    const { client, threadId, url } = await citeThread(start);
    const { token } = await client.createShare({ params: { threadId }, body: { id: "share-1" } });
    const shared = SharedThread.parse(await (await openLink(url, token)).json());
    const sources = shared.messages.flatMap(({ parts }) => parts.filter(({ kind }) => kind === "source"));
    expect(sources).toEqual([{ kind: "source", title: "Tides", url: "https://tides.example/a", ref: 1 }]);
  });

  test("can be read with the link, as it was when shared, without secrets and internal data", async () => {
    const { client, threadId, url, send, follow } = await tellThread(start);
    const made = await client.createShare({ params: { threadId }, body: { id: "share-1" } });
    expect(made).toMatchObject({ share: { id: "share-1", threadId, messages: 2 }, path: `/s/${made.token}` });
    expect(made.share.redacted).toBeGreaterThan(0);
    expect(made.token).toMatch(/^[\w-]{43}$/);
    expect(await client.createShare({ params: { threadId }, body: { id: "share-1" } })).toEqual(made);

    const response = await openLink(url, made.token);
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-robots-tag")).toContain("noindex");
    const text = await response.text();
    const shared = SharedThread.parse(JSON.parse(text));
    expect(shared.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(shared.messages[0]?.parts).toMatchObject([{ kind: "text" }]);
    const [, answer] = shared.messages;
    expect(answer?.parts).toContainEqual({ kind: "text", text: "Granite is hard [1]." });
    expect(answer?.parts).toContainEqual({ kind: "source", title: "Stones", url: "https://a.example/stones", ref: 1 });
    expect(answer?.parts).toContainEqual({ kind: "source", title: "Hidden", url: null, ref: null });
    expect(answer?.parts).toContainEqual(expect.objectContaining({ kind: "tool", name: "look", state: "ok" }));
    for (const hidden of [SECRET, "what it was given", "what it returned", "the whole page", "user:pass", threadId]) {
      expect(text).not.toContain(hidden);
    }
    expect(text).toContain("and what is hard?");

    const live = follow(threadId);
    await send(threadId, "Something said afterwards");
    await live.ended(2);
    expect(await (await openLink(url, made.token)).text()).toBe(text);
  });

  test("stores only a hash of its token, which gives access to nothing else", async () => {
    const { client, threadId, url, dataDir, databaseUrl } = await tellThread(start);
    const { token } = await client.createShare({ params: { threadId }, body: { id: "s" } });
    const place = { dataDir, ...(databaseUrl ? { databaseUrl } : {}) };
    const [row] = await query<{ hash: string; body: string }>(place, "select hash, body from shares");
    expect(row?.hash).toBe(createHash("sha256").update(token).digest("base64url"));
    expect(JSON.stringify(row)).not.toContain(token);
    expect(JSON.stringify(row)).not.toContain(SECRET);
    for (const wrong of [`${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`, "A".repeat(43)]) {
      expect((await openLink(url, wrong)).status).toBe(404);
    }
    expect((await openLink(url, "short")).status).toBe(400);
    expect((await openLink(url, `${token}/messages`)).status).toBe(404);
    expect((await fetch(`${url}/api/shared/${token}`, { method: "POST" })).status).toBe(404);
  });

  test("is listed without its link, and ends when revoked or when its thread is deleted", async () => {
    const { client, threadId, url } = await tellThread(start);
    const share = (id: string) => client.createShare({ params: { threadId }, body: { id } });
    const [first, second] = [await share("first"), await share("second")];
    expect(first.token).not.toBe(second.token);
    const { shares } = await client.listShares({ query: { threadId } });
    expect(shares.map(({ id }) => id).toSorted()).toEqual(["first", "second"]);
    expect(JSON.stringify(shares)).not.toContain(first.token);
    await client.revokeShare({ params: { shareId: "first" } });
    expect((await openLink(url, first.token)).status).toBe(404);
    expect((await openLink(url, second.token)).status).toBe(200);
    await expect(client.revokeShare({ params: { shareId: "first" } })).rejects.toMatchObject({ code: "not-found" });
    expect((await share("first")).token).not.toBe(first.token);
    expect((await openLink(url, first.token)).status).toBe(404);
    await client.deleteThread({ params: { threadId } });
    expect((await openLink(url, second.token)).status).toBe(404);
    expect((await client.listShares({})).shares).toEqual([]);
    const gone = client.createShare({ params: { threadId }, body: { id: mintId() } });
    await expect(gone).rejects.toMatchObject({ code: "not-found" });
  });
});

test("limits requests for shared links by address; X-Forwarded-For counts only from a trusted proxy", async () => {
  const token = "a-token-that-is-long-enough-for-tests";
  const statusesOf = async (env: Readonly<Record<string, string>>): Promise<ReadonlySet<number>> => {
    const { url } = await startInstance({ env: { STONECHAT_TOKEN: token, ...env }, script: () => say("Yes.") });
    // All at once: the limit allows more with every second that passes.
    const statuses = Array.from({ length: 200 }, async (_, n) => {
      const headers = { "x-forwarded-for": `198.51.100.${n}` };
      return (await fetch(`${url}/api/shared/${"x".repeat(43)}`, { headers })).status;
    });
    return new Set(await Promise.all(statuses));
  };
  expect(await statusesOf({})).toEqual(new Set([404, 429]));
  expect(await statusesOf({ STONECHAT_TRUSTED_PROXIES: "127.0.0.1,::1" })).toEqual(new Set([404]));
});
