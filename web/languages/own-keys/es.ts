import type { AccountTexts } from "../catalog.ts";

/** A user's own provider keys in Spanish. */
export const ownKeySettings: AccountTexts["ownKeySettings"] = {
  title: "Tus claves de proveedor",
  about:
    "Tu propia clave se usa para tus respuestas, títulos y resúmenes en lugar de la de este servidor, y tú pagas al proveedor. No se usa para las llamadas de nadie más.",
  off: "Un admin ha desactivado las claves propias. Las claves guardadas no se usan. Puedes eliminar las tuyas.",
  applies: { own: "Tu clave", server: "Clave de este servidor", none: "Sin clave" },
  facts: {
    own: (day) => `Añadiste una clave el ${day}. Se guarda cifrada y no se vuelve a mostrar.`,
    server: "Tus llamadas usan la clave de este servidor.",
    none: "Añade tu clave para usar los modelos de este proveedor.",
  },
  problems: {
    "other-address":
      "El operador cambió la dirección de este proveedor. Tu clave guardada pertenece a la anterior y no se envía. Escríbela de nuevo para usarla.",
    unreadable: "Tu clave guardada no se puede descifrar porque cambió la clave de la instancia. Escríbela de nuevo.",
  },
  keyAbout: "Se guarda cifrada y no se vuelve a mostrar.",
  removeTitle: (provider) => `¿Eliminar tu clave de ${provider}?`,
  removeText:
    "No se puede volver a mostrar. Después, tus llamadas usan la clave de este servidor, si tiene una para este proveedor.",
  allow: "Los usuarios pueden usar sus propias claves de proveedor",
};
