import { Focus, X } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import type { Edge, EntityLine } from "../../../protocol/project/project.ts";
import { moveAmongRows } from "../../lib/row-keys.ts";
import { usePage } from "../../state/page.ts";
import { toProjectPath } from "../../state/route.ts";
import { capital, groupDigits } from "../../lib/format.ts";
import { KindMark } from "../entity-marks.tsx";
import { Select } from "../../ui/select.tsx";
import { Failed, Quiet, Waiting } from "../../ui/section.tsx";
import { useProject, useProjectLoad } from "../../state/project/project-context.ts";
import { nameRelation, toTab } from "../../labels/entities.ts";
import { GraphPicture } from "./graph-picture.tsx";
import { project as strings } from "../../strings/project/page.ts";

type Depth = "1" | "2" | "3";

/** Links between entities: the most linked ones of the project, or the neighborhood of one. */
export const Graph = () => {
  const { client } = usePage();
  const { projectId } = useProject();
  const [around, setAround] = useState<EntityLine | null>(null);
  const [depth, setDepth] = useState<Depth>("1");
  const [chosenId, setChosenId] = useState<string | null>(null);
  const { state, reload } = useProjectLoad(`${projectId} ${around?.id ?? ""} ${depth}`, (signal) =>
    client.getGraph(
      { params: { projectId }, query: around ? { around: around.id, depth: Number(depth) } : {} },
      signal,
    ),
  );
  if (state.phase === "loading")
    return (
      <Pad>
        <Waiting />
      </Pad>
    );
  if (state.phase === "failed")
    return (
      <Pad>
        <Failed text={state.text} onRetry={reload} />
      </Pad>
    );
  const { entities, edges, totals } = state.value;
  if (totals.edges === 0)
    return (
      <Pad>
        <Quiet>{strings.graph.empty}</Quiet>
      </Pad>
    );
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 px-4 pb-4 sm:px-8 lg:flex-row">
      <div className="relative min-h-72 flex-[3] overflow-hidden rounded-3xl bg-sunk lg:min-h-0">
        <GraphPicture entities={entities} edges={edges} chosenId={chosenId} onChoose={setChosenId} />
        <p className="absolute start-4 top-3 text-xs text-soft">
          {strings.graph.counts({
            items: groupDigits(entities.length),
            ofItems: groupDigits(totals.entities),
            links: groupDigits(edges.length),
            ofLinks: groupDigits(totals.edges),
          })}
        </p>
      </div>
      <div className="flex min-h-0 flex-[2] flex-col lg:max-w-md">
        {around && (
          <div className="flex flex-none flex-wrap items-center gap-2 pb-2">
            <button
              type="button"
              className="plain-button min-h-8 max-w-full"
              onClick={() => setAround(null)}
              aria-label={strings.graph.showAll(around.title)}
            >
              <span dir="auto" className="min-w-0 truncate">
                {around.title}
              </span>
              <X aria-hidden="true" className="size-3.5 flex-none" />
            </button>
            <Select
              label={strings.graph.depth}
              value={depth}
              choices={["1", "2", "3"]}
              words={strings.graph.depths}
              onChoose={setDepth}
            />
          </div>
        )}
        <GraphList
          entities={entities}
          edges={edges}
          chosenId={chosenId}
          onChoose={setChosenId}
          onAround={(line) => {
            setAround(line);
            setChosenId(line.id);
          }}
        />
      </div>
    </div>
  );
};

const Pad = ({ children }: { readonly children: ReactNode }) => <div className="px-4 sm:px-8">{children}</div>;

type ListProps = {
  readonly entities: readonly EntityLine[];
  readonly edges: readonly Edge[];
  readonly chosenId: string | null;
  readonly onChoose: (id: string) => void;
  readonly onAround: (line: EntityLine) => void;
};

/** The same graph as a list for the keyboard. The selected entity shows its links. */
const GraphList = ({ entities, edges, chosenId, onChoose, onAround }: ListProps) => {
  const { projectId } = useProject();
  const byId = useMemo(() => new Map(entities.map((line) => [line.id, line])), [entities]);
  const linksOf = useMemo(() => groupLinks(edges), [edges]);
  const sorted = useMemo(
    () => entities.toSorted((a, b) => (linksOf.get(b.id)?.length ?? 0) - (linksOf.get(a.id)?.length ?? 0)),
    [entities, linksOf],
  );
  return (
    <div
      onKeyDown={moveAmongRows}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain"
      role="group"
      aria-label={strings.graph.title}
    >
      <ul aria-label={strings.graph.items}>
        {sorted.map((line) => {
          const links = linksOf.get(line.id) ?? [];
          const isChosen = line.id === chosenId;
          return (
            <li key={line.id} className="[contain-intrinsic-size:auto_2.25rem] [content-visibility:auto]">
              <button
                type="button"
                data-row={line.id}
                aria-expanded={isChosen}
                onClick={() => onChoose(line.id)}
                className={`flex min-h-9 w-full items-center gap-2.5 rounded-xl px-2.5 text-start text-sm pointer-coarse:min-h-11 ${isChosen ? "bg-press font-medium" : "hover:bg-hover"}`}
              >
                <KindMark kind={line.kind} />
                <span dir="auto" className="min-w-0 flex-1 truncate">
                  {line.title}
                </span>
                <span className="flex-none text-xs text-soft tabular-nums">{links.length}</span>
              </button>
              {isChosen && (
                <div className="ms-5 grid gap-0.5 py-1 ps-3">
                  {links.map(({ other, label }) => (
                    <button
                      key={`${label} ${other}`}
                      type="button"
                      data-row={other}
                      onClick={() => onChoose(other)}
                      className="flex min-h-8 min-w-0 items-center gap-2 rounded-lg px-2 text-start text-sm hover:bg-hover pointer-coarse:min-h-11"
                    >
                      <span className="flex-none text-xs text-soft">{label}</span>
                      <span dir="auto" className="min-w-0 truncate">
                        {byId.get(other)?.title ?? strings.graph.notShown}
                      </span>
                    </button>
                  ))}
                  <span className="flex gap-1">
                    <a
                      href={toProjectPath(projectId, toTab(line.kind), line.id)}
                      className="plain-button min-h-8 bg-transparent text-accent"
                    >
                      {strings.graph.open}
                    </a>
                    <button
                      type="button"
                      className="plain-button min-h-8 bg-transparent text-accent"
                      onClick={() => onAround(line)}
                    >
                      <Focus aria-hidden="true" className="size-3.5" />
                      {strings.graph.showNeighbors}
                    </button>
                  </span>
                </div>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
};

type LabeledLink = { readonly other: string; readonly label: string };

function groupLinks(edges: readonly Edge[]): ReadonlyMap<string, readonly LabeledLink[]> {
  const links = edges.flatMap(({ sourceId, targetId, relation }) => [
    { id: sourceId, other: targetId, label: `${capital(nameRelation(relation))} →` },
    { id: targetId, other: sourceId, label: `← ${capital(nameRelation(relation))}` },
  ]);
  return Map.groupBy(links, ({ id }) => id);
}
