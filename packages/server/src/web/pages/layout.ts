import { sha256Hex } from "@paraph/core";
import { appLinks } from "../app/manifest.ts";
import { type Html, html, renderForeign } from "../html/html.ts";
import { pagesStylesheet } from "../html/stylesheet.ts";

/**
 * The address of the stylesheet. It contains a digest of the text, so that browsers can cache each version without
 * limit.
 */
export const stylesheetPath = `/pages.css?${sha256Hex(pagesStylesheet).slice(0, 12)}`;

/** The logo, as in the console. */
const logo = html`<svg viewBox="0 0 26 22" width="26" height="22" fill="none" stroke="currentColor" stroke-width="2.1" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M4 18 C7 11, 11 3, 15 3 C19 3, 17 9, 12 11 C9 12, 7 11, 7 10"/><path d="M2 19 C9 15, 15 14, 16 16 C17 18, 12 20, 14 19 C17 18, 20 15, 24 16"/></svg>`;

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
<header class="top"><a class="brand" href="/approvals">${logo}Paraph</a>${
    reader !== undefined &&
    html`<nav><a href="/approvals">Approvals</a> <a href="/login" aria-label="Account of ${reader}">${renderForeign(reader)}</a></nav>`
  }</header>
${body}
</body>
</html>`.text;
}
