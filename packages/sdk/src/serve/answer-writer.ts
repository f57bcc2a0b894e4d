import {
  isPlainJson,
  type Json,
  maxMessageBytes,
  type Progress,
  type ServingAnswer,
  type Signer,
  sealMessage,
} from "@paraph/core";

/** An answer without the digest of its request. */
export type ServiceAnswer = ServingAnswer extends infer A
  ? A extends unknown
    ? Omit<A, "request">
    : never
  : never;

/** Writes the answers to one request. Every line is signed separately and names the request by its digest. */
export interface AnswerWriter {
  send(status: number, answer: ServiceAnswer): Promise<Response>;
  /** Streams progress, then the answer. `signal` aborts when the caller disconnects. */
  stream(
    body: (progress: (progress: Progress) => void, signal: AbortSignal) => Promise<ServiceAnswer>,
  ): Response;
}

/**
 * The interval at which the writer sends an empty line. Empty lines carry no meaning. They keep the connection open,
 * because proxies close connections that are silent for a minute.
 */
const keepAliveMs = 15_000;
/** The limit for all progress lines together, in characters. The writer drops progress beyond this limit. */
const maxProgressLength = 4 * 1024 * 1024;

const headers = { "content-type": "application/x-ndjson", "cache-control": "no-store" };

/** Creates a writer for the answers to the request with this digest. */
export function createAnswerWriter(request: string, signer: Signer): AnswerWriter {
  const line = async (answer: ServiceAnswer): Promise<string> =>
    (await signAnswer(answer, request, signer)) ??
    (await signAnswer(toFallbackAnswer(answer), request, signer)) ??
    "";
  return {
    send: async (status, answer) => new Response(await line(answer), { status, headers }),
    stream(body) {
      const controller = new AbortController();
      const stream = new ReadableStream<Uint8Array>({
        start(lines) {
          // Whether the answer has ended. If it has, the writer drops further progress, which code that ignores its
          // signal may still report.
          let over = false;
          const put = (text: string) => {
            if (!over && !controller.signal.aborted) lines.enqueue(new TextEncoder().encode(text));
          };
          const beat = setInterval(() => put("\n"), keepAliveMs);
          // Signing is asynchronous, so this queue keeps the lines in order.
          let turn = Promise.resolve();
          let left = maxProgressLength;
          const progress = (answer: ServiceAnswer) => {
            turn = turn.then(async () => {
              const text = left > 0 ? await signAnswer(answer, request, signer) : undefined;
              left -= text?.length ?? 0;
              if (left > 0 && text) put(text);
            });
          };
          body(createProgress(progress), controller.signal)
            .then(async (answer) => {
              await turn;
              put(await line(answer));
            })
            .finally(() => {
              clearInterval(beat);
              over = true;
              if (!controller.signal.aborted) lines.close();
            });
        },
        cancel: () => controller.abort(),
      });
      return new Response(stream, { headers });
    },
  };
}

/** Signs the answer. Returns undefined if the answer is too large for a message or is not plain JSON. */
async function signAnswer(
  answer: ServiceAnswer,
  request: string,
  signer: Signer,
): Promise<string | undefined> {
  try {
    const said = JSON.stringify({ ...answer, request });
    // Estimates the size of the sealed answer. The base64 envelope is a third longer than its payload.
    if (said.length * (4 / 3) > maxMessageBytes) return undefined;
    const payload = JSON.parse(said) as Json;
    if (!isPlainJson(payload)) return undefined;
    const { text } = await sealMessage("answer", payload, signer);
    return text.length < maxMessageBytes ? `${text}\n` : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Creates a replacement for an answer that cannot be sent. If the effect happened, the replacement still reports it.
 */
function toFallbackAnswer({ kind }: ServiceAnswer): ServiceAnswer {
  if (kind === "applied" || kind === "present") return { kind, effect: { withheld: "output-unsendable" } };
  const message =
    "The service's answer is not plain JSON, or it is too large. Return less, and only plain JSON.";
  return { kind: "fault", fault: { kind: "permanent", code: "answer-unsendable", message } };
}

function createProgress(say: (answer: ServiceAnswer) => void): (progress: Progress) => void {
  let number = 0;
  return ({ message, fraction, output }) => {
    number += 1;
    const said = {
      ...(message !== undefined && { message: String(message).toWellFormed() }),
      ...(fraction !== undefined && { fraction: Math.min(1, Math.max(0, Number(fraction) || 0)) }),
      ...(output !== undefined && { output: String(output).toWellFormed() }),
    };
    say({ kind: "progress", number, said });
  };
}
