import { X, ZoomIn, ZoomOut } from "lucide-react";
import { Dialog } from "radix-ui";
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { actions } from "../strings/actions.ts";
import { ui as strings } from "../strings/ui.ts";
import { IconButton } from "./icon-button.tsx";

type Props = {
  readonly url: string;
  readonly name: string;
  /** A drawing fills the window, and can be zoomed and scrolled. */
  readonly isDrawing?: boolean;
  readonly onClose: () => void;
};

/** A picture in full size, as far as the window allows. */
const Picture = ({ url, name, isDrawing = false, onClose }: Props) => (
  <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
    <Dialog.Portal>
      <Dialog.Overlay className="fixed inset-0 z-40 bg-black/80" />
      <Dialog.Content
        aria-describedby={undefined}
        className="fixed inset-0 z-50 grid place-items-center p-4"
        onClick={onClose}
      >
        <Dialog.Title className="sr-only">{name}</Dialog.Title>
        {isDrawing ? (
          <Drawing url={url} name={name} />
        ) : (
          <img src={url} alt={name} className="animate-rise max-h-full max-w-full rounded-lg object-contain" />
        )}
        <Dialog.Close
          aria-label={actions.close}
          className="icon-button absolute end-4 top-4 size-10 bg-raised text-ink"
        >
          <X aria-hidden="true" className="size-5" />
        </Dialog.Close>
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
);

const mostZoom = 8;
const paddingPx = 16;
/** Text of a drawing below this scale cannot be read. */
const readableScale = 0.35;

type Size = { readonly width: number; readonly height: number };

/**
 * A drawing is fitted to the window, or to its height if it would be too small to read. Zooming, also with two fingers, keeps
 * the middle of the view.
 */
const Drawing = ({ url, name }: Pick<Props, "url" | "name">) => {
  const [zoom, setZoom] = useState(1);
  /** Its size at zoom 1; null until it has loaded. */
  const [fitted, setFitted] = useState<Size | null>(null);
  const [most, setMost] = useState(mostZoom);
  const view = useRef<HTMLDivElement>(null);
  const shownZoom = useRef(zoom);
  useLayoutEffect(() => {
    const [from, to] = [shownZoom.current, zoom];
    shownZoom.current = zoom;
    if (!view.current || !fitted || from === to) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = view.current;
    const left = keepMiddle(scrollLeft, clientWidth, fitted.width * from, to / from);
    view.current.scrollTo({ left, top: keepMiddle(scrollTop, clientHeight, fitted.height * from, to / from) });
  }, [zoom, fitted]);
  const fit = useEffectEvent((isFirst: boolean): void => {
    const picture = view.current?.querySelector("img");
    if (!view.current || !picture || picture.naturalWidth === 0) return;
    const { clientWidth, clientHeight } = view.current;
    const { naturalWidth, naturalHeight } = picture;
    const toWidth = (clientWidth - 2 * paddingPx) / naturalWidth;
    const toHeight = (clientHeight - 2 * paddingPx) / naturalHeight;
    const scale = Math.min(toWidth, toHeight);
    setFitted({ width: naturalWidth * scale, height: naturalHeight * scale });
    const start = scale < readableScale ? Math.max(1, Math.min(1, Math.max(toWidth, toHeight)) / scale) : 1;
    setMost(Math.max(mostZoom, start * 4));
    if (!isFirst) return;
    // Starts at the beginning of the drawing, not in its middle.
    shownZoom.current = start;
    setZoom(start);
  });
  useEffect(() => {
    if (!view.current) return;
    const observer = new ResizeObserver(() => fit(false));
    observer.observe(view.current);
    return () => observer.disconnect();
  }, []);
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    if (isLoaded) fit(true);
  }, [isLoaded]);
  usePinch(view, zoom, (next) => setZoom(Math.min(most, Math.max(1, next))));
  const style = fitted
    ? { width: fitted.width * zoom, height: fitted.height * zoom }
    : { width: "100%", height: "100%" };
  return (
    <div className="relative size-full min-h-0 min-w-0 animate-rise" onClick={(event) => event.stopPropagation()}>
      <div
        ref={view}
        dir="ltr"
        tabIndex={0}
        role="group"
        aria-label={name}
        className="grid size-full touch-pan-x touch-pan-y overflow-auto rounded-lg bg-sunk"
      >
        <img
          src={url}
          alt={name}
          className="m-auto max-w-none object-contain"
          style={style}
          onLoad={() => setLoaded(true)}
        />
      </div>
      <div className="absolute start-3 bottom-3 flex gap-2">
        <IconButton
          label={strings.zoomOut}
          className="size-10 bg-raised text-ink shadow-float"
          disabled={zoom <= 1}
          onClick={() => setZoom(Math.max(1, zoom / 2))}
        >
          <ZoomOut aria-hidden="true" className="size-5" />
        </IconButton>
        <IconButton
          label={strings.zoomIn}
          className="size-10 bg-raised text-ink shadow-float"
          disabled={zoom >= most}
          onClick={() => setZoom(Math.min(most, zoom * 2))}
        >
          <ZoomIn aria-hidden="true" className="size-5" />
        </IconButton>
      </div>
    </div>
  );
};

/** The scroll offset at which the middle of the view shows the same place of the picture. A smaller picture is centered. */
function keepMiddle(scroll: number, box: number, size: number, ratio: number): number {
  const margin = Math.max(0, (box - size) / 2);
  return (scroll + box / 2 - margin) * ratio - box / 2;
}

/** Zooms with two fingers, and with the pinch of a trackpad, which is Ctrl with the wheel. */
function usePinch(view: RefObject<HTMLElement | null>, zoom: number, onZoom: (zoom: number) => void): void {
  const change = useEffectEvent((factor: number, from = zoom): void => onZoom(from * factor));
  const readZoom = useEffectEvent(() => zoom);
  useEffect(() => {
    const box = view.current;
    if (!box) return;
    let start: { readonly distance: number; readonly zoom: number } | null = null;
    const onTouch = (event: TouchEvent): void => {
      const [a, b] = event.touches;
      if (!a || !b) return void (start = null);
      event.preventDefault();
      const distance = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      start ??= { distance: Math.max(1, distance), zoom: readZoom() };
      change(distance / start.distance, start.zoom);
    };
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      change(Math.exp(-event.deltaY / 100));
    };
    const touches = ["touchstart", "touchmove", "touchend", "touchcancel"] as const;
    for (const type of touches) box.addEventListener(type, onTouch, { passive: false });
    box.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      for (const type of touches) box.removeEventListener(type, onTouch);
      box.removeEventListener("wheel", onWheel);
    };
  }, [view]);
}

export default Picture;
