import type { Part } from "../../protocol/parts.ts";
import { Fold } from "../ui/fold.tsx";
import { Json } from "../ui/json.tsx";

export const UnknownPart = ({ part }: { readonly part: Part }) => (
  <Fold label={`A part of a kind that this page does not know: ${part.kind}`}>
    <Json value={part} label="Part" />
  </Fold>
);
