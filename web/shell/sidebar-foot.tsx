import { Brain, ChartNoAxesColumn, Keyboard, LogOut, Monitor, Moon, Settings, Sun } from "lucide-react";
import { lazy, Suspense, useState, type ReactNode } from "react";
import { useCell } from "../state/cell.ts";
import { usePage } from "../state/page.ts";
import { toSettingsPath } from "../state/route.ts";
import { useLook, type Look } from "../state/look.ts";
import { IconButton } from "../ui/icon-button.tsx";

const Shortcuts = lazy(() => import("./keys/shortcuts-dialog.tsx"));

export const SidebarFoot = ({ children }: { readonly children: ReactNode }) => {
  const { client, session, sheet } = usePage();
  const state = useCell(session.state);
  const [showKeys, setShowKeys] = useState(false);
  const signOut = () => void client.signOut({ params: {}, body: {} }).finally(session.signOut);
  return (
    <footer className="flex items-center gap-1 px-3 pt-1 pb-[max(0.6rem,env(safe-area-inset-bottom))]">
      {children}
      <IconButton label="Memory" onClick={() => sheet.set({ kind: "memory" })}>
        <Brain aria-hidden="true" className="size-4.5" />
      </IconButton>
      <IconButton label="Usage" onClick={() => sheet.set({ kind: "usage" })}>
        <ChartNoAxesColumn aria-hidden="true" className="size-4.5" />
      </IconButton>
      <ThemeButton />
      <IconButton label="Keyboard shortcuts" className="pointer-coarse:hidden" onClick={() => setShowKeys(true)}>
        <Keyboard aria-hidden="true" className="size-4.5" />
      </IconButton>
      <a href={toSettingsPath()} aria-label="Settings" title="Settings (Ctrl ,)" className="icon-button">
        <Settings aria-hidden="true" className="size-4.5" />
      </a>
      {state.phase === "here" && state.me.signIn === "token" && (
        <IconButton label="Sign out" className="ms-auto" onClick={signOut}>
          <LogOut aria-hidden="true" className="size-4.5" />
        </IconButton>
      )}
      <Suspense>{showKeys && <Shortcuts onClose={() => setShowKeys(false)} />}</Suspense>
    </footer>
  );
};

const themes: Readonly<Record<Look<"theme">, { readonly Icon: typeof Sun; readonly next: Look<"theme"> }>> = {
  system: { Icon: Monitor, next: "light" },
  light: { Icon: Sun, next: "dark" },
  dark: { Icon: Moon, next: "system" },
};

const ThemeButton = () => {
  const [theme, setTheme] = useLook("theme");
  const { Icon, next } = themes[theme];
  return (
    <IconButton label={`Theme: ${theme}. Change to ${next}`} onClick={() => setTheme(next)}>
      <Icon aria-hidden="true" className="size-4.5" />
    </IconButton>
  );
};
