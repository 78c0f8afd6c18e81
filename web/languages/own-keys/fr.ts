import type { AccountTexts } from "../catalog.ts";

/** A user's own provider keys in French. */
export const ownKeySettings: AccountTexts["ownKeySettings"] = {
  title: "Vos clés de fournisseur",
  about:
    "Votre propre clé sert à vos réponses, titres et résumés à la place de celle de ce serveur, et vous payez le fournisseur. Elle ne sert à aucun autre utilisateur.",
  off: "Un admin a désactivé les clés personnelles. Les clés enregistrées ne sont pas utilisées. Vous pouvez supprimer les vôtres.",
  applies: { own: "Votre clé", server: "Clé de ce serveur", none: "Aucune clé" },
  facts: {
    own: (day) => `Vous avez ajouté une clé le ${day}. Elle est chiffrée et n’est plus jamais affichée.`,
    server: "Vos appels utilisent la clé de ce serveur.",
    none: "Ajoutez votre clé pour utiliser les modèles de ce fournisseur.",
  },
  problems: {
    "other-address":
      "L’opérateur a changé l’adresse de ce fournisseur. Votre clé enregistrée appartient à l’ancienne et n’est pas envoyée. Saisissez-la de nouveau pour l’utiliser.",
    unreadable:
      "Votre clé enregistrée ne peut pas être déchiffrée, car la clé de l’instance a changé. Saisissez-la de nouveau.",
  },
  keyAbout: "Chiffrée et plus jamais affichée.",
  removeTitle: (provider) => `Supprimer votre clé pour ${provider} ?`,
  removeText:
    "Elle ne peut plus être affichée. Vos appels utilisent ensuite la clé de ce serveur, s’il en a une pour ce fournisseur.",
  allow: "Les utilisateurs peuvent utiliser leurs propres clés de fournisseur",
};
