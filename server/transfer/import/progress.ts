import type { Import } from "../../../protocol/account/imports.ts";
import { importSource, type Sources } from "../../../protocol/context/untrusted.ts";
import type { Log, LogEntry } from "../../log/log.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";

/** Stored in the row of an import. */
export type Progress = {
  readonly counts: Import["counts"];
  /** The archive has the signature of this server and user: what it says about origins is true. */
  readonly isOwn: boolean;
  /** Ids of projects in the file, and here. */
  readonly projects: Readonly<Record<string, string>>;
};

export const noProgress: Progress = {
  counts: { threads: 0, messages: 0, known: 0, projects: 0, files: 0, notes: 0, memory: 0 },
  isOwn: false,
  projects: {},
};

export const toProgress = ({ body }: Pick<RowOf<"imports">, "body">): Progress => JSON.parse(body) as Progress;

/** The source of everything in a file. A file is not the user's words, whatever roles it names (decision 37). */
export const sourcesOf = (row: RowOf<"imports">): Sources => (toProgress(row).isOwn ? [] : [importSource(row.name)]);

export type Line = { readonly kind: RowOf<"import_lines">["kind"]; readonly target?: string; readonly text: string };

type Step = {
  readonly position: number;
  readonly lines?: readonly Line[];
  readonly count?: Partial<Progress["counts"]>;
  readonly progress?: Partial<Progress>;
  readonly format?: string;
  readonly staged?: string;
  readonly writes?: readonly Write[];
  readonly events?: readonly LogEntry[];
};

/** Notes of one import that are stored; further ones are counted. */
const MOST_NOTES = 5_000;
const MOST_LINE_CHARACTERS = 8_000;

/**
 * Commits a step with the position that it leads to. The batch fails if another process was at this position, so nothing is done
 * twice. Returns the row after it.
 */
export async function commitStep(
  { log, clock }: { readonly log: Pick<Log, "commit">; readonly clock: Clock },
  row: RowOf<"imports">,
  step: Step,
): Promise<RowOf<"imports"> | "conflict"> {
  const { position, lines = [], count = {}, staged = "", writes = [], events = [], format = row.format } = step;
  const before = toProgress(row);
  const room = MOST_NOTES - before.counts.notes;
  const stored = lines.filter(({ kind }, index) => kind !== "note" || index < room);
  const counts = { ...before.counts };
  for (const [key, value] of Object.entries(count)) counts[key as keyof typeof counts] += value;
  for (const { kind } of lines) {
    if (kind === "note") counts.notes += 1;
    if (kind === "memory") counts.memory += 1;
  }
  const next: RowOf<"imports"> = {
    ...row,
    position,
    staged,
    format,
    lines: row.lines + stored.length,
    body: JSON.stringify({ ...before, ...step.progress, counts }),
    updated_at: clock.now(),
  };
  const { owner, id } = row;
  const result = await log.commit({
    events,
    writes: [
      {
        do: "update",
        table: "imports",
        set: {
          position,
          staged,
          format,
          lines: next.lines,
          body: next.body,
          updated_at: next.updated_at,
        },
        where: { owner, id, position: row.position, lines: row.lines, staged: row.staged },
        expectOne: true,
      },
      ...writes,
      ...stored.map(({ kind, target = "", text }, index): Write => ({
        do: "insert",
        table: "import_lines",
        row: {
          owner,
          import_id: id,
          n: row.lines + index + 1,
          kind,
          target,
          text: text.length > MOST_LINE_CHARACTERS ? `${text.slice(0, MOST_LINE_CHARACTERS).toWellFormed()}…` : text,
        },
      })),
    ],
  });
  return result.ok ? next : "conflict";
}
