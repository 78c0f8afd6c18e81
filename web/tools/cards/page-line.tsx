import type { ReactNode } from "react";
import { toSafeHref } from "../../lib/links.ts";
import { Favicon } from "../../ui/favicon.tsx";
import { toHost } from "../../lib/host.ts";
import { useOpenArtifact } from "../../sources/use-open-artifact.ts";
import { toolCards as strings } from "../../strings/tool-cards.ts";

type Props = {
  readonly url: string;
  readonly title: string;
  /** Opens this artifact; without one, links to the page. */
  readonly opens: number | undefined;
  readonly isDim?: boolean;
  readonly children?: ReactNode;
};

/** A page in a list: tile, title, host and notes. */
export const PageLine = ({ url, title, opens, isDim = false, children }: Props) => {
  const open = useOpenArtifact();
  const host = toHost(url);
  const href = toSafeHref(url);
  const look = `flex min-h-7 w-full min-w-0 items-center gap-2 rounded-lg px-1.5 -mx-1.5 text-start text-sm hover:bg-hover pointer-coarse:min-h-11`;
  const content = (
    <>
      <span className={isDim ? "opacity-60" : ""}>
        <Favicon host={host} />
      </span>
      <span dir="auto" className={`min-w-0 truncate ${isDim ? "text-soft" : ""}`}>
        {title || host || url}
      </span>
      {title !== "" && host !== "" && <span className="flex-none text-xs text-soft max-sm:hidden">{host}</span>}
    </>
  );
  return (
    <li className="flex min-w-0 items-center gap-3 text-xs text-soft">
      {opens !== undefined && open ? (
        <button
          type="button"
          title={strings.pages.openArtifact}
          className={`${look} text-ink`}
          onClick={() => open(opens)}
        >
          {content}
        </button>
      ) : href ? (
        <a href={href} target="_blank" rel="noopener noreferrer nofollow" className={`${look} text-ink`}>
          {content}
        </a>
      ) : (
        <span className={`${look} text-ink`}>{content}</span>
      )}
      {children}
    </li>
  );
};
