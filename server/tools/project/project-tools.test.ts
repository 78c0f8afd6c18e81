import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { countTokens } from "../../lib/tokens.ts";
import { openToolRunner } from "../../../test/support/project/tool-runner.ts";
import { describeStores } from "../../../test/support/stores.ts";
import { projectGroup } from "./group.ts";

type Line = {
  readonly id: string;
  readonly title: string;
  readonly version: number;
  readonly [field: string]: unknown;
};
type Output = {
  readonly project: { readonly id: string };
  readonly entities: readonly Line[];
  readonly done: string;
  readonly total?: number;
  readonly next?: string;
};

const names = ["create_entities", "delete_entities", "get_entity", "link_entities", "list_entities", "update_entities"];

describeStores("project tools", (bench) => {
  let desk: Awaited<ReturnType<typeof openToolRunner>>;
  beforeAll(async () => {
    desk = await openToolRunner(bench);
  });
  afterAll(() => desk.close());

  const start = async (title = bench.id("Project")): Promise<string> => {
    const { output } = await desk.call("create_entities", { entities: [{ kind: "project", title }] });
    return (output as Output).project.id;
  };
  const call = async (projectId: string, name: string, input: object): Promise<Output> =>
    (await desk.call(name, input, { projectId })).output as Output;
  const add = async (projectId: string, ...entities: readonly object[]): Promise<readonly Line[]> =>
    (await call(projectId, "create_entities", { entities })).entities;
  const task = (title: string, more: object = {}) => ({ kind: "task", title, ...more });

  test("all definitions together take a small part of a prompt", () => {
    const specs = desk.catalog.specsOf(names);
    expect(specs.map(({ name }) => name)).toEqual(names);
    expect(countTokens(JSON.stringify(specs))).toBeLessThanOrEqual(2500);
    for (const name of names) expect(desk.catalog.find(name)?.group).toBe(projectGroup);
  });

  test("the thread's project is filled into the arguments", async () => {
    const projectId = await start();
    const { input, output } = await desk.call("get_entity", { tree: true }, { projectId });
    expect(input).toEqual({ project_id: projectId, tree: true });
    expect(output).toMatchObject({ project: { id: projectId }, total: 0 });
  });

  test("reads the thread's focus by default, in the thread's project only", async () => {
    const projectId = await start();
    const [stone] = await add(projectId, task("Stone"));
    const place = { projectId, focusId: stone!.id };
    expect((await desk.call("get_entity", {}, place)).input).toEqual({ project_id: projectId, ids: [stone!.id] });
    expect((await desk.call("get_entity", { tree: true }, place)).input).not.toHaveProperty("ids");
    const other = await start();
    expect((await desk.call("get_entity", { project_id: other }, place)).input).not.toHaveProperty("ids");
    const { output } = await desk.call("get_entity", { ids: [projectId] }, place);
    expect(output).toHaveProperty("counts");
  });

  test("without a project a write lists the projects, and a list covers all of them", async () => {
    const own = await openToolRunner(bench);
    onTestFinished(own.close);
    await expect(own.call("create_entities", { entities: [task("x")] })).rejects.toThrow(/has no project yet/);
    const { output } = await own.call("create_entities", { entities: [{ kind: "project", title: "Pier" }] });
    const { id } = (output as Output).project;
    await expect(own.call("create_entities", { entities: [task("x")] })).rejects.toThrow(`${id} (Pier)`);
    await own.call("create_entities", { project_id: "pier", entities: [task("Dredge")] });
    const listed = (await own.call("list_entities", { kinds: ["task"] })).output as Output;
    expect(listed).toMatchObject({ project: { id }, entities: [{ title: "Dredge" }] });
  });

  test("entities of other users are not found under any id", async () => {
    const other = await openToolRunner(bench);
    onTestFinished(other.close);
    const theirs = (
      (await other.call("create_entities", { entities: [{ kind: "project", title: "Theirs" }] })).output as Output
    ).project.id;
    const [secret] = (
      (await other.call("create_entities", { entities: [task("Secret")] }, { projectId: theirs })).output as Output
    ).entities;
    const projectId = await start();
    for (const project_id of [theirs, "Theirs"]) {
      const inputs: readonly (readonly [string, object])[] = [
        ["list_entities", {}],
        ["get_entity", { tree: true }],
        ["create_entities", { entities: [task("x")] }],
        ["delete_entities", { ids: [secret!.id] }],
      ];
      for (const [name, input] of inputs) {
        await expect(desk.call(name, { ...input, project_id }), name).rejects.toThrow(/There is no project/);
      }
    }
    const within: readonly (readonly [string, object])[] = [
      ["get_entity", { ids: [secret!.id] }],
      ["update_entities", { updates: [{ id: secret!.id, title: "Mine" }] }],
      ["delete_entities", { ids: [secret!.id] }],
      ["link_entities", { links: [{ from: secret!.id, relation: "blocks", to: secret!.id }] }],
      ["create_entities", { entities: [task("x", { parent_id: secret!.id })] }],
    ];
    for (const [name, input] of within) await expect(desk.call(name, input, { projectId }), name).rejects.toThrow();
    expect((await desk.call("list_entities", { project_id: "all", words: "secret" })).output).toMatchObject({
      entities: [],
    });
  });

  test("new entities are nested and linked by refs of the same call, in any order", async () => {
    const projectId = await start();
    const made = await add(
      projectId,
      { kind: "document", title: "Leaf", parent_id: "root", links: [{ relation: "mentions", from: "aim" }] },
      { ref: "root", kind: "document", title: "Root" },
      { ref: "aim", kind: "goal", title: "Aim", ends: "2026-12-01" },
    );
    const byTitle = new Map(made.map((line) => [line.title, line]));
    expect(byTitle.get("Leaf")).toMatchObject({ parent_id: byTitle.get("Root")!.id });
    expect(byTitle.get("Aim")).toMatchObject({ ends: "2026-12-01", state: "open", version: 1 });
    const { entities } = await call(projectId, "get_entity", { ids: [byTitle.get("Leaf")!.id] });
    expect(entities[0]).toMatchObject({
      path: [{ title: "Root" }],
      links: [{ relation: "mentions", from: byTitle.get("Aim")!.id, title: "Aim" }],
    });
    await expect(
      add(projectId, task("a", { ref: "a", parent_id: "b" }), task("b", { ref: "b", parent_id: "a" })),
    ).rejects.toThrow(/cycle/);
    await expect(add(projectId, task("a", { ref: "a" }), task("b", { ref: "a" }))).rejects.toThrow(/used twice/);
  });

  test("entities deep in a tree can be added to, changed and moved", async () => {
    const projectId = await start();
    const doc = (title: string, parent_id?: string) => ({
      kind: "document",
      title,
      ...(parent_id ? { parent_id } : {}),
    });
    let parent: string | undefined;
    for (const title of ["1", "2", "3", "4"]) {
      const [made] = await add(projectId, doc(title, parent));
      parent = made!.id;
    }
    const { entities } = await call(projectId, "update_entities", { updates: [{ id: parent, body: "deep" }] });
    expect(entities).toMatchObject([{ title: "4", version: 2 }]);
    const found = await call(projectId, "get_entity", { ids: [parent] });
    expect(found.entities[0]).toMatchObject({ path: [{ title: "1" }, { title: "2" }, { title: "3" }] });
  });

  test("one invalid entity fails the whole call with a message", async () => {
    const projectId = await start();
    const cases: readonly (readonly [object, RegExp])[] = [
      [task("x", { state: "reached" }), /open, active, blocked, done or dropped/],
      [task("  "), /a title needs some text/],
      [task("x".repeat(301)), /create 2, title/],
      [task("x", { starts: "2026-11-20", ends: "2026-11-19" }), /before its start/],
      [task("x", { parent_id: "nowhere" }), /nowhere/],
      [task("x", { links: [{ relation: "Depends On", to: "y" }] }), /relation/],
    ];
    for (const [entity, reason] of cases) await expect(add(projectId, task("fine"), entity)).rejects.toThrow(reason);
    expect((await call(projectId, "list_entities", {})).total).toBe(0);
  });

  test("the same call under the same key is one act with the same plan", async () => {
    const projectId = await start();
    const input = { entities: [task("Once", { links: [] })] };
    const place = { projectId, key: bench.id("call") };
    const first = await desk.call("create_entities", input, place);
    const again = await desk.call("create_entities", input, place);
    expect([first.written, again.written]).toEqual([true, false]);
    expect((await call(projectId, "list_entities", {})).total).toBe(1);
  });

  test("checks a version given by the model; without one the newest is overwritten", async () => {
    const projectId = await start();
    const [stone] = await add(projectId, task("Stone"));
    const update = (set: object) => call(projectId, "update_entities", { updates: [{ id: stone!.id, ...set }] });
    expect((await update({ title: "Slate", version: 1 })).entities).toMatchObject([{ title: "Slate", version: 2 }]);
    await expect(update({ title: "Basalt", version: 1 })).rejects.toThrow(/changed since version 1[^]*Slate/);
    expect((await update({ state: "done", ends: "2026-11-20" })).entities).toMatchObject([
      { title: "Slate", state: "done", ends: "2026-11-20", version: 3 },
    ]);
    expect((await update({ ends: null })).entities[0]).not.toHaveProperty("ends");
    expect((await update({ state: "done" })).done).toMatch(/Nothing changed/);
  });

  test("edits a span that occurs once; all updates of a call succeed or none", async () => {
    const projectId = await start();
    const [stone, sand] = await add(projectId, task("Stone", { body: "one two one" }), task("Sand"));
    const updates = (edit: object) => [
      { id: sand!.id, title: "Gravel" },
      { id: stone!.id, edit },
    ];
    await expect(call(projectId, "update_entities", { updates: updates({ old: "one", new: "1" }) })).rejects.toThrow(
      /2 times/,
    );
    expect((await call(projectId, "list_entities", { words: "gravel" })).total).toBe(0);
    await call(projectId, "update_entities", { updates: updates({ old: "two", new: "$&" }) });
    const { entities } = await call(projectId, "get_entity", { ids: [stone!.id, sand!.id] });
    expect(entities).toMatchObject([{ body: "one $& one" }, { title: "Gravel" }]);
    await expect(
      call(projectId, "update_entities", { updates: [{ id: stone!.id }, { id: stone!.id, title: "x" }] }),
    ).rejects.toThrow(/listed twice/);
  });

  test("entities are moved in their tree, after a sibling or to the front", async () => {
    const projectId = await start();
    const doc = (title: string) => ({ kind: "document", title });
    const [a, b, c] = await add(projectId, doc("A"), doc("B"), doc("C"));
    const tree = async () =>
      ((await call(projectId, "get_entity", { tree: true })) as unknown as { tree: string }).tree;
    const titles = async () => (await tree()).split("\n").map((line) => line.replace(/ \[.*/, ""));
    const move = (id: string, set: object) => call(projectId, "update_entities", { updates: [{ id, ...set }] });
    await move(c!.id, { after: null });
    expect(await titles()).toEqual(["- C", "- A", "- B"]);
    await move(a!.id, { after: b!.id });
    expect(await titles()).toEqual(["- C", "- B", "- A"]);
    await move(a!.id, { parent_id: c!.id, title: "A2" });
    expect(await titles()).toEqual(["- C", "  - A2", "- B"]);
    await move(a!.id, { parent_id: null });
    expect(await titles()).toEqual(["- C", "- B", "- A2"]);
    await expect(move(c!.id, { parent_id: c!.id })).rejects.toThrow(/its own ancestor/);
  });

  test("deleting includes descendants and needs approval", async () => {
    const projectId = await start();
    const [root] = await add(
      projectId,
      { ref: "r", kind: "document", title: "Root" },
      { kind: "document", title: "Leaf", parent_id: "r" },
    );
    const { entities } = await call(projectId, "list_entities", {});
    await call(projectId, "delete_entities", { ids: entities.map(({ id }) => id) });
    expect((await call(projectId, "list_entities", {})).total).toBe(0);
    await expect(call(projectId, "delete_entities", { ids: [root!.id] })).rejects.toThrow(/Not in this project/);
    await expect(call(projectId, "delete_entities", { ids: [projectId] })).rejects.toThrow(/Only the user can delete/);
    expect(desk.find("delete_entities").effects).toContain("destructive");
  });

  test("pages continue across kinds and states, and list each entity once", async () => {
    const projectId = await start();
    const kinds = ["task", "goal", "note"];
    await add(projectId, ...Array.from({ length: 21 }, (_, n) => ({ kind: kinds[n % 3], title: `Thing ${n}` })));
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await call(projectId, "list_entities", {
        kinds,
        states: ["open", "done"],
        limit: 4,
        ...(cursor ? { cursor } : {}),
      });
      expect(page.total).toBe(21);
      seen.push(...page.entities.map(({ id }) => id));
      cursor = page.next;
      pages += 1;
    } while (cursor !== undefined && pages < 20);
    expect(new Set(seen).size).toBe(21);
    expect(seen).toHaveLength(21);
    await expect(call(projectId, "list_entities", { cursor: "stone" })).rejects.toThrow(/cursor/);
  });

  test("overdue lists entities that are due before now and not ended", async () => {
    const projectId = await start();
    await add(
      projectId,
      task("Late", { ends: "2020-01-02" }),
      task("Later", { ends: "2020-01-03" }),
      task("Done", { ends: "2020-01-01", state: "done" }),
      task("Begun", { starts: "2020-01-01" }),
      task("Ahead", { ends: "2200-01-01" }),
      { kind: "event", title: "Past", starts: "2020-01-01", ends: "2020-01-01" },
    );
    const first = await call(projectId, "list_entities", { overdue: true, limit: 1 });
    expect(first.entities).toMatchObject([{ title: "Late", overdue: true }]);
    const second = await call(projectId, "list_entities", { overdue: true, limit: 1, cursor: first.next });
    expect(second.entities).toMatchObject([{ title: "Later" }]);
    expect((await call(projectId, "list_entities", { overdue: true })).entities).toHaveLength(2);
  });

  test("sorts by due date across kinds, states, projects and pages", async () => {
    const [one, other] = [await start("One"), await start("Other")];
    await add(one, task("Third", { ends: "2030-01-03" }), task("Fifth", { ends: "2030-01-05" }));
    await add(
      other,
      { kind: "milestone", title: "First", ends: "2030-01-01" },
      task("Second", { ends: "2030-01-02" }),
      { kind: "milestone", title: "Fourth", ends: "2030-01-04" },
    );
    const titles: string[] = [];
    let cursor: string | undefined;
    do {
      const asked = { project_id: "all", kinds: ["task", "milestone"], sort: "due", limit: 2 };
      const page = await call(one, "list_entities", { ...asked, ...(cursor ? { cursor } : {}) });
      titles.push(...page.entities.map(({ title }) => title));
      cursor = page.next;
    } while (cursor !== undefined && titles.length < 20);
    expect(titles.filter((title) => /First|Second|Third|Fourth|Fifth/.test(title))).toEqual([
      "First",
      "Second",
      "Third",
      "Fourth",
      "Fifth",
    ]);
  });

  test("an entity below another deleted one is deleted once, at any depth", async () => {
    const projectId = await start();
    const page = (ref: string, parent?: string) => ({ kind: "document", title: ref, ref, parent_id: parent });
    const entities = await add(projectId, page("a"), page("b", "a"), page("c", "b"));
    const [a, , c] = entities.map(({ id }) => id);
    expect((await call(projectId, "delete_entities", { ids: [c, a] })).done).toMatch(/^Delete/);
    expect((await call(projectId, "list_entities", { kinds: ["document"] })).total).toBe(0);
  });

  test("a placeholder is not written over the secret", async () => {
    const projectId = await start();
    const entities = await add(projectId, task("Keys", { body: "the key" }));
    const update = { id: entities[0]?.id, body: "[secret:api-key:0a1b2c3d]" };
    await expect(call(projectId, "update_entities", { updates: [update] })).rejects.toThrow(
      /placeholder for a redacted secret/,
    );
  });

  test("changes the project itself by its id", async () => {
    const projectId = await start("Dock");
    const update = (set: object) => call(projectId, "update_entities", { updates: [{ id: projectId, ...set }] });
    expect((await update({ title: "Wharf", instructions: "Answer briefly." })).entities).toMatchObject([
      { title: "Wharf", version: 2 },
    ]);
    expect(await call(projectId, "get_entity", {})).toMatchObject({
      title: "Wharf",
      instructions: "Answer briefly.",
      version: 2,
    });
    await expect(update({ title: "x", version: 1 })).rejects.toThrow(/changed since version 1/);
    await expect(update({ state: "done" })).rejects.toThrow(/"active" or "archived"/);
    await update({ state: "archived" });
    expect((await call(projectId, "list_entities", { kinds: ["project"], words: "wharf" })).total).toBe(0);
    expect(
      (await call(projectId, "list_entities", { kinds: ["project"], states: ["archived"] })).entities,
    ).toMatchObject([{ title: "Wharf" }]);
  });

  test("large writes need approval; instructions count as remembered", () => {
    const many = { entities: Array.from({ length: 13 }, (_, n) => task(`${n}`)) };
    const { approvalReason, remembers } = desk.find("create_entities");
    const known = { question: "", memory: new Map<string, string>() };
    expect(approvalReason!(many)).toMatchObject({ text: "It writes 13 entities at once." });
    expect(approvalReason!({ entities: many.entities.slice(0, 12) })).toBeUndefined();
    expect(remembers!(many, known)).toBe(false);
    expect(remembers!({ entities: [{ kind: "project", title: "x", instructions: "y" }] }, known)).toBe(true);
    expect(desk.find("update_entities").remembers!({ updates: [{ id: "p", instructions: "y" }] }, known)).toBe(true);
    expect(desk.find("update_entities").approvalReason!({ updates: many.entities })).toMatchObject({
      text: expect.stringMatching(/13/) as string,
    });
    expect(desk.find("link_entities").approvalReason!({ links: many.entities })).toMatchObject({
      text: expect.stringMatching(/13/) as string,
    });
  });

  test("a plan based on rows that changed concurrently fails to commit", async () => {
    const projectId = await start();
    const [stone] = await add(projectId, task("Stone"));
    const set = (title: string) => ({ updates: [{ id: stone!.id, title }] });
    const stale = await desk.plan("update_entities", set("First"), { projectId });
    await call(projectId, "update_entities", set("Second"));
    const [result] = await bench.store().commit([{ events: [], writes: stale.commit!.writes }]);
    expect(result).toMatchObject({ ok: false });
  });
});
