/** A kind of project entity. To add one, see docs/how-to.md. */
export type Kind = {
  readonly name: string;
  readonly plural: string;
  /** In order; the first is the state of a new entity. */
  readonly states: readonly string[];
  /** The states in which no work is left. */
  readonly ended: readonly string[];
  /** Something to work toward: shown with its progress, and listed even in a short project digest. */
  readonly isAim?: true;
  /** Labels of the start and end dates; null if the kind has none. */
  readonly starts: string | null;
  readonly ends: string | null;
  /** Maximum number of entities in the project digest. */
  readonly digestLimit: number;
};

const work = { states: ["open", "active", "blocked", "done", "dropped"], ended: ["done", "dropped"] } as const;
const aim = { states: ["open", "active", "reached", "dropped"], ended: ["reached", "dropped"], isAim: true } as const;

export const kinds: readonly Kind[] = [
  { name: "goal", plural: "goals", ...aim, starts: null, ends: "due", digestLimit: 12 },
  { name: "milestone", plural: "milestones", ...aim, starts: null, ends: "due", digestLimit: 12 },
  {
    name: "plan",
    plural: "plans",
    states: ["draft", "active", "done", "dropped"],
    ended: ["done", "dropped"],
    isAim: true,
    starts: "starts",
    ends: "due",
    digestLimit: 12,
  },
  { name: "task", plural: "tasks", ...work, starts: "starts", ends: "due", digestLimit: 18 },
  {
    name: "event",
    plural: "events",
    states: ["planned", "confirmed", "cancelled"],
    ended: ["cancelled"],
    starts: "starts",
    ends: "ends",
    digestLimit: 16,
  },
  {
    name: "document",
    plural: "documents",
    states: ["draft", "current", "outdated"],
    ended: ["outdated"],
    starts: null,
    ends: null,
    digestLimit: 20,
  },
  {
    name: "risk",
    plural: "risks",
    states: ["open", "watched", "happened", "closed"],
    ended: ["closed"],
    starts: null,
    ends: null,
    digestLimit: 6,
  },
  {
    name: "requirement",
    plural: "requirements",
    states: ["open", "accepted", "met", "dropped"],
    ended: ["met", "dropped"],
    starts: null,
    ends: "due",
    digestLimit: 6,
  },
  {
    name: "note",
    plural: "notes",
    states: ["open", "settled"],
    ended: ["settled"],
    starts: null,
    ends: null,
    digestLimit: 6,
  },
];

export const kindNames: readonly string[] = kinds.map(({ name }) => name);
const byName = new Map(kinds.map((kind) => [kind.name, kind]));
export const findKind = (name: string): Kind | undefined => byName.get(name);
export const aimKinds: readonly string[] = kinds.filter(({ isAim }) => isAim).map(({ name }) => name);
export const isEnded = (kind: string, state: string): boolean => findKind(kind)?.ended.includes(state) === true;

/** Ordered from lowest to highest; the index is stored. */
export const priorities = ["none", "low", "medium", "high", "urgent"] as const;
export type Priority = (typeof priorities)[number];

/** Common relations; any short word is allowed. */
export const relations = ["relates-to", "supports", "depends-on", "blocks", "part-of", "mentions"] as const;

export const projectLimits = {
  nameCharacters: 200,
  titleCharacters: 300,
  bodyCharacters: 200_000,
  instructionCharacters: 20_000,
  opsPerAct: 200,
  /** A tool call with more writes than this needs approval. */
  bulk: 12,
  entities: 100_000,
} as const;
