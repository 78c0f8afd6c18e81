import type { Client } from "../../../protocol/client.ts";
import { attach } from "../attachments/attach.ts";
import { call, mintId, say, type Instance } from "../instance.ts";
import type { Script } from "../../../server/model/scripted.ts";
import { tool } from "../server/loop-tools.ts";

/** Longer than a stored piece of a file. */
export const FILE_BYTES = Buffer.alloc(800_003, "granite and basalt ü\r\n");
const WORDS = "olivine";

/** Answers the first call of a turn with a tool call, so that there are artifacts and results. */
export const toolScript: Script = ({ messages }) =>
  messages.at(-1)?.role === "user"
    ? call({ name: "look", input: "{}" })
    : say(`It says that ${WORDS} is green. “Naïve” 東京 \u{1F9EA}`);

export const lookTool = tool({
  name: "look",
  execute: async (_, context) => {
    const text = `Green ${WORDS} is in the mantle. `.repeat(200);
    context.saveArtifact({ kind: "page", title: `On ${WORDS}`, type: "text/plain", text });
    return { output: "stored" };
  },
});

/** Threads with receipts, a file, a project with a file, memory and a provider's key. */
export async function fill({ client, url, start, send, follow }: Instance, threads = 3): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < threads; n += 1) {
    const threadId = await start({ title: `Stones ${n}` });
    ids.push(threadId);
    const live = follow(threadId);
    const file = await attach(url, { name: `stones-${n}.txt`, bytes: `${n} ${FILE_BYTES.toString("utf8")}`, threadId });
    const body = { id: mintId("message"), text: `What is ${WORDS} number ${n}?`, attachments: [file.id] };
    await client.sendMessage({ params: { threadId }, body });
    await live.ended(1);
    await send(threadId, `And what color has ${WORDS}?`);
    await live.ended(2);
    live.close();
  }
  await client.createProject({ body: { id: "quarry", name: "Quarry" } });
  const entity = {
    do: "create" as const,
    id: "doc",
    kind: "document",
    title: `The ${WORDS} plan`,
    body: "where it lies",
  };
  await client.act({ params: { projectId: "quarry" }, body: { id: mintId(), ops: [entity] } });
  const file = { do: "write" as const, path: "src/a.ts", was: null, text: `export const ${WORDS} = "green";` };
  await client.writeFiles({ params: { projectId: "quarry" }, body: { id: mintId(), ops: [file] } });
  await client.setProviderKey({ params: { provider: "google" }, body: { key: "a-key-for-tests-only" } });
  await client.setDraft({ params: { threadId: ids[0] ?? "" }, body: { text: "unsent words", at: Date.now() } });
  return ids;
}

/** Everything that the API shows about these threads, and what is shared by all. */
export async function readContents(client: Client, url: string, threadIds: readonly string[]) {
  const threads = [];
  for (const threadId of threadIds) {
    const params = { threadId };
    const { receipts } = await client.listReceipts({ params });
    const { messages } = await client.getThread({ params });
    const files = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.kind === "file" ? [part.attachmentId ?? ""] : [])),
    );
    threads.push({
      snapshot: await client.getThread({ params }),
      receipts: await Promise.all(receipts.map(({ id }) => client.getReceipt({ params: { threadId, receiptId: id } }))),
      requests: await Promise.all(receipts.map(({ id }) => client.getRequest({ params: { threadId, receiptId: id } }))),
      artifacts: await client.listArtifacts({ params }),
      files: await Promise.all(
        files.map(async (id) => {
          const bytes = await (await fetch(`${url}/api/attachments/${id}/file`)).arrayBuffer();
          return Buffer.from(bytes).toString("latin1");
        }),
      ),
      draft: await client.getDraft({ params }),
    });
  }
  const google = (await client.listProviders({})).providers.find(({ id }) => id === "google");
  return {
    threads,
    receiptIds: threads.flatMap(({ receipts }) => receipts.map(({ id }) => id)),
    hits: (await client.search({ query: { q: WORDS } })).hits.filter(
      ({ thread }) => thread === null || threadIds.includes(thread?.id ?? ""),
    ),
    project: await client.getProject({ params: { projectId: "quarry" } }),
    file: await client.getFile({ params: { projectId: "quarry" }, query: { path: "src/a.ts" } } as never),
    /** `here`: it could be opened with the instance key. */
    key: { key: google?.key, isReady: google?.isReady, note: google?.note },
  };
}
