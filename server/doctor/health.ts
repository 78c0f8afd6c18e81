import type { Health, HealthProblem } from "../../protocol/account/health.ts";
import type { Provider } from "../../protocol/settings/providers.ts";
import type { Config } from "../config/config.ts";
import { VERSION } from "../config/version.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { Clock } from "../lib/clock.ts";
import type { Store } from "../store/contract.ts";
import { judgeSpace, readBackupState, readFreeBytes } from "./measure.ts";
import { LOST_AFTER_MS, type Nodes } from "./nodes.ts";

type Options = {
  readonly config: Pick<Config, "dataDir" | "backup" | "signIn">;
  readonly store: Pick<Store, "kind" | "read">;
  readonly clock: Clock;
  readonly nodes: Nodes;
  readonly jobs: Pick<Jobs, "stats">;
  readonly providers: { readonly list: () => Promise<{ readonly providers: readonly Provider[] }> };
  /** As `/readyz`. */
  readonly check: () => Promise<{ readonly ok: boolean; readonly why?: string }>;
};

/** Due jobs start within seconds. Later than this, something keeps them from starting. */
const LATE_MS = 10 * 60_000;

/** The state of the server for admins. It is read when it is requested, so it costs nothing otherwise. */
export const createHealth =
  ({ config, store, clock, nodes, jobs, providers, check }: Options) =>
  async (): Promise<Health> => {
    const now = clock.now();
    const [ready, counts, queue, found, { providers: all }] = await Promise.all([
      check(),
      store.read.instanceCounts(),
      store.read.jobQueue(now),
      nodes.list(),
      providers.list(),
    ]);
    const backups = readBackupState(config.backup, now);
    const diskFreeBytes = readFreeBytes(config.dataDir);
    const failing = all.flatMap(({ id, label, isReady, lastTest }) =>
      isReady && lastTest !== null && lastTest.outcome !== "ok" ? [{ id, label, ...toFailure(lastTest) }] : [],
    );
    const listed = found.map((node) => ({
      ...node,
      isThis: node.id === nodes.id,
      isLost: now - node.seenAt > LOST_AFTER_MS,
    }));
    const hasMail = config.signIn.mail !== null;
    const problems: readonly (HealthProblem | null)[] = [
      ready.ok ? null : toProblem("not-ready", "problem", { name: ready.why ?? "" }),
      ...findSpaceProblems(diskFreeBytes),
      ...findBackupProblems(backups),
      ...failing.map(({ label, at }) => toProblem("provider-failing", "problem", { name: label, at })),
      ...queue
        .filter(({ dueAt }) => dueAt !== null && now - dueAt > LATE_MS)
        .map(({ kind, dueAt }) => toProblem("jobs-late", "warning", { name: kind, at: dueAt })),
      jobs.stats().failed > 0 ? toProblem("jobs-failed", "warning", { count: jobs.stats().failed }) : null,
      ...listed.flatMap(({ host, version, seenAt, isLost }) => {
        if (isLost) return [toProblem("node-lost", "warning", { name: host, at: seenAt })];
        return version === VERSION ? [] : [toProblem("node-version", "warning", { name: `${host} (${version})` })];
      }),
      hasMail ? null : toProblem("no-mail", "note"),
    ];
    return {
      version: VERSION,
      runtime: process.version.slice(1),
      startedAt: nodes.startedAt,
      now,
      isReady: ready.ok,
      problems: order.flatMap((level) => problems.filter((one) => one !== null).filter((one) => one.level === level)),
      database: { kind: store.kind, bytes: counts.databaseBytes, diskFreeBytes },
      nodes: listed,
      backups,
      jobs: queue.map(({ kind, waiting, running }) => ({ kind, waiting, running })),
      runs: { active: counts.runsActive, waiting: counts.runsWaiting, queued: counts.inputsQueued },
      providers: failing,
      hasMail,
    };
  };

const order = ["problem", "warning", "note"] as const;

const toProblem = (
  code: HealthProblem["code"],
  level: HealthProblem["level"],
  more: Partial<Pick<HealthProblem, "name" | "at" | "count">> = {},
): HealthProblem => ({ code, level, name: "", at: null, count: 0, ...more });

const toFailure = ({ text, sentences, at }: NonNullable<Provider["lastTest"]>) => ({
  ...{ text, at },
  ...(sentences ? { sentences } : {}),
});

function findSpaceProblems(freeBytes: number | null): readonly HealthProblem[] {
  const space = freeBytes === null ? "ok" : judgeSpace(freeBytes);
  if (space === "full") return [toProblem("disk-full", "problem")];
  return space === "low" ? [toProblem("disk-low", "warning")] : [];
}

function findBackupProblems(backups: Health["backups"]): readonly HealthProblem[] {
  if (backups === null) return [toProblem("no-backups", "warning")];
  const { lastAt, isOverdue, isEncrypted } = backups;
  return [
    ...(lastAt === null ? [toProblem("no-backup-yet", "warning")] : []),
    ...(isOverdue ? [toProblem("backup-overdue", "problem", { at: lastAt })] : []),
    ...(isEncrypted ? [] : [toProblem("backup-open", "warning")]),
  ];
}
