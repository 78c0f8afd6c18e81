import { useEffect, useState } from "react";
import type { Response } from "../../../protocol/api.ts";
import { toMoment } from "../../lib/time.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { useAccount } from "../../state/account/use-account.ts";
import { activitySettings as strings } from "../../strings/settings/activity.ts";
import { settings } from "../../strings/settings/page.ts";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { describeEntry } from "./describe-entry.ts";

type AuditPage = Response<"listAudit">;

/** For admins: the audit log, newest first. */
export const ActivitySection = () => {
  const { client } = usePage();
  const isAdmin = useAccount()?.role === "admin";
  const { state, reload } = useLoad(isAdmin ? "audit" : null, (signal) =>
    client.listAudit({ params: {}, query: {} }, signal),
  );
  const [pages, setPages] = useState<readonly AuditPage[]>([]);
  const { state: loading, send } = useRequest();
  useEffect(() => setPages(state.phase === "ready" ? [state.value] : []), [state]);
  const before = pages.at(-1)?.nextBefore ?? null;
  const loadMore = async () => {
    if (before === null) return;
    const page = await send(() => client.listAudit({ params: {}, query: { before } }));
    if (page) setPages([...pages, page]);
  };
  const entries = pages.flatMap((page) => page.entries);
  if (!isAdmin) return <Quiet>{settings.onlyAdmins}</Quiet>;
  return (
    <Section title={strings.title}>
      <Quiet>{strings.about}</Quiet>
      {state.phase === "loading" && <Waiting />}
      {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
      {state.phase === "ready" && state.value.entries.length === 0 && <Quiet>{strings.empty}</Quiet>}
      <ol aria-label={strings.list} className="mt-1 divide-y divide-line rounded-2xl bg-raised px-4 empty:hidden">
        {entries.map((entry) => (
          <li key={entry.id} className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 py-2.5 text-sm">
            <span className="min-w-0 flex-1 basis-64 wrap-anywhere">{describeEntry(entry)}</span>
            <span className="flex-none text-xs text-soft">
              <time dateTime={new Date(entry.at).toISOString()}>{toMoment(entry.at)}</time>
              {entry.address !== "" && (
                <>
                  {" "}
                  <bdi>{strings.from(entry.address)}</bdi>
                </>
              )}
            </span>
          </li>
        ))}
      </ol>
      {before !== null && (
        <button
          type="button"
          className="plain-button mt-3"
          disabled={loading.name === "sending"}
          onClick={() => void loadMore()}
        >
          {strings.more}
        </button>
      )}
      {loading.name === "failed" && (
        <p role="alert" className="mt-2 text-sm text-danger">
          {loading.text}
        </p>
      )}
    </Section>
  );
};
