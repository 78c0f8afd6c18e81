import { expect, test } from "vitest";
import { mintId } from "../../support/instance.ts";
import { readZip } from "../../support/project/read-zip.ts";
import { toolParts } from "../../support/server/loop-tools.ts";
import { startBuilder } from "./build.ts";

const write = (path: string, content: string) => ["write_file", { file_path: path, content }] as const;

test("undoes one edit of a run, or a whole run in one act", async () => {
  const { send, live, threadId, client, projectId, files } = await startBuilder([
    [[write("a.ts", "one\n")], [write("a.ts", "two\n"), write("b.ts", "b\n")]],
  ]);
  await send(threadId, "turn 0");
  const run = await live.ended();
  const ofRun = (await files.acts()).filter(({ author }) => author.runId === run.id);
  expect(ofRun).toHaveLength(3);
  const second = ofRun.find(({ text }) => text === "Wrote a.ts (+1 -1)")!;
  expect((toolParts(live)[1]!.output as { actId: string }).actId).toBe(second.id);
  await files.undo(second.id);
  expect(await files.text("a.ts")).toBe("one\n");
  const redone = (await files.acts())[0]!;
  await files.undo(redone.id);
  expect(await files.text("a.ts")).toBe("two\n");
  await client.undoRun({ params: { projectId, runId: run.id }, body: { id: mintId() } });
  expect(await files.list()).toEqual([]);
});

test("an edit is not undone if the file changed since", async () => {
  const { send, live, threadId, files } = await startBuilder([[[write("a.ts", "one\n")]], [[write("a.ts", "two\n")]]]);
  await send(threadId, "turn 0");
  await live.ended();
  const [first] = (await files.acts()).filter(({ author }) => author.by === "run");
  await send(threadId, "turn 1");
  await live.ended(2);
  await expect(files.undo(first!.id)).rejects.toMatchObject({ code: "conflict" });
  expect(await files.text("a.ts")).toBe("two\n");
});

test("files of any version can be read, compared, restored and archived", async () => {
  const { send, live, threadId, client, projectId, files, url } = await startBuilder([
    [[write("a.ts", "one\n"), write("b.ts", "b\n")]],
    [
      [
        write("a.ts", "two\n"),
        ["delete_file", { file_path: "b.ts" }],
        ["rename_file", { original_file_path: "a.ts", new_file_path: "src/a.ts" }],
      ],
    ],
  ]);
  await send(threadId, "turn 0");
  await live.ended();
  const { seq } = await client.listFiles({ params: { projectId } });
  await send(threadId, "turn 1");
  await live.ended(2);
  expect((await files.list()).map(({ path }) => path)).toEqual(["src/a.ts"]);
  expect((await files.list(seq)).map(({ path }) => path)).toEqual(["a.ts", "b.ts"]);
  expect([await files.text("a.ts", seq), await files.text("src/a.ts")]).toEqual(["one\n", "two\n"]);
  const body = { id: mintId(), seq };
  const { act } = await client.restoreFiles({ params: { projectId }, body });
  expect(await client.restoreFiles({ params: { projectId }, body })).toEqual({ act });
  expect(act.changes.map(({ id, before, after }) => [id, before !== null, after !== null])).toEqual([
    ["a.ts", false, true],
    ["b.ts", false, true],
    ["src/a.ts", true, false],
  ]);
  const response = await fetch(`${url}/api/projects/${projectId}/archive`);
  expect(response.headers.get("content-type")).toBe("application/zip");
  const entries = await readZip(Buffer.from(await response.arrayBuffer()));
  expect(entries.map(({ path, bytes }) => [path, bytes.toString()])).toEqual([
    ["a.ts", "one\n"],
    ["b.ts", "b\n"],
  ]);
});

test("an archive leaves out folders that programs execute", async () => {
  const { projectId, files, url } = await startBuilder([]);
  for (const path of [".git/config", "lib/.git/hooks/post-checkout", ".ssh/config", ".hg/hgrc", "a.ts", ".gitignore"])
    await files.write(path, "x\n");
  const response = await fetch(`${url}/api/projects/${projectId}/archive`);
  const entries = await readZip(Buffer.from(await response.arrayBuffer()));
  expect(entries.map(({ path }) => path)).toEqual([".gitignore", "a.ts"]);
  expect(await files.list()).toHaveLength(6);
});

test("a stale save by the user returns conflict with the current file; the run's edit is kept", async () => {
  const { send, live, threadId, files } = await startBuilder([[[write("a.ts", "by the model\n")]]]);
  const {
    files: [seen],
  } = await files.write("a.ts", "by hand\n");
  await send(threadId, "turn 0");
  await live.ended();
  const save = files.write("a.ts", "by hand again\n", seen!.hash);
  await expect(save).rejects.toMatchObject({ code: "conflict", current: { path: "a.ts", bytes: 13 } });
  expect(await files.text("a.ts")).toBe("by the model\n");
});

test("each act is on the project's stream with its paths", async () => {
  const { send, live, threadId, projectId, files, url } = await startBuilder([[[write("a.ts", "x\n")]]]);
  await files.write("b.ts", "b\n");
  await send(threadId, "turn 0");
  await live.ended();
  const response = await fetch(`${url}/api/projects/${projectId}/stream?after=0`);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes('"id":"a.ts"')) text += (await reader.read()).value ?? "";
  await reader.cancel();
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(
    ([, body = ""]) => JSON.parse(body) as { type: string; touched?: object[] },
  );
  const acted = events.filter(({ type }) => type === "project-acted").map(({ touched }) => touched);
  expect(acted).toContainEqual([{ what: "file", id: "b.ts" }]);
  expect(acted.at(-1)).toEqual([{ what: "file", id: "a.ts" }]);
});
