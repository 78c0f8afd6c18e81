import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { installNode, nodePackages } from "./node-runtime.js";

const wanted = nodePackages[`${process.platform}-${process.arch}`];

test.skipIf(!wanted)("the Node that is fetched from npm has the pinned version and hash, or is refused", async () => {
  if (!wanted) return;
  const folder = mkdtempSync(join(tmpdir(), "stonechat-node-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const node = await installNode(join(folder, "good"), wanted);
  expect(execFileSync(node ?? "", ["--version"], { encoding: "utf8" })).toBe(`v${wanted.version}\n`);
  // Control: the hash of another package.
  const { integrity } = Object.values(nodePackages).find(({ name }) => name !== wanted.name) ?? wanted;
  expect(await installNode(join(folder, "changed"), { ...wanted, integrity })).toBeUndefined();
});
