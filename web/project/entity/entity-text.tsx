import { projectLimits } from "../../../protocol/project/kinds.ts";
import type { Entity } from "../../../protocol/project/project.ts";
import { escapeProps } from "../../lib/escape.ts";
import { useFormDraft } from "../../state/use-form-draft.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { Section, Quiet } from "../../ui/section.tsx";
import { useDraft, type Draft } from "../../lib/use-draft.ts";
import { useProject } from "../../state/project/project-context.ts";
import { actions } from "../../strings/actions.ts";
import { project as strings } from "../../strings/project/page.ts";

/** The notes of an entity. An unsaved draft survives closing the panel; only Cancel discards it. */
export const EntityText = ({ entity }: { readonly entity: Entity }) => {
  const { writer, projectId } = useProject();
  const draft = useDraft(entity.body, entity.version, useFormDraft<Draft>(`text.${projectId}.${entity.id}`));
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
      {actions.edit}
    </button>
  );
  return (
    <Section title={strings.entity.notes} actions={draft.text === null && edit}>
      {draft.text === null &&
        (entity.body === "" ? (
          <Quiet>{strings.entity.noNotes}</Quiet>
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
          {...escapeProps(() => {
            if (draft.text === null || !draft.isChanged(draft.text)) draft.drop();
          })}
        >
          <textarea
            autoFocus
            dir="auto"
            rows={6}
            aria-label={strings.entity.notes}
            value={draft.text}
            maxLength={projectLimits.bodyCharacters}
            onChange={(event) => draft.write(event.target.value)}
            className="field-sizing-content max-h-[60dvh] min-h-32 w-full resize-none rounded-2xl bg-raised px-4 py-3 font-mono text-sm leading-relaxed"
          />
          <div className="flex items-center justify-end gap-2">
            <span className="me-auto text-xs text-soft">{strings.entity.format}</span>
            <button type="button" className="plain-button" onClick={draft.drop}>
              {actions.cancel}
            </button>
            <button type="submit" className="plain-button strong-button">
              {actions.save}
            </button>
          </div>
        </form>
      )}
    </Section>
  );
};
