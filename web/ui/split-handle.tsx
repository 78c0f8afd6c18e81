import {
  createContext,
  useContext,
  useRef,
  useState,
  type ComponentProps,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type Ref,
} from "react";
import type { BrowserStorage } from "../lib/storage.ts";
import { useWidth } from "../lib/use-width.ts";

type Props = {
  readonly label: string;
  /** Which pane is resized: the one before or after the handle in reading order. */
  readonly pane: "before" | "after";
  readonly width: number;
  readonly least: number;
  readonly most: number;
  readonly onChange: (width: number) => void;
  /** Called by a double click and by Enter. */
  readonly onReset: () => void;
  readonly onDrag?: (isDragging: boolean) => void;
};

const stepPx = 24;

/** Where widths are remembered; without it, a width lasts until the pane is closed. */
export const PaneWidthContext = createContext<Pick<BrowserStorage, "get" | "set">>({ get: () => null, set: () => {} });

/** The width that the user has given a pane; null: its usual width. */
export function usePaneWidth(name: string): readonly [number | null, (width: number | null) => void] {
  const storage = useContext(PaneWidthContext);
  const key = `${name}.width`;
  const [width, setWidth] = useState(() => Number(storage.get(key)) || null);
  const set = (next: number | null) => {
    setWidth(next);
    storage.set(key, next === null ? null : String(next));
  };
  return [width, set];
}

/** Resize handle between two panes, for pointer and arrow keys. */
export const SplitHandle = ({ label, pane, width, least, most, onChange, onReset, onDrag }: Props) => {
  const start = useRef<{ readonly x: number; readonly width: number } | null>(null);
  const set = (next: number) => onChange(Math.round(Math.min(Math.max(next, least), Math.max(most, least))));
  /** 1 if moving the handle to the right makes the pane wider, otherwise -1. */
  const toSign = () => ((document.documentElement.dir === "rtl") === (pane === "after") ? 1 : -1);
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: event.clientX, width };
    onDrag?.(true);
  };
  const onPointerMove = (event: PointerEvent) => {
    if (start.current && event.clientX !== start.current.x)
      set(start.current.width + (event.clientX - start.current.x) * toSign());
  };
  const onEnd = () => {
    start.current = null;
    onDrag?.(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Home") set(least);
    else if (event.key === "End") set(most);
    else if (event.key === "Enter") onReset();
    else if (event.key === "ArrowLeft") set(width - stepPx * toSign());
    else if (event.key === "ArrowRight") set(width + stepPx * toSign());
    else return;
    event.preventDefault();
  };
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuemin={least}
      aria-valuemax={Math.max(most, least)}
      aria-valuenow={Math.min(Math.max(width, least), Math.max(most, least))}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onEnd}
      onPointerCancel={onEnd}
      onDoubleClick={onReset}
      onKeyDown={onKeyDown}
      className="group/edge relative z-10 -mx-1 w-2 flex-none cursor-col-resize touch-none"
    >
      <span className="absolute inset-y-0 start-1/2 w-0.5 -translate-x-1/2 bg-transparent transition-colors group-hover/edge:bg-line-strong group-focus-visible/edge:bg-accent group-active/edge:bg-accent rtl:translate-x-1/2" />
    </div>
  );
};

type PaneProps = Omit<ComponentProps<"aside">, "children" | "ref"> & {
  /** Storage key of its width. */
  readonly name: string;
  readonly handleLabel: string;
  /** The edge of the page that it touches. */
  readonly edge: "start" | "end";
  readonly least: number;
  /** Includes the default width. */
  readonly className: string;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLElement>;
};

/** At most this share of the window. */
const share = 0.6;

/** A pane at an edge of the page with a handle that resizes it. */
export const ResizablePane = (props: PaneProps) => {
  const { name, handleLabel, edge, least, className, children, ref, ...rest } = props;
  const box = useRef<HTMLDivElement>(null);
  const shown = useWidth(box, least);
  const [width, setWidth] = usePaneWidth(name);
  return (
    <aside
      {...rest}
      ref={ref}
      className={`relative z-10 flex-none ${className}`}
      style={width === null ? undefined : { width, maxWidth: `${share * 100}vw` }}
    >
      <div ref={box} className="h-full">
        {children}
      </div>
      <div className={`absolute inset-y-0 flex ${edge === "start" ? "end-0" : "start-0"}`}>
        <SplitHandle
          label={handleLabel}
          pane={edge === "start" ? "before" : "after"}
          width={shown}
          least={least}
          most={Math.floor(window.innerWidth * share)}
          onChange={setWidth}
          onReset={() => setWidth(null)}
        />
      </div>
    </aside>
  );
};
