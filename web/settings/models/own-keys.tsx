import { useEffect, useRef, useState } from "react";
import type { OwnProvider } from "../../../protocol/settings/own-keys.ts";
import { groupDigits } from "../../lib/format.ts";
import { useSignal } from "../../lib/signal.ts";
import { toDay } from "../../lib/time.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useRequest } from "../../lib/use-request.ts";
import { useAccount } from "../../state/account/use-account.ts";
import { usePage } from "../../state/page.ts";
import { actions } from "../../strings/actions.ts";
import { modelSettings } from "../../strings/settings/models.ts";
import { ownKeySettings as strings } from "../../strings/settings/own-keys.ts";
import { Badge } from "../../ui/badge.tsx";
import Confirm from "../../ui/confirm.tsx";
import { Disclosure } from "../../ui/disclosure.tsx";
import { Switch } from "../../ui/field.tsx";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { CardButton, TestResult } from "./provider-card.tsx";
import { ProviderKeyForm } from "./provider-key-form.tsx";

/** The user's own provider keys, and which key their calls are made with. Admins can turn own keys off. */
const OwnKeys = () => {
  const { client, list, session } = usePage();
  const isAdmin = useAccount()?.role === "admin";
  const { state, reload } = useLoad("own-keys", (signal) => client.listOwnProviders({ params: {} }, signal));
  const changes = useSignal(list.settings);
  const switching = useRequest();
  useEffect(() => {
    if (changes > 0) reload();
  }, [changes, reload]);
  const refresh = () => {
    reload();
    void session.load();
  };
  const allow = async (allowed: boolean) => {
    if (await switching.send(() => client.setOwnKeysAllowed({ params: {}, body: { allowed } }))) refresh();
  };
  const { allowed, providers } = state.phase === "ready" ? state.value : { allowed: true, providers: [] };
  const shown = providers.filter(isShown);
  const others = providers.filter((provider) => !isShown(provider));
  return (
    <Section title={strings.title}>
      <Quiet>{allowed ? strings.about : strings.off}</Quiet>
      {state.phase === "loading" && <Waiting />}
      {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
      {state.phase === "ready" && isAdmin && (
        <Switch
          label={strings.allow}
          isOn={allowed}
          disabled={switching.state.name === "sending"}
          onChange={(isOn) => void allow(isOn)}
        >
          {strings.allow}
        </Switch>
      )}
      {switching.state.name === "failed" && (
        <p role="alert" className="text-sm text-danger">
          {switching.state.text}
        </p>
      )}
      <Cards label={strings.title} providers={shown} isAllowed={allowed} onChanged={refresh} />
      {others.length > 0 && (
        <Disclosure label={modelSettings.more} className="mt-2">
          <Cards label={modelSettings.more} providers={others} isAllowed={allowed} onChanged={refresh} />
        </Disclosure>
      )}
    </Section>
  );
};

export default OwnKeys;

const first: ReadonlySet<string> = new Set(["openrouter", "openai", "anthropic", "google"]);

const isShown = ({ id, hasOwnKey }: OwnProvider): boolean => hasOwnKey || first.has(id);

type CardsProps = {
  readonly label: string;
  readonly providers: readonly OwnProvider[];
  readonly isAllowed: boolean;
  readonly onChanged: () => void;
};

const Cards = ({ label, providers, isAllowed, onChanged }: CardsProps) => (
  <ul aria-label={label} className="mt-1 grid gap-2">
    {providers.map((provider) => (
      <OwnKeyCard key={provider.id} provider={provider} isAllowed={isAllowed} onChanged={onChanged} />
    ))}
  </ul>
);

type CardProps = Omit<CardsProps, "label" | "providers"> & { readonly provider: OwnProvider };

const OwnKeyCard = ({ provider, isAllowed, onChanged }: CardProps) => {
  const { client } = usePage();
  const { id, label, applies, hasOwnKey, models, problem, lastTest } = provider;
  const params = { provider: id };
  const [isOpen, setOpen] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const box = useRef<HTMLLIElement>(null);
  const testing = useRequest();
  const removing = useRequest();
  const test = async () => {
    if (await testing.send(() => client.testOwnKey({ params, body: {} }))) onChanged();
  };
  const remove = async () => {
    setRemoving(false);
    if (await removing.send(() => client.removeOwnKey({ params }))) onChanged();
  };
  const close = () => {
    setOpen(false);
    requestAnimationFrame(() => box.current?.querySelector("button")?.focus());
  };
  const isTesting = testing.state.name === "sending";
  return (
    <li ref={box} aria-label={label} className="grid gap-2 rounded-2xl bg-raised px-4 py-3.5 [&>*]:min-w-0">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h3 className="font-medium">{label}</h3>
        <Badge tone={applies === "own" ? "good" : "quiet"}>{strings.applies[applies]}</Badge>
        <span className="ms-auto flex flex-wrap gap-1 max-sm:w-full">
          {isAllowed && !isOpen && (
            <CardButton
              of={label}
              onClick={() => setOpen(true)}
              text={hasOwnKey ? modelSettings.card.replaceKey : modelSettings.card.addKey}
            />
          )}
          {applies === "own" && (
            <CardButton
              of={label}
              isBusy={isTesting}
              onClick={() => void test()}
              text={isTesting ? modelSettings.card.testing : modelSettings.card.test}
            />
          )}
          {hasOwnKey && (
            <CardButton
              of={label}
              isBusy={removing.state.name === "sending"}
              onClick={() => setRemoving(true)}
              text={actions.remove}
            />
          )}
        </span>
      </div>
      <p className="text-sm text-pretty text-soft">
        {toFacts(provider)}
        {applies !== "none" && <> {modelSettings.states.models(models, groupDigits(models))}.</>}
      </p>
      {problem !== null && <p className="rounded-xl bg-warn-wash px-3 py-2 text-sm">{strings.problems[problem]}</p>}
      <div role="status" className="empty:hidden">
        {applies === "own" && lastTest && <TestResult test={lastTest} />}
      </div>
      {[testing.state, removing.state].map((state, index) =>
        state.name === "failed" ? (
          <p key={index} role="alert" className="text-sm text-danger">
            {state.text}
          </p>
        ) : null,
      )}
      {isOpen && (
        <ProviderKeyForm
          label={label}
          about={strings.keyAbout}
          draft={`own-key.${id}`}
          save={(key) => client.setOwnKey({ params, body: { key } })}
          onSaved={() => {
            close();
            void test();
          }}
          onClose={close}
        />
      )}
      {isRemoving && (
        <Confirm
          title={strings.removeTitle(label)}
          text={strings.removeText}
          action={actions.remove}
          onConfirm={() => void remove()}
          onClose={() => setRemoving(false)}
        />
      )}
    </li>
  );
};

const toFacts = ({ applies, keySetAt }: OwnProvider): string =>
  applies === "own" && keySetAt !== null
    ? strings.facts.own(toDay(keySetAt))
    : strings.facts[applies === "own" ? "none" : applies];
