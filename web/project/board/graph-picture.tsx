import { memo, useEffect, useMemo, useState } from "react";
import type { Edge, EntityLine } from "../../../protocol/project/project.ts";
import { isEnded } from "../../../protocol/project/kinds.ts";
import { prefersReducedMotion } from "../../state/look.ts";
import { capital } from "../../lib/format.ts";
import { createLayout, toBox, type Point } from "./graph-layout.ts";
import { own } from "../../lib/own.ts";
import { nameKind, nameRelation } from "../../labels/entities.ts";

type Props = {
  readonly entities: readonly EntityLine[];
  readonly edges: readonly Edge[];
  readonly chosenId: string | null;
  readonly onChoose: (id: string) => void;
};

const colors: Readonly<Record<string, string>> = {
  goal: "var(--slot-head)",
  milestone: "var(--slot-head)",
  plan: "var(--slot-log)",
  task: "var(--slot-now)",
  event: "var(--accent)",
  document: "var(--slot-tools)",
  risk: "var(--danger)",
};
const stepsPerFrame = 24;
/** Up to this many nodes, all have labels. */
const maxLabeled = 40;

/** The links as a picture, hidden from screen readers: the list next to it has the same content. */
export const GraphPicture = memo(({ entities, edges, chosenId, onChoose }: Props) => {
  const points = useLayout(entities, edges);
  const box = toBox(points, 60);
  const near = useMemo(() => findNear(chosenId, edges), [chosenId, edges]);
  const at = (id: string): Point => points.get(id) ?? { x: 0, y: 0 };
  return (
    <svg
      aria-hidden="true"
      viewBox={`${box.x} ${box.y} ${box.width} ${box.height}`}
      preserveAspectRatio="xMidYMid meet"
      className="size-full select-none"
    >
      {edges.map(({ sourceId, targetId, relation }) => {
        const [from, to] = [at(sourceId), at(targetId)];
        const isNear = chosenId === sourceId || chosenId === targetId;
        return (
          <g key={`${sourceId} ${relation} ${targetId}`}>
            <line
              x1={from.x}
              y1={from.y}
              x2={to.x}
              y2={to.y}
              className={isNear ? "stroke-accent" : "stroke-line-strong"}
              strokeWidth={isNear ? 1.6 : 0.9}
              opacity={chosenId === null || isNear ? 1 : 0.35}
            />
            {isNear && (
              <text
                x={(from.x + to.x) / 2}
                y={(from.y + to.y) / 2 - 3}
                textAnchor="middle"
                className="fill-soft text-[8px]"
              >
                {capital(nameRelation(relation))}
              </text>
            )}
          </g>
        );
      })}
      {entities.map((entity) => {
        const { x, y } = at(entity.id);
        const isChosen = entity.id === chosenId;
        const isFaint = chosenId !== null && !isChosen && !near.has(entity.id);
        return (
          <g
            key={entity.id}
            transform={`translate(${x} ${y})`}
            opacity={isFaint ? 0.4 : 1}
            className="cursor-pointer"
            onClick={() => onChoose(entity.id)}
          >
            <title>{`${capital(nameKind(entity.kind))}: ${entity.title}`}</title>
            <circle r={14} fill="transparent" />
            <circle
              r={isChosen ? 9 : 6.5}
              fill={
                isEnded(entity.kind, entity.state) ? "var(--line-strong)" : (own(colors, entity.kind) ?? "var(--soft)")
              }
              stroke={isChosen ? "var(--ink)" : "var(--ground)"}
              strokeWidth={2}
            />
            {(entities.length <= maxLabeled || isChosen || near.has(entity.id)) && (
              <text
                y={19}
                textAnchor="middle"
                stroke="var(--sunk)"
                strokeWidth={3}
                className={`fill-ink text-[9px] [paint-order:stroke] ${isChosen ? "font-semibold" : ""}`}
              >
                {shorten(entity.title)}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
});

/** Runs some layout steps per frame, so that the page stays responsive. With reduced motion only the result is shown. */
function useLayout(entities: readonly EntityLine[], edges: readonly Edge[]): ReadonlyMap<string, Point> {
  const layout = useMemo(
    () =>
      createLayout(
        entities.map(({ id }) => id),
        edges,
      ),
    [entities, edges],
  );
  const [points, setPoints] = useState<ReadonlyMap<string, Point>>(() => layout.points());
  useEffect(() => {
    const hasReducedMotion = prefersReducedMotion();
    let frame = 0;
    const run = () => {
      const isDone = layout.step(stepsPerFrame);
      if (!hasReducedMotion || isDone) setPoints(layout.points());
      if (!isDone) frame = requestAnimationFrame(run);
    };
    run();
    return () => cancelAnimationFrame(frame);
  }, [layout]);
  return points;
}

function findNear(id: string | null, edges: readonly Edge[]): ReadonlySet<string> {
  if (id === null) return new Set();
  return new Set(
    edges
      .filter(({ sourceId, targetId }) => sourceId === id || targetId === id)
      .flatMap(({ sourceId, targetId }) => [sourceId, targetId]),
  );
}

const maxCharacters = 24;
const shorten = (title: string): string =>
  title.length > maxCharacters ? `${title.slice(0, maxCharacters - 1).trimEnd()}…` : title;
