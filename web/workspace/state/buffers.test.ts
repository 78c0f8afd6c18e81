import { expect, test } from "vitest";
import { ResponseError } from "../../../protocol/client.ts";
import type { FileLine, FileText } from "../../../protocol/workspace/workspace.ts";
import { createBrowserStorage } from "../../lib/storage.ts";
import { textOf } from "./buffer.ts";
import { createBuffers } from "./buffers.ts";
import { createDrafts } from "./drafts.ts";

const path = "src/App.tsx";

/** A server with one file; responses to writes can be delayed. */
function open(text: string | null = "one") {
  let content = text;
  let seq = 1;
  let gate: Promise<void> = Promise.resolve();
  const sent: { readonly id: string; readonly was: string | null; readonly text: string }[] = [];
  const stored = new Map<string, string>();
  const storage = createBrowserStorage(
    () =>
      ({
        getItem: (key: string) => stored.get(key) ?? null,
        setItem: (key: string, value: string) => void stored.set(key, value),
        removeItem: (key: string) => void stored.delete(key),
      }) as unknown as Storage,
  );
  const toLine = (text: string): FileLine => ({
    path,
    hash: `#${text}`,
    bytes: 1,
    lines: 1,
    seq,
    updatedAt: 1,
  });
  const client = {
    getFile: async (): Promise<FileText> => {
      if (content === null) throw new ResponseError(404, "not-found", "gone");
      return { ...toLine(content), text: content, base64: null };
    },
    writeFiles: async (input: { readonly body: { readonly id: string; readonly ops: readonly unknown[] } }) => {
      const [op] = input.body.ops as [{ readonly was: string | null; readonly text: string }];
      sent.push({ id: input.body.id, was: op.was, text: op.text });
      await gate;
      if (op.was !== (content === null ? null : `#${content}`))
        throw new ResponseError(409, "conflict", "it has changed");
      content = op.text;
      seq += 1;
      return { act: {}, files: [toLine(op.text)] };
    },
  } as unknown as Parameters<typeof createBuffers>[0]["client"];
  const create = () => createBuffers({ projectId: "p", client, drafts: createDrafts(storage, "p") });
  const buffers = create();
  const state = (of = buffers) => {
    const now = of.get(path).get();
    if (now.phase !== "text") throw new Error(`it is ${now.phase}`);
    return now;
  };
  return {
    buffers,
    create,
    sent,
    state,
    stored,
    /** Another client writes; the file list is not updated yet. */
    change: (next: string) => {
      content = next;
      seq += 1;
    },
    /** Another client writes, and the file list is updated. */
    write: (next: string | null) => {
      content = next;
      seq += 1;
      buffers.follow(next === null ? [] : [toLine(next)], seq);
    },
    list: () => (content === null ? [] : [toLine(content)]),
    blockWrites: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
  };
}

/** Waits until all pending responses have arrived; they take a few microtasks. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

async function openFile(text?: string) {
  const store = open(text);
  store.buffers.get(path);
  await settled();
  store.buffers.follow(store.list(), 1);
  return store;
}

test("sends the base version with a save and leaves nothing unsaved", async () => {
  const { buffers, sent, state, stored } = await openFile();
  buffers.write(path, "two");
  expect([textOf(state()), stored.size]).toEqual(["two", 1]);
  await buffers.save(path);
  expect(sent).toMatchObject([{ was: "#one", text: "two" }]);
  expect(state()).toMatchObject({ draft: null, file: { text: "two", hash: "#two" }, save: { name: "idle" } });
  expect(stored.size).toBe(0);
  await buffers.save(path);
  expect(sent).toHaveLength(1);
});

test("keeps edits made during a save as unsaved, based on the saved version", async () => {
  const { buffers, sent, state, blockWrites } = await openFile();
  const release = blockWrites();
  buffers.write(path, "two");
  const saving = buffers.save(path);
  buffers.write(path, "two and more");
  release();
  await saving;
  expect(state()).toMatchObject({ draft: "two and more", file: { text: "two" } });
  await buffers.save(path);
  expect(sent.at(-1)).toMatchObject({ was: "#two", text: "two and more" });
});

test("applies changes from elsewhere without unsaved edits, and only reports them otherwise", async () => {
  const { buffers, write, state, sent } = await openFile();
  write("theirs");
  await settled();
  expect(textOf(state())).toBe("theirs");
  buffers.write(path, "mine");
  write("theirs again");
  await settled();
  expect(textOf(state())).toBe("mine");
  expect(state().save).toMatchObject({ name: "behind", theirs: { hash: "#theirs again" } });
  buffers.leave(path);
  expect(state().save).toMatchObject({ name: "behind" });
  await buffers.save(path);
  expect(state().save).toMatchObject({ name: "stale", theirs: { text: "theirs again" } });
  expect(sent).toEqual([]);
});

test("shows both versions after a conflict and saves the chosen one", async () => {
  for (const choice of ["mine and theirs", null]) {
    const { buffers, change, state, sent } = await openFile();
    buffers.write(path, "mine");
    change("theirs");
    await buffers.save(path);
    expect(state().save).toMatchObject({ name: "stale", theirs: { text: "theirs" } });
    expect(textOf(state())).toBe("mine");
    await buffers.settle(path, choice);
    expect(state()).toMatchObject({ draft: null, file: { text: choice ?? "theirs" } });
    expect(sent.at(-1)?.was).toBe(choice === null ? "#one" : "#theirs");
  }
});

test("equal versions do not conflict", async () => {
  const { buffers, write, state } = await openFile();
  buffers.write(path, "same");
  write("same");
  await buffers.save(path);
  expect(state()).toMatchObject({ draft: null, save: { name: "idle" } });
});

test("a file deleted during editing can be saved again or discarded", async () => {
  const { buffers, write, state } = await openFile();
  buffers.write(path, "mine");
  write(null);
  expect(state().save).toMatchObject({ name: "behind", theirs: null });
  await buffers.save(path);
  expect(state().save).toMatchObject({ name: "stale", theirs: null });
  await buffers.settle(path, "mine");
  expect(state()).toMatchObject({ draft: null, file: { text: "mine" } });
  write(null);
  expect(buffers.get(path).get()).toEqual({ phase: "gone" });
});

test("restores unsaved edits on the next page and reports if the file has changed", async () => {
  const { buffers, create, state, write } = await openFile();
  buffers.write(path, "mine");
  const next = create();
  next.get(path);
  await settled();
  expect(state(next)).toMatchObject({ draft: "mine", save: { name: "idle" } });
  write("theirs");
  const last = create();
  last.get(path);
  await settled();
  expect(state(last)).toMatchObject({ draft: "mine", save: { name: "behind" } });
});

test("retries a failed save with the same id", async () => {
  const store = open();
  let isDown = true;
  const client = {
    getFile: async () => ({ path, hash: "#one", bytes: 1, lines: 1, seq: 1, updatedAt: 1, text: "one", base64: null }),
    writeFiles: async ({ body }: { readonly body: { readonly id: string } }) => {
      ids.push(body.id);
      if (isDown) throw new TypeError("fetch failed");
      return { act: {}, files: [] };
    },
  } as unknown as Parameters<typeof createBuffers>[0]["client"];
  const ids: string[] = [];
  const buffers = createBuffers({ projectId: "p", client, drafts: { get: () => null, set: () => undefined } });
  buffers.get(path);
  await settled();
  buffers.write(path, "two");
  await buffers.save(path);
  expect(store.state(buffers).save).toEqual({ name: "failed", text: "The server cannot be reached." });
  isDown = false;
  await buffers.save(path);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
});

test("conflicting edits count as unsaved until they are resolved", async () => {
  const { buffers, create, write } = open();
  buffers.get(path);
  await settled();
  expect(buffers.isUnsaved(path)).toBe(false);
  buffers.write(path, "mine");
  write("theirs");
  await buffers.save(path);
  expect(buffers.isUnsaved(path)).toBe(true);
  // Also if the file is not open, from browser storage.
  expect(create().isUnsaved(path)).toBe(true);
  await buffers.settle(path, "both");
  expect(buffers.isUnsaved(path)).toBe(false);
});
