import { transform } from "esbuild";
import { expect, test } from "vitest";
import { toBuildFolders } from "./build-places.ts";

test("maps a compiled position to its source, without packages", async () => {
  const source = "type A = string;\n\nexport function f(a: A) {\n  return boom(a);\n}\n";
  const { code, map } = await transform(source, {
    loader: "ts",
    sourcemap: "external",
    sourcefile: "workspace:src/a.ts",
  });
  const { sources, lines } = toBuildFolders(map, 1);
  expect(sources).toEqual(["src/a.ts"]);
  const row = code.split("\n").findIndex((line) => line.includes("boom"));
  const column = code.split("\n")[row]?.indexOf("boom");
  const found = lines[row + 1]?.findLast(([at]) => at <= Number(column));
  expect(found?.slice(2)).toEqual([3, 9]);
  const packaged = await transform(source, { loader: "ts", sourcemap: "external", sourcefile: "node_modules/x/a.ts" });
  expect(toBuildFolders(packaged.map, 1)).toEqual({ sources: [""], lines: {} });
});
