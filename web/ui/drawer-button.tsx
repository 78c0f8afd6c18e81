import { Menu } from "lucide-react";
import { createContext, useContext } from "react";
import { IconButton } from "./icon-button.tsx";

/** Opens the sidebar as a drawer on narrow pages. */
export const DrawerContext = createContext<() => void>(() => undefined);

export const DrawerButton = () => (
  <IconButton label="Threads" className="md:hidden" onClick={useContext(DrawerContext)}>
    <Menu aria-hidden="true" className="size-5" />
  </IconButton>
);
