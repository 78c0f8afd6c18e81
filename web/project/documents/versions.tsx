import { RotateCcw } from "lucide-react";
import { useState } from "react";
import type { Entity } from "../../../protocol/project/project.ts";
import { toMoment } from "../../lib/time.ts";
import { useLoad } from "../../lib/use-load.ts";
import { usePage } from "../../state/page.ts";
import { useActs } from "../use-acts.ts";
import { Quiet, Waiting } from "../../ui/section.tsx";
import { useProject } from "../../state/project/project-context.ts";
import { compareLines } from "./compare-lines.ts";
import { documents as strings } from "../../strings/project/documents.ts";

/** Earlier versions of a document, with differences to the current one and a button to restore them. */
export const Versions = ({ entity }: { readonly entity: Entity }) => {
  const { phase, acts, hasMore, more } = useActs(entity.id);
  const [chosen, setChosen] = useState<string | null>(null);
  const texts = acts.filter(({ changes }) =>
    changes.some(({ id, after }) => id === entity.id && after !== null && "body" in after),
  );
  return (
    <div className="grid gap-2">
      {phase === "loading" && <Waiting />}
      {phase === "ready" && texts.length === 0 && <Quiet>{strings.versions.empty}</Quiet>}
      <ol aria-label={strings.editor.versions} className="grid gap-1">
        {texts.map((act, index) => (
          <li key={act.id} className="rounded-2xl bg-sunk">
            <button
              type="button"
              aria-expanded={chosen === act.id}
              className="flex min-h-11 w-full flex-wrap items-center gap-x-3 rounded-2xl px-4 py-1.5 text-start text-sm hover:bg-hover"
              onClick={() => setChosen(chosen === act.id ? null : act.id)}
            >
              <span className="font-medium">{toMoment(act.createdAt)}</span>
              <span className="text-soft">
                {act.author.by === "run" ? strings.versions.stonechat : strings.versions.you}
              </span>
              {index === 0 && <span className="text-xs text-soft">{strings.versions.current}</span>}
            </button>
            {chosen === act.id && <Version actId={act.id} entity={entity} />}
          </li>
        ))}
      </ol>
      {hasMore && (
        <button type="button" className="plain-button justify-self-start" onClick={more}>
          {strings.versions.showEarlier}
        </button>
      )}
    </div>
  );
};

const Version = ({ actId, entity }: { readonly actId: string; readonly entity: Entity }) => {
  const { client } = usePage();
  const { projectId, writer } = useProject();
  const { state } = useLoad(actId, (signal) => client.getAct({ params: { projectId, actId } }, signal));
  if (state.phase !== "ready") return <Waiting />;
  const body = state.value.act.changes.find(({ id }) => id === entity.id)?.after?.["body"];
  if (typeof body !== "string") return <Quiet>{strings.versions.unavailable}</Quiet>;
  const lines = compareLines(entity.body, body).after;
  return (
    <div className="grid gap-3 px-4 pb-4">
      <div dir="auto" className="font-mono text-sm leading-relaxed wrap-anywhere whitespace-pre-wrap">
        {lines.map(({ text, isUnique }, index) => (
          <div key={index} className={isUnique ? "-mx-2 rounded bg-accent-wash px-2" : ""}>
            {text === "" ? " " : text}
          </div>
        ))}
      </div>
      {body !== entity.body && (
        <button
          type="button"
          className="plain-button justify-self-start"
          onClick={() =>
            void writer.act([{ do: "update", id: entity.id, version: entity.version, body }], { offer: true })
          }
        >
          <RotateCcw aria-hidden="true" className="size-3.5" />
          {strings.versions.restore}
        </button>
      )}
    </div>
  );
};
