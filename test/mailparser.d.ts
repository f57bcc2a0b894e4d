/** Declares the part that the tests use, because the package has no types. */
declare module "mailparser" {
  export function simpleParser(raw: Buffer): Promise<{
    readonly messageId?: string;
    readonly subject?: string;
    readonly text?: string;
    readonly html?: string | false;
    readonly references?: string | readonly string[];
    readonly headers: ReadonlyMap<string, unknown>;
  }>;
}
