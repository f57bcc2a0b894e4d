import {
  isPlainJson,
  type Json,
  maxMessageBytes,
  type Progress,
  type ServingAnswer,
  type Signer,
  sealMessage,
} from "@paraph/core";

/** An answer, but for the name of what it answers. */
export type ServiceAnswer = ServingAnswer extends infer A
  ? A extends unknown
    ? Omit<A, "request">
    : never
  : never;

/** Answers one request: every line is signed by itself and names the request by its digest. */
export interface AnswerWriter {
  send(status: number, answer: ServiceAnswer): Promise<Response>;
  /** Progress as it comes, then the answer. The body is told when nobody listens any more. */
  stream(body: (progress: (said: Progress) => void, gone: AbortSignal) => Promise<ServiceAnswer>): Response;
}

/** Proxies close what is silent for a minute: an empty line now and then means nothing and keeps it open. */
const keepAliveMs = 15_000;
/** Of all lines together, in characters. Progress may be lost: what is said beyond this is. */
const maxProgressLength = 4 * 1024 * 1024;

const headers = { "content-type": "application/x-ndjson", "cache-control": "no-store" };

export function createAnswerWriter(request: string, signer: Signer): AnswerWriter {
  const line = async (answer: ServiceAnswer): Promise<string> =>
    (await signAnswer(answer, request, signer)) ??
    (await signAnswer(toFallbackAnswer(answer), request, signer)) ??
    "";
  return {
    send: async (status, answer) => new Response(await line(answer), { status, headers }),
    stream(body) {
      const gone = new AbortController();
      const stream = new ReadableStream<Uint8Array>({
        start(lines) {
          // Code that was left behind may go on talking: nobody listens any more.
          let over = false;
          const put = (text: string) => {
            if (!over && !gone.signal.aborted) lines.enqueue(new TextEncoder().encode(text));
          };
          const beat = setInterval(() => put("\n"), keepAliveMs);
          // One after the other: signing takes its time, and what was said first arrives first.
          let turn = Promise.resolve();
          let left = maxProgressLength;
          const progress = (answer: ServiceAnswer) => {
            turn = turn.then(async () => {
              const text = left > 0 ? await signAnswer(answer, request, signer) : undefined;
              left -= text?.length ?? 0;
              if (left > 0 && text) put(text);
            });
          };
          body(createProgress(progress), gone.signal)
            .then(async (answer) => {
              await turn;
              put(await line(answer));
            })
            .finally(() => {
              clearInterval(beat);
              over = true;
              if (!gone.signal.aborted) lines.close();
            });
        },
        cancel: () => gone.abort(),
      });
      return new Response(stream, { headers });
    },
  };
}

/** Undefined where it is larger than a message may be, or no plain JSON. */
async function signAnswer(
  answer: ServiceAnswer,
  request: string,
  signer: Signer,
): Promise<string | undefined> {
  try {
    const said = JSON.stringify({ ...answer, request });
    // An envelope is a third longer than what it holds.
    if (said.length * (4 / 3) > maxMessageBytes) return undefined;
    const payload = JSON.parse(said) as Json;
    if (!isPlainJson(payload)) return undefined;
    const { text } = await sealMessage("answer", payload, signer);
    return text.length < maxMessageBytes ? `${text}\n` : undefined;
  } catch {
    return undefined;
  }
}

/** What happened is told even where what it left cannot be. */
function toFallbackAnswer({ kind }: ServiceAnswer): ServiceAnswer {
  if (kind === "applied" || kind === "present") return { kind, effect: { withheld: "output-unsendable" } };
  const message = "What the service has to say is no plain JSON, or more than fits: have it say less.";
  return { kind: "fault", fault: { kind: "permanent", code: "answer-unsendable", message } };
}

function createProgress(say: (answer: ServiceAnswer) => void): (said: Progress) => void {
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
