import { Suspense, useEffect, useRef, type ReactNode } from "react";
import { DrawerButton } from "../ui/drawer-button.tsx";
import { usePage } from "../state/page.ts";
import { toSettingsPath, type SettingsRoute } from "../state/route.ts";
import { AppearanceSection } from "./appearance-section.tsx";
import { KeysSection } from "./keys/keys-section.tsx";
import { ModelsSection } from "./models/models-section.tsx";
import { ProfilesSection } from "./profiles/profiles-section.tsx";
import { PromptsSection } from "./prompts/prompts-section.tsx";
import { listSettingsSections } from "../labels/settings-sections.ts";
import { ToolsSection } from "./tools/tools-section.tsx";
import { ShortcutList } from "../palette/shortcut-list.tsx";
import { Section, Quiet, Waiting } from "../ui/section.tsx";
import { Brain, ChartNoAxesColumn } from "lucide-react";
import { useSignal } from "../lib/signal.ts";
import { ExportSection } from "./data/export-section.tsx";
import { ImportSection } from "./data/import-section.tsx";
import { DeleteEverything } from "./delete-everything.tsx";
import { accountChunk } from "../lib/lazy-chunk.ts";
import { toAccount } from "../state/account/use-account.ts";
import { settings as strings } from "../strings/settings/page.ts";

const NotificationsSection = accountChunk(() => import("./notifications/notifications-section.tsx"));
const StorageSection = accountChunk(() => import("./data/storage-section.tsx"));
const AccountSections = accountChunk(() => import("./account/account-sections.tsx"));

/** The settings. Each section loads its own data and shows the result of each change. */
const SettingsPage = ({ route }: { readonly route: SettingsRoute }) => {
  const { session: store } = usePage();
  const session = useSignal(store.state);
  const account = toAccount(session);
  const hasAccounts = account !== null;
  useEffect(() => {
    // An admin may have changed the role.
    if (hasAccounts) void store.load();
  }, [store, hasAccounts]);
  const sections = listSettingsSections(session);
  const name = sections.find(({ id }) => id === route.section)?.name;
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    region.current?.scrollTo(0, 0);
  }, [route.section, route.named]);
  return (
    <>
      <header className="flex h-13 flex-none items-center gap-2 px-3 pt-[env(safe-area-inset-top)] sm:ps-8 sm:pe-5">
        <DrawerButton />
        <h1 className="min-w-0 flex-1 truncate font-serif text-2xl tracking-tight">{strings.title}</h1>
      </header>
      <Tabs section={route.section} sections={sections} />
      <div
        ref={region}
        role="region"
        aria-label={name ?? strings.title}
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain focus-visible:-outline-offset-2"
      >
        <div className="mx-auto grid w-full max-w-3xl gap-10 px-4 pt-2 pb-24 sm:px-8">
          {/* Whether there are accounts is known with the session. Sections for admins say so to members. */}
          {name === undefined && session.phase === "loading" ? (
            <Waiting />
          ) : (
            renderSection(name === undefined && account === null ? null : route)
          )}
        </div>
      </div>
    </>
  );
};

export default SettingsPage;

function renderSection(route: SettingsRoute | null): ReactNode {
  switch (route?.section) {
    case "account":
    case "people":
    case "activity":
    case "health":
      return (
        <Suspense fallback={<Waiting />}>
          <AccountSections section={route.section} />
        </Suspense>
      );
    case "storage":
      return (
        <Suspense fallback={<Waiting />}>
          <StorageSection />
        </Suspense>
      );
    case "models":
      return <ModelsSection />;
    case "tools":
      return <ToolsSection />;
    case "profiles":
      return <ProfilesSection openId={route.named} />;
    case "prompts":
      return <PromptsSection />;
    case "keys":
      return <KeysSection />;
    case "notifications":
      return (
        <Suspense fallback={<Waiting />}>
          <NotificationsSection />
        </Suspense>
      );
    case "appearance":
      return <AppearanceSection />;
    case "shortcuts":
      return <ShortcutsSection />;
    case "data":
      return <DataSection />;
    default:
      return <UnknownSection />;
  }
}

const UnknownSection = () => (
  <p className="py-2 text-sm text-soft">
    {strings.unknownSection}{" "}
    <a href={toSettingsPath()} className="text-accent underline underline-offset-2">
      {strings.toModels}
    </a>
  </p>
);

const tabClass = "flex h-9 flex-none items-center rounded-xl px-3 text-sm transition-colors pointer-coarse:h-11";

type TabsProps = { readonly section: string; readonly sections: ReturnType<typeof listSettingsSections> };

const Tabs = ({ section, sections }: TabsProps) => {
  const { sheet } = usePage();
  const current = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    current.current?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [section]);
  return (
    <nav
      aria-label={strings.title}
      className="mb-2 flex flex-none gap-1 overflow-x-auto overscroll-x-contain px-3 py-1 [scrollbar-width:none] sm:flex-wrap sm:px-6"
    >
      {sections.map(({ id, name }) => (
        <a
          key={id}
          ref={id === section ? current : null}
          href={toSettingsPath(id)}
          aria-current={id === section ? "page" : undefined}
          className={`${tabClass} ${id === section ? "bg-press font-medium" : "text-soft hover:bg-hover hover:text-ink"}`}
        >
          {name}
        </a>
      ))}
      {(["memory", "usage"] as const).map((kind) => (
        <button
          key={kind}
          type="button"
          aria-haspopup="dialog"
          className={`${tabClass} text-soft hover:bg-hover hover:text-ink`}
          onClick={() => sheet.set({ kind })}
        >
          {strings.sheets[kind]}
        </button>
      ))}
    </nav>
  );
};

const ShortcutsSection = () => (
  <Section title={strings.shortcuts}>
    <div className="mt-2">
      <ShortcutList />
    </div>
  </Section>
);

/** The user's data: view, export and delete. */
const DataSection = () => {
  const { session, sheet } = usePage();
  const state = useSignal(session.state);
  return (
    <>
      <Section title={strings.history.title}>
        <Quiet>{strings.history.about}</Quiet>
        <div className="mt-2 flex flex-wrap gap-2">
          <button type="button" className="plain-button" onClick={() => sheet.set({ kind: "memory" })}>
            <Brain aria-hidden="true" className="size-4" />
            {strings.history.openMemory}
          </button>
          <button type="button" className="plain-button" onClick={() => sheet.set({ kind: "usage" })}>
            <ChartNoAxesColumn aria-hidden="true" className="size-4" />
            {strings.history.openUsage}
          </button>
        </div>
      </Section>
      <ImportSection />
      <ExportSection />
      <DeleteEverything />
      <Section title={strings.about.title}>
        <Quiet>
          {strings.about.license} {state.phase === "signed-in" && strings.about.version(state.me.version)}
        </Quiet>
        <Quiet>
          <a
            href="/third-party-notices.txt"
            target="_blank"
            rel="noreferrer"
            className="text-accent underline underline-offset-2"
          >
            {strings.about.notices}
          </a>
        </Quiet>
        <Quiet>
          {strings.about.api}{" "}
          <a href="/api/docs" target="_blank" rel="noreferrer" className="text-accent underline underline-offset-2">
            {strings.about.apiLink}
          </a>
        </Quiet>
      </Section>
    </>
  );
};
