#!/usr/bin/env python3
"""Makes the files in made/ from contents.json with other programs. Tests only read made/ and need none of them.

Needs: LibreOffice (soffice), pandoc, ImageMagick (convert), heif-enc, img2pdf, zip, and Python with openpyxl and python-docx.
Run it in this folder: python3 make_files.py
"""

import csv
import datetime
import email.message
import json
import pathlib
import shutil
import subprocess
import tempfile

import docx
import openpyxl

here = pathlib.Path(__file__).parent
made = here / "made"
contents = json.loads((here / "contents.json").read_text())
work = pathlib.Path(tempfile.mkdtemp())
font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"


def run(*command):
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def office(source, *endings):
    for ending in endings:
        run("soffice", f"-env:UserInstallation=file://{work}/profile", "--headless", "--convert-to", ending, "--outdir", work / "out", source)
        short = ending.split(":")[0]
        shutil.move(work / "out" / f"{source.stem}.{short}", made / f"{source.stem}.lo.{short}")


def to_markdown(blocks):
    lines = []
    for block in blocks:
        if "heading" in block:
            lines.append("#" * block["heading"] + " " + block["text"])
        elif "items" in block:
            lines.append("\n".join(f"- {item}" for item in block["items"]))
        elif "numbered" in block:
            lines.append("\n".join(f"{n}. {item}" for n, item in enumerate(block["numbered"], 1)))
        elif "table" in block:
            rows = ["| " + " | ".join(cell.replace("|", "\\|") or " " for cell in row) + " |" for row in block["table"]]
            rows.insert(1, "|" + " --- |" * len(block["table"][0]))
            lines.append("\n".join(rows))
        else:
            lines.append(block["text"].replace("<", "\\<").replace("*", "\\*"))
    return "\n\n".join(lines) + "\n"


def make_documents():
    for name, blocks in contents["documents"].items():
        source = work / f"{name}.md"
        source.write_text(to_markdown(blocks))
        for ending in ("docx", "odt", "rtf", "epub", "ipynb"):
            target = made / f"{name}.pandoc.{ending}"
            run("pandoc", "-f", "markdown-smart", source, "-s", "--metadata", f"pagetitle={name}", "-o", target)
        shutil.copy(made / f"{name}.pandoc.docx", work / f"{name}.docx")
        office(work / f"{name}.docx", "docx", "odt", "rtf", "pdf")
        document = docx.Document()
        for block in blocks:
            if "heading" in block:
                document.add_heading(block["text"], block["heading"])
            elif "items" in block or "numbered" in block:
                style = "List Bullet" if "items" in block else "List Number"
                for item in block.get("items") or block["numbered"]:
                    document.add_paragraph(item, style)
            elif "table" in block:
                table = document.add_table(0, len(block["table"][0]))
                for row in block["table"]:
                    for cell, text in zip(table.add_row().cells, row):
                        cell.text = text
            else:
                document.add_paragraph(block["text"])
        document.save(made / f"{name}.python.docx")


def rows_of(sheet):
    if isinstance(sheet, dict):
        return [sheet["columns"]] + [[n, n * n, f"word {n}"] for n in range(1, sheet["rows"] + 1)]
    return sheet


def make_workbooks():
    for name, sheets in contents["workbooks"].items():
        book = openpyxl.Workbook()
        book.remove(book.active)
        for title, given in sheets.items():
            sheet = book.create_sheet(title)
            for at, row in enumerate(rows_of(given), 1):
                for column, value in enumerate(row, 1):
                    if value == "" or value is None:
                        continue
                    cell = sheet.cell(at, column)
                    if isinstance(value, dict) and "date" in value:
                        cell.value = datetime.date.fromisoformat(value["date"])
                    elif isinstance(value, dict) and "percent" in value:
                        cell.value, cell.number_format = value["percent"], "0%"
                    elif isinstance(value, dict):
                        cell.value = value["formula"]
                    else:
                        cell.value = value
        book.save(made / f"{name}.python.xlsx")
        shutil.copy(made / f"{name}.python.xlsx", work / f"{name}.xlsx")
        office(work / f"{name}.xlsx", "xlsx", "ods")
    with (made / "sales.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["Order", "Customer", "Amount"], ["A-1", "Møller", "1204.5"], ["A-2", "Ruiz, Ana", "98"]])


def make_decks():
    for name, slides in contents["decks"].items():
        lines = []
        for slide in slides:
            lines.append(f"## {slide['title']}")
            lines.append(to_markdown([{"items": slide["items"]} if "items" in slide else {"table": slide["table"]}]))
            if "notes" in slide:
                lines.append(f"::: notes\n{slide['notes']}\n:::")
        source = work / f"{name}.md"
        source.write_text("\n\n".join(lines))
        run("pandoc", source, "--slide-level=2", "-o", made / f"{name}.pandoc.pptx")
        shutil.copy(made / f"{name}.pandoc.pptx", work / f"{name}.pptx")
        office(work / f"{name}.pptx", "pptx", "odp", "pdf")


def make_mail():
    for name, html in (("plain", False), ("html", True)):
        mail = email.message.EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = "Ana Ruiz <ana@example.org>", "ben@example.org", "Grüße aus Tromsø – 4711"
        mail["Date"] = "Tue, 17 Nov 2026 10:00:00 +0100"
        mail.set_content("<p>The <b>crane</b> costs 15,000 €.</p><ul><li>Old</li><li>Yellow</li></ul>" if html else "The crane costs 15,000 €.\n", subtype="html" if html else "plain")
        if not html:
            mail.add_attachment((made / "recipe.python.docx").read_bytes(), maintype="application", subtype="octet-stream", filename="recipe.docx")
            mail.add_attachment(b"a;b\n1;2\n", maintype="text", subtype="csv", filename="table.csv")
        (made / f"{name}.python.eml").write_bytes(mail.as_bytes())


def make_pictures_and_archives():
    photo = work / "photo.png"
    run("convert", "-size", "320x200", "gradient:navy-orange", photo)
    run("heif-enc", photo, "-o", made / "photo.heic")
    run("convert", photo, "-compress", "lzw", made / "photo.lzw.tiff")
    run("convert", photo, "-compress", "zip", made / "photo.zip.tiff")
    run("convert", photo, "-compress", "jpeg", made / "photo.jpeg.tiff")
    scan = work / "scan.png"
    text = contents["scan"].replace(". ", ".\n")
    run("convert", "-size", "1240x1754", "xc:white", "-font", font, "-pointsize", "42", "-annotate", "+120+200", text, "-monochrome", scan)
    run("convert", scan, "-compress", "group4", made / "scan.fax.tiff")
    run("img2pdf", scan, "-o", made / "scan.img2pdf.pdf")
    run("convert", scan, "-colorspace", "gray", "-rotate", "0.6", "-quality", "60", work / "scan.jpg")
    run("img2pdf", work / "scan.jpg", "-o", made / "scan.rotated.pdf")
    archive = made / "files.zip"
    archive.unlink(missing_ok=True)
    run("zip", "-j", archive, made / "recipe.python.docx", made / "sales.csv", made / "dates.lo.ods", photo)


if __name__ == "__main__":
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    make_documents()
    make_workbooks()
    make_decks()
    make_mail()
    make_pictures_and_archives()
    shutil.rmtree(work)
