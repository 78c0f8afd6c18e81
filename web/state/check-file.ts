import { attachmentLimits } from "../../protocol/attachment-limits.ts";
import { toSize } from "../lib/format.ts";
import { notices as strings } from "../strings/notices.ts";

/** Why a file cannot be attached; undefined if the server has to decide. */
export function checkFile({ size }: Pick<File, "size">, present: number): string | undefined {
  const { fileBytes, perMessage } = attachmentLimits;
  if (present >= perMessage) return strings.files.tooMany(perMessage);
  if (size === 0) return strings.files.empty;
  if (size > fileBytes) return strings.files.tooLarge(toSize(size), toSize(fileBytes));
  return undefined;
}
