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
import { own } from "../lib/own.ts";

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

export const toPlural = (kind: string): string => findKind(kind)?.plural ?? `${kind}s`;

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

type Dated = Pick<EntityLine, "kind" | "state" | "endsAt">;

/** Past its due date and not finished. Past events are not overdue. */
export const isOverdue = ({ kind, state, endsAt }: Dated, now: number): boolean =>
  endsAt !== null && endsAt < now && findKind(kind)?.ends === "due" && !isEnded(kind, state);

/** The project tab that shows entities of this kind. */
export const toTab = (kind: string): string =>
  kind === "event" ? "timeline" : findKind(kind) ? toPlural(kind) : "overview";
