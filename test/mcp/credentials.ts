import type { Client } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import { type ClientColumn, canaries } from "./client-column.ts";
import type { Feature } from "./feature.ts";
import type { McpFixture } from "./fixture.ts";

/** [TRUST 8] Tests that a server receives only the gateway's own data and the requested input. */
export const credentialFeatures: readonly Feature[] = [
  {
    name: "[TRUST 8] a server over HTTP is given the gateway's own credential, and nothing of the caller's",
    run: async (column, ground) => {
      const client = await column.connect("office");
      await client.callTool({ name: "countLetters", arguments: {}, _meta: callerMeta });
      const { requests } = ground.office;
      expect(
        requests.filter(({ headers }) => headers.authorization !== "Bearer the-gateways-own-token"),
      ).toEqual([]);
      expect(new Set(requests.map(({ headers }) => headers["user-agent"]))).toEqual(new Set(["paraph"]));
      const names = new Set(requests.flatMap(({ headers }) => Object.keys(headers)));
      expect([...names].filter((name) => !gatewayHeaders.has(name))).toEqual([]);
      expectNoCallerData(column, client, ground, JSON.stringify(requests));
    },
  },
  {
    name: "[TRUST 8] a server behind pipes is given its own environment and arguments, and nothing of the caller's",
    run: async (column, ground) => {
      const client = await column.connect("spy");
      await client.callTool({ name: "look", arguments: {}, _meta: callerMeta });
      await client.readResource({ uri: "spy://one", _meta: callerMeta });
      const notes = await ground.notes();
      const [begun, ...messages] = notes
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(begun).toEqual({
        arguments: ["its-own-argument"],
        environment: {
          SPY_TOKEN: "the-gateways-own-secret",
          // Every program starts with these variables.
          HOME: "/nonexistent",
          LANG: "C.UTF-8",
          PATH: expect.stringMatching(/^\/usr\/local\/sbin:/),
        },
      });
      const meta = messages.flatMap(({ params }) => Object.keys(params?._meta ?? {}));
      expect([...new Set(meta)].filter((key) => !gatewayMetaKeys.has(key))).toEqual([]);
      expectNoCallerData(column, client, ground, notes);
    },
  },
];

/** The metadata that a client may send beside its arguments. */
const callerMeta = {
  traceparent: canaries.trace,
  baggage: canaries.baggage,
  tracestate: canaries.baggage,
  "example.com/secret": canaries.meta,
};

/** Every header that a request of the gateway has. */
const gatewayHeaders = new Set([
  ...["host", "connection", "authorization", "accept", "accept-encoding", "accept-language", "user-agent"],
  ...["content-type", "content-length", "sec-fetch-mode"],
  ...["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"],
]);

const gatewayMetaKeys = new Set([
  "progressToken",
  "io.modelcontextprotocol/protocolVersion",
  "io.modelcontextprotocol/clientInfo",
  "io.modelcontextprotocol/clientCapabilities",
]);

function expectNoCallerData(
  column: ClientColumn,
  client: Client,
  { whole }: McpFixture,
  given: string,
): void {
  const session = (client.transport as { readonly sessionId?: string }).sessionId;
  const [, trace, span] = canaries.trace.split("-");
  const secrets = [
    canaries.cookie,
    canaries.client,
    canaries.baggage,
    canaries.meta,
    trace!,
    span!,
    whole.key("bot"),
  ];
  expect(given.length).toBeGreaterThan(100);
  for (const secret of [...secrets, ...(session === undefined ? [] : session.split("."))])
    expect(given.includes(secret), `${column.name}: ${secret.slice(0, 6)}…`).toBe(false);
}
