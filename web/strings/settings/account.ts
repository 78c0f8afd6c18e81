import { define } from "../language.ts";
import { plural } from "../plural.ts";
/** The user's own account and sessions. */
export const accountSettings = define("accountSettings", {
  profile: "Profile",
  role: { admin: "Admin", member: "Member" },
  name: "Name",
  email: "Email address",
  emailAbout: "You sign in with it.",
  needsName: "Enter your name.",
  pendingEmail: (email: string) =>
    `Open the link that was sent to ${email} to finish the change. Until then your old address stays.`,
  password: {
    title: "Password",
    about: "Changing your password signs you out on all other devices.",
    current: "Current password",
    next: "New password",
    revokeKeys: "Revoke my API keys, too",
    submit: "Change password",
    submitting: "Changing password…",
    done: (ended: number) =>
      ended === 0 ? "Password changed." : `Password changed. ${plural(ended, "other session")} ended.`,
  },
  sessions: {
    title: "Sessions",
    about: "Devices that are signed in to your account.",
    list: "Sessions",
    current: "This device",
    device: (browser: string, system: string) => `${browser} on ${system}`,
    unknownBrowser: "Unknown browser",
    now: "Active now",
    recently: "Used in the last hour",
    used: (when: string) => `Last used ${when}`,
    since: (date: string) => `Signed in ${date}`,
    from: (address: string) => `from ${address}`,
    end: "Sign out",
    endFor: (device: string) => `Sign out ${device}`,
    endOthers: "Sign out all other devices",
    endOthersTitle: "Sign out all other devices?",
    endOthersAbout: "They have to sign in again. Drafts on them are saved.",
    ended: (count: number) => `${plural(count, "session")} ended.`,
  },
  signOut: {
    title: "Sign out",
    about: "Ends the session of this device.",
    action: "Sign out",
  },
});
