/** The maximum size of a response. Discovery documents and key sets have only a few kilobytes. */
const maxBytes = 1024 * 1024;

/**
 * [TRUST 29] Fetches an issuer's response and reads its body up to a limit. Without the limit, a library that reads the
 * body later would buffer any amount that the issuer sends. The caller's signal can abort the request and the read.
 */
export async function boundedFetch(
  url: string,
  options: { readonly signal?: AbortSignal | undefined },
): Promise<Response> {
  const response = await fetch(url, options as RequestInit);
  const { status, statusText, headers } = response;
  if (!response.body) return new Response(null, { status, statusText, headers });
  const chunks: Uint8Array[] = [];
  let length = 0;
  // An error thrown in this loop cancels the body and closes the connection.
  for await (const chunk of response.body) {
    length += chunk.byteLength;
    if (length > maxBytes) throw new Error("The issuer's answer exceeded the limit of 1 MiB.");
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status, statusText, headers });
}
