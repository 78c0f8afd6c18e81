type Document = { readonly type: string; readonly charset: string | null; readonly body: Uint8Array };

const MARK_BYTES = 4096;
const marks: readonly (readonly [label: string, bytes: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** Decodes the body by byte order mark, header, or the page's own declaration; otherwise as UTF-8. Never fails. */
export function decodeDocument({ type, charset, body }: Document): string {
  const marked = marks.find(([, bytes]) => bytes.every((byte, index) => body[index] === byte))?.[0];
  const label = marked ?? charset ?? findDeclared(type, body) ?? "utf-8";
  return createDecoder(label).decode(body);
}

function findDeclared(type: string, body: Uint8Array): string | undefined {
  if (!/html|xml/.test(type) && type !== "") return undefined;
  const start = Buffer.from(body.subarray(0, MARK_BYTES)).toString("latin1");
  const label =
    /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w:.-]+)/i.exec(start)?.[1] ??
    /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w:.-]+)/i.exec(start)?.[1];
  // The tag was readable as single bytes, so the page cannot be UTF-16.
  return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label;
}

function createDecoder(label: string) {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder("utf-8");
  }
}
