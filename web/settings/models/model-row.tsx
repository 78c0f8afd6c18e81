import { Star } from "lucide-react";
import { useState } from "react";
import type { BodyInput, ModelInfo } from "../../../protocol/api.ts";
import { lastModelKey } from "../../labels/choice.ts";
import { findPrice, toProvider, toShort } from "../../labels/model.ts";
import { groupDigits } from "../../lib/format.ts";
import { useRequest } from "../../lib/use-request.ts";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { modelSettings } from "../../strings/settings/models.ts";
import { Badge } from "../../ui/badge.tsx";
import { Field } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import { FormMessage } from "../../ui/form-message.tsx";
import { IconButton } from "../../ui/icon-button.tsx";

const strings = modelSettings.models;

type Change = Omit<BodyInput<"changeModel">, "id">;
type Props = { readonly model: ModelInfo; readonly canBeDefault: boolean; readonly isReadOnly: boolean };

/** A model with its facts: favorite, default, and its settings when they are opened. */
export const ModelRow = ({ model, canBeDefault, isReadOnly }: Props) => {
  const { client, session, storage, threadOptions } = usePage();
  const me = useSignal(session.state);
  const [isOpen, setOpen] = useState(false);
  const { state, send } = useRequest();
  const { id, name, note, available, favorite = false, learnedWindow } = model;
  const isDefault = me.phase === "signed-in" && me.me.defaultModel === id;
  const change = async (body: Change): Promise<boolean> => {
    const response = await send(() => client.changeModel({ body: { id, ...body } }));
    if (response && body.isDefault) {
      // Forgets the model that was used last in this browser, so that new threads start with the new default.
      storage.set(lastModelKey, null);
      threadOptions.set({ ...threadOptions.get(), model: null });
    }
    if (response) await session.load();
    return response !== undefined;
  };
  return (
    <li
      aria-label={id}
      className={`rounded-xl px-3 py-2 text-sm [contain-intrinsic-size:auto_3.25rem] [content-visibility:auto] ${available ? "" : "text-soft"}`}
    >
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        {!isReadOnly && (
          <IconButton
            label={strings.favoriteFor(name)}
            aria-pressed={favorite}
            className="-ms-2 size-8"
            onClick={() => void change({ favorite: !favorite })}
          >
            <Star aria-hidden="true" className={`size-4 ${favorite ? "fill-current text-accent" : "text-soft"}`} />
          </IconButton>
        )}
        <div className="min-w-0 flex-1 basis-56">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="font-medium wrap-anywhere">{name}</span>
            {isDefault && <Badge tone="quiet">{strings.default}</Badge>}
          </p>
          <p className="font-mono text-xs wrap-anywhere text-soft">{id}</p>
          <p className="text-xs text-soft">{listFacts(model).join(" · ")}</p>
          {note !== "" && <p className="text-xs text-soft">{note}</p>}
          {learnedWindow && (
            <p className="flex flex-wrap items-center gap-x-2 text-xs">
              {strings.learnedWindow(groupDigits(learnedWindow.tokens))}
              <button
                type="button"
                aria-label={strings.forgetFor(name)}
                className="rounded-sm text-soft underline underline-offset-2 hover:text-ink pointer-coarse:min-h-11"
                onClick={() => void change({ forgetsLearnedWindow: true })}
              >
                {strings.forget}
              </button>
            </p>
          )}
        </div>
        {available && !isReadOnly && (
          <span className="flex flex-none flex-wrap gap-1 max-sm:w-full">
            {!isDefault && (
              <button
                type="button"
                className="plain-button min-h-8 px-3 pointer-coarse:min-h-10"
                aria-label={strings.makeDefaultFor(name)}
                title={canBeDefault ? undefined : strings.notProven}
                disabled={!canBeDefault || state.name === "sending"}
                onClick={() => void change({ isDefault: true })}
              >
                {strings.makeDefault}
              </button>
            )}
            <button
              type="button"
              className="plain-button min-h-8 px-3 pointer-coarse:min-h-10"
              aria-label={strings.settingsFor(name)}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              {strings.settings}
            </button>
          </span>
        )}
      </div>
      {state.name === "failed" && !isOpen && (
        <p role="alert" className="mt-1 text-sm text-danger">
          {state.text}
        </p>
      )}
      {isOpen && <Options model={model} state={state} onSave={change} />}
    </li>
  );
};

/** "OpenAI · $0.25 in, $2 out · 400k window · images · tools" */
function listFacts(model: ModelInfo): readonly string[] {
  const { windowTokens, free, local, loaded, reasoning, vision, tools, date } = model;
  const price = local ? strings.local : free ? strings.free : (findPrice(model) ?? strings.paid);
  const facts = [
    toProvider(model),
    price,
    windowTokens === null ? strings.unknownWindow : strings.window(toShort(windowTokens)),
    loaded && strings.loaded,
    reasoning && strings.reasoning,
    vision && strings.vision,
    tools === true && strings.tools,
    tools === false && strings.noTools,
    date !== undefined && strings.date(date),
  ];
  return facts.filter((fact) => typeof fact === "string");
}

type OptionsProps = {
  readonly model: ModelInfo;
  readonly state: ReturnType<typeof useRequest>["state"];
  readonly onSave: (change: Change) => Promise<boolean>;
};

const toText = (value: number | null | undefined): string =>
  value === null || value === undefined ? "" : String(value);
const toNumber = (text: string): number | null => (text.trim() === "" ? null : Number(text));

const imageChoices = ["auto", "yes", "no"] as const;
const toChoice = (vision: boolean | null | undefined): (typeof imageChoices)[number] =>
  vision === true ? "yes" : vision === false ? "no" : "auto";

/** The window, whether images are sent, and how the model samples where it takes that. */
const Options = ({ model: { name, settings, sampling, source }, state, onSave }: OptionsProps) => {
  const [form, setForm] = useState({
    windowTokens: toText(settings?.windowTokens),
    temperature: toText(settings?.temperature),
    topP: toText(settings?.topP),
  });
  const [images, setImages] = useState(() => toChoice(settings?.vision));
  const save = () =>
    void onSave({
      windowTokens: toNumber(form.windowTokens),
      vision: images === "auto" ? null : images === "yes",
      ...(sampling ? { temperature: toNumber(form.temperature), topP: toNumber(form.topP) } : {}),
    });
  const toInput = (field: keyof typeof form, label: string, about: string, most: number) => (
    <Field
      label={label}
      about={about}
      type="number"
      min={field === "windowTokens" ? 256 : 0}
      max={most}
      step={field === "windowTokens" ? 1 : 0.05}
      value={form[field]}
      onChange={(event) => setForm({ ...form, [field]: event.target.value })}
    />
  );
  return (
    <form
      aria-label={strings.settingsFor(name)}
      className="mt-2 grid gap-3 rounded-xl bg-raised p-3 sm:grid-cols-3"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {toInput("windowTokens", strings.windowField, strings.windowAbout, 100_000_000)}
      {sampling && toInput("temperature", strings.temperature, strings.temperatureAbout, 2)}
      {sampling && toInput("topP", strings.topP, strings.topPAbout, 1)}
      <div className="grid content-start gap-1 text-sm">
        <span className="font-medium">{strings.images}</span>
        <Select
          label={strings.images}
          value={images}
          choices={imageChoices}
          words={strings.imageChoices}
          onChoose={setImages}
        />
        <span className="text-xs text-soft">{strings.imagesAbout}</span>
      </div>
      <div className="flex flex-wrap items-center justify-end gap-2 sm:col-span-3">
        {source && <p className="me-auto text-xs text-soft">{strings.source(source.from, source.date)}</p>}
        <FormMessage state={state} />
        <button type="submit" className="plain-button strong-button" disabled={state.name === "sending"}>
          {strings.save}
        </button>
      </div>
    </form>
  );
};
