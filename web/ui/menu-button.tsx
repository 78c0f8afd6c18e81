import { Ellipsis } from "lucide-react";
import type { ComponentProps } from "react";
import { ui as strings } from "../strings/ui.ts";

export const MenuButton = ({ title, ...rest }: ComponentProps<"button">) => (
  <button
    type="button"
    aria-haspopup="menu"
    aria-label={title ? strings.moreFor(title) : strings.moreForThread}
    className="icon-button size-7 pointer-coarse:size-9"
    {...rest}
  >
    <Ellipsis aria-hidden="true" className="size-4" />
  </button>
);
