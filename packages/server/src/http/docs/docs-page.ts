import { type Html, html } from "./html.ts";

/** Renders a page of the documentation. It is static and has no scripts and no external resources. */
export function renderDocsPage(title: string, body: Html): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="/docs.css">
</head>
<body>
${body}
</body>
</html>`;
  return page.text;
}
