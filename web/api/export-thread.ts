import { fillPath } from "../../protocol/client.ts";
import { routes } from "../../protocol/routes.ts";

export const exportFormats = ["markdown", "html", "json"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const toExportPath = (threadId: string, format: ExportFormat): string =>
  `${fillPath(routes.exportThread.path, { threadId })}?format=${format}`;

/** Downloads the export; the server chooses the file name. */
export function exportThread(threadId: string, format: ExportFormat): void {
  const link = document.createElement("a");
  link.href = toExportPath(threadId, format);
  link.download = "";
  link.click();
}
