import { expect, test } from "vitest";
import { createFullCatalog } from "../tools/catalog.ts";
import { tool } from "../../test/support/server/loop-tools.ts";
import { openCatalog } from "./open-catalog.ts";

test("a shared thread gets no tools that belong to one user, and no memory tools", async () => {
  const personal = { ...tool({ name: "my_mail" }), isPersonal: true as const };
  const catalog = createFullCatalog([tool({ name: "lookup" }), personal, tool({ name: "working_memory" })]);
  const open = async (isShared: boolean) => {
    const preferences = { memory: !isShared, disabledTools: [] };
    const { find } = await openCatalog(
      { catalogOf: async () => catalog },
      { ownerId: "u", isTemporary: false, isShared, preferences },
    );
    return ["lookup", "my_mail", "working_memory"].map((name) => find(name) !== undefined);
  };
  expect(await open(true)).toEqual([true, false, false]);
  expect(await open(false)).toEqual([true, true, true]);
});
