import { Ban, CircleX, MessageCircleQuestion, Search, TriangleAlert } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { IconButton } from "../ui/icon-button.tsx";
import type { PreviewLine } from "./preview-frame.tsx";
import { fitsFilter, readPosition, toQuestion, type LogLevel } from "./read-position.ts";
import { workspace } from "../strings/workspace/workspace.ts";

const strings = workspace.logs;

type Props = {
  readonly lines: readonly PreviewLine[];
  readonly onClear: () => void;
  readonly onAsk: (text: string) => void;
  readonly onShow: (path: string, line: number) => void;
};

const nearEndPx = 24;
const levels: readonly { readonly value: LogLevel; readonly label: string }[] = [
  { value: "all", label: strings.levels.all },
  { value: "error", label: strings.levels.error },
  { value: "warn", label: strings.levels.warn },
];

/** Console messages and network requests of the preview, newest last. */
export const LogPanel = ({ lines, onClear, onAsk, onShow }: Props) => {
  const [kind, setKind] = useState<"console" | "network">("console");
  const [level, setLevel] = useState<LogLevel>("all");
  const [words, setWords] = useState("");
  const shown = lines.filter((line) => fitsFilter(line, { kind, level, words }));
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [shown.length]);
  return (
    <section aria-label={strings.title} className="flex h-full min-h-0 flex-col">
      <header className="flex flex-none flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
        <Toggles
          label={strings.kind}
          options={(["console", "network"] as const).map((value) => ({
            value,
            label: `${strings.kinds[value]} ${lines.filter((line) => line.kind === value).length || ""}`,
          }))}
          value={kind}
          onChange={setKind}
        />
        <Toggles
          label={strings.level}
          options={kind === "console" ? levels : levels.slice(0, 2)}
          value={level}
          onChange={setLevel}
        />
        <label className="flex h-7 min-w-24 flex-1 items-center gap-1.5 rounded-lg bg-hover px-2 text-soft focus-within:text-ink">
          <Search aria-hidden="true" className="size-3.5 flex-none" />
          <input
            type="search"
            aria-label={strings.find}
            placeholder={strings.findHint}
            value={words}
            onChange={(event) => setWords(event.target.value)}
            className="w-full min-w-0 bg-transparent text-xs text-ink outline-none placeholder:text-soft"
          />
        </label>
        <IconButton label={strings.clear} className="size-7" onClick={onClear}>
          <Ban aria-hidden="true" className="size-4" />
        </IconButton>
      </header>
      <div
        ref={box}
        role="log"
        aria-label={strings.kinds[kind]}
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEndPx;
        }}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain pb-2 focus-visible:-outline-offset-2"
      >
        {shown.length === 0 ? (
          <p className="px-4 py-2 text-xs text-soft">
            {lines.some((line) => line.kind === kind) ? strings.noMatches : strings.empty[kind]}
          </p>
        ) : (
          <ul className="grid">
            {shown.map((line) => (
              <LogRow key={line.id} line={line} onAsk={onAsk} onShow={onShow} />
            ))}
          </ul>
        )}
      </div>
    </section>
  );
};

type TogglesProps<T extends string> = {
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
};

const Toggles = <T extends string>({ label, options, value, onChange }: TogglesProps<T>) => (
  <div role="group" aria-label={label} className="flex gap-0.5">
    {options.map((option) => (
      <button
        key={option.value}
        type="button"
        aria-pressed={option.value === value}
        onClick={() => onChange(option.value)}
        className="min-h-7 rounded-lg px-2 text-xs font-medium text-soft hover:text-ink aria-pressed:bg-press aria-pressed:text-ink pointer-coarse:min-h-9"
      >
        {option.label}
      </button>
    ))}
  </div>
);

const looks = {
  error: { Icon: CircleX, label: strings.error, tone: "text-danger", ground: "bg-danger-wash" },
  warn: { Icon: TriangleAlert, label: strings.warning, tone: "text-ink", ground: "bg-warn-wash" },
} as const;

type RowProps = { readonly line: PreviewLine } & Pick<Props, "onAsk" | "onShow">;

const LogRow = ({ line, onAsk, onShow }: RowProps) => {
  const look = line.level === "error" ? looks.error : line.level === "warn" ? looks.warn : null;
  const place = readPosition(line.place);
  return (
    <li className={`flex items-start gap-2 px-3 py-1 font-mono text-xs leading-relaxed ${look?.ground ?? ""}`}>
      {look ? (
        <look.Icon aria-label={look.label} className={`mt-0.5 size-3.5 flex-none ${look.tone}`} />
      ) : (
        <span aria-hidden="true" className="mt-1.5 ms-1 me-0.5 size-1.5 flex-none rounded-full bg-line-strong" />
      )}
      <span className="flex min-w-0 flex-1 flex-wrap items-start gap-x-3">
        <span dir="ltr" className="min-w-0 flex-[1_1_16rem] wrap-anywhere whitespace-pre-wrap">
          {line.text}
        </span>
        {place && (
          <button
            type="button"
            className="max-w-40 flex-none truncate rounded underline underline-offset-2 hover:text-accent"
            title={line.place ?? ""}
            onClick={() => onShow(place.path, place.line)}
          >
            {place.path.slice(place.path.lastIndexOf("/") + 1)}:{place.line}
          </button>
        )}
        {look && (
          <button
            type="button"
            className="-my-0.5 inline-flex min-h-6 flex-none items-center gap-1 rounded-lg px-1.5 font-sans font-medium hover:bg-hover pointer-coarse:min-h-9"
            onClick={() => onAsk(toQuestion(line))}
          >
            <MessageCircleQuestion aria-hidden="true" className="size-3.5" />
            {strings.ask}
          </button>
        )}
      </span>
    </li>
  );
};
