import { File, FileText } from "lucide-react";
import { Suspense, useState } from "react";
import type { PartOf } from "../../protocol/parts.ts";
import { toFileUrl, toPageUrl } from "../state/attaching.ts";
import { toSize } from "../lib/format.ts";
import { useOpenArtifact } from "../sources/use-open-artifact.ts";
import { lazyChunk } from "../lib/lazy-chunk.ts";
import { parts as strings } from "../strings/parts.ts";

const pictures = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const Picture = lazyChunk(() => import("../ui/picture.tsx"));

/** Only safe image types are shown; text files open next to the thread, files made by a model can be saved. */
export const FilePart = ({ part }: { readonly part: PartOf<"file"> }) => {
  const { attachmentId: id, content, mediaType } = part;
  const name = part.name ?? strings.file;
  if (part.width !== undefined && part.pictures !== undefined && id !== undefined)
    return <PictureButton url={toPageUrl(id, 1)} part={part} />;
  if (pictures.has(mediaType)) {
    const url = id === undefined ? `data:${mediaType};base64,${content ?? ""}` : toFileUrl(id);
    return <PictureButton url={url} part={part} />;
  }
  if (part.ref !== undefined) return <ArtifactButton name={name} number={part.ref} about={describe(part)} />;
  return (
    <a
      href={id === undefined ? `data:application/octet-stream;base64,${content ?? ""}` : toFileUrl(id)}
      download={name}
      className={chip}
    >
      <File aria-hidden="true" className="size-4 flex-none" />
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <bdi className="max-w-full truncate">{name}</bdi> <span className="text-xs text-soft">{mediaType}</span>
      </span>
    </a>
  );
};

const chip =
  "inline-flex max-w-full items-center gap-2 rounded-xl bg-raised px-3 py-2 text-sm hover:bg-hover focus-visible:outline-2";

/** Reserves its space before it has loaded, so that nothing moves. */
const PictureButton = ({ url, part }: { readonly url: string; readonly part: PartOf<"file"> }) => {
  const [isOpen, setOpen] = useState(false);
  const name = part.name ?? strings.image;
  return (
    <>
      <button
        type="button"
        title={name}
        aria-label={strings.enlarge(name)}
        className="block max-w-full cursor-zoom-in overflow-hidden rounded-xl"
        onClick={() => setOpen(true)}
      >
        <img
          src={url}
          alt={name}
          width={part.width}
          height={part.height}
          loading="lazy"
          className="max-h-72 w-auto max-w-full bg-sunk object-contain"
        />
      </button>
      {isOpen && (
        <Suspense>
          <Picture url={url} name={name} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
};

/** Its size, and how much of it the model got with the message. */
const describe = ({ sizeBytes = 0, pageCount, share }: PartOf<"file">): string =>
  [
    toSize(sizeBytes),
    ...(pageCount === undefined ? [] : [strings.pages(pageCount)]),
    ...(share === undefined ? [] : [strings.share(toPercent(share))]),
  ].join(" · ");

/** Small shares with one decimal: 0.4 is not 1. */
const toPercent = (share: number): number => {
  const percent = share * 100;
  return percent < 10 ? Math.max(0.1, Math.round(percent * 10) / 10) : Math.round(percent);
};

type StoredFile = { readonly name: string; readonly number: number; readonly about: string };

const ArtifactButton = ({ name, number, about }: StoredFile) => {
  const open = useOpenArtifact();
  return (
    <button type="button" className={chip} disabled={open === null} onClick={() => open?.(number)}>
      <FileText aria-hidden="true" className="size-4 flex-none" />
      <span className="sr-only">{strings.open} </span>
      {/* The rest wraps under the name, which keeps its width. */}
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-start">
        <bdi className="max-w-full truncate">{name}</bdi> <span className="text-xs text-soft">{about}</span>
      </span>
    </button>
  );
};
