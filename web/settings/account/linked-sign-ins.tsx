import { KeyRound, Link2 } from "lucide-react";
import type { Identity } from "../../../protocol/account/outside.ts";
import { toRelativeTime } from "../../lib/time.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useNow } from "../../lib/use-now.ts";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { outsideSignIn } from "../../strings/account/outside.ts";
import { Failed, Quiet, Section } from "../../ui/section.tsx";
import { Deletable } from "../deletable.tsx";
import type { SendConfirmed } from "./use-confirmed.tsx";

const strings = outsideSignIn.linked;

/** Users of the provider who may sign in to this account. Not shown without a provider, unless some are left. */
export const LinkedSignIns = ({ sendConfirmed }: { readonly sendConfirmed: SendConfirmed }) => {
  const { client } = usePage();
  const { state, reload } = useLoad("identities", (signal) => client.listIdentities({ params: {} }, signal));
  const { state: linking, send } = useRequest();
  /** The server accepts the start only after a proof of who the user is. */
  const link = async (href: string) => {
    if (await send(() => sendConfirmed(() => client.confirmUser({ params: {}, body: {} })))) location.assign(href);
  };
  if (state.phase === "loading") return null;
  if (state.phase === "failed")
    return (
      <Section title={strings.title}>
        <Failed text={state.text} onRetry={reload} />
      </Section>
    );
  const { identities, provider } = state.value;
  if (!provider && identities.length === 0) return null;
  return (
    <Section title={strings.title} count={identities.length}>
      {provider && <Quiet>{strings.about(provider.name)}</Quiet>}
      <ul aria-label={strings.title} className="mt-1 grid gap-2 empty:hidden">
        {identities.map((identity) => (
          <li key={identity.id}>
            <IdentityRow identity={identity} sendConfirmed={sendConfirmed} onRemoved={reload} />
          </li>
        ))}
      </ul>
      {provider && (
        // The server answers with a redirect to the provider, which leads back here.
        <a
          href={`/api/sign-in/oidc?link=1&to=${encodeURIComponent(location.pathname)}`}
          className="plain-button mt-2 max-w-full"
          onClick={(event) => {
            event.preventDefault();
            void link(event.currentTarget.href);
          }}
        >
          <Link2 aria-hidden="true" className="size-4 flex-none" />
          <span className="truncate">{strings.link(provider.name)}</span>
        </a>
      )}
      {linking.name === "failed" && (
        <p role="alert" className="py-1 text-sm text-danger">
          {linking.text}
        </p>
      )}
    </Section>
  );
};

type RowProps = {
  readonly identity: Identity;
  readonly sendConfirmed: SendConfirmed;
  readonly onRemoved: () => void;
};

const IdentityRow = ({ identity: { id, label, issuer, usedAt }, sendConfirmed, onRemoved }: RowProps) => {
  const { client } = usePage();
  const now = useNow();
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-2xl bg-raised px-4 py-3">
      <Deletable
        label={strings.remove(label)}
        title={strings.removeTitle}
        text={strings.removeAbout}
        action={strings.removeAction}
        send={() => sendConfirmed(() => client.removeIdentity({ params: { identityId: id } }))}
        onDeleted={onRemoved}
      >
        {(button) => (
          <>
            <KeyRound aria-hidden="true" className="size-4.5 flex-none text-soft" />
            <div className="min-w-0 flex-1">
              <h3 className="font-medium">
                <bdi className="wrap-anywhere">{label}</bdi>
              </h3>
              <p className="text-xs wrap-anywhere text-soft">
                <bdi>{strings.at(new URL(issuer).host)}</bdi> · {strings.used(toRelativeTime(usedAt, now))}
              </p>
            </div>
            {button}
          </>
        )}
      </Deletable>
    </div>
  );
};
