import type { Entity } from "../../../protocol/project/project.ts";
import { compareLines } from "./compare-lines.ts";
import type { OpenDocument } from "./open-document.ts";

type Props = { readonly mine: string; readonly theirs: Entity; readonly document: OpenDocument };

/** Two conflicting texts with their differences marked; the user decides. */
export const BothTexts = ({ mine, theirs, document }: Props) => {
  const sides = compareLines(theirs.body, mine);
  return (
    <div
      role="alertdialog"
      aria-label="This document has changed meanwhile"
      className="flex min-h-0 flex-1 flex-col px-4 sm:px-6"
    >
      <div className="flex flex-none flex-wrap items-center gap-2 rounded-2xl bg-warn-wash px-4 py-3 text-sm">
        <p className="min-w-0 flex-1 basis-60">
          This document was changed while you were writing. Nothing is lost: both texts are here, and yours is kept in
          this browser until you choose.
        </p>
        <button type="button" className="plain-button" onClick={() => document.takeTheirs()}>
          Take theirs
        </button>
        <button type="button" className="plain-button strong-button" onClick={() => void document.keepMine()}>
          Keep mine
        </button>
      </div>
      <div className="grid min-h-0 flex-1 gap-3 overflow-y-auto py-3 md:grid-cols-2">
        <Side label="Theirs" title={theirs.title} lines={sides.before} look="bg-danger-wash" />
        <Side label="Yours" title="" lines={sides.after} look="bg-accent-wash" />
      </div>
    </div>
  );
};

type SideProps = {
  readonly label: string;
  readonly title: string;
  readonly lines: readonly { readonly text: string; readonly isOwn: boolean }[];
  readonly look: string;
};

const Side = ({ label, title, lines, look }: SideProps) => (
  <section aria-label={label} className="min-w-0 rounded-2xl bg-sunk p-4">
    <h2 className="mb-2 text-xs font-medium text-soft">
      {label}
      {title !== "" && `: ${title}`}
    </h2>
    <div dir="auto" className="font-mono text-sm leading-relaxed wrap-anywhere whitespace-pre-wrap">
      {lines.map(({ text, isOwn }, index) => (
        <div key={index} className={isOwn ? `-mx-2 rounded px-2 ${look}` : ""}>
          {text === "" ? " " : text}
        </div>
      ))}
    </div>
  </section>
);
