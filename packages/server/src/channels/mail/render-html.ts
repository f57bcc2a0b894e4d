import { type Html, html, markInvisible, renderForeign } from "../../web/html/html.ts";
import { disarmLinks, explainDisarmed } from "./disarm-links.ts";
import type { MailBlock, MailDocument, QuotedText } from "./document.ts";
import { formatLeft, showLine } from "./render-text.ts";

const sans = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;";
const mono = "font-family:ui-monospace,Menlo,Consolas,monospace;";
const tones = { waiting: "#8a5a00", bad: "#b3261e", still: "#4a5560" } as const;

/**
 * Renders a mail as HTML with tables and inline styles, without images, scripts or external resources. The style sheet
 * only adds dark colours, so the mail is complete in clients that remove it.
 */
export function renderMailHtml(mail: MailDocument): string {
  const { title, status, tone, blocks, action, footer, preferences } = mail;
  const body = html`<p class="${tone}" style="margin:0 0 4px;font-size:13px;font-weight:600;color:${tones[tone]};">${renderForeign(showLine(status))}</p>
<h1 style="margin:0 0 12px;font-size:20px;line-height:1.3;">${renderForeign(showLine(title))}</h1>
${blocks.map(renderBlock)}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<meta name="supported-color-schemes" content="light dark">
<title>${showLine(title)}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #14181d !important; }
  .card { background: #1d232a !important; border-color: #333c46 !important; }
  .text { color: #e8ebee !important; }
  .quiet { color: #a5afb9 !important; }
  .code { background: #14181d !important; color: #e8ebee !important; border-color: #333c46 !important; }
  .waiting { color: #f0b84d !important; } .bad { color: #ff8a80 !important; } .still { color: #a5afb9 !important; }
  .add { color: #7ddc9a !important; } .del { color: #ff9c94 !important; }
  .button { background: #4c8dff !important; color: #0b1220 !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f2f4f6;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="page" style="background:#f2f4f6;"><tr><td align="center" style="padding:16px 8px;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="card" style="max-width:600px;background:#ffffff;border:1px solid #d8dde2;border-radius:8px;">
<tr><td class="text" style="${sans}padding:20px;font-size:15px;line-height:1.5;color:#1b2127;text-align:left;word-break:break-word;overflow-wrap:anywhere;">
${body}
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:20px 0 4px;"><tr><td class="button" style="background:#1a5fd0;border-radius:6px;">
<a class="button" href="${action.href}" style="${sans}display:inline-block;padding:11px 20px;font-size:15px;font-weight:600;color:#ffffff;text-decoration:none;border-radius:6px;">${action.text}</a></td></tr></table>
</td></tr></table>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;"><tr><td class="quiet" style="${sans}padding:12px 20px;font-size:12px;line-height:1.5;color:#5b6670;text-align:left;">
${explainDisarmed(body.text)}${footer} <a class="quiet" href="${preferences}" style="color:#5b6670;">Change which notices you get</a>.</td></tr></table>
</td></tr></table>
</body>
</html>`.text;
}

function renderBlock(block: MailBlock): Html {
  switch (block.kind) {
    case "paragraph":
      return html`<p style="margin:0 0 12px;">${renderForeign(showLine(block.text))}</p>`;
    case "facts":
      return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 12px;">${block.rows.map(
        ([name, value]) =>
          html`<tr><td class="quiet" style="${sans}padding:2px 16px 2px 0;font-size:13px;color:#5b6670;vertical-align:top;white-space:nowrap;">${name}</td><td class="text" style="${sans}padding:2px 0;font-size:13px;color:#1b2127;">${renderForeign(showLine(value))}</td></tr>`,
      )}</table>`;
    case "quote":
      return html`${renderHeading(block.title)}${renderQuote(block.text)}`;
    case "list":
      return html`${renderHeading(block.title)}${block.items.map(
        ({ text, note, quote }) =>
          html`<p style="margin:0 0 8px;">${renderForeign(showLine(text))}${note !== undefined && html`<br><span class="quiet" style="font-size:13px;color:#5b6670;">${renderForeign(showLine(note))}</span>`}</p>${quote && renderQuote(quote)}`,
      )}`;
  }
}

function renderHeading(title: string): Html {
  return html`<h2 class="quiet" style="margin:16px 0 6px;font-size:13px;font-weight:600;color:#5b6670;">${title}</h2>`;
}

/** Renders foreign text in a box of its own. Added and removed lines of a diff have their colours. */
function renderQuote({ lines, left }: QuotedText): Html {
  const rows = lines.map((line) => {
    const kind = /^\+(?!\+\+ )/.test(line) ? "add" : /^-(?!-- )/.test(line) ? "del" : "code";
    const colour = kind === "add" ? "#0b6b2d" : kind === "del" ? "#a11b14" : "#1b2127";
    return html`<span class="${kind}" style="color:${colour};">${markInvisible(disarmLinks(line))}</span>\n`;
  });
  return html`<div class="code" style="${mono}margin:0 0 12px;padding:8px 10px;font-size:12px;line-height:1.45;white-space:pre-wrap;word-break:break-word;background:#f6f8fa;border:1px solid #e3e7eb;border-radius:6px;color:#1b2127;">${rows}</div>${left > 0 && html`<p class="quiet" style="margin:-6px 0 12px;font-size:12px;color:#5b6670;">${formatLeft(left)}</p>`}`;
}
