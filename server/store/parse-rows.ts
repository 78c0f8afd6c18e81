import type { Receipt } from "../../protocol/context/receipt.ts";
import type { ThreadEvent } from "../../protocol/events.ts";
import { PART_VERSION, type Part } from "../../protocol/parts.ts";
import { defaultPreferences, type Preferences } from "../../protocol/settings/preferences.ts";
import type { RunView } from "../../protocol/run.ts";
import type { RowOf } from "./schema.ts";

/**
 * Parses stored JSON, which was validated before it was stored. Every stored shape has a version: older ones are read, a newer
 * one is an error (a receipt is skipped), because this server cannot know what it means.
 */
function checkVersion(what: string, version: number, known: number): void {
  if (version > known)
    throw new Error(`This ${what} has version ${version}, which a newer Stonechat stored. Update this server.`);
}

type PartRow = Pick<RowOf<"parts">, "v" | "body">;

/** Whether this version of Stonechat can read the part. */
export const isReadable = ({ v }: PartRow): boolean => v <= PART_VERSION;

export function toPart({ v, body }: PartRow): Part {
  checkVersion("part", v, PART_VERSION);
  return JSON.parse(body) as Part;
}

export const RUN_VERSION = 1;

type RunRow = Pick<RowOf<"runs">, "v" | "body">;

/** The complete state is `RunState` of `run/state.ts`; earlier modules read only these fields. */
export type StoredRun = { readonly view: RunView; readonly stepSeq: number; readonly at: { readonly kind: string } };

/** `stepSeq`: the events of the running step follow this seq. */
export function toStoredRun<State extends StoredRun = StoredRun>({ v, body }: RunRow): State {
  checkVersion("run", v, RUN_VERSION);
  return JSON.parse(body) as State;
}

export const PREFERENCES_VERSION = 1;

/** Without a row, or for fields that the row does not have: the defaults. */
export function toPreferences(row: Pick<RowOf<"preferences">, "v" | "body"> | undefined): Preferences {
  if (!row) return defaultPreferences;
  checkVersion("setting", row.v, PREFERENCES_VERSION);
  return { ...defaultPreferences, ...(JSON.parse(row.body) as Partial<Preferences>) };
}

const RECEIPT_VERSION: Receipt["v"] = 2;

/**
 * Null for other versions: version 1 recorded too little to rebuild a request. A receipt of a newer Stonechat must not stop the
 * next prompt of its thread, which reads the last receipt only to compare caches.
 */
export const toReceipt = ({ v, body }: Pick<RowOf<"receipts">, "v" | "body">): Receipt | null =>
  v === RECEIPT_VERSION ? (JSON.parse(body) as Receipt) : null;

/** Events have version 1 unless they have a field `v`, so that no event pays for it. */
const EVENT_VERSION = 1;

export function toThreadEvent({ body }: { readonly body: string }): ThreadEvent {
  const event = JSON.parse(body) as ThreadEvent & { readonly v?: number };
  checkVersion("event", event.v ?? 1, EVENT_VERSION);
  return event;
}
