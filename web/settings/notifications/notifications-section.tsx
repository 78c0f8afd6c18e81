import { Bell, Laptop, Smartphone } from "lucide-react";
import { useEffect, useState } from "react";
import type { PushSubscriptionView } from "../../../protocol/settings/push.ts";
import { toDay, toRelativeTime } from "../../lib/time.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useNow } from "../../lib/use-now.ts";
import { findOwnId, findPushSupport, forgetPush, turnOnPush } from "../../state/device/push.ts";
import { usePage } from "../../state/page.ts";
import { notificationSettings as strings } from "../../strings/settings/notifications.ts";
import { ResponseError } from "../../../protocol/client.ts";
import { toErrorText } from "../../lib/use-load.ts";
import { ActButton } from "../../ui/act-button.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Switch } from "../../ui/field.tsx";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { describeDevice, isPhone } from "../account/device.ts";

/** Notifications in this browser, and the other browsers that get them. */
const NotificationsSection = () => {
  const { client } = usePage();
  const { state, reload } = useLoad("push", (signal) => client.listPush({ params: {} }, signal));
  const [ownId, setOwnId] = useState<string | null>(null);
  useEffect(() => {
    void findOwnId().then(setOwnId, () => setOwnId(null));
  }, [state]);
  if (state.phase === "loading") return <Waiting />;
  if (state.phase === "failed") return <Failed text={state.text} onRetry={reload} />;
  const { publicKey, subscriptions } = state.value;
  const own = subscriptions.find(({ id }) => id === ownId);
  return (
    <>
      <Section title={strings.title}>
        <Quiet>{strings.about}</Quiet>
        <ThisBrowser own={own} publicKey={publicKey} onChanged={reload} />
      </Section>
      <Section title={strings.browsers} count={subscriptions.length}>
        {subscriptions.length === 0 && <Quiet>{strings.none}</Quiet>}
        <ul aria-label={strings.browsers} className="mt-1 grid gap-2 empty:hidden">
          {subscriptions.map((one) => (
            <li key={one.id}>
              <BrowserRow subscription={one} isOwn={one === own} onRemoved={reload} />
            </li>
          ))}
        </ul>
      </Section>
      <Section title={strings.install}>
        <Quiet>{strings.installAbout}</Quiet>
      </Section>
    </>
  );
};

export default NotificationsSection;

type ThisBrowserProps = {
  readonly own: PushSubscriptionView | undefined;
  readonly publicKey: string;
  readonly onChanged: () => void;
};

const ThisBrowser = ({ own, publicKey, onChanged }: ThisBrowserProps) => {
  const page = usePage();
  const [support, setSupport] = useState(findPushSupport);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [note, setNote] = useState<string | null>(null);
  const turnOn = async (titles: boolean) => {
    setBusy(true);
    setProblem(null);
    try {
      const view = await turnOnPush(page, publicKey, titles);
      if (view === null) setProblem(strings.refused);
      setSupport(findPushSupport());
      onChanged();
    } catch (error) {
      setProblem(error instanceof ResponseError ? toErrorText(error) : strings.failed);
    } finally {
      setBusy(false);
    }
  };
  if (support !== "ready" && !own)
    return (
      <p role="status" className="mt-1 rounded-xl bg-warn-wash px-4 py-2.5 text-sm">
        {strings.support[support]}
      </p>
    );
  return (
    <div className="mt-2 grid justify-items-start gap-3">
      {own ? (
        <>
          <p className="text-sm">{strings.isOn}</p>
          <Switch label={strings.titles} isOn={own.titles} disabled={isBusy} onChange={(titles) => void turnOn(titles)}>
            {strings.titles}
          </Switch>
          <Quiet>{strings.titlesAbout}</Quiet>
          <div className="flex flex-wrap items-center gap-2">
            <ActButton
              act={() => page.client.testPush({ params: { subscriptionId: own.id }, body: {} })}
              onDone={() => setNote(strings.tested)}
            >
              {strings.test}
            </ActButton>
            <ActButton
              act={async () => {
                await page.client.unsubscribePush({ params: { subscriptionId: own.id } });
                await forgetPush(page);
              }}
              onDone={() => {
                setNote(null);
                onChanged();
              }}
            >
              {strings.turnOff}
            </ActButton>
          </div>
        </>
      ) : (
        <button
          type="button"
          className="plain-button strong-button"
          disabled={isBusy}
          onClick={() => void turnOn(false)}
        >
          <Bell aria-hidden="true" className="size-4" />
          {strings.turnOn}
        </button>
      )}
      <p role="status" className="text-sm text-soft not-empty:py-1">
        {note}
      </p>
      {problem !== null && (
        <p role="alert" className="text-sm text-danger">
          {problem}
        </p>
      )}
    </div>
  );
};

type RowProps = {
  readonly subscription: PushSubscriptionView;
  readonly isOwn: boolean;
  readonly onRemoved: () => void;
};

const BrowserRow = ({ subscription, isOwn, onRemoved }: RowProps) => {
  const page = usePage();
  const now = useNow();
  const { id, agent, titles, createdAt, sentAt, problem } = subscription;
  const device = describeDevice(agent);
  const Icon = isPhone(agent) ? Smartphone : Laptop;
  const remove = async () => {
    await page.client.unsubscribePush({ params: { subscriptionId: id } });
    if (isOwn) await forgetPush(page);
  };
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-2xl bg-raised px-4 py-3">
      <Icon aria-hidden="true" className="size-4.5 flex-none text-soft" />
      <div className="min-w-0 flex-1">
        <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          <span title={agent} className="wrap-anywhere">
            {device}
          </span>
          {isOwn && <Badge tone="good">{strings.current}</Badge>}
          {titles && <Badge tone="quiet">{strings.withTitles}</Badge>}
        </h3>
        <p className="text-xs wrap-anywhere text-soft">
          {strings.since(toDay(createdAt))}
          {sentAt !== null && ` · ${strings.lastSent(toRelativeTime(sentAt, now))}`}
        </p>
        {problem !== null && <p className="text-xs wrap-anywhere text-danger">{problem}</p>}
      </div>
      <ActButton label={strings.removeFor(device)} act={remove} onDone={onRemoved}>
        {strings.remove}
      </ActButton>
    </div>
  );
};
