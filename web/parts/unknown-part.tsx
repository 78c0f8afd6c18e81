import type { Part } from "../../protocol/parts.ts";
import { Fold } from "../ui/fold.tsx";
import { Json } from "../ui/json.tsx";
import { parts as strings } from "../strings/parts.ts";

export const UnknownPart = ({ part }: { readonly part: Part }) => (
  <Fold label={strings.unknown(part.kind)}>
    <Json value={part} label={strings.unknownData} />
  </Fold>
);
