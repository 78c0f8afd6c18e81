import type { Reason } from "../../../protocol/run.ts";
import type { Tool } from "../../tools/tool.ts";

/** What a call is judged by. All of it comes from code: nothing a model or a page says changes the policy. */
export type Circumstances = {
  readonly tool: Tool;
  readonly input: unknown;
  /** The run has read text that others wrote. */
  readonly tainted: boolean;
  /** What the person allowed for this thread. */
  readonly grants: ReadonlySet<string>;
  /** URLs that stand in the person's words or in results. */
  readonly knownUrls: ReadonlySet<string>;
  /** True when a text holds something that redaction would take out. */
  readonly holdsSecret: (text: string) => boolean;
};

/** `key` is what *allow in this thread* allows. */
export type Question = Reason & { readonly key: string };

const LONGEST_QUERY = 200;

/** Whether a call waits for the person; undefined: it may run. */
export function findQuestion(call: Circumstances): Question | undefined {
  const isOpen = (question: Question | undefined): boolean => question !== undefined && !call.grants.has(question.key);
  return [judgeArguments(call), judge(call)].find(isOpen);
}

/** What the tool itself wants asked of these arguments. Allowing that allows nothing else of it. */
function judgeArguments({ tool, input }: Circumstances): Question | undefined {
  const text = tool.asks?.(input);
  return text === undefined ? undefined : { code: "asks", text, key: `${tool.name} asks` };
}

function judge(call: Circumstances): Question | undefined {
  const { tool, input, tainted } = call;
  const has = (effect: Tool["effects"][number]) => tool.effects.includes(effect);
  if (has("spend")) return ask(tool, "spends", "It spends money.");
  if (has("destructive")) return ask(tool, "destroys", "It deletes something.");
  if (has("write") && tool.repeat === "once")
    return ask(tool, "irreversible", "What it does cannot be undone from here.");
  if (!tainted) return undefined;
  if (tool.remembers?.(input)) {
    return ask(tool, "remembers", "It wants to remember something after reading text that others wrote.");
  }
  return has("egress") ? judgeSending(call) : undefined;
}

/** After foreign text, what leaves the machine must not carry what the model made of it. */
function judgeSending({ tool, input, knownUrls, holdsSecret }: Circumstances): Question | undefined {
  const sent = tool.sends?.(input);
  if (!sent) return ask(tool, "sends", "It sends data elsewhere, after text that others wrote was read.");
  const composed = (sent.urls ?? []).find((url) => !knownUrls.has(toPlainUrl(url)));
  if (composed !== undefined) {
    const text = "The model made this address up itself, after reading text that others wrote.";
    return { code: "composed-url", text, key: `${tool.name} ${hostOf(composed)}` };
  }
  const { query = "" } = sent;
  if (query.length > LONGEST_QUERY) return ask(tool, "long-query", "The query is long enough to carry data out.");
  if (holdsSecret(query)) return ask(tool, "secret-query", "The query holds something that looks like a secret.");
  return undefined;
}

const ask = (tool: Tool, code: string, text: string): Question => ({ code, text, key: tool.name });

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url.slice(0, 200));

/** As the URL standard writes it, without the fragment, which is never sent. */
export function toPlainUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.hash = "";
  return url.href;
}

const urlPattern = /https?:\/\/[^\s<>"'`\\\])}]+/gi;

/** Every address that stands in a text as it is, with and without punctuation that may follow it. */
export function collectUrls(texts: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const text of texts) {
    for (const [url] of text.matchAll(urlPattern)) {
      found.add(toPlainUrl(url));
      found.add(toPlainUrl(url.replace(/[.,;:!?]+$/, "")));
    }
  }
  return found;
}
