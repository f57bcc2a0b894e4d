import { html } from "../html/html.ts";
import { renderLayout } from "./layout.ts";

/** The data of a page with one message and a link. */
export interface NoticePage {
  readonly reader?: string;
  readonly title: string;
  readonly text: string;
  readonly link?: { readonly href: string; readonly text: string };
}

/** Renders a message about something unexpected, with a link to continue. */
export function renderNoticePage({ reader, title, text, link }: NoticePage): string {
  return renderLayout(
    title,
    reader,
    html`<main class="notice"><h1>${title}</h1><p>${text}</p>${
      link && html`<p><a class="button" href="${link.href}">${link.text}</a></p>`
    }</main>`,
  );
}
