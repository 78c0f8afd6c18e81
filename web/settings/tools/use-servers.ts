import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import type { ServerStatus } from "../../../protocol/mcp-servers.ts";
import { toFailed, type Loaded } from "../../lib/use-load.ts";
import { usePage } from "../../state/page.ts";
import type { ToolOffer } from "./describe-tool.ts";

type ToolServers = { readonly tools: readonly ToolOffer[] | null; readonly servers: readonly ServerStatus[] };

const lookAgainMs = 1500;

/**
 * Tools and MCP servers. Listing the tools makes the server connect to MCP servers, so both are loaded, then the servers
 * again, and repeatedly while one is connecting. Also reloads when the tab becomes visible, because sign-in happens in
 * another tab.
 */
export function useServers() {
  const { client, session } = usePage();
  const [house, setHouse] = useState<Loaded<ToolServers>>({ phase: "loading" });
  // Responses to requests before the newest request or change are outdated.
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
      // The rest of the page shows the tools too; null makes it load them again while a server is connecting.
      session.tools.set(again.servers.some(isOnItsWay) ? null : offer);
    } catch (error) {
      if (!isNewest()) return;
      setHouse((before) => (before.phase === "ready" ? before : toFailed(error)));
    }
  }, [client, session, show]);
  /** Shows the servers from a response, then reloads their tools. */
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
