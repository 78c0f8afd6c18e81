import {
  Box,
  CalendarDays,
  CircleCheckBig,
  FileText,
  Flag,
  ListChecks,
  Map as MapIcon,
  ShieldAlert,
  StickyNote,
  Target,
  type LucideIcon,
} from "lucide-react";
import { findKind, isEnded } from "../../protocol/project/kinds.ts";
import type { EntityLine } from "../../protocol/project/project.ts";
import { capital } from "../lib/format.ts";
import { own } from "../lib/own.ts";
import { entities as strings } from "../strings/project/entities.ts";

/** Icons by entity kind; other kinds get a box. */
const pictures: Readonly<Record<string, LucideIcon>> = {
  goal: Target,
  milestone: Flag,
  plan: MapIcon,
  task: CircleCheckBig,
  event: CalendarDays,
  document: FileText,
  risk: ShieldAlert,
  requirement: ListChecks,
  note: StickyNote,
};

export const toPicture = (kind: string): LucideIcon => own(pictures, kind) ?? Box;

/** The word in URLs. */
export const toPlural = (kind: string): string => findKind(kind)?.plural ?? `${kind}s`;

type KindName = { readonly one: string; readonly many: string };

/** Names in the page's language, as in the middle of a sentence. Unknown ones are shown as they are. */
export const nameKind = (kind: string): string => own<KindName>(strings.kinds, kind)?.one ?? kind;
export const nameKinds = (kind: string): string => own<KindName>(strings.kinds, kind)?.many ?? toPlural(kind);
export const nameState = (state: string): string => own<string>(strings.states, state) ?? state;
export const namePriority = (priority: string): string => own<string>(strings.priorities, priority) ?? priority;
export const nameRelation = (relation: string): string =>
  own<string>(strings.relations, relation) ?? relation.replaceAll("-", " ");
export const nameDate = (date: string): string => own<string>(strings.dates, date) ?? date;

/** Labels of choices. */
export const nameAll = <T extends string>(
  choices: readonly T[],
  name: (choice: string) => string,
): Partial<Record<T, string>> =>
  Object.fromEntries(choices.map((choice) => [choice, capital(name(choice))])) as Partial<Record<T, string>>;

export type Tone = "quiet" | "busy" | "bad" | "good";

const bad = new Set(["blocked", "happened", "outdated"]);
const dropped = new Set(["dropped", "cancelled", "outdated"]);

/** Tone of a state: ended, bad, first or in between. */
export function toTone(kind: string, state: string): Tone {
  if (isEnded(kind, state)) return dropped.has(state) ? "quiet" : "good";
  if (bad.has(state)) return "bad";
  return findKind(kind)?.states[0] === state ? "quiet" : "busy";
}

export const toneDots: Readonly<Record<Tone, string>> = {
  quiet: "bg-line-strong",
  busy: "bg-accent",
  bad: "bg-danger",
  good: "bg-good",
};

type DatedItem = Pick<EntityLine, "kind" | "state" | "endsAt">;

/** Past its due date and not finished. Past events are not overdue. */
export const isOverdue = ({ kind, state, endsAt }: DatedItem, now: number): boolean =>
  endsAt !== null && endsAt < now && findKind(kind)?.ends === "due" && !isEnded(kind, state);

/** The project tab that shows entities of this kind. */
export const toTab = (kind: string): string =>
  kind === "event" ? "timeline" : findKind(kind) ? toPlural(kind) : "overview";
