import { ApiError } from "../../../protocol/errors.ts";
import { projectStream } from "../../../protocol/ids.ts";
import { workspaceLimits } from "../../../protocol/workspace/limits.ts";
import { logKinds, type PreviewLog, type StoredLog } from "../../../protocol/workspace/workspace.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Log } from "../../log/log.ts";
import type { Redactor } from "../../redact/redact.ts";
import type { Reads, Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";

type LogKind = (typeof logKinds)[number];

type Options = {
  readonly read: Pick<Reads, "previewLogs" | "previewLogsPast">;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly redactorOf: (projectId: string) => Redactor;
};

export type Report = { readonly seq: number; readonly logs: readonly PreviewLog[]; readonly loaded: boolean };

/** Half for each kind, so that endless requests do not displace console messages. */
const KEPT_PER_KIND = workspaceLimits.logs / logKinds.length;
const OLDEST_MS = 60 * 60_000;
const levels: Readonly<Record<LogKind, readonly string[]>> = {
  console: ["log", "info", "warn", "error", "debug"],
  network: ["ok", "error"],
};

/** The level of the line that marks a page load. */
const LOAD_LEVEL = "load";

/** Reports of previews. Untrusted text of a page: bounded and redacted. */
export function createPreviewLogs({ read, log, clock, ids, redactorOf }: Options) {
  return {
    report: async (project: RowOf<"projects">, { seq, logs, loaded }: Report): Promise<number> => {
      const now = clock.now();
      const shownSeq = Math.min(seq, project.seq);
      const told: readonly PreviewLog[] = loaded ? [...logs, toLoad(now)] : logs;
      const said = told.map((one) => toStorable(one.text, workspaceLimits.logCharacters));
      const texts = (await redactorOf(project.id).inWorker.value(said)).value as readonly string[];
      const batch = ids.next();
      const rows = told.map((one, n): RowOf<"preview_logs"> => {
        // Keeps the order of messages with the same time.
        const id = `${batch}-${String(n).padStart(3, "0")}`;
        const text = texts[n] ?? "";
        const place = one.place === null ? null : toPlace(one.place);
        return {
          ...{ project: project.id, id, seq: shownSeq, kind: one.kind, level: toLevel(one) },
          ...{ text, place, at: toTime(one.at, now) },
        };
      });
      if (rows.length === 0) return 0;
      const writes: Write[] = rows.map((row) => ({ do: "insert", table: "preview_logs", row }));
      writes.push(...(await toPruning(project.id, rows)));
      const event = { type: "preview-reported", v: 1, seq: shownSeq, kept: logs.length } as const;
      const committed = await log.commit({ events: [{ stream: projectStream(project.id), event }], writes });
      if (!committed.ok) throw new ApiError("not-found", "Not found.");
      return logs.length;
    },

    /** Newest last. */
    list: async (projectId: string, query: Query): Promise<readonly StoredLog[]> => {
      const kinds = query.kind ? [query.kind] : logKinds;
      const lists = await Promise.all(kinds.map((kind) => read.previewLogs(projectId, kind, workspaceLimits.logs)));
      const found = lists.flat().filter(({ text, place }) => fits(`${text} ${place ?? ""}`, query.q ?? ""));
      return found.toSorted(byTime).slice(-query.limit).map(toStored);
    },
  };

  async function toPruning(projectId: string, coming: readonly RowOf<"preview_logs">[]): Promise<readonly Write[]> {
    const past = await Promise.all(
      logKinds.map(async (kind) => {
        const count = coming.filter((row) => row.kind === kind).length;
        return count === 0 ? [] : read.previewLogsPast(projectId, kind, Math.max(0, KEPT_PER_KIND - count));
      }),
    );
    return past.flat().map((id) => ({ do: "delete", table: "preview_logs", where: { project: projectId, id } }));
  }
}

type Query = { readonly kind?: LogKind | undefined; readonly q?: string | undefined; readonly limit: number };

const toLoad = (at: number): PreviewLog => ({
  kind: "console",
  level: LOAD_LEVEL,
  text: "The page was loaded.",
  place: null,
  at,
});

const toLevel = ({ kind, level }: PreviewLog): string =>
  level === LOAD_LEVEL || levels[kind].includes(level) ? level : (levels[kind][0] ?? "log");

const toStorable = (text: string, most: number): string => text.slice(0, most).toWellFormed().replaceAll("\0", "");

const toPlace = (place: string): string | null =>
  /^[^\n\r]{1,380}:\d{1,9}:\d{1,9}$/.test(place) ? toStorable(place, 400) : null;

/** The page's clock is not trusted: times are limited to the recent past. */
const toTime = (at: number, now: number): number => Math.floor(Math.min(now, Math.max(at, now - OLDEST_MS)));

/** Whether the text contains every word. */
export const fits = (text: string, words: string): boolean => {
  const low = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => low.includes(word));
};

const byTime = (a: RowOf<"preview_logs">, b: RowOf<"preview_logs">): number => a.at - b.at || (a.id < b.id ? -1 : 1);

const toStored = ({ project: _, ...row }: RowOf<"preview_logs">): StoredLog => row;
