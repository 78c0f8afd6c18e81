import type { AccountTexts } from "../catalog.ts";

/** A user's own provider keys in German. */
export const ownKeySettings: AccountTexts["ownKeySettings"] = {
  title: "Deine Anbieterschlüssel",
  about:
    "Dein eigener Schlüssel wird für deine Antworten, Titel und Zusammenfassungen statt des Schlüssels dieses Servers verwendet, und du bezahlst den Anbieter. Für Aufrufe anderer wird er nie verwendet.",
  off: "Ein Admin hat eigene Schlüssel ausgeschaltet. Gespeicherte Schlüssel werden nicht verwendet. Du kannst deine entfernen.",
  applies: { own: "Dein Schlüssel", server: "Schlüssel dieses Servers", none: "Kein Schlüssel" },
  facts: {
    own: (day) =>
      `Du hast am ${day} einen Schlüssel hinterlegt. Er ist verschlüsselt gespeichert und wird nie wieder angezeigt.`,
    server: "Deine Aufrufe verwenden den Schlüssel dieses Servers.",
    none: "Füge deinen Schlüssel hinzu, um die Modelle dieses Anbieters zu verwenden.",
  },
  problems: {
    "other-address":
      "Der Betreiber hat die Adresse dieses Anbieters geändert. Dein gespeicherter Schlüssel gehört zur früheren und wird nicht gesendet. Gib ihn noch einmal ein, um ihn zu verwenden.",
    unreadable:
      "Dein gespeicherter Schlüssel kann nicht entschlüsselt werden, weil sich der Instanzschlüssel geändert hat. Gib ihn noch einmal ein.",
  },
  keyAbout: "Wird verschlüsselt gespeichert und nie wieder angezeigt.",
  removeTitle: (provider) => `Deinen Schlüssel für ${provider} entfernen?`,
  removeText:
    "Er kann nicht noch einmal angezeigt werden. Deine Aufrufe verwenden dann den Schlüssel dieses Servers, wenn er einen für diesen Anbieter hat.",
  allow: "Alle dürfen eigene Anbieterschlüssel verwenden",
};
