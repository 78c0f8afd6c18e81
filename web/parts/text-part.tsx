import type { PartOf } from "../../protocol/parts.ts";
import { Markdown } from "../markdown/markdown.tsx";

export const TextPart = ({ part }: { readonly part: PartOf<"text"> }) => (
  <Markdown text={part.text} streaming={part.state === "streaming"} />
);
