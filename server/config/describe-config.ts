import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { readSecretFiles, toFileName } from "./secret-files.ts";
import { settings, type Setting } from "./settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A setting in force. Secrets and passwords in addresses are hidden. */
export type DescribedSetting = { readonly name: string; readonly value: string; readonly source: string };

const ENV_FILE_FLAG = "--env-file=";

/** `envFile`: the `.env` file that Node has read into the environment. */
export function describeConfig(
  given: Environment = process.env,
  envFile = process.execArgv.find((flag) => flag.startsWith(ENV_FILE_FLAG))?.slice(ENV_FILE_FLAG.length),
): readonly DescribedSetting[] {
  const env = readSecretFiles(given);
  const inFile: Environment = envFile === undefined ? {} : readEnvFile(envFile);
  return Object.entries<Setting>(settings).map(([name, { schema, isSecret }]) => {
    const value = env[name]?.trim() ?? "";
    if (value === "") return { name, ...toDefault(schema.safeParse(undefined).data) };
    const variable = (given[name]?.trim() ?? "") === "" ? toFileName(name) : name;
    const origin = inFile[variable] === given[variable] ? ".env" : "environment";
    const source = variable === name ? origin : `${origin}, ${variable}`;
    return { name, value: isSecret ? "(secret)" : hidePassword(value), source };
  });
}

function toDefault(value: unknown): Omit<DescribedSetting, "name"> {
  const isEmpty = value === undefined || (typeof value === "object" && Object.values(value ?? {}).flat().length === 0);
  if (isEmpty) return { value: "", source: "not set" };
  return { value: typeof value === "boolean" ? (value ? "on" : "off") : String(value), source: "default" };
}

function hidePassword(value: string): string {
  if (!URL.canParse(value)) return value;
  const url = new URL(value);
  if (url.username === "" && url.password === "" && url.search === "") return value;
  if (url.username !== "" || url.password !== "") [url.username, url.password] = ["***", ""];
  if (url.search !== "") url.search = "?***";
  return url.href;
}

function readEnvFile(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
}
