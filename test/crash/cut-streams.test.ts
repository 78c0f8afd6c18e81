import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient, type Client } from "../../protocol/client.ts";
import type { LogEvent } from "../../protocol/events.ts";
import { applyEvent, emptyThreadView, textOf, type ThreadView } from "../../protocol/fold.ts";
import { threadStream } from "../../protocol/ids.ts";
import { readConfig } from "../../server/config/config.ts";
import { serve, type Server } from "../../server/serve.ts";
import type { Received } from "../support/server/event-stream.ts";
import { openTalk } from "../support/server/talk.ts";
import { createRandom } from "./chaos/script.ts";
import { readRaw } from "./streams/raw-stream.ts";

/** A11. A stream is cut at every byte and taken up again with the last event that was whole: together they are the log. */
const isDeep = process.env["STONECHAT_DEEP"] === "1";
const everyBytes = isDeep ? 1 : 7;
const AT_ONCE = 8;
const words = "think 3 words then say Grüße 日本語 👩‍🚀 and so on then call now {} then say the end é";

describe("a stream that is cut", () => {
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

  /** A thread that has come to rest: after its answers, or in the middle of one. */
  const record = async (texts: readonly string[], isAtRest: (view: ThreadView) => boolean): Promise<string> => {
    const talk = await openTalk({ url: server.url, client });
    for (const text of texts) await talk.send(text);
    await talk.follower.until(isAtRest);
    talk.close();
    return talk.threadId;
  };

  const readLog = async (threadId: string): Promise<readonly Received[]> =>
    server.store.read.events(threadStream(threadId), 0, 10_000);

  type Resume = (whole: readonly Received[], body: Uint8Array) => number;
  const afterLastWhole: Resume = (whole) => whole.at(-1)?.seq ?? 0;

  /** Cuts at each offset, resumes, and counts where the two halves are not the log, or not what the server shows. */
  const cutEverywhere = async (threadId: string, resume: Resume) => {
    const log = await readLog(threadId);
    const head = log.at(-1)!.seq;
    const isHead = ({ seq }: Received) => seq >= head;
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
    return { wrong, bytes: body.length, events: log.length, last: (JSON.parse(log.at(-1)!.body) as LogEvent).type };
  };

  test("at every byte of finished answers loses nothing, not even the end", async () => {
    const threadId = await record([words, "say more"], hasEnded(4));
    const { wrong, bytes, last } = await cutEverywhere(threadId, afterLastWhole);
    expect(wrong).toEqual([]);
    expect(bytes).toBeGreaterThan(2_000);
    expect(last).toBe("thread-changed");
    expect((await readLog(threadId)).filter(isEnd)).toHaveLength(2);
  });

  test("at every byte in the middle of an answer loses no word of it", async () => {
    const threadId = await record([`${words} then hang`], ({ messages }) => said(messages).endsWith("the end é"));
    const { wrong, events, last } = await cutEverywhere(threadId, afterLastWhole);
    expect(wrong).toEqual([]);
    expect(events).toBeGreaterThan(10);
    expect(last).toBe("text-delta");
  });

  test("and resumed by an event that was only begun is found to lack it", async () => {
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

  test("again and again while the answer is being written gives each row once, and the whole of it", async () => {
    const random = createRandom(5);
    const talk = await openTalk({ url: server.url, client });
    const threadId = talk.threadId;
    const asked = await talk.send("say 150 words every 3ms then call now {} then say 100 words every 3ms");
    const answered = talk.answered(asked);
    const received: Received[] = [];
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
    talk.close();
    const rest = await server.store.read.events(threadStream(threadId), received.at(-1)!.seq, 10);
    const seqs = received.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
    const view = [...received, ...rest].reduce(apply, emptyThreadView);
    expect(toShown(view)).toBe(toShown(await client.getThread({ params: { threadId } })));
    expect(cuts).toBeGreaterThan(10);
  });
});

const apply = (view: ThreadView, { seq, body }: Received): ThreadView =>
  applyEvent(view, seq, JSON.parse(body) as LogEvent);
const fold = (events: readonly Received[]): ThreadView => events.reduce(apply, emptyThreadView);

const hasEnded =
  (count: number) =>
  ({ run, thread, messages }: ThreadView): boolean =>
    run?.state === "ended" && run.messageId === messages[count - 1]?.id && thread?.status === "idle";

const isEnd = ({ body }: Received): boolean => body.includes('"type":"run-ended"');

const said = (messages: ThreadView["messages"]): string => textOf(messages.at(-1)?.parts ?? []);

/** What a person sees, in one order of keys. */
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
