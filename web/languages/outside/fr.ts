import type { outsideSignIn } from "../../strings/account/outside.ts";

/** Ways to sign in other than a password, in French. */
export const outside: typeof outsideSignIn = {
  or: "ou",
  signInWith: (name) => `Se connecter avec ${name}`,
  joinWith: (name) => `Continuer avec ${name}`,
  forgot: "Mot de passe oublié ?",
  create: "Créer un compte",
  back: "Retour à la connexion",
  reset: {
    title: "Réinitialiser le mot de passe",
    about: "Saisissez l’adresse e-mail de votre compte. Vous recevrez un lien pour définir un nouveau mot de passe.",
  },
  signUp: {
    title: "Créer un compte",
    about:
      "Saisissez votre adresse e-mail. Vous recevrez un lien pour créer votre compte, si cette adresse y est autorisée.",
  },
  send: "Envoyer le lien",
  sending: "Envoi…",
  sent: {
    title: "Consultez vos e-mails",
    about: (email) =>
      `Si ${email} peut être utilisée ici, un lien est en route. Il fonctionne une fois, pendant un jour.`,
  },
  linked: {
    title: "Connexions associées",
    about: (name) => `Associez ${name} pour vous connecter à ce compte avec.`,
    link: (name) => `Associer ${name}`,
    at: (host) => `chez ${host}`,
    used: (when) => `Dernière utilisation ${when}`,
    remove: (label) => `Retirer ${label}`,
    removeTitle: "Retirer cette connexion ?",
    removeAbout: "Elle ne permettra plus de se connecter à votre compte. Les sessions restent ouvertes.",
    removeAction: "Retirer",
  },
  byProxy: "Un proxy placé devant ce serveur vous connecte. Pour vous déconnecter, déconnectez-vous du proxy.",
  invitation: { mail: "Envoyer le lien par e-mail", mailed: (email) => `Le lien est aussi en route vers ${email}.` },
};
