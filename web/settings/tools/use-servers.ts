import { useCallback, useEffect, useEffectEvent, useState } from "react";
import type { Response } from "../../../protocol/api.ts";
import type { ServerStatus } from "../../../protocol/servers/servers.ts";
import { toFailure, type Loaded } from "../../frame/loaded.ts";
import { usePage } from "../../state/page.ts";
import type { ToolOffer } from "./describe-tool.ts";

type House = { readonly tools: readonly ToolOffer[] | null; readonly servers: readonly ServerStatus[] };

const lookAgainMs = 1500;

/**
 * Tools, and the servers that some of them come from. Asking for the tools is what makes a server be reached: so both are asked
 * for, then the servers again, and again while one is on its way. A tab that comes back to the front looks anew, for a sign-in
 * happens in another.
 */
export function useServers() {
  const { client } = usePage();
  const [house, setHouse] = useState<Loaded<House>>({ phase: "loading" });
  const put = useCallback((servers: readonly ServerStatus[], tools?: Response<"listTools">["tools"]) => {
    setHouse((before) => ({
      phase: "ready",
      value: { servers, tools: tools ?? (before.phase === "ready" ? before.value.tools : null) },
    }));
  }, []);
  const load = useCallback(async () => {
    try {
      put((await client.listServers({ params: {} })).servers);
      const { tools } = await client.listTools({ params: {} });
      put((await client.listServers({ params: {} })).servers, tools);
    } catch (error) {
      setHouse((before) => (before.phase === "ready" ? before : { phase: "failed", text: toFailure(error) }));
    }
  }, [client, put]);
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
  const isWaiting = house.phase === "ready" && house.value.servers.some(({ state }) => state === "connecting");
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => loadLatest(), lookAgainMs);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return { house, put, reload: () => void load() } as const;
}
