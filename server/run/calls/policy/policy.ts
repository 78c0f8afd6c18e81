import type { Reason } from "../../../../protocol/run.ts";
import { hostOf, type Sources } from "../../../../protocol/context/untrusted.ts";
import type { Sent, Tool } from "../../../tools/tool.ts";
import { isOwnWords } from "./own-words.ts";

/** What a call is judged by. All of it comes from code: nothing that a model, a page or a server says changes the policy. */
export type Circumstances = {
  readonly tool: Tool;
  readonly input: unknown;
  /** Sources in the prompt of the model call that made this tool call. */
  readonly untrusted: Sources;
  /** What the user allowed for this thread. */
  readonly grants: ReadonlySet<string>;
  /** The user's message that is being answered. */
  readonly question: string;
  /** Addresses that the user wrote, or that a search or a page offered as a result or a link. */
  readonly knownUrls: ReadonlySet<string>;
  /** True when a text holds something that redaction would remove. */
  readonly holdsSecret: (text: string) => boolean;
};

/** `key` is what *allow in this thread* allows. */
export type Question = Reason & { readonly key: string };

export const REMEMBERS = "remembers";
const LONGEST_QUERY = 200;

type Call = Circumstances & { readonly sent: Sent };
type Rule = {
  readonly code: string;
  /** `untrusted`: only with untrusted content in the prompt. */
  readonly when: "always" | "untrusted";
  /** Why it waits for approval; undefined: this rule does not apply. */
  readonly reason: (call: Call) => string | undefined;
  /** What a grant covers beyond the tool itself. */
  readonly scope?: (call: Call) => string;
};

/**
 * THE POLICY: a tool call waits for approval if any of these rules applies and no grant covers it; the first one is shown.
 * Otherwise it runs. `docs/decisions/0014-untrusted-content.md` explains it.
 */
const rules: readonly Rule[] = [
  { code: "asks", when: "always", reason: ({ tool, input }) => tool.asks?.(input), scope: () => "asks" },
  { code: "spends", when: "always", reason: ({ tool }) => has(tool, "spend") && "It spends money." },
  { code: "destroys", when: "always", reason: ({ tool }) => has(tool, "destructive") && "It deletes something." },
  {
    code: "irreversible",
    when: "always",
    reason: ({ tool }) =>
      (has(tool, "write") && tool.repeat === "once" && "It cannot be undone from here.") || undefined,
  },
  {
    code: REMEMBERS,
    when: "untrusted",
    reason: (call) =>
      remembersOthers(call) ? "It wants to store something that you did not write yourself." : undefined,
  },
  {
    code: "sends",
    when: "untrusted",
    reason: ({ tool }) => (has(tool, "egress") && !tool.sends ? "It sends data to another server." : undefined),
  },
  {
    code: "composed-url",
    when: "untrusted",
    reason: (call) => {
      const url = findComposed(call);
      return url === undefined ? undefined : `The model composed this address: ${url.slice(0, 300)}`;
    },
    scope: (call) => hostOf(findComposed(call) ?? ""),
  },
  {
    code: "long-query",
    when: "untrusted",
    reason: ({ sent }) =>
      queryOf(sent).length > LONGEST_QUERY ? "The query is long enough to carry data." : undefined,
  },
  {
    code: "secret-query",
    when: "untrusted",
    reason: ({ sent, holdsSecret }) =>
      holdsSecret(queryOf(sent)) ? "The query holds something that looks like a secret." : undefined,
  },
];

/** Why a call waits for approval; undefined: it may run. */
export function findQuestion(circumstances: Circumstances): Question | undefined {
  const { tool, input, untrusted, grants } = circumstances;
  const call: Call = { ...circumstances, sent: (has(tool, "egress") && tool.sends?.(input)) || {} };
  for (const { code, when, reason, scope } of rules) {
    if (when === "untrusted" && untrusted.length === 0) continue;
    const text = reason(call);
    if (text === undefined) continue;
    const key = toKey(tool, scope?.(call));
    if (grants.has(key)) continue;
    return { code, text: when === "untrusted" ? `${text} ${describeSources(untrusted)}` : text, key };
  }
  return undefined;
}

/** Of a tool of a server: by what it is, so that another one under the same name has no part in it. */
const toKey = ({ identity, name }: Tool, scope?: string): string =>
  [identity ?? name, ...(scope === undefined ? [] : [scope])].join(" ");

const MOST_NAMED = 3;

export function describeSources(sources: Sources): string {
  const named = sources.slice(0, MOST_NAMED);
  const rest = sources.length - named.length;
  const all = [...named, ...(rest > 0 ? [`${rest} more`] : [])];
  const list = all.length > 1 ? `${all.slice(0, -1).join(", ")} and ${all.at(-1)}` : all.join("");
  return `This run has read untrusted content from ${list}.`;
}

const has = (tool: Tool, effect: Tool["effects"][number]): true | undefined =>
  tool.effects.includes(effect) || undefined;

function remembersOthers({ tool, input, question }: Circumstances): boolean {
  const stored = tool.remembers?.(input) ?? false;
  return typeof stored === "boolean" ? stored : !stored.every((text) => isOwnWords(text, question));
}

/** The first of a host that is not allowed yet: allowing one host allows no other in the same call. */
const findComposed = ({ tool, sent, knownUrls, grants }: Call): string | undefined =>
  (sent.urls ?? []).find((url) => !knownUrls.has(toPlainUrl(url)) && !grants.has(toKey(tool, hostOf(url))));

const queryOf = ({ query = "" }: Sent): string => query;

/** As the URL standard writes it, without the fragment, which is never sent. */
export function toPlainUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.hash = "";
  return url.href;
}
