import { expect, test } from "vitest";
import { toTerms } from "../rank/terms.ts";
import type { Reads } from "../store/contract.ts";
import { searchProjects } from "./search-projects.ts";

type File = Awaited<ReturnType<Reads["fileTexts"]>>[number];

const search = async (files: readonly File[], q: string, limit = 30) => {
  let asked = 0;
  const read = {
    projectsOf: async () => [{ id: "p" }],
    projectsWith: async () => [],
    findEntities: async () => [],
    fileTexts: async (within: { limit: number }, skip: number) => {
      asked += 1;
      return files.slice(skip, skip + within.limit);
    },
  } as unknown as Reads;
  const query = { q, limit, archived: "false" as const };
  const hits = await searchProjects(read, { userId: "ann" }, query, toTerms(q));
  return { paths: hits.map(({ title }) => title), asked };
};
const file = (path: string, body: string): File => ({ project: "p", path, body, updated_at: 1 });

test("matches whole words in files, and the last word as a prefix", async () => {
  const files = [
    file("a.ts", "const granite = 'Hard Stone';"),
    file("b.ts", "stonework"),
    file("c.md", "Größe und Stein"),
  ];
  expect((await search(files, "hard sto")).paths).toEqual(["a.ts"]);
  expect((await search(files, "har stone")).paths).toEqual([]);
  expect((await search(files, "stone")).paths).toEqual(["a.ts", "b.ts"]);
  expect((await search(files, "Größe")).paths).toEqual(["c.md"]);
  expect((await search(files, "b")).paths).toEqual(["b.ts"]);
});

test("reads files until there are enough hits or a limit is reached", async () => {
  const files = Array.from({ length: 1000 }, (_, n) => file(`${n}.txt`, "stone"));
  expect((await search(files, "stone", 5)).asked).toBe(1);
  expect((await search(files, "nowhere")).asked).toBe(25);
  const long = files.map(({ path }) => file(path, "x".repeat(250_000)));
  expect((await search(long, "nowhere")).asked).toBe(1);
});
