import { z } from "zod";

/** The schema of bytes in JSON. The content is text if the text represents every byte, and base64 otherwise. */
export const contentOutput = z.object({
  content: z.string(),
  encoding: z.enum(["utf8", "base64"]),
  truncated: z.boolean().describe("whether the content was cut at the size limit"),
});

/** Encodes bytes. If they were cut inside a character, it drops that character, so that the rest is still text. */
export function toContentOutput(bytes: Buffer, truncated: boolean): z.infer<typeof contentOutput> {
  const cuts = truncated ? [0, 1, 2, 3] : [0];
  for (const cut of cuts) {
    const text = decodeUtf8(bytes.subarray(0, bytes.length - cut));
    if (text !== undefined) return { content: text, encoding: "utf8", truncated };
  }
  return { content: bytes.toString("base64"), encoding: "base64", truncated };
}

/**
 * Decodes UTF-8. Returns undefined if the bytes are not UTF-8 or contain a NUL, because neither people nor PostgreSQL
 * treat a NUL as text.
 */
export function decodeUtf8(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
