import { Download } from "lucide-react";
import { routes } from "../../../protocol/routes.ts";
import { transfer as strings } from "../../strings/settings/transfer.ts";
import { Quiet, Section } from "../../ui/section.tsx";

const formats = [
  { format: "archive", name: strings.exportArchive, about: strings.exportArchiveAbout },
  { format: "markdown", name: strings.exportMarkdown, about: strings.exportMarkdownAbout },
  { format: "json", name: strings.exportJson, about: strings.exportJsonAbout },
] as const;

/** Everything as a file, in three formats. */
export const ExportSection = () => (
  <Section title={strings.exportTitle}>
    <Quiet>{strings.exportAbout}</Quiet>
    <ul className="mt-2 grid gap-2">
      {formats.map(({ format, name, about }) => (
        <li key={format} className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <a href={`${routes.exportEverything.path}?format=${format}`} download className="plain-button">
            <Download aria-hidden="true" className="size-4" />
            {name}
          </a>
          <span className="text-sm text-soft">{about}</span>
        </li>
      ))}
    </ul>
  </Section>
);
