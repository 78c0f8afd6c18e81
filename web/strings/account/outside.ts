import { define } from "../language.ts";
/** Ways to sign in other than a password: a provider, links by mail, a proxy. */
export const outsideSignIn = define("outsideSignIn", {
  or: "or",
  signInWith: (name: string) => `Sign in with ${name}`,
  joinWith: (name: string) => `Continue with ${name}`,
  forgot: "Forgot password?",
  create: "Create an account",
  back: "Back to sign-in",
  reset: {
    title: "Reset your password",
    about: "Enter the email address of your account. You get a link to set a new password.",
  },
  signUp: {
    title: "Create an account",
    about: "Enter your email address. You get a link to create your account, if the address may sign up.",
  },
  send: "Send link",
  sending: "Sending…",
  sent: {
    title: "Check your mail",
    about: (email: string) =>
      `If ${email} can be used here, you will get a link. It works once and expires after a day.`,
  },
  linked: {
    title: "Linked sign-ins",
    about: (name: string) => `Link ${name} to sign in to this account with it.`,
    link: (name: string) => `Link ${name}`,
    at: (host: string) => `at ${host}`,
    used: (when: string) => `Last used ${when}`,
    remove: (label: string) => `Remove ${label}`,
    removeTitle: "Remove this sign-in?",
    removeAbout: "It can no longer sign in to your account. Sessions stay signed in.",
    removeAction: "Remove",
  },
  byProxy: "A proxy in front of this server signs you in. To sign out, sign out of the proxy.",
  invitation: {
    mail: "Send the link by mail",
    mailed: (email: string) => `The link is also on its way to ${email}.`,
  },
});
