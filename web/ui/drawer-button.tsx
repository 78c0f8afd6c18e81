import { Menu } from "lucide-react";
import { createContext, useContext } from "react";
import { IconButton } from "./icon-button.tsx";
import { ui as strings } from "../strings/ui.ts";

/** Opens the sidebar as a drawer on narrow pages. */
export const DrawerContext = createContext<() => void>(() => undefined);

export const DrawerButton = () => (
  <IconButton label={strings.threads} className="md:hidden" onClick={useContext(DrawerContext)}>
    <Menu aria-hidden="true" className="size-5" />
  </IconButton>
);
