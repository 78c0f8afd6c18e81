import { CloudOff } from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { ui as strings } from "../strings/ui.ts";

const patienceMs = 800;

/** An open stream notices a lost network late. */
function listenToNetwork(onChange: () => void): () => void {
  for (const event of ["online", "offline"]) addEventListener(event, onChange);
  return () => {
    for (const event of ["online", "offline"]) removeEventListener(event, onChange);
  };
}

/** Shows that the connection is lost, after a short delay so that brief interruptions stay unnoticed. */
export const LinkNote = ({ isWaiting }: { readonly isWaiting: boolean }) => {
  const [isShown, setShown] = useState(false);
  const isOnline = useSyncExternalStore(listenToNetwork, () => navigator.onLine);
  const isLost = isWaiting || !isOnline;
  useEffect(() => {
    if (!isLost) return setShown(false);
    const timer = setTimeout(() => setShown(true), patienceMs);
    return () => clearTimeout(timer);
  }, [isLost]);
  return (
    <span role="status" className="flex-none text-xs text-soft">
      {isShown && (
        <span className="flex items-center gap-1.5 rounded-full bg-warn-wash px-2.5 py-1 text-ink">
          <CloudOff aria-hidden="true" className="size-3.5" />
          {isOnline ? strings.reconnecting : strings.offline}
        </span>
      )}
    </span>
  );
};
