import { readFileSync } from "node:fs";
import { digest } from "@paraph/core";
import { type CheckLevels, defaultCheckLevels } from "./check-levels.ts";
import { PolicyLoadError } from "./loading/load-fault.ts";
import type { ParsedPolicy, PolicySource } from "./loading/policy-text.ts";

export const presets = ["permissive", "balanced", "strict"] as const;
export type Preset = (typeof presets)[number];

/**
 * A set of policies as data: what is stored, published and compared. It is whole: the preset's text is in it, so that
 * a stored set means the same after an upgrade of Paraph that words a preset anew.
 */
export interface PolicyDocument {
  readonly preset: { readonly name: Preset; readonly text: string };
  /** The operator's own policies, on top of the preset; compiled rules among them. */
  readonly sources: readonly PolicySource[];
  /** Names of capabilities that agents may write with while nobody watches: see `presets/balanced.cedar`. */
  readonly unattended: readonly string[];
  /** What `@level("…")` of a check guard stands for. */
  readonly checkLevels: CheckLevels;
}

/** What a configuration says of policy. */
export interface PolicyOptions {
  readonly preset?: Preset;
  readonly sources?: readonly PolicySource[];
  readonly unattended?: readonly string[];
  readonly checkLevels?: Partial<CheckLevels>;
}

export function assemblePolicyDocument(options: PolicyOptions = {}): PolicyDocument {
  const { preset = "balanced", sources = [], unattended = [], checkLevels = {} } = options;
  return {
    preset: { name: preset, text: readPresetText(preset) },
    sources: sources.map(({ file, text }) => ({ file, text })),
    unattended: [...new Set(unattended)].sort(),
    checkLevels: { ...defaultCheckLevels, ...checkLevels },
  };
}

/** Every text of the document, the preset's first. */
export function listSources({ preset, sources }: PolicyDocument): readonly PolicySource[] {
  return [{ file: toPresetFile(preset.name), text: preset.text }, ...sources];
}

/** Whether the policy came with Paraph, and so is not its reader's to mend. */
export function isPresetPolicy({ file }: ParsedPolicy, { preset }: PolicyDocument): boolean {
  return file === toPresetFile(preset.name);
}

/**
 * Over what the policies say, in whatever order and files, and over nothing else: processes that know different
 * capabilities must agree on it.
 */
export function computePolicyVersion(document: PolicyDocument, policies: readonly ParsedPolicy[]): string {
  return digest({
    preset: document.preset.name,
    policies: policies.map(({ text }) => text).sort(),
    unattended: [...document.unattended].sort(),
    checkLevels: { ...document.checkLevels },
  });
}

function readPresetText(preset: Preset): string {
  if (presets.includes(preset))
    return readFileSync(new URL(`./${toPresetFile(preset)}`, import.meta.url), "utf8");
  throw new PolicyLoadError([{ file: "preset", sentence: `one of ${presets.join(", ")}` }]);
}

function toPresetFile(preset: Preset): string {
  return `presets/${preset}.cedar`;
}
