import { define } from "../language.ts";

/** A user's own provider keys, on a server with accounts. */
export const ownKeySettings = define("ownKeySettings", {
  title: "Your provider keys",
  about:
    "Your own key is used for your answers, titles and summaries instead of this server's key, and you pay the provider. No other user's calls are made with it.",
  off: "An admin has turned off own keys. Stored keys are not used. You can remove yours.",
  applies: { own: "Your key", server: "This server's key", none: "No key" },
  facts: {
    own: (day: string) => `You set a key on ${day}. It is stored encrypted and never shown again.`,
    server: "Your calls are made with this server's key.",
    none: "Add your key to use this provider's models.",
  },
  problems: {
    "other-address":
      "The operator changed this provider's address. Your stored key belongs to the earlier one and is not sent. Enter it again to use it.",
    unreadable: "Your stored key cannot be decrypted, because the instance key changed. Enter it again.",
  },
  keyAbout: "Stored encrypted and never shown again.",
  removeTitle: (provider: string) => `Remove your key for ${provider}?`,
  removeText:
    "It cannot be shown again. Your calls are then made with this server's key, if it has one for this provider.",
  allow: "Users may use their own provider keys",
});
