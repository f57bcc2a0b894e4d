import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { git } from "@paraph/adapters/git";
import { postgres } from "@paraph/adapters/sql";
import { yamlTools } from "@paraph/adapters/yaml";
import { type Config, defineConfig } from "@paraph/server";

export const effectPaths = (folder: string) => ({
  work: join(folder, "work"),
  remote: join(folder, "remote.git"),
  tools: join(folder, "tools"),
  written: join(folder, "written"),
});

/**
 * Creates a configuration with real adapters. Their effects happen in a Git repository, a database and command-line
 * tools.
 */
export function createEffectsConfig(folder: string): Config {
  const { work, remote, tools } = effectPaths(folder);
  return defineConfig({
    adapters: {
      repo: git({ repository: work, remotes: { origin: { url: pathToFileURL(remote).href } } }),
      db: postgres("\u0024{SHOP_DB}"),
      ops: yamlTools(join(tools, "*.yaml")),
    },
    rules: ["repo.push", "db.execute", "ops.append", "ops.note"].map((capability) => ({
      capability,
      allow: "unattended",
    })),
  });
}
