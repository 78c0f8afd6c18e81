import type { ReactNode } from "react";
import type { StorageReport } from "../../../protocol/account/storage.ts";
import { groupDigits, isolate, toSize } from "../../lib/format.ts";
import { toDay, toMoment } from "../../lib/time.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useAccount } from "../../state/account/use-account.ts";
import { usePage } from "../../state/page.ts";
import { toPath } from "../../state/route.ts";
import { palette } from "../../strings/palette.ts";
import { healthSettings } from "../../strings/settings/health.ts";
import { settings } from "../../strings/settings/page.ts";
import { storageSettings as strings } from "../../strings/settings/storage.ts";
import { Fact, Facts, FactSection } from "../facts.tsx";
import { Failed, Quiet, Section } from "../../ui/section.tsx";

/** For admins, and without accounts for the user: what is stored and what can be freed. */
const StorageSection = () => {
  const { client } = usePage();
  const account = useAccount();
  const isAllowed = account === null || account.role === "admin";
  const { state, reload } = useLoad(isAllowed ? "storage" : null, (signal) =>
    client.getStorage({ params: {} }, signal),
  );
  if (!isAllowed) return <Quiet>{settings.onlyAdmins}</Quiet>;
  return (
    <>
      <Section
        title={strings.title}
        actions={
          <button type="button" className="plain-button min-h-8" onClick={reload}>
            {healthSettings.refresh}
          </button>
        }
      >
        <Quiet>
          {strings.about} {account !== null && strings.privacy}
        </Quiet>
        {state.phase === "loading" && <Quiet>{strings.measuring}</Quiet>}
        {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
        {state.phase === "ready" && <Contents report={state.value} />}
      </Section>
      {state.phase === "ready" && <Details report={state.value} />}
    </>
  );
};

export default StorageSection;

type Props = { readonly report: StorageReport };

const kinds = ["messages", "files", "artifacts", "receipts", "search", "events"] as const;

const Contents = ({ report: { database, content, measuredAt } }: Props) => (
  <>
    <Facts>
      <Fact name={`${strings.database} (${healthSettings.databases[database.kind]})`}>{toSize(database.bytes)}</Fact>
      {kinds.map((kind) => (
        <Fact key={kind} name={strings.kinds[kind]}>
          {toSize(content[kind])}
        </Fact>
      ))}
    </Facts>
    <p className="pt-2 text-xs text-soft">{strings.measured(toMoment(measuredAt))}</p>
  </>
);

const Details = ({ report }: Props) => {
  const { accounts, otherAccounts, largestThreads } = report;
  return (
    <>
      {accounts.length > 0 && (
        <FactSection title={strings.byAccount}>
          {accounts.map(({ id, email, threads, bytes }) => (
            <Fact key={id} name={<bdi>{email ?? toMissing(id)}</bdi>}>
              {toAmount(threads, bytes)}
            </Fact>
          ))}
          {otherAccounts.count > 0 && (
            <Fact name={strings.otherAccounts(groupDigits(otherAccounts.count))}>
              {toAmount(otherAccounts.threads, otherAccounts.bytes)}
            </Fact>
          )}
        </FactSection>
      )}
      <Section title={strings.largest}>
        {largestThreads.length === 0 && <Quiet>{strings.noThreads}</Quiet>}
        <Facts>
          {largestThreads.map(({ email, own, bytes }, index) => (
            <Fact
              key={index}
              name={own ? <OwnThread {...own} /> : strings.threadOf(isolate(email ?? strings.deletedAccount))}
            >
              {toSize(bytes)}
            </Fact>
          ))}
        </Facts>
      </Section>
      <Freeable freeable={report.freeable} />
      <Rules rules={report.rules} />
    </>
  );
};

/** The owner of threads that are being deleted is `deleted:...`. */
const toMissing = (id: string): string => (id.includes(":") ? strings.deletedAccount : strings.noAccount);

const toAmount = (threads: number, bytes: number): string =>
  `${strings.threads(threads, groupDigits(threads))} · ${toSize(bytes)}`;

type OwnProps = NonNullable<StorageReport["largestThreads"][number]["own"]>;

const OwnThread = ({ id, title, updatedAt }: OwnProps) => (
  <Advised advice={strings.changed(toDay(updatedAt))}>
    <a href={toPath(id)} className="text-accent underline underline-offset-2">
      <bdi>{title === "" ? palette.untitled : title}</bdi>
    </a>
  </Advised>
);

const Freeable = ({
  freeable: { ages, copiesBytes, unusedBytes },
}: {
  readonly freeable: StorageReport["freeable"];
}) => (
  <Section title={strings.freeable}>
    <Quiet>{strings.byHand}</Quiet>
    <Facts>
      {ages.map(({ days, threads }) => (
        <Fact
          key={days}
          name={
            <Advised advice={strings.byRule(isolate(`STONECHAT_DELETE_THREADS_DAYS=${days}`))}>
              {strings.oldThreads(groupDigits(days), groupDigits(threads.count))}
            </Advised>
          }
        >
          {toSize(threads.bytes)}
        </Fact>
      ))}
      {ages.map(({ days, receipts }) => (
        <Fact
          key={days}
          name={
            <Advised advice={strings.byRule(isolate(`STONECHAT_DELETE_RECEIPTS_DAYS=${days}`))}>
              {strings.oldReceipts(groupDigits(days))}
            </Advised>
          }
        >
          {toSize(receipts.bytes)}
        </Fact>
      ))}
      {copiesBytes !== null && (
        <Fact name={<Advised advice={strings.copiesAdvice}>{strings.copies}</Advised>}>{toSize(copiesBytes)}</Fact>
      )}
      {unusedBytes !== null && (
        <Fact name={<Advised advice={strings.unusedAdvice}>{strings.unused}</Advised>}>{toSize(unusedBytes)}</Fact>
      )}
    </Facts>
  </Section>
);

const Rules = ({ rules }: { readonly rules: StorageReport["rules"] }) => (
  <Section title={strings.rules}>
    <Quiet>{strings.rulesAbout}</Quiet>
    <Facts>
      <Rule name={strings.archive} setting="STONECHAT_ARCHIVE_THREADS_DAYS" days={rules.archiveThreadsDays} />
      <Rule name={strings.delete} setting="STONECHAT_DELETE_THREADS_DAYS" days={rules.deleteThreadsDays} />
      <Rule name={strings.deleteReceipts} setting="STONECHAT_DELETE_RECEIPTS_DAYS" days={rules.deleteReceiptsDays} />
    </Facts>
  </Section>
);

type RuleProps = { readonly name: string; readonly setting: string; readonly days: number | null };

const Rule = ({ name, setting, days }: RuleProps) => (
  <Fact name={<Advised advice={<bdi>{setting}</bdi>}>{name}</Advised>}>
    {days === null ? strings.off : strings.after(groupDigits(days))}
  </Fact>
);

/** A name with what can be done about it below. */
const Advised = ({ advice, children }: { readonly advice: ReactNode; readonly children: ReactNode }) => (
  <>
    <span className="text-ink">{children}</span>
    <span className="block text-xs">{advice}</span>
  </>
);
