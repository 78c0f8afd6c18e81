import { FileText, Link } from "lucide-react";
import type { PartOf } from "../../protocol/parts.ts";
import { toSafeHref } from "../markdown/links.ts";

export const SourcePart = ({ part }: { readonly part: PartOf<"source"> }) => {
  const href = toSafeHref(part.url);
  const Icon = part.sourceType === "url" ? Link : FileText;
  const label = part.title ?? part.url ?? part.mediaType ?? "Source";
  const look =
    "inline-flex max-w-full justify-self-start items-center gap-1.5 rounded-full bg-sunk px-3 py-1 text-xs text-soft";
  const content = (
    <>
      <Icon aria-hidden="true" className="size-3.5 flex-none" />
      <span className="truncate">{label}</span>
    </>
  );
  if (!href) return <span className={look}>{content}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" className={`${look} hover:text-ink`}>
      {content}
    </a>
  );
};
