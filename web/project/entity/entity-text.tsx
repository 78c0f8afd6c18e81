import { projectLimits } from "../../../protocol/project/kinds.ts";
import type { Entity } from "../../../protocol/project/project.ts";
import { leaveBy } from "../../lib/escape.ts";
import { useTyped } from "../../state/use-typed.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { Section, Quiet } from "../../ui/section.tsx";
import { useDraft, type Draft } from "../../lib/use-draft.ts";
import { useProject } from "../../state/project/project-context.ts";

/** The text of a thing, read until it is written. What is written and not saved outlives the panel: only Cancel drops it. */
export const EntityText = ({ entity }: { readonly entity: Entity }) => {
  const { writer, projectId } = useProject();
  const draft = useDraft(entity.body, entity.version, useTyped<Draft>(`text.${projectId}.${entity.id}`));
  const save = () => {
    if (draft.text !== null && draft.isChanged(draft.text))
      void writer.act([{ do: "update", id: entity.id, version: draft.version, body: draft.text }]);
    draft.drop();
  };
  const edit = (
    <button
      type="button"
      className="plain-button min-h-8 bg-transparent text-soft"
      onClick={() => draft.write(entity.body)}
    >
      {entity.body === "" ? "Write" : "Edit"}
    </button>
  );
  return (
    <Section title="Text" actions={draft.text === null && edit}>
      {draft.text === null &&
        (entity.body === "" ? (
          <Quiet>Nothing is written here.</Quiet>
        ) : (
          <Markdown text={entity.body} streaming={false} />
        ))}
      {draft.text !== null && (
        <form
          className="grid gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
          {...leaveBy(() => {
            if (draft.text === null || !draft.isChanged(draft.text)) draft.drop();
          })}
        >
          <textarea
            autoFocus
            dir="auto"
            rows={6}
            aria-label="Text"
            value={draft.text}
            maxLength={projectLimits.bodyCharacters}
            onChange={(event) => draft.write(event.target.value)}
            className="field-sizing-content max-h-[60dvh] min-h-32 w-full resize-none rounded-2xl bg-raised px-4 py-3 font-mono text-sm leading-relaxed"
          />
          <div className="flex items-center justify-end gap-2">
            <span className="me-auto text-xs text-soft">Markdown</span>
            <button type="button" className="plain-button" onClick={draft.drop}>
              Cancel
            </button>
            <button type="submit" className="plain-button strong-button">
              Save
            </button>
          </div>
        </form>
      )}
    </Section>
  );
};
