import { randomUUID } from "node:crypto";
import {
  CapabilityError,
  maxMessageBytes,
  openMessage,
  type Progress,
  type PublicKey,
  type ServingAnswer,
  type ServingOperation,
  type ServingRequest,
  type Signer,
  sealMessage,
  servingAnswer,
} from "@paraph/core";
import { Pool } from "undici";
import { readLines } from "./read-lines.ts";
import type { ServiceAddress } from "./service-address.ts";
import {
  answerInvalidFault,
  answerMissingFault,
  type RequestKind,
  toConnectionFault,
  toUnsignedFault,
} from "./service-fault.ts";

/** A request without `to`, `at` and `nonce`, which the connection adds to every request. */
export type ServiceRequest = ServingRequest extends infer R
  ? R extends unknown
    ? Omit<R, "to" | "at" | "nonce">
    : never
  : never;

export type FinalServiceAnswer = Exclude<ServingAnswer, { kind: "progress" | "fault" }>;

/** A connection to one service. */
export interface ServiceConnection {
  /** Sends one request. Rejects with a CapabilityError that classifies the failure, or with the signal's reason. */
  send(question: ServiceRequest, options: SendOptions): Promise<FinalServiceAnswer>;
  close(): Promise<void>;
}

export interface SendOptions {
  readonly signal: AbortSignal;
  readonly progress?: (progress: Progress) => void;
}

export interface ServiceConnectionOptions {
  readonly address: ServiceAddress;
  readonly signer: Signer;
  /** The public keys of the service. */
  readonly trustedKeys: readonly PublicKey[];
}

const maxConnections = 100;
/** The limit includes progress. */
const maxAnswerBytes = 2 * maxMessageBytes;

export function createServiceConnection({
  address,
  signer,
  trustedKeys,
}: ServiceConnectionOptions): ServiceConnection {
  // Each request uses a new connection. A reused connection might close while Paraph sends the request, and Paraph
  // could not know whether an effect happened.
  const pool = new Pool(address.origin, {
    connections: maxConnections,
    pipelining: 0,
    connect: { timeout: 5_000 },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const to = trustedKeys.map(({ kid }) => kid);
  return {
    async send(question, { signal, progress }) {
      const request = JSON.stringify({ ...question, to, at: Date.now(), nonce: randomUUID() });
      // Rejects a request whose base64 envelope would be too large. The envelope is a third longer than its payload.
      if (request.length * (4 / 3) > maxMessageBytes) throw requestTooLargeFault();
      const message = await sealMessage("request", JSON.parse(request), signer);
      const sent: RequestKind = question.operation === "apply" ? "an effect" : "a look";
      const reading = { signal, sent, trusted: trustedKeys, request: message.digest };
      const response = await runWithFaults(reading, () =>
        pool.request({
          method: "POST",
          path: toOperationPath(address, question.operation),
          body: message.text,
          signal,
          headers: { "content-type": "application/json", "user-agent": "paraph" },
        }),
      );
      const { statusCode, headers, body } = response;
      const unsigned = () => toUnsignedFault(statusCode, headers["retry-after"], sent);
      return runWithFaults(reading, async () => {
        for await (const line of readLines(body, maxAnswerBytes)) {
          const answer = await openAnswer(line, reading);
          if (!answer) throw unsigned();
          if (answer.kind === "fault") throw toServiceFault(answer.fault);
          if (answer.kind !== "progress") return answer;
          progress?.(answer.said as Progress);
        }
        throw statusCode < 300 ? answerMissingFault(sent) : unsigned();
      });
    },
    close: () => pool.destroy(),
  };
}

interface PendingAnswer {
  readonly signal: AbortSignal;
  readonly sent: RequestKind;
  readonly trusted: readonly PublicKey[];
  readonly request: string;
}

async function runWithFaults<T>({ signal, sent }: PendingAnswer, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof CapabilityError ? error : toConnectionFault(error, sent);
  }
}

/** [P11] Opens an answer. The answer is valid only if the service signed it for this request. */
async function openAnswer(
  line: string,
  { trusted, request, sent }: PendingAnswer,
): Promise<ServingAnswer | undefined> {
  const message = await openMessage("answer", line, trusted);
  if ((message?.payload as { request?: unknown } | undefined)?.request !== request) return undefined;
  const answer = servingAnswer.safeParse(message?.payload);
  if (answer.success) return answer.data;
  throw answerInvalidFault(sent);
}

function toServiceFault({
  kind,
  code,
  message,
  retryAfterMs,
}: Extract<ServingAnswer, { kind: "fault" }>["fault"]) {
  return new CapabilityError(kind, code, message, retryAfterMs === undefined ? {} : { retryAfterMs });
}

const toOperationPath = ({ base }: ServiceAddress, operation: ServingOperation) =>
  `${base}/paraph/v1/${operation}`;

const requestTooLargeFault = () =>
  new CapabilityError(
    "permanent",
    "request-too-large",
    "The request exceeds the limit of 8 MiB. Send a smaller input.",
  );
