import { expect, test } from "vitest";
import type { ModelRequest, PromptMessage } from "../../../protocol/model.ts";
import type { PartOf } from "../../../protocol/parts.ts";
import { attach, tryAttach } from "../../support/attachments/attach.ts";
import { toPng } from "../../support/attachments/files.ts";
import { createGate, mintId, say, type Instance } from "../../support/instance.ts";
import { query } from "../../support/server/database.ts";
import { toPdf } from "../../support/web/pdf.ts";
import { describeOnBoth, type Start } from "../settings/on-both.ts";

const listen = async (start: Start) => {
  const requests: ModelRequest[] = [];
  const instance = await start({
    script: (request) => {
      requests.push(request);
      return say("Read.");
    },
  });
  return { ...instance, requests };
};

const ask = async (
  { client, follow }: Pick<Instance, "client" | "follow">,
  threadId: string,
  body: { text: string; attachments?: string[]; id?: string },
) => {
  const live = follow(threadId);
  const id = mintId("message");
  await client.sendMessage({ params: { threadId }, body: { id, ...body } });
  await live.until(({ messages, run }) => messages.some((one) => one.id === id) && run?.state === "ended");
  live.close();
  return id;
};

const filesOf = async ({ client }: Pick<Instance, "client">, threadId: string, messageId: string) => {
  const { messages } = await client.getThread({ params: { threadId } });
  const parts = messages.find(({ id }) => id === messageId)?.parts ?? [];
  return parts.filter((part): part is PartOf<"file"> => part.kind === "file");
};

type StoragePaths = { readonly dataDir: string; readonly databaseUrl: string };
const rowsOf = ({ dataDir, databaseUrl }: StoragePaths, sql: string) =>
  query(databaseUrl === "" ? { dataDir } : { dataDir, databaseUrl }, sql);

const messagesOf = (request: ModelRequest | undefined): readonly (PromptMessage & { role: "user" })[] =>
  (request?.messages ?? []).filter((message) => message.role === "user");

describeOnBoth("attached files", (start) => {
  test("are detected by content, included before the message text, stored, searchable and listed in the receipt", async () => {
    const instance = await listen(start);
    const { client, url, requests } = instance;
    const threadId = await instance.start();
    const files = [
      { name: "notes.md", bytes: "# Quarry\n\nThe basalt comes from the northern quarry." },
      { name: "table.csv", bytes: "stone,weight\ngranite,2.7\nbasalt,3.0\n" },
      {
        name: "page.txt",
        bytes: "<!doctype html><title>x</title><p>Slate splits easily into plates.</p><script>hidden()</script>",
      },
      { name: "report.bin", bytes: toPdf("Marble is metamorphic") },
      { name: "photo.png", bytes: toPng(30, 20) },
    ];
    const uploaded = [];
    for (const file of files) uploaded.push(await attach(url, { ...file, threadId }));
    expect(uploaded.map(({ kind, mediaType }) => [kind, mediaType])).toEqual([
      ["text", "text/markdown"],
      ["text", "text/csv"],
      ["text", "text/html"],
      ["text", "application/pdf"],
      ["image", "image/png"],
    ]);
    expect(uploaded[4]).toMatchObject({ width: 30, height: 20, characters: null });
    const ids = uploaded.map(({ id }) => id);
    expect((await client.listAttachments({ query: { threadId } })).attachments.map(({ id }) => id)).toEqual(ids);

    const messageId = await ask(instance, threadId, { text: "What is in these?", attachments: ids });
    expect((await client.listAttachments({ query: { threadId } })).attachments).toEqual([]);
    const parts = await filesOf(instance, threadId, messageId);
    expect(parts.map(({ name, n, ref }) => [name, n, ref])).toEqual([
      ["notes.md", 1, 1],
      ["table.csv", 2, 2],
      ["page.txt", 3, 3],
      ["report.bin", 4, 4],
      ["photo.png", 5, undefined],
    ]);

    const said = messagesOf(requests[0]);
    expect(said.at(-1)?.text).toBe("What is in these?");
    const told = said.map(({ text }) => text).join("\n");
    for (const words of ["northern quarry", "granite,2.7", "Slate splits easily", "Marble is metamorphic"])
      expect(told).toContain(words);
    expect(told).not.toContain("hidden()");
    expect(said.flatMap(({ images = [] }) => images)).toMatchObject([
      { name: "report.bin, page 1", mediaType: "image/jpeg" },
      { name: "photo.png", mediaType: "image/png" },
    ]);

    const { text } = await client.getArtifact({ params: { threadId, ref: 4 } as never });
    expect(text).toContain("Marble is metamorphic");
    const { hits } = await client.search({ query: { q: "metamorphic" } });
    expect(hits.map(({ target }) => target)).toContainEqual(
      expect.objectContaining({ at: "artifact", attached: true }),
    );

    const [receipt] = (await client.listReceipts({ params: { threadId } })).receipts;
    const params = { threadId, receiptId: receipt!.id };
    expect(await client.getRequest({ params })).toMatchObject({ verified: true, missing: [] });
    const whole = JSON.stringify(await client.getReceipt({ params }));
    expect(whole).toContain(
      "with notes.md (text), table.csv (text), page.txt (text), report.bin (text and pages), photo.png (picture)",
    );
  });

  test("are in a context preview as they would be sent, and stay unsent", async () => {
    const instance = await listen(start);
    const { client, url, requests } = instance;
    const [threadId, other] = [await instance.start(), await instance.start()];
    await ask(instance, threadId, { text: "Hello" });
    const notes = await attach(url, { name: "notes.md", bytes: "Basalt comes from the north.", threadId });
    const photo = await attach(url, { name: "photo.png", bytes: toPng(900, 600), threadId });
    const body = { text: "What is in these?", attachments: [notes.id, photo.id] };
    const preview = await client.previewContext({ params: { threadId }, body });
    const waiting = (await client.listAttachments({ query: { threadId } })).attachments;
    expect(waiting.map(({ id }) => id)).toEqual(body.attachments);
    const without = await client.previewContext({ params: { threadId }, body: { text: body.text } });
    expect(preview.receipt.promptTokens - without.receipt.promptTokens).toBeGreaterThan(720);

    await ask(instance, threadId, body);
    const shown = preview.blocks.filter(({ role }) => role === "user").map(({ text }) => text);
    const sent = messagesOf(requests.at(-1)).map(({ text }) => text);
    expect(shown.filter((text) => text.includes("attached"))).toEqual(sent.filter((text) => text.includes("attached")));
    expect(shown.join()).toContain("Basalt comes from the north.");
    const [receipt] = (await client.listReceipts({ params: { threadId } })).receipts;
    expect(preview.receipt.promptTokens).toBe(receipt?.promptTokens);

    await expect(client.previewContext({ params: { threadId: other }, body })).rejects.toMatchObject({ status: 400 });
  });

  test("that are too long for a prompt are outlined, and can be read further by ref", async () => {
    const instance = await listen(start);
    const threadId = await instance.start();
    const lines = Array.from({ length: 20_000 }, (_, n) => `Line ${n} of the long log says nothing new.`);
    const { id } = await attach(instance.url, { name: "long.log", bytes: lines.join("\n"), threadId });
    await ask(instance, threadId, { text: "Sum it up.", attachments: [id] });
    const told = messagesOf(instance.requests[0]).find(({ text }) => text.includes("long.log"))?.text ?? "";
    expect(told).toContain("read_artifact with ref 1");
    expect(told.length).toBeLessThan(lines.join("\n").length / 2);
    const [receipt] = (await instance.client.listReceipts({ params: { threadId } })).receipts;
    // Half of the window of 200,000 tokens is for texts.
    expect(receipt!.promptTokens).toBeGreaterThan(80_000);
    expect(receipt!.promptTokens).toBeLessThan(110_000);
    const { text } = await instance.client.getArtifact({ params: { threadId, ref: 1 } as never });
    expect(text).toContain("Line 19999 of");
  });

  test("can be sent without text and give the title; an empty message is rejected", async () => {
    const instance = await listen(start);
    const threadId = await instance.start();
    const { id } = await attach(instance.url, { name: "only.txt", bytes: "alone", threadId });
    await ask(instance, threadId, { text: "", attachments: [id] });
    const { thread } = await instance.client.getThread({ params: { threadId } });
    expect(thread.title).toContain("only.txt");
    await expect(
      instance.client.sendMessage({ params: { threadId }, body: { id: mintId(), text: "" } }),
    ).rejects.toMatchObject({ status: 400 });
  });

  test("stay with an edited message unless the edit has others", async () => {
    const instance = await listen(start);
    const threadId = await instance.start();
    const first = await attach(instance.url, { name: "first.txt", bytes: "one", threadId });
    const messageId = await ask(instance, threadId, { text: "Look", attachments: [first.id] });
    const edit = async (attachments?: string[]) => {
      const id = mintId("edit");
      const live = instance.follow(threadId);
      const body = { id, text: `Look again ${id}`, ...(attachments ? { attachments } : {}) };
      await instance.client.editMessage({ params: { threadId, messageId }, body });
      await live.until(({ messages, run }) => messages.some((one) => one.id === id) && run?.state === "ended");
      return (await filesOf(instance, threadId, id)).map(({ name }) => name);
    };
    expect(await edit()).toEqual(["first.txt"]);
    expect(await edit([])).toEqual([]);
    const second = await attach(instance.url, { name: "second.txt", bytes: "two", threadId });
    expect(await edit([second.id, first.id])).toEqual(["second.txt", "first.txt"]);
  });

  test("can be the only content of an edit; an empty edit is rejected", async () => {
    const instance = await listen(start);
    const threadId = await instance.start();
    const messageId = await ask(instance, threadId, { text: "Look" });
    const params = { threadId, messageId };
    const { id } = await attach(instance.url, { name: "only.txt", bytes: "alone", threadId });
    const live = instance.follow(threadId);
    const edit = { id: mintId("edit"), text: "", attachments: [id] };
    await instance.client.editMessage({ params, body: edit });
    await live.until(({ messages, run }) => messages.some((one) => one.id === edit.id) && run?.state === "ended");
    expect((await filesOf(instance, threadId, edit.id)).map(({ name }) => name)).toEqual(["only.txt"]);
    await expect(instance.client.editMessage({ params, body: { id: mintId("edit"), text: "" } })).rejects.toMatchObject(
      {
        status: 400,
        message: "A message needs text or a file.",
      },
    );
  });

  test("are listed with a queued message and become unsent when it is withdrawn", async () => {
    const gate = createGate();
    const instance = await start({
      script: async function* () {
        await gate.passed;
        yield* say("Read.");
      },
    });
    const threadId = await instance.start();
    const live = instance.follow(threadId);
    await instance.send(threadId, "Hello");
    await live.until(({ run }) => run?.state === "running");
    const { id } = await attach(instance.url, { name: "a.txt", bytes: "words of the file", threadId });
    const listWaiting = async () =>
      (await instance.client.listAttachments({ query: { threadId } })).attachments.map((file) => file.id);
    const queue = async (body: { text: string; mode?: "steer" }) => {
      const inputId = mintId("message");
      await instance.client.sendMessage({ params: { threadId }, body: { ...body, id: inputId, attachments: [id] } });
      const view = await live.until((now) => now.queue.some((input) => input.id === inputId));
      expect(view.queue.at(-1)?.attachments).toEqual([id]);
      return inputId;
    };
    const inputId = await queue({ text: "regretted" });
    expect((await instance.client.getThread({ params: { threadId } })).queue).toMatchObject([{ attachments: [id] }]);
    expect(await listWaiting()).toEqual([]);
    await instance.client.withdrawInput({ params: { threadId, inputId } });
    expect(await listWaiting()).toEqual([id]);
    const again = await queue({ text: "after all" });
    gate.open();
    await live.until(({ messages, run }) => messages.some((one) => one.id === again) && run?.state === "ended");
    expect((await filesOf(instance, threadId, again)).map(({ name }) => name)).toEqual(["a.txt"]);
    expect(await listWaiting()).toEqual([]);
  });

  test("can be uploaded without a thread and belong to the first thread that uses them", async () => {
    const instance = await listen(start);
    const { client, url } = instance;
    const file = await attach(url, { name: "early.txt", bytes: "before the thread" });
    expect((await client.listAttachments({})).attachments.map(({ id }) => id)).toEqual([file.id]);
    const [one, other] = [await instance.start(), await instance.start()];
    await ask(instance, one, { text: "Here", attachments: [file.id] });
    expect((await client.listAttachments({})).attachments).toEqual([]);
    await expect(
      client.sendMessage({
        params: { threadId: other },
        body: { id: mintId(), text: "And here", attachments: [file.id] },
      }),
    ).rejects.toMatchObject({ status: 400 });
  });

  test("are sent once when the same message is sent repeatedly", async () => {
    const instance = await listen(start);
    const threadId = await instance.start();
    const { id } = await attach(instance.url, { name: "a.txt", bytes: "a", threadId });
    const body = { id: mintId("message"), text: "Twice", attachments: [id] };
    const live = instance.follow(threadId);
    const first = await instance.client.sendMessage({ params: { threadId }, body });
    await live.ended();
    expect(await instance.client.sendMessage({ params: { threadId }, body })).toEqual(first);
    const changed = { ...body, attachments: [] };
    await expect(instance.client.sendMessage({ params: { threadId }, body: changed })).rejects.toMatchObject({
      status: 409,
    });
    expect(instance.requests).toHaveLength(1);
  });

  test("can be removed until they are sent", async () => {
    const instance = await listen(start);
    const threadId = await instance.start();
    const unsent = await attach(instance.url, { name: "a.txt", bytes: "a", threadId });
    await instance.client.removeAttachment({ params: { attachmentId: unsent.id } });
    expect((await instance.client.listAttachments({ query: { threadId } })).attachments).toEqual([]);
    expect(await rowsOf(instance, "select hash from attachment_blobs")).toEqual([]);
    await expect(instance.client.removeAttachment({ params: { attachmentId: unsent.id } })).rejects.toMatchObject({
      status: 404,
    });
    const sent = await attach(instance.url, { name: "b.txt", bytes: "b", threadId });
    await ask(instance, threadId, { text: "Keep", attachments: [sent.id] });
    await expect(instance.client.removeAttachment({ params: { attachmentId: sent.id } })).rejects.toMatchObject({
      status: 409,
    });
  });

  test("are deleted with their thread, except content that another thread still has", async () => {
    const instance = await listen(start);
    const [one, other] = [await instance.start(), await instance.start()];
    const shared = await attach(instance.url, { name: "a.txt", bytes: "the same in both", threadId: one });
    const lone = await attach(instance.url, { name: "b.txt", bytes: "only here", threadId: one });
    const kept = await attach(instance.url, { name: "c.txt", bytes: "the same in both", threadId: other });
    await ask(instance, one, { text: "One", attachments: [shared.id, lone.id] });
    await ask(instance, other, { text: "Other", attachments: [kept.id] });
    expect(await instance.server.store.read.attachmentsOf(one)).toHaveLength(2);
    await instance.client.deleteThread({ params: { threadId: one } });
    expect(await instance.server.store.read.attachmentsOf(one)).toEqual([]);
    const open = (id: string) => fetch(`${instance.url}/api/attachments/${id}/file`);
    expect((await open(shared.id)).status).toBe(404);
    expect(await (await open(kept.id)).text()).toBe("the same in both");
    expect(await rowsOf(instance, "select hash from attachment_blobs")).toHaveLength(1);
    await instance.client.deleteThread({ params: { threadId: other } });
    expect(await rowsOf(instance, "select hash from attachment_blobs")).toEqual([]);
  });

  test("are exported completely and deleted with everything", async () => {
    const instance = await listen(start);
    const threadId = await instance.start();
    const png = toPng(3, 3);
    const { id } = await attach(instance.url, { name: "dot.png", bytes: png, threadId });
    await ask(instance, threadId, { text: "Here", attachments: [id] });
    await attach(instance.url, { name: "unsent.txt", bytes: "unsent" });
    const taken = await (await fetch(`${instance.url}/api/threads/${threadId}/export?format=json`)).json();
    expect(taken).toMatchObject({
      attachments: [{ id, name: "dot.png", mediaType: "image/png", content: png.toString("base64") }],
    });
    await instance.client.deleteEverything({ body: { id: mintId("erase"), confirm: "delete everything" } as never });
    expect(await rowsOf(instance, "select id from attachments")).toEqual([]);
    expect(await rowsOf(instance, "select hash from attachment_blobs")).toEqual([]);
  });

  test("are limited to ten per message", async () => {
    const instance = await listen(start);
    for (let n = 0; n < 10; n += 1) await attach(instance.url, { name: `${n}.txt`, bytes: `file ${n}` });
    expect(await tryAttach(instance.url, { name: "more.txt", bytes: "more" })).toMatchObject({ status: 429 });
  });
});
