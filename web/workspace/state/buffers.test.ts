import { expect, test } from "vitest";
import { ApiError } from "../../../protocol/client.ts";
import type { FileLine, FileText } from "../../../protocol/workspace/workspace.ts";
import { createBrowserStorage } from "../../lib/storage.ts";
import { textOf } from "./buffer.ts";
import { createBuffers } from "./buffers.ts";
import { createDrafts } from "./drafts.ts";

const path = "src/App.tsx";

/** A server with one file, and a gate before each answer to a write. */
function open(text: string | null = "one") {
  let stored = text;
  let seq = 1;
  let gate: Promise<void> = Promise.resolve();
  const sent: { readonly id: string; readonly was: string | null; readonly text: string }[] = [];
  const kept = new Map<string, string>();
  const storage = createBrowserStorage(
    () =>
      ({
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, value: string) => void kept.set(key, value),
        removeItem: (key: string) => void kept.delete(key),
      }) as unknown as Storage,
  );
  const toLine = (content: string): FileLine => ({
    path,
    hash: `#${content}`,
    bytes: 1,
    lines: 1,
    seq,
    updatedAt: 1,
  });
  const client = {
    getFile: async (): Promise<FileText> => {
      if (stored === null) throw new ApiError(404, "not-found", "gone");
      return { ...toLine(stored), text: stored, base64: null };
    },
    writeFiles: async (input: { readonly body: { readonly id: string; readonly ops: readonly unknown[] } }) => {
      const [op] = input.body.ops as [{ readonly was: string | null; readonly text: string }];
      sent.push({ id: input.body.id, was: op.was, text: op.text });
      await gate;
      if (op.was !== (stored === null ? null : `#${stored}`)) throw new ApiError(409, "conflict", "it has changed");
      stored = op.text;
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
    kept,
    /** Somebody else writes, and no list has said so yet. */
    change: (next: string) => {
      stored = next;
      seq += 1;
    },
    /** Somebody else writes, and the list says so. */
    write: (next: string | null) => {
      stored = next;
      seq += 1;
      buffers.follow(next === null ? [] : [toLine(next)], seq);
    },
    list: () => (stored === null ? [] : [toLine(stored)]),
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
  };
}

/** Whatever was asked has been answered: answers here take a few turns and no time. */
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

test("a save names what it was written over, and leaves nothing unsaved", async () => {
  const { buffers, sent, state, kept } = await openFile();
  buffers.write(path, "two");
  expect([textOf(state()), kept.size]).toEqual(["two", 1]);
  await buffers.save(path);
  expect(sent).toMatchObject([{ was: "#one", text: "two" }]);
  expect(state()).toMatchObject({ draft: null, file: { text: "two", hash: "#two" }, save: { name: "idle" } });
  expect(kept.size).toBe(0);
  await buffers.save(path);
  expect(sent).toHaveLength(1);
});

test("words written while a save is on its way stay unsaved, over what was saved", async () => {
  const { buffers, sent, state, hold } = await openFile();
  const release = hold();
  buffers.write(path, "two");
  const saving = buffers.save(path);
  buffers.write(path, "two and more");
  release();
  await saving;
  expect(state()).toMatchObject({ draft: "two and more", file: { text: "two" } });
  await buffers.save(path);
  expect(sent.at(-1)).toMatchObject({ was: "#two", text: "two and more" });
});

test("what others write comes in where nothing is unsaved, and is only told where something is", async () => {
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

test("a stale save shows both; mine is saved over theirs, or theirs is taken", async () => {
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

test("the same words in both are no conflict", async () => {
  const { buffers, write, state } = await openFile();
  buffers.write(path, "same");
  write("same");
  await buffers.save(path);
  expect(state()).toMatchObject({ draft: null, save: { name: "idle" } });
});

test("a file that is deleted under unsaved words can be written again or let go", async () => {
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

test("unsaved words outlive the page, and say when the file is another by now", async () => {
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

test("a save that failed on the way is sent again under the same id", async () => {
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

test("words that others have overtaken count as unsaved until they are settled", async () => {
  const { buffers, create, write } = open();
  buffers.get(path);
  await settled();
  expect(buffers.isUnsaved(path)).toBe(false);
  buffers.write(path, "mine");
  write("theirs");
  await buffers.save(path);
  expect(buffers.isUnsaved(path)).toBe(true);
  // Also where the file is not open: they are kept in the browser.
  expect(create().isUnsaved(path)).toBe(true);
  await buffers.settle(path, "both");
  expect(buffers.isUnsaved(path)).toBe(false);
});
