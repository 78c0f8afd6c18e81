import { useRef, type KeyboardEvent, type PointerEvent } from "react";

type Props = {
  readonly label: string;
  readonly width: number;
  readonly least: number;
  readonly most: number;
  readonly onChange: (width: number) => void;
  readonly onDrag: (isDragging: boolean) => void;
};

const stepPx = 24;

/** Resize handle between two panes, for pointer and arrow keys. Sets the width of the pane after it in reading order. */
export const SplitHandle = ({ label, width, least, most, onChange, onDrag }: Props) => {
  const start = useRef<{ readonly x: number; readonly width: number } | null>(null);
  const set = (next: number) => onChange(Math.round(Math.min(Math.max(next, least), Math.max(most, least))));
  const isRtl = () => document.documentElement.dir === "rtl";
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: event.clientX, width };
    onDrag(true);
  };
  const onPointerMove = (event: PointerEvent) => {
    if (!start.current) return;
    const moved = (start.current.x - event.clientX) * (isRtl() ? -1 : 1);
    set(start.current.width + moved);
  };
  const onEnd = () => {
    start.current = null;
    onDrag(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const wider = isRtl() ? "ArrowRight" : "ArrowLeft";
    if (event.key === "Home") set(least);
    else if (event.key === "End") set(most);
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight")
      set(width + (event.key === wider ? stepPx : -stepPx));
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
      aria-valuenow={width}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onEnd}
      onPointerCancel={onEnd}
      onKeyDown={onKeyDown}
      className="group/edge relative z-10 -me-1.5 w-3 flex-none cursor-col-resize touch-none focus-visible:outline-none"
    >
      <span className="absolute inset-y-0 start-1/2 w-0.5 -translate-x-1/2 bg-transparent transition-colors group-hover/edge:bg-line-strong group-focus-visible/edge:bg-accent group-active/edge:bg-accent rtl:translate-x-1/2" />
    </div>
  );
};
