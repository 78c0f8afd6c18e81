import type { ToolPart } from "../../labels/tools.ts";
import { isFinished } from "../group-calls.ts";
import { ToolFrame } from "../tool-frame.tsx";
import { toHost } from "../../lib/host.ts";
import { PageLine } from "./page-line.tsx";
import { asRecord, listAt, numberAt, textAt } from "../../lib/read-json.ts";
import { getLanguage } from "../../strings/language.ts";
import { toolCards as strings } from "../../strings/tool-cards.ts";
import { joinList } from "../../lib/format.ts";

export const PagesCard = ({ part }: { readonly part: ToolPart }) => {
  const pages = readPages(part);
  const failed = pages.filter(({ error }) => error !== "").length;
  const [only] = pages;
  const title =
    pages.length === 1 && only ? toTitle(only, part) : (toReported(part) ?? strings.pages.read(pages.length));
  const brief = pages.length === 1 && only ? toHost(only.url) : failed > 0 ? strings.pages.unreadable(failed) : "";
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

/** The tool reports its title in English. */
const toReported = (part: ToolPart): string | undefined => (getLanguage() === "en" ? part.title : undefined);

function toTitle({ title, url }: PageView, part: ToolPart): string {
  const known = title || toReported(part);
  if (known) return known;
  const host = toHost(url);
  if (isFinished(part.state)) return host ? strings.pages.readHost(host) : strings.pages.readPage;
  return host ? strings.pages.readingHost(host) : strings.pages.readingPage;
}

const Pages = ({ pages }: { readonly pages: readonly PageView[] }) => (
  <ul aria-label={strings.pages.list} className="grid gap-0.5">
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

type PageView = {
  readonly url: string;
  readonly title: string;
  readonly error: string;
  /** Author and date, or what is missing. */
  readonly note: string;
  readonly ref: number | undefined;
};

/** Read pages; while running, the requested URLs. */
function readPages({ input, output }: ToolPart): readonly PageView[] {
  const list = listAt(output, "pages", "results");
  if (list.length > 0) return list.map(toPage);
  if (textAt(output, "url", "title") !== "") return [toPage(output)];
  const requested = listAt(input, "urls").filter((url) => typeof url === "string");
  const urls = requested.length > 0 ? requested : [textAt(input, "url")].filter((url) => url !== "");
  return urls.map((url) => ({ url, title: "", error: "", note: "", ref: undefined }));
}

function toPage(value: unknown): PageView {
  const { error } = asRecord(value);
  const origin = [textAt(value, "author"), textAt(value, "date", "published")].filter((text) => text !== "");
  return {
    url: textAt(value, "canonicalUrl", "url"),
    title: textAt(value, "title"),
    error: typeof error === "string" ? error : textAt(error, "message", "code"),
    note: textAt(value, "note", "warning") || joinList(origin),
    ref: numberAt(value, "ref"),
  };
}
