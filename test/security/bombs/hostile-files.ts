import { crc32, deflateRawSync } from "node:zlib";

/** `create` is called when the file is sent, because some take a while to compress. */
export type HostileFile = { readonly name: string; readonly about: string; readonly create: () => Buffer };
type Entry = {
  readonly name: string;
  readonly bytes: Buffer | string;
  /** Sizes in the headers, if they should be wrong. */
  readonly claims?: { readonly packed?: number; readonly whole?: number };
  readonly flags?: number;
  readonly method?: number;
};

/** A ZIP archive, byte by byte, so that it can lie. */
export function toZip(entries: readonly Entry[], counted = entries.length): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, claims, flags = 0x800, method = 8 } of entries) {
    const whole = Buffer.from(bytes);
    const packed = method === 8 ? deflateRawSync(whole, { level: 1 }) : whole;
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(flags, 2);
    head.writeUInt16LE(method, 4);
    head.writeUInt32LE(crc32(whole), 10);
    head.writeUInt32LE(claims?.packed ?? packed.length, 14);
    head.writeUInt32LE(claims?.whole ?? whole.length, 18);
    head.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), head, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), head, rest, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const size = directory.reduce((sum, one) => sum + one.length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(counted & 0xffff, 4);
  end.writeUInt16LE(counted & 0xffff, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, ...directory, Buffer.from("PK\x05\x06", "latin1"), end]);
}

const relations = (target: string, type = "officeDocument"): string =>
  `<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`;
const office = (main: string, bytes: Buffer | string, more: readonly Entry[] = []): Buffer =>
  toZip([
    { name: "[Content_Types].xml", bytes: "<Types/>" },
    { name: "_rels/.rels", bytes: relations(main) },
    { name: main, bytes },
    ...more,
  ]);
export const docx = (xml: string | Buffer, more?: readonly Entry[]): Buffer => office("word/document.xml", xml, more);
const xlsx = (sheet: string | Buffer, more: readonly Entry[] = []): Buffer =>
  office("xl/workbook.xml", '<workbook><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>', [
    { name: "xl/_rels/workbook.xml.rels", bytes: relations("worksheets/sheet1.xml", "worksheet") },
    { name: "xl/worksheets/sheet1.xml", bytes: sheet },
    ...more,
  ]);
const odf = (kind: string, xml: string | Buffer, more: readonly Entry[] = []): Buffer =>
  toZip([
    { name: "mimetype", bytes: `application/vnd.oasis.opendocument.${kind}`, method: 0 },
    { name: "content.xml", bytes: xml },
    ...more,
  ]);
const repeat = (text: string, megabytes: number): Buffer => Buffer.alloc(megabytes * 1_000_000, text);

const entities = `<!DOCTYPE d [<!ENTITY a "${"lol".repeat(100)}">${Array.from({ length: 20 }, (_, n) => `<!ENTITY a${n} "${`&a${n === 0 ? "" : n - 1};`.repeat(10)}">`).join("")}]>`;
const external = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>';

const heic = (width: number, height: number): Buffer => {
  const box = (type: string, ...content: Buffer[]): Buffer => {
    const body = Buffer.concat(content);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(body.length + 8);
    head.write(type, 4, "latin1");
    return Buffer.concat([head, body]);
  };
  const size = Buffer.alloc(12);
  size.writeUInt32BE(width, 4);
  size.writeUInt32BE(height, 8);
  return Buffer.concat([
    box("ftyp", Buffer.from("heic\0\0\0\0mif1heic", "latin1")),
    box("meta", Buffer.alloc(4), box("iprp", box("ipco", box("ispe", size)))),
  ]);
};
const tiff = (width: number, height: number, loop = false): Buffer => {
  const tags = [
    [256, 4, 1, width],
    [257, 4, 1, height],
    [258, 3, 1, 8],
    [259, 3, 1, 1],
    [262, 3, 1, 1],
    [273, 4, 1, 8],
    [277, 3, 1, 1],
    [278, 4, 1, height],
    [279, 4, 1, width * height > 0xffff_ffff ? 0xffff_ffff : width * height],
  ];
  const bytes = Buffer.alloc(8 + 2 + tags.length * 12 + 4);
  bytes.write("II*\0", 0, "latin1");
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(tags.length, 8);
  for (const [index, [tag = 0, type = 0, count = 0, value = 0]] of tags.entries()) {
    bytes.writeUInt16LE(tag, 10 + index * 12);
    bytes.writeUInt16LE(type, 12 + index * 12);
    bytes.writeUInt32LE(count, 14 + index * 12);
    bytes.writeUInt32LE(value, 18 + index * 12);
  }
  if (loop) bytes.writeUInt32LE(8, bytes.length - 4);
  return bytes;
};

/** Files that try to use too much memory or time, to reach other files, or to be taken for something else. */
export function createHostileFiles(): readonly HostileFile[] {
  const nested = (depth: number): Buffer =>
    depth === 0
      ? toZip([{ name: "bomb.txt", bytes: repeat("a", 10) }])
      : toZip(Array.from({ length: 3 }, (_, n) => ({ name: `inner-${n}.zip`, bytes: nested(depth - 1) })));
  const small = docx("<w:document><w:body><w:p><w:r><w:t>Words</w:t></w:r></w:p></w:body></w:document>");
  const list: readonly (readonly [string, string, () => Buffer])[] = [
    [
      "bomb.zip",
      "an archive that unpacks to 400 MB",
      () => toZip(Array.from({ length: 20 }, (_, n) => ({ name: `${n}.txt`, bytes: repeat("a", 20) }))),
    ],
    ["one.zip", "a file of 100 MB in an archive", () => toZip([{ name: "a.txt", bytes: repeat("a", 100) }])],
    ["nested.zip", "archives in archives", () => nested(4)],
    [
      "self.zip",
      "many archives of the same bomb",
      () => toZip(Array.from({ length: 50 }, (_, n) => ({ name: `${n}.docx`, bytes: docx(repeat("<w:p/>", 5)) }))),
    ],
    [
      "many.zip",
      "an archive of 60,000 files",
      () => toZip(Array.from({ length: 60_000 }, (_, n) => ({ name: `${n}`, bytes: "", method: 0 }))),
    ],
    ["empty.zip", "an archive without files", () => toZip([])],
    [
      "lying-small.zip",
      "a size that is too small",
      () => toZip([{ name: "a.txt", bytes: repeat("a", 1), claims: { whole: 10 } }]),
    ],
    [
      "lying-large.zip",
      "a size that is too large",
      () => toZip([{ name: "a.txt", bytes: "abc", claims: { whole: 4_000_000_000 } }]),
    ],
    [
      "lying-packed.zip",
      "a packed size beyond the end",
      () => toZip([{ name: "a.txt", bytes: "abc", claims: { packed: 3_000_000_000 } }]),
    ],
    ["lying-count.zip", "a wrong number of files", () => toZip([{ name: "a.txt", bytes: "abc" }], 60_000)],
    ["encrypted.zip", "an archive with a password", () => toZip([{ name: "a.txt", bytes: "abc", flags: 0x801 }])],
    ["method.zip", "an unknown compression", () => toZip([{ name: "a.txt", bytes: "abc", method: 99 }])],
    [
      "traversal.zip",
      "a name that leads out of the archive",
      () => toZip([{ name: "../../etc/passwd", bytes: "root" }]),
    ],
    ["absolute.zip", "an absolute name", () => toZip([{ name: "/etc/passwd", bytes: "root" }])],
    [
      "nul.zip",
      "a name with control characters",
      () => toZip([{ name: "a\0b\r\n.txt", bytes: Buffer.from([0, 1, 2, 255]) }]),
    ],
    ["truncated.zip", "half an archive", () => small.subarray(0, small.length >> 1)],
    ["truncated.docx", "a document without its end", () => small.subarray(0, small.length - 10)],
    [
      "garbage.docx",
      "an archive's signature before noise",
      () => Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), Buffer.alloc(19_000_000)]),
    ],
    ["bomb.docx", "a document of 260 MB of tags", () => docx(repeat("<w:p><w:r/></w:p>", 260))],
    [
      "words.docx",
      "a paragraph of 100 MB",
      () => docx(Buffer.concat([Buffer.from("<w:document><w:p><w:t>"), repeat("aaaa ", 100)])),
    ],
    ["deep.docx", "a million nested elements", () => docx("<w:p>".repeat(1_000_000))],
    ["deep-tables.docx", "100,000 tables in tables", () => docx("<w:tbl><w:tr><w:tc>".repeat(100_000))],
    [
      "entities.docx",
      "entities that grow a billion times",
      () => docx(`${entities}<w:document><w:p><w:t>&a19;</w:t></w:p></w:document>`),
    ],
    [
      "external.docx",
      "an entity that reads a file of the server",
      () => docx(`${external}<w:document><w:p><w:t>&x;</w:t></w:p></w:document>`),
    ],
    [
      "spans.docx",
      "a cell across two billion columns",
      () =>
        docx(
          `<w:document>${'<w:tbl><w:tr><w:tc><w:gridSpan w:val="2000000000"/></w:tc></w:tr></w:tbl>'.repeat(1000)}</w:document>`,
        ),
    ],
    [
      "attribute.docx",
      "an attribute of 100 MB",
      () => docx(Buffer.concat([Buffer.from('<w:p a="'), repeat("a", 100)])),
    ],
    ["loop.docx", "a document that is its own main part", () => office("_rels/.rels", "<a/>")],
    [
      "styles.docx",
      "styles that are based on each other",
      () =>
        docx("<w:document/>", [
          { name: "word/_rels/document.xml.rels", bytes: relations("styles.xml", "styles") },
          {
            name: "word/styles.xml",
            bytes:
              '<w:styles><w:style w:styleId="a"><w:basedOn w:val="b"/></w:style><w:style w:styleId="b"><w:basedOn w:val="a"/></w:style></w:styles>',
          },
        ]),
    ],
    ["rows.xlsx", "a sheet of 100 MB of rows", () => xlsx(repeat('<row r="1"><c r="A1"><v>1</v></c></row>', 100))],
    ["blank.xlsx", "140 MB of empty cells", () => xlsx(repeat('<row><c r="XFD1"/></row>', 140))],
    [
      "formula.xlsx",
      "a formula of 100 MB",
      () => xlsx(Buffer.concat([Buffer.from('<row><c r="A1"><f>'), repeat("A1+", 100)])),
    ],
    [
      "strings.xlsx",
      "100 MB of shared strings",
      () =>
        xlsx("<row/>", [
          { name: "xl/_rels/workbook.xml.rels", bytes: relations("sharedStrings.xml", "sharedStrings") },
          { name: "xl/sharedStrings.xml", bytes: repeat("<si><t>abc</t></si>", 100) },
        ]),
    ],
    [
      "repeated.ods",
      "empty cells, a billion times a billion",
      () =>
        odf(
          "spreadsheet",
          `<a>${'<table:table><table:table-row table:number-rows-repeated="1000000000"><table:table-cell table:number-columns-repeated="1000000000"/></table:table-row></table:table>'.repeat(100)}</a>`,
        ),
    ],
    [
      "spaces.odt",
      "billions of spaces",
      () => odf("text", `<a>${'<text:p><text:s text:c="1000000000"/></text:p>'.repeat(10_000)}</a>`),
    ],
    ["deep.odt", "a million nested lists", () => odf("text", "<text:list>".repeat(1_000_000))],
    [
      "encrypted.odt",
      "a document with a password",
      () =>
        odf("text", Buffer.from([1, 2, 3]), [{ name: "META-INF/manifest.xml", bytes: "<manifest:encryption-data/>" }]),
    ],
    [
      "slides.pptx",
      "100,000 slides that are one",
      () =>
        office("ppt/presentation.xml", `<p>${'<p:sldId id="1" r:id="r1"/>'.repeat(100_000)}</p>`, [
          { name: "ppt/_rels/presentation.xml.rels", bytes: relations("slides/slide1.xml", "slide") },
          { name: "ppt/slides/slide1.xml", bytes: "<p:sld>".concat("<a:p><a:t> </a:t></a:p>".repeat(1000)) },
        ]),
    ],
    [
      "bomb.epub",
      "a book of 300 MB",
      () =>
        toZip([
          { name: "mimetype", bytes: "application/epub+zip", method: 0 },
          { name: "META-INF/container.xml", bytes: '<rootfile full-path="b.opf"/>' },
          {
            name: "b.opf",
            bytes: `<package><item id="a" href="a.xhtml"/>${'<itemref idref="a"/>'.repeat(1000)}</package>`,
          },
          { name: "a.xhtml", bytes: repeat("<b> </b>", 15) },
        ]),
    ],
    [
      "deep.epub",
      "a chapter of a million nested elements",
      () =>
        toZip([
          { name: "mimetype", bytes: "application/epub+zip", method: 0 },
          { name: "META-INF/container.xml", bytes: '<rootfile full-path="b.opf"/>' },
          { name: "b.opf", bytes: '<package><item id="a" href="a.xhtml"/><itemref idref="a"/></package>' },
          { name: "a.xhtml", bytes: "<div>".repeat(1_000_000) },
        ]),
    ],
    ["deep.rtf", "a million nested groups", () => Buffer.from(`{\\rtf1${"{".repeat(1_000_000)}`)],
    ["bin.rtf", "binary data without end", () => Buffer.from(`{\\rtf1 \\bin2000000000 ${"a".repeat(1000)}`)],
    [
      "mail.eml",
      "a mail of nested parts",
      () =>
        Buffer.from(
          `MIME-Version: 1.0\r\n${Array.from({ length: 20_000 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`).join("")}`,
        ),
    ],
    ["headers.eml", "a mail with a header of 15 MB", () => Buffer.from(`Subject: ${"a ".repeat(7_500_000)}\r\n\r\n `)],
    ["deep.ipynb", "a notebook of nested lists", () => Buffer.from(`{"cells":${"[".repeat(5_000_000)}`)],
    ["huge.heic", "a photo that claims 4 billion pixels", () => heic(65_535, 65_535)],
    ["noise.heic", "a photo of noise", () => Buffer.concat([heic(100, 100), repeat("\x93\x01\xff", 4)])],
    ["huge.tiff", "a scan that claims 10 billion pixels", () => tiff(100_000, 100_000)],
    ["loop.tiff", "a scan whose pages form a loop", () => tiff(10, 10, true)],
    ["wrong.docx", "a program under a document's name", () => Buffer.from("MZ\x90\0\x03\0\0\0", "latin1")],
    [
      "wrong.heic",
      "a page under a photo's name",
      () => Buffer.from("\0\0\0\x18ftypheic<html><script>alert(1)</script>", "latin1"),
    ],
    [
      "old.doc",
      "an old Office document",
      () => Buffer.concat([Buffer.from("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "latin1"), Buffer.alloc(5000)]),
    ],
    [
      "locked.xlsx",
      "an encrypted workbook",
      () =>
        Buffer.concat([
          Buffer.from("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "latin1"),
          Buffer.from("EncryptedPackage", "utf16le"),
          Buffer.alloc(5000),
        ]),
    ],
  ];
  return list.map(([name, about, create]) => ({ name, about, create }));
}
