import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import type { ServerStatus } from "../../../protocol/mcp-servers.ts";
import { toFailed, type Loaded } from "../../lib/use-load.ts";
import { usePage } from "../../state/page.ts";
import type { ToolOffer } from "./describe-tool.ts";

type ToolServers = { readonly tools: readonly ToolOffer[] | null; readonly servers: readonly ServerStatus[] };

const lookAgainMs = 1500;

/**
 * Tools, and the servers that some of them come from. Asking for the tools is what makes a server be reached: so both are asked
 * for, then the servers again, and again while one is on its way. A tab that comes back to the front looks anew, for a sign-in
 * happens in another.
 */
export function useServers() {
  const { client, session } = usePage();
  const [house, setHouse] = useState<Loaded<ToolServers>>({ phase: "loading" });
  // What was asked for before the newest question or change tells of an earlier time.
  const turn = useRef(0);
  const show = useCallback((servers: readonly ServerStatus[], tools?: readonly ToolOffer[]) => {
    setHouse((before) => ({
      phase: "ready",
      value: { servers, tools: tools ?? (before.phase === "ready" ? before.value.tools : null) },
    }));
  }, []);
  const load = useCallback(async () => {
    const mine = (turn.current += 1);
    const isNewest = () => turn.current === mine;
    try {
      const { servers } = await client.listServers({ params: {} });
      if (!isNewest()) return;
      show(servers);
      const offer = await client.listTools({ params: {} });
      const again = await client.listServers({ params: {} });
      if (!isNewest()) return;
      show(again.servers, offer.tools);
      // The rest of the page offers them too, and asks anew where one may still bring some.
      session.tools.set(again.servers.some(isOnItsWay) ? null : offer);
    } catch (error) {
      if (!isNewest()) return;
      setHouse((before) => (before.phase === "ready" ? before : toFailed(error)));
    }
  }, [client, session, show]);
  /** What a change has answered with; their tools follow. */
  const put = (servers: readonly ServerStatus[]) => {
    show(servers);
    void load();
  };
  const loadLatest = useEffectEvent(() => void load());
  useEffect(() => {
    loadLatest();
    const look = () => document.hidden || loadLatest();
    document.addEventListener("visibilitychange", look);
    addEventListener("focus", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      removeEventListener("focus", look);
    };
  }, []);
  const isWaiting = house.phase === "ready" && house.value.servers.some(isOnItsWay);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => loadLatest(), lookAgainMs);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return { house, put, reload: () => void load() } as const;
}

const isOnItsWay = ({ state }: ServerStatus): boolean => state === "connecting";
