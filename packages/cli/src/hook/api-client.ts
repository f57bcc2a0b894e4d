import type { ServerConnection } from "../lib/api/connection.ts";
import { formatUnreachable } from "../lib/api/explain-unreachable.ts";

/** The fields of a call that the hook needs. The API returns more. */
export interface HookCall {
  readonly call: string;
  readonly capability: string;
  readonly state: string;
  readonly joinedDuplicate?: true;
  readonly outcome?: { readonly kind: string; readonly code: string };
  readonly waiting?: { readonly for: string; readonly approval?: { readonly id: string } };
  readonly approval?: { readonly status: string };
  readonly input?: unknown;
  readonly reason?: unknown;
  readonly refusal?: { readonly policies: readonly string[]; readonly sentence: string };
  readonly instructions?: string;
  readonly supersedes?: string;
  readonly successor?: string;
}

export interface HookRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: unknown;
  /** The time for which the server may hold the response. */
  readonly holdMs?: number;
}

/** An error response of the API, with the code of the problem. */
export class HookApiError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The time that the hook waits for a response, in addition to the requested hold time. */
const graceMs = 10_000;
const maxBodyBytes = 16 * 1024 * 1024;

/**
 * Sends one request. The function uses `node:http`, because loading `fetch` takes longer than Paraph needs to answer,
 * and every tool use waits for this request.
 */
export function requestApi<T>({ url, key }: ServerConnection, asking: HookRequest): Promise<T> {
  const { method, path, body, holdMs = 0 } = asking;
  const target = new URL(path, url);
  const sent = body === undefined ? undefined : JSON.stringify(body);
  // The code uses `getBuiltinModule`, because an `import` of `node:http` or `node:https` reads every export, and one
  // export loads all of `fetch`. Loading `fetch` takes 60 ms, twice as long as Node's own start.
  const { request: send } =
    target.protocol === "https:"
      ? process.getBuiltinModule("node:https")
      : process.getBuiltinModule("node:http");
  return new Promise((resolve, reject) => {
    const fail = (message: string) => reject(new HookApiError("no-answer", message));
    const unavailable = (why: string) => fail(`Paraph at ${url} ${why}.`);
    const request = send(target, {
      method,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${key}`,
        ...(sent !== undefined && {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(sent),
        }),
        ...(holdMs >= 1_000 && { prefer: `wait=${Math.floor(holdMs / 1_000)}` }),
      },
    });
    const late = setTimeout(
      () => request.destroy(new DOMException("late", "TimeoutError")),
      holdMs + graceMs,
    );
    request.on("error", (error) => fail(formatUnreachable(url, error)));
    request.on("close", () => clearTimeout(late));
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("error", () => unavailable("closed the connection during its response"));
      response.on("aborted", () => unavailable("closed the connection during its response"));
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBodyBytes) request.destroy();
        else chunks.push(chunk);
      });
      response.on("end", () => {
        try {
          const said = JSON.parse(Buffer.concat(chunks).toString("utf8"));
          const { statusCode = 0 } = response;
          if (statusCode >= 200 && statusCode < 300) resolve(said as T);
          else reject(new HookApiError(String(said.code ?? statusCode), String(said.detail ?? "")));
        } catch {
          unavailable("did not send a valid response. Check the address");
        }
      });
    });
    request.end(sent);
  });
}
