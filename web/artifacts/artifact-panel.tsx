import { ExternalLink, X } from "lucide-react";
import type { ReactNode } from "react";
import type { Artifact } from "../../protocol/tools.ts";
import { toSafeHref } from "../lib/links.ts";
import { Favicon } from "../ui/favicon.tsx";
import { toHost } from "../lib/host.ts";
import type { ArtifactRoute } from "../state/panels.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { toMoment } from "../lib/time.ts";
import { ArtifactText } from "./artifact-text.tsx";
import { FileView, OriginalLine } from "./file-view.tsx";
import { useLoad } from "../lib/use-load.ts";
import { SidePanel } from "../ui/side-panel.tsx";
import { usePage } from "../state/page.ts";
import { actions } from "../strings/actions.ts";
import { artifacts as strings } from "../strings/artifacts.ts";

type Props = { readonly route: ArtifactRoute; readonly onClose: () => void };

/** An artifact next to its thread. */
export const ArtifactPanel = ({ route, onClose }: Props) => (
  <SidePanel label={strings.title} onClose={onClose}>
    {(title) => <ArtifactView route={route} title={title} onClose={onClose} />}
  </SidePanel>
);

type ViewProps = Props & { readonly title: (text: string) => ReactNode };

/** An artifact as a tool stored it, with its origin and hash. */
const ArtifactView = ({ route, title, onClose }: ViewProps) => {
  const { client } = usePage();
  const { state } = useLoad(`${route.threadId} ${route.ref}`, (signal) =>
    client.getArtifact({ params: { threadId: route.threadId, ref: route.ref } }, signal),
  );
  const artifact = state.phase === "ready" ? state.value : null;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex-none px-5 pt-[max(1rem,env(safe-area-inset-top))] pb-3">
        <div className="flex items-start gap-2">
          {title(artifact?.title || (state.phase === "loading" ? strings.title : strings.untitled(route.ref)))}
          <IconButton label={actions.close} className="-me-2 -mt-1" onClick={onClose}>
            <X aria-hidden="true" className="size-4.5" />
          </IconButton>
        </div>
        {artifact && <Origin artifact={artifact} shownRef={route.shownRef ?? artifact.ref} />}
        {artifact?.attachment && <OriginalLine artifact={artifact} original={artifact.attachment} />}
      </header>
      {state.phase === "loading" && (
        <p role="status" className="animate-late px-5 text-sm text-soft">
          {actions.loading}
        </p>
      )}
      {state.phase === "failed" && (
        <p role="alert" className="px-5 text-sm text-danger">
          {state.status === 404 ? strings.missing : state.text}
        </p>
      )}
      {artifact &&
        (artifact.attachment && route.citation === null ? (
          <FileView key={artifact.id} artifact={artifact} original={artifact.attachment} />
        ) : (
          <ArtifactText key={artifact.id} text={artifact.text} citation={route.citation} />
        ))}
    </div>
  );
};

type OriginProps = { readonly artifact: Artifact; readonly shownRef: number };

const Origin = ({ artifact: { url, hash, createdAt }, shownRef }: OriginProps) => {
  const href = toSafeHref(url ?? undefined);
  const host = toHost(url);
  return (
    <div className="mt-2 grid gap-1 text-xs text-soft">
      {url && (
        <p className="flex min-w-0 items-center gap-1.5">
          <Favicon host={host} />
          {href ? (
            <a
              href={href}
              target="_blank"
              rel="noopener noreferrer nofollow"
              className="flex min-w-0 items-center gap-1 underline-offset-2 hover:text-ink hover:underline"
            >
              <span dir="ltr" className="min-w-0 truncate">
                {url}
              </span>
              <ExternalLink aria-label={strings.newTab} className="size-3 flex-none" />
            </a>
          ) : (
            <span className="min-w-0 truncate">{url}</span>
          )}
        </p>
      )}
      <p className="flex flex-wrap items-center gap-x-3">
        <span>[{shownRef}]</span>
        <span>{strings.saved(toMoment(createdAt))}</span>
        <span className="inline-flex items-center" title={strings.hash(hash)}>
          <span className="font-mono">{hash.slice(0, 12)}</span>
          <CopyButton text={hash} label={strings.copyHash} className="size-6" />
        </span>
      </p>
    </div>
  );
};
