import {
  Archive,
  ArrowLeft,
  SquarePen,
  Brain,
  ChartNoAxesColumn,
  LogOut,
  Monitor,
  Moon,
  PanelLeftClose,
  Settings,
  Sun,
  Zap,
} from "lucide-react";
import { Suspense, useState, type ComponentProps, type ReactNode } from "react";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { toPath, toSettingsPath } from "../state/route.ts";
import { Bird } from "../ui/bird.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { ProjectSection } from "../project/project-section.tsx";
import { SearchField } from "../search/search-field.tsx";
import { shell as strings } from "../strings/shell.ts";
import { CreateMenu } from "./create-menu.tsx";
import { ThreadList } from "../list/thread-list.tsx";
import { ToastList } from "../ui/toast-list.tsx";
import { lazyChunk } from "../lib/lazy-chunk.ts";
import { useLook, type Look } from "../state/look.ts";
import { signOut } from "../state/account/sign-out.ts";
import { toAccount } from "../state/account/use-account.ts";

const SearchHits = lazyChunk(() => import("../search/search-hits.tsx"));

export const hideButtonId = "hide-sidebar";

/** The sidebar: search, new thread, projects and threads. */
export const Sidebar = ({ onHide }: { readonly onHide?: () => void }) => {
  const [query, setQuery] = useState("");
  const { sidebar, toasts } = usePage();
  const archived = useSignal(sidebar) === "archived";
  return (
    <div className="flex h-full min-h-0 flex-col bg-sunk">
      <header className="flex items-center gap-2 px-4 pt-[max(0.9rem,env(safe-area-inset-top))] pb-2">
        <a href={toPath(null)} className="flex items-center gap-2 rounded-lg font-serif text-lg tracking-tight">
          <Bird />
          {strings.app}
        </a>
        <a
          href={toPath(null)}
          aria-label={strings.newThread.label}
          title={strings.newThread.hint}
          className="icon-button ms-auto"
        >
          <SquarePen aria-hidden="true" className="size-4.5" />
        </a>
        <CreateMenu />
        {onHide && (
          <IconButton
            id={hideButtonId}
            label={strings.sidebar.hide}
            hint={strings.sidebar.hideHint}
            className="-me-1"
            onClick={onHide}
          >
            <PanelLeftClose aria-hidden="true" className="size-4.5 rtl:-scale-x-100" />
          </IconButton>
        )}
      </header>
      <SearchField query={query} onChange={setQuery} />
      {archived && query === "" && (
        <button
          type="button"
          className="mx-3 mb-1 flex items-center gap-2 rounded-lg px-2 py-1.5 text-sm font-medium hover:bg-hover"
          onClick={() => sidebar.set("threads")}
        >
          <ArrowLeft aria-hidden="true" className="size-4 rtl:-scale-x-100" />
          {strings.sidebar.archived}
        </button>
      )}
      {query.trim() === "" ? (
        <>
          <ProjectSection archived={archived} />
          <ThreadList archived={archived} />
        </>
      ) : (
        <Suspense fallback={<div className="flex-1" />}>
          <SearchHits query={query} />
        </Suspense>
      )}
      <ToastList toasts={toasts} className="flex-none px-2" />
      <SidebarFoot>
        <FootButton
          Icon={Archive}
          text={strings.sidebar.archive}
          label={strings.sidebar.archived}
          aria-pressed={archived}
          onClick={() => sidebar.set(archived ? "threads" : "archived")}
        />
      </SidebarFoot>
    </div>
  );
};

const AccountMenu = lazyChunk(() => import("./account-menu.tsx"));

const SidebarFoot = ({ children }: { readonly children: ReactNode }) => {
  const page = usePage();
  const { session, sheet } = page;
  const state = useSignal(session.state);
  const account = toAccount(state);
  return (
    <footer className="flex flex-none flex-wrap gap-x-1 px-2 pt-1 pb-[max(0.5rem,env(safe-area-inset-bottom))]">
      <FootButton
        Icon={Zap}
        text={strings.sidebar.commands}
        hint={strings.sidebar.paletteHint}
        onClick={() => sheet.set({ kind: "palette" })}
      />
      {children}
      <FootButton Icon={Brain} text={strings.sidebar.memory} onClick={() => sheet.set({ kind: "memory" })} />
      <FootButton Icon={ChartNoAxesColumn} text={strings.sidebar.usage} onClick={() => sheet.set({ kind: "usage" })} />
      <ThemeButton />
      <a href={toSettingsPath()} title={strings.sidebar.settingsHint} className={footLook}>
        <Settings aria-hidden="true" className="size-4 flex-none" />
        <span className="truncate">{strings.sidebar.settings}</span>
      </a>
      {state.phase === "signed-in" && state.me.signIn === "token" && (
        <FootButton Icon={LogOut} text={strings.sidebar.signOut} onClick={() => void signOut(page)} />
      )}
      {account && (
        <Suspense fallback={<div className="mt-1 h-10 w-full pointer-coarse:h-12" />}>
          <AccountMenu />
        </Suspense>
      )}
    </footer>
  );
};

const footLook =
  "flex h-8 min-w-0 items-center gap-1.5 rounded-lg px-1.5 text-xs text-soft hover:bg-hover hover:text-ink aria-pressed:bg-press aria-pressed:text-ink pointer-coarse:h-11";

type FootProps = Omit<ComponentProps<"button">, "aria-label" | "title"> & {
  readonly Icon: typeof Sun;
  readonly text: string;
  /** Accessible name, if it says more than the text. */
  readonly label?: string;
  readonly hint?: string;
};

const FootButton = ({ Icon, text, label = text, hint = label, ...rest }: FootProps) => (
  <button type="button" aria-label={label} title={hint} className={footLook} {...rest}>
    <Icon aria-hidden="true" className="size-4 flex-none" />
    <span className="truncate">{text}</span>
  </button>
);

const themes: Readonly<Record<Look<"theme">, { readonly Icon: typeof Sun; readonly next: Look<"theme"> }>> = {
  system: { Icon: Monitor, next: "light" },
  light: { Icon: Sun, next: "dark" },
  dark: { Icon: Moon, next: "system" },
};

const ThemeButton = () => {
  const [theme, setTheme] = useLook("theme");
  const { Icon, next } = themes[theme];
  return (
    <FootButton
      Icon={Icon}
      text={strings.sidebar.themeName}
      label={strings.sidebar.theme(theme, next)}
      onClick={() => setTheme(next)}
    />
  );
};
