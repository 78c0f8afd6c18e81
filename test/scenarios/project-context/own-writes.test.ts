import { describe, expect, test } from "vitest";
import type { PolicyName } from "../../../protocol/context/policy.ts";
import type { ContextMode } from "../../../protocol/project/project.ts";
import { mintId } from "../../support/instance.ts";
import { startRecordedInstance, type RecordedInstance, type Reply } from "../../support/model/recording-provider.ts";
import { findPostgres } from "../../support/postgres-binaries.ts";
import { createDatabase } from "../../support/postgres.ts";
import {
  actOn,
  create,
  withProject,
  startProjectInstance,
  readMetric,
  type ProjectInstance,
} from "../../support/project/project-instance.ts";

/** Writes of the run and of others, on any node, are in the next prompt in every mode. */
const modes: readonly ContextMode[] = ["global", "project", "focus", "ontology"];
const policies: readonly PolicyName[] = ["stone", "snapshot"];
const cases = policies.flatMap((policy) => modes.map((mode) => ({ policy, mode })));

type Scene = {
  readonly instance: ProjectInstance;
  readonly next: { reply: Reply; before?: () => Promise<void> }[];
  readonly others: readonly RecordedInstance[];
};

/** A instance whose model says what the case lines up, and "Done." when nothing is left. */
async function open(env: Readonly<Record<string, string>> = {}, isDouble = false): Promise<Scene> {
  const next: Scene["next"] = [];
  const reply = async (): Promise<Reply> => {
    const one = next.shift();
    await one?.before?.();
    return one?.reply ?? "Done.";
  };
  const first = await startProjectInstance({ reply, env });
  const others = isDouble ? [await startRecordedInstance({ reply, env })] : [];
  const instance = withProject(first, first.projectId, others);
  await instance.act(create("document", "d1", "Handbook"), create("goal", "g1", "Open the quay"));
  return { instance, next, others };
}

async function startIn({ instance }: Scene, policy: PolicyName, mode: ContextMode): Promise<string> {
  const threadId = await instance.start({
    projectId: instance.projectId,
    mode,
    ...(mode === "focus" ? { focusId: "d1" } : {}),
  });
  await instance.client.changeThread({ params: { threadId }, body: { id: mintId(), policy } });
  return threadId;
}

/** The data of the master prompt, or the whole prompt. */
const digestsOf = (words: string, policy: PolicyName): string =>
  policy === "snapshot" ? (/<work-data>\n(.*)\n<\/work-data>/s.exec(words)?.[1] ?? "") : words;

const writing = (title: string, { instance }: Scene): Reply => ({
  calls: [{ name: "create_entities", input: { project_id: instance.projectId, entities: [{ kind: "goal", title }] } }],
});

async function writeAndLook(scene: Scene, { policy, mode }: (typeof cases)[number]): Promise<void> {
  const { instance, next } = scene;
  const threadId = await startIn(scene, policy, mode);
  next.push({ reply: writing("Win the regatta", scene) });
  const steps = await instance.ask(threadId, "Add the goal to win the regatta to my project.");
  expect(steps).toHaveLength(2);
  expect(digestsOf(steps[0] ?? "", policy)).not.toContain("Win the regatta");
  expect(digestsOf(steps[1] ?? "", policy)).toContain("Win the regatta");
  // Under `stone` the call names it too; that it exists is in the result.
  expect(steps[1]).toContain("act_id");
  const [later = ""] = await instance.ask(threadId, "What did we do?");
  const added = policy === "snapshot" ? digestsOf(later, policy) : later.slice(steps[1]?.length);
  expect(added).toContain("Win the regatta");
  expect(added).toContain("this thread");
  for (const back of [0, 1, 2]) {
    const { id } = await instance.receiptOf(threadId, back);
    const built = await instance.client.getRequest({ params: { threadId, receiptId: id } });
    expect(built).toMatchObject({ verified: true, missing: [] });
  }
}

describe("on SQLite", () => {
  test.each(cases)("the model's writes are in the prompt of its next step and turn: $policy, $mode", async (one) => {
    const scene = await open();
    await writeAndLook(scene, one);
    expect(await readMetric(scene.instance.url, "prompt_prefix_breaks")).toBe(0);
  });
});

describe.skipIf(!findPostgres())("on PostgreSQL, with two nodes", () => {
  test.each(cases)("writes on this node or the other one are in the next prompt: $policy, $mode", async (one) => {
    const env = { STONECHAT_DATABASE_URL: await createDatabase() };
    const scene = await open(env, true);
    await writeAndLook(scene, one);

    const { instance, next, others } = scene;
    const everywhere = [instance, ...others];
    const threadId = await startIn(scene, one.policy, one.mode);
    await instance.ask(threadId, "Hello");
    next.push({
      // A write between two steps of one answer, by the node that does not drive it.
      before: async () => {
        const other = everywhere.find(({ sent }) => !sent().at(-1)?.text.includes("Which tasks are there?"));
        await actOn(other!.client, instance.projectId, create("goal", mintId("goal"), "Buy the island"));
      },
      reply: { calls: [{ name: "list_entities", input: { project_id: instance.projectId, kinds: ["task"] } }] },
    });
    const [first = "", second = ""] = await instance.ask(threadId, "Which tasks are there?");
    expect(first).not.toContain("Buy the island");
    // Under stone, changes by others come with the user's next message; the snapshot policy rebuilds its prompt at each step.
    expect(second.includes("Buy the island")).toBe(one.policy === "snapshot");
    const [later = ""] = await instance.ask(threadId, "And now?");
    const digests = digestsOf(later, one.policy);
    expect(digests).toContain("Buy the island");
    expect(digests).toContain("the user");
    for (const { url } of everywhere) expect(await readMetric(url, "prompt_prefix_breaks")).toBe(0);
  });
});
