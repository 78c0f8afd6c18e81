import { describe, expect, test } from "vitest";
import { readPdf } from "./read-pdf.ts";

/** A PDF with one page per list of lines and a correct xref table. */
function makePdf(pages: readonly (readonly string[])[], title: string): Uint8Array {
  const kids = pages.map((_, page) => `${4 + page * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((lines, page) => {
      const shown = lines.map((line, at) => `1 0 0 1 72 ${720 - at * 14} Tm (${line}) Tj`);
      const stream = `BT /F1 12 Tf ${shown.join(" ")} ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + page * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
    `<< /Title (${title}) /Author (Ann Lee) /CreationDate (D:20250305101112Z) >>`,
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info ${objects.length} 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return new TextEncoder().encode(`${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`);
}

describe("readPdf", () => {
  test("reads pages, paragraphs, hyphenated words and metadata", async () => {
    const body = makePdf([["The wheel tur-", "ned all night.", "", "", "It stopped."], ["On page two."]], "The mill");
    expect(await readPdf(body)).toEqual({
      title: "The mill",
      author: "Ann Lee",
      date: "2025-03-05",
      canonicalUrl: null,
      lang: null,
      markdown: "The wheel turned all night.\n\nIt stopped.\n\nOn page two.",
      needsJavaScript: false,
      kind: "pdf",
    });
  });

  test("rejects data that is not a PDF", async () => {
    await expect(readPdf(new TextEncoder().encode("%PDF-1.4 nothing"))).rejects.toThrow();
  });
});
