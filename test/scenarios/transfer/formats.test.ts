import { beforeAll, expect, test } from "vitest";
import type { Client } from "../../../protocol/client.ts";
import { textOf, type MessageView } from "../../../protocol/fold.ts";
import type { Part } from "../../../protocol/parts.ts";
import { toPreview } from "../../../server/thread/title.ts";
import { listExports, type ChatExport } from "../../support/chat-exports.ts";
import { exportArchive, importFile, listAll, notesOf } from "../../support/transfer.ts";
import { readZip } from "../../support/project/read-zip.ts";
import { describeOnBoth } from "../settings/on-both.ts";
import { say } from "../../support/instance.ts";

const names = [
  "ChatGPT, zip with a picture",
  "ChatGPT, the JSON alone",
  "ChatGPT, odd",
  "ChatGPT, with tools",
  "Claude, zip with projects and memories",
  "LibreChat",
  "LibreChat, nested",
  "LibreChat, a tree",
  "Open WebUI",
  "plain JSON",
  "plain JSON, a list of messages",
  "Markdown",
  "Markdown without speakers",
] as const;

let exports: Readonly<Record<string, ChatExport>>;
beforeAll(async () => {
  exports = await listExports();
  expect(Object.keys(exports)).toEqual([...names]);
});

const pathOf = async (client: Client, threadId: string): Promise<readonly MessageView[]> =>
  (await client.getThread({ params: { threadId }, query: { limit: 200 } })).messages;

const textsOf = (messages: readonly { readonly parts: readonly Part[] }[]): readonly string[] =>
  messages.map(({ parts }) => textOf(parts)).filter((text) => text !== "");

describeOnBoth("importing from other programs", (start) => {
  const check = async (url: string, client: Client, given: ChatExport): Promise<void> => {
    const report = await importFile(url, given.name, given.content);
    expect(report.import.state, report.import.error ?? "").toBe("done");
    const threads = await listAll(client);
    expect(threads.map(({ title }) => title).toSorted()).toEqual(given.threads.map(({ title }) => title).toSorted());
    for (const expected of given.threads) {
      const thread = threads.find(({ title }) => title === expected.title);
      const line = report.lines.find(({ kind, target }) => kind === "thread" && target === thread?.id);
      expect(line).toMatchObject({ text: expected.title });
      const path = await pathOf(client, thread?.id ?? "");
      expect(textsOf(path)).toEqual(expected.texts);
      const whole = (await client.exportThread({
        params: { threadId: thread?.id ?? "" },
        query: { format: "json", branches: "all" },
      })) as { readonly messages: readonly { readonly parts: readonly Part[] }[] };
      expect(textsOf(whole.messages).toSorted()).toEqual([...expected.texts, ...(expected.rest ?? [])].toSorted());
      const parts = whole.messages.flatMap((message) => message.parts);
      for (const model of expected.models ?? [])
        expect(path.flatMap((message) => message.parts)).toContainEqual(
          expect.objectContaining({ kind: "step", model }),
        );
      if (expected.createdAt !== undefined) expect(thread?.createdAt).toBe(expected.createdAt);
      const files = parts.flatMap((part) => (part.kind === "file" ? [part] : []));
      expect(files.map((part) => part.name)).toEqual(expected.files ?? []);
      for (const { attachmentId } of files) {
        const response = await fetch(`${url}/api/attachments/${attachmentId}/file`);
        expect(response.status).toBe(200);
        expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(5);
      }
      for (const { name: tool, output } of expected.tools ?? [])
        expect(parts).toContainEqual(expect.objectContaining({ kind: "tool", name: tool, output, state: "ok" }));
      for (const text of expected.reasoning ?? [])
        expect(parts).toContainEqual(expect.objectContaining({ kind: "reasoning", text }));
      for (const source of expected.sources ?? [])
        expect(parts).toContainEqual(expect.objectContaining({ kind: "source", url: source }));
      for (const text of expected.notices ?? [])
        expect(parts).toContainEqual(expect.objectContaining({ kind: "notice", text }));
      // The list shows the newest answer of the path.
      const shown = path.findLast(({ role, parts: all }) => role === "assistant" && textOf(all) !== "");
      expect(thread?.preview).toBe(toPreview(textOf(shown?.parts ?? [])));
      // None of it is the user's own words.
      for (const part of parts.filter(({ kind }) => kind !== "file"))
        expect(part.untrusted).toContain(`the import “${given.name}”`);
    }
    for (const note of given.notes ?? []) expect(notesOf(report).join("\n")).toMatch(note);
  };

  // One server for all of them, since starting the reader takes longer than reading.
  test("finds every message again, in order, with branches, files, tools and dates; the same file again adds nothing", async () => {
    const { url, client } = await start();
    for (const name of names) {
      const given = exports[name];
      if (!given) throw new Error(`there is no export ${name}`);
      await check(url, client, given).catch((error: Error) => {
        throw new Error(`${name}: ${error.message}`, { cause: error });
      });
      const before = await exportArchive(url);
      const again = await importFile(url, given.name, given.content);
      const known = given.threads.length + (name.startsWith("Claude") ? 1 : 0);
      expect(again.import.counts, name).toMatchObject({ threads: 0, known });
      expect((await exportArchive(url)).equals(before), name).toBe(true);
      for (const { id } of await listAll(client)) await client.deleteThread({ params: { threadId: id } });
    }
  });

  test("a project comes with its instructions and texts, and its threads belong to it", async () => {
    const { url, client } = await start();
    const report = await importFile(
      url,
      "claude.zip",
      exports["Claude, zip with projects and memories"]?.content ?? "",
    );
    const project = report.lines.find(({ kind }) => kind === "project")?.target ?? "";
    expect((await client.getProject({ params: { projectId: project } })).project).toMatchObject({
      name: "Roofing",
      instructions: "Talk about roofs.",
    });
    const { entities } = await client.listEntities({ params: { projectId: project } });
    expect(entities).toMatchObject([{ title: "prices.md", excerpt: "Slate costs." }]);
    expect((await listAll(client))[0]?.projectId).toBe(project);
  });

  test("memory waits for the user's decision, text by text", async () => {
    const { url, client } = await start();
    const file = exports["Claude, zip with projects and memories"]?.content ?? "";
    const report = await importFile(url, "claude.zip", file);
    const memories = report.lines.filter(({ kind }) => kind === "memory");
    expect(memories.map(({ text }) => text)).toEqual(["Lives under a slate roof.", "Likes stones."]);
    expect((await client.getMemory({})).memory.notes).toBeNull();
    const params = { importId: report.import.id };
    const [first, second] = memories.map(({ n }) => n);
    const added = await client.decideImport({ params, body: { line: first ?? 0, add: true } });
    expect(added.line.kind).toBe("memory-added");
    await client.decideImport({ params, body: { line: first ?? 0, add: true } });
    await client.decideImport({ params, body: { line: second ?? 0, add: false } });
    expect((await client.getMemory({})).memory.notes?.value).toBe("Lives under a slate roof.");
    await expect(client.decideImport({ params, body: { line: first ?? 0, add: false } })).rejects.toMatchObject({
      code: "conflict",
    });
    // Known texts are not offered again.
    const again = await importFile(url, "claude.zip", file);
    expect(again.lines.filter(({ kind }) => kind === "memory").map(({ text }) => text)).toEqual(["Likes stones."]);
  });

  test("an imported thread is found, recalled and continued", async () => {
    const seen: string[] = [];
    const instance = await start({
      script: ({ messages }) => {
        seen.push(JSON.stringify(messages));
        return say("of course");
      },
    });
    const { url, client } = instance;
    const { lines } = await importFile(url, "conversations.json", exports["ChatGPT, the JSON alone"]?.content ?? "");
    const threadId = lines.find(({ kind }) => kind === "thread")?.target ?? "";
    expect((await client.search({ query: { q: "slate splits" } })).hits.length).toBeGreaterThan(0);
    const recalled = await client.recallPassages({ params: { threadId }, query: { q: "dark basalt" } });
    expect(JSON.stringify(recalled)).toContain("Basalt is dark.");
    const live = instance.follow(threadId);
    await instance.send(threadId, "Tell me more.");
    expect(await live.ended(1)).toMatchObject({ outcome: "done" });
    expect(seen[0]).toContain("What is granite?");
    expect(seen[0]).toContain("Basalt is dark.");
    expect(seen[0]).not.toContain("Slate splits.");
  });

  test("the JSON and Markdown exports of this server come back, too", async () => {
    const there = await start({ script: () => say("a reply") });
    const threadId = await there.start({ title: "Own" });
    const live = there.follow(threadId);
    const first = await there.send(threadId, "a question");
    await live.ended(1);
    await there.client.editMessage({
      params: { threadId, messageId: first },
      body: { id: "edited", text: "another question" },
    });
    await live.ended(2);
    live.close();
    const json = JSON.stringify(await there.client.exportEverything({}));
    const zip = await exportArchive(there.url, "markdown");
    expect((await readZip(zip)).map(({ path }) => path)).toEqual([
      expect.stringMatching(new RegExp(`Own ${threadId}\\.md$`)),
    ]);
    const here = await start();
    await importFile(here.url, "own.json", json);
    expect(textsOf(await pathOf(here.client, threadId))).toEqual(["another question", "a reply"]);
    expect((await pathOf(here.client, threadId))[0]?.variants).toHaveLength(2);
    const elsewhere = await start();
    await importFile(elsewhere.url, "own.zip", zip);
    const [thread] = await listAll(elsewhere.client);
    expect(thread).toMatchObject({ title: "Own" });
    expect(textsOf(await pathOf(elsewhere.client, thread?.id ?? ""))).toEqual(["another question", "a reply"]);
  });
});
