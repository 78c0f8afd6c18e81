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
});
