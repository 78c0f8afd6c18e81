import { Download } from "lucide-react";
import { useMemo, useState } from "react";
import type { Artifact } from "../../protocol/tools.ts";
import { groupDigits, toSize } from "../lib/format.ts";
import { toFileUrl, toPageUrl } from "../state/attaching.ts";
import { Segmented } from "../ui/segmented.tsx";
import { artifacts as strings } from "../strings/artifacts.ts";
import { ArtifactText } from "./artifact-text.tsx";
import { readBlocks, readSeparated, type Block } from "./read-blocks.ts";

type Original = NonNullable<Artifact["attachment"]>;
type Props = { readonly artifact: Artifact; readonly original: Original };
type View = "pages" | "document" | "table" | "lines" | "text";

/** The original of an attached file, and how much of it the model got. */
export const OriginalLine = ({ artifact: { title }, original: { id, sizeBytes, pageCount, share } }: Props) => (
  <div className="mt-2 grid gap-1.5 text-xs text-soft">
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>{toSize(sizeBytes)}</span>
      {pageCount !== null && <span>{strings.file.pages(pageCount)}</span>}
      <a href={toFileUrl(id)} download={title} className="plain-button min-h-8 gap-1.5 px-2.5 text-xs text-ink">
        <Download aria-hidden="true" className="size-3.5" />
        {strings.file.download}
      </a>
    </p>
    {share < 1 && <p>{strings.file.share(toPercent(share))}</p>}
  </div>
);

const toPercent = (share: number): number => Math.max(1, Math.round(share * 100));

/** A file as its pages, its tables or numbered lines, or as the text that the model can read. */
export const FileView = ({ artifact, original }: Props) => {
  const first = viewOf(artifact, original);
  const [view, setView] = useState<View>(first);
  const options = [first, "text" as const].map((value) => ({ value, label: strings.file.views[value] }));
  return (
    <>
      {first !== "text" && (
        <div className="flex-none px-5 pb-3">
          <Segmented label={strings.file.view} options={options} value={view} onChange={setView} className="w-fit" />
        </div>
      )}
      {view === "pages" && <Pages original={original} />}
      {view === "document" && <Blocks text={artifact.text} />}
      {view === "table" && <Separated text={artifact.text} />}
      {view === "lines" && <Lines text={artifact.text} />}
      {view === "text" && <ArtifactText text={artifact.text} citation={null} />}
    </>
  );
};

const CODE =
  /\.(c|cc|cfg|conf|cpp|cs|css|diff|env|go|h|hpp|ini|java|js|json|jsx|kt|log|lua|mjs|php|pl|py|r|rb|rs|scala|sh|sql|swift|toml|ts|tsx|vue|xml|ya?ml)$/i;

function viewOf({ type, title }: Artifact, { pageCount }: Original): View {
  if (type === "application/pdf") return pageCount === null ? "text" : "pages";
  if (type === "text/csv" || type === "text/tab-separated-values") return "table";
  if (CODE.test(title)) return "lines";
  return /^(application|message)\//.test(type) && type !== "application/json" ? "document" : "text";
}

const region =
  "min-h-0 flex-1 overflow-auto overscroll-contain px-5 pb-[max(1.5rem,env(safe-area-inset-bottom))] focus-visible:-outline-offset-2";

const Region = ({ children }: { readonly children: React.ReactNode }) => (
  <div role="region" aria-label={strings.file.content} tabIndex={0} className={region}>
    {children}
  </div>
);

/** Pictures of the pages, drawn by the server when they come into view. */
const Pages = ({ original: { id, pageCount } }: { readonly original: Original }) => (
  <Region>
    <ol className="grid gap-3">
      {Array.from({ length: pageCount ?? 0 }, (_, index) => (
        <li key={index}>
          <PagePicture url={toPageUrl(id, index + 1)} page={index + 1} />
        </li>
      ))}
    </ol>
  </Region>
);

const PagePicture = ({ url, page }: { readonly url: string; readonly page: number }) => {
  const [state, setState] = useState<"loading" | "ready" | "failed">("loading");
  return (
    <figure className="grid gap-1">
      {state === "failed" ? (
        <p className="grid aspect-[1/1.414] w-full place-items-center rounded-lg bg-hover text-sm text-soft">
          {strings.file.pageFailed}
        </p>
      ) : (
        <img
          src={url}
          alt={strings.file.page(page)}
          loading="lazy"
          className={`w-full rounded-lg bg-white shadow-float ${state === "ready" ? "" : "aspect-[1/1.414]"}`}
          onLoad={() => setState("ready")}
          onError={() => setState("failed")}
        />
      )}
      <figcaption aria-hidden="true" className="text-center text-xs text-soft">
        {page}
      </figcaption>
    </figure>
  );
};

/** Longer documents and tables are shown on request, as each row is an element. */
const firstBlocks = 400;
const firstRows = 500;

const Blocks = ({ text }: { readonly text: string }) => {
  const blocks = useMemo(() => readBlocks(text), [text]);
  const [all, setAll] = useState(false);
  const shown = all ? blocks : blocks.slice(0, firstBlocks);
  return (
    <Region>
      <div dir="auto" className="grid grid-cols-[minmax(0,1fr)] gap-3 text-sm leading-relaxed">
        {shown.map((block, index) => (
          <BlockView key={index} block={block} />
        ))}
      </div>
      {shown.length < blocks.length && (
        <button type="button" className="plain-button mt-3" onClick={() => setAll(true)}>
          {strings.file.showAll}
        </button>
      )}
    </Region>
  );
};

const BlockView = ({ block }: { readonly block: Block }) => {
  if (block.kind === "table") return <Table rows={block.rows} />;
  if (block.kind === "text") return <p className="wrap-anywhere whitespace-pre-wrap">{block.text}</p>;
  return <p className={`font-semibold ${block.level < 3 ? "text-base" : ""}`}>{block.text}</p>;
};

const Separated = ({ text }: { readonly text: string }) => {
  const rows = useMemo(() => readSeparated(text, 200_000), [text]);
  return (
    <Region>
      <Table rows={rows} />
    </Region>
  );
};

const Table = ({ rows: [header = [], ...rows] }: { readonly rows: readonly (readonly string[])[] }) => {
  const [most, setMost] = useState(firstRows);
  return (
    <div>
      <div className="overflow-x-auto">
        <table className="border-collapse text-sm">
          <thead>
            <tr>
              {header.map((cell, index) => (
                <th key={index} scope="col" className={`${cellLook} bg-hover text-start font-semibold`}>
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((cells, index) => (
              <tr key={index}>
                {cells.map((cell, column) => (
                  <td key={column} className={`${cellLook} ${isNumber(cell) ? "text-end tabular-nums" : ""}`}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > most && (
        <button type="button" className="plain-button mt-3" onClick={() => setMost(most + 2000)}>
          {strings.file.moreRows(groupDigits(rows.length - most))}
        </button>
      )}
    </div>
  );
};

const cellLook = "max-w-80 border border-line px-2 py-1 align-top whitespace-pre-line";
const isNumber = (cell: string): boolean => /^[-+]?[\d.,\s]*\d\s?%?$/.test(cell.slice(0, 40));

const firstLines = 2000;

const Lines = ({ text }: { readonly text: string }) => {
  const lines = useMemo(() => text.split("\n"), [text]);
  const [most, setMost] = useState(firstLines);
  return (
    <Region>
      <ol className="font-mono text-xs leading-relaxed" dir="ltr">
        {lines.slice(0, most).map((line, index) => (
          <li key={index} className="grid grid-cols-[3.5rem_minmax(0,1fr)]">
            <span aria-hidden="true" className="pe-3 text-end text-soft tabular-nums select-none">
              {index + 1}
            </span>
            <code className="whitespace-pre-wrap wrap-anywhere">{line}</code>
          </li>
        ))}
      </ol>
      {lines.length > most && (
        <button type="button" className="plain-button mt-3" onClick={() => setMost(most + 10_000)}>
          {strings.file.moreLines(groupDigits(lines.length - most))}
        </button>
      )}
    </Region>
  );
};
