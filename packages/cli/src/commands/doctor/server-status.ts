import { explainUnreachable, type UnreachableReason } from "../../lib/api/explain-unreachable.ts";

export interface ServerStatus {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, boolean>>;
  /**
   * This machine's clock minus the server's, or undefined if the server does not send its time. It is 0 if the clocks may
   * agree, because a response can be slow and names its time in whole seconds.
   */
  readonly skewMs: number | undefined;
}

const notParaph: UnreachableReason = {
  reason: "the server there is not Paraph",
  advice: "check `--url` and PARAPH_URL",
};

/** Fetches `/readyz`. If there is no answer of Paraph, returns the reason. */
export async function fetchServerStatus(
  url: string,
  signal: AbortSignal,
): Promise<ServerStatus | UnreachableReason> {
  try {
    const sentAt = Date.now();
    const response = await fetch(new URL("/readyz", url), {
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]),
    });
    const receivedAt = Date.now();
    const date = Date.parse(response.headers.get("date") ?? "");
    const { parts, failing } = (await response.json()) as {
      parts?: Record<string, boolean>;
      failing?: string[];
    };
    if (!parts && !failing) return notParaph;
    return {
      ready: response.ok,
      parts: parts ?? Object.fromEntries((failing ?? []).map((part) => [part, false])),
      skewMs: Number.isNaN(date) ? undefined : Math.max(sentAt - date - 999, Math.min(0, receivedAt - date)),
    };
  } catch (error) {
    return error instanceof SyntaxError ? notParaph : explainUnreachable(error);
  }
}
