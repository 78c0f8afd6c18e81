import { KeyRound, Plus } from "lucide-react";
import { Suspense, useEffect, useState } from "react";
import type { ApiKey } from "../../../protocol/account/keys.ts";
import { accountChunk } from "../../lib/lazy-chunk.ts";
import { useSignal } from "../../lib/signal.ts";
import { toDay, toRelativeTime } from "../../lib/time.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useNow } from "../../lib/use-now.ts";
import { useAccount } from "../../state/account/use-account.ts";
import { usePage } from "../../state/page.ts";
import { keySettings as strings } from "../../strings/settings/keys.ts";
import { Badge } from "../../ui/badge.tsx";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { Deletable } from "../deletable.tsx";
import { ShownOnce } from "../shown-once.tsx";
import { ApiKeyForm, type CreatedKey } from "./api-key-form.tsx";

const ConfirmedKeyForm = accountChunk(() => import("./confirmed-key-form.tsx"));

/** Keys for other programs: create, list and revoke. */
export const KeysSection = () => {
  const { client, keys: changes } = usePage();
  const version = useSignal(changes);
  const hasAccounts = useAccount() !== null;
  const { state, reload } = useLoad("keys", (signal) => client.listKeys({ params: {}, query: {} }, signal));
  const [isAdding, setAdding] = useState(false);
  const [created, setCreated] = useState<CreatedKey | null>(null);
  useEffect(() => {
    if (version > 0) reload();
  }, [version, reload]);
  const all = state.phase === "ready" ? state.value.keys : [];
  const onCreated = (key: CreatedKey) => {
    setCreated(key);
    setAdding(false);
    reload();
  };
  return (
    <Section title={strings.title} count={all.length}>
      <Quiet>
        {strings.about}{" "}
        <a href="/api/docs" target="_blank" rel="noreferrer" className="text-accent underline underline-offset-2">
          {strings.docs}
        </a>
      </Quiet>
      {created && (
        <ShownOnce
          title={strings.created(created.name)}
          about={strings.shownOnce}
          label={strings.token}
          copyLabel={strings.copy}
          secret={created.token}
          onDone={() => setCreated(null)}
        />
      )}
      {state.phase === "loading" && <Waiting />}
      {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
      {state.phase === "ready" && all.length === 0 && <Quiet>{strings.empty}</Quiet>}
      <ul aria-label={strings.list} className="mt-1 grid gap-2 empty:hidden">
        {all.map((key) => (
          <li key={key.id}>
            <KeyRow
              apiKey={key}
              onRevoked={() => {
                if (created?.id === key.id) setCreated(null);
                reload();
              }}
            />
          </li>
        ))}
      </ul>
      {isAdding && !hasAccounts && <ApiKeyForm onClose={() => setAdding(false)} onCreated={onCreated} />}
      {isAdding && hasAccounts && (
        <Suspense fallback={<Waiting />}>
          <ConfirmedKeyForm onClose={() => setAdding(false)} onCreated={onCreated} />
        </Suspense>
      )}
      {!isAdding && (
        <button type="button" className="plain-button mt-2" onClick={() => setAdding(true)}>
          <Plus aria-hidden="true" className="size-4" />
          {strings.add}
        </button>
      )}
    </Section>
  );
};

type RowProps = { readonly apiKey: ApiKey; readonly onRevoked: () => void };

const KeyRow = ({ apiKey, onRevoked }: RowProps) => {
  const { client } = usePage();
  const now = useNow();
  const { id, name, start, scopes, usedAt } = apiKey;
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-2 rounded-2xl bg-raised px-4 py-3">
      <Deletable
        label={strings.revoke(name)}
        title={strings.revokeTitle(name)}
        text={strings.revokeAbout}
        action={strings.revokeAction}
        send={() => client.revokeKey({ params: { keyId: id } })}
        onDeleted={onRevoked}
      >
        {(button) => (
          <>
            <KeyRound aria-hidden="true" className="mt-1 size-4 flex-none text-soft" />
            <div className="min-w-0 flex-1">
              <h3 dir="auto" className="font-medium wrap-anywhere">
                {name}
              </h3>
              <p className="text-xs wrap-anywhere text-soft">
                <span dir="ltr" className="font-mono">
                  {start}…
                </span>{" "}
                · {usedAt === null ? strings.neverUsed : strings.used(toRelativeTime(usedAt, now))} ·{" "}
                {describeExpiry(apiKey, now)}
              </p>
              <p className="mt-1.5 flex flex-wrap gap-1">
                {scopes.map((scope) => (
                  <Badge key={scope} tone={scope === "admin" ? "warn" : "quiet"}>
                    {strings.scopeNames[scope]}
                  </Badge>
                ))}
              </p>
            </div>
            {button}
          </>
        )}
      </Deletable>
    </div>
  );
};

const describeExpiry = ({ expiresAt }: ApiKey, now: number): string => {
  if (expiresAt === null) return strings.neverExpires;
  return (expiresAt > now ? strings.expires : strings.expired)(toDay(expiresAt));
};
