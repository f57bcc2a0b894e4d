import { type Capability, defineAdapter, type Health } from "@paraph/core";
import { createEgressPolicy } from "../egress/egress-policy.ts";
import { createHttpAgents } from "../egress/http-agents.ts";
import { sendRequest } from "../egress/send-request.ts";
import { createOperationCapability } from "./capability.ts";
import { openapiConfig } from "./config.ts";
import { documentFault, readApiDocument } from "./document.ts";
import { UnusableOperation } from "./document-node.ts";
import { createReaderFinder } from "./find-reader.ts";
import { listApiOperations, type OperationList, type SkippedOperation } from "./operations.ts";
import type { OpenApiContext } from "./send-operation.ts";

/** The adapter that offers every operation of an OpenAPI document as a capability. */
export const openapi = defineAdapter({
  kind: "openapi",
  config: openapiConfig,
  open: async (config, adapterContext) => {
    const agents = createHttpAgents(createEgressPolicy(config.allow));
    try {
      const document = await readApiDocument(config, adapterContext, agents);
      const operations = listApiOperations(document, config);
      const offered = createOperationCapabilities(
        { ...config, name: adapterContext.name, agents },
        operations,
      );
      if (offered.capabilities.length === 0)
        throw documentFault(`has no usable operations${formatSkipped(offered.skipped)}`);
      return {
        capabilities: async () => offered.capabilities,
        health: (signal) => checkHealth(agents, operations.selected[0]!.server, offered, signal),
        close: () => agents.close(),
      };
    } catch (error) {
      await agents.close();
      throw error;
    }
  },
});

interface OfferedOperations {
  readonly capabilities: readonly Capability[];
  readonly skipped: readonly SkippedOperation[];
}

function createOperationCapabilities(
  openApiContext: OpenApiContext,
  { usable, selected, skipped }: OperationList,
): OfferedOperations {
  const leftOut = [...skipped];
  const readerOf = createReaderFinder(usable);
  const capabilities = selected.flatMap((operation) => {
    try {
      return [createOperationCapability(openApiContext, operation, readerOf(operation))];
    } catch (error) {
      if (!(error instanceof UnusableOperation)) throw error;
      leftOut.push({ operation: `${operation.method} ${operation.path}`, reason: error.message });
      return [];
    }
  });
  return { capabilities, skipped: leftOut };
}

/** Checks that the host responds. Any response is sufficient. */
async function checkHealth(
  agents: OpenApiContext["agents"],
  server: URL,
  { capabilities, skipped }: OfferedOperations,
  signal: AbortSignal,
): Promise<Health> {
  await sendRequest(agents, {
    method: "HEAD",
    url: server,
    headers: {},
    signal,
    maxBytes: 1_024,
  });
  const total = capabilities.length + skipped.length;
  return skipped.length === 0
    ? { kind: "well" }
    : {
        kind: "well",
        message: `${skipped.length} of ${total} operations are left out${formatSkipped(skipped)}`,
      };
}

function formatSkipped(leftOut: readonly SkippedOperation[]): string {
  const told = leftOut.slice(0, 3).map(({ operation, reason }) => `\`${operation}\` (${reason})`);
  return told.length === 0 ? "" : `: ${told.join(", ")}${leftOut.length > told.length ? ", …" : ""}`;
}
