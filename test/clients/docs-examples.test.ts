import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { say, startInstance } from "../support/instance.ts";

/** The examples of docs/api.md, run as they are, against another address. That of the typed client is in package-client.test.ts. */
const root = join(import.meta.dirname, "../..");
const guide = readFileSync(join(root, "docs/api.md"), "utf8");

function readExample(heading: string, language: string): string {
  const [, section = ""] = guide.split(`\n## ${heading}\n`);
  const [, example] = section.split("\n## ")[0]!.split(`\`\`\`${language}\n`);
  if (example === undefined) throw new Error(`"${heading}" has no example.`);
  return example.split("\n```")[0]!;
}

type Run = { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string };

async function run(program: string, args: readonly string[], { env = {}, cwd = root }: Run = {}) {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end();
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { out, err, code: code as number | null };
}

const start = () =>
  startInstance({
    env: { STONECHAT_MODEL: "scripted/script" },
    script: () => say("It is a hard rock. Its name: lark."),
  });

test.each([
  ["OpenAI", "output_text"],
  ["MCP", "structuredContent.answer"],
])("the example for %s prints an answer", async (heading, result) => {
  const { url } = await start();
  const example = readExample(heading, "ts").replaceAll("http://127.0.0.1:3737", url);
  expect(example).toContain(url);
  const code = `${example}\nconsole.log(${result});\nprocess.exit();`;
  expect(await run(process.execPath, ["--input-type=module-typescript", "--eval", code])).toMatchObject({
    out: expect.stringContaining("It is a hard rock."),
    code: 0,
  });
});

test("the commands for the terminal run as they are written", async () => {
  const { url } = await start();
  const folder = mkdtempSync(join(tmpdir(), "stonechat-guide-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const command = join(folder, "stonechat");
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "cli/main.ts")}" "$@"\n`);
  chmodSync(command, 0o755);
  writeFileSync(join(folder, "changes.patch"), "+ granite");
  const env = { STONECHAT_URL: url, PATH: [folder, process.env["PATH"]].join(delimiter) };
  // An import needs a file of another program; its command is in cli.test.ts.
  const lines = readExample("Command line", "sh")
    .split("\n")
    .filter((line) => !line.includes(" import "));
  expect(lines.length).toBeGreaterThan(4);
  const answers: string[] = [];
  for (const line of lines) {
    const { out, err, code } = await run("sh", ["-c", line], { env, cwd: folder });
    expect(code, `${line}: ${err}`).toBe(0);
    if (line.includes("ask ")) answers.push(out);
  }
  expect(answers).toEqual([
    expect.stringContaining("It is a hard rock."),
    expect.stringContaining('"It is a hard rock.'),
  ]);
});
