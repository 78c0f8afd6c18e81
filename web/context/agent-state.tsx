import type { AgentState } from "../../protocol/context/context.ts";
import { groupDigits } from "../ui/group-digits.ts";
import { toMoment } from "../ui/moment.ts";
import { Section } from "./section.tsx";

/** What the assistant holds of the work in hand. */
export const AgentStateView = ({ state }: { readonly state: AgentState }) => (
  <Section
    title="State of the work"
    about={`As of message ${groupDigits(state.depth)}, ${toMoment(state.updatedAt)}. Told only by the snapshot policy.`}
  >
    <div className="grid gap-2 rounded-xl bg-raised px-3.5 py-3 text-sm">
      {state.goal !== "" && (
        <p dir="auto">
          <span className="text-soft">Goal: </span>
          {state.goal}
        </p>
      )}
      <Lines name="Known" lines={state.facts} />
      <Lines name="Open" lines={state.pending} />
      <Lines name="From tools" lines={state.results.map(({ tool, said }) => `${tool}: ${said}`)} />
    </div>
  </Section>
);

const Lines = ({ name, lines }: { readonly name: string; readonly lines: readonly string[] }) =>
  lines.length === 0 ? null : (
    <div>
      <h4 className="text-xs text-soft">{name}</h4>
      <ul className="list-disc ps-5">
        {lines.map((line, index) => (
          <li key={index} dir="auto" className="wrap-anywhere">
            {line}
          </li>
        ))}
      </ul>
    </div>
  );
