import { rmSync } from "node:fs";
import { join } from "node:path";
import { packageScript, runQuietly } from "../program.js";
import { root, say, SetupProblem } from "../project.js";

/**
 * Builds the typed client that the package exports as `stonechat/client` into dist/client.
 * @param {import("../program.js").Runtime} runtime
 */
export async function buildClient(runtime) {
  say("building the client");
  rmSync(join(root, "dist/client"), { recursive: true, force: true });
  const { code, output } = await runQuietly(runtime, [
    packageScript("typescript/bin/tsc"),
    ...["-p", "protocol/tsconfig.client.json"],
  ]);
  if (code === 0) return;
  process.stderr.write(output);
  throw new SetupProblem("the client could not be built. The reason is shown above.");
}
