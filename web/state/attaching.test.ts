import { expect, test, vi } from "vitest";
import type { Attachment } from "../../protocol/attachments.ts";
import { createAttaching } from "./attaching.ts";
import { checkFile } from "./check-file.ts";
import { toSize } from "../lib/format.ts";

const toAttachment = (id: string, name: string): Attachment => ({
  ...{ id, name, mediaType: "text/plain", kind: "text", sizeBytes: 3, createdAt: 1 },
  ...{ width: null, height: null, pageCount: null, characters: 3, tokens: 1 },
});

/** A server whose upload responses are controlled by the test. */
const open = (waiting: readonly Attachment[] = [], sending: readonly string[] = []) => {
  const uploads: { readonly name: string; settle: (answer: Attachment | Error) => void; signal: AbortSignal }[] = [];
  const removed: string[] = [];
  const attaching = createAttaching({
    threadId: "t",
    listSending: () => sending,
    client: {
      listAttachments: async () => {
        const attachments = [...waiting];
        await Promise.resolve();
        return { attachments };
      },
      removeAttachment: async ({ params }) => {
        removed.push(params.attachmentId);
        return { id: params.attachmentId };
      },
    },
    upload: ({ name, signal }) =>
      new Promise((resolve, reject) => {
        const settle = (answer: Attachment | Error) => (answer instanceof Error ? reject(answer) : resolve(answer));
        uploads.push({ name, settle, signal });
      }),
  });
  const states = () => attaching.items.get().map(({ name, state }) => `${name} ${state.name}`);
  return { attaching, uploads, removed, states };
};

const file = (name: string) => new File(["abc"], name, { type: "text/plain" });

test("uploads files at once and sends those that have arrived", async () => {
  const { attaching, uploads, states } = open();
  attaching.add([file("a.txt"), file("b.txt")]);
  expect(states()).toEqual(["a.txt uploading", "b.txt uploading"]);
  await vi.waitFor(() => expect(uploads).toHaveLength(2));
  uploads[0]?.settle(toAttachment("1", "a.txt"));
  uploads[1]?.settle(new Error("It is broken."));
  await vi.waitFor(() => expect(states()).toEqual(["a.txt ready", "b.txt refused"]));
  expect(attaching.take()).toEqual(["1"]);
  expect(attaching.items.get()).toEqual([]);
});

test("stops or removes an upload that the user removes", async () => {
  const { attaching, uploads, removed, states } = open();
  attaching.add([file("a.txt"), file("b.txt")]);
  await vi.waitFor(() => expect(uploads).toHaveLength(2));
  uploads[0]?.settle(toAttachment("1", "a.txt"));
  await vi.waitFor(() => expect(states()[0]).toBe("a.txt ready"));
  for (const { key } of attaching.items.get()) attaching.remove(key);
  expect(removed).toEqual(["1"]);
  expect(uploads[1]?.signal.aborted).toBe(true);
  uploads[1]?.settle(toAttachment("2", "b.txt"));
  await vi.waitFor(() => expect(removed).toEqual(["1", "2"]));
});

test("loads unsent files, but not those of messages in the outbox", async () => {
  const { attaching, states } = open([toAttachment("1", "a.txt"), toAttachment("2", "b.txt")], ["2"]);
  await attaching.load();
  await attaching.load();
  expect(states()).toEqual(["a.txt ready"]);
});

test("drops files that another page removed or sent, and keeps new ones", async () => {
  const waiting = [toAttachment("1", "a.txt"), toAttachment("2", "b.txt")];
  const { attaching, uploads, states } = open(waiting);
  await attaching.load();
  waiting.shift();
  attaching.add([file("c.txt")]);
  await vi.waitFor(() => expect(uploads).toHaveLength(1));
  const loading = attaching.load();
  uploads[0]?.settle(toAttachment("3", "c.txt"));
  await loading;
  await vi.waitFor(() => expect(states()).toEqual(["b.txt ready", "c.txt ready"]));
});

test("rejects too many, too large and empty files without uploading", () => {
  expect(checkFile({ size: 1 }, 10)).toContain("10 files");
  expect(checkFile({ size: 20_000_001 }, 0)).toContain("at most 20 MB");
  expect(checkFile({ size: 0 }, 0)).toContain("empty");
  expect(checkFile({ size: 1 }, 9)).toBeUndefined();
  expect([toSize(5), toSize(47_300), toSize(1_550_000)]).toEqual(["5 B", "47 kB", "1.6 MB"]);
});
