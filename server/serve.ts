import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { userStream } from "../protocol/ids.ts";
import { createAuthentication, createSessions } from "./auth/authenticate.ts";
import type { Config } from "./config/config.ts";
import { loadInstanceKey } from "./config/instance-key.ts";
import { listSecrets } from "./config/config.ts";
import { VERSION } from "./config/version.ts";
import { createCosts } from "./cost/cost.ts";
import { createApp, type AppOptions } from "./http/app.ts";
import { createHandlers } from "./http/handlers/handlers.ts";
import { createMetrics, type Gauges } from "./http/metrics.ts";
import type { Handlers } from "./http/route-types.ts";
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
import { createJobs, type Jobs } from "./jobs/jobs.ts";
import { createProjects } from "./project/project.ts";
import { createLiveModels } from "./model/live-models.ts";
import { createAgentStates, findAgentState, renderStateOf } from "./memory/agent-state.ts";
import { createDigests } from "./project/digest.ts";
import { createRecall } from "./recall/recall.ts";
import { createContexts, type Contexts } from "./run/context-api.ts";
import type { Failpoint, RunDeps } from "./run/running.ts";
import { loadProfile } from "./run/own-profiles.ts";
import { createProfiles } from "./run/profiles.ts";
import { createLearnedWindows } from "./run/learned-windows.ts";
import { createSecrets } from "./run/secrets.ts";
import { createRunner, type Runner } from "./run/runner.ts";
import { toThreadOptions, type Store } from "./store/contract.ts";
import { openStore } from "./store/open.ts";
import { createErasing } from "./account/erase.ts";
import { createExports } from "./account/export.ts";
import { createShares } from "./account/shares.ts";
import { createProfileSettings } from "./settings/profiles.ts";
import { createPreferenceSettings } from "./settings/preferences.ts";
import { createPromptSettings } from "./settings/prompts.ts";
import { createModelSettings } from "./settings/model-settings.ts";
import { createProviderSettings, type ProviderSettings } from "./settings/providers.ts";
import { createAttachments } from "./thread/attachments/attachments.ts";
import { createDrafts } from "./thread/drafts.ts";
import { createReadMarks } from "./thread/read-marks.ts";
import { createTemporaryKind } from "./thread/temporary.ts";
import { createSummaries, createSummarizeTool } from "./summary/summary.ts";
import { createTitles } from "./summary/titles.ts";
import { createUserActions, type UserActions } from "./thread/user-actions.ts";
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
  /** Logs an error that no operation can report, with its stack. */
  readonly reportBug: (error: unknown, message: string) => void;
  /** Lets running answers finish within the grace period (default: none), hands over the others, then stops serving. */
  readonly close: (closing?: Closing) => Promise<void>;
};

type Extras = {
  /** Tools in addition to the built-in ones; for tests. */
  readonly tools?: readonly Tool[];
  readonly failpoint?: (name: Failpoint) => void;
  /** For tests that set the clock. */
  readonly clock?: Clock;
  /** Wraps the store; for crash tests. */
  readonly wrapStore?: (store: Store) => Store;
};

/** Wires all modules. */
export async function serve(config: Config, extras: Extras = {}): Promise<Server> {
  const platform = await openPlatform(config, extras);
  const domain = await createDomain(config, platform, extras);
  const { deps, runner, contexts, admit } = createRunning(config, { ...platform, ...domain }, extras);
  const jobs = createBackgroundJobs({ ...platform, ...domain }, runner);
  const { store, log, logger } = platform;
  const { models, keys, summaries, recall, mcp, states, threads } = domain;
  let isClosing = false;
  const app = createApp({
    ...toHttpOptions(config, { ...platform, ...domain, contexts, admit }),
    health: async () => (isClosing ? { ok: false, why: "The server is shutting down." } : checkStore(store)),
    metrics: createMetrics(listGauges({ log, runner, counts: deps.promptCounts, jobs, states, summaries })),
  });
  await threads.addUser("local");
  await keys.start();
  // Listen before runs are resumed: a run that crashes the process must not keep the server from listening.
  const { url } = await app.listen();
  runner.start();
  await jobs.start();
  return {
    url,
    store,
    reportBug: (error, message) => logger.error({ err: error }, message),
    close: async ({ graceMs, hurry, isCrash } = { graceMs: 0 }) => {
      isClosing = true;
      // Requests and streams are served during the drain. New messages are stored for another node or the next start.
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

type Platform = Awaited<ReturnType<typeof openPlatform>>;

/** Logging, clock, database, encryption and outgoing connections. */
async function openPlatform(config: Config, extras: Extras) {
  const logger = pino({ level: config.logLevel });
  const onError = (error: unknown) => logger.error({ err: error }, "A background task failed.");
  const onNote = (note: string) => logger.warn({}, note);
  const clock = extras.clock ?? systemClock;
  const opened = await openStore({
    directory: config.dataDir,
    databaseUrl: config.databaseUrl,
    report: (level, message) => logger[level]({}, message),
  });
  const store = extras.wrapStore?.(opened) ?? opened;
  const outgoing = { userAgent: `Stonechat/${VERSION} (+self-hosted)`, clock, proxy: config.tools.proxy ?? null };
  const { allowPrivate } = config.tools;
  return {
    ...{ logger, onError, onNote, clock, store },
    ids: systemIds,
    log: createLog({ store, clock, onError }),
    seal: createSeal(loadInstanceKey(config.dataDir, config.secretKey, onNote)),
    modelStream: createStream({
      ...outgoing,
      proxy: config.models.proxy ?? outgoing.proxy,
      allowPrivate: config.models.allowPrivate,
    }),
    mcpStream: createStream({ ...outgoing, allowPrivate: allowPrivate.mcp }),
    fetch: createFetch({ ...outgoing, allowPrivate: allowPrivate.scrape, allowPrivateSearch: allowPrivate.search }),
  };
}

type Domain = Awaited<ReturnType<typeof createDomain>>;

/** All modules that answer requests or provide tools, prompts and job kinds. */
async function createDomain(config: Config, platform: Platform, extras: Extras) {
  const { store, log, seal, clock, ids, onError, onNote } = platform;
  const jobsWake = createLateCallback();
  const models = createLiveModels({
    config: { ...config.models, refresh: true },
    ...{ clock, stream: platform.modelStream, onNote },
    onList: (provider, list) => void keys.keepList(provider, list).catch(onError),
  });
  const keys: ProviderSettings = createProviderSettings({
    ...{ store, log, seal, models, clock, onError },
    config: config.models,
    allowPrivate: config.models.allowPrivate,
    onFirst: (principal) => modelSettings.keepDefault(principal),
  });
  const modelSettings = createModelSettings({
    ...{ store, log, models, clock },
    config: config.models,
    onChanged: () => keys.refresh(),
  });
  const known = () => [...listSecrets(config), ...keys.secrets()];
  const secrets = createSecrets({ seal, known });
  const costs = createCosts({ store, log, models, clock, budgets: config.budgets });
  const threads = createThreads({ store, log, models, clock, ids });
  const projects = createProjects({ store, log, clock, checkPaths });
  const profiles = createProfiles(config.limits);
  const learnedWindows = createLearnedWindows({ clock, read: store.read });
  const summaries = createSummaries({
    ...{ store, log, models, clock, ids, onError },
    findLearned: learnedWindows.find,
    reserveBudget: costs.reserve,
    policyOf: async (thread) =>
      toThreadOptions(thread).policy ?? (await loadProfile({ profiles, store }, thread.owner, thread.profile)).policy,
    wanted: config.models.summaries,
    wake: jobsWake.call,
  });
  const titles = createTitles({
    ...{ read: store.read, log, models, clock, ids, reserveBudget: costs.reserve },
    wanted: config.models.summaries,
    isOff: !config.models.titles,
  });
  const mcp = openMcpServers({
    ...{ file: config.tools.mcpFile, clock, stream: platform.mcpStream, read: store.read, log, seal, onNote },
    callbackUrl: `${config.publicUrl}/api/mcp/callback`,
  });
  const builtIn = await loadTools({ clock, ids, tools: config.tools });
  const tools = [...builtIn, ...(extras.tools ?? []), createSummarizeTool(summaries)];
  return {
    ...{ models, keys, modelSettings, secrets, costs, threads, projects, profiles, learnedWindows, summaries, titles },
    ...{ mcp, jobsWake },
    catalogOf: createCatalogs(tools, mcp.tools),
    workspaces: createWorkspaces({ store, log, clock }),
    memory: createMemory({ store, log, clock }),
    attachments: createAttachments({ store, log, threads, clock, ids }),
    erasing: createErasing({ store, log, threads, projects, clock, ids, wake: jobsWake.call }),
    shares: createShares({ store, log, seal, threads, secrets, clock }),
    previews: createPreviews({ ...{ store, log, seal, clock, ids, known }, publicUrl: config.publicUrl }),
    recall: createRecall({ store, log, clock }),
    states: createAgentStates({ read: store.read, log }),
  };
}

/** The runner and everything that shares its dependencies. */
function createRunning(config: Config, modules: Platform & Domain, extras: Extras) {
  const { store, log, clock, ids, onError, models, costs, summaries, recall, states, threads } = modules;
  const { catalogOf, fetch, profiles, secrets, learnedWindows } = modules;
  const deps: RunDeps = {
    ...{ store, log, clock, ids, onError, models, recall, catalogOf, fetch, profiles, secrets, learnedWindows },
    random: systemRandom,
    failpoint: extras.failpoint ?? (() => {}),
    checkBudget: costs.check,
    reserveBudget: costs.reserve,
    planTitle: modules.titles.planAfter,
    chunksOf: summaries.chunksOf,
    stateOf: renderStateOf,
    digests: createDigests({ read: store.read, clock, onError }),
    promptCounts: { prompts: 0, prefixBreaks: 0, epochs: 0 },
    storedTexts: new Set(),
    afterTurn: (threadId, branchId) => {
      summaries.afterTurn(threadId, branchId);
      void recall.catchUp(threadId, branchId).catch(onError);
      void states.reconcileNow(threadId, branchId).catch(onError);
    },
  };
  const contexts = createContexts({
    deps,
    viewsOf: async ({ id, branch }) => ({
      summaries: (await summaries.list({ id, branch }, 50)).summaries,
      state: await findAgentState(store.read, { thread: id, branch }, clock.now()),
    }),
  });
  const runner = createRunner({ deps, lease: { holder: ids.next(), ttlMs: config.leaseMs }, onError });
  const admit = createUserActions({ store, log, threads, models, clock, onBeforeCommit: runner.prefetch });
  return { deps, contexts, runner, admit };
}

/** Background jobs. They make way for running answers. */
function createBackgroundJobs(modules: Platform & Domain, runner: Runner): Jobs {
  const { store, log, clock, ids, onError, threads, summaries, erasing, attachments, jobsWake } = modules;
  const temporary = createTemporaryKind({ read: store.read, threads, clock, ids });
  const jobs = createJobs({
    ...{ read: store.read, log, clock, onError },
    random: systemRandom,
    holder: ids.next(),
    kinds: [summaries.kind, modules.titles.kind, erasing.kind, temporary, attachments.kind],
    isBusy: () => runner.stats().driving > 0,
  });
  jobsWake.connect(jobs.wake);
  return jobs;
}

/** A callback whose target is created later. Calls before `connect` do nothing. */
function createLateCallback() {
  let target = (): void => {};
  return {
    call: (): void => target(),
    connect: (to: () => void): void => {
      target = to;
    },
  };
}

type HttpModules = Platform & Domain & { readonly contexts: Contexts; readonly admit: UserActions };

function toHttpOptions(config: Config, modules: HttpModules): Omit<AppOptions, "health" | "metrics"> {
  const { store, log, logger, clock, ids, threads, projects, workspaces, previews, shares, attachments } = modules;
  const sessions = config.token === null ? null : createSessions({ token: config.token, clock, read: store.read, log });
  return {
    ...{ config, attachments, logger, clock, ids },
    handlers: createAllHandlers(config, modules),
    openShared: shares.open,
    authentication: createAuthentication({ token: config.token, clock, sessions }),
    watch: log.watch,
    authorizeThread: async (principal, threadId) => void (await threads.get(principal, threadId)),
    authorizeProject: async (principal, projectId) => void (await projects.get(principal, projectId)),
    userStreamOf: (principal) => userStream(principal.userId),
    head: async (stream) => (await store.read.heads([stream])).get(stream) ?? 0,
    uploadsDir: prepareUploads(config.dataDir, clock.now()),
    servePreview: previews.serve,
    archive: (principal, projectId) => workspaces.archive(principal.userId, projectId),
    webDir: fileURLToPath(new URL("../dist/web", import.meta.url)),
    version: VERSION,
  };
}

function createAllHandlers(config: Config, modules: HttpModules): Handlers {
  const { store, log, clock, threads, models, memory, profiles, catalogOf, keys } = modules;
  const { modelSettings, shares, erasing, attachments } = modules;
  return createHandlers({
    ...modules,
    settings: {
      ...{ providers: keys, modelSettings, shares, erasing, attachments },
      profiles: createProfileSettings({ store, log, clock, profiles, models, catalogOf }),
      preferences: createPreferenceSettings({ store, log, clock }),
      prompts: createPromptSettings({ store, log, clock }),
      drafts: createDrafts({ store, log, threads, clock }),
      readMarks: createReadMarks({ log, threads }),
      exports: createExports({ store, threads, memory, clock }),
    },
    signIn: config.token ? "token" : "none",
    version: VERSION,
  });
}

const checkStore = (store: Store): Promise<{ ok: boolean; why?: string }> =>
  store.ping().then(
    () => ({ ok: true }),
    (error: Error) => ({ ok: false, why: error.message }),
  );

type GaugeSources = Pick<Platform, "log"> &
  Pick<Domain, "states" | "summaries"> & {
    readonly runner: Runner;
    readonly counts: RunDeps["promptCounts"];
    readonly jobs: Jobs;
  };

const listGauges = ({ log, runner, counts, jobs, states, summaries }: GaugeSources): Gauges => ({
  log_flushes: { help: "Transactions of the log", read: () => log.stats().flushes },
  log_batches: { help: "Batches in these transactions", read: () => log.stats().batches },
  log_commit_ms: { help: "Duration of a commit, smoothed", read: () => log.stats().commitMs },
  log_readers: { help: "Readers of streams", read: () => log.stats().readers },
  runs_driving: { help: "Threads driven by this process", read: () => runner.stats().driving },
  runs_failed: { help: "Drives that ended with a bug or an outage", read: () => runner.stats().failed },
  prompts: { help: "Prompts of model calls", read: () => counts.prompts },
  prompt_prefix_breaks: {
    help: "Prompts whose prefix differs from the previous prompt without a reason",
    read: () => counts.prefixBreaks,
  },
  prompt_epochs: { help: "Compactions", read: () => counts.epochs },
  jobs_waiting: { help: "Waiting jobs, as of the last sweep", read: () => jobs.stats().waiting },
  jobs_running: { help: "Jobs running in this process", read: () => jobs.stats().running },
  jobs_failed: { help: "Jobs that failed for good", read: () => jobs.stats().failed },
  state_reconciled: { help: "Agent states brought up to date", read: () => states.stats().reconciled },
  state_failures: { help: "Agent state updates that failed", read: () => states.stats().failures },
  summaries_completed: { help: "Summaries written by a model", read: () => summaries.stats().completed },
  summaries_partial: { help: "Summaries made without a model", read: () => summaries.stats().partial },
  summaries_failed: { help: "Summaries that failed", read: () => summaries.stats().failed },
  streams_open: { help: "Open event streams", read: (streams) => streams.open },
  streams_cut: { help: "Streams closed because the client stopped reading", read: (streams) => streams.cut },
});
