import { useEffect, useState } from "react";
import type { Artifact } from "../../protocol/tools.ts";
import { ApiError } from "../../protocol/client.ts";
import { usePage } from "../state/page.ts";

export type ArtifactState =
  | { readonly phase: "loading" }
  | { readonly phase: "ready"; readonly artifact: Artifact }
  | { readonly phase: "failed"; readonly text: string };

/** A kept text never changes: it is asked for once each time it is opened. */
export function useArtifact(threadId: string, ref: number): ArtifactState {
  const { client } = usePage();
  const [state, setState] = useState<ArtifactState>({ phase: "loading" });
  useEffect(() => {
    const asking = new AbortController();
    setState({ phase: "loading" });
    client.getArtifact({ params: { threadId, ref } }, asking.signal).then(
      (artifact) => !asking.signal.aborted && setState({ phase: "ready", artifact }),
      (error: unknown) => !asking.signal.aborted && setState({ phase: "failed", text: toText(error) }),
    );
    return () => asking.abort();
  }, [client, threadId, ref]);
  return state;
}

function toText(error: unknown): string {
  if (!(error instanceof ApiError)) return "The server cannot be reached.";
  return error.status === 404 ? "No copy of this was kept." : error.message;
}
