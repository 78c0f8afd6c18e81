import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient, type Client } from "../../protocol/client.ts";
import type { ThreadEvent } from "../../protocol/events.ts";
import { applyEvent, emptyThreadView, textOf, type ThreadView } from "../../protocol/fold.ts";
import { threadStream } from "../../protocol/ids.ts";
import { readConfig } from "../../server/config/config.ts";
import { serve, type Server } from "../../server/serve.ts";
import type { StreamEvent } from "../support/server/event-stream.ts";
import { openThreadClient } from "../support/server/thread-client.ts";
import { createRandom } from "./chaos/script.ts";
import { readRaw } from "./streams/raw-stream.ts";

/** Interrupts a stream at every byte and resumes it after the last complete event. Both parts together must equal the log. */
const isDeep = process.env["STONECHAT_DEEP"] === "1";
const everyBytes = isDeep ? 1 : 23;
const AT_ONCE = 8;
const words = "think 3 words then say Grüße 日本語 👩‍🚀 and so on then call now {} then say the end é";

describe("an interrupted stream", () => {
  const folder = mkdtempSync(join(tmpdir(), "stonechat-cut-"));
  let server: Server;
  let client: Client;
  beforeAll(async () => {
    const settings = { STONECHAT_PORT: "0", STONECHAT_SCRIPTED: "1", STONECHAT_LOG: "error", STONECHAT_DATA: folder };
    server = await serve(readConfig(settings));
    client = createClient({ baseUrl: server.url });
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A thread whose answers have ended, or that hangs in the middle of one. */
  const record = async (texts: readonly string[], isAtRest: (view: ThreadView) => boolean): Promise<string> => {
    const chat = await openThreadClient({ url: server.url, client });
    for (const text of texts) await chat.send(text);
    await chat.follower.until(isAtRest);
    chat.close();
    return chat.threadId;
  };

  const readLog = async (threadId: string): Promise<readonly StreamEvent[]> =>
    server.store.read.events(threadStream(threadId), 0, 10_000);

  type Resume = (whole: readonly StreamEvent[], body: Uint8Array) => number;
  const afterLastWhole: Resume = (whole) => whole.at(-1)?.seq ?? 0;

  /** Interrupts at each offset, resumes, and counts where the two parts differ from the log or from the server's view. */
  const cutEverywhere = async (threadId: string, resume: Resume) => {
    const log = await readLog(threadId);
    const head = log.at(-1)!.seq;
    const isHead = ({ seq }: StreamEvent) => seq >= head;
    const shown = toShown(await client.getThread({ params: { threadId } }));
    const { body } = await readRaw({ url: server.url, threadId, after: 0, last: isHead });
    const offsets = Array.from({ length: Math.ceil(body.length / everyBytes) }, (_, n) => n * everyBytes);
    const wrong: number[] = [];
    const cutAt = async (bytes: number): Promise<void> => {
      const place = { url: server.url, threadId };
      const before = await readRaw({ ...place, after: 0, bytes });
      const after = resume(before.events, before.body);
      const rest = after >= head ? [] : (await readRaw({ ...place, after, last: isHead })).events;
      const union = [...before.events, ...rest];
      if (JSON.stringify(union) !== JSON.stringify(log) || toShown(fold(union)) !== shown) wrong.push(bytes);
    };
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let bytes = offsets.pop(); bytes !== undefined; bytes = offsets.pop()) await cutAt(bytes);
      }),
    );
    return { wrong, bytes: body.length, events: log.length, last: (JSON.parse(log.at(-1)!.body) as ThreadEvent).type };
  };

  test("loses nothing of finished answers at any byte offset", async () => {
    const threadId = await record([words, "say more"], hasEnded(4));
    const { wrong, bytes, last } = await cutEverywhere(threadId, afterLastWhole);
    expect(wrong).toEqual([]);
    expect(bytes).toBeGreaterThan(2_000);
    expect(last).toBe("thread-changed");
    expect((await readLog(threadId)).filter(isEnd)).toHaveLength(2);
  });

  test("loses no text of a running answer at any byte offset", async () => {
    const threadId = await record([`${words} then hang`], ({ messages }) => lastText(messages).endsWith("the end é"));
    const { wrong, events, last } = await cutEverywhere(threadId, afterLastWhole);
    expect(wrong).toEqual([]);
    expect(events).toBeGreaterThan(10);
    expect(last).toBe("text-delta");
  });

  test("control: detects the missing event when resumed after an incomplete one", async () => {
    const threadId = await record(["say one"], hasEnded(2));
    const { wrong } = await cutEverywhere(threadId, (_, body) => {
      const ids = [
        ...Buffer.from(body)
          .toString("latin1")
          .matchAll(/^id: (\d+)$/gm),
      ];
      return Number(ids.at(-1)?.[1] ?? 0);
    });
    expect(wrong).not.toEqual([]);
  });

  test("delivers each row once when it is interrupted repeatedly during an answer", async () => {
    const random = createRandom(5);
    const chat = await openThreadClient({ url: server.url, client });
    const threadId = chat.threadId;
    const asked = await chat.send("say 150 words every 3ms then call now {} then say 100 words every 3ms");
    const answered = chat.answered(asked);
    const received: StreamEvent[] = [];
    let cuts = 0;
    for (let isOver = false; !isOver; cuts += 1) {
      const bytes = 1 + Math.floor(random() * 900);
      const { events } = await readRaw({
        url: server.url,
        threadId,
        after: received.at(-1)?.seq ?? 0,
        bytes,
        last: isEnd,
      });
      received.push(...events);
      isOver = events.some(isEnd);
    }
    await answered;
    chat.close();
    const rest = await server.store.read.events(threadStream(threadId), received.at(-1)!.seq, 10);
    const seqs = received.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
    const view = [...received, ...rest].reduce(apply, emptyThreadView);
    expect(toShown(view)).toBe(toShown(await client.getThread({ params: { threadId } })));
    expect(cuts).toBeGreaterThan(10);
  });
});

const apply = (view: ThreadView, { seq, body }: StreamEvent): ThreadView =>
  applyEvent(view, seq, JSON.parse(body) as ThreadEvent);
const fold = (events: readonly StreamEvent[]): ThreadView => events.reduce(apply, emptyThreadView);

const hasEnded =
  (count: number) =>
  ({ run, thread, messages }: ThreadView): boolean =>
    run?.state === "ended" && run.messageId === messages[count - 1]?.id && thread?.status === "idle";

const isEnd = ({ body }: StreamEvent): boolean => body.includes('"type":"run-ended"');

const lastText = (messages: ThreadView["messages"]): string => textOf(messages.at(-1)?.parts ?? []);

/** The visible content, with sorted keys. */
const toShown = ({
  seq,
  thread,
  messages,
  queue,
  run,
}: Pick<ThreadView, "seq" | "thread" | "messages" | "queue" | "run">) =>
  JSON.stringify({ seq, thread, messages, queue, run }, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
