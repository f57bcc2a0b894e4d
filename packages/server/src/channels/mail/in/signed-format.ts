import type { ParsedMessage } from "./parse-message.ts";

/**
 * [TRUST 3] Returns whether the signature decides how the body is read. Many providers sign the body but not its
 * `Content-Type`. A server that holds the mail could then name a boundary from the quoted text, so that a part of the
 * quote becomes the reply. So a type that is not signed must read the body from its first line, and no header of the
 * format may occur twice.
 */
export function isFormatSigned(
  raw: Buffer,
  { headers }: Pick<ParsedMessage, "headers">,
  signedNames: readonly string[],
): boolean {
  const formats = ["content-type", "content-transfer-encoding"];
  if (formats.some((name) => (headers.get(name)?.length ?? 0) > 1)) return false;
  const [type = "text/plain"] = headers.get("content-type") ?? [];
  if (signedNames.includes("content-type") || /^text\/(plain|html)\s*(;|$)/i.test(type)) return true;
  const boundary = /^multipart\/[a-z]+\s*;(?:.*;)?\s*boundary=(?:"([^"]+)"|([^\s;"]+))\s*(?:;|$)/is.exec(
    type,
  );
  return (
    boundary !== null &&
    type.match(/boundary/gi)?.length === 1 &&
    readFirstLine(raw) === `--${boundary[1] ?? boundary[2]}`
  );
}

/** The line that some clients write above the first part for readers that do not know multipart mails. */
const notice = "This is a multi-part message in MIME format.";

function readFirstLine(raw: Buffer): string | undefined {
  const end = raw.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first] = raw
    .subarray(end + 4, end + 1_000)
    .toString("latin1")
    .split("\r\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && line !== notice);
  return first;
}
