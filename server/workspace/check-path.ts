import { ApiError } from "../../protocol/errors.ts";
import { workspaceLimits } from "../../protocol/workspace/limits.ts";
import { toKey } from "../lib/file-names.ts";

/**
 * Normalizes a path for storage: relative, separated by `/`, NFC. Rejects paths that some file system would read differently or
 * cannot store, because archives of the workspace are unpacked on all of them.
 */
export function checkPath(given: string): string {
  if (given.length > workspaceLimits.pathCharacters) {
    throw refuse(given, `it has more than ${workspaceLimits.pathCharacters} characters`);
  }
  if (!given.isWellFormed()) throw refuse(given, "it is not valid Unicode");
  const path = given.normalize("NFC");
  const reason = findFault(path);
  if (reason !== undefined) throw refuse(given, reason);
  return path;
}

function findFault(path: string): string | undefined {
  if (path === "") return "it is empty";
  if (path.length > workspaceLimits.pathCharacters) {
    return `it has more than ${workspaceLimits.pathCharacters} characters`;
  }
  if (path.includes("\\")) return 'use "/" between folders, not "\\"';
  if (/^[A-Za-z]:/.test(path)) return "it names a drive: paths are relative to the workspace, like src/App.tsx";
  if (path.startsWith("/")) return "it is absolute: paths are relative to the workspace, like src/App.tsx";
  const parts = path.split("/");
  if (parts.length > workspaceLimits.pathParts) return `it is deeper than ${workspaceLimits.pathParts} parts`;
  for (const part of parts) {
    const fault = findPartFault(part);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const CONTROL = /\p{Cc}|[\u2028\u2029]/u;
const BIDI = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/;
/** Includes unassigned code points: another Unicode version may compose or fold them differently. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cn}|\p{Co}/u;
const OTHER_SPACE = /(?! )\p{Z}/u;
const FORBIDDEN = /[<>:"|?*]/;
const DEVICE = /^(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9¹²³])$/i;
const NAME_BYTES = 255;

function findPartFault(part: string): string | undefined {
  if (part === "") return 'it has an empty part: no "//", and no "/" at the end';
  if (part === "." || part === "..") return `"${part}" is not allowed: write the path from the root of the workspace`;
  if (CONTROL.test(part)) return "it contains a control character";
  if (BIDI.test(part)) return "it contains a character that changes the writing direction";
  if (INVISIBLE.test(part)) return "it contains an invisible character";
  if (OTHER_SPACE.test(part)) return "the only space allowed is the plain one";
  const bad = FORBIDDEN.exec(part)?.[0];
  if (bad !== undefined) return `"${bad}" is not allowed in names on all systems`;
  if (/[. ]$/.test(part)) return "a name cannot end with a dot or a space";
  if (part.startsWith(" ")) return "a name cannot begin with a space";
  if (/~\d+(?:\.|$)/.test(part)) return 'names with "~" and a number are short names of other files on Windows';
  if (DEVICE.test(toKey(part).split(".")[0]?.trimEnd() ?? "")) return `"${part}" is a device name on Windows`;
  if (part.length > workspaceLimits.nameCharacters || Buffer.byteLength(part) > NAME_BYTES) {
    return `a name has at most ${workspaceLimits.nameCharacters} characters and ${NAME_BYTES} bytes`;
  }
  return undefined;
}

const LONGEST_SHOWN = 80;
/** Escapes unprintable characters: the message is shown to users and models. */
const show = (given: string): string => {
  const start = given.slice(0, LONGEST_SHOWN).toWellFormed();
  const visible = start.replace(/[\p{C}\p{Z}]/gu, (char) =>
    char === " " ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return given.length > LONGEST_SHOWN ? `${visible}…` : visible;
};

const refuse = (given: string, reason: string): ApiError =>
  new ApiError("invalid", `"${show(given)}" is not a valid path: ${reason}.`);
