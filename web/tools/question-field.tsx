import { useId, type ReactNode } from "react";
import { questionLimits, type AnswerValue, type QuestionField as Field } from "../../protocol/question.ts";
import { toolCards } from "../strings/tool-cards.ts";
import { fieldLook } from "../ui/field.tsx";

const strings = toolCards.question;

/** Input of one field: chosen options, and typed text. */
export type Entry = { readonly picked: readonly string[]; readonly text: string };

export const emptyEntry: Entry = { picked: [], text: "" };

/** Undefined: not answered. An invalid number or date is returned as text, which the check rejects. */
export function toValue({ type }: Pick<Field, "type">, { picked, text }: Entry): AnswerValue | undefined {
  const typed = text.trim();
  switch (type) {
    case "choices": {
      const all = [...new Set([...picked, ...(typed === "" ? [] : [typed])])];
      return all.length === 0 ? undefined : all;
    }
    case "choice":
      return picked[0] ?? (typed === "" ? undefined : typed);
    case "yes_no":
      return picked[0] === undefined ? undefined : picked[0] === "yes";
    case "number":
      return typed === "" ? undefined : toNumber(typed);
    default:
      return typed === "" ? undefined : typed;
  }
}

const toNumber = (text: string): number | string => (Number.isFinite(Number(text)) ? Number(text) : text);

type Props = {
  readonly field: Field;
  /** Id of the question, if it is the label of its only field. */
  readonly labelledBy: string | null;
  readonly entry: Entry;
  readonly fault: string | null;
  readonly disabled: boolean;
  readonly onChange: (entry: Entry) => void;
};

export const QuestionField = (props: Props) => {
  const { field } = props;
  return field.type === "choice" || field.type === "choices" || field.type === "yes_no" ? (
    <Choices {...props} />
  ) : (
    <TextField {...props} />
  );
};

const TextField = ({ field, labelledBy, entry, fault, disabled, onChange }: Props) => {
  const id = useId();
  const common = {
    id,
    dir: "auto",
    value: entry.text,
    disabled,
    "aria-required": field.required || undefined,
    "aria-invalid": fault !== null || undefined,
    "aria-describedby": fault === null ? undefined : `${id}-fault`,
    "aria-labelledby": labelledBy ?? undefined,
  } as const;
  const write = (text: string) => onChange({ picked: [], text });
  return (
    <div data-field className="grid gap-1">
      {labelledBy === null && (
        <label htmlFor={id} className="text-sm font-medium">
          <Label field={field} />
        </label>
      )}
      {field.type === "text" ? (
        <textarea
          {...common}
          rows={2}
          maxLength={questionLimits.answerCharacters}
          className={`${fieldLook} h-auto min-h-16 py-2`}
          onChange={(event) => write(event.target.value)}
        />
      ) : (
        <input
          {...common}
          type={field.type === "date" ? "date" : "text"}
          inputMode={field.type === "number" ? "decimal" : undefined}
          className={`${fieldLook} max-w-56`}
          onChange={(event) => write(event.target.value)}
        />
      )}
      <Fault id={id} text={fault} />
    </div>
  );
};

const Choices = ({ field, labelledBy, entry, fault, disabled, onChange }: Props) => {
  const id = useId();
  const isMany = field.type === "choices";
  const options =
    field.type === "yes_no"
      ? [
          { value: "yes", label: strings.yes },
          { value: "no", label: strings.no },
        ]
      : field.options.map((option) => ({ value: option, label: option }));
  const pick = (value: string, isOn: boolean) => {
    const others = isMany ? entry.picked.filter((one) => one !== value) : [];
    onChange({ picked: isOn ? [...others, value] : others, text: isMany ? entry.text : "" });
  };
  return (
    <div
      data-field
      role={isMany ? "group" : "radiogroup"}
      aria-labelledby={labelledBy ?? `${id}-label`}
      aria-describedby={fault === null ? undefined : `${id}-fault`}
      {...(isMany ? {} : { "aria-required": field.required, "aria-invalid": fault !== null })}
      className="grid gap-1"
    >
      {labelledBy === null && (
        <p id={`${id}-label`} className="text-sm font-medium">
          <Label field={field} />
        </p>
      )}
      {options.map(({ value, label }) => (
        <label
          key={value}
          className="flex min-h-8 items-center gap-2 rounded-lg px-2 text-sm hover:bg-hover pointer-coarse:min-h-11"
        >
          <input
            type={isMany ? "checkbox" : "radio"}
            name={id}
            value={value}
            checked={entry.picked.includes(value)}
            disabled={disabled}
            className="size-4 flex-none accent-(--accent)"
            onChange={(event) => pick(value, event.target.checked)}
          />
          <span dir="auto" className="min-w-0 wrap-anywhere">
            {label}
          </span>
        </label>
      ))}
      {field.type !== "yes_no" && (
        <input
          dir="auto"
          aria-label={strings.otherOf(field.label)}
          placeholder={strings.other}
          value={entry.text}
          maxLength={questionLimits.answerCharacters}
          disabled={disabled}
          className={fieldLook}
          onChange={(event) => onChange({ picked: isMany ? entry.picked : [], text: event.target.value })}
        />
      )}
      <Fault id={id} text={fault} />
    </div>
  );
};

const Label = ({ field }: { readonly field: Field }): ReactNode => (
  <span dir="auto" className="wrap-anywhere">
    {field.label} {field.required && <span className="font-normal text-soft">{strings.required}</span>}
  </span>
);

const Fault = ({ id, text }: { readonly id: string; readonly text: string | null }) =>
  text === null ? null : (
    <p id={`${id}-fault`} role="alert" className="text-xs text-danger">
      {text}
    </p>
  );
