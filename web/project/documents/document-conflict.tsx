import type { Entity } from "../../../protocol/project/project.ts";
import { compareLines } from "./compare-lines.ts";
import type { OpenDocument } from "./open-document.ts";
import { documents } from "../../strings/project/documents.ts";

const strings = documents.conflict;

type Props = { readonly mine: string; readonly theirs: Entity; readonly document: OpenDocument };

/** Two conflicting versions with their differences marked; the user chooses one. */
export const DocumentConflict = ({ mine, theirs, document }: Props) => {
  const sides = compareLines(theirs.body, mine);
  return (
    <div role="alertdialog" aria-label={strings.title} className="flex min-h-0 flex-1 flex-col px-4 sm:px-6">
      <div className="flex flex-none flex-wrap items-center gap-2 rounded-2xl bg-warn-wash px-4 py-3 text-sm">
        <p className="min-w-0 flex-1 basis-60">{strings.about}</p>
        <button type="button" className="plain-button" onClick={() => document.takeTheirs()}>
          {strings.takeTheirs}
        </button>
        <button type="button" className="plain-button strong-button" onClick={() => void document.keepMine()}>
          {strings.keepMine}
        </button>
      </div>
      <div className="grid min-h-0 flex-1 gap-3 overflow-y-auto py-3 md:grid-cols-2">
        <Side
          label={strings.theirs}
          heading={strings.theirsTitled(theirs.title)}
          lines={sides.before}
          look="bg-danger-wash"
        />
        <Side label={strings.yours} heading={strings.yours} lines={sides.after} look="bg-accent-wash" />
      </div>
    </div>
  );
};

type SideProps = {
  readonly label: string;
  readonly heading: string;
  readonly lines: readonly { readonly text: string; readonly isUnique: boolean }[];
  readonly look: string;
};

const Side = ({ label, heading, lines, look }: SideProps) => (
  <section aria-label={label} className="min-w-0 rounded-2xl bg-sunk p-4">
    <h2 className="mb-2 text-xs font-medium text-soft">{heading}</h2>
    <div dir="auto" className="font-mono text-sm leading-relaxed wrap-anywhere whitespace-pre-wrap">
      {lines.map(({ text, isUnique }, index) => (
        <div key={index} className={isUnique ? `-mx-2 rounded px-2 ${look}` : ""}>
          {text === "" ? " " : text}
        </div>
      ))}
    </div>
  </section>
);
