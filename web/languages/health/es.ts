import type { AccountTexts } from "../catalog.ts";
import { createPlural } from "../plurals.ts";

const plural = createPlural("es");

/** The state of the server in Spanish. */
export const healthSettings: AccountTexts["healthSettings"] = {
  title: "Estado",
  about: "El estado de este servidor al cargar la página.",
  refresh: "Actualizar",
  good: "No se encontraron problemas.",
  problemsTitle: "Problemas",
  levels: { problem: "Problema", warning: "Advertencia", note: "Nota" },
  problems: {
    "not-ready": {
      text: ({ name }) => `El servidor no está listo: ${name}`,
      advice: "Comprueba la base de datos y el registro del servidor.",
    },
    "disk-full": {
      text: (): string => "El disco de la carpeta de datos está casi lleno.",
      advice: "Libera espacio ahora o mueve la carpeta de datos a un disco mayor.",
    },
    "disk-low": {
      text: (): string => "Queda menos de 1 GB libre en el disco de la carpeta de datos.",
      advice: "Libera espacio o mueve la carpeta de datos a un disco mayor.",
    },
    "no-backups": {
      text: (): string => "El servidor no hace copias de seguridad.",
      advice: "Define STONECHAT_BACKUP_FOLDER o copia la base de datos con otras herramientas.",
    },
    "no-backup-yet": {
      text: (): string => "Todavía no hay ninguna copia de seguridad.",
      advice: "Espera a la primera. Si no aparece, mira el registro del servidor.",
    },
    "backup-overdue": {
      text: ({ when }) => `Una copia de seguridad está atrasada. La más reciente es del ${when}.`,
      advice: "Mira el registro del servidor o ejecuta npx stonechat backup.",
    },
    "backup-open": {
      text: (): string => "Las copias de seguridad no están cifradas y contienen la clave de la instancia.",
      advice: "Define STONECHAT_BACKUP_PASSPHRASE.",
    },
    "node-lost": {
      text: ({ name, when }) => `El nodo ${name} se detuvo sin cerrarse. Última señal de vida: ${when}.`,
      advice: "Vuelve a iniciarlo. Si lo quitaste, desaparece de esta lista al cabo de un día.",
    },
    "node-version": {
      text: ({ name }) => `El nodo ${name} usa otra versión.`,
      advice: "Usa la misma versión en todos los nodos.",
    },
    "jobs-late": {
      text: ({ kind, when }) => `Hay trabajo en segundo plano (${kind}) pendiente desde ${when}.`,
      advice: "Espera a que terminen las respuestas en curso. Si la cola crece, mira el registro del servidor.",
    },
    "jobs-failed": {
      text: ({ count }) => `Tareas en segundo plano fallidas desde el inicio de este nodo: ${count}.`,
      advice: "El motivo está en el registro del servidor.",
    },
    "provider-failing": {
      text: ({ name }) => `La última prueba de ${name} falló.`,
      advice: "Comprueba su clave y su dirección en «Modelos y claves» y vuelve a probar.",
    },
    "no-mail": {
      text: (): string =>
        "Este servidor no envía correo, así que hace falta un admin para los enlaces de restablecimiento.",
      advice: "Define STONECHAT_SMTP_URL y STONECHAT_MAIL_FROM.",
    },
  },
  server: "Servidor",
  version: "Versión",
  versionOf: (version, runtime) => `Stonechat ${version} con Node ${runtime}`,
  since: "En marcha desde",
  readiness: "Disponibilidad",
  ready: "Listo",
  notReady: "No está listo",
  database: "Base de datos",
  databases: { sqlite: "SQLite", postgres: "PostgreSQL" },
  size: "Tamaño de la base de datos",
  free: "Libre en el disco de la carpeta de datos",
  unknown: "Desconocido",
  answers: "Respuestas",
  active: "Escribiéndose",
  waiting: "A la espera de un usuario",
  queued: "Mensajes en cola",
  mail: "Correo",
  mailOn: "Configurado",
  mailOff: "Sin configurar",
  backups: "Copias de seguridad",
  noBackups: "Ninguna",
  lastBackup: "La más reciente",
  never: "Nunca",
  encrypted: "Cifradas",
  yes: "Sí",
  no: "No",
  nodes: "Nodos",
  thisNode: "este nodo",
  seen: (when) => `Última señal de vida ${when}`,
  lost: "Perdido",
  jobs: "Tareas en segundo plano",
  noJobs: "No hay tareas pendientes ni en curso.",
  counts: (waiting, running) => `${waiting} pendientes, ${running} en curso`,
  kinds: {
    summary: "Resúmenes",
    title: "Títulos",
    erase: "Borrado de datos",
    mail: "Correo",
    push: "Notificaciones",
    import: "Importaciones",
    backup: "Copias de seguridad",
    retention: "Conservación",
    "temporary-thread": "Hilos temporales",
    "unsent-attachment": "Archivos sin enviar",
  },
  providers: "Proveedores con fallos",
  noProviders: "Ningún proveedor falló en su última prueba.",
};

/** The storage of the server in Spanish. */
export const storageSettings: AccountTexts["storageSettings"] = {
  title: "Por tipo",
  about: "Lo que está guardado en este servidor y lo que se podría borrar. Aquí no se cambia nada.",
  privacy: "De los chats de otros usuarios solo se muestran el propietario y el tamaño.",
  measuring: "Midiendo… Con una base de datos grande puede tardar un minuto.",
  measured: (when) => `Medido: ${when}`,
  database: "Base de datos, con sus índices",
  kinds: {
    messages: "Mensajes",
    files: "Archivos adjuntos",
    artifacts: "Páginas guardadas y resultados de herramientas",
    receipts: "Lo que vio el modelo",
    search: "Búsqueda y recuerdo",
    events: "Eventos para páginas abiertas",
  },
  byAccount: "Por cuenta",
  deletedAccount: "Cuenta eliminada",
  noAccount: "Sin cuenta",
  otherAccounts: (count) => `Otras cuentas: ${count}`,
  threads: (count, text) => plural(count, { one: "chat", other: "chats" }, text),
  largest: "Chats más grandes",
  noThreads: "No hay chats.",
  threadOf: (owner) => `Chat de ${owner}`,
  changed: (day) => `Último cambio: ${day}`,
  freeable: "Se puede liberar",
  oldThreads: (days, count) => `Chats sin cambios desde hace ${days} días: ${count}`,
  oldReceipts: (days) => `Lo que vio el modelo hace más de ${days} días`,
  byRule: (setting) => `Se libera con ${setting}`,
  byHand:
    "Cada usuario puede borrar sus propios chats. Los ajustes de abajo borran los antiguos automáticamente, para todos.",
  copies: "Copias de la base de datos anteriores a las actualizaciones",
  copiesAdvice: "El servidor las elimina después de 14 días.",
  unused: "Espacio sin usar en el archivo de la base de datos",
  unusedAdvice:
    "Los datos nuevos lo usan. Para devolverlo al disco, detén el servidor y ejecuta npx stonechat compact.",
  rules: "Reglas de conservación",
  rulesAbout:
    "Las reglas son ajustes del servidor. Se aplican una vez al día y a todos. Una regla nunca archiva ni borra los chats fijados.",
  archive: "Archivar los chats sin cambios",
  delete: "Borrar los chats sin cambios",
  deleteReceipts: "Borrar lo que vio el modelo",
  after: (days) => `Después de ${days} días`,
  off: "Desactivado",
};
