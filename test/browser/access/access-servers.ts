import type { Page } from "playwright-core";
import { call, createInstance, mintId, say, type Instance } from "../../support/instance.ts";
import { writeThread } from "../../support/context/long-thread.ts";
import { stubSettings } from "../settings/stub-settings.ts";
import { createContext } from "../stub-context.ts";
import { stubMemoryAndCosts } from "../stub-memory-costs.ts";
import * as stub from "../stub-parts.ts";
import { stubThread } from "../stub-thread.ts";

/** Servers for the table of views: one with data of every kind, one as on first start, one that requires a token. */
export type AccessServers = {
  readonly filled: Instance & { readonly sharePath: string };
  readonly fresh: Instance;
  readonly locked: Instance;
  readonly close: () => Promise<void>;
};

export const token = "a-token-for-tests-only";
export const projectId = "harbour";
export const documentId = "handbook";
export const taskId = "granite";
export const longId = "long";
export const threadId = "talk";
export const failedId = "failed";

const day = 86_400_000;
const markdown = [
  "# Heading",
  "Some **bold** text, `code`, a [link](https://example.com), a formula $a^2$ and a note[^1].",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  '```ts\n// a comment\nconst a: number = 1; return "text";\n```',
  "> a quote\n\n- [x] done\n- [ ] open",
  "```mermaid\nflowchart TD\n  A --> B\n```",
  "שלום עולם, مرحبا",
  "[^1]: The note.",
].join("\n\n");

export async function startAccessServers(): Promise<AccessServers> {
  const scripted = { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," };
  const filled = await createInstance({
    env: scripted,
    script: ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === "user" && last.text.includes("fail"))
        return [{ type: "failed", failure: { code: "refused", fault: "request", text: "It did not work." } }];
      return last?.role === "user" && last.text.includes("time")
        ? call({ name: "calculate", input: "{}" })
        : say(markdown);
    },
  });
  const [fresh, locked] = await Promise.all([
    createInstance({ env: { STONECHAT_SCRIPTED: "0" } }),
    createInstance({ env: { ...scripted, STONECHAT_TOKEN: token } }),
  ]);
  const sharePath = await fill(filled);
  return {
    filled: { ...filled, sharePath },
    fresh,
    locked,
    close: async () => void (await Promise.all([filled.close(), fresh.close(), locked.close()])),
  };
}

async function fill({ client, server, start, send, follow }: Instance): Promise<string> {
  await client.createProject({ body: { id: projectId, name: "Harbour" } });
  const params = { projectId };
  const now = Date.now();
  const base = { do: "create" as const, parentId: null };
  await client.act({
    params,
    body: {
      id: mintId("act"),
      ops: [
        { ...base, id: "mole", kind: "goal", title: "The mole stands", state: "active", endsAt: now + 40 * day },
        { ...base, id: "poured", kind: "milestone", title: "Foundation poured", endsAt: now - 3 * day },
        { ...base, id: taskId, kind: "task", title: "Order granite", priority: "urgent", endsAt: now - day },
        { ...base, id: "sand", kind: "task", title: "Fetch sand", state: "done", priority: "low" },
        { ...base, id: "meeting", kind: "event", title: "Site meeting", startsAt: now, endsAt: now + 3_600_000 },
        { ...base, id: documentId, kind: "document", title: "Handbook", body: markdown },
        { do: "link", sourceId: taskId, targetId: "mole", relation: "supports" },
      ],
    },
  });
  const files = {
    "index.html": "<!doctype html><title>Tides</title><h1>Tides</h1>",
    "src/app.ts": "export const a = 1;\n",
  };
  const ops = Object.entries(files).map(([path, text]) => ({ do: "write" as const, path, was: null, text }));
  await client.writeFiles({ params, body: { id: mintId("act"), ops } });
  await client.createProfile({ body: { id: "mine", name: "Mine", from: "research" } });
  const startThread = async (id: string, title: string, text: string) => {
    await start({ id, title });
    const live = follow(id);
    await send(id, text);
    await live.ended();
    live.close();
  };
  await startThread(threadId, "Stones of the coast", "Show me everything");
  await startThread(failedId, "What went wrong", "This will fail");
  await startThread("counted", "Counted", "What time is it?");
  await start({ id: "built", title: "A page of tides", profile: "builder", projectId });
  await start({ id: longId, title: "A long startThread" });
  await writeThread(server.store, longId, 2000, (depth) => `Message ${depth}. ${depth % 2 ? "" : markdown}`);
  return (await client.createShare({ params: { threadId: threadId }, body: { id: "shared" } })).path;
}

/** Stubs a thread with cards, sources, a compaction, receipts, pins and a summary, and the user's memory and costs. */
export async function stubAll(page: Page, url: string): Promise<void> {
  await stubThread(page, url, {
    parts: [
      stub.plan,
      stub.search,
      stub.pages,
      stub.memory,
      { id: "why", v: 1, n: 10, step: 1, kind: "reasoning", state: "done", text: "It is about **tides**." },
      ...stub.sources,
      stub.text(30, stub.answer),
      stub.citations,
    ],
    artifacts: [stub.artifact],
    run: { state: "ended", outcome: "done", endedAt: stub.at },
    replies: { ...stubMemoryAndCosts().replies, ...createContext().replies },
  });
  await page.getByRole("button", { name: "Regenerate", exact: true }).waitFor();
}

export { stubSettings };
