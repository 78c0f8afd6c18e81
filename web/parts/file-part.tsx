import { File } from "lucide-react";
import type { PartOf } from "../../protocol/parts.ts";

const pictures = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The content came with the part: nothing is fetched. Only plain pictures are drawn; the rest can be saved. */
export const FilePart = ({ part }: { readonly part: PartOf<"file"> }) => {
  const name = part.name ?? "file";
  const isPicture = pictures.has(part.mediaType);
  const url = `data:${isPicture ? part.mediaType : "application/octet-stream"};base64,${part.content}`;
  if (isPicture) return <img src={url} alt={part.name ?? "Picture"} className="max-h-96 max-w-full rounded-xl" />;
  return (
    <a
      href={url}
      download={name}
      className="inline-flex items-center gap-2 rounded-xl bg-sunk px-3 py-2 text-sm hover:bg-hover"
    >
      <File aria-hidden="true" className="size-4" />
      {name}
      <span className="text-xs text-soft">{part.mediaType}</span>
    </a>
  );
};
