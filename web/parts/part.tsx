import { memo, type ComponentType, Suspense, useState } from "react";
import type { Part as PartShape, PartKind, PartOf } from "../../protocol/parts.ts";
import { ToolCard } from "./tool-card.tsx";
import { FilePart } from "./file-part.tsx";
import { ReasoningPart } from "./reasoning-part.tsx";
import { own } from "../lib/own.ts";
import { useFacts } from "../sources/message-facts.ts";
import { Disclosure } from "../ui/disclosure.tsx";
import { lazyChunk } from "../lib/lazy-chunk.ts";
import { isCitations } from "../sources/citations.ts";
import { Json } from "../ui/json.tsx";
import { Info, TriangleAlert, FileText, Link } from "lucide-react";
import { toSafeHref } from "../lib/links.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { toNoticeText } from "../labels/notices.ts";
import { parts as strings } from "../strings/parts.ts";

const TextPart = ({ part }: { readonly part: PartOf<"text"> }) => (
  <div data-said="">
    <Markdown text={part.text} streaming={part.state === "streaming"} />
  </div>
);

const StepPart = ({ part }: { readonly part: PartOf<"step"> }) =>
  part.attempt > 1 ? <p className="text-xs text-soft">{strings.attempt(part.attempt, part.model)}</p> : null;

const SourcePart = ({ part }: { readonly part: PartOf<"source"> }) => {
  const href = toSafeHref(part.url);
  const Icon = part.sourceType === "url" ? Link : FileText;
  const label = part.title ?? part.url ?? part.mediaType ?? strings.source;
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

const NoticePart = ({ part }: { readonly part: PartOf<"notice"> }) => {
  const Icon = part.level === "info" ? Info : TriangleAlert;
  return (
    <p role="note" className={`flex items-start gap-2 rounded-xl px-3 py-2 text-sm ${tones[part.level]}`}>
      <Icon aria-hidden="true" className="mt-0.5 size-4 flex-none" />
      <span dir="auto" className="wrap-anywhere">
        {toNoticeText(part)}
      </span>
    </p>
  );
};

const tones = {
  info: "bg-sunk text-soft",
  warning: "bg-warn-wash text-ink",
  error: "bg-danger-wash text-ink",
} as const;

/** Citation results are shown with the citations. */
const DataPart = ({ part }: { readonly part: PartOf<"data"> }) =>
  isCitations(part) ? null : (
    <Disclosure label={part.name}>
      <Json value={part.value} label={part.name} />
    </Disclosure>
  );

const LateView = lazyChunk(() => import("../context/lazy-view.tsx"));

/** Passages recalled for this answer; the time alone is not shown. */
const ContextPart = ({ part: { recalled = [] } }: { readonly part: PartOf<"context"> }) => {
  const [isOpen, setOpen] = useState(false);
  const threadId = useFacts()?.threadId;
  if (recalled.length === 0 || !threadId) return null;
  return (
    <Disclosure label={strings.recalled(recalled.length)} onToggle={setOpen}>
      <Suspense>{isOpen && <LateView recalled={{ threadId, recalled }} />}</Suspense>
    </Disclosure>
  );
};

const UnknownPart = ({ part }: { readonly part: PartShape }) => (
  <Disclosure label={strings.unknown(part.kind)}>
    <Json value={part} label={strings.unknownData} />
  </Disclosure>
);

/** One component per kind; unknown kinds are shown as raw data. */
const components: { readonly [K in PartKind]: ComponentType<{ readonly part: PartOf<K> }> } = {
  text: TextPart,
  reasoning: ReasoningPart,
  tool: ToolCard,
  file: FilePart,
  source: SourcePart,
  data: DataPart,
  notice: NoticePart,
  step: StepPart,
  context: ContextPart,
};

export const Part = memo(({ part }: { readonly part: PartShape }) => {
  const Component = (own(components, part.kind) ?? UnknownPart) as ComponentType<{ readonly part: PartShape }>;
  return <Component part={part} />;
});
