import { expect, test } from "vitest";
import { toolParts } from "../../support/server/loop-tools.ts";
import { startBuilder } from "./build.ts";

const header = "export function Header() {\n  return <header>Hello</header>;\n}\n";
const path = "src/components/Header.tsx";
const write = ["write_file", { file_path: path, content: header }] as const;
const sticky = [
  "replace_lines",
  {
    file_path: path,
    search: "  return <header>Hello</header>;",
    first_replaced_line: 2,
    last_replaced_line: 2,
    replace: '  return <header className="sticky">Hello</header>;',
  },
] as const;

test("the model writes a file, gets the result and answers; message, call, result and answer are stored", async () => {
  const { send, live, threadId, client, prompts, files } = await startBuilder([[[write]]]);
  await send(threadId, "turn 0: create a header component");
  await live.ended();
  expect(await files.text(path)).toBe(header);
  expect(prompts).toHaveLength(2);
  const roles = prompts[1]!.map(({ role }) => role);
  expect(roles.slice(-3)).toEqual(["user", "assistant", "tool"]);
  const last = prompts[1]!.at(-1)!;
  if (last.role !== "tool") throw new Error("the result is not there");
  expect(last.results.map(({ text }) => text).join()).toContain('"did":"created"');
  const { messages } = await client.getThread({ params: { threadId } });
  const [user, assistant] = messages;
  expect(user).toMatchObject({ role: "user" });
  const parts = assistant!.parts.filter(({ kind }) => kind === "tool" || kind === "text");
  expect(parts).toMatchObject([
    {
      kind: "tool",
      name: "write_file",
      state: "ok",
      input: { file_path: path, content: header },
      output: { path, did: "created", lines: 3, added: 3 },
      gist: `created ${path}, 3 lines`,
    },
    { kind: "text", text: "Done." },
  ]);
});

test("the next turn's prompt has the call and its result, and the model edits the same file", async () => {
  const { send, live, threadId, client, prompts, files } = await startBuilder([[[write]], [[sticky]]]);
  await send(threadId, "turn 0: create a header component");
  await live.ended();
  await send(threadId, "turn 1: make it sticky");
  await live.ended(2);
  const seen = JSON.stringify(prompts[2]);
  expect(seen).toContain("write_file");
  expect(seen).toContain(path);
  const tools = prompts[2]!.filter(({ role }) => role === "tool");
  expect(tools).toHaveLength(1);
  expect(await files.text(path)).toBe(header.replace("<header>", '<header className="sticky">'));
  const { messages } = await client.getThread({ params: { threadId } });
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  const edit = messages[3]!.parts.find((part) => part.kind === "tool");
  expect(edit).toMatchObject({
    name: "replace_lines",
    state: "ok",
    title: `Edit ${path}, line 2`,
    gist: `edited ${path} line 2, +1 -1`,
    output: { diff: expect.stringContaining('+  return <header className="sticky">') },
  });
  const acts = await files.acts();
  const ofRuns = acts.filter(({ author }) => author.by === "run");
  expect(ofRuns.map(({ text, author }) => [text, author.threadId])).toEqual([
    [`Edited ${path}, line 2 (+1 -1)`, threadId],
    [`Created ${path} (+3 -0)`, threadId],
  ]);
});

test("edits of one file in one step run in order, each on the previous result", async () => {
  const lines = Array.from({ length: 12 }, (_, n) => `line_${n + 1}();`);
  const edit = (at: number, replace: string) =>
    [
      "replace_lines",
      { file_path: "a.ts", search: `line_${at}();`, first_replaced_line: at, last_replaced_line: at, replace },
    ] as const;
  const together = [
    edit(2, "two();\ntwo_more();\nand_more();"),
    edit(5, ""),
    edit(9, "nine();"),
    edit(11, "eleven();"),
  ];
  const { send, live, threadId, files } = await startBuilder([[together]]);
  await files.write("a.ts", `${lines.join("\n")}\n`);
  await send(threadId, "turn 0");
  await live.ended();
  expect(toolParts(live).map(({ state, errorText }) => [state, errorText])).toEqual(
    together.map(() => ["ok", undefined]),
  );
  const expected = lines.toSpliced(10, 1, "eleven();").toSpliced(8, 1, "nine();").toSpliced(4, 1);
  expect(await files.text("a.ts")).toBe(
    `${expected.toSpliced(1, 1, "two();", "two_more();", "and_more();").join("\n")}\n`,
  );
  const seqs = (await files.acts()).filter(({ author }) => author.by === "run").map(({ text }) => text);
  expect(seqs.toReversed()).toEqual([
    "Edited a.ts, line 2 (+3 -1)",
    "Edited a.ts, line 7 (+0 -1)",
    "Edited a.ts, line 10 (+1 -1)",
    "Edited a.ts, line 12 (+1 -1)",
  ]);
});

test("write, view and delete of a file in one step run in that order", async () => {
  const { send, live, threadId, files } = await startBuilder([
    [
      [
        ["write_file", { file_path: "a.ts", content: "x\n" }],
        ["view_file", { file_path: "a.ts" }],
        ["delete_file", { file_path: "a.ts" }],
      ],
    ],
  ]);
  await send(threadId, "turn 0");
  await live.ended();
  expect(toolParts(live).map(({ output }) => output)).toMatchObject([
    { did: "created" },
    { text: "1: x" },
    { deleted: ["a.ts"] },
  ]);
  expect(await files.list()).toEqual([]);
});

test("a mismatch changes nothing, and the current lines are in the next prompt", async () => {
  const wrong = [
    "replace_lines",
    { file_path: "a.ts", search: "const a = 2;", first_replaced_line: 1, last_replaced_line: 1, replace: "x" },
  ] as const;
  const { send, live, threadId, prompts, files } = await startBuilder([[[wrong]]]);
  await files.write("a.ts", "const a = 1;\n");
  await send(threadId, "turn 0");
  await live.ended();
  expect(toolParts(live)[0]).toMatchObject({ state: "error", errorText: expect.stringContaining("1: const a = 1;") });
  expect(JSON.stringify(prompts[1])).toContain("1: const a = 1;");
  expect(await files.text("a.ts")).toBe("const a = 1;\n");
  expect((await files.acts()).every(({ author }) => author.by === "person")).toBe(true);
});

test("in a thread without a project the error says how to choose one", async () => {
  const started = await startBuilder([[[write]]]);
  const threadId = await started.start({ profile: "builder" });
  const live = started.follow(threadId);
  await started.send(threadId, "turn 0");
  await live.ended();
  expect(toolParts(live)[0]).toMatchObject({ state: "error", errorText: expect.stringContaining("choose a project") });
});

test("a protected file is neither read nor searched, and a secret in a file does not reach the prompt", async () => {
  const key = `sk-proj-${"Ab3dE6gH9".repeat(5)}`;
  const { send, live, threadId, prompts, files } = await startBuilder([
    [
      [
        ["view_file", { file_path: ".env" }],
        ["search_files", { query: "sk-proj" }],
        ["view_file", { file_path: "src/config.ts" }],
      ],
    ],
  ]);
  await files.write(".env", `OPENAI_API_KEY=${key}\n`);
  await files.write("src/config.ts", `export const apiKey = "${key}";\n`);
  await send(threadId, "turn 0");
  await live.ended();
  expect(toolParts(live)[0]).toMatchObject({ state: "error", errorText: expect.stringContaining("is protected") });
  expect(toolParts(live)[1]).toMatchObject({ state: "ok", output: { total: 1, searched: 1 } });
  expect(JSON.stringify(prompts)).not.toContain(key);
});
