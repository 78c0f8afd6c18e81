import { LoaderCircle, Workflow } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { useIsDark } from "../state/look.ts";
import { Fold } from "../ui/fold.tsx";
import { CodeBlock } from "./code-block.tsx";
import { readColours } from "./read-colours.ts";

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
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => void (isHere.current = false);
  }, []);
  const url = state.name === "drawn" ? state.url : null;
  useEffect(() => (url === null ? undefined : () => URL.revokeObjectURL(url)), [url]);

  const isDark = useIsDark();
  const draw = useCallback(async () => {
    const drawn = await import("./draw-diagram.ts").then(
      ({ drawDiagram }) => drawDiagram(source, readColours(container.current ?? document.body)),
      () => ({ ok: false as const, text: "what draws it did not load. Load the page again, and try once more." }),
    );
    // Releases a picture that is no longer shown.
    if (!isHere.current) return;
    setState(
      drawn.ok
        ? { name: "drawn", source, isDark, url: URL.createObjectURL(new Blob([drawn.svg], { type: "image/svg+xml" })) }
        : { name: "failed", source, text: drawn.text },
    );
  }, [source, isDark]);
  const isCurrent = "source" in state && state.source === source;
  const isFaded = state.name === "drawn" && isCurrent && state.isDark !== isDark;
  useEffect(() => {
    if (isFaded) void draw();
  }, [isFaded, draw]);
  if (state.name === "drawn" && isCurrent)
    return (
      <figure className="grid gap-1">
        <div className="overflow-x-auto rounded-xl bg-sunk p-4" tabIndex={0} role="group" aria-label="Diagram">
          <img
            src={state.url}
            alt={`Diagram: ${firstWord(source)}. Its source is below.`}
            className="mx-auto max-w-none"
          />
        </div>
        <Fold label="Source">
          <CodeBlock code={source} language="mermaid" />
        </Fold>
      </figure>
    );
  return (
    <div ref={container} className="grid gap-2">
      <CodeBlock code={source} language="mermaid" />
      {state.name === "failed" && isCurrent && (
        <p role="alert" className="rounded-xl bg-danger-wash px-3 py-2 text-sm wrap-anywhere whitespace-pre-wrap">
          This diagram could not be drawn: {state.text}
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
        {state.name === "drawing" ? "Drawing…" : "Draw the diagram"}
      </button>
    </div>
  );
};

const firstWord = (source: string): string => /^[ \t]*([a-z][\w-]*)/im.exec(source)?.[1] ?? "picture";
