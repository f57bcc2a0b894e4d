import { readFileSync } from "node:fs";
import { type SchemaJson, validate } from "@cedar-policy/cedar-wasm/nodejs";
import { type Contract, digest, type Guard, type Json, type PolicySet } from "@paraph/core";
import { evaluator } from "./evaluate.ts";
import { guardOf } from "./guard.ts";
import { type LoadFault, lineAt, PolicyLoadError } from "./load-fault.ts";
import { faultsOfTwins, type PolicySource, type SinglePolicy, singlePolicies } from "./policy-text.ts";
import { type Action, actionOf, schemaOf } from "./schema.ts";
import { slicesOf } from "./slices.ts";
import { faultsOfUnseenInput } from "./unseen-input.ts";

const presets = ["balanced"] as const;
type Preset = (typeof presets)[number];

export interface LoadOptions {
  readonly contracts: readonly Contract[];
  readonly preset: Preset;
  /** The operator's own policies, on top of the preset. */
  readonly sources?: readonly PolicySource[];
  /** Names of capabilities that agents may write with while nobody watches: see `presets/balanced.cedar`. */
  readonly unattended?: readonly string[];
}

/** [P11] Reads, checks and freezes a set of policies; throws `PolicyLoadError` with every fault there is. */
export function loadPolicies(options: LoadOptions): PolicySet {
  const faults: LoadFault[] = faultsOfOptions(options);
  const sources = [...presetSources(options.preset), ...(options.sources ?? [])];
  const policies = sources.flatMap((source) => singlePolicies(source, faults));
  const actions = options.contracts.map((contract) => actionOf(contract, options.unattended ?? []));
  const schema = schemaOf(actions);

  faults.push(...faultsOfTwins(policies));
  const guards = policies.flatMap((policy) => guardOf(policy, faults) ?? []);
  faults.push(...faultsOfValidation(policies, schema));
  faults.push(...faultsOfUnseenInput(policies, actions));
  if (faults.length > 0) throw new PolicyLoadError(faults);

  return policySet(options.preset, policies, guards, actions, schema);
}

function policySet(
  preset: Preset,
  policies: readonly SinglePolicy[],
  guards: readonly Guard[],
  actions: readonly Action[],
  schema: SchemaJson<string>,
): PolicySet {
  const texts = policies.map((policy) => policy.text).sort();
  const version = digest({ preset, policies: texts, schema: schema as unknown as Json });
  return Object.freeze({
    version,
    guards: new Map(guards.map((guard) => [guard.id, Object.freeze(guard)])),
    evaluate: evaluator(actions, slicesOf(version, policies)),
  });
}

function faultsOfOptions({ contracts, preset, unattended = [] }: LoadOptions): LoadFault[] {
  const names = contracts.map((contract) => contract.name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  const unknown = unattended.filter((name) => !names.includes(name));
  return [
    ...(presets.includes(preset) ? [] : [{ file: "preset", sentence: `one of ${presets.join(", ")}` }]),
    ...twice.map((name) => ({ file: "contracts", sentence: `two capabilities are called \`${name}\`` })),
    ...unknown.map((name) => ({ file: "unattended", sentence: `no capability is called \`${name}\`` })),
  ];
}

function presetSources(preset: Preset): PolicySource[] {
  if (!presets.includes(preset)) return [];
  const file = `presets/${preset}.cedar`;
  return [{ file, text: readFileSync(new URL(`./${file}`, import.meta.url), "utf8") }];
}

/**
 * Strict validation is what makes evaluation safe: an attribute that may be missing would otherwise make a forbid
 * err. Its warnings (a policy that nothing can match) are no faults: the capability may come tomorrow.
 */
function faultsOfValidation(policies: readonly SinglePolicy[], schema: SchemaJson<string>): LoadFault[] {
  const staticPolicies = Object.fromEntries(policies.map((policy, index) => [`${index}`, policy.text]));
  const answer = validate({ schema, policies: { staticPolicies }, validationSettings: { mode: "strict" } });
  if (answer.type === "failure") {
    return answer.errors.map((error) => ({ file: "schema", sentence: error.message }));
  }
  return answer.validationErrors.map(({ policyId, error }) => {
    const policy = policies[Number(policyId)]!;
    const message = error.message.replace(/^for policy `\d+`, /, "");
    const offset = error.sourceLocations?.[0]?.start ?? 0;
    return {
      file: policy.file,
      line: policy.line + lineAt(policy.text, offset) - 1,
      sentence: `\`${policy.id}\`: ${message}${error.help ? `; ${error.help}` : ""}`,
    };
  });
}
