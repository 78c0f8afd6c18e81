import { beforeAll, expect, test } from "vitest";
import type { PreviewLog } from "../../../protocol/workspace/workspace.ts";
import { toolContext } from "../../../test/support/server/tool-context.ts";
import { put, rows } from "../../../test/support/store-rows.ts";
import { describeStores, type StoreFixture } from "../../../test/support/stores.ts";
import { systemClock } from "../../lib/clock.ts";
import { systemIds } from "../../lib/ids.ts";
import { createSeal } from "../../lib/seal.ts";
import { createLog, type Log } from "../../log/log.ts";
import { createProjects } from "../../project/project.ts";
import createConsoleLogs from "../../tools/workspace/read-console-logs.tool.ts";
import type { Tool } from "../../tools/tool.ts";
import { createPreviews } from "../preview.ts";
import { createWorkspaces } from "../workspace.ts";

const ann = { userId: "ann" };
const key = "sk-our-own-provider-key";

function prepare(bench: StoreFixture) {
  let log: Log | undefined;
  beforeAll(async () => {
    await put(bench.store(), { do: "put", table: "users", row: rows.user("ann") });
    log = createLog({ store: bench.store(), clock: systemClock, onError: () => {} });
    return () => log?.close();
  });
  return async () => {
    const store = bench.store();
    const options = { store, log: log!, clock: systemClock };
    const projectId = bench.id("project");
    await createProjects(options).create(ann, { id: projectId, name: "A site", description: "", instructions: "" });
    const previews = createPreviews({
      ...{ ...options, ids: systemIds, seal: createSeal(new Uint8Array(32)), publicUrl: "http://localhost" },
      known: () => [{ name: "key", value: key }],
    });
    const workspaces = createWorkspaces(options);
    const write = async (path: string, text: string) =>
      (await workspaces.write("ann", projectId, { id: bench.id("act"), ops: [{ do: "write", path, was: null, text }] }))
        .act.seq;
    const report = (logs: readonly PreviewLog[], { seq = 1_000_000, loaded = false } = {}) =>
      previews.report(ann, projectId, { seq, logs, loaded });
    const list = async (query: { kind?: "console" | "network"; q?: string; limit?: number } = {}) =>
      (await previews.list(ann, projectId, { limit: 500, ...query })).logs;
    return { store, previews, projectId, write, report, list };
  };
}

const say = (text: string, more: Partial<PreviewLog> = {}): PreviewLog => ({
  ...{ kind: "console", level: "log", text, place: null, at: systemClock.now() },
  ...more,
});

describeStores("preview reports", (bench) => {
  const open = prepare(bench);

  test("are stored, listed newest last, and searched by words and kind", async () => {
    const { report, list, projectId, store } = await open();
    const now = systemClock.now();
    expect(await report([say("second", { at: now - 10 }), say("first", { at: now - 20 })])).toEqual({ kept: 2 });
    await report([say("GET a.json 404", { kind: "network", level: "error", place: "src/a.ts:1:2" })]);
    expect((await list()).map(({ text }) => text)).toEqual(["first", "second", "GET a.json 404"]);
    expect((await list({ q: "404 A.JSON" })).map(({ place }) => place)).toEqual(["src/a.ts:1:2"]);
    expect((await list({ kind: "console", limit: 1 })).map(({ text }) => text)).toEqual(["second"]);
    const rowsOf = await store.read.events(`project:${projectId}`, 0, 100);
    expect(rowsOf.filter(({ body }) => body.includes('"preview-reported"'))).toHaveLength(2);
  });

  test("are bounded, plain and redacted", async () => {
    const { report, list } = await open();
    await report([
      say(`the key is ${key}`),
      say("half \ud800 and none \0", { level: "loud", place: "no place" }),
      say("from the future", { at: 1e15 }),
      say("from long ago", { at: 12.5 }),
    ]);
    const logs = await list();
    expect(JSON.stringify(logs)).not.toContain(key);
    expect(logs.find(({ text }) => text.startsWith("the key is"))?.text).toMatch(/\[secret:/);
    expect(logs.find(({ text }) => text.startsWith("half"))).toMatchObject({
      text: "half \ufffd and none ",
      level: "log",
      place: null,
    });
    const now = systemClock.now();
    for (const { at } of logs) expect(at <= now && at > now - 2 * 60 * 60_000 && Number.isInteger(at)).toBe(true);
  });

  test("are pruned to the newest of each kind", async () => {
    const { report, list } = await open();
    await report([say("asked once", { kind: "network", level: "ok" })]);
    for (let round = 0; round < 6; round++) {
      await report(Array.from({ length: 100 }, (_, n) => say(`line ${round * 100 + n}`, { at: systemClock.now() })));
    }
    const logs = await list({ kind: "console" });
    expect(logs).toHaveLength(250);
    expect(logs.some(({ text }) => text === "line 599")).toBe(true);
    expect(await list({ kind: "network" })).toHaveLength(1);
  });

  test("are rejected for projects of other users and missing projects", async () => {
    const { previews, projectId } = await open();
    const bob = { userId: "bob" };
    const report = { seq: 0, logs: [say("x")], loaded: true };
    for (const attempt of [
      () => previews.report(bob, projectId, report),
      () => previews.report(ann, "nowhere", report),
      () => previews.list(bob, projectId, { limit: 1 }),
      () => previews.open(bob, projectId),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: "not-found" });
    }
  });

  test("are given to a model with how far behind they are", async () => {
    const { report, write, store, projectId } = await open();
    let now = systemClock.now();
    const clock = { now: () => now, monotonic: () => (now += 1000) };
    const tool = createConsoleLogs({ clock, ids: systemIds, tools: {} as never }) as Tool;
    const read = async () => {
      const { output } = await tool.execute({}, toolContext({ read: store.read, projectId }));
      return output as { preview: string; current: boolean; logs: { text: string }[] };
    };
    expect(await read()).toMatchObject({ preview: expect.stringContaining("No preview has reported yet"), logs: [] });
    const seq = await write("index.html", "one");
    await report([say("hello")], { seq, loaded: true });
    expect(await read()).toMatchObject({ preview: "The preview shows the newest files.", current: true });
    await write("b.html", "two");
    await write("c.html", "three");
    const behind = await read();
    expect(behind).toMatchObject({ current: false });
    expect(behind.preview).toBe(
      "The preview has not reported since the last change; the newest report is of 2 changes ago.",
    );
    expect(behind.logs.map(({ text }) => text)).toEqual(["hello", "The page was loaded."]);
    now += 60 * 60_000;
    expect((await read()).preview).toBe(
      "No preview has reported for 60 minutes, so it may be closed; the newest report is of 2 changes ago.",
    );
  });
});

describeStores("a log tool", (bench) => {
  const open = prepare(bench);

  test("wait for the load after a change while the preview is open", async () => {
    const { report, write, store, projectId } = await open();
    await report([say("one")], { seq: await write("index.html", "one"), loaded: true });
    const seq = await write("b.html", "two");
    let looks = 0;
    let reporting: Promise<unknown> | undefined;
    const monotonic = () => {
      // The clock does not advance; the page loads during the tool's second look.
      if (++looks === 3) reporting = report([say("two")], { seq, loaded: true });
      return 0;
    };
    const tool = createConsoleLogs({
      clock: { ...systemClock, monotonic },
      ids: systemIds,
      tools: {} as never,
    }) as Tool;
    const { output } = await tool.execute({}, toolContext({ read: store.read, projectId }));
    await reporting;
    expect(output).toMatchObject({ current: true, preview: "The preview shows the newest files." });
    expect((output as { logs: { text: string }[] }).logs.map(({ text }) => text)).toContain("two");
  });
});

test("a thread without a project has no preview to read", async () => {
  const tool = createConsoleLogs({ clock: systemClock, ids: systemIds, tools: {} as never }) as Tool;
  await expect(tool.execute({}, toolContext())).rejects.toThrow("belongs to no project");
});
