import { createHash } from "node:crypto";
import { CapabilityError } from "@paraph/core";

export const encodings = ["utf8", "base64"] as const;
type Encoding = (typeof encodings)[number];

/** Bytes that are encoded for JSON: as text if the text represents every byte, and otherwise as base64. */
export interface EncodedContent {
  readonly content: string;
  readonly encoding: Encoding;
}

export function encodeContent(bytes: Buffer): EncodedContent {
  const text = decodeUtf8(bytes);
  return text === undefined
    ? { content: bytes.toString("base64"), encoding: "base64" }
    : { content: text, encoding: "utf8" };
}

/**
 * Decodes UTF-8 and keeps a byte order mark. Returns undefined for invalid UTF-8, and for text with a NUL, which
 * PostgreSQL does not accept.
 */
export function decodeUtf8(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function decodeContent({ content, encoding }: EncodedContent, maxBytes: number): Buffer {
  const bytes = Buffer.from(content, encoding);
  // Node silently drops or replaces the parts that it cannot decode. Without this check, the file could differ from the
  // content that the requester sent.
  const whole = encoding === "utf8" ? content.isWellFormed() : bytes.toString("base64") === content;
  if (!whole) {
    throw new CapabilityError(
      "permanent",
      "content-invalid",
      `The content is not valid ${encoding}. Encode it again and resend it.`,
    );
  }
  if (bytes.length > maxBytes) throw tooLargeFault("The content", maxBytes);
  return bytes;
}

export function hashBytes(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function tooLargeFault(what: string, maxBytes: number): CapabilityError {
  return new CapabilityError(
    "permanent",
    "too-large",
    `${what} is larger than the limit of ${maxBytes} bytes. Make it smaller, or raise \`maxBytes\` in the configuration.`,
  );
}
