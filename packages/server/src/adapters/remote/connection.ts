import { randomUUID } from "node:crypto";
import {
  CapabilityError,
  maxMessageBytes,
  type Operation,
  openMessage,
  type Progress,
  type PublicKey,
  type ServingAnswer,
  type ServingRequest,
  type Signer,
  sealMessage,
  servingAnswer,
} from "@paraph/core";
import { Pool } from "undici";
import type { Address } from "./address.ts";
import { linesOf } from "./lines.ts";
import { connectionFault, noAnswer, notUnderstood, type Sent, unsignedFault } from "./wire-fault.ts";

/** A request, but for what every request has. */
export type Question = ServingRequest extends infer R
  ? R extends unknown
    ? Omit<R, "to" | "at" | "nonce">
    : never
  : never;

export type FinalAnswer = Exclude<ServingAnswer, { kind: "progress" | "fault" }>;

export interface Connection {
  /** Asks once. Throws a CapabilityError that says what is known of it, or the signal's reason. */
  ask(question: Question, options: AskOptions): Promise<FinalAnswer>;
  close(): Promise<void>;
}

export interface AskOptions {
  readonly signal: AbortSignal;
  readonly progress?: (said: Progress) => void;
}

export interface ConnectionOptions {
  readonly address: Address;
  readonly signer: Signer;
  /** The service's keys. */
  readonly trusted: readonly PublicKey[];
}

const mostConnections = 100;
/** Progress and all. */
const longestAnswer = 2 * maxMessageBytes;

export function connectionTo({ address, signer, trusted }: ConnectionOptions): Connection {
  // A connection for each request: one that was kept and is closed just now would leave in doubt whether an effect happened.
  const pool = new Pool(address.origin, {
    connections: mostConnections,
    pipelining: 0,
    connect: { timeout: 5_000 },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const to = trusted.map(({ kid }) => kid);
  return {
    async ask(question, { signal, progress }) {
      const request = JSON.stringify({ ...question, to, at: Date.now(), nonce: randomUUID() });
      // An envelope is a third longer than what it holds.
      if (request.length * (4 / 3) > maxMessageBytes) throw tooLarge();
      const message = await sealMessage("request", JSON.parse(request), signer);
      const sent: Sent = question.operation === "apply" ? "an effect" : "a look";
      const reading = { signal, sent, trusted, request: message.digest };
      const response = await attempt(reading, () =>
        pool.request({
          method: "POST",
          path: pathOf(address, question.operation),
          body: message.text,
          signal,
          headers: { "content-type": "application/json", "user-agent": "paraph" },
        }),
      );
      const { statusCode: status, headers, body } = response;
      const unsigned = () => unsignedFault(status, headers["retry-after"], sent);
      return attempt(reading, async () => {
        for await (const line of linesOf(body, longestAnswer)) {
          const answer = await opened(line, reading);
          if (!answer) throw unsigned();
          if (answer.kind === "fault") throw asSaid(answer.fault);
          if (answer.kind !== "progress") return answer;
          progress?.(answer.said as Progress);
        }
        throw status < 300 ? noAnswer(sent) : unsigned();
      });
    },
    close: () => pool.destroy(),
  };
}

interface Reading {
  readonly signal: AbortSignal;
  readonly sent: Sent;
  readonly trusted: readonly PublicKey[];
  readonly request: string;
}

async function attempt<T>({ signal, sent }: Reading, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof CapabilityError ? error : connectionFault(error, sent);
  }
}

/** [P11] An answer counts only if the service signed it, for this very request. */
async function opened(line: string, { trusted, request, sent }: Reading): Promise<ServingAnswer | undefined> {
  const message = await openMessage("answer", line, trusted);
  if ((message?.payload as { request?: unknown } | undefined)?.request !== request) return undefined;
  const answer = servingAnswer.safeParse(message?.payload);
  if (answer.success) return answer.data;
  throw notUnderstood(sent);
}

function asSaid({ kind, code, message, retryAfterMs }: Extract<ServingAnswer, { kind: "fault" }>["fault"]) {
  return new CapabilityError(kind, code, message, retryAfterMs === undefined ? {} : { retryAfterMs });
}

const pathOf = ({ base }: Address, operation: Operation) => `${base}/paraph/v1/${operation}`;

const tooLarge = () =>
  new CapabilityError("permanent", "request-too-large", "A service is sent at most 8 MiB: ask for less.");
