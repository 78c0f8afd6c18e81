import { Pencil, Plus } from "lucide-react";
import { useEffect, useState } from "react";
import type { Prompt } from "../../../protocol/settings/prompts.ts";
import { useSignal } from "../../lib/signal.ts";
import { useLoad } from "../../lib/use-load.ts";
import { usePage } from "../../state/page.ts";
import { useFormDraft } from "../../state/use-form-draft.ts";
import { usePreferences } from "../../state/use-preferences.ts";
import { actions } from "../../strings/actions.ts";
import { promptSettings as strings } from "../../strings/settings/prompts.ts";
import { fieldLook, Switch } from "../../ui/field.tsx";
import { FormMessage } from "../../ui/form-message.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { Deletable } from "../deletable.tsx";
import { PromptEditor } from "./prompt-editor.tsx";

/** Instructions for all threads, titles, and saved prompts. */
export const PromptsSection = () => {
  const settings = usePreferences();
  return (
    <>
      {settings.failure !== null && (
        <p role="alert" className="text-sm text-danger">
          {settings.failure}
        </p>
      )}
      <Instructions settings={settings} />
      <Section title={strings.titles.title}>
        {settings.preferences && (
          <Switch
            label={strings.titles.switch}
            isOn={settings.preferences.titles}
            disabled={settings.request.name === "sending"}
            onChange={(titles) => void settings.save({ titles })}
          >
            {strings.titles.switch}
          </Switch>
        )}
        <Quiet>{strings.titles.about}</Quiet>
      </Section>
      <SavedPrompts />
    </>
  );
};

/** The server's limit. */
const longestInstructions = 4000;

const Instructions = ({ settings }: { readonly settings: ReturnType<typeof usePreferences> }) => {
  const { preferences, request, save } = settings;
  const [draft, setDraft] = useFormDraft<string>("instructions");
  const stored = preferences?.instructions ?? "";
  const text = draft ?? stored;
  return (
    <Section title={strings.instructions.title}>
      <Quiet>{strings.instructions.about}</Quiet>
      <form
        className="mt-1 grid gap-2"
        onSubmit={async (event) => {
          event.preventDefault();
          if (await save({ instructions: text.trim() })) setDraft(null);
        }}
      >
        <textarea
          dir="auto"
          aria-label={strings.instructions.field}
          placeholder={strings.instructions.example}
          rows={4}
          disabled={preferences === null}
          value={text}
          maxLength={longestInstructions}
          onChange={(event) => setDraft(event.target.value)}
          className={`${fieldLook} field-sizing-content h-auto max-h-80 min-h-24 py-2 leading-relaxed`}
        />
        <div className="flex flex-wrap items-center justify-end gap-2">
          {draft === null && <FormMessage state={request} />}
          <button
            type="button"
            className="plain-button"
            disabled={draft === null || draft === stored}
            onClick={() => setDraft(null)}
          >
            {actions.cancel}
          </button>
          <button type="submit" className="plain-button strong-button" disabled={draft === null || draft === stored}>
            {actions.save}
          </button>
        </div>
      </form>
    </Section>
  );
};

const SavedPrompts = () => {
  const { client, projects } = usePage();
  const { state, reload } = useLoad("prompts", (signal) => client.listPrompts({ params: {}, query: {} }, signal));
  const [query, setQuery] = useState("");
  const [editing, setEditing] = useState<string | null>(null);
  useEffect(() => void projects.load(), [projects]);
  const all = state.phase === "ready" ? state.value.prompts : [];
  const words = query.trim().toLowerCase();
  const matches = all.filter(({ name, text }) => `${name}\n${text}`.toLowerCase().includes(words));
  const close = () => setEditing(null);
  const onSaved = () => {
    close();
    reload();
  };
  return (
    <Section title={strings.prompts.title} count={all.length}>
      <Quiet>{strings.prompts.about}</Quiet>
      {state.phase === "loading" && <Waiting />}
      {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
      {state.phase === "ready" && all.length === 0 && <Quiet>{strings.prompts.empty}</Quiet>}
      {all.length > 0 && (
        <input
          aria-label={strings.prompts.filter}
          placeholder={strings.prompts.filter}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className={`${fieldLook} my-1`}
        />
      )}
      {all.length > 0 && matches.length === 0 && <Quiet>{strings.prompts.noMatch}</Quiet>}
      <ul aria-label={strings.prompts.list} className="mt-1 grid gap-2 empty:hidden">
        {matches.map((prompt) => (
          <li key={prompt.id}>
            {editing === prompt.id ? (
              <PromptEditor prompt={prompt} onClose={close} onSaved={onSaved} />
            ) : (
              <PromptRow prompt={prompt} onEdit={() => setEditing(prompt.id)} onChanged={reload} />
            )}
          </li>
        ))}
      </ul>
      {editing === "new" ? (
        <div className="mt-2">
          <PromptEditor prompt={null} onClose={close} onSaved={onSaved} />
        </div>
      ) : (
        <button type="button" className="plain-button mt-2" onClick={() => setEditing("new")}>
          <Plus aria-hidden="true" className="size-4" />
          {strings.prompts.add}
        </button>
      )}
    </Section>
  );
};

type RowProps = { readonly prompt: Prompt; readonly onEdit: () => void; readonly onChanged: () => void };

const PromptRow = ({ prompt: { id, name, text, projectId }, onEdit, onChanged }: RowProps) => {
  const { client, projects } = usePage();
  const listed = useSignal(projects.state).projects;
  const project = listed.find((one) => one.id === projectId)?.name;
  return (
    <div className="flex flex-wrap items-start gap-2 rounded-2xl bg-raised px-4 py-3">
      <Deletable
        label={strings.prompts.delete(name)}
        title={strings.prompts.deleteTitle(name)}
        text={strings.prompts.deleteAbout}
        action={actions.delete}
        send={() => client.deletePrompt({ params: { promptId: id } })}
        onDeleted={onChanged}
      >
        {(button) => (
          <>
            <div className="min-w-0 flex-1">
              <h3 dir="auto" className="font-medium wrap-anywhere">
                /{name}
              </h3>
              <p dir="auto" className="line-clamp-2 text-sm wrap-anywhere text-soft">
                {text}
              </p>
              {project !== undefined && (
                <p dir="auto" className="mt-0.5 text-xs wrap-anywhere text-soft">
                  {strings.prompts.inProject(project)}
                </p>
              )}
            </div>
            <IconButton label={strings.prompts.edit(name)} onClick={onEdit}>
              <Pencil aria-hidden="true" className="size-4" />
            </IconButton>
            {button}
          </>
        )}
      </Deletable>
    </div>
  );
};
