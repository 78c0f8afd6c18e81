import type { Part } from "../../../protocol/parts.ts";
import { PART_VERSION } from "../../../protocol/parts.ts";
import { checkCitations } from "../../tools/web/cite.ts";
import type { Running } from "../running.ts";
import type { RunState } from "../state.ts";

const marker = /\[(\d{1,6}(?:\s*[,;]\s*\d{1,6})*)\]/g;
const MOST_REFS = 50;

/** What stands behind each `[n]` of an answer, from the texts that were kept; nothing where none was ever kept. */
export async function citeAnswer(run: Running, state: RunState, text: string): Promise<Part[]> {
  const refs = new Set([...text.matchAll(marker)].flatMap(([, numbers = ""]) => numbers.split(/[,;]/).map(Number)));
  if (refs.size === 0) return [];
  const { threadId, messageId, step } = state.view;
  const { read } = run.store;
  if ((await read.lastRef(threadId)) === 0) return [];
  const rows = await Promise.all([...refs].slice(0, MOST_REFS).map((ref) => read.artifact(threadId, ref)));
  const cited = rows.flatMap((row) => (row ? [{ ref: row.ref, text: row.body }] : []));
  const value = checkCitations(text, cited);
  const n = state.nextPart;
  return [{ id: `${messageId}.${n}`, v: PART_VERSION, n, step, kind: "data", name: "citations", value }];
}
