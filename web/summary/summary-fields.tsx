import type { ReactNode } from "react";
import type { SummaryFields } from "../../protocol/context/summary.ts";
import { toTitle } from "../tools/names.ts";

/** What a summary says, field by field; empty ones are not there. */
export const SummaryFieldsView = ({ fields }: { readonly fields: SummaryFields }) => (
  <div className="grid gap-4 text-sm leading-relaxed">
    <p dir="auto" className="text-base text-pretty wrap-anywhere">
      {fields.overview}
    </p>
    <Lines title="Key points" lines={fields.keyPoints} />
    <Lines title="Decisions" lines={fields.decisions} />
    <Lines
      title="Action items"
      lines={fields.actionItems.map(({ text, context }, index) => (
        <span key={index}>
          {text}
          {context !== "" && <span className="block text-soft">{context}</span>}
        </span>
      ))}
    />
    <Lines title="Open questions" lines={fields.openQuestions} />
    <Lines
      title="From tools"
      lines={fields.toolResults.map(({ toolName, summary, importance }, index) => (
        <span key={index}>
          <span className="text-soft">{toTitle(toolName)}: </span>
          {summary}
          {importance === "high" && (
            <span className="ms-2 rounded-full bg-accent-wash px-2 py-0.5 text-xs text-accent-strong">important</span>
          )}
        </span>
      ))}
    />
  </div>
);

const Lines = ({ title, lines }: { readonly title: string; readonly lines: readonly ReactNode[] }) =>
  lines.length === 0 ? null : (
    <div>
      <h4 className="mb-1 text-xs font-medium text-soft">{title}</h4>
      <ul className="grid list-disc gap-1 ps-5 marker:text-soft">
        {lines.map((line, index) => (
          <li key={index} dir="auto" className="wrap-anywhere">
            {line}
          </li>
        ))}
      </ul>
    </div>
  );
