import { deflateRawSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { tryAttach, type UploadResult } from "../support/attachments/attach.ts";
import { toGif, toJpeg, toPdfBomb, toPng, toWebp } from "../support/attachments/files.ts";
import { startInstance } from "../support/instance.ts";

const refusedFor = (answer: UploadResult): string =>
  "message" in answer ? `${answer.status} ${answer.message}` : "taken";

/** An archive that claims to contain a gigabyte. */
const zipBomb = (): Buffer => {
  const packed = deflateRawSync(Buffer.alloc(20_000_000));
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(packed.length, 18);
  header.writeUInt32LE(1_000_000_000, 22);
  return Buffer.concat([header, packed]);
};

const script = "<script>fetch('/api/threads')</script>";
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${script}</svg>`;

describe("malicious files", () => {
  test.each([
    ["an archive that would fill the memory", "report.docx", zipBomb(), /415 .*damaged archive or document/],
    ["a compressed file under a text's name", "notes.txt", gzipSync(Buffer.alloc(9_000_000)), /415 .*compressed/],
    ["a program under a picture's name", "cat.png", Buffer.from("MZ\x90\0\x03\0\0\0"), /415 .*a program/],
    [
      "a picture that claims to be endless",
      "big.png",
      toPng(1, 1, { width: 2 ** 31, height: 2 ** 31 }),
      /413 .*pixels/,
    ],
    ["a picture too wide for models", "wide.gif", toGif(60_000, 1), /413 .*pixels/],
    ["a picture of nothing", "none.jpg", toJpeg(0, 0), /415 .*cannot be read/],
    ["a picture cut short", "cut.webp", toWebp(4, 4).subarray(0, 14), /415 .*cannot be read/],
    ["a picture without a frame", "loop.jpg", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0xff, 0xff]), /415 /],
    ["nothing", "empty.txt", Buffer.alloc(0), /400 .*is empty/],
    ["a PDF that is none", "fake.pdf", Buffer.from("%PDF-1.7 and no more"), /415 .*could not be read|415 .*no text/],
    ["random bytes", "noise.csv", Buffer.from([0, 1, 2, 3, 255, 254, 0, 9]), /415 .*is not text/],
  ])("%s is refused with the reason", async (_, name, bytes, reason) => {
    const { url } = await startInstance();
    expect(refusedFor(await tryAttach(url, { name, bytes }))).toMatch(reason);
  });

  test("rejects a file over the limit, regardless of its declared length", async () => {
    const { url } = await startInstance();
    const huge = Buffer.alloc(20_000_001, "a");
    expect(refusedFor(await tryAttach(url, { name: "huge.txt", bytes: huge }))).toMatch(/^413 /);
    const chunks = (async function* () {
      for (let sent = 0; sent < 30; sent += 1) yield Buffer.alloc(1_000_000, "a");
    })();
    const init: RequestInit & { duplex: "half" } = {
      method: "POST",
      headers: { "content-type": "application/octet-stream" },
      body: ReadableStream.from(chunks),
      duplex: "half",
    };
    const status = await fetch(`${url}/api/attachments?name=endless.txt`, init).then(
      (response) => response.status,
      () => 413,
    );
    expect(status).toBe(413);
  });

  test("rejects a PDF bomb while other requests are answered", async () => {
    const { url, client } = await startInstance();
    const bomb = toPdfBomb(300);
    expect(bomb.length).toBeLessThan(2_000_000);
    const upload = tryAttach(url, { name: "bomb.pdf", bytes: bomb });
    await client.getMe({});
    expect(refusedFor(await upload)).toMatch(/^415 .*needs more memory/);
    expect(refusedFor(await tryAttach(url, { name: "after.txt", bytes: "still here" }))).toBe("taken");
  }, 60_000);

  test.each([
    ["an SVG", "logo.svg", svg],
    ["a page", "page.html", `<!doctype html><p>Words</p>${script}`],
    ["a page that calls itself a picture", "cat.png", `<html><p>Words</p>${script}</html>`],
    ["a script", "run.js", "alert(1)"],
  ])("%s is served as a plain-text download, never with its own type", async (_, name, bytes) => {
    const { url } = await startInstance();
    const answer = await tryAttach(url, { name, bytes });
    if (!("attachment" in answer)) throw new Error(answer.message);
    const response = await fetch(`${url}/api/attachments/${answer.attachment.id}/file`);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(response.headers.get("content-disposition")).toMatch(/^attachment; /);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(await response.text()).toBe(bytes);
  });

  test("an image that is also a script is served only as an image", async () => {
    const { url } = await startInstance();
    const answer = await tryAttach(url, { name: "both.html", bytes: toGif(8, 8, `=1;alert(1)//${script}`) });
    if (!("attachment" in answer)) throw new Error(answer.message);
    expect(answer.attachment).toMatchObject({ kind: "image", mediaType: "image/gif", width: 8, height: 8 });
    const response = await fetch(`${url}/api/attachments/${answer.attachment.id}/file`);
    expect(response.headers.get("content-type")).toBe("image/gif");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")).toContain("sandbox");
  });

  test.each([
    ["../../../etc/passwd", "passwd"],
    ["C:\\Windows\\system32\\evil.txt", "evil.txt"],
    ["photo\u202Egnp.exe", "photognp.exe"],
    ["a\r\nset-cookie: x=1.txt", "aset-cookie: x=1.txt"],
    ["quo\"te's;.txt", "quo\"te's;.txt"],
    ["\u200B\u2066\u0000", "file"],
    ["...", "file"],
    ["стамеска 日本.txt", "стамеска 日本.txt"],
  ])("the name %j is stored as %j and breaks no header", async (given, kept) => {
    const { url } = await startInstance();
    const answer = await tryAttach(url, { name: given, bytes: "words" });
    if (!("attachment" in answer)) throw new Error(answer.message);
    expect(answer.attachment.name).toBe(kept);
    const response = await fetch(`${url}/api/attachments/${answer.attachment.id}/file`);
    expect(response.status).toBe(200);
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(response.headers.get("content-disposition")).toContain(`filename*=UTF-8''`);
  });

  test("accepts only application/octet-stream, which a cross-site form cannot send", async () => {
    const { url } = await startInstance();
    for (const type of ["text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded"]) {
      const init = { method: "POST", headers: { "content-type": type }, body: "words" };
      expect((await fetch(`${url}/api/attachments?name=a.txt`, init)).status).toBe(415);
    }
  });
});
