import { useState } from "react";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { AddServer } from "./add-server.tsx";
import { ServerCard } from "./server-card.tsx";
import { ToolList } from "./tool-list.tsx";
import { useServers } from "./use-servers.ts";

/** The model's tools, and the MCP servers that provide some of them. */
export const ToolsSection = () => {
  const { house, put, reload } = useServers();
  const [note, setNote] = useState("");
  const servers = house.phase === "ready" ? house.value.servers : [];
  return (
    <>
      <Section title="MCP servers">
        <Quiet>
          A server brings tools of its own. What it says about them is not believed: they are watched, and a tool that
          changes is not called until you have seen how.
        </Quiet>
        {house.phase === "loading" && <Waiting />}
        {house.phase === "failed" && <Failed text={house.text} onRetry={reload} />}
        {house.phase === "ready" && servers.length === 0 && <Quiet>There is none yet.</Quiet>}
        <ul aria-label="MCP servers" className="mt-1 grid gap-2 empty:hidden">
          {servers.map((server) => (
            <ServerCard key={server.server} server={server} onChanged={put} onAgain={reload} onNote={setNote} />
          ))}
        </ul>
        <p role="status" className="text-sm text-soft not-empty:py-1">
          {note}
        </p>
        {house.phase === "ready" && (
          <AddServer
            names={servers.map(({ server }) => server)}
            onAdded={(next) => {
              setNote("");
              put(next);
            }}
          />
        )}
      </Section>
      {house.phase === "ready" && <ToolList tools={house.value.tools} />}
    </>
  );
};
