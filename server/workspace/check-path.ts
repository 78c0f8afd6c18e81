import { ApiError } from "../../protocol/errors.ts";
import { workspaceLimits } from "../../protocol/workspace/limits.ts";
import { toKey } from "../lib/file-names.ts";

/**
 * A path as it is stored: relative, `/` between its parts, NFC. What some file system could read otherwise, or could not hold, is
 * refused with the reason, because an archive of the workspace is unpacked on all of them.
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
  if (path.includes("\\")) return 'folders are divided by "/", not by "\\"';
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
/** Also what Unicode has not given a meaning yet: another version may compose or fold it otherwise. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cn}|\p{Co}/u;
const OTHER_SPACE = /(?! )\p{Z}/u;
const FORBIDDEN = /[<>:"|?*]/;
const DEVICE = /^(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9¹²³])$/i;
const NAME_BYTES = 255;

function findPartFault(part: string): string | undefined {
  if (part === "") return 'it has an empty part: no "//", and no "/" at the end';
  if (part === "." || part === "..") return `"${part}" is not taken: name the path from the top of the workspace`;
  if (CONTROL.test(part)) return "it holds a control character";
  if (BIDI.test(part)) return "it holds a character that changes the direction of writing";
  if (INVISIBLE.test(part)) return "it holds a character that cannot be seen";
  if (OTHER_SPACE.test(part)) return "of spaces only the plain one is taken";
  const bad = FORBIDDEN.exec(part)?.[0];
  if (bad !== undefined) return `"${bad}" cannot stand in names everywhere`;
  if (/[. ]$/.test(part)) return "a name cannot end with a dot or a space";
  if (part.startsWith(" ")) return "a name cannot begin with a space";
  if (/~\d+(?:\.|$)/.test(part)) return 'names with "~" and a number are short names of other files on Windows';
  if (DEVICE.test(toKey(part).split(".")[0]?.trimEnd() ?? "")) return `"${part}" is a device on Windows`;
  if (part.length > workspaceLimits.nameCharacters || Buffer.byteLength(part) > NAME_BYTES) {
    return `a name has at most ${workspaceLimits.nameCharacters} characters and ${NAME_BYTES} bytes`;
  }
  return undefined;
}

const LONGEST_SHOWN = 80;
/** What cannot be printed is written out: the sentence is shown to people and models. */
const show = (given: string): string => {
  const start = given.slice(0, LONGEST_SHOWN).toWellFormed();
  const visible = start.replace(/[\p{C}\p{Z}]/gu, (char) =>
    char === " " ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return given.length > LONGEST_SHOWN ? `${visible}…` : visible;
};

const refuse = (given: string, reason: string): ApiError =>
  new ApiError("invalid", `"${show(given)}" cannot be a path here: ${reason}.`);
