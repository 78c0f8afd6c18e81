import { z } from "zod";
import { ConfigError } from "./config-error.ts";

/** Settings of sign-in from outside: a provider of OpenID Connect, a proxy, and mail. They apply to servers with accounts. */

const list = z.string().transform((text) => text.split(",").flatMap((item) => item.trim() || []));
const secret = z.string().max(10_000, "is too long").optional();
const isDomain = (text: string): boolean => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(text);
const domains = list.transform((items) => items.map((item) => item.toLowerCase()));
const onOff = z
  .enum(["on", "off"], { error: "must be on or off" })
  .transform((value) => value === "on")
  .default(false);

export const signInSettings = {
  STONECHAT_OIDC_ISSUER: {
    schema: z
      .string()
      .refine(
        isIssuer,
        "must be the https URL of an OpenID Connect issuer, such as https://login.example.com/realms/main",
      )
      .optional(),
    about:
      "Issuer URL of an OpenID Connect provider that users may sign in with. http is accepted only for a loopback address.",
  },
  STONECHAT_OIDC_CLIENT_ID: {
    schema: z.string().max(1000, "is too long").optional(),
    about: "Id of this server as a client of the provider.",
  },
  STONECHAT_OIDC_CLIENT_SECRET: {
    schema: secret,
    about: "Secret of that client. Unset: a public client.",
    isSecret: true,
  },
  STONECHAT_OIDC_NAME: {
    schema: z.string().max(60, "is too long for a button").optional(),
    about: "Name of the provider on the page. Default: the host of the issuer.",
  },
  STONECHAT_OIDC_SCOPES: {
    schema: z
      .string()
      .regex(
        /^[\x21-\x7e]+( [\x21-\x7e]+)*$/,
        "must be scopes separated by single spaces, such as openid email profile",
      )
      .refine((text) => text.split(" ").includes("openid"), "must contain the scope openid")
      .default("openid email profile"),
    about: "Scopes to request from the provider.",
  },
  STONECHAT_OIDC_SIGN_UP: {
    schema: domains
      .refine(
        (items) => (items.length === 1 && /^(on|off)$/.test(items[0] ?? "")) || items.every(isDomain),
        "must be on, off or domains separated by commas, such as example.com",
      )
      .transform((items): boolean | readonly string[] =>
        /^(on|off)$/.test(items[0] ?? "") ? items[0] === "on" : items,
      )
      .default(false),
    about:
      "Whether a first sign-in with the provider creates an account: `on`, or the domains of verified email addresses. Default: off, only invited users.",
  },
  STONECHAT_TRUSTED_HEADER: {
    schema: z
      .string()
      .toLowerCase()
      .regex(/^[a-z][a-z0-9-]{0,99}$/, "must be the name of a header, such as x-forwarded-user")
      .refine(
        (name) => !/^(authorization|cookie|host|origin|x-api-key|x-forwarded-for|sec-.*)$/.test(name),
        "must be a header of its own, such as x-forwarded-user",
      )
      .optional(),
    about:
      "Header with the email address of the user whom a proxy has signed in. Only requests from STONECHAT_TRUSTED_PROXIES can use it; the proxy must remove it from requests of clients.",
  },
  STONECHAT_TRUSTED_HEADER_SIGN_UP: {
    schema: onOff,
    about: "Whether an unknown address in that header gets an account. Default: off.",
  },
  STONECHAT_SIGN_UP_DOMAINS: {
    schema: domains
      .refine((items) => items.every(isDomain), "must be domains separated by commas, such as example.com")
      .default([]),
    about: "Domains whose email addresses may create an account with a link by mail. Needs STONECHAT_SMTP_URL.",
  },
  STONECHAT_SMTP_URL: {
    schema: z
      .string()
      .refine(
        (text) => URL.canParse(text) && /^smtps?:\/\//.test(text),
        "must be a URL such as smtps://user:password@mail.example.com",
      )
      .optional(),
    about: "Mail server, for password resets, invitations and sign-up. `smtps://` uses TLS from the start.",
    isSecret: true,
  },
  STONECHAT_MAIL_FROM: {
    schema: z
      .string()
      .regex(
        /^(?:[^\p{Cc}<>"]{0,100} <[^\s<>@"]{1,100}@[^\s<>@"]{1,200}>|[^\s<>@"]{1,100}@[^\s<>@"]{1,200})$/u,
        "must be an address, such as Stonechat <chat@example.com>",
      )
      .optional(),
    about: "Sender of mails: an address, or `Name <address>`.",
  },
} as const;

type Values = { readonly [N in keyof typeof signInSettings]: z.infer<(typeof signInSettings)[N]["schema"]> };

export type SignInConfig = {
  readonly oidc: {
    readonly issuer: string;
    readonly clientId: string;
    /** null: a public client. */
    readonly clientSecret: string | null;
    readonly name: string;
    readonly scopes: string;
    /** Whether the first sign-in creates an account; a list: with verified addresses of these domains. */
    readonly signUp: boolean | readonly string[];
  } | null;
  /** Header in which trusted proxies send the user's email address. */
  readonly header: { readonly name: string; readonly signUp: boolean } | null;
  readonly mail: { readonly smtpUrl: string; readonly from: string } | null;
  /** Domains whose addresses may sign up by mail. */
  readonly signUpDomains: readonly string[];
};

export function toSignIn(values: Values, trustedProxies: readonly string[]): SignInConfig {
  return {
    oidc: toOidc(values),
    header: toHeader(values, trustedProxies),
    mail: toMail(values),
    signUpDomains: values.STONECHAT_SIGN_UP_DOMAINS,
  };
}

function toOidc(values: Values): SignInConfig["oidc"] {
  const { STONECHAT_OIDC_ISSUER: issuer, STONECHAT_OIDC_CLIENT_ID: clientId } = values;
  const clientSecret = values.STONECHAT_OIDC_CLIENT_SECRET;
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) return null;
  if (issuer === undefined || clientId === undefined) {
    throw new ConfigError("STONECHAT_OIDC_ISSUER and STONECHAT_OIDC_CLIENT_ID belong together. Set both or neither.");
  }
  return {
    ...{ issuer, clientId, clientSecret: clientSecret ?? null, scopes: values.STONECHAT_OIDC_SCOPES },
    name: values.STONECHAT_OIDC_NAME ?? new URL(issuer).hostname,
    signUp: values.STONECHAT_OIDC_SIGN_UP,
  };
}

function toHeader(values: Values, trustedProxies: readonly string[]): SignInConfig["header"] {
  const name = values.STONECHAT_TRUSTED_HEADER;
  if (name === undefined) return null;
  if (trustedProxies.length === 0) {
    throw new ConfigError(
      "STONECHAT_TRUSTED_HEADER is set without STONECHAT_TRUSTED_PROXIES. Set the addresses of the proxies that may send it.",
    );
  }
  return { name, signUp: values.STONECHAT_TRUSTED_HEADER_SIGN_UP };
}

function toMail(values: Values): SignInConfig["mail"] {
  const { STONECHAT_SMTP_URL: smtpUrl, STONECHAT_MAIL_FROM: from } = values;
  if (smtpUrl === undefined && from === undefined) return null;
  if (smtpUrl !== undefined && from !== undefined) return { smtpUrl, from };
  throw new ConfigError("STONECHAT_SMTP_URL and STONECHAT_MAIL_FROM belong together. Set both or neither.");
}

/** Tokens of a plain http issuer could be read and replaced on the way. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash, username, password } = new URL(text);
  if (search !== "" || hash !== "" || username !== "" || password !== "") return false;
  return protocol === "https:" || (protocol === "http:" && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname));
}
