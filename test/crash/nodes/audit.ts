import pg from "pg";
import { queryPostgres } from "../../support/server/database.ts";

/**
 * A database trigger records for each row of the log which node wrote it and the thread's lease epoch at that time, so that
 * every stale write is detected.
 */
export type AuditRow = {
  readonly stream: string;
  readonly seq: number;
  readonly epoch: number;
  readonly node: string;
  readonly type: string;
};

/** The node's name is a setting of its connections. */
export const asNode = (url: string, node: string): string => `${url}?application_name=${node}`;

export async function startAudit(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`
      create table noted_events (stream text, seq bigint, epoch bigint, node text, type text);
      create function note_event() returns trigger language plpgsql as $$
        begin
          insert into noted_events select new.stream, new.seq, epoch, current_setting('application_name'), new.body::json ->> 'type'
            from streams where id = new.stream;
          return null;
        end $$;
      create trigger note_event after insert on events for each row execute function note_event()`);
  } finally {
    await client.end();
  }
}

/** Rows written by runs, in log order. Admissions are excluded because any node may admit. */
export async function readAudit(url: string, threadId?: string): Promise<readonly AuditRow[]> {
  const rows = await queryPostgres<Record<keyof AuditRow, string>>(
    url,
    "select * from noted_events where stream like ? and type not in ('thread-created', 'input-queued') order by stream, seq",
    [`thread:${threadId ?? "%"}`],
  );
  return rows.map(({ seq, epoch, ...rest }) => ({ ...rest, seq: Number(seq), epoch: Number(epoch) }));
}

/** Each epoch has one holder, and epochs increase. All other writes are stale. */
export function findStaleWrites(written: readonly AuditRow[]): readonly string[] {
  const holders = new Map<string, string>();
  const latest = new Map<string, number>();
  return written.flatMap(({ stream, seq, epoch, node, type }) => {
    const lease = `${stream} epoch ${epoch}`;
    const holder = holders.get(lease) ?? node;
    holders.set(lease, holder);
    const isBack = epoch < (latest.get(stream) ?? 0);
    latest.set(stream, epoch);
    return holder === node && !isBack ? [] : [`event ${seq} (${type}) of ${lease} is by ${node}, not by ${holder}`];
  });
}
