import { pino } from "pino";
import type { PasswordCost } from "./accounts/accounts.ts";
import { findMode } from "./accounts/mode.ts";
import type { Config } from "./config/config.ts";
import { loadInstanceKey } from "./config/instance-key.ts";
import { VERSION } from "./config/version.ts";
import { createMetrics } from "./http/metrics.ts";
import { systemClock, type Clock } from "./lib/clock.ts";
import { systemIds } from "./lib/ids.ts";
import { limitRepeats } from "./lib/limit-repeats.ts";
import { createSeal } from "./lib/seal.ts";
import { createLog } from "./log/log.ts";
import { createFetch } from "./net/fetch.ts";
import { createStream } from "./net/open-stream.ts";
import type { Failpoint } from "./run/run-context.ts";
import type { Store } from "./store/contract.ts";
import { openStore } from "./store/open.ts";
import { logSlow } from "./store/slow-log.ts";
import { openTelemetry } from "./telemetry/open-telemetry.ts";
import type { Tool } from "./tools/tool.ts";

export type Extras = {
  /** Tools in addition to the built-in ones; for tests. */
  readonly tools?: readonly Tool[];
  readonly failpoint?: (name: Failpoint) => void;
  /** Replaced by tests that set the clock. */
  readonly clock?: Clock;
  /** Wraps the store; for crash tests. */
  readonly wrapStore?: (store: Store) => Store;
  /** For tests: cheaper password hashes. */
  readonly passwordCost?: PasswordCost;
  /** For tests: additional trusted certificates of push services, as PEM. */
  readonly pushCa?: string;
  /** For tests: another folder of a built page. */
  readonly webDir?: string;
};

export type Platform = Omit<Awaited<ReturnType<typeof openPlatform>>, "config">;

/** Logging, clock, database, encryption and outgoing connections. */
export async function openPlatform(given: Config, extras: Extras) {
  const logger = pino({ level: given.logLevel });
  const report = (err: unknown, repeats: number) => logger.error({ err, repeats }, "A background task failed.");
  const onNote = (note: string) => logger.warn({}, note);
  const clock = extras.clock ?? systemClock;
  const onError = limitRepeats(report, clock);
  const opened = await openStore({
    directory: given.dataDir,
    databaseUrl: given.databaseUrl,
    report: (level, message) => logger[level]({}, message),
  });
  const wrapped = extras.wrapStore?.(opened) ?? opened;
  const onSlow = (fields: object) => logger.warn(fields, "A database query was slow.");
  const slowLog = { thresholdMs: given.slowQueryMs, clock, report: onSlow };
  const store = given.slowQueryMs === 0 ? wrapped : logSlow(wrapped, slowLog);
  const metrics = createMetrics(clock.monotonic);
  const config = await findMode(given, store, onNote);
  const outgoing = { userAgent: `Stonechat/${VERSION} (+self-hosted)`, clock, proxy: config.tools.proxy ?? null };
  const { allowPrivate } = config.tools;
  return {
    ...{ config, logger, onError, onNote, clock, store, outgoing },
    ids: systemIds,
    log: createLog({ store, clock, onError, onDuration: metrics.onCommit, isOnlyNode: store.kind === "sqlite" }),
    metrics,
    telemetry: await openTelemetry(config.telemetry, { ...outgoing, onNote, version: VERSION }),
    seal: createSeal(loadInstanceKey(config.dataDir, config.secretKey, onNote)),
    modelStream: createStream({
      ...outgoing,
      proxy: config.models.proxy ?? outgoing.proxy,
      allowPrivate: config.models.allowPrivate,
    }),
    mcpStream: createStream({ ...outgoing, allowPrivate: allowPrivate.mcp }),
    pushStream: createStream({
      ...{ ...outgoing, allowPrivate: allowPrivate.push },
      ...(extras.pushCa === undefined ? {} : { ca: extras.pushCa }),
    }),
    fetch: createFetch({ ...outgoing, allowPrivate: allowPrivate.scrape, allowPrivateSearch: allowPrivate.search }),
  };
}
