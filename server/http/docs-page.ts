import { escapeHtml } from "../lib/escape-html.ts";
import type { OpenApi, Operation } from "./openapi.ts";

/** The API documentation as one HTML page without scripts or external resources. */
export function toDocsPage({ info, paths }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toSection(method, path, operation)),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)} API</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(info.title)} API <small>${escapeHtml(info.version)}</small></h1>
<p>${escapeHtml(info.description)}</p>
<p>For programs: <a href="/api/openapi.json">OpenAPI 3.1</a>.</p>
${operations.join("\n")}
</main>
</body>
</html>
`;
}

const style = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1rem; }
h2 { font-size: 1rem; margin: 2rem 0 0; overflow-wrap: anywhere; }
code, pre { font: 0.875rem/1.4 ui-monospace, monospace; }
pre { overflow: auto; padding: 0.75rem; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: 6px; }
small { font-weight: normal; opacity: 0.7; }`;

function toSection(method: string, path: string, operation: Operation): string {
  const { summary, description = "", parameters, requestBody, responses, operationId } = operation;
  const fields = parameters.map(
    ({ name, in: place, required, schema }) =>
      `<li><code>${escapeHtml(name)}</code> <small>in the ${place}${required ? "" : ", optional"}</small> ${toCode(schema)}</li>`,
  );
  const answers = Object.entries(responses).map(([status, response]) => toResponseSection(status, response));
  return `<section id="${escapeHtml(operationId)}">
<h2><code>${method.toUpperCase()} ${escapeHtml(path)}</code></h2>
<p>${escapeHtml(summary)}. ${escapeHtml(description)}</p>
${fields.length ? `<ul>${fields.join("")}</ul>` : ""}
${requestBody ? toFold("Body", requestBody.content) : ""}
${answers.join("")}
</section>`;
}

/** Only the success response has details to expand. Errors are one line each. */
function toResponseSection(status: string, response: object): string {
  const { description, content } = response as { description: string; content?: object };
  if (Number(status) < 300 && content) return toFold(`Response ${status}`, content);
  return `<small><code>${status}</code> ${escapeHtml(description)} </small>`;
}

const toFold = (title: string, value: object): string =>
  `<details><summary>${escapeHtml(title)}</summary><pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre></details>`;

const toCode = (value: object): string => `<code>${escapeHtml(JSON.stringify(value))}</code>`;
