import { constants, deflateRawSync, deflateSync } from "node:zlib";

/** Small PDFs that are expensive to read: decompression bombs, loops, deep nesting, false sizes. */
export type PdfBomb = { readonly name: string; readonly bytes: Buffer };

const MEGABYTE = 1024 * 1024;

/** Objects numbered from 1, with a correct xref table; `trailer` is added to its dictionary. */
function toPdf(objects: readonly (string | Buffer)[], trailer = ""): Buffer {
  const parts: Buffer[] = [Buffer.from("%PDF-1.5\n")];
  let at = parts[0]?.length ?? 0;
  const offsets = objects.map((object, index) => {
    const start = at;
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n")]);
    parts.push(part);
    at += part.length;
    return start;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const head = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  const dictionary = `<< /Size ${objects.length + 1} /Root 1 0 R ${trailer.replaceAll("XREF", String(at))} >>`;
  parts.push(Buffer.from(`${head}trailer\n${dictionary}\nstartxref\n${at}\n%%EOF\n`));
  return Buffer.concat(parts);
}

const stream = (dictionary: string, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`<< ${dictionary} /Length ${body.length} >>\nstream\n`),
    body,
    Buffer.from("\nendstream"),
  ]);

const catalog = "<< /Type /Catalog /Pages 2 0 R >>";
const onePage = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << >> >>";
const withContents = (contents: Buffer): Buffer => toPdf([catalog, onePage, page, contents]);

/** `megabytes` of one text as zlib packs it, made by repeating one block, so that the full size is never in memory. */
function deflateRepeated(text: string, megabytes: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(MEGABYTE, text), { finishFlush: constants.Z_FULL_FLUSH });
  const end = deflateRawSync(Buffer.alloc(0));
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array.from({ length: megabytes }, () => block), end]);
}

export function createPdfBombs(): readonly PdfBomb[] {
  const packed = deflateRepeated("q Q ", 1_500);
  const thrice = deflateSync(deflateSync(packed));
  const nested = "[".repeat(200_000) + "]".repeat(200_000);
  return [
    { name: "a stream of 1.5 GB", bytes: withContents(stream("/Filter /FlateDecode", packed)) },
    {
      name: "1.5 GB behind three filters",
      bytes: withContents(stream("/Filter [/FlateDecode /FlateDecode /FlateDecode]", thrice)),
    },
    {
      name: "1.5 GB behind a filter in letters",
      bytes: withContents(stream("/Filter [/ASCIIHexDecode /FlateDecode]", Buffer.from(`${packed.toString("hex")}>`))),
    },
    {
      name: "a picture of ten thousand million points",
      bytes: toPdf([
        catalog,
        onePage,
        page.replace("<< >>", "<< /XObject << /I 5 0 R >> >>"),
        stream("", Buffer.from("q 100 0 0 100 0 0 cm /I Do Q")),
        stream(
          "/Type /XObject /Subtype /Image /Width 100000 /Height 100000 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode",
          deflateRepeated("\0", 100),
        ),
      ]),
    },
    { name: "a table that leads to itself", bytes: toPdf([catalog, onePage, page], "/Prev XREF") },
    {
      name: "pages that hold each other",
      bytes: toPdf([
        catalog,
        "<< /Type /Pages /Kids [3 0 R 3 0 R] /Count 1000000 >>",
        "<< /Type /Pages /Parent 2 0 R /Kids [2 0 R 2 0 R] /Count 500000 >>",
      ]),
    },
    { name: "lists within lists", bytes: toPdf([catalog, onePage, page, `<< /A ${nested} >>`], `/Info ${nested}`) },
    {
      name: "an object stream that unpacks to 1.5 GB",
      bytes: toPdf([
        "<< /Type /Catalog /Pages 2 0 R >>",
        onePage,
        page,
        stream("/Type /ObjStm /N 100000000 /First 10 /Filter /FlateDecode", packed),
      ]),
    },
  ];
}
