import { readFileSync } from "node:fs";
import { ConfigError } from "./config-error.ts";
import { settings, type Setting } from "./settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable with the path of a file that contains the secret, as container systems mount it. */
export const toFileName = (name: string): string => `${name}_FILE`;

/** Replaces each `NAME_FILE` of a secret setting by `NAME` with the content of the file. */
export function readSecretFiles(env: Environment): Environment {
  const values: Record<string, string | undefined> = { ...env };
  for (const [name, { isSecret }] of Object.entries<Setting>(settings)) {
    const path = env[toFileName(name)]?.trim();
    if (!isSecret || path === undefined) continue;
    values[toFileName(name)] = undefined;
    if (path === "") continue;
    if ((env[name]?.trim() ?? "") !== "")
      throw new ConfigError(`${name} and ${toFileName(name)} are both set. Remove one of them.`);
    values[name] = readSecret(toFileName(name), path);
  }
  return values;
}

function readSecret(name: string, path: string): string {
  try {
    const text = readFileSync(path, "utf8").trim();
    if (text !== "") return text;
  } catch (error) {
    const { code = "unreadable" } = error as { code?: string };
    throw new ConfigError(`${name}: the file ${path} cannot be read (${code}). Check the path and its permissions.`);
  }
  throw new ConfigError(`${name}: the file ${path} is empty. Write the secret into it, or remove the setting.`);
}
