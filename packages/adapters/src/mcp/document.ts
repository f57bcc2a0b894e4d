import { type Adapter, ParaphError, rejectConfigFaults, schemaFaults } from "@paraph/core";
import { z } from "zod";
import { mcpHttpConfig, mcpStdioConfig } from "./config.ts";
import { mcp } from "./index.ts";

const tenants = z
  .array(z.string())
  .exactOptional()
  .describe("the tenants that may use it; required if there are two or more tenants");

/**
 * The schema of a document in which programs define MCP servers. The document maps the name of each adapter to the
 * options of `mcp.stdio()` or `mcp.http()`.
 */
export const mcpDocument = z.strictObject({
  $schema: z.string().optional(),
  servers: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_]*$/),
      z.discriminatedUnion("kind", [
        z.strictObject({ kind: z.literal("stdio"), ...mcpStdioConfig.shape, tenants }),
        z.strictObject({ kind: z.literal("http"), ...mcpHttpConfig.shape, tenants }),
      ]),
    )
    .describe("the servers by adapter name, with which the names of their capabilities begin"),
});
/** The content of a document of MCP servers. */
export type McpDocument = z.input<typeof mcpDocument>;

/** Returns the adapters that a document defines. `file` is the document's name in error messages. */
export function parseMcpServers(text: string, file: string): Record<string, Adapter> {
  const { servers } = parseMcpDocument(text, file);
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      if (server.kind === "http") {
        const { kind: _, url, ...options } = server;
        return [name, mcp.http(url, options)];
      }
      const { kind: _, ...command } = server;
      return [name, mcp.stdio(command)];
    }),
  );
}

function parseMcpDocument(text: string, file: string): z.output<typeof mcpDocument> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ParaphError(
      "adapter-invalid",
      `\`${file}\` is not valid JSON. Correct it, or restore it from your version control.`,
    );
  }
  rejectConfigFaults(schemaFaults(mcpDocument, value), { file, text });
  return mcpDocument.parse(value);
}
