/**
 * Replaces `rehype-raw` in the bundle: without that parser, nothing in the page can turn a model's text into markup. It also
 * saves an HTML parser.
 */
export default function keepRawHtmlAsText(): void {
  // A plugin without a transform leaves the tree unchanged.
}
