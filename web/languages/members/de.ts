import type { members as english } from "../../strings/project/members.ts";

/** Members of projects in German. */
export const members: typeof english = {
  title: "Mitglieder",
  about:
    "Mitglieder sehen dieses Projekt und seine geteilten Threads. Admins, die keine Mitglieder sind, sehen beides nicht.",
  roles: { owner: "Eigentümer", editor: "Bearbeiter", viewer: "Betrachter" },
  roleOf: (name) => `Rolle von ${name}`,
  roleAbout: {
    editor: "Bearbeiter lesen, schreiben und fragen in geteilten Threads.",
    viewer: "Betrachter lesen nur.",
  },
  you: "Du",
  suspended: "Gesperrt",
  email: "E-Mail-Adresse",
  emailAbout: "Eines Kontos auf diesem Server.",
  emailMismatch: "Gib eine E-Mail-Adresse ein, zum Beispiel name@example.com.",
  role: "Rolle",
  kind: "Hinzufügen",
  kinds: { person: "Person", group: "Gruppe" },
  group: "Gruppe",
  chooseGroup: "Auswählen…",
  groupAbout: "Alle in der Gruppe bekommen die Rolle. Admins bestimmen, wer darin ist.",
  groups: "Gruppen",
  inGroup: (count) => (count === 1 ? "1 Person" : `${count} Personen`),
  through: (groups) => `Über ${groups}`,
  removeGroupText:
    "Wer hier keine andere Rolle hat, verliert sofort den Zugriff, und laufende Antworten werden gestoppt. Geteilte Threads bleiben hier.",
  add: "Mitglied hinzufügen",
  adding: "Hinzufügen",
  privateThreads: (count) =>
    count === 1
      ? "Ein Thread von dir ist hier privat. Du kannst ihn in seinem Dialog „Teilen“ freigeben."
      : `${count} Threads von dir sind hier privat. Du kannst sie einzeln in ihrem Dialog „Teilen“ freigeben.`,
  remove: (name) => `${name} entfernen`,
  removeTitle: (name) => `${name} aus diesem Projekt entfernen?`,
  removeText: "Der Zugriff endet sofort, und laufende Antworten werden gestoppt. Geteilte Threads bleiben hier.",
  removeAction: "Entfernen",
  leave: "Projekt verlassen",
  leaveTitle: "Dieses Projekt verlassen?",
  leaveText:
    "Du verlierst den Zugriff auf das Projekt und seine geteilten Threads, auch auf die von dir begonnenen. Deine privaten Threads behältst du.",
  makeOwner: "Zum Eigentümer machen",
  makeOwnerOf: (name) => `${name} zum Eigentümer machen`,
  makeOwnerTitle: (name) => `${name} zum Eigentümer machen?`,
  makeOwnerText:
    "Eigentümer verwalten Mitglieder und können das Projekt archivieren oder löschen. Du wirst Bearbeiter.",
  shared: "Mit den Mitgliedern des Projekts geteilt",
  sharedProject: "Geteiltes Projekt",
  startsShared: "Die Mitglieder dieses Projekts sehen diesen Thread.",
  readOnly: "Du kannst diesen Thread lesen, aber nicht darin schreiben. Der Eigentümer des Projekts kann das ändern.",
  present: {
    label: "Andere in diesem Thread",
    here: (names) => `Auch hier: ${names}`,
    typing: (names, count) => (count === 1 ? `${names} schreibt…` : `${names} schreiben…`),
  },
  inThread: {
    title: "Mitglieder des Projekts",
    isPrivate: "Nur du siehst diesen Thread.",
    isShared: "Die Mitglieder seines Projekts sehen diesen Thread.",
    warning:
      "Beim Teilen wird alles darin sichtbar: Nachrichten, Dateien, Tool-Aufrufe und Ergebnisse. Aufzeichnungen früherer Prompts werden gelöscht, weil sie dein Gedächtnis enthalten können.",
    noMemory:
      "In geteilten Threads nutzt der Assistent weder dein Gedächtnis noch deine Anweisungen oder eigenen Tools.",
    share: "Mit Mitgliedern teilen",
    unshare: "Privat machen",
    unshareText: "Dann sieht ihn nur, wer ihn begonnen hat.",
  },
};
