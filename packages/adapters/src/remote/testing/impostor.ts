import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Json,
  type JsonObject,
  openMessage,
  parsePublicKey,
  parseSigningKey,
  type ServedContract,
  sealMessage,
} from "@paraph/core";
import { keyPairs } from "./fixture.ts";

/** A request to an impostor. The impostor can answer with the service's signature or with any response. */
export interface ImpostorRequest {
  readonly operation: string;
  readonly request: string;
  readonly response: ServerResponse;
  /** Signs a line with the service's key. */
  sign(answer: JsonObject, request?: string): Promise<string>;
}

export interface Impostor extends AsyncDisposable {
  readonly url: string;
  readonly operations: readonly string[];
}

/** Starts a server that has the service's key and serves these contracts, but answers as the test specifies. */
export async function startImpostor(
  contracts: readonly ServedContract[],
  answer: (request: ImpostorRequest) => unknown,
): Promise<Impostor> {
  const asked: string[] = [];
  const server = createServer(async (incoming, response) => {
    const operation = incoming.url?.split("/").at(-1) ?? "";
    asked.push(operation);
    let body = "";
    for await (const chunk of incoming) body += chunk;
    const message = await openMessage("request", body, [parsePublicKey(keyPairs.paraph.publicKey)!]);
    const request = message?.digest ?? "";
    const signed = (said: JsonObject, to = request) =>
      signAnswer(keyPairs.service.privateKey, { ...said, request: to });
    if (operation !== "discover") return answer({ operation, request, response, sign: signed });
    response.end(await signed({ kind: "discovered", contracts: contracts as unknown as Json }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    operations: asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export async function signAnswer(privateKey: string, answer: Json): Promise<string> {
  const signer = await parseSigningKey(privateKey);
  if (!signer) throw new Error("no key");
  return `${(await sealMessage("answer", answer, signer)).text}\n`;
}
