import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import Database from "better-sqlite3";
import { openBackup, verifyBackup } from "../../../server/backup/open-backup.ts";
import { fill, lookTool, toolScript } from "../../support/backup/contents.ts";
import { withCompileCache } from "../../support/server/child.ts";
import { createFolder, mustRun, runCommand, type Environment } from "../../support/server/run-command.ts";
import { createInstance } from "../../support/instance.ts";

/** Each test starts many processes, which takes long on a busy machine. */
vi.setConfig({ testTimeout: 600_000 });

const PASSPHRASE = "a passphrase for tests";
const encrypted = { STONECHAT_BACKUP_PASSPHRASE: PASSPHRASE } as const;
const FLIPS = process.env["STONECHAT_DEEP"] === "1" ? 400 : 40;

let home = "";
/** Two backups of one database: a single file without encryption, and a folder with it. */
let [plainFile, cipherFile, cipherFolder, dataDir] = ["", "", "", ""];
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "stonechat-damage-"));
  dataDir = join(home, "data");
  [plainFile, cipherFile, cipherFolder] = ["plain.backup", "cipher.backup", "folder"].map((name) =>
    join(home, name),
  ) as [string, string, string];
  const instance = await createInstance({ tools: [lookTool], script: toolScript, dataDir });
  await fill(instance, 2);
  await instance.leave();
  const env = { STONECHAT_DATA: dataDir };
  await mustRun(["backup", plainFile], env);
  await mustRun(["backup", cipherFile], { ...env, ...encrypted });
  await mustRun(["backup", cipherFolder], { ...env, ...encrypted });
}, 600_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Runs `restore`, which must refuse with one sentence and leave the target as it is. */
async function refuse(backup: string, env: Environment = {}): Promise<string> {
  const target = createFolder();
  const { code, err, out } = await runCommand(["restore", backup], { STONECHAT_DATA: target, ...env });
  expect({ code, left: readdirSync(target) }).toEqual({ code: 1, left: [] });
  expect(err).toMatch(/^Stonechat cannot restore the backup: .+\.\n$/);
  return err + out;
}

const check = async (path: string, passphrase: string | null): Promise<string> => {
  try {
    const backup = openBackup(path, passphrase);
    try {
      await verifyBackup(backup);
    } finally {
      await backup.close();
    }
    return "accepted";
  } catch (error) {
    return (error as Error).message;
  }
};

test("a wrong passphrase, none, and one that is too short are refused", async () => {
  for (const backup of [cipherFile, cipherFolder]) {
    expect(await refuse(backup, { STONECHAT_BACKUP_PASSPHRASE: "not the passphrase" })).toContain(
      "The passphrase does not match",
    );
    expect(await refuse(backup)).toContain("is encrypted. Set STONECHAT_BACKUP_PASSPHRASE");
  }
  expect(await runCommand(["restore", cipherFile], { STONECHAT_BACKUP_PASSPHRASE: "short" })).toMatchObject({
    code: 1,
    err: expect.stringContaining("must have at least 12 characters"),
  });
  const file = join(createFolder(), "passphrase");
  writeFileSync(file, `${PASSPHRASE}\n`);
  await mustRun(["restore", cipherFile], { STONECHAT_DATA: createFolder(), STONECHAT_BACKUP_PASSPHRASE_FILE: file });
});

describe.each(["plain", "encrypted"])("a single file, %s", (kind) => {
  const passphrase = kind === "plain" ? null : PASSPHRASE;
  const count = kind === "plain" ? FLIPS : FLIPS / 4;
  const copy = (): { path: string; bytes: Buffer } => {
    const path = join(createFolder(), "copy.backup");
    return { path, bytes: readFileSync(kind === "plain" ? plainFile : cipherFile) };
  };

  test("is refused with any bit flipped, and accepted without", async () => {
    const { path, bytes } = copy();
    writeFileSync(path, bytes);
    expect(await check(path, passphrase)).toBe("accepted");
    const answers = new Set<string>();
    for (let n = 0; n < count; n += 1) {
      const at = Math.floor(((n + 0.5) / count) * bytes.length);
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (n % 8));
      writeFileSync(path, flipped);
      answers.add((await check(path, passphrase)).replace(/\(.+\)/, "(where)"));
    }
    expect([...answers]).toEqual(["The backup copy.backup is damaged or incomplete (where). Use another backup."]);
  });

  test("is refused if it is truncated anywhere", async () => {
    const { path, bytes } = copy();
    for (let n = 0; n < count; n += 1) {
      writeFileSync(path, bytes.subarray(0, Math.floor((n / count) * bytes.length)));
      expect(await check(path, passphrase)).toMatch(/is damaged or incomplete|is not a backup of Stonechat/);
    }
    for (const missing of [1, 8, 9, 40]) {
      writeFileSync(path, bytes.subarray(0, bytes.length - missing));
      expect(await check(path, passphrase)).toMatch(/is damaged or incomplete/);
    }
  });

  test("the command says so and leaves the target empty", async () => {
    const { path, bytes } = copy();
    const env: Environment = passphrase === null ? {} : encrypted;
    bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    expect(await refuse(path, env)).toContain("is damaged or incomplete");
    truncateSync(path, bytes.length - 5_000);
    expect(await refuse(path, env)).toContain("is damaged or incomplete");
  });
});

describe("a folder", () => {
  const copy = () => {
    const folder = join(createFolder(), "copy");
    cpSync(cipherFolder, folder, { recursive: true });
    const chunks = readdirSync(join(folder, "chunks"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    const manifest = join(folder, readdirSync(folder).find((name) => name.endsWith(".backup")) ?? "");
    return { folder, chunks: chunks.toSorted(), manifest };
  };

  test("is refused if a chunk is missing, changed, short or exchanged, and accepted otherwise", async () => {
    const { folder, chunks } = copy();
    expect(chunks.length).toBeGreaterThan(10);
    expect(await check(folder, PASSPHRASE)).toBe("accepted");
    const [one = "", other = ""] = chunks;
    const bytes = readFileSync(one);
    const changes = [
      () => rmSync(one),
      () => writeFileSync(one, bytes.subarray(0, -1)),
      () => writeFileSync(one, Buffer.concat([bytes, Buffer.from("x")])),
      () => writeFileSync(one, readFileSync(other)),
      () => writeFileSync(one, ""),
    ];
    for (const change of changes) {
      change();
      expect(await check(folder, PASSPHRASE)).toMatch(/is damaged or incomplete \(chunk [0-9a-f]{12}\)/);
      writeFileSync(one, bytes);
    }
    expect(await check(folder, PASSPHRASE)).toBe("accepted");
  });

  test("is refused if its list of tables is of another backup", async () => {
    const { folder, manifest } = copy();
    const [line, sum] = readFileSync(manifest, "utf8").split("\n");
    const head = Buffer.byteLength(`${line}\n${sum}\n`);
    await mustRun(["backup", folder], { STONECHAT_DATA: dataDir, ...encrypted });
    const newest =
      readdirSync(folder)
        .filter((name) => name.endsWith(".backup"))
        .toSorted()
        .at(-1) ?? "";
    const sealed = readFileSync(manifest).subarray(head);
    const bytes = readFileSync(join(folder, newest));
    writeFileSync(join(folder, newest), Buffer.concat([bytes.subarray(0, bytes.length - sealed.length), sealed]));
    expect(await refuse(folder, encrypted)).toContain("is damaged or incomplete (its list of tables)");
  });

  test("a damaged chunk is noticed by the next backup, and the one after it repairs the earlier ones", async () => {
    const { folder, chunks, manifest } = copy();
    const longest = chunks.toSorted((a, b) => readFileSync(b).length - readFileSync(a).length)[0] ?? "";
    writeFileSync(longest, "damaged");
    const env = { STONECHAT_DATA: dataDir, ...encrypted };
    const { code, err } = await runCommand(["backup", folder], env);
    expect(code).toBe(1);
    expect(err).toContain("was damaged and has been removed. Check the disk, then run the backup again.");
    expect(readdirSync(folder).filter((name) => name.endsWith(".backup"))).toHaveLength(1);
    await mustRun(["backup", folder], env);
    expect(await check(manifest, PASSPHRASE)).toBe("accepted");
  });

  test("a half-made backup is not used, and an unreadable one does not stop the next", async () => {
    const { folder, manifest } = copy();
    writeFileSync(`${manifest}.part`, "half");
    writeFileSync(join(folder, "stonechat-2020-01-01T00-00-00-000Z.backup"), "nonsense");
    expect(await check(folder, PASSPHRASE)).toBe("accepted");
    await mustRun(["backup", folder], { STONECHAT_DATA: dataDir, ...encrypted });
    expect(await check(folder, PASSPHRASE)).toBe("accepted");
  });
});

test("other files and paths are refused", async () => {
  const folder = createFolder();
  const picture = join(folder, "picture.backup");
  writeFileSync(picture, Buffer.alloc(200_000, 7));
  expect(await refuse(picture)).toContain("is not a backup of Stonechat");
  expect(await refuse(join(folder, "nowhere"))).toContain("No backup found at");
  expect(await refuse(folder)).toContain("has no backups");
});

test("a backup of a newer version is refused", async () => {
  const folder = createFolder();
  cpSync(join(dataDir, "stonechat.db"), join(folder, "stonechat.db"));
  const newer = new Database(join(folder, "stonechat.db"));
  newer.prepare("update meta set value = '9999' where key = 'version'").run();
  newer.close();
  const { code, err } = await runCommand(["backup", join(folder, "a.backup")], { STONECHAT_DATA: folder });
  expect(code).toBe(1);
  expect(err).toContain("schema version 9999, made by a newer Stonechat");
  expect(existsSync(join(folder, "a.backup"))).toBe(false);
  const plain = join(createFolder(), "newer.backup");
  const bytes = readFileSync(plainFile);
  const end = bytes.indexOf(10);
  const { createHash } = await import("node:crypto");
  const line = bytes.toString("utf8", 0, end).replace('"v":1', '"v":2');
  const rest = bytes.subarray(bytes.indexOf(10, end + 1) + 1);
  const sum = createHash("sha256").update(line).digest("hex");
  writeFileSync(plain, Buffer.concat([Buffer.from(`${line}\n${sum}\n`), rest]));
  expect(await refuse(plain)).toContain("was made by a newer Stonechat. Restore it with that version.");
});

const canMount = (): boolean =>
  process.platform === "linux" &&
  spawnSync("unshare", ["-Urm", "sh", "-c", 'mount -t tmpfs none "$0"', tmpdir()]).status === 0;

test.skipIf(!canMount())("a full disk: the command says so, and no backup is left", () => {
  const folder = createFolder();
  const list = `"$@"; code=$?; ls -R "$0"; exit $code`;
  const { status, stdout, stderr } = spawnSync(
    "unshare",
    [
      ...["-Urm", "sh", "-c", `mount -t tmpfs -o size=100k none "$0" && ${list}`, folder],
      ...[process.execPath, "server/main.ts", "backup", folder],
    ],
    { encoding: "utf8", env: { PATH: process.env["PATH"] ?? "", ...withCompileCache, STONECHAT_DATA: dataDir } },
  );
  expect(status).toBe(1);
  expect(stderr).toContain("is full. Free some space, or choose another folder.");
  expect(stdout).not.toMatch(/\.backup$/m);
  renameSync(folder, `${folder}-gone`);
  rmSync(`${folder}-gone`, { recursive: true });
});
