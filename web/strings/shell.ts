import { define } from "./language.ts";
/** The frame around every page: sidebar, sign-in and messages. */
export const shell = define("shell", {
  app: "Stonechat",
  documentTitle: (page: string) => `${page} · Stonechat`,
  pages: { search: "Search", settings: "Settings" },
  dismiss: "Dismiss",
  temporaryDeleted: "Temporary thread deleted.",
  sidebar: {
    label: "Sidebar",
    hide: "Hide sidebar",
    hideHint: "Hide sidebar (Ctrl B)",
    width: "Sidebar width",
    drawer: "Threads",
    archived: "Archived threads",
    archive: "Archived",
    commands: "Commands",
    themeName: "Theme",
    paletteHint: "Command palette (Ctrl K)",
    memory: "Memory",
    usage: "Usage",
    settings: "Settings",
    settingsHint: "Settings (Ctrl ,)",
    signOut: "Sign out",
    theme: (current: string, next: string) => `Theme: ${current}. Switch to ${next}`,
  },
  newThread: {
    label: "New thread",
    hint: "New thread (Ctrl Shift O)",
    more: "More ways to start",
    temporary: "New temporary thread",
    withProfile: "With a profile",
    inProject: "In a project",
  },
  signIn: {
    token: "Access token",
    submit: "Sign in",
    submitting: "Signing in…",
    /** Followed by the name of the variable. */
    hint: "The token is set on the server as",
  },
});
