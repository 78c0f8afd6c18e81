import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer, type ServerProcess } from "../../support/server-process.ts";
import type { StoreFault } from "../../support/server/faulty-stores.ts";
import { asNode, startAudit } from "./audit.ts";

/** Two servers on one PostgreSQL database, with the audit trigger and a short lease, so that a takeover takes seconds. */
export type Nodes = {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly all: readonly [ServerProcess, ServerProcess];
  readonly byName: (name: string) => ServerProcess;
  readonly close: () => Promise<void>;
};

export const LEASE_MS = 1_000;

const names = ["node-a", "node-b"] as const;

export async function startNodes(databaseUrl: string, fault?: StoreFault): Promise<Nodes> {
  const dataDir = mkdtempSync(join(tmpdir(), "stonechat-nodes-"));
  const start = (name: string): Promise<ServerProcess> =>
    startServer({
      dataDir,
      databaseUrl: asNode(databaseUrl, name),
      env: { STONECHAT_LEASE_MS: String(LEASE_MS) },
      spare: true,
      ...(fault ? { fault } : {}),
    });
  const first = await start(names[0]);
  await startAudit(databaseUrl);
  const second = await start(names[1]);
  return {
    databaseUrl,
    dataDir,
    all: [first, second],
    byName: (name) => (name === names[0] ? first : second),
    close: async () => {
      await Promise.all([first.close(), second.close()]);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export const other = ({ all: [first, second] }: Nodes, node: ServerProcess): ServerProcess =>
  node === first ? second : first;

/** Reads a gauge of `/metrics`. */
export async function readMetric({ url }: ServerProcess, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^\\w*${name}\\S* (\\S+)$`, "m").exec(text)?.[1] ?? Number.NaN);
}
