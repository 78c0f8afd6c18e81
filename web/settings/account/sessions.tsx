import { Laptop, Smartphone } from "lucide-react";
import { useState } from "react";
import type { SessionView } from "../../../protocol/account/accounts.ts";
import { toDay, toRelativeTime } from "../../lib/time.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useNow } from "../../lib/use-now.ts";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { accountSettings } from "../../strings/settings/account.ts";
import { ActButton } from "../../ui/act-button.tsx";
import { Badge } from "../../ui/badge.tsx";
import Confirm from "../../ui/confirm.tsx";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { describeDevice, isPhone } from "./device.ts";

const strings = accountSettings.sessions;

/** The user's sessions: the current one first, each of the others can be ended. */
export const Sessions = () => {
  const { client } = usePage();
  const { state, reload } = useLoad("sessions", (signal) => client.listSessions({ params: {} }, signal));
  const [isConfirming, setConfirming] = useState(false);
  const [ended, setEnded] = useState<number | null>(null);
  const { state: ending, send } = useRequest();
  const all = state.phase === "ready" ? state.value.sessions : [];
  const sorted = all.toSorted((a, b) => Number(b.current) - Number(a.current));
  const endOthers = async () => {
    const answer = await send(() => client.endOtherSessions({ params: {}, body: {} }));
    if (!answer) return;
    setEnded(answer.ended);
    reload();
  };
  return (
    <Section title={strings.title} count={all.length}>
      <Quiet>{strings.about}</Quiet>
      {state.phase === "loading" && <Waiting />}
      {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
      <ul aria-label={strings.list} className="mt-1 grid gap-2 empty:hidden">
        {sorted.map((session) => (
          <li key={session.id}>
            <SessionRow session={session} onEnded={reload} />
          </li>
        ))}
      </ul>
      {all.length > 1 && (
        <button
          type="button"
          className="plain-button mt-2"
          disabled={ending.name === "sending"}
          onClick={() => setConfirming(true)}
        >
          {strings.endOthers}
        </button>
      )}
      <p role="status" className="text-sm text-soft not-empty:py-1">
        {ended !== null && strings.ended(ended)}
      </p>
      {ending.name === "failed" && (
        <p role="alert" className="text-sm text-danger">
          {ending.text}
        </p>
      )}
      {isConfirming && (
        <Confirm
          title={strings.endOthersTitle}
          text={strings.endOthersAbout}
          action={strings.end}
          onConfirm={() => void endOthers()}
          onClose={() => setConfirming(false)}
        />
      )}
    </Section>
  );
};

type RowProps = { readonly session: SessionView; readonly onEnded: () => void };

const SessionRow = ({ session, onEnded }: RowProps) => {
  const { client } = usePage();
  const now = useNow();
  const { id, agent, current, createdAt, address } = session;
  const device = describeDevice(agent);
  const Icon = isPhone(agent) ? Smartphone : Laptop;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-2xl bg-raised px-4 py-3">
      <Icon aria-hidden="true" className="size-4.5 flex-none text-soft" />
      <div className="min-w-0 flex-1">
        <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          <span title={agent} className="wrap-anywhere">
            {device}
          </span>
          {current && <Badge tone="good">{strings.current}</Badge>}
        </h3>
        <p className="text-xs wrap-anywhere text-soft">
          {describeUse(session, now)} · {strings.since(toDay(createdAt))}
          {address !== "" && (
            <>
              {" "}
              <bdi>{strings.from(address)}</bdi>
            </>
          )}
        </p>
      </div>
      {!current && (
        <ActButton
          label={strings.endFor(device)}
          act={() => client.endSession({ params: { sessionId: id } })}
          onDone={onEnded}
        >
          {strings.end}
        </ActButton>
      )}
    </div>
  );
};

const hourMs = 3_600_000;

/** The time of the last use is known to the hour. */
function describeUse({ current, usedAt }: SessionView, now: number): string {
  if (current) return strings.now;
  return now - usedAt < hourMs ? strings.recently : strings.used(toRelativeTime(usedAt, now));
}
