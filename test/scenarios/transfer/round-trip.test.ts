import { expect, test } from "vitest";
import { textOf } from "../../../protocol/fold.ts";
import fc from "../../support/fast-check.ts";
import { mintId, say } from "../../support/instance.ts";
import { partKinds, storedThread, toWrites } from "../../support/model/stored-thread.ts";
import { readZip } from "../../support/project/read-zip.ts";
import { query } from "../../support/server/database.ts";
import { put } from "../../support/store-rows.ts";
import { exportArchive, importFile, listAll, notesOf } from "../../support/transfer.ts";
import { describeOnBoth, type Start } from "../settings/on-both.ts";

const COUNT = process.env["STONECHAT_DEEP"] === "1" ? 1_000 : 60;

const textsIn = async (archive: Buffer): Promise<ReadonlyMap<string, string>> =>
  new Map((await readZip(archive)).map(({ path, bytes }) => [path, bytes.toString("utf8")]));

async function removeThreads(client: Awaited<ReturnType<Start>>["client"]): Promise<void> {
  for (const { id } of await listAll(client)) await client.deleteThread({ params: { threadId: id } });
}

describeOnBoth("an archive", (start) => {
  test(`comes back byte for byte: ${COUNT} generated threads with every kind of part, branch and file`, async () => {
    const { url, client, server, ...place } = await start();
    const generated = fc.sample(storedThread, { numRuns: COUNT, ...(COUNT > 60 ? {} : { seed: 7 }) });
    for (const [index, thread] of generated.entries())
      await put(server.store, ...toWrites("local", `t-${index}`, thread));
    const first = await exportArchive(url);
    const texts = await textsIn(first);
    const all = [...texts.values()].join("\n");
    // The generator must have made what the test is about.
    for (const kind of partKinds) expect(all).toContain(`"kind":"${kind}"`);
    for (const table of [
      "runs",
      "attachments",
      "attachment_pictures",
      "artifacts",
      "epochs",
      "summaries",
      "receipts",
      "texts",
    ])
      expect(all).toContain(`{"table":"${table}"`);
    expect([...texts.keys()].some((name) => name.startsWith("files/"))).toBe(true);

    await removeThreads(client);
    expect(await textsIn(await exportArchive(url))).not.toEqual(texts);
    const report = await importFile(url, "everything.zip", first);
    expect(report.import).toMatchObject({ state: "done", format: "stonechat", counts: { threads: COUNT, notes: 1 } });
    expect(notesOf(report)).toEqual([expect.stringContaining("preferences")]);
    // The owner of threads that are being imported.
    const { dataDir, databaseUrl } = place;
    const users = await query(databaseUrl ? { dataDir, databaseUrl } : { dataDir }, "select id from users");
    expect(users).toEqual([{ id: "local" }]);
    const second = await exportArchive(url);
    expect(await textsIn(second)).toEqual(texts);
    expect(second.equals(first)).toBe(true);

    const again = await importFile(url, "everything.zip", second);
    expect(again.import.counts).toMatchObject({ threads: 0, known: COUNT });
    expect((await exportArchive(url)).equals(first)).toBe(true);
  });

  test("keeps a thread as the server wrote it: answers, edits, tools, files, projects and receipts", async () => {
    let said = 0;
    const instance = await start({ script: () => say(`answer ${(said += 1)}`) });
    const { url, client } = instance;
    await client.createProject({ body: { id: "quarry", name: "Quarry", instructions: "Blast carefully." } });
    const op = { do: "create" as const, id: "doc", kind: "document", title: "Plan", body: "granite first" };
    await client.act({ params: { projectId: "quarry" }, body: { id: mintId(), ops: [op] } });
    const files = [{ do: "write" as const, path: "a.txt", was: null, text: "in a file" }];
    await client.writeFiles({ params: { projectId: "quarry" }, body: { id: mintId(), ops: files } });
    const threadId = await instance.start({ title: "Stones", projectId: "quarry" });
    const live = instance.follow(threadId);
    const first = await instance.send(threadId, "first question");
    await live.ended(1);
    await client.editMessage({
      params: { threadId, messageId: first },
      body: { id: mintId(), text: "said differently" },
    });
    await live.ended(2);
    live.close();
    const archive = await exportArchive(url);
    const texts = await textsIn(archive);
    await client.deleteThread({ params: { threadId } });
    await client.deleteProject({ params: { projectId: "quarry" } });
    const report = await importFile(url, "stones.zip", archive);
    expect(report.lines.filter(({ kind }) => kind !== "note")).toEqual([
      { n: expect.any(Number), kind: "project", target: "quarry", text: "Quarry" },
      { n: expect.any(Number), kind: "thread", target: threadId, text: "Stones" },
    ]);
    expect(await textsIn(await exportArchive(url))).toEqual(texts);

    // It is a whole thread: listed, found, with both variants, and it continues.
    expect((await listAll(client)).map(({ id }) => id)).toEqual([threadId]);
    expect((await client.search({ query: { q: "differently" } })).hits).toHaveLength(1);
    const { messages } = await client.getThread({ params: { threadId } });
    expect(messages[0]?.variants).toHaveLength(2);
    const [receipt] = (await client.listReceipts({ params: { threadId } })).receipts;
    const request = await client.getRequest({ params: { threadId, receiptId: receipt?.id ?? "" } });
    expect(request).toMatchObject({ verified: true, missing: [] });
    const more = instance.follow(threadId);
    await instance.send(threadId, "and now?");
    await more.ended(1);
    expect((await client.getThread({ params: { threadId } })).messages.at(-1)?.parts).toContainEqual(
      expect.objectContaining({ kind: "text", text: "answer 3" }),
    );
    const { entities } = await client.listEntities({ params: { projectId: "quarry" } });
    expect(entities).toMatchObject([{ id: "doc", title: "Plan" }]);
    const change = { do: "create" as const, id: "next", kind: "task", title: "Later" };
    await client.act({ params: { projectId: "quarry" }, body: { id: mintId(), ops: [change] } });
    expect((await client.getProject({ params: { projectId: "quarry" } })).counts).not.toEqual([]);
  });

  test("of another server counts as untrusted, and keeps everything else", async () => {
    const there = await start({ script: () => say("an answer") });
    const threadId = await there.start({ title: "Moved" });
    const live = there.follow(threadId);
    await there.send(threadId, "look at https://example.com/private");
    await live.ended(1);
    live.close();
    const archive = await exportArchive(there.url);
    const here = await start({ env: { STONECHAT_SECRET_KEY: Buffer.alloc(32, 9).toString("base64url") } });
    const report = await importFile(here.url, "moved.zip", archive);
    expect(report.import.counts).toMatchObject({ threads: 1, messages: 2 });
    const { messages } = await here.client.getThread({ params: { threadId } });
    for (const { parts } of messages)
      for (const part of parts) expect(part.untrusted).toContain("the import “moved.zip”");
    const before = (await there.client.getThread({ params: { threadId } })).messages;
    const plain = (list: typeof messages) =>
      list.map(({ id, role, parts }) => ({ id, role, parts: parts.map(({ untrusted: _, ...part }) => part) }));
    expect(plain(messages)).toEqual(plain(before));
    // From here on, it comes back as it is.
    const own = await exportArchive(here.url);
    await here.client.deleteThread({ params: { threadId } });
    await importFile(here.url, "own.zip", own);
    expect((await exportArchive(here.url)).equals(own)).toBe(true);
    // On further servers it has the same bytes, except for their signatures.
    const further = await start({ env: { STONECHAT_SECRET_KEY: Buffer.alloc(32, 8).toString("base64url") } });
    await importFile(further.url, "further.zip", own);
    const [sent, received] = [await textsIn(own), await textsIn(await exportArchive(further.url))];
    expect([...sent].filter(([path, text]) => received.get(path) !== text).map(([path]) => path)).toEqual([
      "signature.json",
    ]);
  });

  test("does not change a thread that is here with fewer messages: the whole one becomes a copy, once", async () => {
    const instance = await start({ script: () => say("yes") });
    const { url, client } = instance;
    const threadId = await instance.start({ title: "Both" });
    const live = instance.follow(threadId);
    await instance.send(threadId, "the first text");
    await live.ended(1);
    const old = await exportArchive(url);
    await instance.send(threadId, "the second text");
    await live.ended(2);
    live.close();
    const whole = await exportArchive(url);
    // Everything in the older archive is here.
    expect((await importFile(url, "old.zip", old)).import.counts).toMatchObject({ threads: 0, known: 1 });
    await client.deleteThread({ params: { threadId } });
    await importFile(url, "old.zip", old);
    expect((await client.getThread({ params: { threadId } })).messages).toHaveLength(2);

    const copied = await importFile(url, "whole.zip", whole);
    expect(copied.import.counts).toMatchObject({ threads: 1, known: 0 });
    const copy = copied.lines.find(({ kind }) => kind === "thread")?.target ?? "";
    expect(copy).not.toBe(threadId);
    expect((await client.getThread({ params: { threadId } })).messages).toHaveLength(2);
    const { messages } = await client.getThread({ params: { threadId: copy } });
    expect(messages.map(({ parts }) => textOf(parts))).toEqual(["the first text", "yes", "the second text", "yes"]);
    const [receipt] = (await client.listReceipts({ params: { threadId: copy } })).receipts;
    const request = await client.getRequest({ params: { threadId: copy, receiptId: receipt?.id ?? "" } });
    expect(request).toMatchObject({ verified: true, missing: [] });
    expect((await importFile(url, "whole.zip", whole)).import.counts).toMatchObject({ threads: 0, known: 1 });
  });
});
