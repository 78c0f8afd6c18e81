import { useRef, type ComponentProps, type ReactNode, type Ref } from "react";
import { useWidth } from "../lib/use-width.ts";
import { SplitHandle, usePaneWidth } from "./split-handle.tsx";

type Props = Omit<ComponentProps<"aside">, "children" | "ref"> & {
  /** Under which its width is remembered. */
  readonly name: string;
  readonly handleLabel: string;
  /** At which edge of the page it stands. */
  readonly edge: "start" | "end";
  readonly least: number;
  /** Its class sets the usual width. */
  readonly className: string;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLElement>;
};

/** At most this share of the window. */
const share = 0.6;

/** A pane at an edge of the page with a handle that resizes it. */
export const ResizablePane = (props: Props) => {
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
