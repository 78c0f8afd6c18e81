import { Feather, X } from "lucide-react";
import { useState } from "react";
import type { LocalServer } from "../../protocol/settings/providers.ts";
import { composerFieldId } from "../composer/composer.tsx";
import { isOnlyOffline } from "../labels/model.ts";
import { groupDigits } from "../lib/format.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { toSettingsPath } from "../state/route.ts";
import { useLocalServers } from "../state/use-local-servers.ts";
import { useAccount } from "../state/account/use-account.ts";
import { markdown } from "../strings/markdown.ts";
import { thread } from "../strings/thread.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { IconButton } from "../ui/icon-button.tsx";

const strings = thread.demo;
const key = "offline-hint";

/** The line for the server's environment that allows Ollama at its usual address. */
const allowOllama = "STONECHAT_ALLOW_PRIVATE=model=127.0.0.1:11434";

const NotAllowed = () => (
  <>
    <span>{strings.notAllowed}</span>
    <code dir="ltr" className="rounded bg-raised px-1.5 py-0.5 text-xs wrap-anywhere text-ink select-all">
      {allowOllama}
    </code>
    <CopyButton text={allowOllama} label={markdown.code.copy} />
  </>
);

/** Shown when only the built-in demo model can answer: a model server on this machine, or how to connect a model. */
export const OfflineHint = () => {
  const { session, storage } = usePage();
  const models = useSignal(session.models);
  const [isClosed, setClosed] = useState(() => storage.get(key) === "closed");
  const isShown = !isClosed && isOnlyOffline(models);
  const isMember = useAccount()?.role === "member";
  const { servers, isAllowed, isSearching, add, state } = useLocalServers(isShown && !isMember);
  if (!isShown) return null;
  /** The hint disappears with the button that has the focus. On touch screens the keyboard stays closed. */
  const connect = async (server: LocalServer): Promise<void> => {
    await add(server);
    const isConnected = !isOnlyOffline(session.models.get());
    if (isConnected && matchMedia("(hover: hover)").matches) document.getElementById(composerFieldId)?.focus();
  };
  return (
    <aside
      aria-label={strings.label}
      className="mb-2 flex items-start gap-2.5 rounded-xl bg-sunk py-1 ps-3 pe-1 text-sm text-soft"
    >
      <Feather aria-hidden="true" className="mt-1.5 size-4 flex-none text-accent" />
      <div className="min-w-0 flex-1 py-1">
        <p>
          {isMember ? (
            strings.textForMembers
          ) : (
            <>
              {strings.text}{" "}
              <a href={toSettingsPath("models")} className="font-medium text-ink underline underline-offset-2">
                {strings.connect}
              </a>
            </>
          )}
        </p>
        {/* As high as an offer, so that the page does not move when one is found. */}
        {servers.length === 0 && !isMember && (
          <div role="status" className="mt-1.5 flex min-h-9 flex-wrap items-center gap-x-2">
            {isSearching ? strings.searching : isAllowed ? strings.nothingFound : <NotAllowed />}
          </div>
        )}
        {servers.map((server) => (
          <p key={server.baseUrl} className="mt-1.5 flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1.5 text-ink">
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
                onClick={() => void connect(server)}
              >
                {state.name === "sending" ? strings.adding : strings.use(server.label)}
              </button>
            )}
          </p>
        ))}
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
