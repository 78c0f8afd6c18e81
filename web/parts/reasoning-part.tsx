import type { PartOf } from "../../protocol/parts.ts";
import { PlainText } from "../ui/plain-text.tsx";
import { describeElapsed } from "../lib/format.ts";
import { Disclosure } from "../ui/disclosure.tsx";
import { parts as strings } from "../strings/parts.ts";

const leastMs = 1000;
const glimpseCharacters = 200;

/** Collapsed. Shows its newest words while it is the last part of a growing answer, and afterwards how long it took. */
export const ReasoningPart = ({ part }: { readonly part: PartOf<"reasoning"> }) => {
  if (part.text.trim() === "" && part.state !== "streaming") return null;
  return (
    <Disclosure
      className="group/thought min-w-0"
      label={
        <>
          <span className="flex-none">{toLabel(part)}</span>
          {part.state === "streaming" && (
            <>
              <span className="size-1.5 flex-none animate-pulse-dot rounded-full bg-accent" />
              <span
                dir="auto"
                aria-hidden="true"
                className="hidden min-w-0 truncate text-xs italic group-last/thought:inline group-open/thought:hidden"
              >
                {toGlimpse(part.text)}
              </span>
            </>
          )}
        </>
      }
    >
      <div className="mt-1 mb-2 ms-2 border-s-2 border-line ps-4 text-sm text-soft">
        <PlainText text={part.text} />
      </div>
    </Disclosure>
  );
};

const toLabel = ({ state, durationMs }: PartOf<"reasoning">): string =>
  state === "done" && durationMs !== undefined && durationMs >= leastMs
    ? strings.reasoning.took(describeElapsed(durationMs))
    : strings.reasoning[state];

/** The newest sentence, or its end. */
const toGlimpse = (text: string): string => {
  const line = text.trimEnd().slice(-glimpseCharacters);
  return line.slice(Math.max(line.lastIndexOf("\n"), line.lastIndexOf(". ") + 1) + 1).trim();
};
