import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Catalog, milliseconds, type Policy, type Settings } from "@paraph/core";
import { cedarPolicy, loadPolicies } from "./cedar/index.ts";
import type { Config } from "./config.ts";

/** Every capability that the configuration names, or one error with the first that does not load. */
export function catalogFrom(config: Config, folder: string): Catalog {
  const catalog = new Catalog(config.capabilities);
  for (const [name, adapter] of Object.entries(config.adapters ?? {})) {
    for (const capability of adapter(name, folder)) catalog.add(capability);
  }
  return catalog;
}

export function policyFrom(config: Config, catalog: Catalog, folder: string): Policy {
  const sources = (config.policies ?? []).map((file) => ({
    file,
    text: readFileSync(resolve(folder, file), "utf8"),
  }));
  return cedarPolicy(
    loadPolicies({
      contracts: catalog.all().map(({ contract }) => contract),
      preset: config.policy ?? "balanced",
      sources,
      unattended: [...(config.unattended ?? [])],
    }),
  );
}

export function settingsFrom(config: Config): Settings {
  const { normal = "24h", high = "4h", critical = "15m" } = config.ask?.expires ?? {};
  return {
    askMs: { normal: milliseconds(normal), high: milliseconds(high), critical: milliseconds(critical) },
    previewPatienceMs: 2_000,
    sweepGraceMs: 3_000,
  };
}
