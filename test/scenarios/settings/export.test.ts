import { expect, test } from "vitest";
import type { Part } from "../../../protocol/parts.ts";
import { mintId, say } from "../../support/instance.ts";
import { describeOnBoth, type Start } from "./on-both.ts";

type ExportedThread = {
  readonly format: string;
  readonly v: number;
  readonly thread: { readonly id: string; readonly title: string };
  readonly activeBranchId: string;
  readonly branches: readonly { readonly id: string }[];
  readonly messages: readonly {
    readonly id: string;
    readonly role: string;
    readonly depth: number;
    readonly parts: readonly Part[];
  }[];
  readonly artifacts: readonly { readonly ref: number }[];
};

const textsOf = ({ messages }: Pick<ExportedThread, "messages">): string[] =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])));

const tell = async (start: Start) => {
  let said = 0;
  const instance = await start({ script: () => say(`answer ${(said += 1)}`) });
  const threadId = await instance.start({ title: 'Über Steine: [1] & "more"' });
  const live = instance.follow(threadId);
  const first = await instance.send(threadId, "first question");
  await live.ended(1);
  await instance.send(threadId, "second question");
  await live.ended(2);
  return { ...instance, threadId, first, live };
};

describeOnBoth("exporting a thread", (start) => {
  test("writes the active path with roles as Markdown", async () => {
    const { url, threadId } = await tell(start);
    const response = await fetch(`${url}/api/threads/${threadId}/export`);
    expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="Uber-Steine-1-more.md"');
    expect(response.headers.get("cache-control")).toBe("no-store");
    const text = await response.text();
    expect(text).toMatch(/^# Über Steine: \[1\] & "more"\n/);
    const order = ["## You", "first question", "## Assistant", "answer 1", "second question", "answer 2"];
    const places = order.map((part) => text.indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });

  test("writes HTML for printing, with formatted answers and nothing that runs", async () => {
    const answer = "# Kinds\n\n| stone | hard |\n|---|---|\n| **slate** | no |\n\n<img src=x onerror=alert(1)>";
    const { url, start: open, send, follow } = await start({ script: () => say(answer) });
    const threadId = await open({ title: "<b>Stones</b>" });
    const live = follow(threadId);
    await send(threadId, "What is *slate*? <script>");
    await live.ended(1);
    const response = await fetch(`${url}/api/threads/${threadId}/export?format=html`);
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="bStonesb.html"');
    const html = await response.text();
    for (const part of [
      "<title>&lt;b&gt;Stones&lt;/b&gt;</title>",
      "<p>What is *slate*? &lt;script&gt;</p>",
      "<h3>Kinds</h3>",
      "<td><strong>slate</strong></td><td>no</td>",
      "&lt;img src=x onerror=alert(1)&gt;",
    ])
      expect(html).toContain(part);
    expect(html).not.toMatch(/<(?:script|img|link|iframe)/);
  });

  test("writes the active path or all branches as JSON", async () => {
    const { client, threadId, first, live } = await tell(start);
    const body = { id: mintId(), text: "said differently" };
    await client.editMessage({ params: { threadId, messageId: first }, body });
    await live.ended(3);
    const get = async (branches: "active" | "all") =>
      (await client.exportThread({ params: { threadId }, query: { format: "json", branches } })) as ExportedThread;
    const active = await get("active");
    expect(active).toMatchObject({ format: "stonechat-thread", v: 1, thread: { id: threadId } });
    expect(textsOf(active)).toEqual(["said differently", "answer 3"]);
    const all = await get("all");
    expect(textsOf(all).toSorted()).toEqual(
      ["first question", "answer 1", "second question", "answer 2", "said differently", "answer 3"].toSorted(),
    );
    expect(all.branches).toHaveLength(2);
    expect(all.branches.map(({ id }) => id)).toContain(all.activeBranchId);
  });

  test("exports a long thread completely and in order", async () => {
    const { client, start: open, send, follow } = await start({ script: () => say("yes") });
    const threadId = await open();
    const live = follow(threadId);
    for (let n = 1; n <= 55; n += 1) {
      await send(threadId, `question ${n}`);
      await live.ended(n);
    }
    const { messages } = (await client.exportThread({
      params: { threadId },
      query: { format: "json" },
    })) as ExportedThread;
    expect(messages.map(({ depth }) => depth)).toEqual(Array.from({ length: 110 }, (_, n) => n + 1));
    const all = (await client.exportThread({
      params: { threadId },
      query: { format: "json", branches: "all" },
    })) as ExportedThread;
    expect(all.messages).toHaveLength(110);
  });
});

describeOnBoth("exporting everything", (start) => {
  test("writes all data of the user without keys", async () => {
    const { client, url, threadId } = await tell(start);
    const key = "sk-test-granite-0123456789-abcdefghijklmnop";
    await client.setProviderKey({ params: { provider: "openai" }, body: { key } });
    await client.setMemory({ body: { id: mintId(), field: "name", value: "Ann" } });
    await client.createProfile({ body: { id: "mine", name: "Mine" } });
    await client.setDraft({ params: { threadId }, body: { text: "not sent yet", at: 1 } });
    const { token } = await client.createShare({ params: { threadId }, body: { id: "share" } });
    await client.createProject({ body: { id: "project", name: "Quarry" } });
    const op = { do: "create" as const, id: "doc", kind: "document", title: "Plan", body: "blast carefully" };
    await client.act({ params: { projectId: "project" }, body: { id: mintId(), ops: [op] } });
    await client.writeFiles({
      params: { projectId: "project" },
      body: { id: mintId(), ops: [{ do: "write", path: "a.txt", was: null, text: "in a file" }] },
    });
    await client.createThread({ body: { id: "unlisted", temporary: true } });
    const response = await fetch(`${url}/api/export`);
    expect(response.headers.get("content-disposition")).toMatch(
      /^attachment; filename="stonechat-\d{4}-\d\d-\d\d\.json"$/,
    );
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      format: "stonechat-export",
      v: 1,
      memory: { name: { value: "Ann" } },
      profiles: [{ id: "mine", name: "Mine", from: "stone" }],
      drafts: [{ threadId, text: "not sent yet" }],
      shares: [{ id: "share", threadId }],
      threads: [{ thread: { id: threadId }, messages: [{}, {}, {}, {}] }],
      projects: [
        {
          project: { id: "project", name: "Quarry" },
          entities: [{ id: "doc", title: "Plan", body: "blast carefully" }],
          files: [{ path: "a.txt", encoding: "text", content: "in a file" }],
        },
      ],
    });
    expect(text).not.toContain("unlisted");
    expect(text).not.toContain(key);
    expect(text).not.toContain(token);
  });

  test("writes a valid document when there is no data", async () => {
    const { client } = await start();
    expect(await client.exportEverything({})).toMatchObject({ format: "stonechat-export", threads: [], projects: [] });
  });
});
