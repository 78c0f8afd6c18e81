import { attachmentLimits } from "../../../protocol/attachment-limits.ts";

/** Marks that turn the direction of text or are not seen: they make one name look like another. */
const UNSEEN = /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

/** A file's name as it may be shown, stored and sent in a header: no folders, nothing unseen, never empty. */
export function toName(given: string): string {
  const last = given.toWellFormed().normalize("NFC").split(/[\\/]/).at(-1) ?? "";
  const plain = last
    .replaceAll(UNSEEN, "")
    .replaceAll(/[\p{Cc}\p{Co}\p{Cn}]/gu, "")
    .replaceAll(/\s+/g, " ")
    .replace(/^[\s.]+/, "")
    .trim();
  return shorten(plain) || "file";
}

/** What comes after the last dot stays: it tells people what it is. */
function shorten(name: string): string {
  const most = attachmentLimits.nameCharacters;
  if (name.length <= most) return name;
  const ending = /\.\w{1,10}$/.exec(name)?.[0] ?? "";
  return `${name.slice(0, most - ending.length - 1).toWellFormed()}…${ending}`;
}
