import { DAY_MS } from "../../lib/clock.ts";
import { toRequest } from "./intents.ts";
import { cut } from "./passages.ts";
import { readJson, toFields, toList, toText, type FinishedCall, type Input, type PlannedCall } from "./tool-results.ts";

/** A plain request to a project. An entity that is to be changed or deleted must be looked up by name first. */
type ProjectRequest =
  /** `inside`: an entity to create in the project that the call creates. */
  | { readonly do: "call"; readonly tool: string; readonly input: Input; readonly inside?: Input }
  | { readonly do: "change"; readonly name: string; readonly kind: string | undefined; readonly set: Input }
  | { readonly do: "delete"; readonly name: string; readonly kind: string | undefined };

const kinds = ["task", "event", "document", "goal", "milestone", "risk", "note"];
const kindSynonyms = {
  todo: "task",
  "to-do": "task",
  meeting: "event",
  appointment: "event",
  doc: "document",
  page: "document",
};
const states = ["done", "reached", "active", "blocked", "open"];
const stateSynonyms = { finished: "done", completed: "done", complete: "done", achieved: "reached", started: "active" };
const kind = `(?<kind>(?:${[...kinds, ...Object.keys(kindSynonyms)].join("|")})s?)`;
const state = `(?<state>${[...states, ...Object.keys(stateSynonyms)].join("|")})`;
const called = "(?:[\\s,]*(?:called|named|titled|to|for|about|:)[\\s:]+|\\s+)";
const calledStart = new RegExp(`^${called}`, "iu");
const the = "(?:(?:the|my|our)\\s+)?";
const item = `${the}(?:${kind}\\s+)?(?:called\\s+|named\\s+)?(?<name>.+?)`;

type Words = Readonly<Record<string, string | undefined>>;
type Form = {
  readonly pattern: RegExp;
  readonly toProjectRequest: (words: Words, now: number | undefined) => ProjectRequest | undefined;
};
const form = (pattern: string, toProjectRequest: Form["toProjectRequest"]): Form => ({
  pattern: new RegExp(`^(?:${pattern})$`, "iu"),
  toProjectRequest,
});

const forms: readonly Form[] = [
  form(
    `(?:create|start|make|add|set up|new)\\s+(?:(?:a|an|the|another)\\s+)?(?:new\\s+)?project${called}(?<name>.+)`,
    ({ name = "" }, now) => createProject(name, now),
  ),
  form(`(?:list|show|what are)\\s+(?:me\\s+)?(?:all\\s+)?${the}projects`, () => list({ kinds: ["project"] })),
  form(
    `(?:what|which|show|list)(?:['’]s| is| are)?\\s*(?:me\\s+)?${the}(?:(?:${kind}\\s+)?(?:that\\s+)?(?:is |are )?)?(?:overdue|late)(?:\\s+tasks)?`,
    ({ kind: word }) => list({ ...ofKind(word), overdue: true }),
  ),
  form(`(?:show|open|list|what is)\\s+(?:me\\s+)?${the}(?:document|doc)s?['’]?\\s*(?:tree|structure|outline)`, () => ({
    do: "call",
    tool: "get_entity",
    input: { tree: true },
  })),
  form(
    `(?:list|show|give me|what are|what|which)\\s+(?:me\\s+)?(?:all\\s+)?${the}(?<open>open\\s+|unfinished\\s+|remaining\\s+)?${kind}(?:\\s+(?:do i have|are there|are left|are open))?`,
    ({ kind: word, open }) => list({ ...ofKind(word), ...(open === undefined ? {} : { open: true }) }),
  ),
  form(
    `(?:add|create|make|write|draft|plan|put|new)\\s+(?:me\\s+)?(?:(?:a|an|another|the)\\s+)?(?:new\\s+)?(?:(?<priority>low|medium|high|urgent)(?:[- ]priority)?\\s+)?${kind}(?<rest>${called}.+)`,
    ({ kind: word, priority, rest = "" }, now) => createOne(toKind(word) ?? "task", priority, rest, now),
  ),
  form(`(?:mark|set|move)\\s+${item}\\s+(?:as\\s+|to\\s+)?${state}`, ({ kind: word, name, state: said }) =>
    change(word, name, { state: toState(said) }),
  ),
  form(`rename\\s+${item}\\s+to\\s+(?<text>.+)`, ({ kind: word, name = "", text }) =>
    isPath(name) ? undefined : change(word, name, { title: toTitle(text) }),
  ),
  form(
    `(?:delete|remove)\\s+(?:the|my|our)\\s+${kind}\\s+(?:called\\s+|named\\s+)?(?<name>.+)`,
    ({ kind: word, name = "" }) =>
      isPath(name) ? undefined : { do: "delete", name: toTitle(name), kind: toKind(word) },
  ),
];

/** Undefined if the text asks for something else, or not plainly. */
export const findProjectRequest = (text: string, now: number | undefined): ProjectRequest | undefined => {
  const request = toRequest(text).replace(/\s+/g, " ");
  for (const { pattern, toProjectRequest } of forms) {
    const found = pattern.exec(request);
    const result = found && toProjectRequest(found.groups ?? {}, now);
    if (result) return result;
  }
  return undefined;
};

const list = (input: Input): ProjectRequest => ({ do: "call", tool: "list_entities", input });
const create = (entity: Input): Extract<ProjectRequest, { do: "call" }> => ({
  do: "call",
  tool: "create_entities",
  input: { entities: [entity] },
});
/** "Garden and add a task to buy seeds": the project, then the task in it. */
const createProject = (name: string, now: number | undefined): ProjectRequest => {
  const found = /,? and (?:then )?(?:also )?(?=(?:add|create|make|put|plan) )/iu.exec(name);
  const more = found && findProjectRequest(name.slice(found.index + found[0].length), now);
  const [entity] = more?.do === "call" ? toList(more.input["entities"]) : [];
  const inside = toFields(entity);
  if (!found || !inside || inside["kind"] === "project") return create({ kind: "project", title: toTitle(name) });
  return { ...create({ kind: "project", title: toTitle(name.slice(0, found.index)) }), inside };
};
const change = (word: string | undefined, name: string | undefined, set: Input): ProjectRequest => ({
  do: "change",
  name: toTitle(name),
  kind: toKind(word),
  set,
});

const withBody = /^(?<title>.+?)(?:,?\s+(?:with|saying|containing)(?:\s+the\s+text)?[\s:]+|\s*:\s+)(?<body>.+)$/iu;

const createOne = (
  named: string,
  priority: string | undefined,
  rest: string,
  now: number | undefined,
): ProjectRequest | undefined => {
  const said = rest.replace(calledStart, "");
  const { title = said, body } =
    (named === "document" || named === "note" ? withBody.exec(said)?.groups : undefined) ?? {};
  const { words, date } = body === undefined ? findDate(title, now) : { words: title };
  const plain = toTitle(words);
  if (plain === "") return undefined;
  return create({
    kind: named,
    title: plain,
    ...(body === undefined ? {} : { body: body.trim() }),
    ...(priority === undefined ? {} : { priority: priority.toLowerCase() }),
    ...(date === undefined ? {} : { [named === "event" ? "starts" : "ends"]: date }),
  });
};

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const dateForm = new RegExp(
  `\\s*,?\\s*(?:due(?: on| by)?|by|on|for|until|before)\\s+(?<date>\\d{4}-\\d{2}-\\d{2}|today|tomorrow|(?:next |this )?(?:${weekdays.join("|")}))(?![\\p{L}\\p{N}-])`,
  "iu",
);

/** A date and the text without it. Relative dates are understood only when the current time is known. */
const findDate = (text: string, now: number | undefined): { readonly words: string; readonly date?: string } => {
  const found = dateForm.exec(text);
  const named = (found?.groups?.["date"] ?? "").toLowerCase().replace(/^(?:next|this) /, "");
  const isAbsolute = /^\d/.test(named);
  if (found === null || (!isAbsolute && now === undefined)) return { words: text };
  const weekday = weekdays.indexOf(named);
  const untilWeekday = (weekday - new Date(now ?? 0).getUTCDay() + 7) % 7 || 7;
  const ahead = weekday >= 0 ? untilWeekday : named === "tomorrow" ? 1 : 0;
  const date = isAbsolute ? named : new Date((now ?? 0) + ahead * DAY_MS).toISOString().slice(0, 10);
  const words = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`;
  return { words: words.replace(/\s+/g, " ").trim(), date };
};

const toKind = (word: string | undefined): string | undefined => {
  const singular = word?.toLowerCase().replace(/s$/, "");
  return Object.entries(kindSynonyms).find(([synonym]) => synonym === singular)?.[1] ?? singular;
};
const toState = (word = ""): string =>
  Object.entries(stateSynonyms).find(([synonym]) => synonym === word.toLowerCase())?.[1] ?? word.toLowerCase();
const ofKind = (word: string | undefined): Input => {
  const found = toKind(word);
  return found === undefined ? {} : { kinds: [found] };
};
const isPath = (name: string): boolean => /\.\w{1,8}$|\//.test(name);

const toTitle = (text = ""): string =>
  text
    .trim()
    .replace(/^["“'‘](.+)["”'’]$/u, "$1")
    .replace(/[.,;:\s]{1,20}$/u, "")
    .slice(0, 300)
    .toWellFormed();

export const startProjectRequest = (request: ProjectRequest): PlannedCall => {
  if (request.do === "call") return { name: request.tool, input: request.input };
  const kinds = request.kind === undefined ? {} : { kinds: [request.kind] };
  return { name: "list_entities", input: { words: request.name, ...kinds, limit: 8 } };
};

/** The change or deletion after the lookup, if it is clear which entity is meant; or the entity in a new project. */
export const continueProjectRequest = (
  request: ProjectRequest,
  calls: readonly FinishedCall[],
): readonly PlannedCall[] => {
  const last = calls.at(-1);
  if (request.do === "call" && request.inside && last?.name === "create_entities" && !last.failed) {
    const project = findCreated(toFields(readJson(last.text)) ?? {});
    const id = toText(project?.["id"]);
    return id === "" ? [] : [{ name: "create_entities", input: { project_id: id, entities: [request.inside] } }];
  }
  if (request.do === "call" || last?.name !== "list_entities" || last.failed) return [];
  const output = toFields(readJson(last.text)) ?? {};
  const listed = toList(output["entities"]).map((row) => toFields(row) ?? {});
  const same = listed.filter(({ title }) => toText(title).toLowerCase() === request.name.toLowerCase());
  const found = (same.length === 1 ? same[0] : listed.length === 1 ? listed[0] : undefined) ?? {};
  const { id } = found;
  if (toText(id) === "") return [];
  // A thread in no project finds entities of all projects, and must name the project to change them.
  const projectId = toText(found["project_id"] ?? toFields(output["project"])?.["id"]);
  const place = projectId === "" ? {} : { project_id: projectId };
  return request.do === "delete"
    ? [{ name: "delete_entities", input: { ...place, ids: [id] } }]
    : [{ name: "update_entities", input: { ...place, updates: [{ id, ...request.set }] } }];
};

const MAX_CHARACTERS = 4000;

/** Renders the results of project tools; undefined if the result is to be quoted as it is. */
export const projectRenderers: Readonly<Record<string, (output: Input, question: string) => string | undefined>> = {
  list_entities: ({ entities, total }, question) => {
    const lines = toLines(entities);
    const request = findProjectRequest(question, undefined);
    if (request !== undefined && request.do !== "call") {
      return lines.length === 0
        ? `Nothing in the project matches “${request.name}”, so nothing was changed.`
        : `Several things match “${request.name}”, so nothing was changed. Say which one, by its full title:\n\n${lines.join("\n")}`;
    }
    if (lines.length === 0) return "There are none.";
    const more = typeof total === "number" && total > lines.length;
    return cut(`${lines.join("\n")}${more ? `\n\nThese are ${lines.length} of ${total}.` : ""}`, MAX_CHARACTERS);
  },
  get_entity: ({ tree }) => toText(tree) || undefined,
  create_entities: (output) => renderChanged("Added", output),
  update_entities: (output) => renderChanged("Changed", output),
  delete_entities: ({ done }) => toText(done) || undefined,
};

/** The project that a call created. */
const findCreated = ({ entities }: Input): Input | undefined =>
  toList(entities)
    .map((row) => toFields(row) ?? {})
    .find((row) => row["kind"] === "project");

const renderChanged = (verb: string, output: Input): string | undefined => {
  const { entities } = output;
  const project = findCreated(output);
  if (project) return `The project **${toText(project["title"])}** was created.`;
  const lines = toLines(entities);
  return lines.length === 0 ? undefined : `${verb}:\n\n${cut(lines.join("\n"), MAX_CHARACTERS)}`;
};

const toLines = (entities: unknown): readonly string[] => toList(entities).map((row) => toLine(toFields(row) ?? {}));

const toLine = (row: Input): string => {
  const text = (name: string): string => toText(row[name]);
  const details = [
    text("state"),
    text("priority") && `${text("priority")} priority`,
    text("starts") && `from ${text("starts")}`,
    text("ends") && `${text("kind") === "event" ? "until" : "due"} ${text("ends")}`,
    row["overdue"] === true ? "overdue" : "",
  ].filter((detail) => detail !== "");
  const named = text("kind") && ` (${text("kind")})`;
  return `- **${text("title") || text("name")}**${named}${details.length > 0 ? `: ${details.join(", ")}` : ""}`;
};
