import { LoaderCircle, Maximize2, Workflow } from "lucide-react";
import { Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useIsDark } from "../state/look.ts";
import { Disclosure } from "../ui/disclosure.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { lazyChunk } from "../lib/lazy-chunk.ts";
import { markdown } from "../strings/markdown.ts";
import { CodeBlock } from "./code-block.tsx";
import type { Drawing } from "./draw-diagram.ts";
import { readColors } from "./read-colors.ts";

const strings = markdown.diagram;
const Picture = lazyChunk(() => import("../ui/picture.tsx"));

/** Longer ones may take the page some seconds, so they are drawn on request. */
const drawnAtOnceCharacters = 5000;

type State =
  | { readonly name: "source" }
  | { readonly name: "drawing" }
  | ({ readonly name: "drawn"; readonly source: string; readonly url: string; readonly isDark: boolean } & Drawing)
  | { readonly name: "failed"; readonly source: string; readonly text: string };

type Props = { readonly source: string; readonly isComplete: boolean };

/**
 * A diagram's picture, once its source is complete; the renderer is loaded with the first one. The picture is drawn again
 * when the theme changes.
 */
export const Diagram = ({ source, isComplete }: Props) => {
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
      ({ drawDiagram }) => drawDiagram(source, readColors(container.current ?? document.body)),
      () => ({ ok: false as const, text: strings.notLoaded }),
    );
    // Releases a picture that is no longer shown.
    if (!isMounted.current) return;
    const { ok } = drawn;
    setState(
      ok
        ? { name: "drawn", source, isDark, ...drawn, url: toBlobUrl(drawn.svg) }
        : { name: "failed", source, text: drawn.text },
    );
  }, [source, isDark]);
  const isCurrent = "source" in state && state.source === source;
  const isStale = state.name === "drawn" && isCurrent && state.isDark !== isDark;
  const isDue = isComplete && !isCurrent && source.length <= drawnAtOnceCharacters;
  useEffect(() => {
    if (isDue || isStale) void draw();
  }, [isDue, isStale, draw]);
  if (state.name === "drawn" && isCurrent) return <Drawn source={source} url={state.url} />;
  const isDrawing = state.name === "drawing" || isDue;
  return (
    <div ref={container} className="grid gap-2">
      <CodeBlock code={source} language="mermaid" />
      {state.name === "failed" && isCurrent && (
        <p role="alert" className="rounded-xl bg-danger-wash px-3 py-2 text-sm wrap-anywhere whitespace-pre-wrap">
          {strings.failed(state.text)}
        </p>
      )}
      {isComplete && !(state.name === "failed" && isCurrent && state.text !== strings.notLoaded) && (
        <button
          type="button"
          className="plain-button w-fit"
          disabled={isDrawing}
          onClick={() => {
            setState({ name: "drawing" });
            void draw();
          }}
        >
          {isDrawing ? (
            <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />
          ) : (
            <Workflow aria-hidden="true" className="size-4" />
          )}
          {isDrawing ? strings.drawing : strings.draw}
        </button>
      )}
    </div>
  );
};

type DrawnProps = { readonly source: string; readonly url: string };

const Drawn = ({ source, url }: DrawnProps) => {
  const [isEnlarged, setEnlarged] = useState(false);
  const name = strings.alt(firstWord(source));
  return (
    <figure className="grid gap-1">
      <div className="relative rounded-xl bg-sunk">
        <div className="p-4 pe-12" role="group" aria-label={strings.label}>
          <img src={url} alt={name} className="mx-auto max-w-full" />
        </div>
        <IconButton
          label={strings.enlarge}
          className="absolute end-1.5 top-1.5 bg-raised shadow-float"
          onClick={() => setEnlarged(true)}
        >
          <Maximize2 aria-hidden="true" className="size-4" />
        </IconButton>
      </div>
      {isEnlarged && (
        <Suspense>
          <Picture url={url} name={name} isDrawing onClose={() => setEnlarged(false)} />
        </Suspense>
      )}
      <Disclosure label={strings.source}>
        <CodeBlock code={source} language="mermaid" />
      </Disclosure>
    </figure>
  );
};

const toBlobUrl = (svg: string): string => URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));

/** The kind of the diagram is the first word after its settings. */
function firstWord(source: string): string {
  const end = source.startsWith("---\n") ? source.indexOf("\n---\n") : -1;
  return /^[ \t]*([a-z][\w-]*)/im.exec(source.slice(end < 0 ? 0 : end + 5))?.[1] ?? strings.noKind;
}
