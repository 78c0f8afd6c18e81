import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
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
      {state.phase === "ready" && <Facts health={state.value} />}
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

const Facts = ({ health }: { readonly health: Health }) => {
  const { database, backups, runs } = health;
  return (
    <>
      <Table title={strings.server}>
        <Row name={strings.version}>{strings.versionOf(health.version, health.runtime)}</Row>
        <Row name={strings.since}>{toMoment(health.startedAt)}</Row>
        <Row name={strings.readiness}>{health.isReady ? strings.ready : strings.notReady}</Row>
        <Row name={strings.database}>{strings.databases[database.kind]}</Row>
        <Row name={strings.size}>{toSize(database.bytes)}</Row>
        <Row name={strings.free}>
          {database.diskFreeBytes === null ? strings.unknown : toSize(database.diskFreeBytes)}
        </Row>
        <Row name={strings.mail}>{health.hasMail ? strings.mailOn : strings.mailOff}</Row>
      </Table>
      <Table title={strings.answers}>
        <Row name={strings.active}>{groupDigits(runs.active)}</Row>
        <Row name={strings.waiting}>{groupDigits(runs.waiting)}</Row>
        <Row name={strings.queued}>{groupDigits(runs.queued)}</Row>
      </Table>
      {backups === null ? (
        <Section title={strings.backups}>
          <Quiet>{strings.noBackups}</Quiet>
        </Section>
      ) : (
        <Table title={strings.backups}>
          <Row name={strings.lastBackup}>{backups.lastAt === null ? strings.never : toMoment(backups.lastAt)}</Row>
          <Row name={strings.encrypted}>{backups.isEncrypted ? strings.yes : strings.no}</Row>
        </Table>
      )}
      <Nodes nodes={health.nodes} />
      <Section title={strings.jobs}>
        {health.jobs.length === 0 && <Quiet>{strings.noJobs}</Quiet>}
        <Rows>
          {health.jobs.map(({ kind, waiting, running }) => (
            <Row key={kind} name={toKind(kind)}>
              {strings.counts(groupDigits(waiting), groupDigits(running))}
            </Row>
          ))}
        </Rows>
      </Section>
      <Section title={strings.providers}>
        {health.providers.length === 0 && <Quiet>{strings.noProviders}</Quiet>}
        <Rows>
          {health.providers.map((provider) => (
            <Row key={provider.id} name={provider.label}>
              {toPageText(provider)} <span className="text-xs text-soft">{toMoment(provider.at)}</span>
            </Row>
          ))}
        </Rows>
      </Section>
    </>
  );
};

/** With PostgreSQL, several servers can use one database. */
const Nodes = ({ nodes }: { readonly nodes: Health["nodes"] }) => (
  <Section title={strings.nodes}>
    <Rows>
      {nodes.map(({ id, host, version, seenAt, isThis, isLost }) => (
        <Row key={id} name={isThis ? `${host} (${strings.thisNode})` : host}>
          {version} · {strings.seen(toMoment(seenAt))} {isLost && <Badge tone="warn">{strings.lost}</Badge>}
        </Row>
      ))}
    </Rows>
  </Section>
);

const Table = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <Section title={title}>
    <Rows>{children}</Rows>
  </Section>
);

const Rows = ({ children }: { readonly children: ReactNode }) => (
  <dl className="mt-1 divide-y divide-line rounded-2xl bg-raised px-4 empty:hidden">{children}</dl>
);

const Row = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 py-2.5 text-sm">
    <dt className="min-w-0 flex-1 basis-56 text-soft wrap-anywhere">{name}</dt>
    <dd className="min-w-0 wrap-anywhere">{children}</dd>
  </div>
);
