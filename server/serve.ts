import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { userStream } from "../protocol/ids.ts";
import { createAuthentication, createSessions } from "./auth/authenticate.ts";
import type { Config } from "./config/config.ts";
import { loadInstanceKey } from "./config/instance-key.ts";
import { listSecrets } from "./config/config.ts";
import { VERSION } from "./config/version.ts";
import { createCosts } from "./cost/cost.ts";
import { createApp } from "./http/app.ts";
import { createHandlers } from "./http/handlers/handlers.ts";
import { createMetrics } from "./http/metrics.ts";
import { prepareUploads } from "./http/handlers/prepare-uploads.ts";
import { systemClock, type Clock } from "./lib/clock.ts";
import { systemIds } from "./lib/ids.ts";
import { systemRandom } from "./lib/random.ts";
import type { Closing } from "./lib/run-until-signal.ts";
import { createSeal } from "./lib/seal.ts";
import { createLog } from "./log/log.ts";
import { createFetch } from "./net/fetch.ts";
import { createStream } from "./net/open-stream.ts";
import { createMemory } from "./memory/memory.ts";
import { createJobs } from "./jobs/jobs.ts";
import { createProjects } from "./project/project.ts";
import { createLiveModels } from "./model/live-models.ts";
import { createAgentStates, findAgentState, renderStateOf } from "./memory/agent-state.ts";
import { createDigests } from "./project/digest.ts";
import { createRecall } from "./recall/recall.ts";
import { createContexts } from "./run/contexts.ts";
import type { Failpoint, RunDeps } from "./run/running.ts";
import { loadProfile } from "./run/own-profiles.ts";
import { createProfiles } from "./run/profiles.ts";
import { createLearnedWindows } from "./run/learned-windows.ts";
import { createSecrets } from "./run/secrets.ts";
import { createRunner } from "./run/runner.ts";
import { toThreadOptions, type Store } from "./store/contract.ts";
import { openStore } from "./store/open.ts";
import { createErasing } from "./account/erase.ts";
import { createExports } from "./account/export.ts";
import { createShares } from "./account/shares.ts";
import { createProfileSettings } from "./settings/profiles.ts";
import { createProviderSettings } from "./settings/providers.ts";
import { createAttachments } from "./thread/attachments/attachments.ts";
import { createDrafts } from "./thread/drafts.ts";
import { createReadMarks } from "./thread/read-marks.ts";
import { createTemporaryKind } from "./thread/temporary.ts";
import { createSummaries, createSummarizeTool } from "./summary/summary.ts";
import { createAdmit } from "./thread/admit.ts";
import { createThreads } from "./thread/threads.ts";
import { createCatalogs } from "./tools/catalog.ts";
import { openMcpServers } from "./tools/mcp/servers.ts";
import { loadTools } from "./tools/load-tools.ts";
import type { Tool } from "./tools/tool.ts";
import { createPreviews } from "./workspace/preview.ts";
import { checkPaths, createWorkspaces } from "./workspace/workspace.ts";

export type Server = {
  readonly url: string;
  readonly store: Store;
  /** For errors that no operation can report: logged with their stack. */
  readonly reportBug: (error: unknown, message: string) => void;
  /** Lets running answers finish within the grace (none unless given), hands over the others, then stops serving. */
  readonly close: (closing?: Closing) => Promise<void>;
};

type Extras = {
  /** Beside the built-in ones; for tests. */
  readonly tools?: readonly Tool[];
  readonly failpoint?: (name: Failpoint) => void;
  /** For tests that set the clock. */
  readonly clock?: Clock;
  /** Stands between the database and everything else; for the controls of crash tests. */
  readonly wrapStore?: (store: Store) => Store;
};

/** The wiring: the one place that knows every room. */
export async function serve(config: Config, extras: Extras = {}): Promise<Server> {
  const logger = pino({ level: config.logLevel });
  const onError = (error: unknown) => logger.error({ err: error }, "something failed in the background");
  const [clock, ids] = [extras.clock ?? systemClock, systemIds];
  const opened = await openStore({
    directory: config.dataDir,
    databaseUrl: config.databaseUrl,
    report: (level, message) => logger[level]({}, message),
  });
  const store = extras.wrapStore?.(opened) ?? opened;
  const log = createLog({ store, clock, onError });
  const outward = {
    userAgent: `Stonechat/${VERSION} (+self-hosted)`,
    clock,
    proxy: config.tools.proxy ?? null,
  };
  const { allowPrivate } = config.tools;
  const seal = createSeal(loadInstanceKey(config.dataDir, config.secretKey, (note) => logger.warn({}, note)));
  const models = createLiveModels({
    config: { ...config.models, refresh: true },
    clock,
    stream: createStream({ ...outward, allowPrivate: allowPrivate.model }),
    onNote: (note) => logger.warn({}, note),
  });
  const keys = createProviderSettings({
    ...{ store, log, seal, models, clock, onError },
    config: config.models,
    allowPrivate: config.tools.allowPrivate.model,
  });
  const known = () => [...listSecrets(config), ...keys.secrets()];
  const secrets = createSecrets({ seal, known });
  const costs = createCosts({ store, log, models, clock, budgets: config.budgets });
  const threads = createThreads({ store, log, models, clock, ids });
  const admit = createAdmit({ store, log, threads, models, clock });
  const projects = createProjects({ store, log, clock, checkPaths });
  const workspaces = createWorkspaces({ store, log, clock });
  const loaded = [...(await loadTools({ clock, ids, tools: config.tools })), ...(extras.tools ?? [])];
  const profiles = createProfiles(config.limits);
  const learnedWindows = createLearnedWindows({ clock, read: store.read });
  const summaries = createSummaries({
    store,
    log,
    models,
    clock,
    ids,
    findLearned: learnedWindows.find,
    reserveBudget: costs.reserve,
    policyOf: async (thread) =>
      toThreadOptions(thread).policy ?? (await loadProfile({ profiles, store }, thread.owner, thread.profile)).policy,
    wanted: config.models.summaries,
    wake: () => jobs.wake(),
    onError,
  });
  const own = [...loaded, createSummarizeTool(summaries)];
  const memory = createMemory({ store, log, clock });
  const attachments = createAttachments({ store, log, threads, clock, ids });
  const temporary = createTemporaryKind({ read: store.read, threads, clock, ids });
  const erasing = createErasing({ store, log, threads, projects, clock, ids, wake: () => jobs.wake() });
  const shares = createShares({ store, log, seal, threads, secrets, clock });
  const jobs = createJobs({
    read: store.read,
    log,
    clock,
    random: systemRandom,
    holder: ids.next(),
    kinds: [summaries.kind, erasing.kind, temporary, attachments.kind],
    isBusy: () => runner.stats().driving > 0,
    onError,
  });
  const fetch = createFetch({ ...outward, allowPrivate: allowPrivate.scrape, allowPrivateSearch: allowPrivate.search });
  const previews = createPreviews({
    ...{ store, log, seal, clock, ids, known },
    publicUrl: config.publicUrl,
  });
  const mcp = openMcpServers({
    file: config.tools.mcpFile,
    clock,
    stream: createStream({ ...outward, allowPrivate: allowPrivate.mcp }),
    read: store.read,
    log,
    seal,
    callbackUrl: `${config.publicUrl}/api/mcp/callback`,
    onNote: (note) => logger.warn({}, note),
  });
  const catalogOf = createCatalogs(own, mcp.tools);
  const recall = createRecall({ store, log, clock });
  const states = createAgentStates({ read: store.read, log });
  const runDeps: RunDeps = {
    store,
    log,
    models,
    catalogOf,
    fetch,
    clock,
    ids,
    random: systemRandom,
    profiles,
    secrets,
    failpoint: extras.failpoint ?? (() => {}),
    checkBudget: costs.check,
    reserveBudget: costs.reserve,
    recall,
    chunksOf: summaries.chunksOf,
    stateOf: renderStateOf,
    digests: createDigests({ read: store.read, clock, onError }),
    learnedWindows,
    promptCounts: { prompts: 0, prefixBreaks: 0, epochs: 0 },
    storedTexts: new Set(),
    afterTurn: (threadId, branchId) => {
      summaries.afterTurn(threadId, branchId);
      void recall.catchUp(threadId, branchId).catch(onError);
      void states.reconcileNow(threadId, branchId).catch(onError);
    },
  };
  const contexts = createContexts({
    deps: runDeps,
    viewsOf: async ({ id, branch }) => ({
      summaries: (await summaries.list({ id, branch }, 50)).summaries,
      state: await findAgentState(store.read, { thread: id, branch }, clock.now()),
    }),
  });
  const runner = createRunner({
    deps: runDeps,
    lease: { holder: ids.next(), ttlMs: config.leaseMs },
    onError,
  });
  let isClosing = false;
  const app = createApp({
    answers: createHandlers({
      store,
      threads,
      admit,
      models,
      memory,
      projects,
      costs,
      contexts,
      summaries,
      catalogOf,
      mcp,
      previews,
      workspaces,
      settings: {
        providers: keys,
        profiles: createProfileSettings({ store, log, clock, profiles, models, catalogOf }),
        drafts: createDrafts({ store, log, threads, clock }),
        readMarks: createReadMarks({ log, threads }),
        shares,
        exports: createExports({ store, threads, memory, clock }),
        erasing,
        attachments,
      },
      seal,
      signIn: config.token ? "token" : "none",
      version: VERSION,
    }),
    openShared: shares.open,
    authentication: createAuthentication({
      token: config.token,
      clock,
      sessions: config.token === null ? null : createSessions({ token: config.token, clock, read: store.read, log }),
    }),
    watch: log.watch,
    authorizeThread: async (principal, threadId) => void (await threads.get(principal, threadId)),
    authorizeProject: async (principal, projectId) => void (await projects.get(principal, projectId)),
    userStreamOf: (principal) => userStream(principal.userId),
    head: async (stream) => (await store.read.heads([stream])).get(stream) ?? 0,
    config,
    attachments,
    uploadsDir: prepareUploads(config.dataDir, clock.now()),
    servePreview: previews.serve,
    archive: (principal, projectId) => workspaces.archive(principal.userId, projectId),
    health: async () =>
      isClosing
        ? { ok: false, why: "The server is shutting down." }
        : store.ping().then(
            () => ({ ok: true }),
            (error: Error) => ({ ok: false, why: error.message }),
          ),
    metrics: createMetrics({
      log_flushes: { help: "Transactions of the log", read: () => log.stats().flushes },
      log_batches: { help: "Batches in them", read: () => log.stats().batches },
      log_commit_ms: { help: "A commit's length, smoothed", read: () => log.stats().commitMs },
      log_readers: { help: "Readers of streams", read: () => log.stats().readers },
      runs_driving: { help: "Threads being driven here", read: () => runner.stats().driving },
      runs_failed: { help: "Drives that a bug or an outage ended", read: () => runner.stats().failed },
      prompts: { help: "Requests assembled", read: () => runDeps.promptCounts.prompts },
      prompt_prefix_breaks: {
        help: "Requests that did not begin as the one before, without a reason",
        read: () => runDeps.promptCounts.prefixBreaks,
      },
      prompt_epochs: { help: "Compactions", read: () => runDeps.promptCounts.epochs },
      jobs_waiting: { help: "Jobs that wait, as of the last look", read: () => jobs.stats().waiting },
      jobs_running: { help: "Jobs that run here", read: () => jobs.stats().running },
      jobs_failed: { help: "Jobs given up", read: () => jobs.stats().failed },
      state_reconciled: { help: "States of threads brought up to date", read: () => states.stats().reconciled },
      state_failures: { help: "Those that failed", read: () => states.stats().failures },
      summaries_completed: { help: "Summaries that a model wrote", read: () => summaries.stats().completed },
      summaries_partial: { help: "Summaries made without a model", read: () => summaries.stats().partial },
      summaries_failed: { help: "Summaries that could not be made", read: () => summaries.stats().failed },
      streams_open: { help: "Open event streams", read: () => app.streams().open },
      streams_cut: { help: "Streams cut because their reader stood still", read: () => app.streams().cut },
    }),
    webDir: fileURLToPath(new URL("../dist/web", import.meta.url)),
    version: VERSION,
    logger,
    clock,
    ids,
  });
  await threads.addUser("local");
  await keys.start();
  // Before runs are taken up again: one that stops the process must not keep the server from listening.
  const { url } = await app.listen();
  runner.start();
  await jobs.start();
  return {
    url,
    store,
    reportBug: (error, message) => logger.error({ err: error }, message),
    close: async ({ graceMs, hurry, isCrash } = { graceMs: 0 }) => {
      isClosing = true;
      // Requests and event streams are served meanwhile; new messages are stored for another node or the next start.
      await runner.drain(graceMs, hurry);
      await app.close();
      await runner.close(isCrash);
      await summaries.close();
      await recall.close();
      await jobs.close();
      keys.close();
      await log.close();
      models.close();
      await mcp.close();
      await store.close();
    },
  };
}
