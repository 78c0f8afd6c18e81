import type { factors as english } from "../../strings/account/factors.ts";
import { createPlural, type Forms } from "../plurals.ts";

const plural = createPlural("es");
const sessions: Forms = { one: "otra sesión cerrada", other: "otras sesiones cerradas" };
const codes: Forms = { one: "Queda # código de recuperación", other: "Quedan # códigos de recuperación" };
const passkeys: Forms = { one: "llave de acceso", other: "llaves de acceso" };

/** Passkeys and second factors, in Spanish. */
export const factors: typeof english = {
  code: {
    title: "Introduce el código",
    about: "Introduce el código de Stonechat que muestra tu aplicación de autenticación.",
    label: "Código",
    needs: "Introduce el código.",
    submit: "Continuar",
    submitting: "Comprobando…",
    wrong: "El código no es correcto o ya se ha usado.",
    expired: "Este inicio de sesión ha caducado. Vuelve atrás e introduce tu contraseña otra vez.",
    useRecovery: "Usar un código de recuperación",
    recoveryAbout: "Introduce uno de tus códigos de recuperación. Cada uno sirve una vez.",
    recoveryLabel: "Código de recuperación",
    useApp: "Usar la aplicación de autenticación",
  },
  signInWithPasskey: "Iniciar sesión con una llave de acceso",
  faults: {
    insecure:
      "Las llaves de acceso necesitan una conexión segura. Abre Stonechat por https, o en localhost en el mismo equipo.",
    address:
      "Las llaves de acceso no funcionan con una dirección IP. Abre Stonechat por su nombre, o en localhost en el mismo equipo.",
    browser: "Este navegador no admite llaves de acceso.",
    elsewhere: (origin) => `Las llaves de acceso de esta instancia funcionan en ${origin}.`,
    cancelled: "No se ha usado ninguna llave de acceso. Inténtalo de nuevo.",
    exists: "Este dispositivo ya tiene una llave de acceso para tu cuenta.",
    failed: "El navegador no ha podido usar una llave de acceso. Inténtalo de nuevo o usa otro dispositivo.",
  },
  passkeys: {
    title: "Llaves de acceso",
    about: "Inicia sesión con tu huella, tu cara o el PIN del dispositivo, sin contraseña ni código.",
    name: "Nombre de la llave de acceso",
    add: "Añadir una llave de acceso",
    adding: "Esperando a tu dispositivo…",
    added: (date) => `Añadida el ${date}`,
    used: (when) => `último uso ${when}`,
    neverUsed: "sin usar",
    rename: (name) => `Cambiar el nombre de ${name}`,
    remove: (name) => `Quitar ${name}`,
    removeTitle: "¿Quitar esta llave de acceso?",
    removeAbout: "Ya no podrá iniciar sesión en tu cuenta. Se cierra la sesión en todos tus otros dispositivos.",
    removeAction: "Quitar",
  },
  app: {
    title: "Aplicación de autenticación",
    about: "Pide, después de tu contraseña, el código de una aplicación de tu teléfono.",
    noPassword:
      "Tu cuenta no tiene contraseña, así que no hace falta ningún código. Establece primero una contraseña para usar una aplicación.",
    setUp: "Configurar",
    qrCode: "Código QR para la aplicación de autenticación",
    scan: "Escanea el código QR con una aplicación de autenticación, o escribe la clave. Después introduce el código que muestra.",
    key: "Clave",
    code: "Código de la aplicación",
    turnOn: "Activar",
    turningOn: "Activando…",
    since: (date) => `Activada desde el ${date}.`,
    left: (count) => `${plural(count, codes)}.`,
    newCodes: "Nuevos códigos de recuperación",
    newCodesTitle: "¿Crear nuevos códigos de recuperación?",
    newCodesAbout: "Los anteriores dejarán de funcionar.",
    newCodesAction: "Crear",
    turnOff: "Desactivar",
    turnOffTitle: "¿Desactivar la aplicación de autenticación?",
    turnOffAbout:
      "Entonces bastará tu contraseña para iniciar sesión. Se cierra la sesión en todos tus otros dispositivos.",
    turnOffAction: "Desactivar",
  },
  recoveryCodes: {
    title: "Tus códigos de recuperación",
    about:
      "Si pierdes el teléfono, cada uno te permite iniciar sesión una vez después de tu contraseña. Guárdalos en un lugar seguro: no se pueden volver a mostrar.",
    ended: (count) => `${plural(count, sessions)}.`,
    copy: "Copiar los códigos",
    done: "Los he guardado",
  },
  confirm: {
    title: "Confirma que eres tú",
    about:
      "Este cambio necesita tu contraseña o una llave de acceso, salvo que hayas iniciado sesión en los últimos diez minutos.",
    password: "Contraseña",
    submit: "Confirmar",
    submitting: "Comprobando…",
    passkey: "Usar una llave de acceso",
    neither:
      "Tu cuenta no tiene ni contraseña ni llave de acceso. Cierra la sesión, iníciala de nuevo y haz entonces este cambio.",
    cancelled: "No se ha cambiado nada.",
  },
  setPassword: {
    about: "Tu cuenta no tiene contraseña. Puedes establecer una.",
    submit: "Establecer contraseña",
  },
  person: { app: "Aplicación de autenticación", passkeys: (count) => plural(count, passkeys) },
};
