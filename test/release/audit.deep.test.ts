import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

type Audit = {
  readonly message?: string;
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string }>>;
};

/** `npm audit` needs a registry that serves advisories, and many mirrors do not. */
function audit(): Audit {
  const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
    ...{ cwd: join(import.meta.dirname, "../.."), encoding: "utf8", timeout: 120_000 },
  });
  return stdout.startsWith("{") ? (JSON.parse(stdout) as Audit) : { message: "npm audit printed no result." };
}

test("D20: npm audit finds no advisory of a production dependency", (context) => {
  const { message, vulnerabilities } = audit();
  if (!vulnerabilities) return context.skip(`The registry serves no advisories: ${message ?? "no reason given"}`);
  const found = Object.entries(vulnerabilities).map(([name, { severity }]) => `${name}: ${severity}`);
  expect(found).toEqual([]);
});
