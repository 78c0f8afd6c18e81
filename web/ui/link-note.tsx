import { CloudOff } from "lucide-react";
import { useEffect, useState } from "react";
import { ui as strings } from "../strings/ui.ts";

const patienceMs = 800;

/** Shows that the connection is lost, after a short delay so that brief interruptions stay unnoticed. */
export const LinkNote = ({ isWaiting }: { readonly isWaiting: boolean }) => {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!isWaiting) return setShown(false);
    const timer = setTimeout(() => setShown(true), patienceMs);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  return (
    <span role="status" className="flex-none text-xs text-soft">
      {isShown && (
        <span className="flex items-center gap-1.5 rounded-full bg-warn-wash px-2.5 py-1 text-ink">
          <CloudOff aria-hidden="true" className="size-3.5" />
          {navigator.onLine ? strings.reconnecting : strings.offline}
        </span>
      )}
    </span>
  );
};
