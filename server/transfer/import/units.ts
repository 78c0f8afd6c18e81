import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../log/log.ts";
import type { Write, Reads } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import type { ReadReply, ReadRequest } from "../items.ts";
import { commitStep } from "./progress.ts";

export type Import = RowOf<"imports">;
/** Asks the reader for the next reply. */
export type Ask = (request: Pick<ReadRequest, "position" | "place">) => Promise<ReadReply>;
export type Head<K extends ReadReply["kind"]> = Extract<ReadReply, { kind: K }>;
/** null: the import was removed in the meantime. */
export type StepResult = Promise<Import | null>;

/** In the middle of a thread or project, the position is one that no unit has. */
export const IN_UNIT = -1;

/** Commits a step of an import. Throws if another process was at its position. */
export type Step = ReturnType<typeof createStep>;

export function createStep({ store: { read }, log, clock }: StepDeps) {
  return async (
    row: Import,
    more: Omit<Parameters<typeof commitStep>[2], "position"> & { position?: number },
  ): StepResult => {
    const next = await commitStep({ log, clock }, row, { position: row.position, ...more });
    if (next !== "conflict") return next;
    if (!(await read.importRow(row.owner, row.id))) return null;
    throw new Error("This step of the import could not be stored.");
  };
}

type StepDeps = {
  readonly store: { readonly read: Pick<Reads, "importRow"> };
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
};

/** Owns incomplete imports. The colons cannot occur in ids made by clients or sign-ins, so no user can have this id. */
export const stagingOwner = (owner: string, importId: string): string => `importing:${owner}:${importId}`;

export const stagingUser = ({ owner, id }: Import, now: number): Write[] => [
  { do: "insert", table: "users", row: { id: stagingOwner(owner, id), created_at: now }, ifAbsent: true },
];

/** A thread that needs several commits is the user's only with the last of them. */
export const stageThread = (row: Import, thread: RowOf<"threads">): Write[] => [
  ...stagingUser(row, row.created_at),
  { do: "insert", table: "threads", row: { ...thread, owner: stagingOwner(row.owner, row.id) }, ifAbsent: true },
];

export const publishThread = (row: Import, thread: RowOf<"threads">): Write[] => [
  { do: "update", table: "threads", set: { owner: row.owner }, where: { id: thread.id }, expectOne: true },
  { do: "update", table: "search_docs", set: { owner: row.owner }, where: { thread: thread.id } },
];
