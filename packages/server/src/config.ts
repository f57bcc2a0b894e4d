import type { Capability, Duration, Urgency } from "@paraph/core";

/** What a team writes in `paraph.config.ts`. */
export interface Config {
  /** Policies that come with Paraph; `policies` are laid on top. */
  readonly policy?: "balanced";
  /** Cedar files, relative to the configuration. */
  readonly policies?: readonly string[];
  /** Sources of capabilities, each under the name its capabilities begin with. */
  readonly adapters?: Readonly<Record<string, Adapter>>;
  /** Capabilities of your own. */
  readonly capabilities?: readonly Capability[];
  /** Medium-risk writes that need nobody's yes. */
  readonly unattended?: readonly string[];
  readonly ask?: { readonly expires?: Readonly<Partial<Record<Urgency, Duration>>> };
}

/** Makes capabilities under a name; paths are relative to the configuration's folder. */
export type Adapter = (name: string, folder: string) => readonly Capability[];

/** Gives a configuration its types; it changes nothing. */
export function defineConfig(config: Config): Config {
  return config;
}
