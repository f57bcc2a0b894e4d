import { disarmLinks, explainDisarmed } from "./disarm-links.ts";
import type { MailBlock, MailDocument, QuotedText } from "./document.ts";
import { cutLine } from "./quoted-text.ts";

/**
 * Renders a mail as plain text. Each line of foreign text is cut, shown with its hidden characters and without addresses
 * that would become links, and quoted.
 */
export function renderMailText(mail: MailDocument): string {
  const body = [
    showLine(mail.title),
    showLine(mail.status),
    "",
    ...mail.blocks.flatMap((block) => [...renderBlock(block), ""]),
  ];
  return [
    ...body,
    `${mail.action.text}:`,
    mail.action.href,
    "",
    "-- ",
    `${explainDisarmed(body.join("\n"))}${mail.footer}`,
    `Change which notices you get: ${mail.preferences}`,
    "",
  ].join("\n");
}

/** Shows one line of a text that may be foreign. */
export function showLine(text: string): string {
  return disarmLinks(cutLine(text));
}

function renderBlock(block: MailBlock): readonly string[] {
  switch (block.kind) {
    case "paragraph":
      return [showLine(block.text)];
    case "facts":
      return block.rows.map(([name, value]) => `${name}: ${showLine(value)}`);
    case "quote":
      return [`${block.title}:`, ...renderQuote(block.text)];
    case "list":
      return [
        `${block.title}:`,
        ...block.items.flatMap(({ text, note, quote }) => [
          `- ${showLine(text)}`,
          ...(note === undefined ? [] : [`  ${showLine(note)}`]),
          ...(quote ? renderQuote(quote) : []),
        ]),
      ];
  }
}

function renderQuote({ lines, left }: QuotedText): readonly string[] {
  return [...lines.map((line) => `> ${disarmLinks(line)}`), ...(left > 0 ? [`(${formatLeft(left)})`] : [])];
}

/** Says how many lines only the page shows. */
export function formatLeft(left: number): string {
  return `The page shows ${left} more ${left === 1 ? "line" : "lines"}.`;
}
