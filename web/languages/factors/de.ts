import type { factors as english } from "../../strings/account/factors.ts";
import { createPlural, type Forms } from "../plurals.ts";

const plural = createPlural("de");
const sessions: Forms = { one: "andere Sitzung", other: "andere Sitzungen" };
const codes: Forms = { one: "Wiederherstellungscode", other: "Wiederherstellungscodes" };
const passkeys: Forms = { one: "Passkey", other: "Passkeys" };

/** Passkeys and second factors, in German. */
export const factors: typeof english = {
  code: {
    title: "Code eingeben",
    about: "Gib den Code für Stonechat ein, den deine Authenticator-App anzeigt.",
    label: "Code",
    needs: "Gib den Code ein.",
    submit: "Weiter",
    submitting: "Wird geprüft…",
    wrong: "Der Code ist falsch oder wurde schon benutzt.",
    expired: "Diese Anmeldung ist abgelaufen. Geh zurück und gib dein Passwort noch einmal ein.",
    useRecovery: "Wiederherstellungscode verwenden",
    recoveryAbout: "Gib einen deiner Wiederherstellungscodes ein. Jeder gilt einmal.",
    recoveryLabel: "Wiederherstellungscode",
    useApp: "Authenticator-App verwenden",
  },
  signInWithPasskey: "Mit einem Passkey anmelden",
  faults: {
    insecure:
      "Passkeys brauchen eine sichere Verbindung. Öffne Stonechat über https oder auf demselben Rechner unter localhost.",
    address:
      "Unter einer IP-Adresse gibt es keine Passkeys. Öffne Stonechat unter seinem Namen oder auf demselben Rechner unter localhost.",
    browser: "Dieser Browser kann keine Passkeys verwenden.",
    elsewhere: (origin) => `Die Passkeys dieser Instanz funktionieren unter ${origin}.`,
    cancelled: "Es wurde kein Passkey verwendet. Versuche es noch einmal.",
    exists: "Dieses Gerät hat schon einen Passkey für dein Konto.",
    failed: "Der Browser konnte keinen Passkey verwenden. Versuche es noch einmal oder auf einem anderen Gerät.",
  },
  passkeys: {
    title: "Passkeys",
    about: "Melde dich mit Fingerabdruck, Gesicht oder der PIN deines Geräts an, ohne Passwort und Code.",
    name: "Name des Passkeys",
    add: "Passkey hinzufügen",
    adding: "Warten auf dein Gerät…",
    added: (date) => `Hinzugefügt am ${date}`,
    used: (when) => `zuletzt benutzt ${when}`,
    neverUsed: "noch nie benutzt",
    rename: (name) => `${name} umbenennen`,
    remove: (name) => `${name} entfernen`,
    removeTitle: "Diesen Passkey entfernen?",
    removeAbout:
      "Damit ist keine Anmeldung bei deinem Konto mehr möglich. Alle deine anderen Geräte werden abgemeldet.",
    removeAction: "Entfernen",
  },
  app: {
    title: "Authenticator-App",
    about: "Nach deinem Passwort wird ein Code aus einer App auf deinem Telefon verlangt.",
    noPassword:
      "Dein Konto hat kein Passwort, deshalb ist kein Code nötig. Lege zuerst ein Passwort fest, um eine App zu verwenden.",
    setUp: "Einrichten",
    qrCode: "QR-Code für die Authenticator-App",
    scan: "Scanne den QR-Code mit einer Authenticator-App oder gib den Schlüssel ein. Gib dann den Code ein, den die App anzeigt.",
    key: "Schlüssel",
    code: "Code aus der App",
    turnOn: "Einschalten",
    turningOn: "Wird eingeschaltet…",
    since: (date) => `Eingeschaltet seit ${date}.`,
    left: (count) => `Noch ${plural(count, codes)}.`,
    newCodes: "Neue Wiederherstellungscodes",
    newCodesTitle: "Neue Wiederherstellungscodes erstellen?",
    newCodesAbout: "Die früheren funktionieren dann nicht mehr.",
    newCodesAction: "Erstellen",
    turnOff: "Ausschalten",
    turnOffTitle: "Authenticator-App ausschalten?",
    turnOffAbout: "Zum Anmelden reicht dann dein Passwort. Alle deine anderen Geräte werden abgemeldet.",
    turnOffAction: "Ausschalten",
  },
  recoveryCodes: {
    title: "Deine Wiederherstellungscodes",
    about:
      "Wenn du dein Telefon verlierst, meldet dich jeder nach deinem Passwort einmal an. Bewahre sie sicher auf: Sie können nicht noch einmal angezeigt werden.",
    ended: (count) => `${plural(count, sessions)} beendet.`,
    copy: "Codes kopieren",
    done: "Ich habe sie aufbewahrt",
  },
  confirm: {
    title: "Bestätige, dass du es bist",
    about:
      "Diese Änderung braucht dein Passwort oder einen Passkey, wenn du dich nicht in den letzten zehn Minuten angemeldet hast.",
    password: "Passwort",
    submit: "Bestätigen",
    submitting: "Wird geprüft…",
    passkey: "Passkey verwenden",
    neither: "Dein Konto hat weder Passwort noch Passkey. Melde dich ab und wieder an, und mache dann diese Änderung.",
    cancelled: "Es wurde nichts geändert.",
  },
  setPassword: { about: "Dein Konto hat kein Passwort. Du kannst eines festlegen.", submit: "Passwort festlegen" },
  person: { app: "Authenticator-App", passkeys: (count) => plural(count, passkeys) },
};
