/** Declares the part that Paraph uses, because the package has no types. */
declare module "mailparser" {
  interface Address {
    readonly address?: string;
    readonly group?: readonly Address[];
  }
  interface AddressHeader {
    readonly value: readonly Address[];
  }
  export function simpleParser(
    raw: Buffer,
    options?: { readonly [name: string]: boolean },
  ): Promise<{
    readonly messageId?: string;
    readonly subject?: string;
    readonly text?: string;
    readonly html?: string | false;
    readonly references?: string | readonly string[];
    readonly from?: AddressHeader;
    readonly replyTo?: AddressHeader;
    readonly inReplyTo?: string;
    readonly to?: AddressHeader | readonly AddressHeader[];
    readonly cc?: AddressHeader | readonly AddressHeader[];
    readonly headers: ReadonlyMap<string, unknown>;
    readonly headerLines: readonly { readonly key: string; readonly line: string }[];
    readonly attachments: readonly { readonly contentType: string; readonly content: Buffer }[];
  }>;
}
