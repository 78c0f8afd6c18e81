import { useId, useState } from "react";
import type { Prompt } from "../../../protocol/settings/prompts.ts";
import { createId } from "../../lib/ids.ts";
import { escapeProps } from "../../lib/escape.ts";
import { useSignal } from "../../lib/signal.ts";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { actions } from "../../strings/actions.ts";
import { promptSettings } from "../../strings/settings/prompts.ts";
import { Field, fieldLook } from "../../ui/field.tsx";
import { FormMessage } from "../../ui/form-message.tsx";

const strings = promptSettings.prompts;
const validName = /^[0-9A-Za-z_\u00C0-\uD7FF-]+$/;
/** The server's limits. */
const longest = { name: 40, text: 20_000 };

type Props = {
  /** null: a new prompt. */
  readonly prompt: Prompt | null;
  readonly onClose: () => void;
  readonly onSaved: () => void;
};

export const PromptEditor = ({ prompt, onClose, onSaved }: Props) => {
  const { client, projects } = usePage();
  const listed = useSignal(projects.state).projects;
  const [id] = useState(createId);
  const [name, setName] = useState(prompt?.name ?? "");
  const [text, setText] = useState(prompt?.text ?? "");
  const [projectId, setProjectId] = useState(prompt?.projectId ?? "");
  const [textId, placeId] = [useId(), useId()];
  const { state, send } = useRequest();
  const isValid = validName.test(name.trim());
  const canSave = isValid && text.trim() !== "" && state.name !== "sending";
  const save = async () => {
    const fields = { name: name.trim(), text, projectId: projectId === "" ? null : projectId };
    const saved = await send(() =>
      prompt
        ? client.changePrompt({ params: { promptId: prompt.id }, body: { was: prompt.version, ...fields } })
        : client.createPrompt({ params: {}, body: { id, ...fields } }),
    );
    if (saved) onSaved();
  };
  return (
    <form
      aria-label={prompt ? strings.edit(prompt.name) : strings.add}
      className="grid gap-3 rounded-2xl bg-raised p-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSave) void save();
      }}
      {...escapeProps(onClose)}
    >
      <Field
        label={strings.name}
        about={strings.nameAbout}
        fault={name.trim() !== "" && !isValid ? strings.nameInvalid : null}
        autoFocus
        value={name}
        maxLength={longest.name}
        onChange={(event) => setName(event.target.value.toLowerCase())}
      />
      <div className="grid gap-1">
        <label htmlFor={textId} className="text-xs font-medium text-soft">
          {strings.text}
        </label>
        <textarea
          id={textId}
          dir="auto"
          rows={5}
          value={text}
          maxLength={longest.text}
          onChange={(event) => setText(event.target.value)}
          className={`${fieldLook} field-sizing-content h-auto max-h-80 min-h-28 py-2 leading-relaxed`}
        />
      </div>
      {(listed.length > 0 || projectId !== "") && (
        <div className="grid gap-1">
          <label htmlFor={placeId} className="text-xs font-medium text-soft">
            {strings.place}
          </label>
          <select
            id={placeId}
            value={projectId}
            onChange={(event) => setProjectId(event.target.value)}
            className={fieldLook}
          >
            <option value="">{strings.everywhere}</option>
            {listed.map((project) => (
              <option key={project.id} value={project.id}>
                {strings.inProject(project.name)}
              </option>
            ))}
          </select>
        </div>
      )}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <FormMessage state={state} />
        <button type="button" className="plain-button" onClick={onClose}>
          {actions.cancel}
        </button>
        <button type="submit" className="plain-button strong-button" disabled={!canSave}>
          {actions.save}
        </button>
      </div>
    </form>
  );
};
