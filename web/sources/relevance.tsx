import { lowRelevance } from "./collect-sources.ts";
import { sources as strings } from "../strings/sources.ts";

/** Relevance meter, with a text for low values. */
export const Relevance = ({ value }: { readonly value: number | undefined }) => {
  if (value === undefined) return null;
  const percent = Math.round(Math.min(1, Math.max(0, value)) * 100);
  const isLow = value < lowRelevance;
  return (
    <span className="inline-flex flex-none items-center gap-1.5">
      <span
        role="img"
        aria-label={strings.relevance(percent)}
        title={strings.relevance(percent)}
        className="inline-block h-1 w-6 overflow-hidden rounded-full bg-press align-middle"
      >
        <span className={`block h-full ${isLow ? "bg-soft" : "bg-accent"}`} style={{ width: `${percent}%` }} />
      </span>
      {isLow && <span>{strings.lowRelevance}</span>}
    </span>
  );
};
