import { useEffect, useState } from "react";
import type { Project } from "../../protocol/project/project.ts";
import { usePage } from "../state/page.ts";
import { sumOverdue } from "./count-overdue.ts";

/** How much is late in each of these, asked for one after the other once the page has settled, and again with each change. */
export function useOverdue(projects: readonly Project[]): ReadonlyMap<string, number> {
  const { client } = usePage();
  const [counts, setCounts] = useState<ReadonlyMap<string, number>>(new Map());
  const key = projects.map(({ id, seq }) => `${id} ${seq}`).join();
  useEffect(() => {
    const asking = new AbortController();
    const ask = async () => {
      for (const id of key.split(",").map((one) => one.split(" ")[0] ?? "")) {
        if (id === "" || asking.signal.aborted) return;
        const answer = await client.getProject({ params: { projectId: id } }, asking.signal).catch(() => null);
        if (!answer) continue;
        const late = sumOverdue(answer.counts);
        setCounts((before) => (before.get(id) === late ? before : new Map([...before, [id, late]])));
      }
    };
    const timer = setTimeout(() => void ask(), settleMs);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [client, key]);
  return counts;
}

const settleMs = 600;
