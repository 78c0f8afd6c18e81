/**
 * The policy of a preview page: it may run and read its own workspace. Its origin is opaque, so it has no cookies or storage and
 * no access to the API; all other network access is blocked.
 */
type Address = {
  /** `/preview/TOKEN/` */
  readonly root: string;
  /** The server as the browser names it: `host:port`, or with a scheme. */
  readonly hosts: readonly string[];
};

/** The flags of the preview's iframe, repeated as a header for pages that are opened directly. */
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
    "frame-ancestors 'self'",
  ].join("; ");
}

/** Policy of pages that are only text. */
export const wordsPolicy =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/**
 * Policy of the wrapper of a preview that is opened in a separate tab. Without it, the page could navigate the whole tab elsewhere and
 * leak data; inside the wrapper it can only navigate to its own address.
 */
export const toOuterPolicy = ({ root, hosts }: Address): string =>
  `default-src 'none'; style-src 'unsafe-inline'; frame-src ${hosts.map((host) => host + root).join(" ")}; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** On every response. Any origin may read it, because the page's origin is opaque; the token protects it. */
export const previewHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
  "x-dns-prefetch-control": "off",
  // In browsers that support it: no connections except to this server, including kinds that the CSP does not cover. WebRTC is
  // blocked here only: no browser knows a CSP directive for it, and an unknown one is a warning in the console at each load.
  "connection-allowlist": "(response-origin);webrtc=block",
  "permissions-policy":
    "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), midi=(), " +
    "display-capture=(), clipboard-read=(), screen-wake-lock=(), publickey-credentials-get=()",
} as const;
