import { useId, useState, type KeyboardEvent } from "react";
import { actions } from "../strings/actions.ts";
import { composer } from "../strings/composer.ts";
import { Field } from "../ui/field.tsx";
import type { Variable } from "./prompts.ts";

const strings = composer.prompt;

type Props = {
  readonly name: string;
  readonly variables: readonly Variable[];
  readonly onInsert: (values: Readonly<Record<string, string>>) => void;
  readonly onCancel: () => void;
};

/** Asks for the variables of a saved prompt, above the message field. It is inside the composer's form, so it is not one itself. */
export const PromptForm = ({ name, variables, onInsert, onCancel }: Props) => {
  const titleId = useId();
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(variables.map((variable) => [variable.name, variable.initial])),
  );
  const insert = () => onInsert(values);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const isInsert = event.key === "Enter" && event.target instanceof HTMLInputElement;
    if (!isInsert && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (isInsert) insert();
    else onCancel();
  };
  return (
    <div
      role="group"
      aria-labelledby={titleId}
      onKeyDown={onKeyDown}
      className="absolute inset-x-0 bottom-full z-20 mb-2 grid max-h-[min(24rem,60dvh)] animate-rise gap-3 overflow-y-auto overscroll-contain rounded-2xl bg-raised p-4 shadow-float"
    >
      <p id={titleId} className="text-sm font-medium wrap-anywhere">
        {strings.title(name)}
      </p>
      {variables.map((variable, index) => (
        <Field
          key={variable.name}
          label={variable.name}
          dir="auto"
          autoFocus={index === 0}
          value={values[variable.name] ?? ""}
          onChange={(event) => setValues({ ...values, [variable.name]: event.target.value })}
        />
      ))}
      <div className="flex justify-end gap-2">
        <button type="button" className="plain-button pointer-coarse:min-h-11" onClick={onCancel}>
          {actions.cancel}
        </button>
        <button type="button" className="plain-button strong-button pointer-coarse:min-h-11" onClick={insert}>
          {strings.insert}
        </button>
      </div>
    </div>
  );
};
