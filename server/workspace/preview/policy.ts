/**
 * What a page of a workspace may do: run, and read its own workspace. Its origin is opaque, so it has no cookies or storage
 * and nothing of ours answers to it; the network beyond its own address is closed.
 */
export type Address = {
  /** `/preview/TOKEN/` */
  readonly root: string;
  /** As the browser names us: `host:port`, or with a scheme. */
  readonly hosts: readonly string[];
};

/** The flags of the frame that shows it; the header repeats them for whoever opens the address in another way. */
const sandbox = "sandbox allow-scripts allow-forms allow-modals allow-pointer-lock";

export function toPolicy({ root, hosts }: Address): string {
  const own = hosts.map((host) => `${host}${root}`).join(" ");
  return [
    sandbox,
    "default-src 'none'",
    `script-src ${own} 'unsafe-inline'`,
    `style-src ${own} 'unsafe-inline'`,
    `img-src ${own} data: blob:`,
    `font-src ${own} data:`,
    `media-src ${own} data: blob:`,
    `connect-src ${own} data: blob:`,
    `form-action ${own}`,
    "worker-src 'none'",
    "base-uri 'none'",
    "webrtc 'block'",
    "frame-ancestors 'self'",
  ].join("; ");
}

/** Of a page that is only words: nothing in it runs. */
export const wordsPolicy =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/**
 * Of the page around one that is opened by itself. Without it, the page could lead the whole tab elsewhere and take along
 * what it knows; within it, it can be led nowhere but to its own address.
 */
export const toOuterPolicy = ({ root, hosts }: Address): string =>
  `default-src 'none'; style-src 'unsafe-inline'; frame-src ${hosts.map((host) => host + root).join(" ")}; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** On every answer. Any origin may read it, because the page's own is none; whoever asks holds the token. */
export const previewHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
  "x-dns-prefetch-control": "off",
  // Where the browser knows it: no connection at all but to us, also by ways that the policy has no word for.
  "connection-allowlist": "(response-origin);webrtc=block",
  "permissions-policy":
    "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), midi=(), " +
    "display-capture=(), clipboard-read=(), screen-wake-lock=(), publickey-credentials-get=()",
} as const;
