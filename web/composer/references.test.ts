import { expect, test } from "vitest";
import type { EntityLine, Project } from "../../protocol/project/project.ts";
import type { FileLine } from "../../protocol/workspace/workspace.ts";
import { complete, filterSuggestions, findMention } from "./completion.ts";
import { toEntity, toFile, toProject } from "./references.ts";

const entity = { id: "k3f9", kind: "task", title: "Repair the boat", state: "open" } as EntityLine;
const project = { id: "p-1", name: "The “Harbour”\nplan", description: "" } as Project;
const file = (path: string) => ({ path, lines: 1 }) as FileLine;

test("inserts an entity with its title and id", () => {
  const text = "Is @rep done?";
  const mention = findMention(text, 7);
  expect(mention && complete(text, mention, toEntity(entity, "task, open"))).toEqual({
    text: "Is “Repair the boat” (task k3f9) done?",
    caret: 33,
  });
});

test("replaces quotes and line breaks in a name", () => {
  expect(toProject(project).insert).toBe('“The "Harbour" plan” (project p-1)');
});

test("inserts a path unchanged, quoted only if it contains spaces", () => {
  expect(toFile(file("src/app.tsx")).insert).toBe("src/app.tsx");
  expect(toFile(file("my notes.md")).insert).toBe("“my notes.md”");
});

test("finds paths and titles in any script", () => {
  expect(findMention("see @src/ap", 11)?.word).toBe("src/ap");
  expect(findMention("@Ангар", 6)?.word).toBe("Ангар");
  const all = [toFile(file("src/app.tsx")), toEntity({ ...entity, title: "Ангар" }, "")];
  expect(filterSuggestions(all, "app").map(({ name }) => name)).toEqual(["src/app.tsx"]);
  expect(filterSuggestions(all, "анг").map(({ name }) => name)).toEqual(["Ангар"]);
});
