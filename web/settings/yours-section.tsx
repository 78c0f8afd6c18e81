import { Brain, ChartNoAxesColumn, Download } from "lucide-react";
import { routes } from "../../protocol/routes.ts";
import { Quiet, Section } from "../project/bits/section.tsx";
import { useSignal } from "../state/cell.ts";
import { usePage } from "../state/page.ts";
import { DeleteEverything } from "./delete-everything.tsx";

/** What is kept about the person: to be seen, carried away and deleted. */
export const YoursSection = () => {
  const { session, sheet } = usePage();
  const state = useSignal(session.state);
  return (
    <>
      <Section title="What is kept">
        <Quiet>What is remembered about you, and what every call has cost, each with its history.</Quiet>
        <div className="mt-2 flex flex-wrap gap-2">
          <button type="button" className="plain-button" onClick={() => sheet.set({ kind: "memory" })}>
            <Brain aria-hidden="true" className="size-4" />
            Open memory
          </button>
          <button type="button" className="plain-button" onClick={() => sheet.set({ kind: "usage" })}>
            <ChartNoAxesColumn aria-hidden="true" className="size-4" />
            Open usage
          </button>
        </div>
      </Section>
      <Section title="Export everything">
        <Quiet>
          One JSON file with all that is yours: threads with every branch, memory, projects, files, profiles and drafts.
          No key is in it. A single thread is exported from its own menu.
        </Quiet>
        <a href={routes.exportEverything.path} download className="plain-button mt-2">
          <Download aria-hidden="true" className="size-4" />
          Export everything
        </a>
      </Section>
      <DeleteEverything />
      <Section title="About">
        <Quiet>
          Stonechat{state.phase === "here" && <> {state.me.version}</>}, under the MIT licence: use, change and share it
          freely.
        </Quiet>
        <Quiet>
          Everything on this page can be done by programs too:{" "}
          <a href="/api/docs" target="_blank" rel="noreferrer" className="text-accent underline underline-offset-2">
            the API
          </a>
          .
        </Quiet>
      </Section>
    </>
  );
};
