import { LoaderCircle, Workflow } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { useIsDark } from "../state/look.ts";
import { Fold } from "../ui/fold.tsx";
import { markdown } from "../strings/markdown.ts";
import { CodeBlock } from "./code-block.tsx";
import { readColours } from "./read-colours.ts";

const strings = markdown.diagram;

type State =
  | { readonly name: "source" }
  | { readonly name: "drawing" }
  | { readonly name: "drawn"; readonly source: string; readonly url: string; readonly isDark: boolean }
  | { readonly name: "failed"; readonly source: string; readonly text: string };

/**
 * A diagram's source, and its picture on request, because the renderer is large. The picture is drawn again when the theme
 * changes.
 */
export const Diagram = ({ source }: { readonly source: string }) => {
  const [state, setState] = useState<State>({ name: "source" });
  const container = useRef<HTMLDivElement>(null);
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => void (isMounted.current = false);
  }, []);
  const url = state.name === "drawn" ? state.url : null;
  useEffect(() => (url === null ? undefined : () => URL.revokeObjectURL(url)), [url]);

  const isDark = useIsDark();
  const draw = useCallback(async () => {
    const drawn = await import("./draw-diagram.ts").then(
      ({ drawDiagram }) => drawDiagram(source, readColours(container.current ?? document.body)),
      () => ({ ok: false as const, text: strings.notLoaded }),
    );
    // Releases a picture that is no longer shown.
    if (!isMounted.current) return;
    setState(
      drawn.ok
        ? { name: "drawn", source, isDark, url: URL.createObjectURL(new Blob([drawn.svg], { type: "image/svg+xml" })) }
        : { name: "failed", source, text: drawn.text },
    );
  }, [source, isDark]);
  const isCurrent = "source" in state && state.source === source;
  const isStale = state.name === "drawn" && isCurrent && state.isDark !== isDark;
  useEffect(() => {
    if (isStale) void draw();
  }, [isStale, draw]);
  if (state.name === "drawn" && isCurrent)
    return (
      <figure className="grid gap-1">
        <div className="overflow-x-auto rounded-xl bg-sunk p-4" tabIndex={0} role="group" aria-label={strings.label}>
          <img src={state.url} alt={strings.alt(firstWord(source))} className="mx-auto max-w-none" />
        </div>
        <Fold label={strings.source}>
          <CodeBlock code={source} language="mermaid" />
        </Fold>
      </figure>
    );
  return (
    <div ref={container} className="grid gap-2">
      <CodeBlock code={source} language="mermaid" />
      {state.name === "failed" && isCurrent && (
        <p role="alert" className="rounded-xl bg-danger-wash px-3 py-2 text-sm wrap-anywhere whitespace-pre-wrap">
          {strings.failed(state.text)}
        </p>
      )}
      <button
        type="button"
        className="plain-button w-fit"
        disabled={state.name === "drawing"}
        onClick={() => {
          setState({ name: "drawing" });
          void draw();
        }}
      >
        {state.name === "drawing" ? (
          <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />
        ) : (
          <Workflow aria-hidden="true" className="size-4" />
        )}
        {state.name === "drawing" ? strings.drawing : strings.draw}
      </button>
    </div>
  );
};

const firstWord = (source: string): string => /^[ \t]*([a-z][\w-]*)/im.exec(source)?.[1] ?? strings.noKind;
