import { spine } from "./0001-spine.ts";

/** In order; a database's version is the number of those it has. Only ever add at the end. */
export const migrations: readonly { readonly sqlite: readonly string[]; readonly postgres: readonly string[] }[] = [spine];
