import { isIn, isTest, type Import, type Rule, type Source } from "./source.ts";

/** The server's modules in order: each may import modules in earlier rows, never one in the same row. */
const order: readonly (readonly string[])[] = [
  ["lib"],
  ["config", "redact", "net", "rank"],
  ["store", "telemetry"],
  ["log"],
  ["auth"],
  ["accounts"],
  ["model"],
  ["memory", "recall", "jobs", "cost", "project"],
  ["workspace", "sign-in", "push"],
  ["tools"],
  ["thread"],
  ["context"],
  ["summary"],
  ["run"],
  ["settings", "backup"],
  ["doctor"],
  ["user-data"],
  ["transfer"],
  ["surfaces"],
  ["http"],
  ["platform"],
  ["serve"],
  ["main"],
];

/**
 * The files of a module that other modules may import. `lib` is open. To add an entry point, list it here and explain
 * it in review.
 */
const entryPoints: Readonly<Record<string, readonly string[] | "all">> = {
  lib: "all",
  config: ["config.ts", "config-error.ts", "describe-config.ts", "instance-key.ts", "version.ts"],
  redact: ["redact.ts"],
  telemetry: ["open-telemetry.ts"],
  net: ["fetch.ts", "open-stream.ts", "check-address.ts", "local-address.ts", "client-address.ts"],
  rank: ["terms.ts", "rank.ts", "score.ts"],
  store: [
    "contract.ts",
    "parse-rows.ts",
    "schema.ts",
    "open.ts",
    "inspect.ts",
    "failure.ts",
    "slow-log.ts",
    "copy/copy.ts",
  ],
  log: ["log.ts", "types.ts"],
  auth: ["principal.ts", "authenticate.ts", "authorize.ts", "access.ts", "audit.ts"],
  accounts: ["accounts.ts", "links.ts", "mode.ts"],
  model: [
    "model.ts",
    "model-access.ts",
    "registry.ts",
    "fallback.ts",
    "models-config.ts",
    "live-models.ts",
    "keyed-providers.ts",
  ],
  memory: ["memory.ts", "agent-state.ts"],
  recall: ["recall.ts"],
  jobs: ["jobs.ts"],
  cost: ["cost.ts"],
  project: ["project.ts", "members.ts", "groups.ts", "digest.ts"],
  workspace: ["workspace.ts", "preview.ts"],
  "sign-in": ["sign-in.ts"],
  push: ["push.ts"],
  tools: [
    "tool.ts",
    "catalog.ts",
    "gate.ts",
    "commands.ts",
    "web/cite.ts",
    "web/extract.ts",
    "web/extract/read-page.ts",
    "web/extract/read-pdf.ts",
    "mcp/servers.ts",
    "mcp/check-schema.ts",
  ],
  thread: [
    "threads.ts",
    "user-actions.ts",
    "longest-message.ts",
    "path.ts",
    "snapshot.ts",
    "rows.ts",
    "search-docs.ts",
    "shared.ts",
    "title.ts",
    "drafts.ts",
    "read-marks.ts",
    "presence.ts",
    "temporary.ts",
    "attachments/attachments.ts",
    "attachments/project-uploads.ts",
  ],
  context: ["assemble.ts", "ledger/ledger.ts", "bound-result.ts", "extract.ts"],
  summary: ["summary.ts", "titles.ts"],
  run: [
    "runner.ts",
    "prompt-contexts.ts",
    "verify-receipt.ts",
    "state.ts",
    "profiles.ts",
    "own-profiles.ts",
    "secrets.ts",
    "open-catalog.ts",
    "learned-windows.ts",
    // Steps of other programs as parts: a surface lists them before a run has stored them.
    "caller/caller.ts",
    "plan-attached.ts",
  ],
  settings: ["providers.ts", "model-settings.ts", "profiles.ts", "preferences.ts", "prompts.ts"],
  backup: ["commands.ts", "schedule.ts"],
  doctor: ["doctor.ts", "finding.ts", "health.ts", "nodes.ts"],
  "user-data": ["shares.ts", "erase.ts", "delete-person.ts", "retention.ts", "storage-command.ts", "storage-report.ts"],
  transfer: ["export/exports.ts", "import/imports.ts"],
  // Protocols of other programs, one folder each.
  surfaces: ["ai-sdk/chats.ts", "aliases/turns.ts", "aliases/web-tools.ts", "openai/openai.ts", "mcp/surface.ts"],
  http: ["app.ts", "node-server.ts", "route-types.ts"],
  platform: "all",
  serve: "all",
};

/** The files that wire all modules together. */
const wiring: ReadonlySet<string | undefined> = new Set(["platform", "serve"]);

const isServer = isIn("server");
const moduleOf = (path: string): string | undefined => /^server\/([\w-]+)/.exec(path)?.[1];
const rowOf = (name: string): number => order.findIndex((row) => row.includes(name));

/** One message for each import within this project that `judge` rejects. */
const judgeImports = (
  sources: readonly Source[],
  judge: (source: Source, target: string, one: Import) => string | undefined,
): readonly string[] =>
  sources.flatMap((source) =>
    source.imports.flatMap((one) => {
      const fault = one.path === undefined ? undefined : judge(source, one.path, one);
      return fault === undefined ? [] : [`${source.path} imports ${one.path}: ${fault}`];
    }),
  );

export const serverImportsBackwards: Rule = (sources) =>
  judgeImports(sources.filter(isServer), (source, target) => {
    if (target.startsWith("protocol/")) return undefined;
    const [from, to] = [moduleOf(source.path) ?? "", moduleOf(target) ?? ""];
    if (!target.startsWith("server/")) return "the server may import only protocol/ and itself";
    if (rowOf(from) < 0) return `"${from}" is not a module: give it a row in \`order\` of test/architecture/arrows.ts`;
    if (from === to || rowOf(to) < rowOf(from)) return undefined;
    return `${to}/ is not in an earlier row than ${from}/; move the code, or pass it in from serve.ts`;
  });

export const modulesAreImportedThroughEntryPoints: Rule = (sources) =>
  judgeImports(sources.filter(isServer), (source, target) => {
    const [from, to] = [moduleOf(source.path), moduleOf(target)];
    if (to === undefined || from === to || wiring.has(from)) return undefined;
    const entries = entryPoints[to];
    if (entries === undefined)
      return `${to}/ has no entry point: list it in \`entryPoints\` of test/architecture/arrows.ts`;
    if (entries === "all" || entries.some((entry) => target === `server/${to}/${entry}`)) return undefined;
    return `the entry points of ${to}/ are ${entries.join(", ")}`;
  });

/**
 * The page's folders in order. Each may import folders in earlier rows, never one in the same row, so there are no cycles.
 * `strings` is the English catalog: every text of the page, one file for each feature. `lib` and `ui` know nothing about threads, projects or the API; `state` holds stores; `labels` names domain values; then come the features.
 */
const pageOrder: readonly (readonly string[])[] = [
  ["worker"],
  ["strings"],
  ["languages"],
  ["lib"],
  ["ui"],
  ["api"],
  ["state"],
  ["labels"],
  ["sources"],
  ["markdown"],
  ["account", "artifacts", "composer", "list", "memory", "receipts", "search", "summary", "usage"],
  ["context", "palette", "share"],
  ["tools"],
  ["workspace"],
  ["project"],
  ["parts"],
  ["message"],
  ["settings", "thread"],
  ["shell"],
  ["main"],
];

/** The files of a feature folder that other folders may import. Rows up to `labels` are open, except `languages`. */
const pageEntryPoints: Readonly<Record<string, readonly string[] | "all">> = {
  strings: "all",
  languages: ["load-language.ts"],
  lib: "all",
  ui: "all",
  api: "all",
  state: "all",
  labels: "all",
  // Sources of an answer: used by its text, tool cards and artifacts.
  sources: "all",
  markdown: ["markdown.tsx"],
  account: ["fields.tsx", "link-page.tsx", "passkey.ts", "password-field.tsx", "sign-in.tsx", "welcome.tsx"],
  artifacts: ["artifact-panel.tsx"],
  composer: ["attachments/drop-zone.tsx", "composer.tsx", "model-list.tsx", "model-picker.tsx", "queue.tsx"],
  list: ["delete-thread.tsx", "dragged-thread.ts", "thread-list.tsx", "thread-menu-popup.tsx", "thread-rows.tsx"],
  memory: ["memory-sheet.tsx"],
  receipts: ["receipts-panel.tsx", "timeline/timeline.tsx", "use-jump-to.ts"],
  search: ["search-field.tsx", "search-hits.tsx", "search-view.tsx"],
  summary: ["requested-summary.tsx", "summary-card.tsx", "summary-sheet.tsx"],
  usage: ["usage-sheet.tsx"],
  context: ["context-buttons.tsx", "lazy-view.tsx"],
  palette: ["palette.tsx", "shortcut-list.tsx"],
  share: ["shared-page.tsx", "thread-sheet.tsx"],
  tools: [
    "approval.tsx",
    "find-card.ts",
    "group-calls.ts",
    "question.tsx",
    "stage.ts",
    "summarize.ts",
    "tool-frame.tsx",
  ],
  workspace: [
    "workspace-panel.tsx",
    "needs-project.tsx",
    "lazy-workspace.tsx",
    "run-files.tsx",
    "workspace-button.tsx",
    "workspace-page.tsx",
  ],
  project: [
    "lazy-project.tsx",
    "project-page.tsx",
    "project-section.tsx",
    "thread/start-options.tsx",
    "thread/read-acts.ts",
  ],
  parts: ["part-list.tsx", "part.tsx"],
  message: ["assistant-message.tsx", "run-status.tsx", "user-message.tsx"],
  settings: ["settings-page.tsx"],
  thread: ["start-page.tsx", "thread-page.tsx"],
  shell: ["start.tsx"],
};

const isPage = isIn("web");
const pageFolderOf = (path: string): string => /^web\/([\w-]+)/.exec(path)?.[1] ?? "";
const pageRowOf = (folder: string): number => pageOrder.findIndex((row) => row.includes(folder));

export const pageImportsEarlierLayers: Rule = (sources) =>
  judgeImports(sources.filter(isPage), (source, target) => {
    if (!target.startsWith("web/") || target.endsWith(".css")) return undefined;
    const [from, to] = [pageFolderOf(source.path), pageFolderOf(target)];
    if (pageRowOf(from) < 0) return `web/${from}/ has no row: add it to \`pageOrder\` of test/architecture/arrows.ts`;
    if (from === to || (pageRowOf(to) >= 0 && pageRowOf(to) < pageRowOf(from))) return undefined;
    return `web/${to}/ is not in an earlier row than web/${from}/; move the code, or pass it in as a prop`;
  });

export const pageFoldersAreEnteredByEntryPoints: Rule = (sources) =>
  judgeImports(sources.filter(isPage), (source, target) => {
    const [from, to] = [pageFolderOf(source.path), pageFolderOf(target)];
    if (!target.startsWith("web/") || target.endsWith(".css") || from === to) return undefined;
    const entries = pageEntryPoints[to] ?? [];
    if (entries === "all" || entries.some((entry) => target === `web/${to}/${entry}`)) return undefined;
    return `the entry points of web/${to}/ are ${entries.join(", ")}`;
  });

/** Every entry point that the tables above list, so that none outlives its file. */
export const listedEntryPoints: readonly string[] = [
  ...Object.entries(entryPoints).map(([name, files]) => ({ folder: `server/${name}`, files })),
  ...Object.entries(pageEntryPoints).map(([name, files]) => ({ folder: `web/${name}`, files })),
].flatMap(({ folder, files }) => (files === "all" ? [] : files.map((file) => `${folder}/${file}`)));

export const protocolImportsOnlyZod: Rule = (sources) =>
  sources
    .filter(isIn("protocol"))
    .flatMap(({ path, imports }) =>
      imports
        .filter((one) => one.spec !== "zod" && one.path?.startsWith("protocol/") !== true)
        .map((one) => `${path} imports ${one.spec}: protocol/ may import only zod and itself`),
    );

/** The command line talks to a server over HTTP, as every other program does. */
export const commandLineImportsOnlyProtocol: Rule = (sources) =>
  sources
    .filter(isIn("cli"))
    .flatMap(({ path, imports }) =>
      imports
        .filter((one) => !one.spec.startsWith("node:") && !/^(cli|protocol)\//.test(one.path ?? ""))
        .map((one) => `${path} imports ${one.spec}: cli/ may import only protocol/, node: and itself`),
    );

/** The page bundles everything it imports: from this project only protocol/, and no server packages. */
export const pageImportsOnlyItsOwn =
  (serverPackages: readonly string[]): Rule =>
  (sources) =>
    sources.filter(isIn("web")).flatMap((source) =>
      source.imports.flatMap(({ spec, path, isType }) => {
        const isForeign = path !== undefined && !/^(web|protocol)\//.test(path);
        const isOfServer = spec.startsWith("node:") || serverPackages.includes(toPackage(spec));
        if (!isForeign && !(isOfServer && !isType)) return [];
        return [`${source.path} imports ${spec}: the page may import only protocol/ and its own packages`];
      }),
    );

export const toPackage = (spec: string): string => /^(@[^/]+\/)?[^/]+/.exec(spec)?.[0] ?? spec;

/** Modules that are loaded from `entries`, directly or not, must not load the package. */
const loadsNo =
  (name: string, entries: (source: Source) => boolean, advice: string): Rule =>
  (sources) => {
    const byPath = new Map(sources.map((source) => [source.path, source]));
    const reasons = new Map<string, string>();
    const visit = (source: Source, via: string): void => {
      if (reasons.has(source.path)) return;
      reasons.set(source.path, via);
      for (const { path, isType } of source.imports) {
        const target = path === undefined || isType ? undefined : byPath.get(path);
        if (target) visit(target, `${via} > ${target.path}`);
      }
    };
    for (const source of sources) if (entries(source)) visit(source, source.path);
    return [...reasons].flatMap(([path, via]) =>
      byPath.get(path)?.imports.some((one) => one.spec === name && !one.isType)
        ? [`${via} loads ${name}: ${advice}`]
        : [],
    );
  };

/** zod would add 60 kB to the page, so modules it loads from protocol/ must not load zod. */
export const pageLoadsNoZod: Rule = loadsNo("zod", isIn("web"), "use import type");

const threadsOfSqlite = ["writer.ts", "checkpoint-thread.ts", "file/read-thread.ts"];
/** Kysely has 300 modules, which every thread would load again: it would take four times as long to start. */
export const threadsLoadNoKysely: Rule = loadsNo(
  "kysely",
  ({ path }) => threadsOfSqlite.includes(path.replace("server/store/sqlite/", "")),
  "move what the thread needs to a module without it",
);

/** Context assembly and decisions are pure, so that they can be replayed: no files, network, database or waiting. */
export const decisionsArePure: Rule = (sources) =>
  sources
    .filter((source) => !isTest(source))
    .filter(({ path }) => path.startsWith("server/context/") || path === "server/run/next-step.ts")
    .flatMap(({ path, imports, bare }) => [
      ...imports
        .filter(({ spec, isType }) => !isType && spec.startsWith("node:") && spec !== "node:crypto")
        .map(({ spec }) => `${path} imports ${spec}: it must stay pure`),
      ...imports
        .filter((one) => !one.isType && /^server\/(store|log|auth|model|http|net)\//.test(one.path ?? ""))
        .map((one) => `${path} loads ${one.path}: it must stay pure; import only types, or pass in a value`),
      ...(/\bawait\b/.test(bare) ? [`${path} awaits: it must stay pure`] : []),
    ]);
