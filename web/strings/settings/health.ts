import { define } from "../language.ts";

/** Facts of a problem. Missing ones are empty. */
export type HealthFacts = {
  /** The node or the provider; for `not-ready` the reason in English. */
  readonly name: string;
  /** The kind of background job. */
  readonly kind: string;
  readonly when: string;
  readonly count: string;
};

/** The state of the server, for admins. */
export const healthSettings = define("healthSettings", {
  title: "Health",
  about: "The state of this server when the page was loaded.",
  refresh: "Refresh",
  good: "No problems found.",
  problemsTitle: "Problems",
  levels: { problem: "Problem", warning: "Warning", note: "Note" },
  problems: {
    "not-ready": {
      text: ({ name }: HealthFacts) => `The server is not ready: ${name}`,
      advice: "Check the database and the log of the server.",
    },
    "disk-full": {
      text: (): string => "The disk of the data folder is almost full.",
      advice: "Free some space now, or move the data folder to a larger disk.",
    },
    "disk-low": {
      text: (): string => "Less than 1 GB is free on the disk of the data folder.",
      advice: "Free some space, or move the data folder to a larger disk.",
    },
    "no-backups": {
      text: (): string => "The server makes no backups.",
      advice: "Set STONECHAT_BACKUP_FOLDER, or back up the database with other tools.",
    },
    "no-backup-yet": {
      text: (): string => "There is no backup yet.",
      advice: "Wait for the first one. If it does not appear, look at the log of the server.",
    },
    "backup-overdue": {
      text: ({ when }: HealthFacts) => `A backup is overdue. The newest one is from ${when}.`,
      advice: "Look at the log of the server, or run npx stonechat backup.",
    },
    "backup-open": {
      text: (): string => "Backups are not encrypted and contain the instance key.",
      advice: "Set STONECHAT_BACKUP_PASSPHRASE.",
    },
    "node-lost": {
      text: ({ name, when }: HealthFacts) => `The node ${name} stopped without closing. Last sign of life: ${when}.`,
      advice: "Start it again. If you removed it, it disappears from this list after a day.",
    },
    "node-version": {
      text: ({ name }: HealthFacts) => `The node ${name} runs a different version.`,
      advice: "Run the same version on all nodes.",
    },
    "jobs-late": {
      text: ({ kind, when }: HealthFacts) => `Background work (${kind}) has been due since ${when}.`,
      advice: "Wait until running answers have ended. If the queue grows, look at the log of the server.",
    },
    "jobs-failed": {
      text: ({ count }: HealthFacts) => `Background jobs that failed since this node started: ${count}.`,
      advice: "Look at the log of the server for the reason.",
    },
    "provider-failing": {
      text: ({ name }: HealthFacts) => `The last test of ${name} failed.`,
      advice: "Check its key and address in Models and keys, and test it again.",
    },
    "no-mail": {
      text: (): string => "This server sends no mail, so users need an admin for reset links.",
      advice: "Set STONECHAT_SMTP_URL and STONECHAT_MAIL_FROM.",
    },
  },
  server: "Server",
  version: "Version",
  versionOf: (version: string, runtime: string) => `Stonechat ${version} on Node ${runtime}`,
  since: "Running since",
  readiness: "Readiness",
  ready: "Ready",
  notReady: "Not ready",
  database: "Database",
  databases: { sqlite: "SQLite", postgres: "PostgreSQL" },
  size: "Size of the database",
  free: "Free on the disk of the data folder",
  unknown: "Unknown",
  answers: "Answers",
  active: "Being written",
  waiting: "Waiting for a user",
  queued: "Queued messages",
  mail: "Mail",
  mailOn: "Configured",
  mailOff: "Not configured",
  backups: "Backups",
  noBackups: "None",
  lastBackup: "Newest",
  never: "Never",
  encrypted: "Encrypted",
  yes: "Yes",
  no: "No",
  nodes: "Nodes",
  thisNode: "this node",
  seen: (when: string) => `Last sign of life ${when}`,
  lost: "Lost",
  jobs: "Background jobs",
  noJobs: "No jobs are waiting or running.",
  counts: (waiting: string, running: string) => `${waiting} waiting, ${running} running`,
  kinds: {
    summary: "Summaries",
    title: "Titles",
    erase: "Deletion of data",
    mail: "Mail",
    push: "Notifications",
    import: "Imports",
    backup: "Backups",
    retention: "Retention",
    "temporary-thread": "Temporary threads",
    "unsent-attachment": "Unsent files",
  },
  providers: "Failing providers",
  noProviders: "No provider failed its last test.",
});
