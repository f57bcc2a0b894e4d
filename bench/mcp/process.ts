import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { mcp } from "@paraph/adapters/mcp";
import { defineConfig } from "@paraph/server";
import { startMeasuredProcess } from "../lib/measured-process.ts";
import { serverCount } from "./server-count.ts";

const url = process.env.MCP_URL ?? "";
const config = defineConfig({
  policy: "balanced",
  adapters: {
    echo: mcp.http(`${url}/echo`, { tools: { echo: { effect: "read", risk: "low" } } }),
    ...Object.fromEntries(
      Array.from({ length: serverCount }, (_, n) => [`server${n}`, mcp.http(`${url}/${n}`)]),
    ),
  },
});
// Paraph stores the approval of an MCP server beside the configuration.
await startMeasuredProcess(config, pathToFileURL(join(process.env.FOLDER ?? "", "paraph.config.ts")).href);
