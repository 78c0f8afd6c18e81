import { modelSettings } from "../strings/settings/models.ts";
import { fieldLook } from "../ui/field.tsx";

type Props = {
  readonly label: string;
  readonly about: string;
  readonly value: string;
  readonly isValid: boolean;
  readonly onChange: (text: string) => void;
};

/** Headers as "Name: value" lines. Their values are secrets: they are never stored in the browser. */
export const HeadersField = ({ label, about, value, isValid, onChange }: Props) => (
  <label className="grid gap-1">
    <span className="text-xs font-medium text-soft">{label}</span>
    <textarea
      rows={3}
      dir="ltr"
      spellCheck={false}
      autoComplete="off"
      aria-invalid={!isValid || undefined}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={`${fieldLook} h-auto py-2 font-mono`}
    />
    <span className={`text-xs ${isValid ? "text-soft" : "text-danger"}`}>
      {isValid ? about : modelSettings.addressForm.headersFault}
    </span>
  </label>
);
