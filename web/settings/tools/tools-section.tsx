import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import type { ServerStatus } from "../../../protocol/mcp-servers.ts";
import { toFailed, type LoadState } from "../../lib/use-load.ts";
import { usePage } from "../../state/page.ts";
import { toolSettings as strings } from "../../strings/settings/tools.ts";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { AddServer } from "./add-server.tsx";
import type { ToolOffer } from "./describe-tool.ts";
import { ServerCard } from "./server-card.tsx";
import { ToolList } from "./tool-list.tsx";

/** The model's tools, and the MCP servers that provide some of them. */
export const ToolsSection = () => {
  const { state, put, reload } = useServers();
  const [note, setNote] = useState("");
  const servers = state.phase === "ready" ? state.value.servers : [];
  return (
    <>
      <Section title={strings.servers}>
        <Quiet>{strings.serversAbout}</Quiet>
        {state.phase === "loading" && <Waiting />}
        {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
        {state.phase === "ready" && servers.length === 0 && <Quiet>{strings.serversEmpty}</Quiet>}
        <ul aria-label={strings.servers} className="mt-1 grid gap-2 empty:hidden">
          {servers.map((server) => (
            <ServerCard key={server.server} server={server} onChanged={put} onRetry={reload} onNote={setNote} />
          ))}
        </ul>
        <p role="status" className="text-sm text-soft not-empty:py-1">
          {note}
        </p>
        {state.phase === "ready" && (
          <AddServer
            names={servers.map(({ server }) => server)}
            onAdded={(next) => {
              setNote("");
              put(next);
            }}
          />
        )}
      </Section>
      {state.phase === "ready" && <ToolList tools={state.value.tools} />}
    </>
  );
};

type ToolServers = { readonly tools: readonly ToolOffer[] | null; readonly servers: readonly ServerStatus[] };

const pollMs = 1500;

/**
 * Tools and MCP servers. Listing the tools makes the server connect to MCP servers, so both are loaded, then the servers
 * again, and repeatedly while one is connecting. Also reloads when the tab becomes visible, because sign-in happens in
 * another tab.
 */
function useServers() {
  const { client, session } = usePage();
  const [state, setState] = useState<LoadState<ToolServers>>({ phase: "loading" });
  // Only the response to the newest request is used.
  const newest = useRef(0);
  const show = useCallback((servers: readonly ServerStatus[], tools?: readonly ToolOffer[]) => {
    setState((before) => ({
      phase: "ready",
      value: { servers, tools: tools ?? (before.phase === "ready" ? before.value.tools : null) },
    }));
  }, []);
  const load = useCallback(async () => {
    const request = (newest.current += 1);
    const isNewest = () => newest.current === request;
    try {
      const { servers } = await client.listServers({ params: {} });
      if (!isNewest()) return;
      show(servers);
      const offered = await client.listTools({ params: {} });
      const again = await client.listServers({ params: {} });
      if (!isNewest()) return;
      show(again.servers, offered.tools);
      // The rest of the page shows the tools too; null makes it load them again while a server is connecting.
      session.tools.set(again.servers.some(isConnecting) ? null : offered);
    } catch (error) {
      if (!isNewest()) return;
      setState((before) => (before.phase === "ready" ? before : toFailed(error)));
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
    const onVisible = () => document.hidden || loadLatest();
    document.addEventListener("visibilitychange", onVisible);
    addEventListener("focus", onVisible);
    return () => {
      document.removeEventListener("visibilitychange", onVisible);
      removeEventListener("focus", onVisible);
    };
  }, []);
  const isWaiting = state.phase === "ready" && state.value.servers.some(isConnecting);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => loadLatest(), pollMs);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return { state, put, reload: () => void load() } as const;
}

const isConnecting = ({ state }: ServerStatus): boolean => state === "connecting";
