import type { AccountTexts } from "../catalog.ts";
import { factors } from "../factors/de.ts";
import { healthSettings, storageSettings } from "../health/de.ts";
import { ownKeySettings } from "../own-keys/de.ts";
import { outside } from "../outside/de.ts";
import { groupSettings, personSettings } from "../person/de.ts";
import { createPlural, type Forms } from "../plurals.ts";

const plural = createPlural("de");
const sessions: Forms = { one: "Sitzung", other: "Sitzungen" };
const otherSessions: Forms = { one: "andere Sitzung", other: "andere Sitzungen" };
const seconds: Forms = { one: "Sekunde", other: "Sekunden" };

/** Sign-in and accounts in German. */
const accounts: AccountTexts = {
  signIn: {
    title: "Bei Stonechat anmelden",
    email: "E-Mail-Adresse",
    password: "Passwort",
    token: "Zugriffstoken",
    submit: "Anmelden",
    submitting: "Anmeldung läuft…",
    tokenHint: "Das Token steht auf dem Server in",
    forgotten: "Passwort vergessen? Ein Admin kann einen Link erstellen, mit dem du ein neues festlegst.",
    ended: "Deine Sitzung ist beendet. Melde dich an, um dort weiterzumachen, wo du warst. Entwürfe sind gespeichert.",
    wrong: "E-Mail-Adresse oder Passwort ist falsch.",
    wrongToken: "Das Token ist falsch.",
    throttled: (count) => `Zu viele Versuche. Versuche es in ${plural(count, seconds)} noch einmal.`,
    retryNow: "Du kannst es jetzt noch einmal versuchen.",
    reload: "Neu laden",
    name: "Dein Name",
    newPassword: "Neues Passwort",
    passwordRules: (min, max) =>
      `${min} bis ${max} Zeichen. Nicht dein Name, nicht deine E-Mail-Adresse und kein häufiges Passwort.`,
    needs: {
      name: "Gib deinen Namen ein.",
      email: "Gib eine E-Mail-Adresse ein, zum Beispiel name@example.com.",
      password: "Gib dein Passwort ein.",
      token: "Gib das Token ein.",
      shorter: (max) => `Verwende höchstens ${max} Zeichen.`,
      longer: (min) => `Verwende mindestens ${min} Zeichen.`,
      other: "Verwende ein Passwort, das nicht dein Name oder deine E-Mail-Adresse ist.",
    },
    emailTaken: "Diese E-Mail-Adresse kann nicht verwendet werden. Nimm eine andere oder melde dich an.",
    signInInstead: "Anmelden",
    notSetUp: {
      title: "Noch nicht eingerichtet",
      about: "Diese Instanz ist noch nicht eingerichtet. Öffne den Link, den der Server beim Start ausgegeben hat.",
    },
    setUp: {
      title: "Stonechat einrichten",
      about: "Erstelle das erste Konto. Als Admin verbindest du Modelle und lädst andere ein.",
      submit: "Konto erstellen",
      submitting: "Konto wird erstellt…",
      done: "Schon eingerichtet",
      doneAbout: "Diese Instanz ist schon eingerichtet. Melde dich an oder bitte einen Admin um eine Einladung.",
      gone: "Dieser Link ist nicht gültig. Der Server gibt bei jedem Start einen neuen aus, bis die Instanz eingerichtet ist.",
    },
    invitation: {
      title: "Bei Stonechat mitmachen",
      about: "Erstelle dein Konto. Deine Chats, Projekte und Dateien siehst nur du.",
      asAdmin: "Du bist als Admin eingeladen: Du kannst auch Modelle verbinden und andere einladen.",
      fixedEmail: "Die Einladung gilt für diese Adresse.",
      signedIn: (name) =>
        `Du bist als ${name} angemeldet. Hier erstellst du ein weiteres Konto und meldest dich damit an.`,
      submit: "Konto erstellen",
      submitting: "Konto wird erstellt…",
      gone: "Diese Einladung ist nicht gültig",
      goneAbout: "Sie ist abgelaufen, wurde widerrufen oder schon benutzt. Bitte einen Admin um eine neue.",
    },
    reset: {
      title: "Neues Passwort festlegen",
      about: "Du wirst mit dem neuen Passwort angemeldet. Alle anderen Sitzungen deines Kontos enden.",
      submit: "Passwort festlegen",
      submitting: "Passwort wird festgelegt…",
      gone: "Dieser Link ist nicht gültig. Er ist abgelaufen oder wurde schon benutzt. Bitte einen Admin um einen neuen.",
    },
    newEmail: {
      title: "Neue Adresse bestätigen",
      about: "Dein Konto verwendet danach diese E-Mail-Adresse.",
      submit: "Adresse bestätigen",
      submitting: "Wird bestätigt…",
      done: "Adresse bestätigt",
      doneAbout: (email) => `Dein Konto verwendet jetzt ${email}.`,
    },
    incomplete: {
      title: "Unvollständiger Link",
      about: "Öffne noch einmal den ganzen Link, oder bitte einen Admin um einen neuen.",
    },
    noAccounts: {
      title: "Keine Konten",
      about: "Diese Instanz hat keine Konten, deshalb bewirkt dieser Link hier nichts.",
    },
    open: "Stonechat öffnen",
    welcome: {
      title: "Deine Instanz ist bereit",
      about: "Lade andere dazu ein. Alle haben getrennte Chats, Projekte und Dateien.",
      invite: "Leute einladen",
      hide: "Ausblenden",
    },
  },

  outsideSignIn: outside,

  factors,

  accountSettings: {
    profile: "Profil",
    role: { admin: "Admin", member: "Mitglied" },
    name: "Name",
    email: "E-Mail-Adresse",
    emailAbout: "Damit meldest du dich an.",
    needsName: "Gib deinen Namen ein.",
    pendingEmail: (email) =>
      `Öffne den Link, der an ${email} geschickt wurde, um die Änderung abzuschließen. Bis dahin bleibt die alte Adresse.`,
    password: {
      title: "Passwort",
      about: "Wenn du dein Passwort änderst, wirst du auf allen anderen Geräten abgemeldet.",
      current: "Aktuelles Passwort",
      next: "Neues Passwort",
      revokeKeys: "Auch meine API-Schlüssel widerrufen",
      submit: "Passwort ändern",
      submitting: "Passwort wird geändert…",
      done: (ended) =>
        ended === 0 ? "Passwort geändert." : `Passwort geändert. ${plural(ended, otherSessions)} beendet.`,
    },
    sessions: {
      title: "Sitzungen",
      about: "Geräte, die bei deinem Konto angemeldet sind.",
      list: "Sitzungen",
      current: "Dieses Gerät",
      device: (browser, system) => `${browser} auf ${system}`,
      unknownBrowser: "Unbekannter Browser",
      now: "Jetzt aktiv",
      recently: "In der letzten Stunde benutzt",
      used: (when) => `Zuletzt benutzt ${when}`,
      since: (date) => `Angemeldet am ${date}`,
      from: (address) => `von ${address}`,
      end: "Abmelden",
      endFor: (device) => `${device} abmelden`,
      endOthers: "Alle anderen Geräte abmelden",
      endOthersTitle: "Alle anderen Geräte abmelden?",
      endOthersAbout: "Sie müssen sich neu anmelden. Entwürfe auf ihnen sind gespeichert.",
      ended: (count) => `${plural(count, sessions)} beendet.`,
    },
    signOut: { title: "Abmelden", about: "Beendet die Sitzung auf diesem Gerät.", action: "Abmelden" },
  },

  peopleSettings: {
    title: "Konten",
    about:
      "Alle mit einem Konto auf dieser Instanz. Admins können Chats, Projekte, Gedächtnis und Dateien anderer nicht lesen.",
    list: "Personen",
    roles: { admin: "Admin", member: "Mitglied" },
    roleAbout: {
      admin: "Nutzt Stonechat, verbindet Modelle und verwaltet Personen.",
      member: "Nutzt Stonechat.",
    },
    you: "Du",
    suspended: "Gesperrt",
    neverSignedIn: "Noch nie angemeldet",
    signedIn: (when) => `Zuletzt angemeldet ${when}`,
    actions: {
      makeAdmin: "Zum Admin machen…",
      makeMember: "Zum Mitglied machen…",
      suspend: "Sperren…",
      restore: "Entsperren",
      signOut: "Überall abmelden…",
      resetLink: "Link für neues Passwort…",
      removeFactors: "Zweite Faktoren entfernen…",
    },
    confirm: {
      makeAdmin: {
        title: (name) => `${name} zum Admin machen?`,
        text: "Admins verbinden Modelle, sehen, wer ein Konto hat, und können andere einladen, sperren und ihre Rolle ändern.",
        action: "Zum Admin machen",
      },
      makeMember: {
        title: (name) => `${name} zum Mitglied machen?`,
        text: "Mitglieder können keine Modelle verbinden und keine Personen verwalten. Chats und Dateien bleiben.",
        action: "Zum Mitglied machen",
      },
      suspend: {
        title: (name) => `${name} sperren?`,
        text: "Alle Sitzungen enden, und API-Schlüssel, geteilte Links und laufende Antworten werden gestoppt. Nichts wird gelöscht, und du kannst das Konto jederzeit entsperren.",
        action: "Sperren",
      },
      signOut: {
        title: (name) => `${name} überall abmelden?`,
        text: "Alle Sitzungen dieses Kontos enden. Mit dem Passwort ist eine neue Anmeldung möglich.",
        action: "Abmelden",
      },
      resetLink: {
        title: (name) => `Link für ein neues Passwort von ${name} erstellen?`,
        text: "Wer den Link hat, kann einmal ein neues Passwort für dieses Konto festlegen. Er ersetzt einen früheren Link.",
        action: "Link erstellen",
      },
      removeFactors: {
        title: (name) => `Zweite Faktoren von ${name} entfernen?`,
        text: "Passkeys, Authenticator-App und Wiederherstellungscodes funktionieren dann nicht mehr, und alle Sitzungen enden. Ohne Passwort ist ein Link für ein neues Passwort nötig.",
        action: "Entfernen",
      },
    },
    factorsRemoved: (name) => `${name} kann sich nur mit dem Passwort anmelden, und alle Sitzungen wurden beendet.`,
    restored: (name) => `${name} kann sich wieder anmelden.`,
    signedOut: (name, count) => `${plural(count, sessions)} von ${name} beendet.`,
    reset: {
      title: (name) => `Link für ein neues Passwort von ${name}`,
      about: (date) => `Schicke ihn weiter. Er gilt einmal, bis ${date}, und kann nicht noch einmal angezeigt werden.`,
      link: "Link für ein neues Passwort",
    },
    copyLink: "Link kopieren",
    invitations: {
      title: "Einladungen",
      about: "Eine Einladung ist ein Link, den du verschickst.",
      add: "Leute einladen",
      email: "E-Mail-Adresse (optional)",
      emailAbout: "Nur diese Adresse kann annehmen. Ohne sie können es alle, die den Link haben.",
      emailMismatch: "Gib eine E-Mail-Adresse ein, zum Beispiel name@example.com.",
      role: "Rolle",
      create: "Einladung erstellen",
      created: "Einladung erstellt",
      createdFor: (email) => `Einladung für ${email} erstellt`,
      shownOnce: (date) =>
        `Verschicke diesen Link. Er gilt einmal, bis ${date}, und kann nicht noch einmal angezeigt werden.`,
      link: "Einladungslink",
      list: "Offene Einladungen",
      anyone: "Alle mit dem Link",
      by: (name) => `Erstellt von ${name}`,
      expires: (date) => `Läuft ab am ${date}`,
      revoke: (invitation) => `Einladung widerrufen: ${invitation}`,
      revokeTitle: "Diese Einladung widerrufen?",
      revokeAbout: "Ihr Link funktioniert dann nicht mehr. Du kannst jederzeit eine neue erstellen.",
      revokeAction: "Widerrufen",
    },
  },

  personSettings,
  groupSettings,
  ownKeySettings,
  healthSettings,
  storageSettings,
  activitySettings: {
    title: "Protokoll",
    about:
      "Änderungen an Konten, Sitzungen, Schlüsseln und den Einstellungen dieser Instanz. Enthält keine Nachrichten, Dateien oder Passwörter.",
    list: "Aktivität",
    empty: "Noch keine Aktivität.",
    more: "Mehr anzeigen",
    from: (address) => `von ${address}`,
    server: "Der Server",
    noLonger: "ein gelöschtes Konto",
    unknown: ({ who }, action) => `${who}: ${action}`,
    actions: {
      "set-up": ({ who }) => `${who} hat diese Instanz eingerichtet`,
      "signed-in": ({ who }) => `${who} hat sich angemeldet`,
      "signed-up": ({ who }) => `${who} hat ein Konto erstellt`,
      "identity-linked": ({ who }) => `${who} hat eine Anmeldung verknüpft`,
      "identity-removed": ({ who }) => `${who} hat eine verknüpfte Anmeldung entfernt`,
      "passkey-added": ({ who, name }) => `${who} hat den Passkey „${name}“ hinzugefügt`,
      "passkey-renamed": ({ who, from, to }) => `${who} hat den Passkey „${from}“ in „${to}“ umbenannt`,
      "passkey-removed": ({ who, name }) => `${who} hat den Passkey „${name}“ entfernt`,
      "authenticator-added": ({ who }) => `${who} hat eine Authenticator-App eingeschaltet`,
      "authenticator-removed": ({ who }) => `${who} hat die Authenticator-App ausgeschaltet`,
      "recovery-codes-created": ({ who }) => `${who} hat neue Wiederherstellungscodes erstellt`,
      "factors-removed": ({ who, whom }) => `${who} hat die zweiten Faktoren von ${whom} entfernt`,
      "reset-mail-sent": ({ who, whom }) => `${who} hat ${whom} einen Link für ein neues Passwort geschickt`,
      "signed-out": ({ who }) => `${who} hat sich abgemeldet`,
      "signed-out-by-admin": ({ who, whom, count }) =>
        `${who} hat ${whom} überall abgemeldet (${plural(count, sessions)})`,
      "session-ended": ({ who }) => `${who} hat eine eigene Sitzung beendet`,
      "other-sessions-ended": ({ who, count }) => `${who} hat ${plural(count, otherSessions)} beendet`,
      "invitation-created": ({ who, role }) =>
        role === "admin" ? `${who} hat eine Einladung für einen Admin erstellt` : `${who} hat eine Einladung erstellt`,
      "invitation-mail-failed": ({ name }) => `Die E-Mail mit der Einladung für ${name} konnte nicht gesendet werden`,
      "invitation-revoked": ({ who }) => `${who} hat eine Einladung widerrufen`,
      "invitation-accepted": ({ who, role }) =>
        role === "admin" ? `${who} ist als Admin beigetreten` : `${who} ist beigetreten`,
      "password-changed": ({ who }) => `${who} hat das eigene Passwort geändert`,
      "password-reset": ({ who }) => `${who} hat mit einem Link ein neues Passwort festgelegt`,
      "reset-link-created": ({ who, whom }) => `${who} hat einen Link für ein neues Passwort von ${whom} erstellt`,
      "email-change-requested": ({ who, from, to }) => `${who} will die eigene Adresse ändern: ${from} → ${to}`,
      "account-changed": ({ who, from, to }) =>
        from === "" ? `${who} hat das eigene Konto geändert` : `${who} hat das eigene Konto geändert: ${from} → ${to}`,
      renamed: ({ who, from, to }) => `${who} hat ${from} in ${to} umbenannt`,
      "role-changed": ({ who, whom, role }) =>
        role === "admin" ? `${who} hat ${whom} zum Admin gemacht` : `${who} hat ${whom} zum Mitglied gemacht`,
      suspended: ({ who, whom }) => `${who} hat ${whom} gesperrt`,
      "suspension-ended": ({ who, whom }) => `${who} hat ${whom} entsperrt`,
      "key-created": ({ who, name }) => `${who} hat den API-Schlüssel „${name}“ erstellt`,
      "key-revoked": ({ who }) => `${who} hat einen API-Schlüssel widerrufen`,
      "key-revoked-by-admin": ({ who, whom }) => `${who} hat einen API-Schlüssel von ${whom} widerrufen`,
      "session-ended-by-admin": ({ who, whom }) => `${who} hat eine Sitzung von ${whom} beendet`,
      "limits-changed": ({ who, whom, isRole, role }) => {
        if (!isRole) return `${who} hat die Limits von ${whom} geändert`;
        return role === "admin"
          ? `${who} hat die Limits der Admins geändert`
          : `${who} hat die Limits der Mitglieder geändert`;
      },
      "limits-removed": ({ who, whom }) => `${who} hat die eigenen Limits von ${whom} entfernt`,
      "person-deleted": ({ who }) => `${who} hat ein Konto gelöscht`,
      "data-deleted": ({ who }) => `${who} hat alle Daten eines Kontos gelöscht`,
      "project-transferred": ({ who, whom }) => `${who} hat ${whom} ein Projekt übertragen`,
      "project-member-added": ({ who, whom }) => `${who} hat ${whom} zu einem Projekt hinzugefügt`,
      "project-member-removed": ({ who, whom }) => `${who} hat ${whom} aus einem Projekt entfernt`,
      "project-role-changed": ({ who, whom }) => `${who} hat die Rolle von ${whom} in einem Projekt geändert`,
      "project-group-added": ({ who, name }) => `${who} hat die Gruppe „${name}“ zu einem Projekt hinzugefügt`,
      "project-group-removed": ({ who, name }) => `${who} hat die Gruppe „${name}“ aus einem Projekt entfernt`,
      "project-group-role-changed": ({ who, name }) =>
        `${who} hat die Rolle der Gruppe „${name}“ in einem Projekt geändert`,
      "group-created": ({ who, name }) => `${who} hat die Gruppe „${name}“ angelegt`,
      "group-renamed": ({ who, from, to }) => `${who} hat die Gruppe „${from}“ in „${to}“ umbenannt`,
      "group-deleted": ({ who, name }) => `${who} hat die Gruppe „${name}“ gelöscht`,
      "group-person-added": ({ who, whom, name }) => `${who} hat ${whom} in die Gruppe „${name}“ aufgenommen`,
      "group-person-removed": ({ who, whom, name }) => `${who} hat ${whom} aus der Gruppe „${name}“ entfernt`,
      "group-left": ({ who, name }) => `${who} hat die Gruppe „${name}“ verlassen`,
      "project-left": ({ who }) => `${who} hat ein Projekt verlassen`,
      "own-key-set": ({ who, name }) => `${who} hat einen eigenen Schlüssel für ${name} gesetzt`,
      "own-key-removed": ({ who, name }) => `${who} hat den eigenen Schlüssel für ${name} entfernt`,
      "own-keys-allowed": ({ who }) => `${who} hat eigene Anbieterschlüssel erlaubt`,
      "own-keys-refused": ({ who }) => `${who} hat eigene Anbieterschlüssel ausgeschaltet`,
      "provider-changed": ({ who, name }) => `${who} hat den Anbieter ${name} geändert`,
      "provider-removed": ({ who, name }) => `${who} hat die Einstellungen des Anbieters ${name} entfernt`,
      "model-changed": ({ who, name }) => `${who} hat die Einstellungen von ${name} geändert`,
    },
  },
  notificationSettings: {
    title: "Benachrichtigungen in diesem Browser",
    about:
      "Erhalte eine Benachrichtigung, wenn eine Antwort fertig ist oder deine Entscheidung braucht, auch wenn Stonechat geschlossen ist. Sie geht verschlüsselt über den Push-Dienst des Browser-Herstellers: Nur dieser Browser kann sie lesen.",
    turnOn: "Benachrichtigungen einschalten",
    turnOff: "Ausschalten",
    isOn: "Benachrichtigungen sind in diesem Browser eingeschaltet.",
    titles: "Titel des Chats anzeigen",
    titlesAbout:
      "Sonst sagt eine Benachrichtigung nur, dass eine Antwort fertig ist. Sie enthält nie den Text einer Nachricht, und temporäre Chats haben keine.",
    test: "Test senden",
    tested: "Gesendet. Die Benachrichtigung erscheint gleich.",
    refused:
      "Der Browser hat Benachrichtigungen nicht erlaubt. Erlaube sie für diese Website in den Einstellungen des Browsers.",
    failed:
      "Dieser Browser konnte sich nicht bei seinem Push-Dienst anmelden. Prüfe die Verbindung und versuche es noch einmal.",
    support: {
      insecure:
        "Benachrichtigungen brauchen https oder localhost. Bitte den Betreiber dieses Servers, https einzurichten.",
      "needs-install":
        "Auf iPhone und iPad brauchen Benachrichtigungen eine installierte Seite: Öffne das Teilen-Menü, wähle „Zum Home-Bildschirm“ und öffne Stonechat von dort.",
      unsupported: "Dieser Browser hat keine Benachrichtigungen.",
      blocked:
        "Benachrichtigungen sind für diese Website blockiert. Erlaube sie in den Einstellungen des Browsers und lade die Seite neu.",
    },
    browsers: "Browser mit Benachrichtigungen",
    none: "Kein Browser erhält Benachrichtigungen.",
    current: "Dieser Browser",
    withTitles: "mit Titeln",
    since: (date) => `Seit ${date}`,
    lastSent: (when) => `Letzte Benachrichtigung ${when}`,
    remove: "Entfernen",
    removeFor: (device) => `${device} entfernen`,
    install: "Stonechat installieren",
    installAbout:
      "Installiere die Seite über das Menü deines Browsers, um sie in einem eigenen Fenster zu öffnen, Text, Links und Dateien aus anderen Apps an sie zu teilen und an ihrem Symbol zu sehen, wie viele Chats auf dich warten. Auf iPhone und iPad: Teilen, dann „Zum Home-Bildschirm“. Das Teilen an eine installierte Seite gibt es dort nicht.",
  },
};

export default accounts;
