import { PRE_UPGRADE_SOURCE, joinSources, untrustedIn, type Sources } from "../../protocol/context/untrusted.ts";
import type { Snapshot } from "./assemble.ts";
import type { CompactionState } from "./compaction/compaction.ts";

type Loaded = Pick<Snapshot, "messages" | "compaction" | "memory" | "pins" | "chunks" | "recalled" | "digests">;

/**
 * The untrusted sources of everything that a prompt is assembled from, including parts that the policy leaves out. So a policy
 * that shortens, replays or summarizes cannot lose one.
 */
export const listUntrusted = ({ messages, compaction, memory, pins, chunks, recalled, digests }: Loaded): Sources =>
  joinSources(
    compaction === null ? [] : sourcesOf(compaction.state),
    ...messages.map(({ parts }) => untrustedIn(parts)),
    ...[...memory, ...pins, ...chunks, ...recalled, ...digests].map(({ untrusted }) => untrusted),
  );

const sourcesOf = ({ untrusted, tainted }: CompactionState): Sources =>
  untrusted ?? (tainted === true ? [PRE_UPGRADE_SOURCE] : []);
