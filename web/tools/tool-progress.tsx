import type { ToolPart } from "./names.ts";

/** What a running call is doing, with a thin bar where it knows how far it is. */
export const ToolProgress = ({ part: { state, progress } }: { readonly part: ToolPart }) => {
  if (state !== "running" || !progress) return null;
  const { text, done, of } = progress;
  const isKnown = done !== undefined && of !== undefined && of > 0;
  return (
    <div className="grid gap-1.5 pb-2 ps-7 text-sm text-soft">
      <p dir="auto" className="flex gap-2">
        <span className="min-w-0 truncate">{text}</span>
        {isKnown && (
          <span className="ms-auto flex-none text-xs tabular-nums">
            {done} of {of}
          </span>
        )}
      </p>
      {isKnown && (
        <div
          role="progressbar"
          aria-label={text || "Progress"}
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
