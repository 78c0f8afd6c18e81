import {
  ChevronRight,
  Plug,
  Wrench,
  type LucideIcon,
  Brain,
  Calculator,
  Clock,
  CloudSun,
  FileText,
  Globe,
  ListChecks,
  MessageCircleQuestion,
  ScrollText,
  Search,
} from "lucide-react";
import type { ReactNode } from "react";
import { HiddenValues } from "./hidden-values.tsx";
import { cardKindOf, type CardKind } from "../labels/card-kind.ts";
import { titleOf, toMcpToolName, type ToolPart } from "../labels/tools.ts";
import { ToolStateMark } from "./tool-state.tsx";
import { Json } from "../ui/json.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { toolCards as strings } from "../strings/tool-cards.ts";

export type FrameProps = {
  readonly part: ToolPart;
  /** A completed call whose result is a failure. */
  readonly isFailed?: boolean;
  /** Overrides the tool's icon. */
  readonly Face?: LucideIcon;
  /** Overrides the call's title. */
  readonly title?: string;
  /** Short result next to the title. */
  readonly brief?: ReactNode;
  /** Always visible. */
  readonly children?: ReactNode;
  /** Shown when the card is open, before input and output. */
  readonly more?: ReactNode;
};

/** The frame of every tool card: a summary line, always visible content, and the raw call inside. */
export const ToolFrame = ({ part, isFailed = false, Face, title, brief, children, more }: FrameProps) => {
  const server = toMcpToolName(part.name)?.server;
  // A short result is more important than the end of a long title.
  const isBriefShort = typeof brief === "string" && brief.length <= SHORT_CHARACTERS;
  const Icon = Face ?? faces[cardKindOf(part.name)] ?? (server ? Plug : Wrench);
  return (
    <div role="group" aria-label={strings.frame.label(part.name)} className="min-w-0 px-3 py-1">
      <details className="group/tool">
        <summary className="flex min-h-8 list-none items-center gap-2 rounded-lg text-sm select-none pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
          <span className="relative grid size-5 flex-none place-items-center text-soft">
            <Icon
              aria-hidden="true"
              className="size-4 transition-opacity group-open/tool:opacity-0 pointer-fine:group-hover/tool:opacity-0"
            />
            <ChevronRight
              aria-hidden="true"
              className="absolute size-4 opacity-0 transition group-open/tool:rotate-90 group-open/tool:opacity-100 pointer-fine:group-hover/tool:opacity-100 rtl:-scale-x-100"
            />
          </span>
          <span className="flex min-w-0 gap-x-2 max-sm:flex-col max-sm:py-0.5 sm:items-baseline">
            <span className={`flex max-w-full min-w-0 items-baseline gap-2 ${isBriefShort ? "" : "sm:shrink-0"}`}>
              {server && (
                <span className="flex-none rounded-md bg-hover px-1.5 py-0.5 text-[0.7rem] font-medium text-soft">
                  {server}
                </span>
              )}
              <span dir="auto" className="min-w-0 truncate font-medium">
                {title ?? titleOf(part)}
              </span>
            </span>
            {brief && (
              <span dir="auto" className={`min-w-0 truncate text-soft ${isBriefShort ? "sm:shrink-0" : ""}`}>
                {brief}
              </span>
            )}
          </span>
          <ToolStateMark part={isFailed ? { ...part, state: "error" } : part} />
        </summary>
        <div className="grid gap-3 pt-1 pb-2 ps-7 [&>*]:min-w-0">
          {part.note && (
            <p dir="auto" className="text-sm text-soft wrap-anywhere">
              {part.note}
            </p>
          )}
          {more}
          <ToolDetails part={part} isOpen={more === undefined} />
        </div>
      </details>
      <ToolProgress part={part} />
      {children && <div className="pb-1.5 ps-7">{children}</div>}
      {part.errorText && (
        <p dir="auto" className="pb-1.5 ps-7 text-sm text-danger wrap-anywhere">
          {part.state === "denied" ? strings.denied(part.errorText) : (toMistake(part) ?? part.errorText)}
        </p>
      )}
      {(part.redacted ?? 0) > 0 && <HiddenValues count={part.redacted ?? 0} value={[part.output, part.errorText]} />}
    </div>
  );
};

const SHORT_CHARACTERS = 40;

const faces: Readonly<Partial<Record<CardKind, LucideIcon>>> = {
  plan: ListChecks,
  search: Search,
  lookup: Search,
  pages: Globe,
  memory: Brain,
  weather: CloudSun,
  calculation: Calculator,
  time: Clock,
  artifact: FileText,
  summary: ScrollText,
  question: MessageCircleQuestion,
};

/** A call that the model wrote wrongly, in one sentence. The server's text is written for the model, and is among the details. */
function toMistake({ state, errorText = "" }: ToolPart): string | null {
  if (state !== "error") return null;
  if (/^There is no tool ["“]/.test(errorText)) return strings.frame.noTool;
  return /^(?:Not run\. Unknown argument|The arguments )/.test(errorText) ? strings.frame.badCall : null;
}

/** Raw input and output, and the error that a mistaken call gave the model. */
const ToolDetails = ({ part, isOpen }: { readonly part: ToolPart; readonly isOpen: boolean }) => {
  const fields = (
    <dl className="grid gap-3 text-sm">
      <Field name={strings.frame.input} value={part.input ?? part.inputText} />
      <Field name={strings.frame.output} value={part.output} />
      <Field name={strings.frame.error} value={toMistake(part) === null ? undefined : part.errorText} />
    </dl>
  );
  return isOpen ? fields : <Disclosure label={strings.frame.details}>{fields}</Disclosure>;
};

const Field = ({ name, value }: { readonly name: string; readonly value: unknown }) =>
  value === undefined ? null : (
    <div className="min-w-0">
      <dt className="mb-1 text-xs text-soft">{name}</dt>
      <dd>
        <Json value={value} label={name} />
      </dd>
    </div>
  );

/** Progress of a running call, with a bar if its extent is known. */
const ToolProgress = ({ part: { state, progress } }: { readonly part: ToolPart }) => {
  if (state !== "running" || !progress) return null;
  const { text, done, of } = progress;
  const isKnown = done !== undefined && of !== undefined && of > 0;
  return (
    <div className="grid gap-1.5 pb-2 ps-7 text-sm text-soft">
      <p dir="auto" className="flex gap-2">
        <span className="min-w-0 truncate">{text}</span>
        {isKnown && <span className="ms-auto flex-none text-xs tabular-nums">{strings.frame.doneOf(done, of)}</span>}
      </p>
      {isKnown && (
        <div
          role="progressbar"
          aria-label={text || strings.frame.progress}
          aria-valuemin={0}
          aria-valuemax={of}
          aria-valuenow={Math.min(done, of)}
          className="h-0.5 overflow-hidden rounded-full bg-hover"
        >
          <div
            className="h-full rounded-full bg-accent transition-[width] duration-300"
            style={{ width: `${Math.min(100, (100 * done) / of)}%` }}
          />
        </div>
      )}
    </div>
  );
};
