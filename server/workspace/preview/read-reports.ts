import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Reads } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { fits } from "./logs.ts";

export type ReportQuestion = {
  readonly read: Pick<Reads, "previewLogs" | "fileActsAfter">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly project: string;
  readonly kind: RowOf<"preview_logs">["kind"];
  readonly words: string;
  readonly limit: number;
  /** How long to wait for an open preview. */
  readonly waitMs: number;
};

type Reports = {
  /** Says which version of the files the report is about. */
  readonly about: string;
  readonly isCurrent: boolean;
  /** Newest last. */
  readonly logs: readonly RowOf<"preview_logs">[];
  readonly earlier: number;
};

/** A preview that has not reported for this long may be closed. */
const SILENT_MS = 15 * 60_000;
const LOOK_MS = 150;
const MAX_ACTS = 100;

/** Reports about the newest files; if the preview has not loaded them yet, older reports and a note that says so. */
export async function readReports(question: ReportQuestion): Promise<Reports> {
  const { read, clock, signal, project, kind, waitMs } = question;
  const startedAt = clock.monotonic();
  let state = await look(read, project);
  const silentMs = state.newest === undefined ? Infinity : clock.now() - state.newest.at;
  while (state.newest && state.behind > 0 && clock.monotonic() - startedAt < waitMs && !signal.aborted) {
    await sleep(LOOK_MS, signal);
    state = await look(read, project);
  }
  const rows = await read.previewLogs(project, kind, 500);
  const found = rows.filter(({ text, place }) => fits(`${text} ${place ?? ""}`, question.words));
  const logs = found.slice(0, question.limit).toReversed();
  return { about: tell(state, silentMs), isCurrent: state.behind === 0, logs, earlier: found.length - logs.length };
}

type State = { readonly newest: RowOf<"preview_logs"> | undefined; readonly behind: number };

async function look(read: ReportQuestion["read"], project: string): Promise<State> {
  // Every load adds a console line, so the newest one has the seq that the preview shows.
  const [newest] = await read.previewLogs(project, "console", 1);
  const acts = await read.fileActsAfter(project, newest?.seq ?? 0, MAX_ACTS);
  return { newest, behind: acts.length };
}

function tell({ newest, behind }: State, silentMs: number): string {
  if (!newest) return "No preview has reported yet. The user has not opened it.";
  if (behind === 0) return "The preview shows the newest files.";
  const changes = `${behind}${behind === MAX_ACTS ? " or more" : ""} ${behind === 1 ? "change" : "changes"}`;
  const minutes = Math.round(silentMs / 60_000);
  const cause =
    silentMs < SILENT_MS
      ? "The preview has not reported since the last change"
      : `No preview has reported for ${minutes} minutes, so it may be closed`;
  return `${cause}; the newest report is of ${changes} ago.`;
}
