import { sha256Hex } from "@paraph/core";
import { type Html, html, renderForeign } from "../html/html.ts";
import { pagesStylesheet } from "../html/stylesheet.ts";

/**
 * The address of the stylesheet. It contains a digest of the text, so that browsers can cache each version without
 * limit.
 */
export const stylesheetPath = `/pages.css?${sha256Hex(pagesStylesheet).slice(0, 12)}`;

/** Renders the frame of every page, without scripts or external resources. */
export function renderLayout(title: string, reader: string | undefined, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Paraph</title>
<link rel="stylesheet" href="${stylesheetPath}">
</head>
<body>
<header class="top"><a class="brand" href="/approvals">Paraph</a>${
    reader !== undefined && html`<span class="quiet">${renderForeign(reader)}</span>`
  }</header>
${body}
</body>
</html>`.text;
}
