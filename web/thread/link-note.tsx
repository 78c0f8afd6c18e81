import { CloudOff } from "lucide-react";
import { useEffect, useState } from "react";
import type { LinkState } from "../api/follow.ts";

const patienceMs = 800;

/** Says that the page is behind, once that has lasted long enough to matter. */
export const LinkNote = ({ link }: { readonly link: LinkState }) => {
  const isBehind = link === "waiting";
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!isBehind) return setShown(false);
    const timer = setTimeout(() => setShown(true), patienceMs);
    return () => clearTimeout(timer);
  }, [isBehind]);
  return (
    <span role="status" className="flex-none text-xs text-soft">
      {isShown && (
        <span className="flex items-center gap-1.5 rounded-full bg-warn-wash px-2.5 py-1 text-ink">
          <CloudOff aria-hidden="true" className="size-3.5" />
          {navigator.onLine ? "Reconnecting…" : "Offline"}
        </span>
      )}
    </span>
  );
};
