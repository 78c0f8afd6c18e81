import {
  Eye,
  FileCode2,
  FilePen,
  FilePlus2,
  FileSymlink,
  FileX2,
  Globe,
  Package,
  Search,
  SquareTerminal,
  type LucideIcon,
} from "lucide-react";
import { useState, type ReactNode } from "react";
import { useFacts } from "../sources/message-facts.ts";
import { useSelected } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import type { ToolPart } from "../labels/tools.ts";
import { ToolFrame } from "../tools/tool-frame.tsx";
import { DiffCounts } from "./diff-counts.tsx";
import { showWorkspace } from "../state/workspace-route.ts";
import { ActDiff, SpareDiff } from "./act-diff.tsx";
import { describeLook, readFileCall, readLogs } from "./read-call.ts";

/** A call of the builder: which file, how many lines came and went, and the lines themselves when the card is opened. */
export const WorkspaceCard = ({ part }: { readonly part: ToolPart }) => {
  const projectId = useProjectOfThread();
  const { path, come, gone, actId, diff, note } = readFileCall(part);
  const isWritten = actId !== "" || diff !== "";
  if (!isWritten) return <LookCard part={part} projectId={projectId} path={path} />;
  const counts = come !== undefined && gone !== undefined && <DiffCounts come={come} gone={gone} />;
  return (
    <ToolFrame
      part={part}
      Face={toFace(part.name)}
      {...(counts ? { brief: counts } : {})}
      more={
        <WhenSeen>
          {projectId !== null && actId !== "" ? (
            <ActDiff projectId={projectId} actId={actId} spare={diff}>
              <OpenFile projectId={projectId} path={path} />
            </ActDiff>
          ) : (
            <SpareDiff diff={diff} />
          )}
        </WhenSeen>
      }
    >
      {note !== "" && <p className="text-sm text-pretty text-soft">{note}</p>}
    </ToolFrame>
  );
};

/** By what is in its name: tools go by more than one. */
const faces: readonly (readonly [string, LucideIcon])[] = [
  ["dependency", Package],
  ["console", SquareTerminal],
  ["network", Globe],
  ["search", Search],
  ["view", Eye],
  ["rename", FileSymlink],
  ["delete", FileX2],
  ["write", FilePlus2],
];
const toFace = (name: string): LucideIcon => faces.find(([word]) => name.includes(word))?.[1] ?? FilePen;

type LookProps = { readonly part: ToolPart; readonly projectId: string | null; readonly path: string };

/** Something was read, searched or asked of the preview. */
const LookCard = ({ part, projectId, path }: LookProps) => {
  const brief = describeLook(part);
  const logs = readLogs(part).filter(({ level }) => level === "error");
  return (
    <ToolFrame part={part} Face={toFace(part.name)} {...(brief === "" ? {} : { brief })}>
      {logs.length > 0 && (
        <ul aria-label="Errors" className="grid gap-1 font-mono text-xs">
          {logs.slice(-3).map(({ text, place }, index) => (
            <li key={index} dir="ltr" className="line-clamp-3 text-danger wrap-anywhere">
              {text}
              {place !== "" && <span className="text-soft"> {place}</span>}
            </li>
          ))}
        </ul>
      )}
      {part.state === "ok" && path !== "" && <OpenFile projectId={projectId} path={path} />}
    </ToolFrame>
  );
};

type OpenProps = { readonly projectId: string | null; readonly path: string };

const OpenFile = ({ projectId, path }: OpenProps) => {
  const page = usePage();
  if (projectId === null || path === "") return null;
  return (
    <p>
      <button
        type="button"
        className="-ms-1.5 inline-flex min-h-7 items-center gap-1.5 rounded-lg px-1.5 text-sm font-medium hover:bg-hover pointer-coarse:min-h-11"
        onClick={() => showWorkspace(page, { projectId, side: "files", path })}
      >
        <FileCode2 aria-hidden="true" className="size-3.5 text-soft" />
        Open in the workspace
      </button>
    </p>
  );
};

/** A closed card asks the server for nothing. */
const WhenSeen = ({ children }: { readonly children: ReactNode }) => {
  const [isSeen, setSeen] = useState(false);
  return (
    <div
      ref={(element) => {
        const card = element?.closest("details");
        if (!card || isSeen) return;
        if (card.open) return setSeen(true);
        const look = () => card.open && setSeen(true);
        card.addEventListener("toggle", look);
        return () => card.removeEventListener("toggle", look);
      }}
      className="grid min-h-4 gap-2 [&>*]:min-w-0"
    >
      {isSeen && children}
    </div>
  );
};

/** The project that the thread of this message belongs to now. */
function useProjectOfThread(): string | null {
  const page = usePage();
  const threadId = useFacts()?.threadId ?? page.route.get().threadId ?? "";
  return useSelected(page.getFeed(threadId).state, (state) =>
    state.phase === "ready" ? (state.view.thread?.projectId ?? null) : null,
  );
}
