import type { ExecutionContext, JsonObject } from "@paraph/core";
import { type Answer, answerOf, wordsOf } from "../../outbound/answer.ts";
import type { Ways } from "../../outbound/connect.ts";
import { exchange } from "../../outbound/exchange.ts";
import { statusFault } from "../../outbound/fault.ts";
import { encodedBody } from "./body.ts";
import type { Operation } from "./operation.ts";
import { headersOf, pathOf, placeOf, queryOf } from "./place.ts";
import { credentialsOf } from "./security.ts";

/** What the capabilities of one adapter share. */
export interface Setting {
  readonly name: string;
  readonly ways: Ways;
  readonly maxBytes: number;
  readonly timeout: `${number}${"ms" | "s" | "m" | "h"}`;
}

/** Sends one operation with this input. `conditions`: the headers that make it rest on the basis. */
export async function send(
  setting: Setting,
  operation: Operation,
  input: JsonObject,
  world: ExecutionContext,
  conditions: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { method, parameters, body, keyHeader } = operation;
  const path = pathOf(operation.path, parameters, input);
  const headers = headersOf(parameters, input);
  const credentials = await credentialsOf(operation.placements, world.credential);
  const secret = credentials.query.map(([name]) => name);
  const url = placeOf(operation.server, path, [...queryOf(parameters, input, secret), ...credentials.query]);
  const content = body && input.body !== undefined ? encodedBody(body, input.body) : undefined;
  const answered = await exchange(setting.ways, {
    method,
    url,
    headers: {
      accept: "application/json, */*;q=0.5",
      ...headers,
      ...(content !== undefined && { "content-type": body!.mediaType }),
      ...(keyHeader !== undefined && { [keyHeader]: world.key }),
      ...conditions,
    },
    secretHeaders: credentials.headers,
    ...(content !== undefined && { body: content }),
    signal: world.signal,
    mostBytes: setting.maxBytes,
    mayFollow: (next) => next.origin === operation.server.origin,
  });
  const conditional = Object.keys(conditions).length > 0;
  const said = { method, attempt: world.attempt, keyed: keyHeader !== undefined, conditional };
  const fault = statusFault(answered, said, wordsOf(answered, credentials.secrets));
  if (fault) throw fault;
  return answerOf(answered, credentials.secrets);
}
