import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { readBackupState } from "./measure.ts";
import { checkBackupFolder, checkDataFolder } from "./check-data-folder.ts";
import { type Config } from "../config/config.ts";
import { checkInstanceKey, readInstanceKey } from "../config/instance-key.ts";
import { root } from "../lib/root.ts";
import { systemClock } from "../lib/clock.ts";
import { createLiveModels } from "../model/live-models.ts";
import { createStream } from "../net/open-stream.ts";
import { VERSION } from "../config/version.ts";
import { inspectStore, type InspectedStore } from "../store/inspect.ts";
import { formatBytes } from "../lib/format-bytes.ts";
import { ok, problem, warning, type Finding } from "./finding.ts";

/**
 * Checks the setup without changing it, while the server runs or not. Each finding that is not ok says what to do.
 */
export async function* examine(config: Config): AsyncGenerator<Finding> {
  yield* checkProgram();
  yield* checkDataFolder(config.dataDir);
  yield* await checkDatabase(config);
  yield* checkBackups(config);
  yield* await checkServer(config);
  yield* checkReach(config);
  yield* checkMcpFile(config.tools.mcpFile);
  yield* await checkProxies(config);
  yield* await checkKeys(config);
}

const LEAST_NODE = 24;
const page = join(root, "dist/web/index.html");
const optional: Readonly<Record<string, string>> = {
  "@hyzyla/pdfium": "pages of PDFs are not drawn as pictures, and scanned pages are not read",
  "libheif-js": "HEIC photos are refused",
  "tesseract-wasm": "scanned pages are not read",
  utif2: "TIFF scans are refused",
};

function* checkProgram(): Generator<Finding> {
  const { version } = process;
  const isRecent = Number(process.versions.node.split(".")[0]) >= LEAST_NODE;
  yield isRecent
    ? ok(`Stonechat ${VERSION} on Node ${version.slice(1)}`)
    : problem(`Node ${version.slice(1)} is too old`, `Install Node ${LEAST_NODE} or newer from nodejs.org.`);
  yield existsSync(page) ? ok("the page is built") : problem("the page is not built", "Run npm run build.");
  for (const [name, without] of Object.entries(optional)) {
    if (!isInstalled(name))
      yield warning(`the optional package ${name} is not installed: ${without}`, "Run npm install.");
  }
}

function isInstalled(name: string): boolean {
  try {
    return existsSync(new URL(import.meta.resolve(name)));
  } catch {
    return false;
  }
}

const MOST_CLOCK_DIFFERENCE_MS = 2_000;

async function checkDatabase({ dataDir, databaseUrl, secretKey }: Config): Promise<readonly Finding[]> {
  const name = databaseUrl === null ? "SQLite" : `PostgreSQL at ${new URL(databaseUrl).host}`;
  const askedAt = systemClock.now();
  let found: InspectedStore;
  try {
    found = await inspectStore({ directory: dataDir, databaseUrl });
  } catch (error) {
    const advice =
      databaseUrl === null
        ? "Check that this user may read it. If it is damaged, restore a backup."
        : "Check STONECHAT_DATABASE_URL, the network and that PostgreSQL runs.";
    return [problem(`${name} cannot be opened: ${(error as Error).message}`, advice)];
  }
  const { version, newest, bytes, server, damage } = found;
  if (damage !== undefined)
    return [
      problem(
        `${name} is damaged (${damage})`,
        "Stop the server, copy the data folder, check the disk and restore a backup.",
      ),
    ];
  if (version > newest)
    return [
      problem(
        `${name} has tables of version ${version}, but this Stonechat knows ${newest}`,
        "Start the newer Stonechat, or restore a backup of the older one.",
      ),
    ];
  const full = server ? `${name} (${server.version})` : name;
  const after = version < newest ? `; the next start migrates them to version ${newest}` : "";
  const findings = [
    version === 0
      ? ok(`${full} has no tables yet: the first start creates them`)
      : ok(`${full} has ${formatBytes(bytes)} and tables of version ${version}${after}`),
  ];
  findings.push(...checkKey(dataDir, secretKey, version > 0));
  if (!server) return findings;
  const answeredAt = systemClock.now();
  const differenceMs = Math.abs(server.clockMs - (askedAt + answeredAt) / 2) - (answeredAt - askedAt) / 2;
  if (differenceMs <= MOST_CLOCK_DIFFERENCE_MS)
    return [...findings, ok("the clocks of this machine and PostgreSQL agree")];
  const seconds = Math.round(differenceMs / 1000);
  return [
    ...findings,
    warning(`the clocks of this machine and PostgreSQL differ by ${seconds} s`, "Synchronize both with NTP."),
  ];
}

function checkKey(dataDir: string, secretKey: string | null, hasData: boolean): readonly Finding[] {
  const key = readInstanceKey(dataDir, secretKey);
  if (key === null && !hasData) return [];
  if (key === null)
    return [
      warning(
        "secret.key is missing: the next start makes another one, and cannot read stored provider keys",
        `Copy it from a backup to ${dataDir}, or enter the keys again.`,
      ),
    ];
  try {
    checkInstanceKey(key, secretKey === null ? "secret.key" : "STONECHAT_SECRET_KEY");
    return [];
  } catch (error) {
    return [problem((error as Error).message, "")];
  }
}

function* checkBackups({ backup, dataDir }: Config): Generator<Finding> {
  const { folder } = backup;
  const state = readBackupState(backup, systemClock.now());
  if (folder === null || state === null) return;
  yield* checkBackupFolder(folder, dataDir);
  const { lastAt, isOverdue, isEncrypted } = state;
  const hours = lastAt === null ? Infinity : Math.round((systemClock.now() - lastAt) / 3_600_000);
  if (lastAt === null)
    yield warning(
      `there is no backup in ${folder} yet`,
      "Look at the log of the server, or run `npx stonechat backup`.",
    );
  else if (isOverdue)
    yield problem(`the newest backup in ${folder} is ${hours} hours old`, "Look at the log of the server.");
  else yield ok(`the newest backup in ${folder} is ${hours} hours old`);
  if (!isEncrypted)
    yield warning("backups are not encrypted and contain the instance key", "Set STONECHAT_BACKUP_PASSPHRASE.");
}

async function checkServer({ host, port }: Config): Promise<readonly Finding[]> {
  if (port === 0) return [];
  const bare = host.replace(/^\[|\]$/g, "");
  const reach = bare === "0.0.0.0" ? "127.0.0.1" : bare === "::" ? "::1" : bare;
  const url = `http://${reach.includes(":") ? `[${reach}]` : reach}:${port}`;
  if (!(await canConnect(reach, port))) return [ok(`no server runs at ${url}`)];
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) });
    const body = await response.text();
    if (response.status === 200) return [ok(`a server runs at ${url} and is ready`)];
    if (response.status === 503 || body.includes('"ok"'))
      return [problem(`the server at ${url} is not ready: ${body.slice(0, 200)}`, "Look at its log.")];
  } catch {
    // Not HTTP, or no answer.
  }
  return [
    problem(
      `port ${port} is used by a program that is not Stonechat, or that does not answer`,
      "Stop it, or set STONECHAT_PORT.",
    ),
  ];
}

/** The database may have accounts, so this holds only without them. */
const WITHOUT_SIGN_IN =
  "as long as there are no accounts, every program that can connect to this server has full access, and so has everyone behind a proxy on this machine: " +
  "set STONECHAT_ACCOUNTS=on or STONECHAT_TOKEN before you put a proxy or a tunnel in front";

function* checkReach(config: Config): Generator<Finding> {
  const { hasPublicUrl, publicUrl, trustedProxies, hosts, token, accounts } = config;
  if (token === null && accounts !== "on") yield ok(WITHOUT_SIGN_IN);
  if (!hasPublicUrl) return;
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === "http:" && !/^(localhost|127\.|\[::1\])/.test(hostname))
    yield warning(
      `${publicUrl} is not encrypted`,
      "Put a proxy with a certificate in front, and use its https address.",
    );
  if (trustedProxies.length === 0 && protocol === "https:")
    yield warning(
      "no proxy is trusted: failed sign-ins of all users count for the proxy's address",
      "Set STONECHAT_TRUSTED_PROXIES to the proxy's address.",
    );
  if (!hosts.some((name) => name.replace(/:\d+$/, "") === hostname) && !/^(localhost|127\.|\[::1\])/.test(hostname))
    yield warning(
      `${hostname} is not an allowed host name`,
      `Add it to STONECHAT_HOSTS, unless the proxy changes Host.`,
    );
}

function* checkMcpFile(file: string | undefined): Generator<Finding> {
  if (file === undefined) return;
  try {
    const { mcpServers } = JSON.parse(readFileSync(file, "utf8")) as { mcpServers?: object };
    const count = Object.keys(mcpServers ?? {}).length;
    yield count === 0
      ? warning(`${file} lists no MCP servers`, 'Add them under "mcpServers".')
      : ok(`${file} lists ${count} MCP ${count === 1 ? "server" : "servers"}`);
  } catch (error) {
    yield problem(
      `${file} cannot be read: ${(error as Error).message}`,
      "Check STONECHAT_MCP and the JSON in the file.",
    );
  }
}

async function checkProxies({ tools, models }: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const proxy of new Set([tools.proxy, models.proxy])) {
    if (proxy === undefined) continue;
    const { hostname, port, protocol } = new URL(proxy);
    const number = Number(port || (protocol === "https:" ? 443 : 80));
    findings.push(
      (await canConnect(hostname.replace(/^\[|\]$/g, ""), number))
        ? ok(`the proxy ${hostname}:${number} accepts connections`)
        : problem(`the proxy ${hostname}:${number} cannot be reached`, "Check its address, and that it runs."),
    );
  }
  return findings;
}

/** Keys of the environment only: those set on the page are encrypted in the database. The page tests them. */
async function checkKeys(config: Config): Promise<readonly Finding[]> {
  const { keys, compatible } = config.models;
  const names = Object.entries(keys).flatMap(([name, key]) => (key === undefined ? [] : [name]));
  const configured = [...names, ...(compatible ? ["compatible"] : [])];
  if (configured.length === 0) return [ok("no keys of model providers in the environment")];
  const stream = createStream({
    userAgent: `Stonechat/${VERSION} (+self-hosted)`,
    clock: systemClock,
    proxy: config.models.proxy ?? config.tools.proxy ?? null,
    allowPrivate: config.models.allowPrivate,
  });
  const models = createLiveModels({ config: { ...config.models, refresh: false }, clock: systemClock, stream });
  const signal = AbortSignal.timeout(30_000);
  const findings = await Promise.all(
    configured.map(async (name) => {
      const test = await models.test(name, signal);
      if (test === undefined) return warning(`${name} is not set up completely`, "See the settings of this provider.");
      return test.outcome === "ok" ? ok(test.text) : problem(test.text, "");
    }),
  );
  models.close();
  return findings;
}

const canConnect = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 3_000 });
    const end = (can: boolean): void => {
      socket.destroy();
      resolve(can);
    };
    socket
      .on("connect", () => end(true))
      .on("error", () => end(false))
      .on("timeout", () => end(false));
  });
