import { Feather, X } from "lucide-react";
import { useState } from "react";
import { isOnlyOffline } from "../labels/model.ts";
import { groupDigits } from "../lib/format.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { toSettingsPath } from "../state/route.ts";
import { useLocalServers } from "../state/use-local-servers.ts";
import { thread } from "../strings/thread.ts";
import { IconButton } from "../ui/icon-button.tsx";

const strings = thread.demo;
const key = "offline-hint";

/** Shown when only the built-in demo model can answer: a model server on this machine, or how to connect a model. */
export const OfflineHint = () => {
  const { session, storage } = usePage();
  const models = useSignal(session.models);
  const [isClosed, setClosed] = useState(() => storage.get(key) === "closed");
  const isShown = !isClosed && isOnlyOffline(models);
  const { servers, add, state } = useLocalServers(isShown);
  if (!isShown) return null;
  return (
    <aside
      aria-label={strings.label}
      className="mb-2 flex items-start gap-2.5 rounded-xl bg-sunk py-1 ps-3 pe-1 text-sm text-soft"
    >
      <Feather aria-hidden="true" className="mt-1.5 size-4 flex-none text-accent" />
      <div className="min-w-0 flex-1 py-1">
        {servers.map((server) => (
          <p key={server.baseUrl} className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-ink">
            <span className="min-w-0 wrap-anywhere">
              {server.models === 0
                ? strings.foundEmpty(server.label)
                : strings.found(server.label, strings.models(server.models, groupDigits(server.models)))}
            </span>
            {server.models > 0 && (
              <button
                type="button"
                className="plain-button strong-button"
                disabled={state.name === "sending"}
                onClick={() => void add(server)}
              >
                {state.name === "sending" ? strings.adding : strings.use(server.label)}
              </button>
            )}
          </p>
        ))}
        <p>
          {strings.text}{" "}
          <a href={toSettingsPath("models")} className="font-medium text-ink underline underline-offset-2">
            {strings.connect}
          </a>
        </p>
        {state.name === "failed" && (
          <p role="alert" className="mt-1 text-danger">
            {state.text}
          </p>
        )}
      </div>
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
