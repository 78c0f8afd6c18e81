import pg from "pg";
import { queryPostgres } from "../../support/server/database.ts";

/**
 * The database itself notes who writes what: for each row of the log the node, and the thread's epoch at that moment. So a
 * stale write is seen even if its author has hidden it well.
 */
export type Written = {
  readonly stream: string;
  readonly seq: number;
  readonly epoch: number;
  readonly node: string;
  readonly type: string;
};

/** The node's name travels with its connections. */
export const asNode = (url: string, node: string): string => `${url}?application_name=${node}`;

export async function startAudit(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`
      create table audit (stream text, seq bigint, epoch bigint, node text, type text);
      create function note_event() returns trigger language plpgsql as $$
        begin
          insert into audit select new.stream, new.seq, epoch, current_setting('application_name'), new.body::json ->> 'type'
            from streams where id = new.stream;
          return null;
        end $$;
      create trigger note_event after insert on events for each row execute function note_event()`);
  } finally {
    await client.end();
  }
}

/** What runs wrote, in the order of each thread's log. Anyone may admit, so admissions are left out. */
export async function readAudit(url: string, threadId?: string): Promise<readonly Written[]> {
  const rows = await queryPostgres<Record<keyof Written, string>>(
    url,
    "select * from audit where stream like ? and type not in ('thread-created', 'input-queued') order by stream, seq",
    [`thread:${threadId ?? "%"}`],
  );
  return rows.map(({ seq, epoch, ...rest }) => ({ ...rest, seq: Number(seq), epoch: Number(epoch) }));
}

/** An epoch has one holder, and epochs follow each other: whoever else writes is stale. */
export function findStaleWrites(written: readonly Written[]): readonly string[] {
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
