import { Menu, PanelLeftOpen, SquarePen } from "lucide-react";
import { createContext, useContext } from "react";
import { IconButton } from "./icon-button.tsx";
import { ui as strings } from "../strings/ui.ts";

/** Opens the sidebar: as a drawer on narrow pages, in its place on wide ones. */
export const DrawerContext = createContext<{
  readonly open: () => void;
  /** The user has hidden it on a wide page. */
  readonly isHidden: boolean;
}>({ open: () => undefined, isHidden: false });

export const drawerButtonId = "show-sidebar";

export const DrawerButton = () => {
  const { open, isHidden } = useContext(DrawerContext);
  if (isHidden)
    return (
      <>
        <IconButton id={drawerButtonId} label={strings.showSidebar} hint={strings.showSidebarHint} onClick={open}>
          <PanelLeftOpen aria-hidden="true" className="size-4.5 rtl:-scale-x-100" />
        </IconButton>
        <a
          href="/"
          aria-label={strings.missing.newThread}
          title={strings.missing.newThread}
          className="icon-button flex-none"
        >
          <SquarePen aria-hidden="true" className="size-4.5" />
        </a>
      </>
    );
  return (
    <IconButton label={strings.threads} className="md:hidden" onClick={open}>
      <Menu aria-hidden="true" className="size-5" />
    </IconButton>
  );
};
