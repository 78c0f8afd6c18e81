import type { outsideSignIn } from "../../strings/account/outside.ts";

/** Ways to sign in other than a password, in German. */
export const outside: typeof outsideSignIn = {
  or: "oder",
  signInWith: (name) => `Mit ${name} anmelden`,
  joinWith: (name) => `Weiter mit ${name}`,
  forgot: "Passwort vergessen?",
  create: "Konto erstellen",
  back: "Zurück zur Anmeldung",
  reset: {
    title: "Passwort zurücksetzen",
    about: "Gib die E-Mail-Adresse deines Kontos ein. Du bekommst einen Link, mit dem du ein neues Passwort festlegst.",
  },
  signUp: {
    title: "Konto erstellen",
    about:
      "Gib deine E-Mail-Adresse ein. Du bekommst einen Link für dein Konto, wenn die Adresse dafür zugelassen ist.",
  },
  send: "Link senden",
  sending: "Wird gesendet…",
  sent: {
    title: "Sieh in deine Mails",
    about: (email) =>
      `Wenn ${email} hier verwendet werden kann, ist ein Link unterwegs. Er gilt einmal und einen Tag lang.`,
  },
  linked: {
    title: "Verknüpfte Anmeldungen",
    about: (name) => `Verknüpfe ${name}, um dich damit bei diesem Konto anzumelden.`,
    link: (name) => `${name} verknüpfen`,
    at: (host) => `bei ${host}`,
    used: (when) => `Zuletzt benutzt ${when}`,
    remove: (label) => `${label} entfernen`,
    removeTitle: "Diese Anmeldung entfernen?",
    removeAbout: "Damit ist keine Anmeldung bei deinem Konto mehr möglich. Sitzungen bleiben angemeldet.",
    removeAction: "Entfernen",
  },
  byProxy: "Ein Proxy vor diesem Server meldet dich an. Melde dich dort ab, um dich abzumelden.",
  invitation: { mail: "Link per Mail senden", mailed: (email) => `Der Link ist auch an ${email} unterwegs.` },
};
