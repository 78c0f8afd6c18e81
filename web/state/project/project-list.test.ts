import { expect, test } from "vitest";
import type { Project } from "../../../protocol/project/project.ts";
import { createProjectList } from "./project-list.ts";

const project = (id: string, part: Partial<Project> = {}): Project => ({
  id,
  name: id,
  description: "",
  instructions: "",
  archived: false,
  version: 1,
  seq: 1,
  createdAt: 1,
  updatedAt: 1,
  ...part,
});

function open(active: readonly Project[], archived: readonly Project[] = []) {
  let asked = 0;
  const list = createProjectList({
    listProjects: async ({ query }) => {
      asked += 1;
      return { projects: [...(query?.archived === "true" ? archived : active)] };
    },
  });
  return { list, names: () => list.state.get().projects.map(({ name }) => name), count: () => asked };
}

test("loads projects once, sorted by last update", async () => {
  const { list, names, count } = open([project("a"), project("b", { updatedAt: 5 })], [project("c", { updatedAt: 3 })]);
  await Promise.all([list.load(), list.load()]);
  expect(names()).toEqual(["b", "c", "a"]);
  expect(list.state.get().phase).toBe("ready");
  expect(count()).toBe(2);
});

test("does not revert a streamed change by an older response", async () => {
  const { list, names } = open([project("a"), project("b")]);
  list.apply({ type: "project-changed", projectId: "a", project: project("a", { name: "renamed", version: 2 }) });
  list.apply({ type: "project-changed", projectId: "b", project: null });
  await list.load();
  expect(names()).toEqual(["renamed"]);
});

test("loads again after a failure", async () => {
  let isDown = true;
  const list = createProjectList({
    listProjects: async () => {
      if (isDown) throw new TypeError("fetch failed");
      return { projects: [] };
    },
  });
  await list.load();
  expect(list.state.get().phase).toBe("failed");
  isDown = false;
  await list.load();
  expect(list.state.get().phase).toBe("ready");
});
