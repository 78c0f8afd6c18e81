import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { divideTokens, shareOfText } from "../../../protocol/attachment-limits.ts";
import type { PartOf } from "../../../protocol/parts.ts";
import { attach } from "../../support/attachments/attach.ts";
import { call, mintId, say, startInstance } from "../../support/instance.ts";
import type { Json } from "../../support/model/validators/rule.ts";
import { validateRequest } from "../../support/model/validators/validate-request.ts";
import { createProviderServer } from "../../support/provider-server.ts";
import { query } from "../../support/server/database.ts";
import { toolParts } from "../../support/server/loop-tools.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const made = join(import.meta.dirname, "../../files/made");
const read = (name: string) => ({ name, bytes: readFileSync(join(made, name)) });
const models = { vision: "compatible/llava", text: "compatible/plain-7b" } as const;

/** The request that an OpenAI-compatible server got for a message with this file. */
async function capture(model: keyof typeof models, name: string): Promise<Json> {
  const provider = await createProviderServer({
    next: () => ({ status: 400, body: '{"error":{"message":"enough"}}' }),
  });
  onTestFinished(provider.close);
  const { url, client, start, follow } = await startInstance({
    env: {
      STONECHAT_COMPATIBLE_URL: provider.url,
      STONECHAT_COMPATIBLE_MODELS: "plain-7b,llava",
      STONECHAT_FALLBACKS: "",
    },
  });
  const threadId = await start({ model: models[model] });
  const { id } = await attach(url, { ...read(name), threadId });
  const live = follow(threadId);
  const body = { id: mintId("message"), text: "What does it say?", attachments: [id] };
  await client.sendMessage({ params: { threadId }, body });
  await live.ended();
  const sent = provider.calls.find(({ text }) => text.includes("What does it say?"));
  expect(validateRequest(sent?.body as Json, "compatible")).toEqual([]);
  return sent?.body as Json;
}

/** A server whose model has an unknown window. Returns a function that sends files in a new thread. */
async function startWithProvider() {
  const provider = await createProviderServer({
    next: () => ({ status: 400, body: '{"error":{"message":"enough"}}' }),
  });
  onTestFinished(provider.close);
  const { url, client, start, follow } = await startInstance({
    env: { STONECHAT_COMPATIBLE_URL: provider.url, STONECHAT_COMPATIBLE_MODELS: "plain", STONECHAT_FALLBACKS: "" },
  });
  return async (files: readonly { readonly name: string; readonly bytes: string }[]) => {
    const threadId = await start({ model: "compatible/plain" });
    const uploaded = [];
    for (const file of files) uploaded.push(await attach(url, { ...file, threadId }));
    const live = follow(threadId);
    const before = provider.calls.length;
    const attachments = uploaded.map(({ id }) => id);
    const body = { id: mintId("message"), text: "Sum the values.", attachments };
    await client.sendMessage({ params: { threadId }, body });
    await live.ended();
    // Later calls are shorter: the provider rejected this one.
    const call = provider.calls.slice(before).find(({ text }) => text.includes("Sum the values."));
    const { messages } = await client.getThread({ params: { threadId } });
    const shares = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "file" ? [part.share] : [])));
    return { uploaded, sent: contentOf(call?.body as Json).text, shares };
  };
}

/** The pictures and texts of all user messages. */
const contentOf = (body: Json): { readonly pictures: readonly string[]; readonly text: string } => {
  const parts = body.messages
    .filter(({ role }: Json) => role === "user")
    .flatMap(({ content }: Json) => (typeof content === "string" ? [{ type: "text", text: content }] : content));
  return {
    pictures: parts.flatMap((part: Json) => (part.type === "image_url" ? [part.image_url.url] : [])),
    text: parts.flatMap((part: Json) => (part.type === "text" ? [part.text] : [])).join("\n\n"),
  };
};

test.each(["vision", "text"] as const)(
  "a %s model gets a Word document as text with its tables",
  async (model) => {
    const { pictures, text } = contentOf(await capture(model, "minutes.lo.docx"));
    expect(pictures).toEqual([]);
    expect(text).toContain("[The user attached a file: minutes.lo.docx, ");
    expect(text).toContain("# Minutes of the board\n\n## Present\n\n- Ana Ruiz (chair)\n- Ben O'Neil\n- Chidi Okafor");
    expect(text).toContain("| Motion | Yes | No |\n| --- | --- | --- |\n| Budget | 3 | 0 |\n| Crane | 2 | 1 |");
  },
  60_000,
);

test("a vision model gets a scanned page as a picture and its recognized text, a text model only the text", async () => {
  const seen = contentOf(await capture("vision", "scan.img2pdf.pdf"));
  expect(seen.pictures).toHaveLength(1);
  expect(seen.pictures[0]).toMatch(/^data:image\/jpeg;base64,\/9j\//);
  expect(seen.text).toContain("1 pages, ");
  expect(seen.text).toContain("Pictures of these pages are attached for models that see: 1.");
  expect(seen.text).toContain("[Page 1 (scanned, read by OCR)]\n\nInvoice 4711.\nThe total is 862 euros.");
  const unseen = contentOf(await capture("text", "scan.img2pdf.pdf"));
  expect(unseen.pictures).toEqual([]);
  expect(unseen.text).toContain("Invoice 4711.\nThe total is 862 euros.");
  expect(unseen.text).toContain("[Its pages were not sent as pictures because this model cannot read pictures.]");
}, 120_000);

test("a vision model gets a HEIC photo as JPEG", async () => {
  const { pictures, text } = contentOf(await capture("vision", "photo.heic"));
  expect(pictures).toEqual([expect.stringMatching(/^data:image\/jpeg;base64,\/9j\//)]);
  expect(text).toContain("[The user attached a picture: photo.heic, 320 × 200 pixels");
}, 60_000);

describeOnBoth("documents", (start) => {
  test("keep their original and pictures, which are deleted with the thread", async () => {
    const instance = await start({ script: () => say("Read.") });
    const { url, client, follow } = instance;
    const threadId = await instance.start();
    const files = [
      await attach(url, { ...read("report.lo.pdf"), threadId }),
      await attach(url, { ...read("photo.heic"), threadId }),
    ];
    expect(files).toMatchObject([
      { kind: "text", pageCount: 1 },
      { kind: "image", mediaType: "image/heic", pageCount: null, width: 320 },
    ]);
    const live = follow(threadId);
    const id = mintId("message");
    await client.sendMessage({
      params: { threadId },
      body: { id, text: "Read it.", attachments: files.map((file) => file.id) },
    });
    await live.ended();
    const { messages } = await client.getThread({ params: { threadId } });
    const parts = messages
      .flatMap((message) => message.parts)
      .filter((part): part is PartOf<"file"> => part.kind === "file");
    expect(parts.map(({ pictures }) => pictures?.map(({ page }) => page))).toEqual([[1], [1]]);
    const artifact = await client.getArtifact({ params: { threadId, ref: 1 } });
    expect(artifact.attachment).toMatchObject({ id: files[0]?.id, pageCount: 1, share: 1 });
    const page = await fetch(`${url}/api/attachments/${files[0]?.id}/pages/1`);
    expect(page.headers.get("content-type")).toBe("image/jpeg");
    expect(page.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    for (const path of [
      `${files[0]?.id}/pages/2`,
      `${files[0]?.id}/pages/0`,
      `${files[1]?.id}/pages/2`,
      "unknown-id/pages/1",
    ])
      expect((await fetch(`${url}/api/attachments/${path}`)).status, path).toBe(404);
    const place =
      instance.databaseUrl === ""
        ? { dataDir: instance.dataDir }
        : { dataDir: instance.dataDir, databaseUrl: instance.databaseUrl };
    const count = async () =>
      (await query<{ n: number | string }>(place, "select count(*) as n from attachment_pictures"))[0]?.n;
    expect(Number(await count())).toBe(2);
    await client.deleteThread({ params: { threadId } });
    expect(Number(await count())).toBe(0);
  }, 60_000);

  test("a table that fits in an assumed window is sent whole, and the share of longer ones is that of the estimate", async () => {
    const row = (n: number) => `${n},${(n * 7919) % 100_003},${(n * 31) % 997}`;
    const table = (rows: number) => ["id,value,weight", ...Array.from({ length: rows }, (_, n) => row(n))].join("\n");
    const ask = await startWithProvider();
    const whole = await ask([{ name: "data.csv", bytes: table(1_500) }]);
    expect(whole.sent).toContain(table(1_500));
    expect(whole.shares).toEqual([undefined]);
    const [small, long] = [table(300), table(4_000)];
    const both = await ask([
      { name: "long.csv", bytes: long },
      { name: "small.csv", bytes: small },
    ]);
    expect(both.sent).toContain(small);
    expect(both.sent).not.toContain(row(2_000));
    const sizes = both.uploaded.map(({ tokens }) => tokens ?? 0);
    const [limit = 0] = divideTokens(sizes, null);
    expect(limit + (sizes[1] ?? 0)).toBe(15_000);
    expect(both.shares).toEqual([shareOfText(limit, sizes[0] ?? 0), undefined]);
  });

  test("say which share of a long text is in the prompt", async () => {
    const instance = await start({ script: () => say("Read.") });
    const { url, client, follow } = instance;
    const threadId = await instance.start();
    const bytes = Array.from({ length: 20_000 }, (_, n) => `Line ${n} of the log.`).join("\n");
    const { id: fileId } = await attach(url, { name: "long.log", bytes, threadId });
    const live = follow(threadId);
    await client.sendMessage({
      params: { threadId },
      body: { id: mintId("message"), text: "Read it.", attachments: [fileId] },
    });
    await live.ended();
    const { attachment } = await client.getArtifact({ params: { threadId, ref: 1 } });
    expect(attachment?.share).toBeGreaterThan(0.01);
    expect(attachment?.share).toBeLessThan(0.8);
  });
});

test("recall finds a passage deep in a long file in the same turn", async () => {
  const line = (n: number) => `Line ${n}: at site ${n} the wardens counted ${(n * 31) % 997} birds before the rain.\n`;
  const lines = Array.from({ length: 4000 }, (_, n) => line(n));
  const text = [
    ...lines.slice(0, 3000),
    "The lighthouse keeper is called Oluwaseun Brandt.\n",
    ...lines.slice(3000),
  ].join("");
  const results: string[] = [];
  const { url, client, start, follow } = await startInstance({
    script: ({ messages }, index) => {
      if (index === 0) return call({ name: "recall", input: '{"query":"Who is the lighthouse keeper?"}' });
      for (const message of messages)
        if (message.role === "tool") results.push(...message.results.map(({ text: one }) => one));
      return say("Brandt");
    },
  });
  const threadId = await start();
  const { id } = await attach(url, { name: "log.txt", bytes: Buffer.from(text), threadId });
  const live = follow(threadId);
  const body = { id: mintId("message"), text: "Who is the keeper?", attachments: [id] };
  await client.sendMessage({ params: { threadId }, body });
  await live.ended();
  expect(results.join()).toContain("Oluwaseun Brandt");
  const [part] = toolParts(live);
  expect(part).toMatchObject({ state: "ok", untrusted: [expect.stringContaining("log.txt")] });
});
