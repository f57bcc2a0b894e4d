import { type Adapter, ParaphError } from "@paraph/core";
import { z } from "zod";
import { httpConfig, stdioConfig } from "./config.ts";
import { mcp } from "./index.ts";

/** MCP servers as data, for programs to write: what `mcp.stdio()` and `mcp.http()` take, under each adapter's name. */
export const mcpDocument = z.strictObject({
  $schema: z.string().optional(),
  servers: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_]*$/),
      z.discriminatedUnion("kind", [
        z.strictObject({ kind: z.literal("stdio"), ...stdioConfig.shape }),
        z.strictObject({ kind: z.literal("http"), ...httpConfig.shape }),
      ]),
    )
    .describe("each under the name its capabilities begin with"),
});
export type McpDocument = z.input<typeof mcpDocument>;

/** The adapters that a document names. `file` is what people are told it is called. */
export function mcpServersIn(text: string, file: string): Record<string, Adapter> {
  const { servers } = documentIn(text, file);
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

function documentIn(text: string, file: string): z.output<typeof mcpDocument> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ParaphError(
      "adapter-invalid",
      `\`${file}\` is not JSON: mend it, or take it from your history.`,
    );
  }
  const read = mcpDocument.safeParse(value);
  if (read.success) return read.data;
  const faults = read.error.issues.map(
    (issue) => `\n  - ${issue.path.join(".") || "(the whole)"}: ${issue.message}`,
  );
  throw new ParaphError("adapter-invalid", `\`${file}\` is not right yet:${faults.join("")}`);
}
