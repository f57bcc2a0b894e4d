import { createAgent, createEgressPolicy } from "@paraph/adapters/egress";
import { type Dispatcher, request } from "undici";
import { isLoopback, type ResendOptions } from "./options.ts";

const timeoutMs = 30_000;

/** The API of Resend. */
export interface ResendClient {
  /** Sends a request, and returns its status and the parsed body. */
  call(
    request: { readonly method: "GET" | "POST"; readonly path: string; readonly key: string } & {
      readonly headers?: Record<string, string>;
      readonly body?: object;
    },
    signal?: AbortSignal,
  ): Promise<{ readonly status: number; readonly body: unknown }>;
  /** Downloads a file without the API key. Throws if it is larger than `maxBytes`. */
  download(url: string, maxBytes: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** [TRUST 17] Creates a client that connects to no private address, follows no redirect and limits what it reads. */
export function createResendClient({
  url = "https://api.resend.com",
}: Pick<ResendOptions, "url">): ResendClient {
  const isLocal = isLoopback(url);
  const dispatcher = createAgent(createEgressPolicy(isLocal ? ["127.0.0.0/8"] : []), {
    patienceMs: timeoutMs,
  });
  const limit = (signal?: AbortSignal) =>
    AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
  return {
    async call({ method, path, key, headers, body }, signal) {
      const response = await request(new URL(path, url), {
        dispatcher,
        method,
        headers: {
          ...headers,
          authorization: `Bearer ${key.trim()}`,
          "user-agent": "paraph",
          ...(body && { "content-type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: limit(signal),
      });
      const text = (await readBody(response, maxAnswerBytes)).toString();
      return { status: response.statusCode, body: parseJson(text) };
    },
    async download(address, maxBytes) {
      if (new URL(address).protocol !== "https:" && !isLocal) throw toError("resend-address");
      const response = await request(address, { dispatcher, signal: limit() });
      if (response.statusCode !== 200) throw toError(`resend-http-${response.statusCode}`);
      return readBody(response, maxBytes);
    },
    close: () => dispatcher.destroy(),
  };
}

/** A received mail comes with its parsed text, so an answer can be as large as a mail. */
const maxAnswerBytes = 20_000_000;

async function readBody({ body }: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw toError("too-large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toError(code: string): Error {
  return Object.assign(new Error("Resend did not return what was expected."), { code });
}
