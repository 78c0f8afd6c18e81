import { Check, CircleHelp, Ban, LoaderCircle, TriangleAlert, type LucideIcon } from "lucide-react";
import type { PartOf, ToolState } from "../../protocol/parts.ts";
import { Fold } from "../ui/fold.tsx";
import { Json } from "./json.tsx";

export const ToolPart = ({ part }: { readonly part: PartOf<"tool"> }) => {
  const { Icon, label, tone } = states[part.state];
  return (
    <section aria-label={`Tool ${part.name}`} className="rounded-xl bg-sunk px-3 py-1.5">
      <Fold
        label={
          <>
            <span className="truncate font-medium text-ink">{toTitle(part.name)}</span>
            <span className={`ms-1 inline-flex items-center gap-1 text-xs ${tone}`}>
              <Icon aria-hidden="true" className={`size-3.5 ${Icon === LoaderCircle ? "animate-spin" : ""}`} />
              {label}
            </span>
          </>
        }
      >
        <dl className="mt-1 mb-2 grid gap-3 text-sm">
          <Field name="Input" value={part.input ?? part.inputText} />
          <Field name="Output" value={part.output} />
        </dl>
      </Fold>
      {part.errorText && <p className="pb-1.5 ps-5.5 text-sm text-danger wrap-anywhere">{part.errorText}</p>}
    </section>
  );
};

const Field = ({ name, value }: { readonly name: string; readonly value: unknown }) =>
  value === undefined ? null : (
    <div>
      <dt className="mb-1 text-xs text-soft">{name}</dt>
      <dd>
        <Json value={value} label={name} />
      </dd>
    </div>
  );

type Look = { readonly Icon: LucideIcon; readonly label: string; readonly tone: string };

const states: Readonly<Record<ToolState, Look>> = {
  "input-streaming": { Icon: LoaderCircle, label: "preparing", tone: "text-soft" },
  ready: { Icon: LoaderCircle, label: "waiting", tone: "text-soft" },
  asking: { Icon: CircleHelp, label: "asks you", tone: "text-accent" },
  running: { Icon: LoaderCircle, label: "running", tone: "text-accent" },
  ok: { Icon: Check, label: "done", tone: "text-good" },
  error: { Icon: TriangleAlert, label: "failed", tone: "text-danger" },
  denied: { Icon: Ban, label: "denied", tone: "text-danger" },
  cancelled: { Icon: Ban, label: "cancelled", tone: "text-soft" },
  unknown: { Icon: CircleHelp, label: "outcome unknown", tone: "text-danger" },
};

/** `search_web` and `searchWeb` read as "Search web". */
export const toTitle = (name: string): string => {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};
