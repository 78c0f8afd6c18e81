import type { Reason } from "../../../protocol/run.ts";
import { hostOf, type Sources } from "../../../protocol/context/untrusted.ts";
import { item, joinTexts, say, sentence, type Text } from "../../../protocol/sentences.ts";
import type { Scope, OutgoingData, Tool } from "../../tools/tool.ts";

/** Input of the approval policy. It comes from code: text from a model, a page or a server cannot change the policy. */
export type PolicyInput = {
  readonly tool: Tool;
  readonly input: unknown;
  /** Sources in the prompt of the model call that made this tool call. */
  readonly untrusted: Sources;
  /** Grants of the user for this thread. */
  readonly grants: ReadonlySet<string>;
  /** The user's message that is being answered. */
  readonly question: string;
  /** Stored memory by field. */
  readonly memory: ReadonlyMap<string, string>;
  readonly scope: Scope;
  /** URLs that the user wrote or a search returned. */
  readonly knownUrls: ReadonlySet<string>;
  /** URLs of pages that were read, and the links on those pages. */
  readonly pageUrls: ReadonlySet<string>;
  /** Data that other calls of this answer have sent, or will send once approved. */
  readonly sentBefore: readonly OutgoingData[];
  /** True if redaction would remove something from the text. */
  readonly holdsSecret: (text: string) => boolean;
};

/** Why a call needs approval. `key`: the grant that *Allow in this thread* stores. */
export type ApprovalRequest = Reason & { readonly key: string };

export const REMEMBERS = "remembers";
export const DESTROYS = "destroys";
/** Limits per answer while untrusted content is in the prompt. A query made of the user's own words does not count. */
const MAX_PAGE_LINKS = 3;
const MAX_QUERIES = 6;
/** Characters of a query beyond the user's own words. */
const MAX_QUERY = 60;

type RuleInput = PolicyInput & { readonly sent: OutgoingData };
type Rule = {
  readonly code: string;
  /** `untrusted`: only with untrusted content in the prompt. */
  readonly when: "always" | "untrusted";
  /** Why it waits for approval; undefined: this rule does not apply. */
  readonly reason: (call: RuleInput) => Text | string | undefined;
  /** Narrows the grant to a part of the tool's use. */
  readonly scope?: (call: RuleInput) => string;
};

/**
 * The approval policy. A tool call waits for approval if any of these rules applies and no grant covers it; the first such rule
 * is shown. See `docs/decisions/0014-untrusted-content.md`.
 */
const rules: readonly Rule[] = [
  { code: "asks", when: "always", reason: ({ tool, input }) => tool.approvalReason?.(input), scope: () => "asks" },
  { code: "spends", when: "always", reason: ({ tool }) => has(tool, "spend") && say(sentence("asks-spend")) },
  { code: DESTROYS, when: "always", reason: ({ tool }) => has(tool, "destructive") && say(sentence("asks-delete")) },
  {
    code: "irreversible",
    when: "always",
    reason: ({ tool }) => (has(tool, "write") && tool.repeat === "once" && say(sentence("asks-once"))) || undefined,
  },
  {
    code: REMEMBERS,
    when: "untrusted",
    reason: ({ tool, input, ...known }) => {
      const reason = tool.remembers?.(input, known);
      return reason === true ? say(sentence("asks-remember")) : reason || undefined;
    },
  },
  {
    code: "asks-untrusted",
    when: "untrusted",
    reason: ({ tool, input, scope }) => tool.approvalReasonIfUntrusted?.(input, scope),
    scope: ({ tool, input, scope }) => toText(tool.approvalReasonIfUntrusted?.(input, scope) ?? "").text,
  },
  {
    code: "sends",
    when: "untrusted",
    reason: ({ tool }) => (has(tool, "egress") && !tool.sends ? say(sentence("asks-send")) : undefined),
  },
  {
    code: "composed-url",
    when: "untrusted",
    reason: (call) => {
      const url = findComposed(call);
      return url === undefined ? undefined : say(sentence("asks-composed", url.slice(0, 300)));
    },
    scope: (call) => hostOf(findComposed(call) ?? ""),
  },
  {
    code: "page-links",
    when: "untrusted",
    reason: (call) => {
      const url = findExtraLink(call);
      if (url === undefined) return undefined;
      return say(sentence("asks-links", MAX_PAGE_LINKS, url.slice(0, 300)));
    },
    scope: (call) => `links ${hostOf(findExtraLink(call) ?? "")}`,
  },
  {
    code: "long-query",
    when: "untrusted",
    reason: ({ sent, question }) =>
      countOthers(sent, question) > MAX_QUERY ? say(sentence("asks-long-query")) : undefined,
    scope: () => "queries",
  },
  {
    code: "many-queries",
    when: "untrusted",
    reason: (call) => (isExtraQuery(call) ? say(sentence("asks-many-queries", MAX_QUERIES)) : undefined),
    scope: () => "queries",
  },
  {
    code: "secret-query",
    when: "untrusted",
    reason: ({ sent, holdsSecret }) => (holdsSecret(queryOf(sent)) ? say(sentence("asks-secret-query")) : undefined),
  },
];

/** Why a call waits for approval; undefined: it may run. */
export function findApprovalRequest(circumstances: PolicyInput): ApprovalRequest | undefined {
  const { tool, input, untrusted, grants } = circumstances;
  const call: RuleInput = { ...circumstances, sent: (has(tool, "egress") && tool.sends?.(input)) || {} };
  for (const { code, when, reason, scope } of rules) {
    if (when === "untrusted" && untrusted.length === 0) continue;
    const why = reason(call);
    if (why === undefined) continue;
    const key = toKey(tool, scope?.(call));
    if (isGranted(grants, tool, scope?.(call))) continue;
    const text = toText(why);
    return { code, ...(when === "untrusted" ? joinTexts(text, describeSources(untrusted)) : text), key };
  }
  return undefined;
}

/** Key of a grant. An MCP tool is identified by its identity, so that another tool with the same name is not covered. */
const toKey = ({ identity, name }: Tool, scope?: string): string =>
  [identity ?? name, ...(scope === undefined ? [] : [scope])].join(" ");

/** A grant stored under an earlier name of the tool still counts. */
const isGranted = (grants: ReadonlySet<string>, tool: Tool, scope?: string): boolean =>
  [tool.name, ...(tool.aliases ?? [])].some((name) => grants.has(toKey({ ...tool, name }, scope)));

const MAX_NAMED = 3;

export function describeSources(sources: Sources) {
  const named = sources.slice(0, MAX_NAMED);
  const rest = sources.length - named.length;
  return say(sentence("asks-sources", [...named, ...(rest > 0 ? [item("item-more", rest)] : [])]));
}

const toText = (reason: Text | string): Text => (typeof reason === "string" ? { text: reason } : reason);

const has = (tool: Tool, effect: Tool["effects"][number]): true | undefined =>
  tool.effects.includes(effect) || undefined;

/** The first composed URL whose host has no grant. A grant for one host does not cover other hosts of the same call. */
const findComposed = ({ tool, sent, knownUrls, pageUrls, grants }: RuleInput): string | undefined =>
  (sent.urls ?? []).find((text) => {
    const url = toPlainUrl(text);
    return !knownUrls.has(url) && !pageUrls.has(url) && !isGranted(grants, tool, hostOf(text));
  });

/** The choice between many links can leak data to the page that offered them, so only a few are allowed without approval. */
function findExtraLink({ tool, sent, sentBefore, knownUrls, pageUrls, grants }: RuleInput): string | undefined {
  const listLinks = ({ urls = [] }: OutgoingData): readonly string[] =>
    urls.map(toPlainUrl).filter((url) => pageUrls.has(url) && !knownUrls.has(url));
  const before = new Set(sentBefore.flatMap(listLinks));
  const more = new Set(listLinks(sent).filter((url) => !before.has(url)));
  if (before.size + more.size <= MAX_PAGE_LINKS) return undefined;
  return [...more].find((url) => !isGranted(grants, tool, `links ${hostOf(url)}`));
}

function isExtraQuery({ sent, sentBefore, question }: RuleInput): boolean {
  if (countOthers(sent, question) === 0) return false;
  const before = sentBefore.filter((one) => countOthers(one, question) > 0).map(queryOf);
  return new Set([...before, queryOf(sent)]).size > MAX_QUERIES;
}

const queryOf = ({ query = "" }: OutgoingData): string => query;

/** Characters of a query, without spaces, that do not belong to words of the user's message. */
function countOthers({ query = "" }: OutgoingData, question: string): number {
  const own = new Set(listWords(question));
  const ownLength = listWords(query).reduce((sum, word) => sum + (own.has(word) ? word.length : 0), 0);
  return foldText(query).replace(/\s/g, "").length - ownLength;
}

const foldText = (text: string): string => text.normalize("NFKC").toLowerCase();
const listWords = (text: string): readonly string[] => foldText(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

/** Normalized URL without the fragment, which is never sent. */
export function toPlainUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.hash = "";
  return url.href;
}
