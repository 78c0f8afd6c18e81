import type { factors as english } from "../../strings/account/factors.ts";
import { createPlural, type Forms } from "../plurals.ts";

const plural = createPlural("fr");
const sessions: Forms = { one: "autre session fermée", other: "autres sessions fermées" };
const codes: Forms = { one: "code de secours restant", other: "codes de secours restants" };
const passkeys: Forms = { one: "clé d’accès", other: "clés d’accès" };

/** Passkeys and second factors, in French. */
export const factors: typeof english = {
  code: {
    title: "Saisissez le code",
    about: "Saisissez le code pour Stonechat qu’affiche votre application d’authentification.",
    label: "Code à usage unique",
    needs: "Saisissez le code.",
    submit: "Continuer",
    submitting: "Vérification…",
    wrong: "Ce code est incorrect ou a déjà été utilisé.",
    expired: "Cette connexion a expiré. Revenez en arrière et saisissez à nouveau votre mot de passe.",
    useRecovery: "Utiliser un code de secours",
    recoveryAbout: "Saisissez l’un de vos codes de secours. Chacun ne sert qu’une fois.",
    recoveryLabel: "Code de secours",
    useApp: "Utiliser l’application d’authentification",
  },
  signInWithPasskey: "Se connecter avec une clé d’accès",
  faults: {
    insecure:
      "Les clés d’accès demandent une connexion sécurisée. Ouvrez Stonechat en https, ou sur localhost depuis la même machine.",
    address:
      "Les clés d’accès ne fonctionnent pas avec une adresse IP. Ouvrez Stonechat par son nom, ou sur localhost depuis la même machine.",
    browser: "Ce navigateur ne gère pas les clés d’accès.",
    elsewhere: (origin) => `Les clés d’accès de cette instance fonctionnent à l’adresse ${origin}.`,
    cancelled: "Aucune clé d’accès n’a été utilisée. Réessayez.",
    exists: "Cet appareil a déjà une clé d’accès pour votre compte.",
    failed: "Le navigateur n’a pas pu utiliser de clé d’accès. Réessayez, ou utilisez un autre appareil.",
  },
  passkeys: {
    title: "Clés d’accès",
    about:
      "Connectez-vous avec votre empreinte, votre visage ou le code de votre appareil, sans mot de passe ni code à usage unique.",
    name: "Nom de la clé d’accès",
    add: "Ajouter une clé d’accès",
    adding: "En attente de votre appareil…",
    added: (date) => `Ajoutée le ${date}`,
    used: (when) => `dernière utilisation ${when}`,
    neverUsed: "jamais utilisée",
    rename: (name) => `Renommer ${name}`,
    remove: (name) => `Retirer ${name}`,
    removeTitle: "Retirer cette clé d’accès ?",
    removeAbout: "Elle ne permettra plus de se connecter à votre compte. Tous vos autres appareils sont déconnectés.",
    removeAction: "Retirer",
  },
  app: {
    title: "Application d’authentification",
    about: "Demander, après votre mot de passe, le code d’une application de votre téléphone.",
    noPassword:
      "Votre compte n’a pas de mot de passe, donc aucun code n’est nécessaire. Définissez d’abord un mot de passe pour utiliser une application.",
    setUp: "Configurer",
    qrCode: "Code QR pour l’application d’authentification",
    scan: "Scannez le code QR avec une application d’authentification, ou saisissez-y la clé. Entrez ensuite le code qu’elle affiche.",
    key: "Clé",
    code: "Code de l’application",
    turnOn: "Activer",
    turningOn: "Activation…",
    since: (date) => `Activée depuis le ${date}.`,
    left: (count) => `${plural(count, codes)}.`,
    newCodes: "Nouveaux codes de secours",
    newCodesTitle: "Créer de nouveaux codes de secours ?",
    newCodesAbout: "Les précédents ne fonctionneront plus.",
    newCodesAction: "Créer",
    turnOff: "Désactiver",
    turnOffTitle: "Désactiver l’application d’authentification ?",
    turnOffAbout: "Votre mot de passe suffira alors pour vous connecter. Tous vos autres appareils sont déconnectés.",
    turnOffAction: "Désactiver",
  },
  recoveryCodes: {
    title: "Vos codes de secours",
    about:
      "Si vous perdez votre téléphone, chacun permet une connexion après votre mot de passe. Gardez-les en lieu sûr : ils ne pourront plus être affichés.",
    ended: (count) => `${plural(count, sessions)}.`,
    copy: "Copier les codes",
    done: "Je les ai enregistrés",
  },
  confirm: {
    title: "Confirmez que c’est bien vous",
    about:
      "Cette modification demande votre mot de passe ou une clé d’accès, sauf si vous vous êtes connecté dans les dix dernières minutes.",
    password: "Mot de passe",
    submit: "Confirmer",
    submitting: "Vérification…",
    passkey: "Utiliser une clé d’accès",
    neither:
      "Votre compte n’a ni mot de passe ni clé d’accès. Déconnectez-vous, reconnectez-vous, puis faites cette modification.",
    cancelled: "Rien n’a été modifié.",
  },
  setPassword: {
    about: "Votre compte n’a pas de mot de passe. Vous pouvez en définir un.",
    submit: "Définir le mot de passe",
  },
  person: { app: "Application d’authentification", passkeys: (count) => plural(count, passkeys) },
};
