/** A kind of thing in a project. Another kind is another row here, and nothing else. */
export type Kind = {
  readonly name: string;
  readonly plural: string;
  /** In order; the first is what a new one has. */
  readonly states: readonly string[];
  /** Those of `states` in which nothing is left to do. */
  readonly ended: readonly string[];
  /** What its dates are called; null: it has none of that sort. */
  readonly starts: string | null;
  readonly ends: string | null;
  /** How many stand in what the model is told of a project. */
  readonly told: number;
};

const work = { states: ["open", "active", "blocked", "done", "dropped"], ended: ["done", "dropped"] } as const;
const aim = { states: ["open", "active", "reached", "dropped"], ended: ["reached", "dropped"] } as const;

export const kinds: readonly Kind[] = [
  { name: "goal", plural: "goals", ...aim, starts: null, ends: "due", told: 12 },
  { name: "milestone", plural: "milestones", ...aim, starts: null, ends: "due", told: 12 },
  {
    name: "plan",
    plural: "plans",
    states: ["draft", "active", "done", "dropped"],
    ended: ["done", "dropped"],
    starts: "starts",
    ends: "due",
    told: 12,
  },
  { name: "task", plural: "tasks", ...work, starts: "starts", ends: "due", told: 18 },
  {
    name: "event",
    plural: "events",
    states: ["planned", "confirmed", "cancelled"],
    ended: ["cancelled"],
    starts: "starts",
    ends: "ends",
    told: 16,
  },
  {
    name: "document",
    plural: "documents",
    states: ["draft", "current", "outdated"],
    ended: ["outdated"],
    starts: null,
    ends: null,
    told: 20,
  },
  {
    name: "risk",
    plural: "risks",
    states: ["open", "watched", "happened", "closed"],
    ended: ["closed"],
    starts: null,
    ends: null,
    told: 6,
  },
  {
    name: "requirement",
    plural: "requirements",
    states: ["open", "accepted", "met", "dropped"],
    ended: ["met", "dropped"],
    starts: null,
    ends: "due",
    told: 6,
  },
  { name: "note", plural: "notes", states: ["open", "settled"], ended: ["settled"], starts: null, ends: null, told: 6 },
];

export const kindNames: readonly string[] = kinds.map(({ name }) => name);
const byName = new Map(kinds.map((kind) => [kind.name, kind]));
export const findKind = (name: string): Kind | undefined => byName.get(name);
export const isEnded = (kind: string, state: string): boolean => findKind(kind)?.ended.includes(state) === true;

/** From least to most: the index is what is stored. */
export const priorities = ["none", "low", "medium", "high", "urgent"] as const;
export type Priority = (typeof priorities)[number];

/** What edges mostly say; any short word may stand there. */
export const relations = ["relates-to", "supports", "depends-on", "blocks", "part-of", "mentions"] as const;

export const projectLimits = {
  nameCharacters: 200,
  titleCharacters: 300,
  bodyCharacters: 200_000,
  instructionCharacters: 20_000,
  opsPerAct: 200,
  /** More writes than these by a model in one call ask the person first. */
  bulk: 12,
  entities: 100_000,
} as const;
