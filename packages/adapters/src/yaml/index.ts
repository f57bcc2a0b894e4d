import {
  type Adapter,
  type AdapterFilesContext,
  type AdapterOptions,
  defineAdapter,
  ParaphError,
} from "@paraph/core";
import { z } from "zod";
import { searchPath } from "../process/search-path.ts";
import { variableName } from "./definition/definition.ts";
import { formatFaults, listFaultLines } from "./definition/format-faults.ts";
import { parseVariable } from "./definition/variables.ts";
import { checkToolsHealth } from "./health.ts";
import { type LoadedTools, loadTools } from "./load.ts";
import type { YamlContext } from "./run/command.ts";
import type { CustomReader } from "./run/custom-reader.ts";
import { removeLeftovers } from "./run/scratch.ts";
import { VersionCache } from "./versions.ts";

export { toolsDocument } from "./definition/definition.ts";

const shippedTools = ["claude", "codex", "gemini"] as const;

/** The schema of the options of `yamlTools()`. */
export const yamlConfig = z.strictObject({
  files: z
    .union([z.string().min(1), z.array(z.string().min(1))])
    .default([])
    .describe("YAML files with tools, relative to the configuration; `*` stands for any name"),
  shipped: z.array(z.enum(shippedTools)).default([]).describe("definitions that come with Paraph"),
  path: z
    .array(z.string().startsWith("/", "must be an absolute path"))
    .default([])
    .describe("folders to search for binaries before the system folders"),
  outputReaders: z
    .record(
      z.string(),
      z
        .custom<CustomReader>((value) => typeof value === "function", "must be a function")
        .meta({ typeName: "function" }),
    )
    .default({})
    .describe("functions that read outputs in code, by the name that definitions use"),
  env: z.record(variableName, z.string()).default({}).describe("variables of every tool, besides its own"),
});

const yamlAdapter = defineAdapter({
  kind: "yaml",
  config: yamlConfig,
  inspectFiles: async (config, about) => {
    const { paths, faults } = await loadConfiguredTools(config, toYamlContext(config, about));
    return { paths, faults: listFaultLines(faults) };
  },
  open: async (config, { name, folder }) => {
    const ground = toYamlContext(config, { name, folder });
    const loaded = await loadConfiguredTools(config, ground);
    const { capabilities, faults } = loaded;
    if (capabilities.length === 0) {
      throw new ParaphError("adapter-invalid", `\`${name}\` has no tools:${formatFaults(faults)}`);
    }
    await removeLeftovers();
    const versions = new VersionCache(ground);
    return {
      capabilities: async () => capabilities,
      health: (signal) => checkToolsHealth(loaded, ground, versions, signal),
    };
  },
});

function toYamlContext(
  { path, env, outputReaders }: z.output<typeof yamlConfig>,
  { name, folder }: AdapterFilesContext,
): YamlContext {
  const variables = Object.entries(env).map(([variable, value]) =>
    parseVariable(variable, value, (message) => {
      throw new ParaphError("adapter-invalid", `\`${name}\`: env.${variable}: ${message}`);
    }),
  );
  return { name, folder, path: [...path, ...searchPath], variables, outputReaders };
}

function loadConfiguredTools(
  { files, shipped }: z.output<typeof yamlConfig>,
  yamlContext: YamlContext,
): Promise<LoadedTools> {
  return loadTools({ files: [files].flat(), shipped }, yamlContext);
}

/**
 * Creates the adapter for command-line tools that YAML files define. Each tool becomes a capability without any code.
 */
export function yamlTools(configured: string | AdapterOptions<z.input<typeof yamlConfig>>): Adapter {
  return yamlAdapter(typeof configured === "string" ? { files: configured } : configured);
}
