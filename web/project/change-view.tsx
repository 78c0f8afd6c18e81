import { ArrowRight } from "lucide-react";
import type { Change } from "../../protocol/project/project.ts";
import { describeChange, toVerb, type FieldChange } from "./describe-change.ts";
import { entities as strings } from "../strings/project/entities.ts";

/** One change: the entity, what happened to it, and its changed fields. */
export const ChangeView = ({ change, now }: { readonly change: Change; readonly now: number }) => {
  const verb = toVerb(change);
  const fields = verb === "changed" ? describeChange(change, now) : [];
  return (
    <>
      <p dir="auto" className="text-sm wrap-anywhere">
        {change.title || change.id} <span className="text-xs text-soft">{strings.changes[verb]}</span>
      </p>
      {fields.length > 0 && <FieldList fields={fields} />}
    </>
  );
};

export const FieldList = ({ fields }: { readonly fields: readonly FieldChange[] }) => (
  <dl className="mt-1 grid gap-1 text-xs">
    {fields.map(({ name, before, after, isLong }) => (
      <div key={name} className={isLong ? "grid gap-1" : "flex flex-wrap items-center gap-x-1.5"}>
        <dt className="text-soft">{name}</dt>
        <dd
          dir="auto"
          className={`min-w-0 wrap-anywhere ${isLong ? "grid gap-1" : "flex flex-wrap items-center gap-1.5"}`}
        >
          {before !== "" && <Text text={before} isLong={isLong} look="text-soft line-through decoration-1" />}
          {!isLong && before !== "" && (
            <ArrowRight aria-label={strings.changes.to} className="size-3 text-soft rtl:-scale-x-100" />
          )}
          <Text
            text={after === "" ? strings.changes.none : after}
            isLong={isLong}
            look={after === "" ? "text-soft italic" : ""}
          />
        </dd>
      </div>
    ))}
  </dl>
);

type TextProps = { readonly text: string; readonly isLong: boolean; readonly look: string };

const Text = ({ text, isLong, look }: TextProps) =>
  isLong ? (
    <span
      className={`block max-h-40 overflow-y-auto rounded-xl bg-sunk px-3 py-2 whitespace-pre-wrap ${look}`}
      tabIndex={0}
    >
      {text}
    </span>
  ) : (
    <span className={look}>{text}</span>
  );
