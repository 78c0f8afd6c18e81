import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { Health, HealthProblem } from "../../../protocol/account/health.ts";
import { toPageText } from "../../labels/notices.ts";
import { groupDigits, toSize } from "../../lib/format.ts";
import { toMoment } from "../../lib/time.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useAccount } from "../../state/account/use-account.ts";
import { usePage } from "../../state/page.ts";
import { healthSettings as strings } from "../../strings/settings/health.ts";
import { settings } from "../../strings/settings/page.ts";
import { Badge } from "../../ui/badge.tsx";
import { Fact, Facts, FactSection } from "../facts.tsx";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";

/** For admins: the state of the server, and what to do about its problems. */
export const HealthSection = () => {
  const { client } = usePage();
  const isAdmin = useAccount()?.role === "admin";
  const { state, reload } = useLoad(isAdmin ? "health" : null, (signal) => client.getHealth({ params: {} }, signal));
  if (!isAdmin) return <Quiet>{settings.onlyAdmins}</Quiet>;
  return (
    <>
      <Section
        title={strings.problemsTitle}
        actions={
          <button type="button" className="plain-button min-h-8" onClick={reload}>
            {strings.refresh}
          </button>
        }
      >
        <Quiet>{strings.about}</Quiet>
        {state.phase === "loading" && <Waiting />}
        {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
        {state.phase === "ready" && <Problems problems={state.value.problems} />}
      </Section>
      {state.phase === "ready" && <State health={state.value} />}
    </>
  );
};

const icons = { problem: CircleAlert, warning: TriangleAlert, note: Info } as const;
const tones = { problem: "text-danger", warning: "text-ink", note: "text-soft" } as const;

const Problems = ({ problems }: { readonly problems: readonly HealthProblem[] }) => (
  <>
    {problems.every(({ level }) => level === "note") && (
      <p className="flex items-center gap-2 py-1 text-sm">
        <CircleCheck aria-hidden="true" className="size-4 flex-none text-good" />
        {strings.good}
      </p>
    )}
    <ul aria-label={strings.problemsTitle} className="mt-1 grid gap-2 empty:hidden">
      {problems.map((problem, index) => (
        <Problem key={index} problem={problem} />
      ))}
    </ul>
  </>
);

const Problem = ({ problem: { code, level, name, at, count } }: { readonly problem: HealthProblem }) => {
  const Icon = icons[level];
  const { text, advice } = strings.problems[code];
  const facts = { name, kind: toKind(name), when: at === null ? "" : toMoment(at), count: groupDigits(count) };
  return (
    <li className="flex items-start gap-2 rounded-2xl bg-raised px-4 py-3 text-sm">
      <Icon aria-label={strings.levels[level]} className={`mt-0.5 size-4 flex-none ${tones[level]}`} />
      <span className="min-w-0 wrap-anywhere">
        {text(facts)} <span className="text-soft">{advice}</span>
      </span>
    </li>
  );
};

const toKind = (kind: string): string => (strings.kinds as Readonly<Record<string, string>>)[kind] ?? kind;

const State = ({ health }: { readonly health: Health }) => {
  const { database, backups, runs } = health;
  return (
    <>
      <FactSection title={strings.server}>
        <Fact name={strings.version}>{strings.versionOf(health.version, health.runtime)}</Fact>
        <Fact name={strings.since}>{toMoment(health.startedAt)}</Fact>
        <Fact name={strings.readiness}>{health.isReady ? strings.ready : strings.notReady}</Fact>
        <Fact name={strings.database}>{strings.databases[database.kind]}</Fact>
        <Fact name={strings.size}>{toSize(database.bytes)}</Fact>
        <Fact name={strings.free}>
          {database.diskFreeBytes === null ? strings.unknown : toSize(database.diskFreeBytes)}
        </Fact>
        <Fact name={strings.mail}>{health.hasMail ? strings.mailOn : strings.mailOff}</Fact>
      </FactSection>
      <FactSection title={strings.answers}>
        <Fact name={strings.active}>{groupDigits(runs.active)}</Fact>
        <Fact name={strings.waiting}>{groupDigits(runs.waiting)}</Fact>
        <Fact name={strings.queued}>{groupDigits(runs.queued)}</Fact>
      </FactSection>
      {backups === null ? (
        <Section title={strings.backups}>
          <Quiet>{strings.noBackups}</Quiet>
        </Section>
      ) : (
        <FactSection title={strings.backups}>
          <Fact name={strings.lastBackup}>{backups.lastAt === null ? strings.never : toMoment(backups.lastAt)}</Fact>
          <Fact name={strings.encrypted}>{backups.isEncrypted ? strings.yes : strings.no}</Fact>
        </FactSection>
      )}
      <Nodes nodes={health.nodes} />
      <Section title={strings.jobs}>
        {health.jobs.length === 0 && <Quiet>{strings.noJobs}</Quiet>}
        <Facts>
          {health.jobs.map(({ kind, waiting, running }) => (
            <Fact key={kind} name={toKind(kind)}>
              {strings.counts(groupDigits(waiting), groupDigits(running))}
            </Fact>
          ))}
        </Facts>
      </Section>
      <Section title={strings.providers}>
        {health.providers.length === 0 && <Quiet>{strings.noProviders}</Quiet>}
        <Facts>
          {health.providers.map((provider) => (
            <Fact key={provider.id} name={provider.label}>
              {toPageText(provider)} <span className="text-xs text-soft">{toMoment(provider.at)}</span>
            </Fact>
          ))}
        </Facts>
      </Section>
    </>
  );
};

/** With PostgreSQL, several servers can use one database. */
const Nodes = ({ nodes }: { readonly nodes: Health["nodes"] }) => (
  <Section title={strings.nodes}>
    <Facts>
      {nodes.map(({ id, host, version, seenAt, isThis, isLost }) => (
        <Fact key={id} name={isThis ? `${host} (${strings.thisNode})` : host}>
          {version} · {strings.seen(toMoment(seenAt))} {isLost && <Badge tone="warn">{strings.lost}</Badge>}
        </Fact>
      ))}
    </Facts>
  </Section>
);
