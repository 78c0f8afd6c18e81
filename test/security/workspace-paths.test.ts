import fc from "../support/fast-check.ts";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix, win32 } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../server/lib/clock.ts";
import { createLog, type Log } from "../../server/log/log.ts";
import { createCatalog, type Catalog } from "../../server/tools/catalog.ts";
import { loadTools } from "../../server/tools/load-tools.ts";
import { readZip } from "../support/project/read-zip.ts";
import { toolContext, toolDeps } from "../support/server/tool-context.ts";
import { makeFolder, startTestServer, type TestServer } from "./start-test-server.ts";
import { origin } from "./test-app.ts";

const attempts = process.env["STONECHAT_DEEP"] === "1" ? 50_000 : 4_000;
/** A workspace holds so many files; another one takes the next. */
const PER_PROJECT = 150;

/** Names of which some systems take several for one. */
const variant = fc.constantFrom(
  "a",
  "A",
  "b",
  "src",
  "SRC",
  "App.tsx",
  "app.TSX",
  "é",
  "e\u0301",
  "É",
  "ﬁ",
  "fi",
  "ß",
  "ss",
  "İ",
  "i",
  "ı",
  "K",
  "\u212A",
  "ς",
  "Σ",
);
const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: variant,
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "..",
      ".",
      "",
      "~",
      "CON",
      "nul.txt",
      "aux",
      "COM1",
      "LPT¹",
      "a.",
      "a ",
      " a",
      "GIT~1",
      ".git",
      ".GIT",
      ".g\u200Cit",
      "node_modules",
      ".env",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "\u0000",
      "\n",
      "\u202E",
      "\u200B",
      "\uFEFF",
      "\u00A0",
      "\u2028",
      "\uD800",
      "\uDC00",
      "a\u0000b",
      "%2e%2e",
      "%00",
      "..%2f",
      "\u2024\u2024",
      "．．",
      "／",
      "＼",
      "\uFE0F",
      "\u{E0041}",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "C:",
      "c:x",
      "\\\\?\\C:",
      "\\\\server\\share",
      "file:",
      "a:b",
      "a*b",
      "a?b",
      'a"b',
      "<a>",
      "a|b",
      "x".repeat(130),
      "日".repeat(100),
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
);
const hostile = fc
  .tuple(
    fc.constantFrom("", "", "", "", "/", "./", "../", "\\", "C:/", "//"),
    fc.array(piece, { minLength: 1, maxLength: 5 }),
    fc.constantFrom("/", "/", "/", "/", "\\", "//"),
  )
  .map(([before, parts, by]) => before + parts.join(by));
/** Some are there again and again, so that something is found to be read and deleted. */
const somePath = fc.oneof(
  { weight: 6, arbitrary: hostile },
  { weight: 3, arbitrary: fc.array(variant, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/")) },
  { weight: 1, arbitrary: fc.constantFrom("a", "b", "é", "src/App.tsx") },
);
const way = fc.constantFrom(
  "route write",
  "route rename",
  "write_file",
  "rename_file",
  "view_file",
  "delete_file",
  "route get",
);

describe("paths and names of a workspace", () => {
  let testServer: TestServer;
  let log: Log;
  let catalog: Catalog;
  let outside: string;
  let data: string;
  const projects: string[] = [];
  let count = 0;

  beforeAll(async () => {
    outside = await mkdtemp(join(tmpdir(), "stonechat-outside-"));
    await writeFile(join(outside, "canary"), "still here");
    data = await makeFolder();
    testServer = await startTestServer(data);
    log = createLog({ store: testServer.store, clock: systemClock, onError: () => {} });
    catalog = createCatalog(await loadTools(toolDeps));
  });
  afterAll(async () => {
    await log.close();
    await testServer.close();
    await rm(outside, { recursive: true, force: true });
  });

  /** A file to be renamed, another after each that was. */
  let movable = { path: "", hash: "" };
  const addMovable = async (projectId: string): Promise<void> => {
    const op = { do: "write", path: `from-${count}.txt`, was: null, text: "moves" } as const;
    const body = { id: `movable-${projectId}-${count}`, ops: [op] };
    const [file] = (await testServer.asUser("local").writeFiles({ params: { projectId }, body })).files;
    movable = { path: op.path, hash: file!.hash };
  };
  const openProject = async (): Promise<string> => {
    const projectId = `paths-${projects.length}`;
    projects.push(projectId);
    await testServer.asUser("local").createProject({ body: { id: projectId, name: "Paths" } });
    await addMovable(projectId);
    return projectId;
  };
  const request = (path: string, body?: object): Promise<Response> =>
    testServer.app.fetch(
      new Request(`${origin}/api/projects/${path}`, {
        method: body ? "POST" : "GET",
        headers: { authorization: "local", "content-type": "application/json" },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    );
  /** Whether the request succeeded. A failure that is not a rejection is a bug. */
  const byRoute = async (path: string, body?: object): Promise<boolean> => {
    const response = await request(path, body);
    const text = await response.text();
    expect(response.status, text).toBeLessThan(500);
    return response.ok;
  };
  const byTool = async (projectId: string, name: string, input: object): Promise<boolean> => {
    const tool = catalog.find(name)!;
    const parsed = tool.input.safeParse(input);
    if (!parsed.success) return false;
    const context = toolContext({ userId: "local", projectId, read: testServer.store.read, key: `k${count}` });
    const result = await tool.execute(parsed.data, context).catch((error: Error) => {
      expect(["Error", "ApiError"], error.stack ?? "").toContain(error.name);
      return null;
    });
    if (!result?.commit) return result !== null;
    return result.commit.writes.length === 0 || (await log.commit(result.commit)).ok;
  };

  const attempt = async (projectId: string, how: string, path: string): Promise<boolean> => {
    count += 1;
    const id = `act-${count}`;
    const write = (given: string) => ({ id, ops: [{ do: "write", path: given, was: null, text: `${count}` }] });
    const moved = async (isDone: boolean): Promise<boolean> => {
      if (isDone) await addMovable(projectId);
      return isDone;
    };
    switch (how) {
      case "route write":
        return byRoute(`${projectId}/files`, write(path));
      case "route rename": {
        const op = { do: "rename", path: movable.path, was: movable.hash, to: path };
        return moved(await byRoute(`${projectId}/files`, { id, ops: [op] }));
      }
      case "route get":
        return byRoute(`${projectId}/file?path=${encodeURIComponent(path.toWellFormed())}`);
      case "write_file":
        return byTool(projectId, how, { file_path: path, content: `${count}` });
      case "rename_file":
        return moved(await byTool(projectId, how, { original_file_path: movable.path, new_file_path: path }));
      default:
        return byTool(projectId, how, { file_path: path });
    }
  };

  test(`${attempts} hostile paths by tools and routes leave only names that mean one file everywhere`, async () => {
    const done = new Map<string, number>();
    let [projectId, left] = [await openProject(), PER_PROJECT];
    await fc.assert(
      fc.asyncProperty(way, somePath, async (how, path) => {
        if (await attempt(projectId, how, path)) {
          done.set(how, (done.get(how) ?? 0) + 1);
          left -= 1;
        }
        if (left <= 0) [projectId, left] = [await openProject(), PER_PROJECT];
      }),
      { numRuns: attempts, endOnFailure: true },
    );
    for (const how of [
      "route write",
      "route rename",
      "route get",
      "write_file",
      "rename_file",
      "view_file",
      "delete_file",
    ])
      expect(done.get(how) ?? 0, how).toBeGreaterThan(10);
    let names = 0;
    for (const one of projects) {
      const { files } = await testServer.asUser("local").listFiles({ params: { projectId: one } });
      checkNames(files.map(({ path }) => path));
      names += files.length;
    }
    expect(names).toBeGreaterThan(attempts / 50);
    expect(await readdir(outside)).toEqual(["canary"]);
    expect(
      (await readdir(data, { recursive: true })).filter((name) => !/^(?:stonechat\.db|journal)/.test(name)),
    ).toEqual([]);
  }, 300_000);

  test("the archive contains all written files under their names and unpacks inside its folder", async () => {
    for (const projectId of projects) {
      const { files } = await testServer.asUser("local").listFiles({ params: { projectId } });
      const response = await request(`${projectId}/archive`);
      expect(response.headers.get("content-disposition")).toBe('attachment; filename="Paths.zip"');
      const entries = await readZip(Buffer.from(await response.arrayBuffer()));
      const archived = files.filter(({ path }) => !/(^|\/)(\.git|git~1|\.svn|\.hg|\.ssh)(\/|$)/i.test(path));
      expect(entries.map(({ path }) => path)).toEqual(archived.map(({ path }) => path));
      const folder = join(outside, projectId);
      for (const { path, bytes } of entries) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), bytes, { flag: "wx" });
      }
      const unpacked = await readdir(folder, { recursive: true, withFileTypes: true });
      expect(unpacked.filter((entry) => entry.isFile()).length).toBe(entries.length);
    }
    expect(await readdir(outside)).toEqual(["canary", ...projects].toSorted());
  });

  test("control: the name checker finds bad names", () => {
    for (const bad of [
      ["../a"],
      ["/a"],
      ["a\\b"],
      ["C:a"],
      ["e\u0301"],
      ["A", "a"],
      ["é", "É"],
      ["a", "a/b"],
      ["x\u202Ey"],
      ["a."],
      ["con"],
    ])
      expect(() => checkNames(bad), bad.join()).toThrow();
    checkNames(["a/b", "a/c", "é"]);
  });

  test("archives of another user and of an unknown project are not found", async () => {
    for (const [user, projectId] of [
      ["bob", projects[0]],
      ["local", "nowhere"],
      ["local", "%2e%2e"],
    ] as const) {
      const response = await testServer.app.fetch(
        new Request(`${origin}/api/projects/${projectId}/archive`, { headers: { authorization: user } }),
      );
      expect(response.status).toBe(404);
    }
  });
});

/** An independent check of names by the rules of three operating systems. */
function checkNames(paths: readonly string[]): void {
  for (const path of paths) {
    expect(posix.resolve("/root", path), path).toBe(`/root/${path}`);
    expect(win32.resolve("C:\\root", path), path).toBe(`C:\\root\\${path.replaceAll("/", "\\")}`);
    expect(path.normalize("NFC")).toBe(path);
    expect(path).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>:"|?*\\]/u);
    for (const part of path.split("/")) {
      expect(part).not.toMatch(/[. ]$/);
      expect(part).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i);
      expect(Buffer.byteLength(part)).toBeLessThanOrEqual(255);
    }
  }
  const folders = paths.flatMap((path) =>
    path
      .split("/")
      .slice(1)
      .map((_, n) =>
        path
          .split("/")
          .slice(0, n + 1)
          .join("/"),
      ),
  );
  const all = [...paths, ...new Set(folders)];
  const collator = new Intl.Collator("en", { sensitivity: "accent", usage: "search" });
  for (const fold of [
    (name: string) => name.normalize("NFC").toLowerCase(),
    (name: string) => name.normalize("NFD").toUpperCase(),
    (name: string) => name.normalize("NFKC").toLowerCase(),
  ])
    expect(new Set(all.map(fold)).size).toBe(all.length);
  const sorted = all.toSorted(collator.compare);
  const merged = sorted.filter(
    (name, n) =>
      n > 0 &&
      name.normalize("NFC").localeCompare(sorted[n - 1]!.normalize("NFC"), "en", { sensitivity: "accent" }) === 0 &&
      name.length === sorted[n - 1]!.length,
  );
  expect(merged.filter((name) => /^[\p{L}\p{N}/. -]+$/u.test(name))).toEqual([]);
}
