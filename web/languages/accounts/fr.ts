import type { AccountTexts } from "../catalog.ts";
import { factors } from "../factors/fr.ts";
import { healthSettings, storageSettings } from "../health/fr.ts";
import { ownKeySettings } from "../own-keys/fr.ts";
import { outside } from "../outside/fr.ts";
import { groupSettings, personSettings } from "../person/fr.ts";
import { createPlural, type Forms } from "../plurals.ts";

const plural = createPlural("fr");
const sessions: Forms = { one: "session", other: "sessions" };
const endedSessions: Forms = { one: "# session terminée", other: "# sessions terminées" };
const endedOthers: Forms = { one: "# autre session terminée", other: "# autres sessions terminées" };
const otherSessions: Forms = { one: "autre session", other: "autres sessions" };
const seconds: Forms = { one: "seconde", other: "secondes" };

/** Sign-in and accounts in French. */
const accounts: AccountTexts = {
  signIn: {
    title: "Se connecter à Stonechat",
    email: "Adresse e-mail",
    password: "Mot de passe",
    token: "Jeton d’accès",
    submit: "Se connecter",
    submitting: "Connexion…",
    tokenHint: "Le jeton est défini sur le serveur par",
    forgotten: "Mot de passe oublié ? Un admin peut créer un lien pour en définir un nouveau.",
    ended:
      "Votre session est terminée. Connectez-vous pour reprendre là où vous étiez. Les brouillons sont enregistrés.",
    wrong: "Adresse e-mail ou mot de passe incorrect.",
    wrongToken: "Jeton incorrect.",
    throttled: (count) => `Trop de tentatives. Réessayez dans ${plural(count, seconds)}.`,
    retryNow: "Vous pouvez réessayer maintenant.",
    reload: "Recharger",
    name: "Votre nom",
    newPassword: "Nouveau mot de passe",
    passwordRules: (min, max) =>
      `De ${min} à ${max} caractères. Ni votre nom, ni votre adresse e-mail, ni un mot de passe courant.`,
    needs: {
      name: "Saisissez votre nom.",
      email: "Saisissez une adresse e-mail, par exemple nom@example.com.",
      password: "Saisissez votre mot de passe.",
      token: "Saisissez le jeton.",
      shorter: (max) => `Utilisez au plus ${max} caractères.`,
      longer: (min) => `Utilisez au moins ${min} caractères.`,
      other: "Choisissez un mot de passe différent de votre nom et de votre adresse e-mail.",
    },
    emailTaken: "Cette adresse e-mail ne peut pas être utilisée. Choisissez-en une autre ou connectez-vous.",
    signInInstead: "Se connecter",
    notSetUp: {
      title: "Pas encore configuré",
      about: "Cette instance n’est pas configurée. Ouvrez le lien que le serveur a affiché au démarrage.",
    },
    setUp: {
      title: "Configurer Stonechat",
      about: "Créez le premier compte. En tant qu’admin, vous connectez les modèles et invitez les autres.",
      submit: "Créer le compte",
      submitting: "Création du compte…",
      done: "Déjà configuré",
      doneAbout: "Cette instance est déjà configurée. Connectez-vous ou demandez une invitation à un admin.",
      gone: "Ce lien n’est pas valable. Le serveur en affiche un nouveau à chaque démarrage tant que l’instance n’est pas configurée.",
    },
    invitation: {
      title: "Rejoindre Stonechat",
      about: "Créez votre compte. Vos conversations, projets et fichiers ne sont visibles que par vous.",
      asAdmin: "Vous êtes invité comme admin : vous pourrez aussi connecter des modèles et inviter d’autres personnes.",
      fixedEmail: "L’invitation est pour cette adresse.",
      signedIn: (name) =>
        `Vous êtes connecté en tant que ${name}. Ceci crée un autre compte et vous connecte avec celui-ci.`,
      submit: "Créer le compte",
      submitting: "Création du compte…",
      gone: "Cette invitation n’est pas valable",
      goneAbout: "Elle a expiré, a été révoquée ou a déjà servi. Demandez-en une autre à un admin.",
    },
    reset: {
      title: "Définir un nouveau mot de passe",
      about:
        "Vous serez connecté avec le nouveau mot de passe. Toutes les autres sessions de votre compte se terminent.",
      submit: "Définir le mot de passe",
      submitting: "Enregistrement…",
      gone: "Ce lien n’est pas valable. Il a expiré ou a déjà servi. Demandez-en un autre à un admin.",
    },
    newEmail: {
      title: "Confirmer votre nouvelle adresse",
      about: "Votre compte utilisera ensuite cette adresse e-mail.",
      submit: "Confirmer l’adresse",
      submitting: "Confirmation…",
      done: "Adresse confirmée",
      doneAbout: (email) => `Votre compte utilise maintenant ${email}.`,
    },
    incomplete: {
      title: "Lien incomplet",
      about: "Ouvrez de nouveau le lien entier, ou demandez-en un autre à un admin.",
    },
    noAccounts: { title: "Pas de comptes", about: "Cette instance n’a pas de comptes : ce lien n’y a aucun effet." },
    open: "Ouvrir Stonechat",
    welcome: {
      title: "Votre instance est prête",
      about: "Invitez d’autres personnes. Chacune a ses conversations, projets et fichiers séparés.",
      invite: "Inviter des personnes",
      hide: "Masquer",
    },
  },

  outsideSignIn: outside,

  factors,

  accountSettings: {
    profile: "Profil",
    role: { admin: "Admin", member: "Membre" },
    name: "Nom",
    email: "Adresse e-mail",
    emailAbout: "Elle sert à vous connecter.",
    needsName: "Saisissez votre nom.",
    pendingEmail: (email) =>
      `Ouvrez le lien envoyé à ${email} pour terminer le changement. D’ici là, l’ancienne adresse reste valable.`,
    password: {
      title: "Mot de passe",
      about: "Changer de mot de passe vous déconnecte de tous les autres appareils.",
      current: "Mot de passe actuel",
      next: "Nouveau mot de passe",
      revokeKeys: "Révoquer aussi mes clés d'API",
      submit: "Changer le mot de passe",
      submitting: "Changement…",
      done: (ended) => (ended === 0 ? "Mot de passe changé." : `Mot de passe changé. ${plural(ended, endedOthers)}.`),
    },
    sessions: {
      title: "Sessions",
      about: "Les appareils connectés à votre compte.",
      list: "Sessions",
      current: "Cet appareil",
      device: (browser, system) => `${browser} sur ${system}`,
      unknownBrowser: "Navigateur inconnu",
      now: "Active maintenant",
      recently: "Utilisée dans la dernière heure",
      used: (when) => `Dernière utilisation : ${when}`,
      since: (date) => `Connexion le ${date}`,
      from: (address) => `depuis ${address}`,
      end: "Déconnecter",
      endFor: (device) => `Déconnecter ${device}`,
      endOthers: "Déconnecter tous les autres appareils",
      endOthersTitle: "Déconnecter tous les autres appareils ?",
      endOthersAbout: "Il faudra s’y reconnecter. Leurs brouillons sont enregistrés.",
      ended: (count) => `${plural(count, endedSessions)}.`,
    },
    signOut: { title: "Se déconnecter", about: "Termine la session de cet appareil.", action: "Se déconnecter" },
  },

  peopleSettings: {
    title: "Comptes",
    about:
      "Toutes les personnes qui ont un compte ici. Les admins ne peuvent pas lire les conversations, projets, mémoire ou fichiers des autres.",
    list: "Personnes",
    roles: { admin: "Admin", member: "Membre" },
    roleAbout: {
      admin: "Utilise Stonechat, connecte les modèles et gère les personnes.",
      member: "Utilise Stonechat.",
    },
    you: "Vous",
    suspended: "Suspendu",
    neverSignedIn: "Jamais connecté",
    signedIn: (when) => `Dernière connexion : ${when}`,
    actions: {
      makeAdmin: "Nommer admin…",
      makeMember: "Rendre membre…",
      suspend: "Suspendre…",
      restore: "Rétablir",
      signOut: "Déconnecter partout…",
      resetLink: "Lien de réinitialisation…",
      removeFactors: "Retirer les seconds facteurs…",
    },
    confirm: {
      makeAdmin: {
        title: (name) => `Nommer ${name} admin ?`,
        text: "Les admins connectent les modèles, voient qui a un compte et peuvent inviter, suspendre et rétrograder des personnes.",
        action: "Nommer admin",
      },
      makeMember: {
        title: (name) => `Rendre ${name} membre ?`,
        text: "Les membres ne peuvent ni connecter des modèles ni gérer des personnes. Ses conversations et fichiers restent.",
        action: "Rendre membre",
      },
      suspend: {
        title: (name) => `Suspendre ${name} ?`,
        text: "Toutes ses sessions se terminent ; ses clés API, liens partagés et réponses en cours s’arrêtent. Rien n’est supprimé et vous pouvez rétablir le compte à tout moment.",
        action: "Suspendre",
      },
      signOut: {
        title: (name) => `Déconnecter ${name} partout ?`,
        text: "Toutes ses sessions se terminent. Une nouvelle connexion avec le mot de passe reste possible.",
        action: "Déconnecter",
      },
      resetLink: {
        title: (name) => `Créer un lien de réinitialisation pour ${name} ?`,
        text: "Toute personne qui a le lien peut définir une fois un nouveau mot de passe pour ce compte. Il remplace un lien précédent.",
        action: "Créer le lien",
      },
      removeFactors: {
        title: (name) => `Retirer les seconds facteurs de ${name} ?`,
        text: "Ses clés d’accès, son application d’authentification et ses codes de secours ne fonctionneront plus, et toutes ses sessions se terminent. Sans mot de passe, il lui faut un lien de réinitialisation.",
        action: "Retirer",
      },
    },
    factorsRemoved: (name) =>
      `${name} peut se connecter avec son seul mot de passe, et toutes ses sessions sont terminées.`,
    restored: (name) => `${name} peut de nouveau se connecter.`,
    signedOut: (name, count) => `${plural(count, endedSessions)} pour ${name}.`,
    reset: {
      title: (name) => `Lien de réinitialisation pour ${name}`,
      about: (date) => `Envoyez-le. Il sert une fois, jusqu’au ${date}, et ne pourra plus être affiché.`,
      link: "Lien de réinitialisation du mot de passe",
    },
    copyLink: "Copier le lien",
    invitations: {
      title: "Invitations",
      about: "Une invitation est un lien que vous envoyez.",
      add: "Inviter des personnes",
      email: "Adresse e-mail (facultatif)",
      emailAbout: "Seule cette adresse peut accepter. Sans adresse, toute personne qui a le lien le peut.",
      emailMismatch: "Saisissez une adresse e-mail, par exemple nom@example.com.",
      role: "Rôle",
      create: "Créer l’invitation",
      created: "Invitation créée",
      createdFor: (email) => `Invitation pour ${email} créée`,
      shownOnce: (date) => `Envoyez ce lien. Il sert une fois, jusqu’au ${date}, et ne pourra plus être affiché.`,
      link: "Lien d’invitation",
      list: "Invitations en attente",
      anyone: "Toute personne qui a le lien",
      by: (name) => `Créée par ${name}`,
      expires: (date) => `Expire le ${date}`,
      revoke: (invitation) => `Révoquer l’invitation : ${invitation}`,
      revokeTitle: "Révoquer cette invitation ?",
      revokeAbout: "Son lien cesse de fonctionner. Vous pourrez en créer une autre à tout moment.",
      revokeAction: "Révoquer",
    },
  },

  personSettings,
  groupSettings,
  ownKeySettings,
  healthSettings,
  storageSettings,
  activitySettings: {
    title: "Journal d’audit",
    about:
      "Changements des comptes, des sessions, des clés et des paramètres de cette instance. Sans messages, fichiers ni mots de passe.",
    list: "Activité",
    empty: "Aucune activité pour l’instant.",
    more: "Afficher plus",
    from: (address) => `depuis ${address}`,
    server: "Le serveur",
    noLonger: "un compte supprimé",
    unknown: ({ who }, action) => `${who} : ${action}`,
    actions: {
      "set-up": ({ who }) => `${who} a configuré cette instance`,
      "signed-in": ({ who }) => `Connexion de ${who}`,
      "signed-up": ({ who }) => `${who} a créé un compte`,
      "identity-linked": ({ who }) => `${who} a associé une connexion`,
      "identity-removed": ({ who }) => `${who} a retiré une connexion associée`,
      "passkey-added": ({ who, name }) => `${who} a ajouté la clé d’accès « ${name} »`,
      "passkey-renamed": ({ who, from, to }) => `${who} a renommé la clé d’accès « ${from} » en « ${to} »`,
      "passkey-removed": ({ who, name }) => `${who} a retiré la clé d’accès « ${name} »`,
      "authenticator-added": ({ who }) => `${who} a activé une application d’authentification`,
      "authenticator-removed": ({ who }) => `${who} a désactivé l’application d’authentification`,
      "recovery-codes-created": ({ who }) => `${who} a créé de nouveaux codes de secours`,
      "factors-removed": ({ who, whom }) => `${who} a retiré les seconds facteurs de ${whom}`,
      "reset-mail-sent": ({ who, whom }) => `${who} : lien de réinitialisation envoyé à ${whom}`,
      "signed-out": ({ who }) => `Déconnexion de ${who}`,
      "signed-out-by-admin": ({ who, whom, count }) =>
        `${who} a déconnecté ${whom} partout (${plural(count, sessions)})`,
      "session-ended": ({ who }) => `${who} a terminé une de ses sessions`,
      "other-sessions-ended": ({ who, count }) => `${who} a terminé ${plural(count, otherSessions)}`,
      "invitation-created": ({ who, role }) =>
        role === "admin" ? `${who} a créé une invitation pour un admin` : `${who} a créé une invitation`,
      "invitation-mail-failed": ({ name }) => `L’e-mail d’invitation pour ${name} n’a pas pu être envoyé`,
      "invitation-revoked": ({ who }) => `${who} a révoqué une invitation`,
      "invitation-accepted": ({ who, role }) =>
        role === "admin" ? `${who} a rejoint l’instance comme admin` : `${who} a rejoint l’instance`,
      "password-changed": ({ who }) => `${who} a changé son mot de passe`,
      "password-reset": ({ who }) => `${who} a défini un nouveau mot de passe avec un lien`,
      "reset-link-created": ({ who, whom }) => `${who} a créé un lien de réinitialisation pour ${whom}`,
      "email-change-requested": ({ who, from, to }) => `${who} a demandé à changer d’adresse : ${from} → ${to}`,
      "account-changed": ({ who, from, to }) =>
        from === "" ? `${who} a modifié son compte` : `${who} a modifié son compte : ${from} → ${to}`,
      renamed: ({ who, from, to }) => `${who} a renommé ${from} en ${to}`,
      "role-changed": ({ who, whom, role }) =>
        role === "admin" ? `${who} a nommé ${whom} admin` : `${who} a rendu ${whom} membre`,
      suspended: ({ who, whom }) => `${who} a suspendu ${whom}`,
      "suspension-ended": ({ who, whom }) => `${who} a rétabli ${whom}`,
      "key-created": ({ who, name }) => `${who} a créé la clé API « ${name} »`,
      "key-revoked": ({ who }) => `${who} a révoqué une clé API`,
      "key-revoked-by-admin": ({ who, whom }) => `${who} a révoqué une clé d’API de ${whom}`,
      "session-ended-by-admin": ({ who, whom }) => `${who} a fermé une session de ${whom}`,
      "limits-changed": ({ who, whom, isRole, role }) => {
        if (!isRole) return `${who} a modifié les limites de ${whom}`;
        return role === "admin"
          ? `${who} a modifié les limites des admins`
          : `${who} a modifié les limites des membres`;
      },
      "limits-removed": ({ who, whom }) => `${who} a retiré les limites propres à ${whom}`,
      "person-deleted": ({ who }) => `${who} a supprimé un compte`,
      "data-deleted": ({ who }) => `${who} a supprimé toutes les données d’un compte`,
      "project-transferred": ({ who, whom }) => `${who} a nommé ${whom} propriétaire d’un projet`,
      "project-member-added": ({ who, whom }) => `${who} a ajouté ${whom} à un projet`,
      "project-member-removed": ({ who, whom }) => `${who} a retiré ${whom} d’un projet`,
      "project-role-changed": ({ who, whom }) => `${who} a modifié le rôle de ${whom} dans un projet`,
      "project-group-added": ({ who, name }) => `${who} a ajouté le groupe « ${name} » à un projet`,
      "project-group-removed": ({ who, name }) => `${who} a retiré le groupe « ${name} » d’un projet`,
      "project-group-role-changed": ({ who, name }) => `${who} a changé le rôle du groupe « ${name} » dans un projet`,
      "group-created": ({ who, name }) => `${who} a créé le groupe « ${name} »`,
      "group-renamed": ({ who, from, to }) => `${who} a renommé le groupe « ${from} » en « ${to} »`,
      "group-deleted": ({ who, name }) => `${who} a supprimé le groupe « ${name} »`,
      "group-person-added": ({ who, whom, name }) => `${who} a ajouté ${whom} au groupe « ${name} »`,
      "group-person-removed": ({ who, whom, name }) => `${who} a retiré ${whom} du groupe « ${name} »`,
      "group-left": ({ who, name }) => `${who} a quitté le groupe « ${name} »`,
      "project-left": ({ who }) => `${who} a quitté un projet`,
      "own-key-set": ({ who, name }) => `${who} a ajouté sa propre clé pour ${name}`,
      "own-key-removed": ({ who, name }) => `${who} a supprimé sa propre clé pour ${name}`,
      "own-keys-allowed": ({ who }) => `${who} a autorisé les clés de fournisseur personnelles`,
      "own-keys-refused": ({ who }) => `${who} a désactivé les clés de fournisseur personnelles`,
      "provider-changed": ({ who, name }) => `${who} a modifié le fournisseur ${name}`,
      "provider-removed": ({ who, name }) => `${who} a retiré les réglages du fournisseur ${name}`,
      "model-changed": ({ who, name }) => `${who} a modifié les réglages de ${name}`,
    },
  },
  notificationSettings: {
    title: "Notifications dans ce navigateur",
    about:
      "Recevez une notification quand une réponse est prête ou attend votre décision, même si Stonechat est fermé. Elle passe chiffrée par le service push de l’éditeur du navigateur : seul ce navigateur peut la lire.",
    turnOn: "Activer les notifications",
    turnOff: "Désactiver",
    isOn: "Les notifications sont activées dans ce navigateur.",
    titles: "Afficher le titre de la conversation",
    titlesAbout:
      "Sinon, une notification dit seulement qu’une réponse est prête. Elle ne contient jamais le texte d’un message, et les conversations temporaires n’en ont pas.",
    test: "Envoyer un test",
    tested: "Envoyée. La notification apparaît dans un instant.",
    refused:
      "Le navigateur n’a pas autorisé les notifications. Autorisez-les pour ce site dans les réglages du navigateur.",
    failed: "Ce navigateur n’a pas pu s’abonner à son service push. Vérifiez la connexion, puis réessayez.",
    support: {
      insecure:
        "Les notifications nécessitent https ou localhost. Demandez à l’opérateur de ce serveur de mettre en place https.",
      "needs-install":
        "Sur iPhone et iPad, les notifications nécessitent une page installée : ouvrez le menu Partager, choisissez Sur l’écran d’accueil, puis ouvrez Stonechat depuis celui-ci.",
      unsupported: "Ce navigateur n’a pas de notifications.",
      blocked:
        "Les notifications sont bloquées pour ce site. Autorisez-les dans les réglages du navigateur, puis rechargez la page.",
    },
    browsers: "Navigateurs avec notifications",
    none: "Aucun navigateur ne reçoit de notifications.",
    current: "Ce navigateur",
    withTitles: "avec titres",
    since: (date) => `Depuis le ${date}`,
    lastSent: (when) => `Dernière notification ${when}`,
    remove: "Retirer",
    removeFor: (device) => `Retirer ${device}`,
    install: "Installer Stonechat",
    installAbout:
      "Installez la page depuis le menu du navigateur pour l’ouvrir dans sa propre fenêtre, y partager du texte, des liens et des fichiers depuis d’autres applications, et voir sur son icône combien de conversations vous attendent. Sur iPhone et iPad : Partager, puis Sur l’écran d’accueil. Le partage vers une page installée n’y existe pas.",
  },
};

export default accounts;
