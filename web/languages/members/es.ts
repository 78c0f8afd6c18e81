import type { members as english } from "../../strings/project/members.ts";

/** Members of projects in Spanish. */
export const members: typeof english = {
  title: "Miembros",
  about:
    "Los miembros ven este proyecto y sus hilos compartidos. Los administradores que no son miembros no ven ninguno de los dos.",
  roles: { owner: "Propietario", editor: "Editor", viewer: "Lector" },
  roleOf: (name) => `Rol de ${name}`,
  roleAbout: {
    editor: "Los editores leen, escriben y preguntan en los hilos compartidos.",
    viewer: "Los lectores solo leen.",
  },
  you: "Tú",
  suspended: "Suspendida",
  email: "Dirección de correo",
  emailAbout: "De una cuenta de este servidor.",
  emailMismatch: "Introduce una dirección de correo, por ejemplo nombre@example.com.",
  role: "Rol",
  kind: "Añadir",
  kinds: { person: "Persona", group: "Grupo" },
  group: "Grupo",
  chooseGroup: "Elegir…",
  groupAbout: "Todas las personas del grupo reciben el rol. Los administradores deciden quién está en él.",
  groups: "Grupos",
  inGroup: (count) => (count === 1 ? "1 persona" : `${count} personas`),
  through: (groups) => `Por ${groups}`,
  removeGroupText:
    "Sus personas pierden el acceso de inmediato y sus respuestas en curso se detienen, salvo que tengan otro rol aquí. Los hilos que compartieron se quedan aquí.",
  add: "Añadir miembro",
  adding: "Añadir",
  privateThreads: (count) =>
    count === 1
      ? "Un hilo tuyo de este proyecto es privado. Compártelo desde su diálogo Compartir."
      : `${count} hilos tuyos de este proyecto son privados. Compártelos uno a uno desde su diálogo Compartir.`,
  remove: (name) => `Quitar a ${name}`,
  removeTitle: (name) => `¿Quitar a ${name} de este proyecto?`,
  removeText: "Pierde el acceso de inmediato y sus respuestas en curso se detienen. Los hilos que compartió se quedan.",
  removeAction: "Quitar",
  leave: "Salir del proyecto",
  leaveTitle: "¿Salir de este proyecto?",
  leaveText:
    "Pierdes el acceso al proyecto y a sus hilos compartidos, también a los que empezaste. Tus hilos privados se quedan contigo.",
  makeOwner: "Hacer propietario",
  makeOwnerOf: (name) => `Hacer propietario a ${name}`,
  makeOwnerTitle: (name) => `¿Hacer propietario a ${name}?`,
  makeOwnerText: "Podrá gestionar los miembros y archivar o eliminar el proyecto. Tú pasas a ser editor.",
  shared: "Compartido con los miembros de su proyecto",
  sharedProject: "Proyecto compartido",
  startsShared: "Los miembros de este proyecto verán este hilo.",
  readOnly: "Puedes leer este hilo, pero no escribir en él. El propietario del proyecto puede darte el rol de editor.",
  present: {
    label: "Otras personas en este hilo",
    here: (names) => `También aquí: ${names}`,
    typing: (names, count) => (count === 1 ? `${names} está escribiendo…` : `${names} están escribiendo…`),
  },
  inThread: {
    title: "Miembros del proyecto",
    isPrivate: "Solo tú ves este hilo.",
    isShared: "Los miembros de su proyecto ven este hilo.",
    warning:
      "Al compartirlo ven todo lo que contiene: mensajes, archivos, llamadas a herramientas y resultados. Los registros de sus prompts anteriores se eliminan, porque pueden contener tu memoria.",
    noMemory: "En un hilo compartido el asistente no usa tu memoria, tus instrucciones ni tus propias herramientas.",
    share: "Compartir con los miembros",
    unshare: "Hacer privado",
    unshareText: "Entonces solo lo ve quien lo empezó.",
  },
};
