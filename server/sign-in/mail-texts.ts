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

export const toInvitationMail = (to: string, link: string, from: string): Mail => ({
  to,
  subject: "You are invited to Stonechat",
  text: `${from === "" ? "An admin" : toLine(from)} invites you to Stonechat. Open this link to create your account:

${link}

It works once, within seven days.
`,
});

const toLine = (name: string): string => name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ");
