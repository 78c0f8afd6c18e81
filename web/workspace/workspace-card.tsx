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
import { ActDiff, PlainDiff } from "./act-diff.tsx";
import { describeLook, readFileCall, readLogs } from "./read-call.ts";
import { workspace as strings } from "../strings/workspace/workspace.ts";

/** A builder call: the file and line counts, and the diff when the card is open. */
export const WorkspaceCard = ({ part }: { readonly part: ToolPart }) => {
  const projectId = useProjectOfThread();
  const { path, added, removed, actId, diff, note } = readFileCall(part);
  const isWritten = actId !== "" || diff !== "";
  if (!isWritten) return <LookCard part={part} projectId={projectId} path={path} />;
  const counts = added !== undefined && removed !== undefined && <DiffCounts added={added} removed={removed} />;
  return (
    <ToolFrame
      part={part}
      Face={toIcon(part.name)}
      {...(counts ? { brief: counts } : {})}
      more={
        <WhenOpen>
          {projectId !== null && actId !== "" ? (
            <ActDiff projectId={projectId} actId={actId} fallback={diff}>
              <OpenFile projectId={projectId} path={path} />
            </ActDiff>
          ) : (
            <PlainDiff diff={diff} />
          )}
        </WhenOpen>
      }
    >
      {note !== "" && <p className="text-sm text-pretty text-soft">{note}</p>}
    </ToolFrame>
  );
};

/** By a word in the tool's name, because tools have aliases. */
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
const toIcon = (name: string): LucideIcon => faces.find(([word]) => name.includes(word))?.[1] ?? FilePen;

type LookProps = { readonly part: ToolPart; readonly projectId: string | null; readonly path: string };

/** A call that reads or searches files, or reads the preview's logs. */
const LookCard = ({ part, projectId, path }: LookProps) => {
  const brief = describeLook(part);
  const logs = readLogs(part).filter(({ level }) => level === "error");
  return (
    <ToolFrame part={part} Face={toIcon(part.name)} {...(brief === "" ? {} : { brief })}>
      {logs.length > 0 && (
        <ul aria-label={strings.calls.errors} className="grid gap-1 font-mono text-xs">
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
        {strings.calls.open}
      </button>
    </p>
  );
};

/** Loads nothing while the card is closed. */
const WhenOpen = ({ children }: { readonly children: ReactNode }) => {
  const [wasOpen, setOpened] = useState(false);
  return (
    <div
      ref={(element) => {
        const card = element?.closest("details");
        if (!card || wasOpen) return;
        if (card.open) return setOpened(true);
        const look = () => card.open && setOpened(true);
        card.addEventListener("toggle", look);
        return () => card.removeEventListener("toggle", look);
      }}
      className="grid min-h-4 gap-2 [&>*]:min-w-0"
    >
      {wasOpen && children}
    </div>
  );
};

/** The current project of the message's thread. */
function useProjectOfThread(): string | null {
  const page = usePage();
  const threadId = useFacts()?.threadId ?? page.route.get().threadId ?? "";
  return useSelected(page.getFeed(threadId).state, (state) =>
    state.phase === "ready" ? (state.view.thread?.projectId ?? null) : null,
  );
}
