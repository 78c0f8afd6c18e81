import type { members as english } from "../../strings/project/members.ts";

/** Members of projects in French. */
export const members: typeof english = {
  title: "Membres",
  about:
    "Les membres voient ce projet et ses fils partagés. Les administrateurs qui ne sont pas membres ne voient ni l’un ni les autres.",
  roles: { owner: "Propriétaire", editor: "Éditeur", viewer: "Lecteur" },
  roleOf: (name) => `Rôle de ${name}`,
  roleAbout: {
    editor: "Les éditeurs lisent, écrivent et posent des questions dans les fils partagés.",
    viewer: "Les lecteurs peuvent seulement lire.",
  },
  you: "Vous",
  suspended: "Suspendu",
  email: "Adresse e-mail",
  emailAbout: "Celle d’un compte de ce serveur.",
  emailMismatch: "Saisissez une adresse e-mail, par exemple nom@example.com.",
  role: "Rôle",
  kind: "Ajouter",
  kinds: { person: "Personne", group: "Groupe" },
  group: "Groupe",
  chooseGroup: "Choisir…",
  groupAbout: "Toutes les personnes du groupe reçoivent le rôle. Les admins décident qui en fait partie.",
  groups: "Groupes",
  inGroup: (count) => (count <= 1 ? `${count} personne` : `${count} personnes`),
  through: (groups) => `Par ${groups}`,
  removeGroupText:
    "Ses membres perdent aussitôt l’accès et leurs réponses en cours s’arrêtent, sauf s’ils ont un autre rôle ici. Les fils qu’ils ont partagés restent ici.",
  add: "Ajouter un membre",
  adding: "Ajouter",
  privateThreads: (count) =>
    count === 1
      ? "Un de vos fils dans ce projet est privé. Partagez-le depuis sa fenêtre Partager."
      : `${count} de vos fils dans ce projet sont privés. Partagez-les un par un depuis leur fenêtre Partager.`,
  remove: (name) => `Retirer ${name}`,
  removeTitle: (name) => `Retirer ${name} de ce projet ?`,
  removeText: "L’accès prend fin aussitôt et ses réponses en cours s’arrêtent. Les fils partagés restent ici.",
  removeAction: "Retirer",
  leave: "Quitter le projet",
  leaveTitle: "Quitter ce projet ?",
  leaveText:
    "Vous perdez l’accès au projet et à ses fils partagés, y compris ceux que vous avez commencés. Vous gardez vos fils privés.",
  makeOwner: "Nommer propriétaire",
  makeOwnerOf: (name) => `Nommer ${name} propriétaire`,
  makeOwnerTitle: (name) => `Nommer ${name} propriétaire ?`,
  makeOwnerText: "Cette personne pourra gérer les membres, archiver ou supprimer le projet. Vous devenez éditeur.",
  shared: "Partagé avec les membres de son projet",
  sharedProject: "Projet partagé",
  startsShared: "Les membres de ce projet verront ce fil.",
  readOnly: "Vous pouvez lire ce fil, mais pas y écrire. Le propriétaire du projet peut vous donner le rôle d’éditeur.",
  present: {
    label: "Autres personnes dans ce fil",
    here: (names) => `Aussi ici : ${names}`,
    typing: (names, count) => (count === 1 ? `${names} écrit…` : `${names} écrivent…`),
  },
  inThread: {
    title: "Membres du projet",
    isPrivate: "Vous seul voyez ce fil.",
    isShared: "Les membres de son projet voient ce fil.",
    warning:
      "Le partage montre tout son contenu : messages, fichiers, appels d’outils et résultats. Les enregistrements de ses prompts précédents sont supprimés, car ils peuvent contenir votre mémoire.",
    noMemory:
      "Dans un fil partagé, l’assistant n’emploie ni votre mémoire, ni vos instructions, ni vos propres outils.",
    share: "Partager avec les membres",
    unshare: "Rendre privé",
    unshareText: "Seule la personne qui l’a commencé le verra.",
  },
};
