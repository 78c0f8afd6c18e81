import { expect, test } from "vitest";
import { call, mintId, say } from "../../support/instance.ts";
import { tool } from "../../support/server/loop-tools.ts";
import { describeOnBoth, type Start } from "./on-both.ts";

const tell = async (start: Start) => {
  let step = 0;
  const instance = await start({
    tools: [
      tool({
        name: "look",
        execute: async (_, context) => {
          context.saveArtifact({
            kind: "page",
            title: "On olivine",
            type: "text/plain",
            text: "Green olivine is in the mantle.",
          });
          return { output: "kept" };
        },
      }),
    ],
    script: () => (step++ === 0 ? call({ name: "look", input: "{}" }) : say("It says that olivine is green.")),
  });
  const { client } = instance;
  await client.createProject({ body: { id: "quarry", name: "Quarry" } });
  const op = { do: "create" as const, id: "doc", kind: "document", title: "Olivine plan", body: "where olivine lies" };
  await client.act({ params: { projectId: "quarry" }, body: { id: mintId(), ops: [op] } });
  await client.writeFiles({
    params: { projectId: "quarry" },
    body: {
      id: mintId(),
      ops: [{ do: "write", path: "src/stones.ts", was: null, text: "export const olivine = 'green';" }],
    },
  });
  const chat = async (options: object) => {
    step = 0;
    const threadId = await instance.start(options);
    const live = instance.follow(threadId);
    await instance.send(threadId, "What is olivine?");
    await live.ended();
    live.close();
    return threadId;
  };
  const plain = await chat({});
  const inProject = await chat({ projectId: "quarry", profile: "assistant" });
  const find = async (query: object) => (await client.search({ query: { q: "olivine", ...query } })).hits;
  return { ...instance, plain, inProject, find };
};

describeOnBoth("search", (start) => {
  test("finds messages, artifacts and project content, each with a link target", async () => {
    const { find, plain, client } = await tell(start);
    const hits = await find({});
    const targets = hits.map(({ target }) => target);
    expect(targets).toContainEqual({ at: "entity", projectId: "quarry", entityId: "doc", kind: "document" });
    expect(targets).toContainEqual({ at: "file", projectId: "quarry", path: "src/stones.ts" });
    const fetched = hits.find(({ kind, thread }) => kind === "fetched" && thread?.id === plain);
    expect(fetched).toMatchObject({
      title: "On olivine",
      target: { at: "artifact", threadId: plain, ref: 1, messageId: fetched?.messageId },
      snippet: "Green olivine is in the mantle.",
    });
    const { messages } = await client.getThread({ params: { threadId: plain } });
    expect(messages.map(({ id }) => id)).toContain(fetched?.messageId);
    const artifact = await client.getArtifact({ params: { threadId: plain, ref: 1 } });
    expect(artifact.text).toContain("olivine");
    for (const { snippet, marks, title } of hits) {
      expect(marks.map(([from, to]) => snippet.slice(from, to).toLowerCase()).every((word) => word === "olivine")).toBe(
        true,
      );
      expect(title).not.toBe("");
    }
    const times = hits.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(await find({ limit: 2 })).toEqual(hits.slice(0, 2));
  });

  test("filters by kind, project, profile, time and archive", async () => {
    const { find, plain, inProject, client } = await tell(start);
    const kinds = async (query: object) => [...new Set((await find(query)).map(({ kind }) => kind))].toSorted();
    const threads = async (query: object) =>
      [...new Set((await find(query)).flatMap(({ thread }) => (thread ? [thread.id] : [])))].toSorted();
    expect(await kinds({})).toEqual(["fetched", "said", "written"]);
    expect(await kinds({ kind: "said" })).toEqual(["said"]);
    expect(await kinds({ kind: "fetched" })).toEqual(["fetched"]);
    expect(await kinds({ kind: "written" })).toEqual(["written"]);
    expect(await threads({})).toEqual([plain, inProject].toSorted());
    expect(await threads({ projectId: "quarry" })).toEqual([inProject]);
    expect(await kinds({ projectId: "quarry" })).toEqual(["fetched", "said", "written"]);
    expect(await threads({ profile: "assistant" })).toEqual([inProject]);
    expect(await kinds({ profile: "assistant" })).toEqual(["fetched", "said"]);
    expect(await threads({ profile: "research" })).toEqual([]);
    await client.changeThread({ params: { threadId: plain }, body: { id: mintId(), archived: true } });
    expect(await threads({ archived: "true" })).toEqual([plain]);
    expect(await threads({ archived: "false" })).toEqual([inProject]);
    const all = await find({});
    const [newest, oldest] = [all[0]!.at, all.at(-1)!.at];
    expect(await find({ from: newest + 1 })).toEqual([]);
    expect(await find({ to: oldest })).toEqual([]);
    expect(await find({ from: oldest, to: newest + 1 })).toHaveLength(all.length);
    expect((await find({ from: oldest, to: newest })).length).toBeLessThan(all.length);
    await expect(find({ projectId: "nowhere" })).rejects.toMatchObject({ code: "not-found" });
  });

  test("finds nothing from deleted threads and projects", async () => {
    const { find, plain, inProject, client } = await tell(start);
    await client.deleteThread({ params: { threadId: plain } });
    await client.deleteThread({ params: { threadId: inProject } });
    expect([...new Set((await find({})).map(({ kind }) => kind))]).toEqual(["written"]);
    await client.deleteProject({ params: { projectId: "quarry" } });
    expect(await find({})).toEqual([]);
  });
});
