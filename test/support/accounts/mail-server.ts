import type { AddressInfo } from "node:net";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { expect, onTestFinished } from "vitest";

export type ReceivedMail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly subject: string;
  readonly text: string;
  readonly raw: string;
};

/** A real SMTP server on loopback. */
export type MailServer = {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** Number of attempts, refused ones included. */
  readonly attempts: () => number;
  /** Refuses mails for now, as a server that is overloaded. */
  readonly refuse: (isRefusing: boolean) => void;
  /** Waits for the nth mail. */
  readonly mail: (count: number) => Promise<ReceivedMail>;
};

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let [attempts, isRefusing] = [0, false];
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ["STARTTLS"], logger: false, disableReverseLookup: true },
    onMailFrom: (_address, _session, done) => {
      attempts += 1;
      done(isRefusing ? Object.assign(new Error("Try later"), { responseCode: 451 }) : undefined);
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks);
        void PostalMime.parse(raw).then(({ headers, subject = "", text = "" }) => {
          const { mailFrom, rcptTo } = session.envelope;
          const from = mailFrom === false ? "" : mailFrom.address;
          const to = rcptTo.map(({ address }) => address);
          mails.push({ from, to, headers, subject, text, raw: raw.toString() });
          done();
        }, done);
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    attempts: () => attempts,
    refuse: (value) => {
      isRefusing = value;
    },
    mail: async (count) => {
      await expect.poll(() => mails.length).toBeGreaterThanOrEqual(count);
      return mails[count - 1] as ReceivedMail;
    },
  };
}

/** The token of the only link in a mail. */
export const linkIn = ({ text }: ReceivedMail): { url: string; path: string; token: string } => {
  const [url = "", path = "", token = ""] = /https?:\/\/[^/\s]+(\/\w+)#([\w-]{43})/.exec(text) ?? [];
  return { url, path, token };
};
