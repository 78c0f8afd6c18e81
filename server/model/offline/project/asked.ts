import { toRequest } from "../intents/polite.ts";
import type { Input } from "../turn.ts";
import { findWhen } from "./when.ts";

/** What a person plainly asks of a project. `change` and `delete` must find what they speak of first. */
export type Asked =
  | { readonly do: "call"; readonly tool: string; readonly input: Input }
  | { readonly do: "change"; readonly name: string; readonly kind?: string | undefined; readonly set: Input }
  | { readonly do: "delete"; readonly name: string; readonly kind?: string | undefined };

const kindWords: Readonly<Record<string, string>> = {
  task: "tasks?|to-?dos?",
  event: "events?|meetings?|appointments?",
  document: "documents?|docs?|pages?",
  goal: "goals?",
  milestone: "milestones?",
  plan: "plans?",
  risk: "risks?",
  requirement: "requirements?",
  note: "notes?",
};
const kind = `(?<kind>${Object.values(kindWords).join("|")})`;
const states: Readonly<Record<string, readonly [string, string]>> = {
  done: ["done|finished|completed?", "done"],
  reached: ["reached|achieved", "reached"],
  active: ["active|started|in progress", "active"],
  blocked: ["blocked|stuck", "blocked"],
  dropped: ["dropped|cancell?ed|abandoned", "dropped"],
  open: ["open|not done|undone", "open"],
  current: ["current", "current"],
  outdated: ["outdated", "outdated"],
};
const state = `(?<state>${Object.values(states)
  .map(([words]) => words)
  .join("|")})`;
const called = "(?:[\\s,]*(?:called|named|titled|to|for|about|that says|:)[\\s:]+|\\s*:\\s*|\\s+)";
const the = `(?:(?:the|my|our)\\s+)?`;
const item = `${the}(?:${kind}\\s+)?(?:called\\s+|named\\s+)?(?<name>.+?)`;

type Words = Readonly<Record<string, string | undefined>>;
type Form = { readonly form: RegExp; readonly to: (words: Words, now: number | undefined) => Asked | undefined };
const form = (pattern: string, to: Form["to"]): Form => ({ form: new RegExp(`^(?:${pattern})$`, "iu"), to });

const forms: readonly Form[] = [
  form(
    `(?:create|start|make|open|add|set up|new)\\s+(?:(?:a|an|the|another)\\s+)?(?:new\\s+)?project${called}(?<name>.+)`,
    ({ name }) => create({ kind: "project", title: toTitle(name) }),
  ),
  form(
    `(?:list|show|what are|which are)?\\s*(?:me\\s+)?(?:all\\s+)?(?:of\\s+)?(?:the\\s+|my\\s+)?projects(?:\\s+do i have)?`,
    () => call("list_entities", { kinds: ["project"] }),
  ),
  form(
    `(?:what|which|show|list)(?:['’]s| is| are)?\\s*(?:me\\s+)?(?:${the})(?:(?:${kind}\\s+)?(?:that\\s+)?(?:is |are )?)?(?:overdue|late)(?:\\s+tasks)?`,
    ({ kind: word }) => call("list_entities", { ...ofKind(word), overdue: true }),
  ),
  form(`(?:show|open|list|what is)\\s+(?:me\\s+)?${the}(?:document|doc)s?['’]?\\s*(?:tree|structure|outline)`, () =>
    call("get_entity", { tree: true }),
  ),
  form(
    `(?:what['’]s|what is)\\s+(?:on|in)\\s+(?:the|my|our)\\s+calendar|(?:show|open)\\s+(?:me\\s+)?(?:the|my)\\s+calendar`,
    () => call("list_entities", { kinds: ["event"], sort: "due" }),
  ),
  form(
    `(?:list|show|give me|what are|what|which)\\s+(?:me\\s+)?(?:all\\s+)?(?:of\\s+)?${the}(?<open>open\\s+|unfinished\\s+|remaining\\s+)?${kind}(?:\\s+(?:do i have|are there|are left|are open|have i got))?`,
    ({ kind: word, open }) => call("list_entities", { ...ofKind(word), ...(open === undefined ? {} : { open: true }) }),
  ),
  form(`(?:add|append|write)\\s+(?:this\\s+)?to\\s+${item}\\s*:\\s*(?<text>.+)`, ({ kind: word, name, text }) =>
    change(word, name, { append: text ?? "" }),
  ),
  form(
    `(?:add|create|make|write|draft|plan|put|new)\\s+(?:me\\s+)?(?:(?:a|an|another|the)\\s+)?(?:new\\s+)?(?:(?<priority>low|medium|high|urgent)(?:[- ]priority)?\\s+)?${kind}(?:\\s+(?:in|to|on)\\s+(?:the|my|our|this)\\s+(?:project|calendar|list))?(?<rest>${called}.+)`,
    ({ kind: word, priority, rest }, now) => createOne(word ?? "", priority, rest ?? "", now),
  ),
  form(`(?:mark|set|move)\\s+${item}\\s+(?:as\\s+|to\\s+)?${state}`, ({ kind: word, name, state: said }) =>
    change(word, name, { state: toState(said) }),
  ),
  form(`(?:complete|finish|close)\\s+${item}`, ({ kind: word, name }) =>
    word === undefined && /^(?:it|this|that)$/i.test(name ?? "") ? undefined : change(word, name, { state: "done" }),
  ),
  form(`(?:start|begin)\\s+(?:the|my)\\s+${kind}\\s+(?<name>.+)`, ({ kind: word, name }) =>
    change(word, name, { state: "active" }),
  ),
  form(`reopen\\s+${item}`, ({ kind: word, name }) => change(word, name, { state: "open" })),
  form(`(?:rename|retitle)\\s+${item}\\s+(?:to|as|into)\\s+(?<text>.+)`, ({ kind: word, name, text }) =>
    isPath(name) ? undefined : change(word, name, { title: toTitle(text) }),
  ),
  form(
    `(?:set|change)\\s+the\\s+priority\\s+of\\s+${item}\\s+to\\s+(?<priority>none|low|medium|high|urgent)`,
    ({ kind: word, name, priority }) => change(word, name, { priority: priority?.toLowerCase() }),
  ),
  form(
    `(?:delete|remove)\\s+(?:the|my|our)\\s+${kind}\\s+(?:called\\s+|named\\s+)?(?<name>.+)`,
    ({ kind: word, name }) => (isPath(name) ? undefined : { do: "delete", name: toTitle(name), kind: toKind(word) }),
  ),
];

/** undefined: it asks for something else, or not plainly. */
export function findAsked(text: string, now: number | undefined): Asked | undefined {
  const request = toRequest(text).replace(/\s+/g, " ");
  for (const { form: pattern, to } of forms) {
    const found = pattern.exec(request);
    const asked = found && to(found.groups ?? {}, now);
    if (asked) return asked;
  }
  return undefined;
}

const call = (tool: string, input: Input): Asked => ({ do: "call", tool, input });
const create = (entity: Input): Asked => call("create_entities", { entities: [entity] });

const change = (word: string | undefined, name: string | undefined, set: Input): Asked => ({
  do: "change",
  name: toTitle(name),
  kind: toKind(word),
  set,
});

const withText =
  /^(?<title>.+?)(?:,?\s+(?:with|saying|that says|with the text|containing)(?:\s+the\s+text)?[\s:]+|\s*:\s+)(?<body>.+)$/iu;
const withPriority = /\s*,?\s*(?:\(|with\s+|at\s+)?(?<priority>low|medium|high|urgent)(?:[- ]priority)\)?/iu;

function createOne(
  word: string,
  priority: string | undefined,
  rest: string,
  now: number | undefined,
): Asked | undefined {
  const named = toKind(word) ?? "task";
  const said = rest.replace(new RegExp(`^${called}`, "iu"), "");
  const { title = said, body } =
    (named === "document" || named === "note" ? withText.exec(said)?.groups : undefined) ?? {};
  const when = body === undefined ? findWhen(title, now) : { words: title };
  const rated = withPriority.exec(when.words)?.groups?.["priority"] ?? priority;
  const plain = toTitle(when.words.replace(withPriority, ""));
  if (plain === "") return undefined;
  const { from, to } = "from" in when ? when : {};
  const dates =
    named === "event" ? { starts: from, ends: to } : to === undefined ? { ends: from } : { starts: from, ends: to };
  return create({
    kind: named,
    title: plain,
    ...(body === undefined ? {} : { body: body.trim() }),
    ...(rated === undefined ? {} : { priority: rated.toLowerCase() }),
    ...Object.fromEntries(Object.entries(dates).filter(([, value]) => value !== undefined)),
  });
}

const matches = (pattern: string, word: string): boolean => new RegExp(`^(?:${pattern})$`, "i").test(word);
const toKind = (word: string | undefined): string | undefined =>
  word === undefined ? undefined : Object.entries(kindWords).find(([, pattern]) => matches(pattern, word))?.[0];
const ofKind = (word: string | undefined): Input => {
  const found = toKind(word);
  return found === undefined ? {} : { kinds: [found] };
};
const toState = (word = ""): string => Object.values(states).find(([pattern]) => matches(pattern, word))?.[1] ?? "done";
const isPath = (name = ""): boolean => /\.\w{1,8}$|\//.test(name);

const toTitle = (text = ""): string =>
  text
    .trim()
    .replace(/^["“'‘](.+)["”'’]$/u, "$1")
    .replace(/[.,;:\s]+$/u, "")
    .slice(0, 300)
    .toWellFormed();
