import { useCallback, useEffect, useState } from "react";
import type { Client } from "../../../protocol/client.ts";
import type { Act } from "../../../protocol/project/project.ts";
import { toErrorText } from "../../lib/use-load.ts";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import type { WorkspaceStore } from "../state/workspace-store.ts";
import { touchesFiles } from "./describe-act.ts";

export type Versions = {
  readonly acts: readonly Act[];
  readonly phase: "loading" | "ready" | "failed";
  readonly text: string;
  readonly hasMore: boolean;
  readonly more: () => void;
};

const pageSize = 60;
const enough = 20;

type Read = { readonly acts: readonly Act[]; readonly next: number | null };

/** Acts that changed files, newest first; optionally of one file. */
export function useVersions({ projectId, feed }: WorkspaceStore, path: string | null): Versions {
  const { client } = usePage();
  const turn = useSignal(feed.turns);
  const key = `${projectId} ${path ?? ""}`;
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly read: Read } | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isMore, setMore] = useState(false);
  const read = loaded?.key === key ? loaded.read : null;

  useEffect(() => {
    let isWanted = true;
    readVersions(client, { projectId, path, before: null }).then(
      (next) => {
        if (!isWanted) return;
        setError(null);
        setLoaded((now) => ({ key, read: now?.key === key ? joinPages(next, now.read) : next }));
      },
      (cause: unknown) => isWanted && setError(toErrorText(cause)),
    );
    return () => {
      isWanted = false;
    };
  }, [client, projectId, path, key, turn]);

  const more = useCallback(() => {
    const before = read?.next ?? null;
    if (read === null || before === null || isMore) return;
    setMore(true);
    readVersions(client, { projectId, path, before })
      .then(
        (next) => setLoaded({ key, read: { acts: [...read.acts, ...next.acts], next: next.next } }),
        (cause: unknown) => setError(toErrorText(cause)),
      )
      .finally(() => setMore(false));
  }, [client, projectId, path, key, read, isMore]);

  const phase = read ? "ready" : error === null ? "loading" : "failed";
  return { acts: read?.acts ?? [], phase, text: error ?? "", hasMore: typeof read?.next === "number", more };
}

/** Keeps older acts; acts in both come from the new page. */
function joinPages(fresh: Read, before: Read): Read {
  const last = fresh.acts.at(-1)?.seq;
  if (last === undefined || fresh.next === null) return fresh;
  const older = before.acts.filter(({ seq }) => seq < last);
  return older.length === 0 ? fresh : { acts: [...fresh.acts, ...older], next: before.next };
}

type Query = { readonly projectId: string; readonly path: string | null; readonly before: number | null };

/** Reads pages until enough acts with file changes are found. */
async function readVersions(client: Pick<Client, "listActs">, { projectId, path, before }: Query): Promise<Read> {
  const found: Act[] = [];
  let next: number | null = before;
  do {
    const query = { limit: pageSize, ...(path === null ? {} : { path }), ...(next === null ? {} : { before: next }) };
    const { acts } = await client.listActs({ params: { projectId }, query });
    found.push(...acts.filter(touchesFiles));
    next = acts.length < pageSize ? null : (acts.at(-1)?.seq ?? null);
  } while (found.length < enough && next !== null);
  return { acts: found, next };
}
