import type { Entity, EntityLine, EntityOp } from "../../../protocol/project/project.ts";
import { findKind } from "../../../protocol/project/kinds.ts";

/** Changes of this page that the loaded lists do not contain yet: queued acts, and the results of acts that were committed. */
export type Overlay = {
  readonly ops: readonly EntityOp[];
  /** The server's result at a seq; null: deleted. Lists that were read later take precedence. */
  readonly answers: ReadonlyMap<string, { readonly seq: number; readonly line: EntityLine | null }>;
  /** Changed entities as the user saw them, for lists that do not contain them yet. */
  readonly seen: ReadonlyMap<string, EntityLine>;
};

export const noOverlay: Overlay = { ops: [], answers: new Map(), seen: new Map() };

type Options = {
  readonly overlay: Overlay;
  /** The seq at which the lines were read. */
  readonly seq: number;
  readonly fits: (line: EntityLine) => boolean;
};

/** The lines with the changes applied, filtered by `fits`. Newly fitting lines come last. */
export function overlay(lines: readonly EntityLine[], { overlay: { ops, answers, seen }, seq, fits }: Options) {
  const byId = new Map(lines.map((line) => [line.id, line]));
  for (const [id, answer] of answers) {
    if (answer.seq <= seq) continue;
    if (answer.line) byId.set(id, answer.line);
    else byId.delete(id);
  }
  for (const op of ops) applyOp(byId, op, seen);
  return [...byId.values()].filter(fits);
}

/** One entity with the changes applied. Its version stays the one that was read: the writer tracks its own writes. */
export function overlayEntity(entity: Entity, { ops, answers, seen }: Overlay): Entity {
  const answer = answers.get(entity.id)?.line;
  const byId = new Map([[entity.id, answer && answer.version > entity.version ? answer : toLine(entity)]]);
  for (const op of ops) if (op.do === "update" && op.id === entity.id) applyOp(byId, op, seen);
  const { title, state, priority, startsAt, endsAt } = byId.get(entity.id) ?? entity;
  return { ...entity, title, state, priority, startsAt, endsAt };
}

function applyOp(byId: Map<string, EntityLine>, op: EntityOp, seen: Overlay["seen"]): void {
  if (op.do === "link" || op.do === "unlink") return;
  if (op.do === "create") return void byId.set(op.id, toNewLine(op, byId));
  const line = byId.get(op.id) ?? seen.get(op.id);
  if (!line) return;
  if (op.do === "delete") return void byId.delete(op.id);
  if (op.do === "move") {
    const position = findPosition([...byId.values()], op);
    return void byId.set(op.id, { ...line, parentId: op.parentId, position });
  }
  const { do: _, id: __, version: ___, body, ...fields } = op;
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  byId.set(op.id, { ...line, ...given, ...(body === undefined ? {} : toExcerpt(body)) });
}

type Move = { readonly id: string; readonly parentId: string | null; readonly after?: string | null | undefined };

/** Placed between its new neighbors until the server has answered. */
export function findPosition(lines: readonly EntityLine[], { id, parentId, after }: Move): number {
  const siblings = lines
    .filter((line) => line.parentId === parentId && line.id !== id)
    .toSorted((a, b) => a.position - b.position);
  const at = after === undefined ? siblings.length - 1 : siblings.findIndex((line) => line.id === after);
  const before = siblings[at]?.position;
  const next = siblings[at + 1]?.position;
  if (before === undefined && next === undefined) return 1;
  if (before === undefined) return (next ?? 1) - 1;
  return next === undefined ? before + 1 : (before + next) / 2;
}

function toNewLine(op: Extract<EntityOp, { do: "create" }>, byId: ReadonlyMap<string, EntityLine>): EntityLine {
  const { id, kind, title, body = "", state, priority = "none", startsAt = null, endsAt = null, parentId, after } = op;
  const position = findPosition([...byId.values()], { id, parentId, after });
  return {
    id,
    projectId: "",
    kind,
    title,
    state: state ?? findKind(kind)?.states[0] ?? "",
    priority,
    startsAt,
    endsAt,
    parentId,
    position,
    version: 0,
    createdAt: 0,
    updatedAt: 0,
    ...toExcerpt(body),
  };
}

const excerptCharacters = 200;

const toExcerpt = (body: string) => ({ bodyLength: body.length, excerpt: body.slice(0, excerptCharacters) });

export const toLine = ({ body, ...rest }: Entity): EntityLine => ({ ...rest, ...toExcerpt(body) });
