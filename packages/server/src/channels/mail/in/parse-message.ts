/// <reference path="./mailparser.d.ts" />
import { simpleParser } from "mailparser";

/** The parts of a mail that Paraph reads. */
export interface ParsedMessage {
  /** The values of each header, by its name in lower case, unfolded and in their order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** The addresses of each header that holds addresses. */
  readonly addresses: { readonly [Name in "from" | "to" | "cc"]: readonly string[] };
  readonly messageId?: string;
  readonly subject: string;
  /** The text of the mail, without attachments. Undefined if there is only HTML, or nothing. */
  readonly text?: string;
  readonly html?: string;
  /** The content types of the attachments. */
  readonly attachments: readonly string[];
}

/** Parses a mail. Returns undefined if it cannot be parsed. */
export async function parseMessage(raw: Buffer): Promise<ParsedMessage | undefined> {
  try {
    const mail = await simpleParser(raw, {
      skipHtmlToText: true,
      skipTextToHtml: true,
      skipImageLinks: true,
      skipTextLinks: true,
      keepCidLinks: true,
    });
    const headers = new Map<string, string[]>();
    for (const { key, line } of mail.headerLines) {
      const value = line
        .slice(line.indexOf(":") + 1)
        .replaceAll(/\r?\n(?=[ \t])/g, "")
        .trim();
      headers.set(key, [...(headers.get(key) ?? []), value]);
    }
    return {
      headers,
      addresses: { from: listAddresses(mail.from), to: listAddresses(mail.to), cc: listAddresses(mail.cc) },
      ...(mail.messageId !== undefined && { messageId: mail.messageId }),
      subject: mail.subject ?? "",
      ...(mail.text !== undefined && { text: mail.text }),
      ...(typeof mail.html === "string" && { html: mail.html }),
      attachments: mail.attachments.map(({ contentType }) => contentType.toLowerCase()),
    };
  } catch {
    return undefined;
  }
}

type AddressList = NonNullable<Awaited<ReturnType<typeof simpleParser>>["to"]>;

function listAddresses(list: AddressList | undefined): readonly string[] {
  return [list ?? []]
    .flat()
    .flatMap(({ value }) => value)
    .flatMap(({ address, group }) => (group ? group.map((one) => one.address ?? "") : (address ?? "")))
    .filter((address) => address !== "");
}
