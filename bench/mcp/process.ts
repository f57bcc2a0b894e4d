import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { defineConfig, mcp } from "@paraph/server";
import { startMeasured } from "../lib/measured-process.ts";
import { servers } from "./servers.ts";

const url = process.env.MCP_URL ?? "";
const config = defineConfig({
  policy: "balanced",
  adapters: {
    echo: mcp.http(`${url}/echo`, { tools: { echo: { effect: "read", risk: "low" } } }),
    ...Object.fromEntries(Array.from({ length: servers }, (_, n) => [`server${n}`, mcp.http(`${url}/${n}`)])),
  },
});
// What was approved of a server is kept beside the configuration.
await startMeasured(config, pathToFileURL(join(process.env.FOLDER ?? "", "paraph.config.ts")).href);
