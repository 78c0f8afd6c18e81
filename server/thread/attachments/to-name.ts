import { attachmentLimits } from "../../../protocol/attachment-limits.ts";

/** Invisible and bidirectional control characters, which can disguise a name. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

/** A file name that is safe to show, store and send in a header: no folders, no invisible characters, never empty. */
export function toName(given: string): string {
  const last = given.toWellFormed().normalize("NFC").split(/[\\/]/).at(-1) ?? "";
  const plain = last
    .replaceAll(INVISIBLE, "")
    .replaceAll(/[\p{Cc}\p{Co}\p{Cn}]/gu, "")
    .replaceAll(/\s+/g, " ")
    .replace(/^[\s.]+/, "")
    .trim();
  return shorten(plain) || "file";
}

/** Keeps the extension. */
function shorten(name: string): string {
  const most = attachmentLimits.nameCharacters;
  if (name.length <= most) return name;
  const ending = /\.\w{1,10}$/.exec(name)?.[0] ?? "";
  return `${name.slice(0, most - ending.length - 1).toWellFormed()}…${ending}`;
}
