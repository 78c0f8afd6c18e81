import { join } from "node:path";
import { userStream } from "../protocol/ids.ts";
import { createAccounts } from "./accounts/accounts.ts";
import { createBackupSchedule } from "./backup/schedule.ts";
import { createAudit, noAudit } from "./auth/audit.ts";
import { createApiKeys } from "./auth/authenticate.ts";
import { listSecrets, type Config } from "./config/config.ts";
import { VERSION } from "./config/version.ts";
import { createCosts } from "./cost/cost.ts";
import { createApp, type AppOptions } from "./http/app.ts";
import type { AccountDeps } from "./http/handlers/accounts.ts";
import { createSignIn } from "./http/create-sign-in.ts";
import { createHandlers } from "./http/handlers/handlers.ts";
import { listGauges } from "./http/gauges.ts";
import type { Handlers } from "./http/route-types.ts";
import { prepareUploads } from "./http/prepare-uploads.ts";
import { createSettingsModules } from "./http/handlers/settings.ts";
import type { Clock } from "./lib/clock.ts";
import { createLateCallback } from "./lib/late-callback.ts";
import { observeWithAll } from "./lib/observe.ts";
import { root } from "./lib/root.ts";
import { systemRandom } from "./lib/random.ts";
import type { Closing } from "./lib/run-until-signal.ts";
import { openPlatform, type Extras, type Platform } from "./platform.ts";
import { createHealth } from "./doctor/health.ts";
import { createNodes } from "./doctor/nodes.ts";
import { createMemory } from "./memory/memory.ts";
import { createJobs, followDatabaseClock, type Jobs, type Schedule } from "./jobs/jobs.ts";
import { createProjectMembers } from "./project/members.ts";
import { createProjects } from "./project/project.ts";
import { createLiveModels } from "./model/live-models.ts";
import { createAgentStates, findAgentState, renderStateOf } from "./memory/agent-state.ts";
import { createDigests } from "./project/digest.ts";
import { createRecall } from "./recall/recall.ts";
import { createPromptContexts, type PromptContexts } from "./run/prompt-contexts.ts";
import type { RunDeps } from "./run/run-context.ts";
import { loadProfile } from "./run/own-profiles.ts";
import { createProfiles } from "./run/profiles.ts";
import { createLearnedWindows } from "./run/learned-windows.ts";
import { createSecrets } from "./run/secrets.ts";
import { createRunner, type Runner } from "./run/runner.ts";
import { toThreadOptions, type Store } from "./store/contract.ts";
import { createModelAccess } from "./model/model-access.ts";
import { createPersonDeletion } from "./user-data/delete-person.ts";
import { createErasing } from "./user-data/erase.ts";
import { createRetention } from "./user-data/retention.ts";
import { createImports } from "./transfer/import/imports.ts";
import { createShares } from "./user-data/shares.ts";
import { createStorageReport } from "./user-data/storage-report.ts";
import { createPush } from "./push/push.ts";
import { openMails, openOutsideSignIn, toAccountsOptions } from "./sign-in/sign-in.ts";
import { createModelSettings } from "./settings/model-settings.ts";
import { createProviderSettings, type ProviderSettings } from "./settings/providers.ts";
import { createChats, type Chats } from "./surfaces/ai-sdk/chats.ts";
import { createAliasTurns } from "./surfaces/aliases/turns.ts";
import { createWebTools } from "./surfaces/aliases/web-tools.ts";
import { createAttachments } from "./thread/attachments/attachments.ts";
import { createProjectUploads } from "./thread/attachments/project-uploads.ts";
import { createPresence } from "./thread/presence.ts";
import { findLostStreams } from "./thread/find-lost-streams.ts";
import { createTemporaryKind } from "./thread/temporary.ts";
import { createSummaries, createSummarizeTool } from "./summary/summary.ts";
import { createTitles } from "./summary/titles.ts";
import { createOpenAi } from "./surfaces/openai/openai.ts";
import { createUserActions, type UserActions } from "./thread/user-actions.ts";
import { createThreads } from "./thread/threads.ts";
import { createCatalogs } from "./tools/catalog.ts";
import { openMcpServers } from "./tools/mcp/servers.ts";
import { loadTools } from "./tools/load-tools.ts";
import { createPreviews } from "./workspace/preview.ts";
import { checkPaths, createWorkspaces } from "./workspace/workspace.ts";

export type Server = {
  readonly url: string;
  /** Opens the form for the first admin; null if there is one, or without accounts. Valid until the next start. */
  readonly setupUrl: string | null;
  readonly store: Store;
  /** Logs an error that no operation can report, with its stack. */
  readonly reportBug: (error: unknown, message: string) => void;
  /** Lets running answers finish within the grace period (default: none), hands over the others, then stops serving. */
  readonly close: (closing?: Closing) => Promise<void>;
};

/** Wires all modules. */
export async function serve(given: Config, extras: Extras = {}): Promise<Server> {
  const { config, ...platform } = await openPlatform(given, extras);
  const domain = await createDomain(config, platform, extras);
  const { deps, runner, contexts, userActions } = createRunning(config, { ...platform, ...domain }, extras);
  const { store, log } = platform;
  const jobsClock = await followDatabaseClock(platform.clock, store.readTime);
  const { backups, schedules } = createSchedules(config, { ...platform, ...domain, userActions, clock: jobsClock });
  const jobs = createBackgroundJobs({ ...platform, ...domain, schedules, jobsClock }, runner);
  const { models, keys, summaries, recall, mcp, states, threads } = domain;
  let isClosing = false;
  const check = async () => {
    if (isClosing) return { ok: false, why: "The server is shutting down." };
    const whyNot = (error: Error) => ({ ok: false, why: error.message });
    return store.ping().then(() => ({ ok: true }), whyNot);
  };
  const nodes = createNodes({
    ...{ read: store.read, log, clock: jobsClock, id: platform.ids.next(), onError: platform.onError },
    isShared: store.kind === "postgres",
  });
  const health = createHealth({ config, store, clock: jobsClock, nodes, jobs, providers: keys, check });
  const storage = createStorageReport({ config, store, clock: platform.clock });
  const app = createApp({
    ...toHttpOptions(config, { ...platform, ...domain, contexts, userActions, health, storage }),
    webDir: extras.webDir ?? join(root, "dist/web"),
    health: check,
    metrics: platform.metrics.toText(
      listGauges({ ...platform, runner, jobs, states, summaries, backups, counts: deps.promptCounts }),
      store.read.instanceCounts,
    ),
  });
  domain.presence.onChange(app.publishPresence);
  domain.revoked.connect(() => void app.endLostStreams());
  await threads.addUser("local");
  const setupPath = (await domain.accounts?.planSetup()) ?? null;
  await keys.start();
  // Listen before runs are resumed: a run that crashes the process must not keep the server from listening.
  const { url } = await app.listen();
  runner.start();
  for (const { plan } of schedules) await plan();
  await jobs.start();
  await nodes.start();
  return {
    url,
    setupUrl: setupPath === null ? null : `${config.hasPublicUrl ? config.publicUrl : url}${setupPath}`,
    store,
    reportBug: (error, message) => platform.logger.error({ err: error }, message),
    close: async ({ graceMs, hurry, isCrash } = { graceMs: 0 }) => {
      isClosing = true;
      // Requests and streams are served during the drain. New messages are stored for another node or the next start.
      await runner.drain(graceMs, hurry);
      await app.close();
      await runner.close(isCrash);
      await summaries.close();
      await recall.close();
      await jobs.close().finally(jobsClock.close);
      await domain.imports.close();
      keys.close();
      await nodes.close();
      await log.close();
      models.close();
      await mcp.close();
      await store.close();
      await platform.telemetry?.close();
    },
  };
}

type Domain = Awaited<ReturnType<typeof createDomain>>;

/** All modules that answer requests or provide tools, prompts and job kinds. */
async function createDomain(config: Config, platform: Platform, extras: Extras) {
  const { store, log, seal, clock, ids, onError, onNote } = platform;
  const jobsWake = createLateCallback();
  const revoked = createLateCallback();
  const mails = config.accounts === "on" ? openMails({ config, ...platform }, createAudit(platform)) : null;
  const accountOptions = { ...platform, passwordCost: extras.passwordCost, ...toAccountsOptions(config, mails) };
  const accounts = config.accounts === "on" ? createAccounts(accountOptions) : null;
  const planAudit = accounts?.planAudit ?? noAudit;
  const models = createLiveModels({
    config: { ...config.models, refresh: true },
    ...{ clock, stream: platform.modelStream, onNote },
    onList: (provider, list) => void keys.keepList(provider, list).catch(onError),
  });
  const keys: ProviderSettings = createProviderSettings({
    ...{ store, log, seal, models, clock, onError, planAudit },
    hasAccounts: accounts !== null,
    config: config.models,
    allowPrivate: config.models.allowPrivate,
    onFirst: (principal) => modelSettings.keepDefault(principal),
  });
  const modelSettings = createModelSettings({
    ...{ store, log, models, clock, planAudit },
    config: config.models,
    onChanged: () => keys.refresh(),
  });
  const known = () => [...listSecrets(config), ...keys.secrets()];
  const secrets = createSecrets({ seal, known });
  const limits = accounts?.limits;
  const access = createModelAccess({ models, findAllowed: limits?.findModels });
  const costs = createCosts({ ...platform, models, budgets: config.budgets, findAdminBudgets: limits?.get, access });
  const threads = createThreads({ store, log, models, access, clock, ids });
  const projects = createProjects({ store, log, clock, checkPaths });
  const hasAccounts = accounts !== null;
  const members = createProjectMembers({ ...platform, planAudit, people: accounts?.people, onRevoked: revoked.call });
  const profiles = createProfiles(config);
  const learnedWindows = createLearnedWindows({ clock, read: store.read });
  const summaries = createSummaries({
    ...{ store, log, models, clock, ids, onError },
    findWindow: learnedWindows.findWindow,
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
  const erasingModules = { store, log, threads, projects, members, clock, ids, planAudit };
  const erasing = createErasing({ ...erasingModules, wake: jobsWake.call, keepsInstance: hasAccounts });
  const builtIn = await loadTools({ clock, ids, tools: config.tools });
  const tools = [...builtIn, ...(extras.tools ?? []), createSummarizeTool(summaries)];
  return {
    ...{ models, access, keys, modelSettings, secrets, costs, threads, projects, members, profiles },
    ...{ learnedWindows, summaries, titles },
    ...{ accounts, mails, mcp, jobsWake, revoked, presence: createPresence({ store, threads, clock }) },
    push: createPush({
      ...{ store, log, clock, ids, seal, stream: platform.pushStream, publicUrl: config.publicUrl },
      allowPrivate: config.tools.allowPrivate.push,
    }),
    outside: accounts && openOutsideSignIn({ config, ...platform }, accounts, mails),
    catalogOf: createCatalogs(tools, mcp.tools),
    workspaces: createWorkspaces({ store, log, clock, assertRoom: limits?.assertRoom }),
    memory: createMemory({ store, log, clock }),
    apiKeys: accounts?.apiKeys ?? createApiKeys({ read: store.read, log, clock, onError }),
    attachments: createAttachments({ store, log, threads, clock, ids, assertRoom: limits?.assertRoom }),
    erasing,
    deletePerson: createPersonDeletion({ read: store.read, people: accounts?.people, members, erasing, planAudit }),
    shares: createShares({ store, log, seal, threads, secrets, clock, hasAccounts }),
    previews: createPreviews({ ...{ store, log, seal, clock, ids, known }, publicUrl: config.publicUrl }),
    imports: createImports({
      ...{ store, log, threads, projects, models, seal, clock, ids, wake: jobsWake.call },
      memory: createMemory({ store, log, clock }),
      folder: prepareUploads(config.dataDir, clock.now()),
    }),
    recall: createRecall({ store, log, clock }),
    states: createAgentStates({ read: store.read, log }),
  };
}

/** The runner and everything that shares its dependencies. */
function createRunning(config: Config, modules: Platform & Domain, extras: Extras) {
  const { store, log, clock, ids, onError, models, costs, summaries, recall, states } = modules;
  const { catalogOf, fetch, profiles, secrets, learnedWindows, access } = modules;
  const deps: RunDeps = {
    ...{ store, log, clock, ids, onError, models, recall, catalogOf, fetch, profiles, secrets, learnedWindows },
    random: systemRandom,
    failpoint: extras.failpoint ?? (() => {}),
    ...{ checkBudget: costs.check, access },
    reserveBudget: costs.reserve,
    planTitle: modules.titles.planAfter,
    planPush: modules.push.planAfter,
    summariesOf: summaries.summariesOf,
    stateOf: renderStateOf,
    digests: createDigests({ read: store.read, clock, onError, ...config.digests }),
    observe: observeWithAll([modules.metrics.observe, ...(modules.telemetry ? [modules.telemetry.observe] : [])]),
    promptCounts: { prompts: 0, prefixBreaks: 0, compactions: 0 },
    storedTexts: new Set(),
    afterTurn: (threadId, { branchId, policy }) => {
      summaries.afterTurn(threadId, branchId);
      void recall.catchUp(threadId, branchId).catch(onError);
      if (policy === "snapshot") void states.reconcileNow(threadId, branchId).catch(onError);
    },
  };
  const contexts = createPromptContexts({
    deps,
    viewsOf: async ({ id, branch }) => ({
      summaries: (await summaries.list({ id, branch }, 50)).summaries,
      state: await findAgentState(store.read, { thread: id, branch }, clock.now()),
    }),
  });
  const lease = { holder: ids.next(), ttlMs: config.leaseMs };
  const runner = createRunner({ deps, lease, isOnlyNode: store.kind === "sqlite", onError });
  const userActions = createUserActions({ ...modules, onQueued: runner.prefetch });
  return { deps, contexts, runner, userActions };
}

function createSchedules(config: Config, modules: Platform & Domain & { readonly userActions: UserActions }) {
  const report = (level: "info" | "error", text: string) => modules.logger[level]({}, text);
  const deps = { ...modules, config, read: modules.store.read, report };
  const backups = createBackupSchedule(deps);
  return { backups, schedules: [backups, createRetention(deps)].filter((one) => one !== null) };
}

/** Background jobs. They are paused while answers run. */
function createBackgroundJobs(
  modules: Platform & Domain & { readonly schedules: readonly Schedule[]; readonly jobsClock: Clock },
  runner: Runner,
): Jobs {
  const { store, log, clock, ids, onError, threads, summaries, erasing, attachments, imports, jobsWake } = modules;
  const temporary = createTemporaryKind({ read: store.read, threads, clock, ids });
  const jobs = createJobs({
    ...{ read: store.read, log, clock: modules.jobsClock, onError, random: systemRandom, holder: ids.next() },
    kinds: [
      ...[summaries.kind, modules.titles.kind, erasing.kind, temporary],
      ...[attachments.kind, imports.kind, modules.push.kind],
      ...(modules.mails ? [modules.mails.kind] : []),
      ...modules.schedules.map(({ kind }) => kind),
    ],
    isBusy: () => runner.stats().driving > 0,
  });
  jobsWake.connect(jobs.wake);
  return jobs;
}

type HttpModules = Platform &
  Domain & {
    readonly contexts: PromptContexts;
    readonly userActions: UserActions;
    readonly health: ReturnType<typeof createHealth>;
    readonly storage: ReturnType<typeof createStorageReport>;
  };

function toHttpOptions(config: Config, modules: HttpModules): Omit<AppOptions, "health" | "metrics" | "webDir"> {
  const { store, log, logger, clock, ids, threads, projects, workspaces, previews, attachments } = modules;
  const uploadsDir = prepareUploads(config.dataDir, clock.now());
  const chats = createChats({ ...modules, uploadsDir });
  const { open, authentication, ...signIn } = createSignIn(config, modules);
  return {
    ...{ config, attachments, chats, logger, clock, ids, uploadsDir },
    aliases: { turns: createAliasTurns({ chats, threads, ids }), callWebTool: createWebTools(modules) },
    ...{ imports: modules.imports, assertRoom: modules.accounts?.limits.assertRoom },
    projectUploads: createProjectUploads({ projects, workspaces, ids }),
    openAi: createOpenAi({ ...modules, read: store.read, uploadsDir }),
    handlers: createAllHandlers({ ...modules, ...signIn }, chats),
    ...{ open, authentication, oidc: modules.outside?.oidc ?? null },
    watch: log.watch,
    findLostStreams: async (readers) => modules.presence.drop(await findLostStreams(store.read, readers)),
    authorizeThread: async (principal, threadId) => void (await threads.get(principal, threadId)),
    authorizeProject: async (principal, projectId) => void (await projects.get(principal, projectId)),
    userStreamOf: (principal) => userStream(principal.userId),
    head: async (stream) => (await store.read.heads([stream])).get(stream) ?? 0,
    servePreview: previews.serve,
    archive: (principal, projectId) => workspaces.archive(principal.userId, projectId),
    version: VERSION,
  };
}

function createAllHandlers(modules: HttpModules & Omit<AccountDeps, "accounts">, chats: Chats): Handlers {
  const { keys: providers, modelSettings, shares, erasing, imports, attachments, apiKeys, push } = modules;
  const settings = { providers, modelSettings, shares, erasing, imports, attachments, apiKeys, push };
  return createHandlers({
    ...{ ...modules, chats, version: VERSION },
    settings: { ...settings, ...createSettingsModules(modules) },
  });
}
