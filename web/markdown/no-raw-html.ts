/**
 * Stands in for `rehype-raw` in the bundle: no path in the page can turn a model's text into markup, because the parser that
 * could do it is not there. It also saves the page an HTML parser.
 */
export default function keepRawHtmlAsText(): void {
  // A plugin without a transform leaves every tree as it is.
}
