import { Suspense, useEffect, useState } from "react";
import type { Provider } from "../../../protocol/settings/providers.ts";
import { accountChunk } from "../../lib/lazy-chunk.ts";
import { groupDigits } from "../../lib/format.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { useAccount } from "../../state/account/use-account.ts";
import { useLocalServers } from "../../state/use-local-servers.ts";
import { modelSettings as strings } from "../../strings/settings/models.ts";
import { Disclosure } from "../../ui/disclosure.tsx";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { ModelTable } from "./model-table.tsx";
import { ProviderCard } from "./provider-card.tsx";
import { ServerForm } from "./server-form.tsx";

/** Providers with their keys, and their models. Members see only the models. */
export const ModelsSection = () =>
  useAccount()?.role === "member" ? (
    <>
      <OwnKeysOfUser />
      <ModelTable providers={[]} isReadOnly />
    </>
  ) : (
    <EditableModels />
  );

const OwnKeys = accountChunk(() => import("./own-keys.tsx"));

/** Only on a server with accounts. */
const OwnKeysOfUser = () =>
  useAccount() === null ? null : (
    <Suspense fallback={<Waiting />}>
      <OwnKeys />
    </Suspense>
  );

const EditableModels = () => {
  const { state, providers, reload, put } = useProviders();
  const [addedId, setAddedId] = useState("");
  // Those in use first.
  const shown = providers.filter(isShown).toSorted((a, b) => Number(b.isReady) - Number(a.isReady));
  const others = providers.filter((provider) => provider.kind === "hosted" && !isShown(provider));
  return (
    <>
      <LocalServers onAdded={reload} />
      <Section title={strings.providers}>
        <Quiet>{strings.about}</Quiet>
        {state.phase === "loading" && <Waiting />}
        {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
        <Cards label={strings.providers} providers={shown} addedId={addedId} onChanged={put} />
        {state.phase === "ready" && (
          <>
            <NewServer
              providers={providers}
              onAdded={({ id }) => {
                setAddedId(id);
                reload();
              }}
            />
            <Disclosure label={strings.more} className="mt-2">
              <Cards label={strings.more} providers={others} onChanged={put} />
            </Disclosure>
          </>
        )}
      </Section>
      <OwnKeysOfUser />
      <ModelTable providers={providers} />
    </>
  );
};

const first: ReadonlySet<string> = new Set(["openrouter", "openai", "anthropic", "google"]);

/** The best-known providers, and everything that is set up. */
const isShown = ({ id, kind, isReady, key, address }: Provider): boolean =>
  kind === "server" ? address !== "none" : first.has(id) || isReady || key !== "none" || address === "here";

type CardsProps = {
  readonly label: string;
  readonly providers: readonly Provider[];
  /** The server that was just added. */
  readonly addedId?: string;
  readonly onChanged: (provider: Provider) => void;
};

const Cards = ({ label, providers, addedId, onChanged }: CardsProps) => (
  <ul aria-label={label} className="mt-1 grid gap-2">
    {providers.map((provider) => (
      <ProviderCard key={provider.id} provider={provider} isAdded={provider.id === addedId} onChanged={onChanged} />
    ))}
  </ul>
);

/** Model servers on this machine that can be used with one click. */
const LocalServers = ({ onAdded }: { readonly onAdded: () => void }) => {
  const { servers, add, state } = useLocalServers(true);
  if (servers.length === 0) return null;
  return (
    <Section title={strings.local.title}>
      <ul aria-label={strings.local.title} className="mt-1 grid gap-2">
        {servers.map((server) => (
          <li
            key={server.baseUrl}
            className="flex flex-wrap items-center gap-2 rounded-2xl bg-raised px-4 py-3.5 text-sm"
          >
            <span className="min-w-0 flex-1 wrap-anywhere">
              {server.models === 0
                ? strings.local.empty(server.label)
                : strings.local.found(
                    server.label,
                    strings.local.models(server.models, groupDigits(server.models)),
                  )}{" "}
              <span className="font-mono text-xs text-soft">{server.baseUrl}</span>
            </span>
            <button
              type="button"
              className="plain-button strong-button"
              disabled={state.name === "sending"}
              onClick={() => void add(server).then(onAdded)}
            >
              {state.name === "sending" ? strings.local.adding : strings.local.use(server.label)}
            </button>
          </li>
        ))}
      </ul>
      {state.name === "failed" && (
        <p role="alert" className="mt-2 text-sm text-danger">
          {state.text}
        </p>
      )}
    </Section>
  );
};

type NewServerProps = { readonly providers: readonly Provider[]; readonly onAdded: (provider: Provider) => void };

const NewServer = ({ providers, onAdded }: NewServerProps) => {
  const [isOpen, setOpen] = useState(false);
  if (!isOpen)
    return (
      <p className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-soft">
        <button type="button" className="plain-button" onClick={() => setOpen(true)}>
          {strings.servers.add}
        </button>
        <span className="min-w-0 flex-1 basis-60 text-pretty">{strings.servers.about}</span>
      </p>
    );
  return (
    <div className="mt-2 rounded-2xl bg-raised px-4 py-3.5">
      <ServerForm
        takenIds={providers.map(({ id }) => id)}
        onSaved={(provider) => {
          setOpen(false);
          onAdded(provider);
        }}
        onClose={() => setOpen(false)}
      />
    </div>
  );
};

/** The providers, reloaded when any tab has changed them. `put` merges a provider from a response. */
function useProviders() {
  const { client, list, session } = usePage();
  const { state, reload } = useLoad("providers", (signal) => client.listProviders({ params: {} }, signal));
  const changes = useSignal(list.settings);
  const [updated, setUpdated] = useState<readonly Provider[]>([]);
  useEffect(() => {
    if (changes > 0) reload();
  }, [changes, reload]);
  useEffect(() => setUpdated([]), [state]);
  const put = (provider: Provider) => {
    setUpdated((before) => [...before.filter(({ id }) => id !== provider.id), provider]);
    void session.load();
  };
  const providers =
    state.phase === "ready"
      ? state.value.providers.map((one) => updated.find(({ id }) => id === one.id) ?? one)
      : ([] as const);
  return { state, providers, reload, put } as const;
}
