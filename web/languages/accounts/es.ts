import type { AccountTexts } from "../catalog.ts";
import { factors } from "../factors/es.ts";
import { healthSettings, storageSettings } from "../health/es.ts";
import { ownKeySettings } from "../own-keys/es.ts";
import { outside } from "../outside/es.ts";
import { groupSettings, personSettings } from "../person/es.ts";
import { createPlural, type Forms } from "../plurals.ts";

const plural = createPlural("es");
const sessions: Forms = { one: "sesión", other: "sesiones" };
const endedSessions: Forms = { one: "# sesión cerrada", other: "# sesiones cerradas" };
const endedOthers: Forms = { one: "# sesión más cerrada", other: "# sesiones más cerradas" };
const otherSessions: Forms = { one: "# sesión más", other: "# sesiones más" };
const seconds: Forms = { one: "segundo", other: "segundos" };

/** Sign-in and accounts in Spanish. */
const accounts: AccountTexts = {
  signIn: {
    title: "Iniciar sesión en Stonechat",
    email: "Correo electrónico",
    password: "Contraseña",
    token: "Token de acceso",
    submit: "Iniciar sesión",
    submitting: "Iniciando sesión…",
    tokenHint: "El token se define en el servidor como",
    forgotten: "¿Has olvidado la contraseña? Un admin puede crear un enlace para definir una nueva.",
    ended: "Tu sesión ha terminado. Inicia sesión para seguir donde estabas. Los borradores están guardados.",
    wrong: "Correo electrónico o contraseña incorrectos.",
    wrongToken: "Token incorrecto.",
    throttled: (count) => `Demasiados intentos. Vuelve a intentarlo en ${plural(count, seconds)}.`,
    retryNow: "Ya puedes volver a intentarlo.",
    reload: "Recargar",
    name: "Tu nombre",
    newPassword: "Nueva contraseña",
    passwordRules: (min, max) =>
      `De ${min} a ${max} caracteres. Ni tu nombre, ni tu correo, ni una contraseña habitual.`,
    needs: {
      name: "Escribe tu nombre.",
      email: "Escribe un correo electrónico, por ejemplo nombre@example.com.",
      password: "Escribe tu contraseña.",
      token: "Escribe el token.",
      shorter: (max) => `Usa como máximo ${max} caracteres.`,
      longer: (min) => `Usa al menos ${min} caracteres.`,
      other: "Usa una contraseña que no sea tu nombre ni tu correo electrónico.",
    },
    emailTaken: "Este correo electrónico no se puede usar. Usa otro o inicia sesión.",
    signInInstead: "Iniciar sesión",
    notSetUp: {
      title: "Aún sin configurar",
      about: "Esta instancia no está configurada. Abre el enlace que el servidor mostró al iniciarse.",
    },
    setUp: {
      title: "Configurar Stonechat",
      about: "Crea la primera cuenta. Como admin, conectas modelos e invitas a otras personas.",
      submit: "Crear cuenta",
      submitting: "Creando cuenta…",
      done: "Ya está configurado",
      doneAbout: "Esta instancia ya está configurada. Inicia sesión o pide una invitación a un admin.",
      gone: "Este enlace no es válido. El servidor muestra uno nuevo en cada inicio hasta que la instancia esté configurada.",
    },
    invitation: {
      title: "Únete a Stonechat",
      about: "Crea tu cuenta. Tus chats, proyectos y archivos solo los ves tú.",
      asAdmin: "La invitación es para un admin: también podrás conectar modelos e invitar a otras personas.",
      fixedEmail: "La invitación es para este correo.",
      signedIn: (name) => `Has iniciado sesión como ${name}. Esto crea otra cuenta e inicia sesión con ella.`,
      submit: "Crear cuenta",
      submitting: "Creando cuenta…",
      gone: "Esta invitación no es válida",
      goneAbout: "Ha caducado, se ha revocado o ya se ha usado. Pide otra a un admin.",
    },
    reset: {
      title: "Define una nueva contraseña",
      about: "Iniciarás sesión con la nueva contraseña. Todas las demás sesiones de tu cuenta se cierran.",
      submit: "Definir contraseña",
      submitting: "Definiendo contraseña…",
      gone: "Este enlace no es válido. Ha caducado o ya se ha usado. Pide otro a un admin.",
    },
    newEmail: {
      title: "Confirma tu nueva dirección",
      about: "Tu cuenta usará entonces esta dirección de correo.",
      submit: "Confirmar dirección",
      submitting: "Confirmando…",
      done: "Dirección confirmada",
      doneAbout: (email) => `Tu cuenta usa ahora ${email}.`,
    },
    incomplete: {
      title: "Enlace incompleto",
      about: "Vuelve a abrir el enlace entero o pide otro a un admin.",
    },
    noAccounts: {
      title: "Sin cuentas",
      about: "Esta instancia no tiene cuentas, así que este enlace no tiene efecto.",
    },
    open: "Abrir Stonechat",
    welcome: {
      title: "Tu instancia está lista",
      about: "Invita a otras personas. Cada una tiene sus chats, proyectos y archivos separados.",
      invite: "Invitar a personas",
      hide: "Ocultar",
    },
  },

  outsideSignIn: outside,

  factors,

  accountSettings: {
    profile: "Perfil",
    role: { admin: "Admin", member: "Miembro" },
    name: "Nombre",
    email: "Correo electrónico",
    emailAbout: "Lo usas para iniciar sesión.",
    needsName: "Escribe tu nombre.",
    pendingEmail: (email) =>
      `Abre el enlace enviado a ${email} para terminar el cambio. Hasta entonces se mantiene la dirección anterior.`,
    password: {
      title: "Contraseña",
      about: "Al cambiar la contraseña se cierra la sesión en todos los demás dispositivos.",
      current: "Contraseña actual",
      next: "Nueva contraseña",
      revokeKeys: "Revocar también mis claves de API",
      submit: "Cambiar contraseña",
      submitting: "Cambiando contraseña…",
      done: (ended) => (ended === 0 ? "Contraseña cambiada." : `Contraseña cambiada. ${plural(ended, endedOthers)}.`),
    },
    sessions: {
      title: "Sesiones",
      about: "Dispositivos con la sesión iniciada en tu cuenta.",
      list: "Sesiones",
      current: "Este dispositivo",
      device: (browser, system) => `${browser} en ${system}`,
      unknownBrowser: "Navegador desconocido",
      now: "Activa ahora",
      recently: "Usada en la última hora",
      used: (when) => `Último uso: ${when}`,
      since: (date) => `Iniciada el ${date}`,
      from: (address) => `desde ${address}`,
      end: "Cerrar sesión",
      endFor: (device) => `Cerrar la sesión de ${device}`,
      endOthers: "Cerrar las demás sesiones",
      endOthersTitle: "¿Cerrar las demás sesiones?",
      endOthersAbout: "Habrá que volver a iniciar sesión en esos dispositivos. Sus borradores están guardados.",
      ended: (count) => `${plural(count, endedSessions)}.`,
    },
    signOut: { title: "Cerrar sesión", about: "Cierra la sesión de este dispositivo.", action: "Cerrar sesión" },
  },

  peopleSettings: {
    title: "Cuentas",
    about:
      "Todas las personas que tienen una cuenta aquí. Los admins no pueden leer los chats, proyectos, memoria ni archivos de otras personas.",
    list: "Personas",
    roles: { admin: "Admin", member: "Miembro" },
    roleAbout: {
      admin: "Usa Stonechat, conecta modelos y gestiona personas.",
      member: "Usa Stonechat.",
    },
    you: "Tú",
    suspended: "Cuenta suspendida",
    neverSignedIn: "Nunca ha iniciado sesión",
    signedIn: (when) => `Último inicio de sesión: ${when}`,
    actions: {
      makeAdmin: "Hacer admin…",
      makeMember: "Hacer miembro…",
      suspend: "Suspender…",
      restore: "Restaurar",
      signOut: "Cerrar todas sus sesiones…",
      resetLink: "Enlace para nueva contraseña…",
      removeFactors: "Quitar los segundos factores…",
    },
    confirm: {
      makeAdmin: {
        title: (name) => `¿Hacer admin a ${name}?`,
        text: "Los admins conectan modelos, ven quién tiene cuenta y pueden invitar, suspender y cambiar el rol de otras personas.",
        action: "Hacer admin",
      },
      makeMember: {
        title: (name) => `¿Hacer miembro a ${name}?`,
        text: "Ya no podrá conectar modelos ni gestionar personas. Sus chats y archivos se conservan.",
        action: "Hacer miembro",
      },
      suspend: {
        title: (name) => `¿Suspender a ${name}?`,
        text: "Se cierran todas sus sesiones, y sus claves de API, enlaces compartidos y respuestas en curso se detienen. No se elimina nada y puedes restaurar la cuenta en cualquier momento.",
        action: "Suspender",
      },
      signOut: {
        title: (name) => `¿Cerrar todas las sesiones de ${name}?`,
        text: "Podrá volver a iniciar sesión con su contraseña.",
        action: "Cerrar sesiones",
      },
      resetLink: {
        title: (name) => `¿Crear un enlace para la nueva contraseña de ${name}?`,
        text: "Cualquiera que tenga el enlace puede definir una vez una nueva contraseña para esta cuenta. Sustituye a un enlace anterior.",
        action: "Crear enlace",
      },
      removeFactors: {
        title: (name) => `¿Quitar los segundos factores de ${name}?`,
        text: "Sus llaves de acceso, su aplicación de autenticación y sus códigos de recuperación dejan de funcionar, y se cierran todas sus sesiones. Sin contraseña, necesita un enlace para establecer una.",
        action: "Quitar",
      },
    },
    factorsRemoved: (name) =>
      `${name} puede iniciar sesión solo con la contraseña, y se han cerrado todas sus sesiones.`,
    restored: (name) => `${name} puede volver a iniciar sesión.`,
    signedOut: (name, count) => `${name}: ${plural(count, endedSessions)}.`,
    reset: {
      title: (name) => `Enlace para la nueva contraseña de ${name}`,
      about: (date) => `Envíaselo. Sirve una vez, hasta el ${date}, y no se puede volver a mostrar.`,
      link: "Enlace para una nueva contraseña",
    },
    copyLink: "Copiar enlace",
    invitations: {
      title: "Invitaciones",
      about: "Una invitación es un enlace que envías.",
      add: "Invitar a personas",
      email: "Correo electrónico (opcional)",
      emailAbout: "Solo este correo puede aceptarla. Sin él, cualquiera que tenga el enlace.",
      emailMismatch: "Escribe un correo electrónico, por ejemplo nombre@example.com.",
      role: "Rol",
      create: "Crear invitación",
      created: "Invitación creada",
      createdFor: (email) => `Invitación para ${email} creada`,
      shownOnce: (date) => `Envía este enlace. Sirve una vez, hasta el ${date}, y no se puede volver a mostrar.`,
      link: "Enlace de invitación",
      list: "Invitaciones pendientes",
      anyone: "Cualquiera que tenga el enlace",
      by: (name) => `Creada por ${name}`,
      expires: (date) => `Caduca el ${date}`,
      revoke: (invitation) => `Revocar invitación: ${invitation}`,
      revokeTitle: "¿Revocar esta invitación?",
      revokeAbout: "Su enlace deja de funcionar. Puedes crear otra en cualquier momento.",
      revokeAction: "Revocar",
    },
  },

  personSettings,
  groupSettings,
  ownKeySettings,
  healthSettings,
  storageSettings,
  activitySettings: {
    title: "Registro de auditoría",
    about:
      "Cambios en cuentas, sesiones, claves y en la configuración de esta instancia. No contiene mensajes, archivos ni contraseñas.",
    list: "Actividad",
    empty: "Aún no hay actividad.",
    more: "Mostrar más",
    from: (address) => `desde ${address}`,
    server: "El servidor",
    noLonger: "una cuenta eliminada",
    unknown: ({ who }, action) => `${who}: ${action}`,
    actions: {
      "set-up": ({ who }) => `${who} configuró esta instancia`,
      "signed-in": ({ who }) => `${who} inició sesión`,
      "signed-up": ({ who }) => `${who} creó una cuenta`,
      "identity-linked": ({ who }) => `${who} vinculó un acceso`,
      "identity-removed": ({ who }) => `${who} quitó un acceso vinculado`,
      "passkey-added": ({ who, name }) => `${who} añadió la llave de acceso «${name}»`,
      "passkey-renamed": ({ who, from, to }) => `${who} cambió el nombre de la llave de acceso «${from}» a «${to}»`,
      "passkey-removed": ({ who, name }) => `${who} quitó la llave de acceso «${name}»`,
      "authenticator-added": ({ who }) => `${who} activó una aplicación de autenticación`,
      "authenticator-removed": ({ who }) => `${who} desactivó la aplicación de autenticación`,
      "recovery-codes-created": ({ who }) => `${who} creó nuevos códigos de recuperación`,
      "factors-removed": ({ who, whom }) => `${who} quitó los segundos factores de ${whom}`,
      "reset-mail-sent": ({ who, whom }) => `${who} envió a ${whom} un enlace para la contraseña`,
      "signed-out": ({ who }) => `${who} cerró sesión`,
      "signed-out-by-admin": ({ who, whom, count }) =>
        `${who} cerró todas las sesiones de ${whom} (${plural(count, sessions)})`,
      "session-ended": ({ who }) => `${who} cerró una de sus sesiones`,
      "other-sessions-ended": ({ who, count }) => `${who} cerró ${plural(count, otherSessions)}`,
      "invitation-created": ({ who, role }) =>
        role === "admin" ? `${who} creó una invitación para un admin` : `${who} creó una invitación`,
      "invitation-mail-failed": ({ name }) => `No se pudo enviar el correo con la invitación de ${name}`,
      "invitation-revoked": ({ who }) => `${who} revocó una invitación`,
      "invitation-accepted": ({ who, role }) => (role === "admin" ? `${who} se unió como admin` : `${who} se unió`),
      "password-changed": ({ who }) => `${who} cambió su contraseña`,
      "password-reset": ({ who }) => `${who} definió una nueva contraseña con un enlace`,
      "reset-link-created": ({ who, whom }) => `${who} creó un enlace para la nueva contraseña de ${whom}`,
      "email-change-requested": ({ who, from, to }) => `${who} pidió cambiar su dirección: ${from} → ${to}`,
      "account-changed": ({ who, from, to }) =>
        from === "" ? `${who} cambió su cuenta` : `${who} cambió su cuenta: ${from} → ${to}`,
      renamed: ({ who, from, to }) => `${who} cambió el nombre de ${from} a ${to}`,
      "role-changed": ({ who, whom, role }) =>
        role === "admin" ? `${who} hizo admin a ${whom}` : `${who} hizo miembro a ${whom}`,
      suspended: ({ who, whom }) => `${who} suspendió a ${whom}`,
      "suspension-ended": ({ who, whom }) => `${who} restauró a ${whom}`,
      "key-created": ({ who, name }) => `${who} creó la clave de API «${name}»`,
      "key-revoked": ({ who }) => `${who} revocó una clave de API`,
      "key-revoked-by-admin": ({ who, whom }) => `${who} revocó una clave de API de ${whom}`,
      "session-ended-by-admin": ({ who, whom }) => `${who} cerró una sesión de ${whom}`,
      "limits-changed": ({ who, whom, isRole, role }) => {
        if (!isRole) return `${who} cambió los límites de ${whom}`;
        return role === "admin"
          ? `${who} cambió los límites de los admins`
          : `${who} cambió los límites de los miembros`;
      },
      "limits-removed": ({ who, whom }) => `${who} quitó los límites propios de ${whom}`,
      "person-deleted": ({ who }) => `${who} eliminó una cuenta`,
      "data-deleted": ({ who }) => `${who} eliminó todos los datos de una cuenta`,
      "project-transferred": ({ who, whom }) => `${who} hizo a ${whom} propietario de un proyecto`,
      "project-member-added": ({ who, whom }) => `${who} añadió a ${whom} a un proyecto`,
      "project-member-removed": ({ who, whom }) => `${who} quitó a ${whom} de un proyecto`,
      "project-role-changed": ({ who, whom }) => `${who} cambió el rol de ${whom} en un proyecto`,
      "project-group-added": ({ who, name }) => `${who} añadió el grupo «${name}» a un proyecto`,
      "project-group-removed": ({ who, name }) => `${who} quitó el grupo «${name}» de un proyecto`,
      "project-group-role-changed": ({ who, name }) => `${who} cambió el rol del grupo «${name}» en un proyecto`,
      "group-created": ({ who, name }) => `${who} creó el grupo «${name}»`,
      "group-renamed": ({ who, from, to }) => `${who} cambió el nombre del grupo «${from}» a «${to}»`,
      "group-deleted": ({ who, name }) => `${who} eliminó el grupo «${name}»`,
      "group-person-added": ({ who, whom, name }) => `${who} añadió a ${whom} al grupo «${name}»`,
      "group-person-removed": ({ who, whom, name }) => `${who} quitó a ${whom} del grupo «${name}»`,
      "group-left": ({ who, name }) => `${who} dejó el grupo «${name}»`,
      "project-left": ({ who }) => `${who} dejó un proyecto`,
      "own-key-set": ({ who, name }) => `${who} añadió su propia clave de ${name}`,
      "own-key-removed": ({ who, name }) => `${who} eliminó su propia clave de ${name}`,
      "own-keys-allowed": ({ who }) => `${who} permitió las claves de proveedor propias`,
      "own-keys-refused": ({ who }) => `${who} desactivó las claves de proveedor propias`,
      "provider-changed": ({ who, name }) => `${who} cambió el proveedor ${name}`,
      "provider-removed": ({ who, name }) => `${who} quitó la configuración del proveedor ${name}`,
      "model-changed": ({ who, name }) => `${who} cambió la configuración de ${name}`,
    },
  },
  notificationSettings: {
    title: "Notificaciones en este navegador",
    about:
      "Recibe una notificación cuando una respuesta esté lista o necesite tu decisión, aunque Stonechat esté cerrado. Pasa cifrada por el servicio push del fabricante del navegador: solo este navegador puede leerla.",
    turnOn: "Activar notificaciones",
    turnOff: "Desactivar",
    isOn: "Las notificaciones están activadas en este navegador.",
    titles: "Mostrar el título del chat",
    titlesAbout:
      "Si no, una notificación solo dice que hay una respuesta lista. Nunca contiene el texto de un mensaje, y los chats temporales no tienen ninguna.",
    test: "Enviar una prueba",
    tested: "Enviada. La notificación aparecerá en un momento.",
    refused:
      "El navegador no ha permitido las notificaciones. Permítelas para este sitio en los ajustes del navegador.",
    failed: "Este navegador no ha podido suscribirse a su servicio push. Comprueba la conexión e inténtalo de nuevo.",
    support: {
      insecure:
        "Las notificaciones necesitan https o localhost. Pide al operador de este servidor que configure https.",
      "needs-install":
        "En iPhone y iPad, las notificaciones necesitan una página instalada: abre el menú Compartir, elige Añadir a pantalla de inicio y abre Stonechat desde allí.",
      unsupported: "Este navegador no tiene notificaciones.",
      blocked:
        "Las notificaciones están bloqueadas para este sitio. Permítelas en los ajustes del navegador y recarga la página.",
    },
    browsers: "Navegadores con notificaciones",
    none: "Ningún navegador recibe notificaciones.",
    current: "Este navegador",
    withTitles: "con títulos",
    since: (date) => `Desde ${date}`,
    lastSent: (when) => `Última notificación ${when}`,
    remove: "Quitar",
    removeFor: (device) => `Quitar ${device}`,
    install: "Instalar Stonechat",
    installAbout:
      "Instala la página desde el menú del navegador para abrirla en su propia ventana, compartir con ella texto, enlaces y archivos desde otras aplicaciones y ver en su icono cuántos chats te esperan. En iPhone y iPad: Compartir y después Añadir a pantalla de inicio. Allí no se puede compartir con una página instalada.",
  },
};

export default accounts;
