import type { Mail } from "./mailer.ts";

/** Subjects contain no text of users, so that none can add a header. */

export const toResetMail = (to: string, link: string): Mail => ({
  to,
  subject: "Set a new password for Stonechat",
  text: `Someone asked to reset the password of your account. Open this link to set a new one:

${link}

It works once, within a day. If you did not ask for it, ignore this mail: your password stays as it is.
`,
});

export const toSignUpMail = (to: string, link: string): Mail => ({
  to,
  subject: "Create your Stonechat account",
  text: `Open this link to create your account:

${link}

It works once, within a day. If you did not ask for it, ignore this mail.
`,
});

export const haveAccount = (to: string, url: string): Mail => ({
  to,
  subject: "You have a Stonechat account",
  text: `Someone asked to create an account with this address, which already has one. Sign in here:

${url}/

If you have lost your password, choose "Forgot password?" there. If you did not ask for an account, ignore this mail.
`,
});

export const toEmailChangeMail = (to: string, link: string): Mail => ({
  to,
  subject: "Confirm your new address for Stonechat",
  text: `Someone asked to use this address for their Stonechat account. Open this link to confirm it:

${link}

It works once, within a day. Until then the account keeps its old address. If you did not ask for it, ignore this mail.
`,
});

export const toEmailTakenMail = (to: string): Mail => ({
  to,
  subject: "Your address was not changed",
  text: `Someone asked to use this address for their Stonechat account, but it already belongs to an account. Nothing was changed.

If you did not ask for it, ignore this mail.
`,
});

/** To the old address, when a change is requested. */
export const toEmailNote = (to: string, next: string): Mail => ({
  to,
  subject: "The address of your Stonechat account may change",
  text: `Someone who is signed in to your account asked to change its address from this one to:

${toLine(next)}

It changes when the link that was sent to the new address is opened. If this was not you, change your password now, which makes that link invalid, and sign out all other devices.
`,
});

export const toInvitationMail = (to: string, link: string, from: string): Mail => ({
  to,
  subject: "You are invited to Stonechat",
  text: `${from === "" ? "An admin" : toLine(from)} invites you to Stonechat. Open this link to create your account:

${link}

It works once, within seven days.
`,
});

const toLine = (name: string): string => name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ");
