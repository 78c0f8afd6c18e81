import { describe, expect, onTestFinished, test } from "vitest";
import { createInstance, mintId, type Instance } from "../../support/instance.ts";
import { findPostgres } from "../../support/postgres-binaries.ts";
import { createDatabase } from "../../support/postgres.ts";
import { toolParts } from "../../support/server/loop-tools.ts";
import { createFiles, toScript, type Call, type Turn } from "./build.ts";

const ROUNDS = 5;
const places = ["first", "second"];

/** Each run adds a line below its mark and a new file with every step. */
const toTurn = (name: string): Turn =>
  Array.from({ length: ROUNDS }, (_, n): readonly Call[] => [
    ["replace_lines", { file_path: "shared.ts", search: `// ${name}`, replace: `// ${name}\n${name}_${n}();` }],
    ["write_file", { file_path: `${name}/${n}.ts`, content: `${n}\n` }],
  ]);

describe.skipIf(!findPostgres())("two nodes on one PostgreSQL", () => {
  const startNode = async (url: string): Promise<Instance> => {
    const env = { STONECHAT_DATABASE_URL: url };
    const instance = await createInstance({ env, script: toScript(places.map(toTurn)) });
    onTestFinished(instance.close);
    return instance;
  };

  test("two runs edit one file concurrently, no edit is lost, and all are in the versions", async () => {
    const url = await createDatabase();
    const nodes = [await startNode(url), await startNode(url)] as const;
    const [{ client }] = nodes;
    const projectId = mintId("project");
    await client.createProject({ body: { id: projectId, name: "Site" } });
    const files = createFiles(nodes[0], projectId);
    await files.write("shared.ts", "// first\n\n// second\n");
    const lives = await Promise.all(
      nodes.map(async ({ start, send, follow }, at) => {
        const threadId = await start({ profile: "builder", projectId });
        const live = follow(threadId);
        await send(threadId, `turn ${at}`);
        return live;
      }),
    );
    for (const live of lives) expect((await live.ended()).outcome).toBe("done");
    for (const live of lives)
      expect(toolParts(live).map(({ state, errorText }) => errorText ?? state)).toEqual(Array(ROUNDS * 2).fill("ok"));
    const lines = (name: string) => Array.from({ length: ROUNDS }, (_, n) => `${name}_${ROUNDS - 1 - n}();`).join("\n");
    const seen = createFiles(nodes[1], projectId);
    expect(await seen.text("shared.ts")).toBe(`// first\n${lines("first")}\n\n// second\n${lines("second")}\n`);
    expect(await seen.list()).toHaveLength(1 + ROUNDS * 2);
    expect((await seen.acts()).filter(({ author }) => author.by === "run")).toHaveLength(ROUNDS * 4);
  });

  test("a file written on one node can be edited on the other in the next step", async () => {
    const url = await createDatabase();
    const nodes = [await startNode(url), await startNode(url)] as const;
    const projectId = mintId("project");
    await nodes[0].client.createProject({ body: { id: projectId, name: "Site" } });
    const [here, there] = [createFiles(nodes[0], projectId), createFiles(nodes[1], projectId)];
    const { files } = await here.write("a.ts", "1\n");
    expect(await there.text("a.ts")).toBe("1\n");
    await there.write("a.ts", "2\n", files[0]!.hash);
    await expect(here.write("a.ts", "3\n", files[0]!.hash)).rejects.toMatchObject({ code: "conflict" });
    expect(await here.text("a.ts")).toBe("2\n");
  });
});
