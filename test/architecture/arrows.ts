import { isIn, isTest, type Import, type Rule, type Source } from "./source.ts";

/** The rooms of the server in order: each may import the ones in earlier rows, never its neighbours in a row. */
const order: readonly (readonly string[])[] = [
  ["lib"],
  ["config", "redact", "net", "rank"],
  ["store"],
  ["log"],
  ["auth"],
  ["model"],
  ["memory", "recall", "jobs", "cost", "project"],
  ["workspace"],
  ["tools"],
  ["thread"],
  ["context"],
  ["summary"],
  ["run"],
  ["settings"],
  ["account"],
  ["http"],
  ["serve"],
  ["main"],
];

/** What may be imported from outside a room. `lib` has no inside. To open another door, add it here and say why in review. */
const frontDoors: Readonly<Record<string, readonly string[] | "all">> = {
  lib: "all",
  config: ["config.ts", "config-error.ts", "version.ts"],
  redact: ["redact.ts"],
  net: ["fetch.ts", "open-stream.ts", "check-address.ts", "local-address.ts", "client-address.ts"],
  rank: ["terms.ts", "rank.ts", "score.ts"],
  store: ["contract.ts", "schema.ts", "open.ts", "failure.ts"],
  log: ["log.ts", "types.ts"],
  auth: ["principal.ts", "authenticate.ts", "authorize.ts"],
  model: ["model.ts", "registry.ts", "fallback.ts", "models-config.ts", "live-models.ts"],
  memory: ["memory.ts", "agent-state.ts"],
  recall: ["recall.ts"],
  jobs: ["jobs.ts"],
  cost: ["cost.ts"],
  project: ["project.ts", "digest.ts"],
  workspace: ["workspace.ts", "preview.ts"],
  tools: [
    "tool.ts",
    "catalog.ts",
    "gate.ts",
    "commands.ts",
    "web/cite.ts",
    "web/extract.ts",
    "web/extract/read-page.ts",
    "mcp/servers.ts",
  ],
  thread: [
    "threads.ts",
    "admit.ts",
    "path.ts",
    "snapshot.ts",
    "rows.ts",
    "search-docs.ts",
    "title.ts",
    "drafts.ts",
    "read-marks.ts",
    "temporary.ts",
    "attachments/attachments.ts",
  ],
  context: ["assemble.ts", "ledger/ledger.ts", "bound-result.ts", "extract.ts"],
  summary: ["summary.ts"],
  run: [
    "runner.ts",
    "contexts.ts",
    "verify-receipt.ts",
    "state.ts",
    "views.ts",
    "profiles.ts",
    "own-profiles.ts",
    "secrets.ts",
  ],
  settings: ["providers.ts", "profiles.ts"],
  account: ["shares.ts", "export.ts", "erase.ts"],
  http: ["app.ts", "node-server.ts", "route-types.ts"],
  serve: "all",
};

/** The one file that knows everybody. */
const WIRING = "serve";

const isServer = isIn("server");
const roomOf = (path: string): string | undefined => /^server\/([\w-]+)/.exec(path)?.[1];
const rowOf = (room: string): number => order.findIndex((row) => row.includes(room));

/** Everything a file imports from this project, one sentence for each import that `judge` does not like. */
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
    const [from, to] = [roomOf(source.path) ?? "", roomOf(target) ?? ""];
    if (!target.startsWith("server/")) return "the server stands on protocol/ and itself only";
    if (rowOf(from) < 0) return `"${from}" is no room: give it a row in \`order\` of test/architecture/arrows.ts`;
    if (from === to || rowOf(to) < rowOf(from)) return undefined;
    return `${to}/ comes after ${from}/, or beside it; move the code, or pass it in from main.ts`;
  });

export const roomsAreEnteredByTheFrontDoor: Rule = (sources) =>
  judgeImports(sources.filter(isServer), (source, target) => {
    const [from, to] = [roomOf(source.path), roomOf(target)];
    if (to === undefined || from === to || from === WIRING) return undefined;
    const doors = frontDoors[to];
    if (doors === undefined)
      return `${to}/ has no front door: name it in \`frontDoors\` of test/architecture/arrows.ts`;
    if (doors === "all" || doors.some((door) => target === `server/${to}/${door}`)) return undefined;
    return `the front door of ${to}/ is ${doors.join(" or ")}`;
  });

export const protocolImportsOnlyZod: Rule = (sources) =>
  sources
    .filter(isIn("protocol"))
    .flatMap(({ path, imports }) =>
      imports
        .filter((one) => one.spec !== "zod" && one.path?.startsWith("protocol/") !== true)
        .map((one) => `${path} imports ${one.spec}: protocol/ stands on zod and itself only`),
    );

/** The page carries what it imports: of this project only protocol/, and none of the server's packages. */
export const pageImportsOnlyItsOwn =
  (serverPackages: readonly string[]): Rule =>
  (sources) =>
    sources.filter(isIn("web")).flatMap((source) =>
      source.imports.flatMap(({ spec, path, isType }) => {
        const isForeign = path !== undefined && !/^(web|protocol)\//.test(path);
        const isOfServer = spec.startsWith("node:") || serverPackages.includes(toPackage(spec));
        if (!isForeign && !(isOfServer && !isType)) return [];
        return [`${source.path} imports ${spec}: the page stands on protocol/ and its own packages`];
      }),
    );

export const toPackage = (spec: string): string => /^(@[^/]+\/)?[^/]+/.exec(spec)?.[0] ?? spec;

/** zod is 60 kB that the page does not need: what it loads from protocol/ must not load zod. */
export const pageLoadsNoZod: Rule = (sources) => {
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
  for (const source of sources.filter((one) => isIn("web")(one))) visit(source, source.path);
  return [...reasons].flatMap(([path, via]) =>
    byPath.get(path)?.imports.some((one) => one.spec === "zod" && !one.isType)
      ? [`${via} loads zod: use import type`]
      : [],
  );
};

/** Assembling and deciding are pure, so that they can be replayed: no files, no network, no database, no waiting. */
export const decisionsArePure: Rule = (sources) =>
  sources
    .filter((source) => !isTest(source))
    .filter(({ path }) => path.startsWith("server/context/") || path === "server/run/next-step.ts")
    .flatMap(({ path, imports, bare }) => [
      ...imports
        .filter(({ spec, isType }) => !isType && spec.startsWith("node:") && spec !== "node:crypto")
        .map(({ spec }) => `${path} imports ${spec}: it has to stay pure`),
      ...imports
        .filter((one) => !one.isType && /^server\/(store|log|auth|model|http|net)\//.test(one.path ?? ""))
        .map((one) => `${path} loads ${one.path}: it has to stay pure, take a type or a value`),
      ...(/\bawait\b/.test(bare) ? [`${path} awaits: it has to stay pure`] : []),
    ]);
