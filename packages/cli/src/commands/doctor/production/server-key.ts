/** Fetches the id of the key with which the server signs, or undefined if the server does not say. */
export async function fetchSigningKeyId(url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(new URL("/v1/keys", url), {
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]),
    });
    const { keys } = (await response.json()) as { readonly keys?: readonly { readonly kid?: unknown }[] };
    const kid = keys?.[0]?.kid;
    return typeof kid === "string" ? kid : undefined;
  } catch {
    return undefined;
  }
}
