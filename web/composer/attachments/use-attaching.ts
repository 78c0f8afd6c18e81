import { useEffect, useMemo } from "react";
import type { Attachment } from "../../../protocol/attachments.ts";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { listReady, type Attaching, type Item } from "../../state/attaching.ts";

type Target = {
  /** The thread's id, or "new": the owner of the draft. */
  readonly owner: string;
  /** null: the thread does not exist yet. */
  readonly threadId: string | null;
};

export type ComposerAttachments = Attaching & {
  readonly all: readonly Item[];
  readonly isBusy: boolean;
  /** Names of the files that are being uploaded or read. */
  readonly reading: readonly string[];
  /** Uploaded, not sent yet. */
  readonly ready: readonly Attachment[];
};

export function useAttaching({ owner, threadId }: Target): ComposerAttachments {
  const { getAttaching } = usePage();
  const isFirst = owner === "new" || owner.startsWith("new.");
  const attaching = getAttaching(isFirst ? null : owner);
  const isThere = isFirst || threadId !== null;
  useEffect(() => {
    if (!isThere) return;
    // Another tab may have added, removed or sent files.
    const load = () => void attaching.load();
    load();
    addEventListener("focus", load);
    return () => removeEventListener("focus", load);
  }, [attaching, isThere]);
  const all = useSignal(attaching.items);
  const ready = useMemo(() => listReady(all), [all]);
  const reading = all.filter(({ state }) => state.name === "uploading").map(({ name }) => name);
  return {
    ...attaching,
    all,
    isBusy: reading.length > 0,
    reading,
    ready,
  };
}
