import type { FileText } from "../../../protocol/workspace/workspace.ts";
import { groupDigits } from "../../lib/format.ts";
import { editor as strings } from "../../strings/workspace/editor.ts";

const images: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  ico: "image/x-icon",
};

/** A binary file: shown if it is an image, else only its size. */
export const BytesView = ({ file: { path, bytes, base64 } }: { readonly file: FileText }) => {
  const type = images[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
  return (
    <figure className="m-auto grid max-h-full min-h-0 max-w-full justify-items-center gap-3 overflow-auto p-6">
      {type && base64 !== null && (
        <img src={`data:${type};base64,${base64}`} alt={path} className="max-w-full rounded-lg bg-raised" />
      )}
      <figcaption className="text-sm text-soft">
        {type ? strings.bytes(groupDigits(bytes)) : strings.binary(groupDigits(bytes))}
      </figcaption>
    </figure>
  );
};
