import { expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import { attach } from "../support/attachments/attach.ts";
import { toPng } from "../support/attachments/files.ts";
import { call, mintId, say } from "../support/instance.ts";
import { tool } from "../support/server/loop-tools.ts";
import { describeOnBoth } from "./settings/on-both.ts";

const fetchPage = tool({
  name: "fetch_page",
  execute: async (_, context) => {
    const url = "https://a.example/";
    const text = "Basalt is dark.";
    const { ref } = context.saveArtifact({ kind: "page", title: "A", url, type: "text/html", text });
    context.addSource({ url, status: "read", ref });
    return { output: "read" };
  },
});

describeOnBoth("a thread that is copied up to an answer", (start) => {
  test("has separate messages, files, artifacts and pins, and is continued without the original", async () => {
    const requests: ModelRequest[] = [];
    const { client, url, follow, send, ...instance } = await start({
      tools: [fetchPage],
      script: (request) => {
        requests.push(request);
        if (requests.length === 1) return call({ name: "fetch_page", input: "{}" });
        return say(requests.length === 2 ? "Basalt is dark [2]." : `answer ${requests.length}`);
      },
    });
    const threadId = await instance.start({ title: "Stones" });
    const live = follow(threadId);
    const files = [
      { name: "notes.txt", bytes: "The quarry is in the north." },
      { name: "photo.png", bytes: toPng(30, 20) },
    ];
    const attached = [];
    for (const file of files) attached.push((await attach(url, { ...file, threadId })).id);
    const first = { id: mintId("message"), text: "Which stone is dark?", attachments: attached };
    await client.sendMessage({ params: { threadId }, body: first });
    const { messageId } = await live.ended(1);
    const later = (await attach(url, { name: "later.txt", bytes: "Not in the copy.", threadId })).id;
    const second = { id: mintId("message"), text: "a later question", attachments: [later] };
    await client.sendMessage({ params: { threadId }, body: second });
    await live.ended(2);
    await client.addPin({ params: { threadId }, body: { id: mintId("pin"), text: "Mind the quarry.", messageId } });

    const body = { id: mintId("thread"), title: "Branch of Stones" };
    const forked = await client.forkThread({ params: { threadId, messageId }, body });
    expect(forked).toMatchObject({ id: body.id, title: body.title, messageCount: 2, preview: "Basalt is dark [2]." });
    expect(await client.forkThread({ params: { threadId, messageId }, body })).toEqual(forked);
    await expect(client.forkThread({ params: { threadId, messageId: first.id }, body })).rejects.toMatchObject({
      status: 409,
    });
    expect((await follow(body.id).until(({ stale }) => stale)).thread?.title).toBe(body.title);
    await client.deleteThread({ params: { threadId } });

    const place = { params: { threadId: body.id } };
    const { messages } = await client.getThread(place);
    expect(messages.map(({ parts }) => textOf(parts))).toEqual([first.text, "Basalt is dark [2]."]);
    const copies = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "file" ? [part] : [])));
    expect(copies.map(({ name }) => name)).toEqual(["notes.txt", "photo.png"]);
    for (const [index, { attachmentId = "" }] of copies.entries()) {
      expect(attached).not.toContain(attachmentId);
      const response = await fetch(`${url}/api/attachments/${attachmentId}/file`);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(files[index]?.bytes ?? ""));
    }
    const exported = await fetch(`${url}/api/threads/${body.id}/export?format=json`);
    expect(await exported.text()).not.toContain("later.txt");
    const page = await client.getArtifact({ params: { threadId: body.id, ref: 2 } });
    const source = messages[1]?.parts.find((part) => part.kind === "source");
    expect(source).toMatchObject({ ref: 2, artifactId: page.id });
    expect(page.text).toBe("Basalt is dark.");
    const text = await client.getArtifact({ params: { threadId: body.id, ref: 1 } });
    expect(text.attachment?.id).toBe(copies[0]?.attachmentId);
    expect((await client.getContext(place)).pins).toMatchObject([{ text: "Mind the quarry.", messageId }]);
    const { hits } = await client.search({ query: { q: "basalt" } });
    expect(hits.length).toBeGreaterThan(0);
    expect(hits.map(({ target }) => target)).toEqual(hits.map(() => expect.objectContaining({ threadId: body.id })));

    const copy = follow(body.id);
    await send(body.id, "Go on");
    expect((await copy.ended()).outcome).toBe("done");
    const prompt = JSON.stringify(requests.at(-1)?.messages);
    expect(prompt).toContain("Which stone is dark?");
    expect(prompt).toContain("The quarry is in the north.");
    expect(prompt).not.toContain("a later question");
    const after = (await client.getThread(place)).messages.map(({ parts }) => textOf(parts));
    expect(after).toEqual([first.text, "Basalt is dark [2].", "Go on", "answer 4"]);
  });

  test("keeps how an answer ended, and refuses a running answer and a temporary thread", async () => {
    const { client, follow, send, ...instance } = await start({
      script: async function* (_, index, signal) {
        if (index > 0) return yield* say("and the rest");
        yield { type: "start", key: "t", kind: "text" };
        yield { type: "delta", key: "t", text: "the beginning " };
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
    });
    const threadId = await instance.start();
    const live = follow(threadId);
    await send(threadId, "question");
    const { messages } = await live.until((view) => textOf(view.messages[1]?.parts ?? []) !== "");
    const params = { threadId, messageId: messages[1]?.id ?? "" };
    const fork = () => client.forkThread({ params, body: { id: mintId("thread") } });
    await expect(fork()).rejects.toMatchObject({ status: 409 });
    await client.stopRun({ params: { threadId }, body: { id: mintId() } });
    await live.ended();
    const { id } = await fork();
    const copy = (await client.getThread({ params: { threadId: id } })).messages[1];
    expect(copy?.endedEarly?.outcome).toBe("stopped");
    const continued = follow(id);
    await client.continueRun({ params: { threadId: id }, body: { id: mintId() } });
    await continued.ended();
    const { messages: whole } = await client.getThread({ params: { threadId: id } });
    expect(whole.map(({ parts }) => textOf(parts)).join("|")).toContain("and the rest");
    expect((await client.getThread({ params: { threadId } })).messages[1]?.endedEarly?.outcome).toBe("stopped");

    const temporary = await instance.start({ temporary: true });
    const other = follow(temporary);
    await send(temporary, "question");
    const { messageId } = await other.ended();
    const refused = client.forkThread({ params: { threadId: temporary, messageId }, body: { id: mintId("thread") } });
    await expect(refused).rejects.toMatchObject({ status: 400 });
  });
});
