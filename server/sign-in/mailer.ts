import type { createTransport } from "nodemailer";
import type { Config } from "../config/config.ts";

export type Mail = { readonly to: string; readonly subject: string; readonly text: string };

/** Sends one mail, or throws an error without its content. */
export type SendMail = (mail: Mail) => Promise<void>;

const CONNECT_MS = 10_000;
const SOCKET_MS = 30_000;

/** Mail by the operator's SMTP server. A password is sent only over TLS, except to this machine. */
export function createMailer({ smtpUrl, from }: NonNullable<Config["signIn"]["mail"]>): SendMail {
  const url = new URL(smtpUrl);
  const secure = url.protocol === "smtps:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isLocal = /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host);
  const user = decodeURIComponent(url.username);
  const options = {
    ...{ host, secure, port: url.port === "" ? (secure ? 465 : 587) : Number(url.port) },
    ...(user === "" ? {} : { auth: { user, pass: decodeURIComponent(url.password) } }),
    requireTLS: !secure && user !== "" && !isLocal,
    ...{ connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, socketTimeout: SOCKET_MS },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  };
  // Loaded with the first mail, because most servers send none.
  let opening: Promise<ReturnType<typeof createTransport>> | undefined;
  const open = async () => {
    const nodemailer = await import("nodemailer");
    return nodemailer.createTransport(options);
  };
  return async ({ to, subject, text }) => {
    const transport = await (opening ??= open());
    try {
      await transport.sendMail({
        from,
        to: { name: "", address: to },
        subject,
        text,
        textEncoding: "quoted-printable",
      });
    } catch (error) {
      const { code = "unknown", responseCode } = error as { code?: string; responseCode?: number };
      throw new Error(
        `The mail server did not accept a mail (${code}${responseCode === undefined ? "" : ` ${responseCode}`}).`,
      );
    }
  };
}
