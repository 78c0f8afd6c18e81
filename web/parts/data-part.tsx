import type { PartOf } from "../../protocol/parts.ts";
import { isCitations } from "../sources/citations.ts";
import { Fold } from "../ui/fold.tsx";
import { Json } from "./json.tsx";

/** What is known about citations is drawn with them. */
export const DataPart = ({ part }: { readonly part: PartOf<"data"> }) =>
  isCitations(part) ? null : (
    <Fold label={part.name}>
      <Json value={part.value} label={part.name} />
    </Fold>
  );
