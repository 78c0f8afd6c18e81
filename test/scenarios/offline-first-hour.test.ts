import { expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { startInstance } from "../support/instance.ts";

test("the built-in model says what it is, and creates a project with a task from one sentence", async () => {
  const instance = await startInstance({ env: { STONECHAT_OFFLINE_PACE_MS: "0" } });
  const threadId = await instance.start({ model: "offline/stone" });
  const live = instance.follow(threadId);
  const lastText = () => textOf(live.view().messages.at(-1)?.parts ?? []);
  await instance.send(threadId, "Write me a haiku about birds");
  await live.ended();
  expect(lastText()).toContain("[Connect a model](/settings/models)");
  await instance.send(threadId, "Start a project called Garden and add a task to buy seeds");
  await live.ended(2);
  expect(lastText()).toMatch(/The project \*\*Garden\*\* was created\.[\s\S]*\*\*buy seeds\*\* \(task\)/);
  const { projects } = await instance.client.listProjects({});
  expect(projects.map(({ name }) => name)).toEqual(["Garden"]);
  const { entities } = await instance.client.listEntities({ params: { projectId: projects[0]?.id ?? "" } });
  expect(entities.map(({ kind, title }) => `${kind} ${title}`)).toEqual(["task buy seeds"]);

  // The thread is in no project, so the change names it.
  const listTasks = async () => {
    const params = { projectId: projects[0]?.id ?? "" };
    return (await instance.client.listEntities({ params, query: {} })).entities.map(({ state }) => state);
  };
  await instance.send(threadId, "mark the task buy seeds as done");
  await live.ended(3);
  expect(await listTasks()).toEqual(["done"]);
  await instance.send(threadId, "delete the task buy seeds");
  // The tool has to be looked for, in a result that is too long to be sent whole.
  const findAsking = ({ messages }: ReturnType<typeof live.view>) =>
    messages.at(-1)?.parts.find((part) => part.kind === "tool" && part.state === "asking");
  const asking = findAsking(await live.until((view) => findAsking(view) !== undefined));
  expect(asking).toMatchObject({ name: "delete_entities" });
});
