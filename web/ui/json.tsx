import { groupDigits } from "../lib/format.ts";
import { ui as strings } from "../strings/ui.ts";

const longestCharacters = 20_000;

/** A value as text: strings unchanged, others as indented JSON; long values are truncated. */
export const Json = ({ value, label }: { readonly value: unknown; readonly label: string }) => {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  const rest = text.length - longestCharacters;
  return (
    <pre
      tabIndex={0}
      aria-label={label}
      dir="auto"
      className="max-h-80 overflow-auto rounded-lg bg-(--code-ground) p-3 font-mono text-xs leading-relaxed whitespace-pre-wrap wrap-anywhere text-(--code-ink)"
    >
      {rest > 0 ? `${text.slice(0, longestCharacters)}\n${strings.moreCharacters(groupDigits(rest))}` : text}
    </pre>
  );
};
