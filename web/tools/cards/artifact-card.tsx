import { BookOpen } from "lucide-react";
import { useOpenArtifact } from "../../sources/use-open-artifact.ts";
import type { ToolPart } from "../../labels/tools.ts";
import { numberAt, textAt } from "../../lib/read-json.ts";
import { ToolFrame } from "../tool-frame.tsx";
import { toolCards as strings } from "../../strings/tool-cards.ts";

/** An artifact that the model read; the user can open it too. */
export const ArtifactCard = ({ part }: { readonly part: ToolPart }) => {
  const open = useOpenArtifact();
  const ref = numberAt(part.input, "ref");
  const title = textAt(part.output, "title");
  return (
    <ToolFrame part={part} {...(title === "" ? {} : { brief: title })}>
      {ref !== undefined && open && part.state === "ok" && (
        <button
          type="button"
          className="-ms-1.5 inline-flex min-h-7 items-center gap-1.5 rounded-lg px-1.5 text-sm font-medium hover:bg-hover pointer-coarse:min-h-11"
          onClick={() => open(ref)}
        >
          <BookOpen aria-hidden="true" className="size-3.5 text-soft" />
          {strings.pages.openArtifact}
        </button>
      )}
    </ToolFrame>
  );
};
