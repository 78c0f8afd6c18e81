import { Feather, X } from "lucide-react";
import { useState } from "react";
import { isOnlyOffline } from "../labels/model.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { toSettingsPath } from "../state/route.ts";
import { IconButton } from "../ui/icon-button.tsx";

const key = "offline-hint";

/** Shown when only the built-in model can answer: says so, and how to change it. */
export const OfflineHint = () => {
  const { session, storage } = usePage();
  const models = useSignal(session.models);
  const [isClosed, setClosed] = useState(() => storage.get(key) === "closed");
  if (isClosed || !isOnlyOffline(models)) return null;
  return (
    <aside
      aria-label="About the offline model"
      className="mb-2 flex items-start gap-2.5 rounded-xl bg-sunk py-1 ps-3 pe-1 text-sm text-soft"
    >
      <Feather aria-hidden="true" className="mt-1.5 size-4 flex-none text-accent" />
      <p className="min-w-0 flex-1 py-1">
        The small offline model is answering: it quotes and calls tools, without a network.{" "}
        <a href={toSettingsPath("models")} className="font-medium text-ink underline underline-offset-2">
          Connect a real one
        </a>{" "}
        with a key of yours, or a server such as Ollama.
      </p>
      <IconButton
        label="Hide this"
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
