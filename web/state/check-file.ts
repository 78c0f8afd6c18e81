import { attachmentLimits } from "../../protocol/attachment-limits.ts";
import { toSize } from "../lib/format.ts";

/** Why a file cannot be attached; undefined if the server has to decide. */
export function checkFile({ size, name }: Pick<File, "size" | "name">, present: number): string | undefined {
  const { fileBytes, perMessage } = attachmentLimits;
  if (present >= perMessage) return `A message takes ${perMessage} files at most.`;
  if (size === 0) return `${name || "The file"} is empty, or a folder.`;
  if (size > fileBytes) return `It has ${toSize(size)}: at most ${toSize(fileBytes)} can be attached.`;
  return undefined;
}
