import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createApiClient } from "../../protocol/api-client.ts";
import {
  createFolder,
  makeFolder,
  pack,
  removeFolder,
  root,
  run,
  runWell,
  openInstalled,
} from "../support/release/packed.ts";

const files = join(root, "test/files/made");
let folder = "";
let tarball = "";
/** The unpacked package, in a node_modules folder, where Node runs no TypeScript. Its packages are the clone's. */
let unpacked = "";

beforeAll(async () => {
  folder = makeFolder();
  tarball = await pack(folder);
  unpacked = join(folder, "node_modules/stonechat");
  mkdirSync(unpacked, { recursive: true });
  await runWell("tar", ["-xzf", tarball, "-C", unpacked, "--strip-components=1"]);
});
afterAll(() => removeFolder(folder));

const install = () => openInstalled([process.execPath, join(unpacked, "scripts/stonechat.js")], createFolder());

const listFiles = (place: string, at = ""): readonly string[] =>
  readdirSync(join(place, at), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? listFiles(place, join(at, entry.name)) : [join(at, entry.name)],
  );

test("the package has the built page, compiled code and no sources, tests or development tools", () => {
  const files = listFiles(unpacked);
  expect(files.filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"))).toEqual([]);
  expect(files.filter((path) => /\.test\./.test(path))).toEqual([]);
  expect([...new Set(files.map((path) => path.split("/")[0]))].toSorted()).toEqual(
    ["LICENSE", "README.md", "dist", "package.json", "scripts"].toSorted(),
  );
  for (const path of ["dist/web/index.html", "dist/web/third-party-notices.txt", "dist/server/main.js"])
    expect(files).toContain(path);
  for (const path of ["dist/cli/main.js", "dist/client/api-client.d.ts", "dist/server/tools/web/extract/forest.txt"])
    expect(files).toContain(path);
  const bytes = statSync(tarball).size;
  console.log(`The package has ${files.length} files and ${(bytes / 1e6).toFixed(1)} MB.`);
  expect(bytes).toBeLessThan(10e6);
  const texts = files.filter((path) => /\.(js|json|md|txt|html|css)$/.test(path));
  expect(texts.filter((path) => readFileSync(join(unpacked, path), "utf8").includes(root))).toEqual([]);
});

/** Packages that compiled code imports, by a name in quotes. */
const listImports = (code: string): readonly string[] =>
  [
    ...code.matchAll(
      /^(?:import|export)\b[^"'=;()]*?(?:from)?\s*["']([^"'.][^"']*)["']|\bimport\(\s*["']([^"'.][^"']*)["']\)/gm,
    ),
  ].map(([, first = "", second = ""]) => (/^(@[^/]+\/)?[^/]+/.exec(first || second) ?? [""])[0]);

test("compiled code imports only packages that the package depends on", () => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8")) as {
    readonly [kind: string]: Readonly<Record<string, string>>;
  };
  const allowed = new Set([...Object.keys({ ...dependencies, ...optionalDependencies }), ...builtinModules]);
  const code = listFiles(join(unpacked, "dist")).filter((path) => path.endsWith(".js") && !path.startsWith("web/"));
  const imported = new Map(
    code.flatMap((path) =>
      listImports(readFileSync(join(unpacked, "dist", path), "utf8")).map((name) => [name, path] as const),
    ),
  );
  expect(imported.size).toBeGreaterThan(25);
  expect([...imported].filter(([name]) => !name.startsWith("node:") && !allowed.has(name))).toEqual([]);
  // Controls: what the check must find.
  expect(listImports('import { test } from "vitest";\nconst v = await import("vite/x");')).toEqual(["vitest", "vite"]);
  expect(allowed.has("vitest")).toBe(false);
});

test("the preview's packages are dependencies, so that a workspace compiles without development packages", async () => {
  const { packages } = await import("../../server/workspace/preview/packages.ts");
  const { dependencies } = JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  // scheduler comes with react-dom.
  expect(Object.keys(packages).filter((name) => name !== "scheduler" && !(name in dependencies))).toEqual([]);
});

test("every command works, data is private and survives a restart", async () => {
  const { stonechat, start, url, home } = await install();
  const data = join(home, ".stonechat/data");
  expect(await stonechat(["ask", "Hello"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("No Stonechat server"),
  });
  const first = await start();
  const client = createApiClient({ baseUrl: url });

  const asked = await stonechat(["ask", "What is 6 * 7?"]);
  expect(asked).toMatchObject({ code: 0, out: expect.stringContaining("42") });
  const threads = await stonechat(["threads"]);
  expect(threads).toMatchObject({ code: 0, out: expect.stringContaining("6 * 7") });
  const chatted = await stonechat(["chat", "--continue"], { input: "And 6 * 8?\n" });
  expect(chatted).toMatchObject({ code: 0, out: expect.stringContaining("48") });
  expect(await stonechat(["doctor"])).toMatchObject({ code: 0, out: expect.stringContaining("and is ready") });
  expect((await stonechat(["config"])).out).toMatch(new RegExp(`STONECHAT_DATA +${data} +default`));
  const { threads: listed } = await client.listThreads({});
  const { receipts } = await client.listReceipts({ params: { threadId: listed[0]?.id ?? "" } });
  expect(receipts.length).toBeGreaterThan(0);
  expect(await stonechat(["receipt", receipts[0]?.id ?? "", "--verify"])).toMatchObject({
    code: 0,
    out: expect.stringContaining("verified"),
  });
  expect((await fetch(url)).headers.get("content-type")).toContain("text/html");

  expect(await first.stop()).toBe(0);
  expect(await stonechat(["compact"])).toMatchObject({ code: 0, out: expect.stringContaining("rewritten") });
  expect(await stonechat(["reset-link", "ada@example.com"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("Stonechat cannot create a reset link"),
  });
  for (const help of ["--help", "help"])
    expect(await stonechat([help])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^ {2}doctor +check the setup/m),
    });
  // It must not start the server, rewrite the database or anything else.
  for (const name of ["start", "compact", "reset-link", "backup", "restore", "move", "storage"])
    expect(await stonechat([name, "--help"])).toEqual({
      code: 0,
      out: expect.stringMatching(`^stonechat ${name}.* {4}.+\n$`),
      err: "",
    });
  expect((await stonechat(["--version"])).out).toMatch(/^stonechat: \d+\.\d+\.\d+\n$/);
  expect(await stonechat(["nonsense"])).toMatchObject({ code: 1, err: expect.stringContaining("Use one of start") });

  const names = [data, join(home, ".stonechat"), ...readdirSync(data).map((name) => join(data, name))];
  const modes = names.map((path) => [path, statSync(path).isDirectory() ? 0o700 : 0o600, statSync(path).mode & 0o777]);
  expect(modes.length).toBeGreaterThan(4);
  expect(modes.filter(([, wanted, mode]) => mode !== wanted)).toEqual([]);

  const second = await start();
  expect((await stonechat(["threads", "show", listed[0]?.id ?? ""])).out).toContain("42");
  expect(await second.stop()).toBe(0);
});

test("worker threads, child processes, optional packages and the preview's compiler work", async () => {
  const { start, url } = await install();
  const running = await start();
  const client = createApiClient({ baseUrl: url });
  const upload = async (name: string) =>
    client.uploadAttachment({ query: { name }, body: new Uint8Array(readFileSync(join(files, name))) });
  for (const name of ["minutes.lo.docx", "letter.lo.pdf", "scan.rotated.pdf"]) {
    expect((await upload(name)).characters, name).toBeGreaterThan(50);
  }
  for (const name of ["photo.heic", "photo.lzw.tiff"]) {
    const { id: attachmentId, width } = await upload(name);
    expect(width, name).toBeGreaterThan(50);
    const picture = await fetch(`${url}/api/attachments/${attachmentId}/pages/1`);
    expect(picture.headers.get("content-type"), name).toBe("image/jpeg");
  }

  await client.createProject({ body: { id: "site", name: "Site" } });
  const app = `import { format } from "date-fns"; import clsx from "clsx"; import { create } from "zustand"; import { Bird } from "lucide-react";
    export default function App() { return <p className={clsx("a", create)}>{format(new Date(0), "yyyy")}<Bird /></p>; }`;
  await client.writeFiles({
    params: { projectId: "site" },
    body: { id: "write", ops: [{ do: "write", path: "App.tsx", was: null, text: app }] },
  });
  const { url: preview } = await client.openPreview({ params: { projectId: "site" }, body: {} });
  const page = await (await fetch(new URL(preview, url))).text();
  const modules = [...page.matchAll(/src="([^"]+\.js)"/g)].map(([, path = ""]) => new URL(path, new URL(preview, url)));
  const code = await Promise.all(modules.map(async (one) => (await fetch(one)).text()));
  // React's development build and the rest.
  expect(Math.max(...code.map(({ length }) => length))).toBeGreaterThan(500_000);
  expect(await running.stop()).toBe(0);
});

test("the server that a shell starts in the background continues when the shell ends", async () => {
  const { stonechat, url, home } = await install();
  const script = `nohup "${process.execPath}" "${join(unpacked, "scripts/stonechat.js")}" > log 2>&1 &
    echo $!; until grep -q ready log; do sleep 0.1; done`;
  const port = new URL(url).port;
  const env = { HOME: home, STONECHAT_PORT: port, npm_lifecycle_event: undefined };
  const pid = Number(await runWell("sh", ["-c", script], { cwd: home, env }));
  onTestFinished(() => void run("kill", [String(pid)]));
  // The shell has ended. The launcher would notice that within 0.1 seconds; each command takes longer.
  for (const _ of ["first", "second", "third"]) expect((await stonechat(["threads"])).code).toBe(0);
  process.kill(pid, "SIGTERM");
  await expect.poll(async () => (await stonechat(["threads"])).code).toBe(1);
});

test(".env is read from the package's folder in the home, and from nowhere else", async () => {
  const { stonechat, home } = await install();
  writeFileSync(join(home, ".env"), "STONECHAT_MAX_STEPS=7\n");
  const env = { STONECHAT_OFFLINE_PACE_MS: undefined };
  expect((await stonechat(["config"], { env })).out).toMatch(/STONECHAT_MAX_STEPS +not set/);
  writeFileSync(join(home, ".stonechat/.env"), "STONECHAT_MAX_STEPS=8\n");
  expect((await stonechat(["config"], { env })).out).toMatch(/STONECHAT_MAX_STEPS +8 +\.env/);
});

test.each(["20.20.2", "22.12.0"])("on Node %s the command says what to install", async (version) => {
  const pretend = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`;
  const ended = await run(process.execPath, ["--import", pretend, join(unpacked, "scripts/stonechat.js")], {
    env: { HOME: createFolder() },
  });
  expect(ended).toMatchObject({ code: 1, out: "" });
  expect(ended.err).toBe(
    `stonechat: this is Node ${version}, and Stonechat needs Node 24 or newer. Install it from nodejs.org and run the command again.\n`,
  );
});

test("the built page contains no package with a copyleft license", () => {
  const notices = readFileSync(join(unpacked, "dist/web/third-party-notices.txt"), "utf8");
  const licenses = readLicenses(notices);
  expect(licenses.length).toBeGreaterThan(100);
  expect(licenses.filter(isCopyleft)).toEqual([]);
  // Controls: elkjs and a choice between two licenses.
  expect(readLicenses("x\n\nelkjs 0.9.3\nEPL-2.0\n\ntext").filter(isCopyleft)).toHaveLength(1);
  expect(isCopyleft({ name: "dompurify 3", license: "(MPL-2.0 OR Apache-2.0)" })).toBe(false);
  expect(isCopyleft({ name: "x 1", license: "GPL-3.0 AND MIT" })).toBe(true);
});

type License = { readonly name: string; readonly license: string };

function readLicenses(notices: string): readonly License[] {
  const [first = "", ...rest] = notices.split(`\n${"-".repeat(80)}\n`);
  return [first.slice(first.indexOf("\n\n")), ...rest].map((text) => {
    const [name = "", license = ""] = text.trim().split("\n");
    return { name, license };
  });
}

/** A choice counts as the better license. */
const isCopyleft = ({ license }: License): boolean =>
  license.split(/ OR /).every((one) => /\b(?:A?GPL|LGPL|MPL|EPL|CDDL|EUPL|SSPL|OSL|CC-BY-SA|CC-BY-NC)/.test(one));
