import { Feather, X } from "lucide-react";
import { useState } from "react";
import { isOnlyOffline } from "../labels/model.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { toSettingsPath } from "../state/route.ts";
import { thread } from "../strings/thread.ts";
import { IconButton } from "../ui/icon-button.tsx";

const strings = thread.demo;
const key = "offline-hint";

/** Shown when only the built-in demo model can answer: how to connect another one. */
export const OfflineHint = () => {
  const { session, storage } = usePage();
  const models = useSignal(session.models);
  const [isClosed, setClosed] = useState(() => storage.get(key) === "closed");
  if (isClosed || !isOnlyOffline(models)) return null;
  return (
    <aside
      aria-label={strings.label}
      className="mb-2 flex items-start gap-2.5 rounded-xl bg-sunk py-1 ps-3 pe-1 text-sm text-soft"
    >
      <Feather aria-hidden="true" className="mt-1.5 size-4 flex-none text-accent" />
      <p className="min-w-0 flex-1 py-1">
        {strings.text}{" "}
        <a href={toSettingsPath("models")} className="font-medium text-ink underline underline-offset-2">
          {strings.connect}
        </a>
      </p>
      <IconButton
        label={strings.hide}
        className="size-7"
        onClick={() => {
          storage.set(key, "closed");
          setClosed(true);
        }}
      >
        <X aria-hidden="true" className="size-4" />
      </IconButton>
    </aside>
  );
};
