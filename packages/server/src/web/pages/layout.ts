import { sha256Hex } from "@paraph/core";
import { appLinks } from "../app/manifest.ts";
import { type Html, html, renderForeign } from "../html/html.ts";
import { pagesStylesheet } from "../html/stylesheet.ts";

/**
 * The address of the stylesheet. It contains a digest of the text, so that browsers can cache each version without
 * limit.
 */
export const stylesheetPath = `/pages.css?${sha256Hex(pagesStylesheet).slice(0, 12)}`;

/** Renders the frame of every page, without external resources. `script` is the path of the page's script, if it has one. */
export function renderLayout(title: string, reader: string | undefined, body: Html, script?: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Paraph</title>
<link rel="stylesheet" href="${stylesheetPath}">
${appLinks}${
  script !== undefined &&
  html`
<script src="${script}" defer></script>`
}
</head>
<body>
<header class="top"><a class="brand" href="/approvals">Paraph</a>${
    reader !== undefined &&
    html`<nav><a href="/approvals">Approvals</a> <a href="/login" aria-label="Account of ${reader}">${renderForeign(reader)}</a></nav>`
  }</header>
${body}
</body>
</html>`.text;
}
