import { beforeAll, expect, test } from "vitest";
import { ApiError } from "../../protocol/errors.ts";
import type { FileOp } from "../../protocol/workspace/workspace.ts";
import { readZip } from "../../test/support/project/read-zip.ts";
import { put, rows } from "../../test/support/store-rows.ts";
import { describeStores, type StoreFixture } from "../../test/support/stores.ts";
import { systemClock } from "../lib/clock.ts";
import { createLog, type Log } from "../log/log.ts";
import { createProjects } from "../project/project.ts";
import { checkPaths, createWorkspaces } from "./workspace.ts";

function prepare(bench: StoreFixture) {
  let log: Log | undefined;
  beforeAll(async () => {
    await put(bench.store(), { do: "put", table: "users", row: rows.user("ann") });
    await put(bench.store(), { do: "put", table: "users", row: rows.user("bob") });
    log = createLog({ store: bench.store(), clock: systemClock, onError: () => {} });
    return () => log?.close();
  });
  return async () => {
    const store = bench.store();
    const options = { store, log: log!, clock: systemClock };
    const workspaces = createWorkspaces(options);
    const projects = createProjects({ ...options, checkPaths });
    const projectId = bench.id("project");
    await projects.create(
      { userId: "ann" },
      { id: projectId, name: "Café ☕ site", description: "", instructions: "" },
    );
    const write = (...ops: FileOp[]) => workspaces.write("ann", projectId, { id: bench.id("act"), ops });
    const list = async (at?: number) =>
      (await workspaces.list("ann", projectId, at)).files.map(({ path, bytes, lines }) => `${path} ${bytes} ${lines}`);
    const textOf = async (path: string, at?: number) => (await workspaces.get("ann", projectId, path, at)).text;
    const undo = (actId: string) => projects.undoAct({ userId: "ann" }, projectId, actId, bench.id("act"));
    return { store, workspaces, projects, projectId, write, list, textOf, undo, id: () => bench.id("act") };
  };
}

const put1 = (path: string, text: string, was: string | null = null): FileOp => ({ do: "write", path, was, text });
const refusalOf = async (work: Promise<unknown>): Promise<ApiError> => {
  const found = await work.catch((error: unknown) => error);
  if (found instanceof ApiError) return found;
  throw new Error("it was not refused", { cause: found });
};

describeStores("workspaces", (bench) => {
  const open = prepare(bench);

  test("writes files, lists them by path and reads them, as text and bytes", async () => {
    const { write, list, workspaces, projectId } = await open();
    const { act, files } = await write(put1("src/App.tsx", "a\nb\n"), {
      do: "write",
      path: "logo.png",
      was: null,
      base64: "iVBORw==",
    });
    expect(act).toMatchObject({ text: "Wrote 2 files", author: { by: "person" }, undone: false });
    expect(act.changes.map(({ what, id, before }) => [what, id, before])).toEqual([
      ["file", "logo.png", null],
      ["file", "src/App.tsx", null],
    ]);
    expect(files.map(({ path, seq }) => [path, seq])).toEqual([
      ["logo.png", act.seq],
      ["src/App.tsx", act.seq],
    ]);
    expect(await list()).toEqual(["logo.png 4 null", "src/App.tsx 4 2"]);
    expect(await workspaces.get("ann", projectId, "logo.png")).toMatchObject({ text: null, base64: "iVBORw==" });
  });

  test("valid text is stored as text; text with NUL is stored as bytes", async () => {
    const { write, list, textOf } = await open();
    const base64 = Buffer.from("\uFEFFgrüße\r\n").toString("base64");
    await write({ do: "write", path: "a.txt", was: null, base64 }, put1("b.bin", "a\u0000b"));
    expect(await textOf("a.txt")).toBe("\uFEFFgrüße\r\n");
    expect(await list()).toEqual(["a.txt 12 1", "b.bin 3 null"]);
  });

  test("a stale write returns conflict with the current file, and nothing is written", async () => {
    const { write, list, textOf } = await open();
    const { files } = await write(put1("a.ts", "one\n"));
    await write(put1("a.ts", "two\n", files[0]!.hash));
    const refusal = await refusalOf(write(put1("b.ts", "new\n"), put1("a.ts", "three\n", files[0]!.hash)));
    expect(refusal).toMatchObject({ code: "conflict", current: { path: "a.ts", bytes: 4 } });
    expect(await list()).toEqual(["a.ts 4 1"]);
    expect(await textOf("a.ts")).toBe("two\n");
    expect(await refusalOf(write({ do: "delete", path: "gone.ts", was: "x" }))).toMatchObject({ code: "conflict" });
    expect(await refusalOf(write(put1("a.ts", "x")))).toMatchObject({ message: "a.ts already exists." });
  });

  test("the same id with the same ops is one act; with other ops it returns conflict", async () => {
    const { workspaces, projectId, id } = await open();
    const request = { id: id(), ops: [put1("a.ts", "x")] };
    const first = await workspaces.write("ann", projectId, request);
    expect(await workspaces.write("ann", projectId, request)).toEqual(first);
    const other = workspaces.write("ann", projectId, { ...request, ops: [put1("b.ts", "x")] });
    expect(await refusalOf(other)).toMatchObject({ code: "conflict" });
  });

  test("one of two concurrent writes to a file fails; two new files both succeed", async () => {
    const { write, textOf, list } = await open();
    const { files } = await write(put1("a.ts", "0"));
    const was = files[0]!.hash;
    const both = await Promise.allSettled([write(put1("a.ts", "1", was)), write(put1("a.ts", "2", was))]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(["1", "2"]).toContain(await textOf("a.ts"));
    await Promise.all([write(put1("b.ts", "1")), write(put1("c.ts", "2"))]);
    expect((await list()).length).toBe(3);
  });

  test("one of two concurrent new names that collide on some system fails", async () => {
    const { write, list } = await open();
    const both = await Promise.allSettled([write(put1("Readme.md", "1")), write(put1("README.md", "2"))]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect((await list()).length).toBe(1);
  });

  test("a rename keeps the content, may change only the case, and overwrites nothing", async () => {
    const { write, list } = await open();
    const { files } = await write(put1("src/app.tsx", "x"), put1("b.ts", "y"));
    const [b, app] = files;
    await write({ do: "rename", path: "src/app.tsx", was: app!.hash, to: "src/App.tsx" });
    expect(await list()).toEqual(["b.ts 1 1", "src/App.tsx 1 1"]);
    const over = write({ do: "rename", path: "b.ts", was: b!.hash, to: "src/App.tsx" });
    expect(await refusalOf(over)).toMatchObject({ code: "conflict" });
  });

  test("files of any seq can be read and restored by an act that can be undone", async () => {
    const { write, list, textOf, workspaces, projectId, undo, id } = await open();
    const one = await write(put1("a.ts", "1"), put1("b.ts", "b"));
    const was = one.files[0]!.hash;
    const two = await write(put1("a.ts", "2", was), { do: "delete", path: "b.ts", was: one.files[1]!.hash });
    const three = await write(put1("c.ts", "c"));
    expect(await list(one.act.seq)).toEqual(["a.ts 1 1", "b.ts 1 1"]);
    expect(await list(two.act.seq)).toEqual(["a.ts 1 1"]);
    expect(await list(0)).toEqual([]);
    expect([await textOf("a.ts", one.act.seq), await textOf("a.ts", three.act.seq)]).toEqual(["1", "2"]);
    expect(await refusalOf(textOf("b.ts", two.act.seq))).toMatchObject({ code: "not-found" });
    const restored = await workspaces.restore("ann", projectId, { id: id(), seq: one.act.seq });
    expect(restored.act).toMatchObject({ text: "Restored the files of an earlier version" });
    expect(await list()).toEqual(["a.ts 1 1", "b.ts 1 1"]);
    expect(await textOf("a.ts")).toBe("1");
    await undo(restored.act.id);
    expect(await list()).toEqual(["a.ts 1 1", "c.ts 1 1"]);
    expect(await textOf("a.ts")).toBe("2");
    expect(await refusalOf(workspaces.restore("ann", projectId, { id: id(), seq: 10_000 }))).toMatchObject({
      code: "invalid",
    });
  });

  test("undo does not restore a file that conflicts with a newer one", async () => {
    const { write, list, undo } = await open();
    const { files } = await write(put1("Name.ts", "1"));
    const gone = await write({ do: "delete", path: "Name.ts", was: files[0]!.hash });
    const other = await write(put1("name.ts", "2"));
    expect(await refusalOf(undo(gone.act.id))).toMatchObject({ code: "invalid" });
    await write({ do: "delete", path: "name.ts", was: other.files[0]!.hash });
    await undo(gone.act.id);
    expect(await list()).toEqual(["Name.ts 1 1"]);
  });

  test("undo of a case-only rename restores the old name", async () => {
    const { write, list, undo } = await open();
    const { files } = await write(put1("name.ts", "1"));
    const { act } = await write({ do: "rename", path: "name.ts", was: files[0]!.hash, to: "Name.ts" });
    await undo(act.id);
    expect(await list()).toEqual(["name.ts 1 1"]);
  });

  test("the archive has every file in order, with the same bytes each time", async () => {
    const { write, workspaces, projectId } = await open();
    await write(put1("src/ü.ts", "x"), put1("a.txt", "hello\n"), {
      do: "write",
      path: "b.bin",
      was: null,
      base64: "AAEC",
    });
    const { name, bytes } = await workspaces.archive("ann", projectId);
    expect(name).toBe("Cafe-site.zip");
    expect((await readZip(bytes)).map((entry) => [entry.path, entry.bytes.toString("latin1")])).toEqual([
      ["a.txt", "hello\n"],
      ["b.bin", "\u0000\u0001\u0002"],
      ["src/ü.ts", "x"],
    ]);
    expect((await workspaces.archive("ann", projectId)).bytes.equals(bytes)).toBe(true);
  });

  test("enforces the limits of a file and of a workspace", async () => {
    const { write } = await open();
    expect(await refusalOf(write(put1("big.txt", "x".repeat(512_001))))).toMatchObject({ code: "too-large" });
    const ops = Array.from({ length: 41 }, (_, n) => put1(`f${n}.txt`, `${n}`.padEnd(500_000, "x")));
    expect(await refusalOf(write(...ops))).toMatchObject({ code: "too-large", message: /20,500,000 bytes/ });
    const many = Array.from({ length: 2001 }, (_, n) => put1(`f${n}.txt`, ""));
    expect(await refusalOf(write(...many))).toMatchObject({ code: "too-large", message: /2,000 files/ });
  });

  test("a project of another user is not found", async () => {
    const { workspaces, projectId, id, write } = await open();
    await write(put1("a.ts", "x"));
    for (const work of [
      () => workspaces.list("bob", projectId),
      () => workspaces.get("bob", projectId, "a.ts"),
      () => workspaces.write("bob", projectId, { id: id(), ops: [put1("b.ts", "")] }),
      () => workspaces.restore("bob", projectId, { id: id(), seq: 0 }),
      () => workspaces.archive("bob", projectId),
    ])
      expect(await refusalOf(work())).toMatchObject({ code: "not-found" });
  });
});
