import type { outsideSignIn } from "../../strings/account/outside.ts";

/** Ways to sign in other than a password, in Spanish. */
export const outside: typeof outsideSignIn = {
  or: "o",
  signInWith: (name) => `Iniciar sesión con ${name}`,
  joinWith: (name) => `Continuar con ${name}`,
  forgot: "¿Has olvidado la contraseña?",
  create: "Crear una cuenta",
  back: "Volver al inicio de sesión",
  reset: {
    title: "Restablecer la contraseña",
    about: "Escribe el correo de tu cuenta. Recibirás un enlace para definir una contraseña nueva.",
  },
  signUp: {
    title: "Crear una cuenta",
    about: "Escribe tu correo. Recibirás un enlace para crear tu cuenta, si la dirección está permitida.",
  },
  send: "Enviar enlace",
  sending: "Enviando…",
  sent: {
    title: "Revisa tu correo",
    about: (email) => `Si ${email} se puede usar aquí, un enlace está en camino. Sirve una vez, durante un día.`,
  },
  linked: {
    title: "Accesos vinculados",
    about: (name) => `Vincula ${name} para iniciar sesión en esta cuenta.`,
    link: (name) => `Vincular ${name}`,
    at: (host) => `en ${host}`,
    used: (when) => `Último uso ${when}`,
    remove: (label) => `Quitar ${label}`,
    removeTitle: "¿Quitar este acceso?",
    removeAbout: "Ya no podrá iniciar sesión en tu cuenta. Las sesiones siguen abiertas.",
    removeAction: "Quitar",
  },
  byProxy: "Un proxy delante de este servidor inicia tu sesión. Para cerrarla, ciérrala en el proxy.",
  invitation: { mail: "Enviar el enlace por correo", mailed: (email) => `El enlace también va en camino a ${email}.` },
};
