import { Ellipsis } from "lucide-react";
import type { ComponentProps } from "react";

export const MenuButton = ({ title, ...rest }: ComponentProps<"button">) => (
  <button
    type="button"
    aria-haspopup="menu"
    aria-label={`More for ${title || "this thread"}`}
    className="icon-button size-7 pointer-coarse:size-9"
    {...rest}
  >
    <Ellipsis aria-hidden="true" className="size-4" />
  </button>
);
