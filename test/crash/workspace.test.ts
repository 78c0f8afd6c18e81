import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PartOf } from "../../protocol/parts.ts";
import { projectStream } from "../../protocol/ids.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { query } from "../support/server/database.ts";
import { openThreadClient, type ThreadClient } from "../support/server/thread-client.ts";

/**
 * Edits of workspace files. The process kills itself between any two writes of a step's batch and is restarted. Files, contents,
 * acts and the log are counted from outside. Most edits would be wrong if applied twice.
 */
const calls: readonly (readonly [string, object])[] = [
  ["write_file", { file_path: "a.ts", content: "one();\ntwo();\nthree();\n" }],
  [
    "replace_lines",
    { file_path: "a.ts", search: "two();", replace: "two();\ntwo();", first_replaced_line: 2, last_replaced_line: 2 },
  ],
  ["rename_file", { original_file_path: "a.ts", new_file_path: "src/a.ts" }],
  [
    "replace_lines",
    {
      file_path: "src/a.ts",
      search: "one();",
      replace: "one();\none();",
      first_replaced_line: 1,
      last_replaced_line: 1,
    },
  ],
  ["delete_file", { file_path: "old.ts" }],
];
const between = calls.flatMap((_, n) => [`after-effect:${n + 1}`, `after-result:${n + 1}`]);
const all = ["before-intent", "after-intent", ...between, "before-terminal"];
const points = process.env["STONECHAT_DEEP"] === "1" ? all : all.filter((_, n) => n % 2 === 1);
const script = `${calls.map(([name, input]) => `call ${name} ${JSON.stringify(input)}`).join(" and ")} then say done`;

let server: ServerProcess;
let deaths = 0;
beforeAll(async () => {
  server = await startServer({ spare: true, env: { STONECHAT_LEASE_MS: "500" } });
});
afterAll(() => server?.close());

const startProject = async (): Promise<{ readonly projectId: string; readonly chat: ThreadClient }> => {
  const projectId = randomUUID();
  const { client } = server;
  await client.createProject({ body: { id: projectId, name: "Site" } });
  const ops = [{ do: "write" as const, path: "old.ts", was: null, text: "old();\n" }];
  await client.writeFiles({ params: { projectId }, body: { id: randomUUID(), ops } });
  const chat = await openThreadClient(server);
  await client.changeThread({ params: { threadId: chat.threadId }, body: { id: randomUUID(), projectId } });
  return { projectId, chat };
};

/** The stored rows and the events about them. */
const audit = async (projectId: string, runId: string) => {
  const ask = <Row>(sql: string, ...values: readonly string[]) => query<Row>(server, sql, values);
  const files = await ask<{ path: string; hash: string; seq: number }>(
    "select path, hash, seq from files where project = ? order by path",
    projectId,
  );
  const blobs = await ask<{ hash: string; body: string }>("select hash, body from blobs where project = ?", projectId);
  const acts = await ask<{ id: string; seq: number; text: string }>(
    "select id, seq, text from acts where project = ? and run = ? order by seq",
    projectId,
    runId,
  );
  const last = await ask<{ target: string; after: string | null }>(
    `select c.target, c.after from changes c where c.project = ? and c.what = 'file'
       and c.seq = (select max(seq) from changes l where l.project = c.project and l.what = 'file' and l.target = c.target)`,
    projectId,
  );
  const events = await ask<{ seq: number; body: string }>(
    "select seq, body from events where stream = ?",
    projectStream(projectId),
  );
  const replayed = last.flatMap(({ target, after }) =>
    after === null ? [] : [[target, (JSON.parse(after) as { hash: string }).hash]],
  );
  return {
    acts: acts.map(({ text }) => text),
    // The log contains each act once, at the seq in its row.
    events: acts.every(
      ({ id, seq }) => events.filter((event) => event.seq === seq && event.body.includes(id)).length === 1,
    ),
    // Files match their changes, and every content is stored under its hash.
    agrees: JSON.stringify(replayed.toSorted()) === JSON.stringify(files.map(({ path, hash }) => [path, hash])),
    contents: blobs.every(({ hash, body }) => createHash("sha256").update(body).digest("hex") === hash),
    files: files.map(({ path, hash }) => [path, blobs.find((blob) => blob.hash === hash)?.body]),
  };
};

const whole = {
  acts: [
    "Created a.ts (+3 -0)",
    "Edited a.ts, line 2 (+1 -0)",
    "Renamed a.ts to src/a.ts",
    "Edited src/a.ts, line 1 (+1 -0)",
    "Deleted old.ts",
  ],
  events: true,
  agrees: true,
  contents: true,
  files: [["src/a.ts", "one();\none();\ntwo();\ntwo();\nthree();\n"]],
};

test.each(points)("a process that dies %s applies each edit once, and files, contents and log agree", async (point) => {
  const { projectId, chat } = await startProject();
  await server.arm(point);
  const asked = await chat.send(script);
  expect(await server.exited()).toEqual({ code: null, signal: "SIGKILL" });
  deaths += 1;
  await server.restart();
  const { run, message } = await chat.answered(asked);
  chat.close();
  expect(run).toMatchObject({ outcome: "done" });
  const made = message.parts.filter((part): part is PartOf<"tool"> => part.kind === "tool");
  expect(made.map(({ state, errorText }) => [state, errorText])).toEqual(calls.map(() => ["ok", undefined]));
  expect(await audit(projectId, run.id)).toEqual(whole);
});

test("control: detects a duplicate write", async () => {
  const { projectId, chat } = await startProject();
  const [[name, input] = ["", {}]] = calls;
  const { run } = await chat.answered(await chat.send(script));
  expect(await audit(projectId, run.id)).toEqual(whole);
  const twice = await chat.answered(await chat.send(`call ${name} ${JSON.stringify(input)} then say done`));
  chat.close();
  expect(await audit(projectId, twice.run.id)).toMatchObject({
    acts: ["Created a.ts (+3 -0)"],
    files: [["a.ts", "one();\ntwo();\nthree();\n"], whole.files[0]],
  });
});

test("every point was reached by a process that died", () => {
  expect(deaths).toBe(points.length);
});
