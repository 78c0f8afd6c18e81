import type { PartOf } from "../../protocol/parts.ts";
import { Fold } from "../ui/fold.tsx";
import { Json } from "./json.tsx";

export const DataPart = ({ part }: { readonly part: PartOf<"data"> }) => (
  <Fold label={part.name}>
    <Json value={part.value} label={part.name} />
  </Fold>
);
