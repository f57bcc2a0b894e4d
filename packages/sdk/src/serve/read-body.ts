import { maxMessageBytes } from "@paraph/core";

/** [TRUST 24] Returns the body as text, or undefined if it is larger than a message may be. */
export async function readBody({ body, headers }: Request): Promise<string | undefined> {
  if (Number(headers.get("content-length") ?? 0) > maxMessageBytes) return undefined;
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxMessageBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
