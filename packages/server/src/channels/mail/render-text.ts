import { cutLine, type MailBlock, type MailDocument, type QuotedText } from "./document.ts";

/** Renders a mail as plain text. Each line of foreign text is cut, shown with its hidden characters, and quoted. */
export function renderMailText(mail: MailDocument): string {
  return [
    cutLine(mail.title),
    cutLine(mail.status),
    "",
    ...mail.blocks.flatMap((block) => [...renderBlock(block), ""]),
    `${mail.action.text}:`,
    mail.action.href,
    "",
    "-- ",
    mail.footer,
    `Change which notices you get: ${mail.preferences}`,
    "",
  ].join("\n");
}

function renderBlock(block: MailBlock): readonly string[] {
  switch (block.kind) {
    case "paragraph":
      return [cutLine(block.text)];
    case "facts":
      return block.rows.map(([name, value]) => `${name}: ${cutLine(value)}`);
    case "quote":
      return [`${block.title}:`, ...renderQuote(block.text)];
    case "list":
      return [
        `${block.title}:`,
        ...block.items.flatMap(({ text, note, quote }) => [
          `- ${cutLine(text)}`,
          ...(note === undefined ? [] : [`  ${cutLine(note)}`]),
          ...(quote ? renderQuote(quote) : []),
        ]),
      ];
  }
}

function renderQuote({ lines, left }: QuotedText): readonly string[] {
  return [...lines.map((line) => `> ${line}`), ...(left > 0 ? [`(${formatLeft(left)})`] : [])];
}

/** Says how many lines only the page shows. */
export function formatLeft(left: number): string {
  return `The page shows ${left} more ${left === 1 ? "line" : "lines"}.`;
}
