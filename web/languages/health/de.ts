import type { AccountTexts } from "../catalog.ts";
import { createPlural } from "../plurals.ts";

const plural = createPlural("de");

/** The state of the server in German. */
export const healthSettings: AccountTexts["healthSettings"] = {
  title: "Zustand",
  about: "Der Zustand dieses Servers beim Laden der Seite.",
  refresh: "Aktualisieren",
  good: "Keine Probleme gefunden.",
  problemsTitle: "Probleme",
  levels: { problem: "Problem", warning: "Warnung", note: "Hinweis" },
  problems: {
    "not-ready": {
      text: ({ name }) => `Der Server ist nicht bereit: ${name}`,
      advice: "Prüfe die Datenbank und das Protokoll des Servers.",
    },
    "disk-full": {
      text: (): string => "Die Festplatte des Datenordners ist fast voll.",
      advice: "Gib jetzt Platz frei, oder verschiebe den Datenordner auf eine größere Festplatte.",
    },
    "disk-low": {
      text: (): string => "Auf der Festplatte des Datenordners ist weniger als 1 GB frei.",
      advice: "Gib Platz frei, oder verschiebe den Datenordner auf eine größere Festplatte.",
    },
    "no-backups": {
      text: (): string => "Der Server macht keine Sicherungen.",
      advice: "Setze STONECHAT_BACKUP_FOLDER, oder sichere die Datenbank mit anderen Programmen.",
    },
    "no-backup-yet": {
      text: (): string => "Es gibt noch keine Sicherung.",
      advice: "Warte auf die erste. Wenn sie nicht erscheint, sieh im Protokoll des Servers nach.",
    },
    "backup-overdue": {
      text: ({ when }) => `Eine Sicherung ist überfällig. Die neueste ist vom ${when}.`,
      advice: "Sieh im Protokoll des Servers nach, oder führe npx stonechat backup aus.",
    },
    "backup-open": {
      text: (): string => "Sicherungen sind nicht verschlüsselt und enthalten den Instanzschlüssel.",
      advice: "Setze STONECHAT_BACKUP_PASSPHRASE.",
    },
    "node-lost": {
      text: ({ name, when }) =>
        `Der Knoten ${name} hat aufgehört, ohne sich zu beenden. Letztes Lebenszeichen: ${when}.`,
      advice: "Starte ihn wieder. Wenn du ihn entfernt hast, verschwindet er nach einem Tag aus dieser Liste.",
    },
    "node-version": {
      text: ({ name }) => `Auf dem Knoten ${name} läuft eine andere Version.`,
      advice: "Verwende auf allen Knoten dieselbe Version.",
    },
    "jobs-late": {
      text: ({ kind, when }) => `Hintergrundarbeit (${kind}) ist seit ${when} fällig.`,
      advice:
        "Warte, bis laufende Antworten fertig sind. Wenn die Warteschlange wächst, sieh im Protokoll des Servers nach.",
    },
    "jobs-failed": {
      text: ({ count }) => `Seit dem Start dieses Knotens fehlgeschlagene Hintergrundaufgaben: ${count}.`,
      advice: "Der Grund steht im Protokoll des Servers.",
    },
    "provider-failing": {
      text: ({ name }) => `Der letzte Test von ${name} ist fehlgeschlagen.`,
      advice: "Prüfe Schlüssel und Adresse unter „Modelle und Schlüssel“ und teste noch einmal.",
    },
    "no-mail": {
      text: (): string =>
        "Dieser Server verschickt keine Mails, deshalb brauchen alle einen Admin für Links zum Zurücksetzen.",
      advice: "Setze STONECHAT_SMTP_URL und STONECHAT_MAIL_FROM.",
    },
  },
  server: "Server",
  version: "Version",
  versionOf: (version, runtime) => `Stonechat ${version} mit Node ${runtime}`,
  since: "Läuft seit",
  readiness: "Bereitschaft",
  ready: "Bereit",
  notReady: "Nicht bereit",
  database: "Datenbank",
  databases: { sqlite: "SQLite", postgres: "PostgreSQL" },
  size: "Größe der Datenbank",
  free: "Frei auf der Festplatte des Datenordners",
  unknown: "Unbekannt",
  answers: "Antworten",
  active: "Werden geschrieben",
  waiting: "Warten auf jemanden",
  queued: "Wartende Nachrichten",
  mail: "Mail",
  mailOn: "Eingerichtet",
  mailOff: "Nicht eingerichtet",
  backups: "Sicherungen",
  noBackups: "Keine",
  lastBackup: "Neueste",
  never: "Noch nie",
  encrypted: "Verschlüsselt",
  yes: "Ja",
  no: "Nein",
  nodes: "Knoten",
  thisNode: "dieser Knoten",
  seen: (when) => `Letztes Lebenszeichen ${when}`,
  lost: "Verloren",
  jobs: "Hintergrundaufgaben",
  noJobs: "Keine Aufgaben warten oder laufen.",
  counts: (waiting, running) => `${waiting} warten, ${running} laufen`,
  kinds: {
    summary: "Zusammenfassungen",
    title: "Titel",
    erase: "Löschen von Daten",
    mail: "Mail",
    push: "Benachrichtigungen",
    import: "Importe",
    backup: "Sicherungen",
    retention: "Aufbewahrung",
    "temporary-thread": "Temporäre Chats",
    "unsent-attachment": "Nicht gesendete Dateien",
  },
  providers: "Gestörte Anbieter",
  noProviders: "Kein Anbieter ist beim letzten Test fehlgeschlagen.",
};

/** The storage of the server in German. */
export const storageSettings: AccountTexts["storageSettings"] = {
  title: "Nach Art",
  about: "Was auf diesem Server gespeichert ist und was gelöscht werden könnte. Hier wird nichts geändert.",
  privacy: "Von Chats anderer werden nur Besitzer und Größe angezeigt.",
  measuring: "Wird gemessen… Bei einer großen Datenbank kann das eine Minute dauern.",
  measured: (when) => `Gemessen: ${when}`,
  database: "Datenbank mit ihren Indizes",
  kinds: {
    messages: "Nachrichten",
    files: "Angehängte Dateien",
    artifacts: "Gespeicherte Seiten und Tool-Ausgaben",
    receipts: "Was das Modell sah",
    search: "Suche und Erinnern",
    events: "Ereignisse für offene Seiten",
  },
  byAccount: "Nach Konto",
  deletedAccount: "Gelöschtes Konto",
  noAccount: "Ohne Konto",
  otherAccounts: (count) => `Weitere Konten: ${count}`,
  threads: (count, text) => plural(count, { one: "Chat", other: "Chats" }, text),
  largest: "Größte Chats",
  noThreads: "Keine Chats.",
  threadOf: (owner) => `Chat von ${owner}`,
  changed: (day) => `Zuletzt geändert: ${day}`,
  freeable: "Kann freigegeben werden",
  oldThreads: (days, count) => `Chats, die seit ${days} Tagen nicht geändert wurden: ${count}`,
  oldReceipts: (days) => `Was das Modell sah, älter als ${days} Tage`,
  byRule: (setting) => `Freigeben mit ${setting}`,
  byHand: "Alle können ihre eigenen Chats löschen. Die Einstellungen unten löschen alte automatisch, für alle.",
  copies: "Kopien der Datenbank aus der Zeit vor Aktualisierungen",
  copiesAdvice: "Der Server entfernt sie nach 14 Tagen.",
  unused: "Ungenutzter Platz in der Datenbankdatei",
  unusedAdvice:
    "Neue Daten nutzen ihn. Um ihn der Festplatte zurückzugeben, halte den Server an und führe npx stonechat compact aus.",
  rules: "Aufbewahrungsregeln",
  rulesAbout:
    "Regeln sind Einstellungen des Servers. Sie gelten einmal am Tag und für alle. Angeheftete Chats werden nie durch eine Regel archiviert oder gelöscht.",
  archive: "Nicht geänderte Chats archivieren",
  delete: "Nicht geänderte Chats löschen",
  deleteReceipts: "Löschen, was das Modell sah",
  after: (days) => `Nach ${days} Tagen`,
  off: "Aus",
};
