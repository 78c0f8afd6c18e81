import { Json } from "../parts/json.tsx";
import { Fold } from "../ui/fold.tsx";
import type { ToolPart } from "./names.ts";

/** The call as it was made and what came back, word for word. */
export const ToolDetails = ({ part, isOpen }: { readonly part: ToolPart; readonly isOpen: boolean }) => {
  const fields = (
    <dl className="grid gap-3 text-sm">
      <Field name="Input" value={part.input ?? part.inputText} />
      <Field name="Output" value={part.output} />
    </dl>
  );
  return isOpen ? fields : <Fold label="Input and output">{fields}</Fold>;
};

const Field = ({ name, value }: { readonly name: string; readonly value: unknown }) =>
  value === undefined ? null : (
    <div className="min-w-0">
      <dt className="mb-1 text-xs text-soft">{name}</dt>
      <dd>
        <Json value={value} label={name} />
      </dd>
    </div>
  );
