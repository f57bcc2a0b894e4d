import { z } from "zod";

/** Bytes as they travel in JSON: as text where text says every byte, else in base64. */
export const contentOutput = z.object({
  content: z.string(),
  encoding: z.enum(["utf8", "base64"]),
  truncated: z.boolean().describe("there was more, which is not kept"),
});

/** The last character of what was cut may be half there: it goes too, and the rest is still text. */
export function toContentOutput(bytes: Buffer, truncated: boolean): z.infer<typeof contentOutput> {
  const cuts = truncated ? [0, 1, 2, 3] : [0];
  for (const cut of cuts) {
    const text = decodeUtf8(bytes.subarray(0, bytes.length - cut));
    if (text !== undefined) return { content: text, encoding: "utf8", truncated };
  }
  return { content: bytes.toString("base64"), encoding: "base64", truncated };
}

/** Text is UTF-8 without NUL, which neither people nor PostgreSQL take for text. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
