import type { ToolPart } from "../names.ts";
import { isFinished } from "../group-calls.ts";
import { ToolFrame } from "../tool-frame.tsx";
import { toHost } from "../../sources/host.ts";
import { PageLine } from "./page-line.tsx";
import { readPages, type PageView } from "./read-pages.ts";

export const PagesCard = ({ part }: { readonly part: ToolPart }) => {
  const pages = readPages(part);
  const failed = pages.filter(({ error }) => error !== "").length;
  const [only] = pages;
  const title = pages.length === 1 && only ? toTitle(only, part) : (part.title ?? `Read ${pages.length || ""} pages`);
  const brief = pages.length === 1 && only ? toHost(only.url) : failed > 0 ? `${failed} could not be read` : "";
  return (
    <ToolFrame
      part={part}
      title={title}
      {...(brief === "" || title.includes(brief) ? {} : { brief })}
      {...(pages.length > 0 ? { more: <Pages pages={pages} /> } : {})}
    >
      {pages.length === 1 && only?.error && !part.errorText && (
        <p className="text-sm text-danger wrap-anywhere">{only.error}</p>
      )}
    </ToolFrame>
  );
};

const toTitle = ({ title, url }: PageView, part: ToolPart): string =>
  title || part.title || `${isFinished(part.state) ? "Read" : "Reading"} ${toHost(url) || "a page"}`;

const Pages = ({ pages }: { readonly pages: readonly PageView[] }) => (
  <ul aria-label="Pages" className="grid gap-0.5">
    {pages.map(({ url, title, error, note, ref }) => (
      <PageLine key={url} url={url} title={title} opens={error === "" ? ref : undefined} isDim={error !== ""}>
        {error !== "" ? (
          <span className="max-w-1/2 flex-none truncate text-danger" title={error}>
            {error}
          </span>
        ) : (
          note !== "" && (
            <span dir="auto" className="max-w-1/2 flex-none truncate" title={note}>
              {note}
            </span>
          )
        )}
      </PageLine>
    ))}
  </ul>
);
