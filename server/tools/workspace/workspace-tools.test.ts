import { expect, test } from "vitest";
import type { FileOp } from "../../../protocol/workspace/workspace.ts";
import { openToolRunner } from "../../../test/support/project/tool-runner.ts";
import { describeStores } from "../../../test/support/stores.ts";
import { systemClock } from "../../lib/clock.ts";
import { countTokens } from "../../lib/tokens.ts";
import { createLog } from "../../log/log.ts";
import { createProjects } from "../../project/project.ts";
import { createWorkspaces } from "../../workspace/workspace.ts";

const app = "export function App() {\n  return <h1>Hello</h1>;\n}\n";

describeStores("the builder's tools", (bench) => {
  const open = async (files: Readonly<Record<string, string>> = {}) => {
    const desk = await openToolRunner(bench);
    const store = bench.store();
    const log = createLog({ store, clock: systemClock, onError: () => {} });
    const options = { store, log, clock: systemClock };
    const projects = createProjects(options);
    const workspaces = createWorkspaces(options);
    const projectId = bench.id("project");
    const principal = { userId: desk.userId };
    await projects.create(principal, { id: projectId, name: "Site", description: "", instructions: "" });
    const ops = Object.entries(files).map(([path, text]): FileOp => ({ do: "write", path, was: null, text }));
    if (ops.length > 0) await workspaces.write(desk.userId, projectId, { id: bench.id("act"), ops });
    const call = async (name: string, input: object, key?: string) =>
      (await desk.call(name, input, { projectId, ...(key === undefined ? {} : { key }) })).output as Record<
        string,
        unknown
      >;
    const textOf = async (path: string) => (await workspaces.get(desk.userId, projectId, path)).text;
    const list = async () => (await workspaces.list(desk.userId, projectId)).files.map(({ path }) => path);
    return { desk, projects, principal, projectId, call, textOf, list };
  };

  test("writes, views, edits and searches a file; each change is one act of the run", async () => {
    const { call, textOf, projects, principal, projectId } = await open();
    expect(await call("write_file", { file_path: "src/App.tsx", content: app })).toMatchObject({
      path: "src/App.tsx",
      did: "created",
      lines: 3,
      added: 3,
      removed: 0,
      actId: expect.any(String),
    });
    expect(await call("view_file", { file_path: "src/App.tsx" })).toEqual({
      path: "src/App.tsx",
      lines: 3,
      shown: "1-3",
      text: "1: export function App() {\n2:   return <h1>Hello</h1>;\n3: }",
    });
    const edit = { search: "  return <h1>Hello</h1>;", replace: "  return <h1>$& there</h1>;" };
    const lines = { first_replaced_line: 2, last_replaced_line: 2 };
    expect(await call("replace_lines", { file_path: "src/App.tsx", ...edit, ...lines })).toMatchObject({
      did: "edited",
      replaced: "2",
      added: 1,
      removed: 1,
      diff: "@@ -1,3 +1,3 @@\n export function App() {\n-  return <h1>Hello</h1>;\n+  return <h1>$& there</h1>;\n }",
    });
    expect(await textOf("src/App.tsx")).toBe(app.replace("Hello", () => "$& there"));
    expect(await call("search_files", { query: "h1.*there" })).toMatchObject({
      total: 1,
      files: 1,
      matches: "src/App.tsx\n1- export function App() {\n2:   return <h1>$& there</h1>;\n3- }",
    });
    const { acts } = await projects.listActs(principal, projectId, { limit: 10 });
    expect(acts.slice(0, 2).map(({ text, author }) => [text, author.by, author.runId])).toEqual([
      ["Edited src/App.tsx, line 2 (+1 -1)", "run", "r"],
      ["Created src/App.tsx (+3 -0)", "run", "r"],
    ]);
  });

  test("a mismatch changes nothing and returns the current lines", async () => {
    const { call, textOf } = await open({ "src/App.tsx": app });
    const edit = call("replace_lines", {
      file_path: "src/App.tsx",
      search: "  return <h1>Hi</h1>;",
      replace: "x",
      first_line: 2,
    });
    await expect(edit).rejects.toThrow(/At line 2:\n2: {3}return <h1>Hello<\/h1>;/);
    expect(await textOf("src/App.tsx")).toBe(app);
  });

  test("markers in a whole file are expanded, or rejected with the affected lines", async () => {
    const { call, textOf } = await open({ "a.ts": "import a;\nimport b;\n\nrun(a);\nrun(b);\n" });
    const write = (content: string) => call("write_file", { file_path: "a.ts", content });
    expect(await write("import a;\n// ... keep existing code (imports)\nrun(a);\nrun(c);\n")).toMatchObject({
      did: "wrote",
      note: "a marker was replaced by the existing code",
    });
    expect(await textOf("a.ts")).toBe("import a;\nimport b;\n\nrun(a);\nrun(c);\n");
    await expect(write("let x;\n// ... keep existing code\n")).rejects.toThrow(/"let x;"\) is not in the file/);
    const fresh = call("write_file", { file_path: "new.ts", content: "// ... keep existing code\nrun();" });
    await expect(fresh).rejects.toThrow(/There is no file new\.ts yet/);
  });

  test("a whole file keeps its line endings; the same content writes nothing", async () => {
    const { call, textOf, projects, principal, projectId } = await open({ "a.css": "a {}\r\nb {}\r\n" });
    await call("write_file", { file_path: "a.css", content: "a {}\nc {}\n" });
    expect(await textOf("a.css")).toBe("a {}\r\nc {}\r\n");
    const same = await call("write_file", { file_path: "a.css", content: "a {}\r\nc {}\r\n" });
    expect(same).toMatchObject({ did: "nothing" });
    expect(same["actId"]).toBeUndefined();
    expect(
      (await projects.listActs(principal, projectId, { limit: 10 })).acts.filter(({ author }) => author.by === "run"),
    ).toHaveLength(1);
  });

  test("renames files and folders, deletes files, and deletes folders only with `folder`", async () => {
    const { call, list, desk } = await open({ "src/a.ts": "1", "src/ui/b.ts": "2", "c.ts": "3" });
    expect(await call("rename_file", { from: "src", to: "lib" })).toMatchObject({
      renamed: [
        { from: "src/a.ts", to: "lib/a.ts" },
        { from: "src/ui/b.ts", to: "lib/ui/b.ts" },
      ],
    });
    await call("rename_file", { original_file_path: "c.ts", new_file_path: "C.ts" });
    expect(await list()).toEqual(["C.ts", "lib/a.ts", "lib/ui/b.ts"]);
    await expect(call("rename_file", { original_file_path: "lib", new_file_path: "lib/x" })).rejects.toThrow(
      /into itself/,
    );
    await expect(call("delete_file", { file_path: "lib" })).rejects.toThrow(/lib is a folder\. In it: lib\/a\.ts/);
    expect(desk.find("delete_file").approvalReason!({ file_path: "lib", folder: true })).toMatchObject({
      text: expect.stringContaining("the folder lib") as string,
    });
    expect(desk.find("delete_file").approvalReason!({ file_path: "lib/a.ts" })).toBeUndefined();
    expect(await call("delete_file", { path: "lib", folder: true })).toMatchObject({
      deleted: ["lib/a.ts", "lib/ui/b.ts"],
    });
    expect(await list()).toEqual(["C.ts"]);
  });

  test("adds and removes packages and says whether the preview supports them", async () => {
    const { call, textOf } = await open({
      "package.json": '{\n\t"name": "x",\n\t"dependencies": {"zustand": "5.0.0"}\n}\n',
    });
    expect(await call("add_dependency", { package: "lodash@^4.17.0" })).toMatchObject({
      preview: expect.stringMatching(/does not support it: nothing is installed/),
    });
    expect(await call("add_dependency", { name: "react" })).toMatchObject({
      version: "latest",
      preview: /^The preview supports it/,
    });
    expect(await textOf("package.json")).toBe(
      '{\n\t"name": "x",\n\t"dependencies": {\n\t\t"lodash": "^4.17.0",\n\t\t"react": "latest",\n\t\t"zustand": "5.0.0"\n\t}\n}\n',
    );
    await call("remove_dependency", { package: "lodash" });
    expect(JSON.parse((await textOf("package.json")) ?? "")).toMatchObject({
      dependencies: { react: "latest", zustand: "5.0.0" },
    });
    await expect(call("remove_dependency", { package: "lodash" })).rejects.toThrow(
      "package.json does not list lodash.",
    );
    await expect(call("add_dependency", { package: "x@git+https://a/b" })).rejects.toThrow(/not a version/);
  });

  test.each([
    ".env",
    ".env.local",
    "config/.ENV",
    ".git/config",
    "node_modules/a/index.js",
    "package-lock.json",
    "yarn.lock",
    "a/server.key",
    "cert.pem",
  ])("%s is protected, and tools say so", async (path) => {
    const { call, list } = await open({ [path]: "SECRET=1\n", "src/a.ts": "x" });
    const calls: readonly (readonly [string, object])[] = [
      ["view_file", { file_path: path }],
      ["write_file", { file_path: path, content: "x" }],
      ["replace_lines", { file_path: path, search: "SECRET=1", replace: "x" }],
      ["delete_file", { file_path: path }],
      ["rename_file", { original_file_path: path, new_file_path: "b.txt" }],
      ["rename_file", { original_file_path: "src/a.ts", new_file_path: path }],
    ];
    for (const [name, input] of calls) await expect(call(name, input)).rejects.toThrow(/is protected/);
    expect(await call("search_files", { query: "SECRET" })).toMatchObject({ total: 0, searched: 1 });
    const folder = path.split("/").slice(0, -1).join("/") || path;
    await expect(call("delete_file", { file_path: folder, folder: true })).rejects.toThrow(/is protected/);
    expect(await list()).toContain(path);
  });

  test("a placeholder is not written over the secret", async () => {
    const { call } = await open({ "a.ts": 'const key = "abc";\n' });
    const content = 'const key = "[secret:token:0123abcd]";\n';
    await expect(call("write_file", { file_path: "a.ts", content })).rejects.toThrow(
      /placeholder for a redacted secret/,
    );
  });

  test("without a project the error says how to get one; a missing file lists similar ones", async () => {
    const { desk, call } = await open({ "src/Header.tsx": "x" });
    for (const name of ["view_file", "write_file"])
      await expect(desk.call(name, { file_path: "a", content: "" })).rejects.toThrow(
        /belongs to no project.*choose a project/,
      );
    await expect(call("view_file", { file_path: "src/header.tsx" })).rejects.toThrow(
      "There is no file src/header.tsx. Similar: src/Header.tsx.",
    );
    await expect(call("view_file", { file_path: "../etc/passwd" })).rejects.toThrow(/is not a valid path/);
  });

  test("a project of another user is not found", async () => {
    const { projectId } = await open({ "a.ts": "x" });
    const stranger = await openToolRunner(bench);
    for (const [name, input] of [
      ["view_file", { file_path: "a.ts" }],
      ["write_file", { file_path: "a.ts", content: "y" }],
      ["search_files", { query: "x" }],
    ] as const)
      await expect(stranger.call(name, input, { projectId })).rejects.toThrow(/no longer exists|Not found/);
  });

  test("the same key is one act, however often it is planned before the commit", async () => {
    const { desk, projectId } = await open();
    const input = { file_path: "a.ts", content: "x\n" };
    const plans = [
      await desk.plan("write_file", input, { projectId, key: "k" }),
      await desk.plan("write_file", input, { projectId, key: "k" }),
    ];
    expect(plans[0]!.output).toEqual(plans[1]!.output);
    await desk.call("write_file", input, { projectId, key: "k" });
    await expect(desk.call("write_file", input, { projectId, key: "k" })).rejects.toThrow(
      "This call was already committed.",
    );
  });

  test("summarizes a result in one line", async () => {
    const { desk, call } = await open({ "a.ts": "one();\ntwo();\n" });
    const edit = { file_path: "a.ts", search: "one();\ntwo();", replace: "1();\n2();\n3();" };
    const output = await call("edit_file", edit);
    expect(desk.find("edit_file").summarize!(edit, output)).toBe("edited a.ts lines 1-2, +3 -2");
    expect(desk.find("view_file").summarize!({}, await call("view_file", { file_path: "a.ts" }))).toBe(
      "read a.ts lines 1-3 of 3",
    );
    expect(desk.find("replace_lines").describe!({ ...edit, first_replaced_line: 1, last_replaced_line: 2 })).toBe(
      "Edit a.ts, lines 1-2",
    );
  });

  test("all definitions together take a small part of a prompt", async () => {
    const { desk } = await open();
    const own = desk.catalog.specs.filter(({ name }) => /_(?:files?|lines|dependency)$/.test(name));
    expect(own.map(({ name }) => name)).toEqual([
      "add_dependency",
      "delete_file",
      "remove_dependency",
      "rename_file",
      "replace_lines",
      "search_files",
      "view_file",
      "write_file",
    ]);
    expect(countTokens(JSON.stringify(own))).toBeLessThan(1200);
  });
});
