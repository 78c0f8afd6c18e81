import { Brain, ChartNoAxesColumn, Command, LogOut, Monitor, Moon, Settings, Sun } from "lucide-react";
import type { ReactNode } from "react";
import { useSignal } from "../state/cell.ts";
import { usePage } from "../state/page.ts";
import { toSettingsPath } from "../state/route.ts";
import { useLook, type Look } from "../state/look.ts";
import { IconButton } from "../ui/icon-button.tsx";

export const SidebarFoot = ({ children }: { readonly children: ReactNode }) => {
  const { client, session, sheet } = usePage();
  const state = useSignal(session.state);
  const signOut = () => void client.signOut({ params: {}, body: {} }).finally(session.signOut);
  return (
    <footer className="flex items-center gap-1 px-3 pt-1 pb-[max(0.6rem,env(safe-area-inset-bottom))]">
      <IconButton
        label="Find and do anything"
        hint="Find and do anything (Ctrl K)"
        onClick={() => sheet.set({ kind: "palette" })}
      >
        <Command aria-hidden="true" className="size-4.5" />
      </IconButton>
      {children}
      <IconButton label="Memory" onClick={() => sheet.set({ kind: "memory" })}>
        <Brain aria-hidden="true" className="size-4.5" />
      </IconButton>
      <IconButton label="Usage" onClick={() => sheet.set({ kind: "usage" })}>
        <ChartNoAxesColumn aria-hidden="true" className="size-4.5" />
      </IconButton>
      <ThemeButton />
      <a href={toSettingsPath()} aria-label="Settings" title="Settings (Ctrl ,)" className="icon-button">
        <Settings aria-hidden="true" className="size-4.5" />
      </a>
      {state.phase === "here" && state.me.signIn === "token" && (
        <IconButton label="Sign out" className="ms-auto" onClick={signOut}>
          <LogOut aria-hidden="true" className="size-4.5" />
        </IconButton>
      )}
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
