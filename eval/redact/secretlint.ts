/** The recommended preset of secretlint as a redactor: what its rules report is cut out. */
export type Secretlint = { readonly mask: (text: string) => Promise<string> };

export async function createSecretlint(): Promise<Secretlint> {
  const { lintSource } = await import("@secretlint/core");
  const { creator } = await import("@secretlint/secretlint-rule-preset-recommend");
  const config = { rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator }] };
  return {
    mask: async (text) => {
      const { messages } = await lintSource({
        source: { filePath: "/sample.txt", content: text, contentType: "text" },
        options: { noPhysicFilePath: true, config },
      });
      const spans = messages
        .filter(({ type }) => type === "message")
        .map(({ range }) => range)
        .toSorted(([a], [b]) => b - a);
      return spans.reduce((left, [start, end]) => left.slice(0, start) + left.slice(end), text);
    },
  };
}
