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
  /** How long a preview that is open is waited for. */
  readonly waitMs: number;
};

export type Reports = {
  /** Whose report this is of, in words that are true. */
  readonly about: string;
  readonly isCurrent: boolean;
  /** Newest last. */
  readonly logs: readonly RowOf<"preview_logs">[];
  readonly earlier: number;
};

/** A preview that has said nothing for this long may be closed. */
const SILENT_MS = 15 * 60_000;
const LOOK_MS = 150;
const MOST_ACTS = 100;

/** What the preview said of the newest files; of older ones when it has not been loaded since, and then that is said. */
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
  // Every load leaves a line on the console's side, so its newest one tells how far the preview has come.
  const [newest] = await read.previewLogs(project, "console", 1);
  const acts = await read.fileActsAfter(project, newest?.seq ?? 0, MOST_ACTS);
  return { newest, behind: acts.length };
}

function tell({ newest, behind }: State, silentMs: number): string {
  if (!newest) return "No preview has reported yet: nobody has opened it since there is this project.";
  if (behind === 0) return "The preview shows the newest files.";
  const changes = `${behind}${behind === MOST_ACTS ? " or more" : ""} ${behind === 1 ? "change" : "changes"}`;
  const minutes = Math.round(silentMs / 60_000);
  const cause =
    silentMs < SILENT_MS
      ? "The preview has not reported since the last change"
      : `No preview has reported for ${minutes} minutes, so it may be closed`;
  return `${cause}; the newest report is of ${changes} ago.`;
}
