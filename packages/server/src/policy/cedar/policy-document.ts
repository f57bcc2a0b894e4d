import { readFileSync } from "node:fs";
import { digest } from "@paraph/core";
import { type CheckLevels, defaultCheckLevels } from "./check-levels.ts";
import { PolicyLoadError } from "./loading/load-fault.ts";
import type { ParsedPolicy, PolicySource } from "./loading/policy-text.ts";

/** The names of the policy sets that come with Paraph. */
export const presets = ["permissive", "balanced", "strict"] as const;
/** The name of a preset. */
export type Preset = (typeof presets)[number];

/**
 * A policy set as data, which is stored, published and compared. It includes the text of the preset. A stored set
 * therefore keeps its meaning when an upgrade of Paraph rewords the preset.
 */
export interface PolicyDocument {
  readonly preset: { readonly name: Preset; readonly text: string };
  /** The operator's own policies in addition to the preset, including compiled rules. */
  readonly sources: readonly PolicySource[];
  /** The capabilities that agents and services may use for unattended writes. See `presets/balanced.cedar`. */
  readonly unattended: readonly string[];
  /** The checks that each `@level("…")` of a check guard demands. */
  readonly checkLevels: CheckLevels;
}

/** The policy options of a configuration. */
export interface PolicyOptions {
  readonly preset?: Preset;
  readonly sources?: readonly PolicySource[];
  readonly unattended?: readonly string[];
  readonly checkLevels?: Partial<CheckLevels>;
}

/** Creates a policy document from options, with the text of the preset. */
export function assemblePolicyDocument(options: PolicyOptions = {}): PolicyDocument {
  const { preset = "balanced", sources = [], unattended = [], checkLevels = {} } = options;
  return {
    preset: { name: preset, text: readPresetText(preset) },
    sources: sources.map(({ file, text }) => ({ file, text })),
    unattended: [...new Set(unattended)].sort(),
    checkLevels: { ...defaultCheckLevels, ...checkLevels },
  };
}

/** Returns every text of the document, the preset first. */
export function listSources({ preset, sources }: PolicyDocument): readonly PolicySource[] {
  return [{ file: toPresetFile(preset.name), text: preset.text }, ...sources];
}

/** Whether the policy belongs to the preset that comes with Paraph. An author cannot change such a policy. */
export function isPresetPolicy({ file }: ParsedPolicy, { preset }: PolicyDocument): boolean {
  return file === toPresetFile(preset.name);
}

/**
 * Computes the version from the content of the document alone, because processes that know different capabilities must
 * compute the same version. The order of the policies and the names of their files do not affect it.
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
