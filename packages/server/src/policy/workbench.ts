import { type ConfigSource, findLine, ParaphError } from "@paraph/core";
import type { Config } from "../config/config.ts";
import { createCatalog, createPolicyDocument, createSettings } from "../services/catalog.ts";
import { openAdapters } from "../services/open-adapters.ts";
import { createSystemCredentials, deploymentTenant } from "../system/credentials.ts";
import { type CasesResult, type LocatedPolicy, runCases } from "./analysis/index.ts";
import {
  compileRules,
  findIneffectiveAllowances,
  type LoadFault,
  lintPolicies,
  loadPolicies,
  outlinePolicies,
  type PeopleCount,
  type PolicyDocument,
  type PolicyFinding,
  PolicyLoadError,
} from "./cedar/index.ts";

/** The tools for policy authors that need only the configuration and no server. */
export interface PolicyWorkbench {
  /** Creates the policy document. Throws `PolicyLoadError` if the rules cannot be compiled. */
  createDocument(): PolicyDocument;
  /** Evaluates cases with the policies. */
  test(files: readonly { readonly file: string; readonly text: string }[]): PolicyTestResult;
  /**
   * Lints the policies. Without the number of people, the linter does not check whether there are enough approvers.
   */
  lint(people?: PeopleCount): readonly LintFinding[];
  /** Returns the Cedar text of the preset and the rules, and the names that the rules add to `unattended`. */
  eject(): EjectedPolicies;
}

/** The result of the policy tests. */
export interface PolicyTestResult extends Pick<CasesResult, "cases"> {
  readonly passed: boolean;
  /** The faults in files of cases or in the policies themselves. */
  readonly faults: readonly LoadFault[];
  /** Policies that no case covers. `preset` is true if the policy comes with Paraph. */
  readonly uncovered: readonly (LocatedPolicy & { readonly preset: boolean })[];
}

/** A finding of the policy linter. */
export type LintFinding = PolicyFinding;

/** The Cedar text that a configuration compiles to. */
export interface EjectedPolicies {
  readonly preset: string;
  /** The Cedar text of the rules. Undefined if the configuration has no rules. */
  readonly rules?: string;
  /** The names that the rules add to `unattended`. */
  readonly unattended: readonly string[];
}

/**
 * Creates the tools for the policies of a configuration. It opens the adapters to read their contracts. With `source`,
 * findings about rules name their place in the configuration file.
 */
export async function createPolicyWorkbench(
  config: Config,
  folder: string,
  source?: ConfigSource,
): Promise<PolicyWorkbench> {
  // A server starts sooner without the YAML parser, which only the cases need.
  const { parseCases } = await import("./analysis/cases.ts");
  const catalog = createCatalog(config, await listOfferedCapabilities(config, folder));
  const contracts = catalog.everything().map(({ contract }) => contract);
  const document = () => createPolicyDocument(config, contracts, folder);
  return {
    createDocument: document,
    test: (files) => {
      const read = files.map(({ file, text }) => parseCases(file, text));
      const unreadable = read.flatMap(({ faults }) => faults);
      const { cases, uncovered, faults } = catchLoadFaults<Omit<PolicyTestResult, "passed">>(
        () => {
          const whole = document();
          const ran = runCases(
            read.flatMap((each) => each.cases),
            {
              set: loadPolicies(whole, contracts),
              policies: outlinePolicies(whole).map(({ id, file, line }) => ({ id, file, line })),
              capability: (name) => catalog.everything().find(({ contract }) => contract.name === name),
              enforcement: createSettings(config).enforcement,
            },
          );
          return { ...ran, uncovered: ran.uncovered.map(markPreset), faults: [] };
        },
        (faults) => ({ cases: [], uncovered: [], faults }),
      );
      const all = [...unreadable, ...faults];
      return {
        passed: all.length === 0 && cases.every(({ passed }) => passed),
        cases,
        uncovered,
        faults: all,
      };
    },
    lint: (people) =>
      catchLoadFaults<readonly LintFinding[]>(
        () => [
          ...lintPolicies(document(), contracts, people ? { people } : {}),
          // `strict` asks about every write, which the linter reports once.
          ...(config.policy === "strict" ? [] : findIneffectiveAllowances(config, contracts)),
        ],
        (faults) => faults.map((fault) => ({ weight: "error", code: "invalid", ...fault })),
      ).map((finding) => (source ? locateRule(finding, source) : finding)),
    eject: () => {
      const rules = config.rules?.length ? compileRules(config.rules, contracts) : undefined;
      return {
        preset: document().preset.text,
        ...(rules && { rules: rules.source.text }),
        unattended: rules?.unattended ?? [],
      };
    },
  };
}

/**
 * Returns the capabilities of the adapters. Throws if an adapter is unavailable, because policies about its
 * capabilities cannot be read.
 */
async function listOfferedCapabilities(config: Config, folder: string) {
  const credentials = createSystemCredentials(`${folder}/secrets`);
  const adapters = await openAdapters({
    adapters: config.adapters ?? {},
    folder,
    credential: (name) => credentials.resolve(deploymentTenant, name),
    contractCache: { recall: async () => new Map(), keep: async () => {} },
    onChange: async () => {},
    onProblem: () => {},
  });
  try {
    const unavailable = (await adapters.list(AbortSignal.timeout(10_000))).find(
      ({ state }) => state === "unavailable",
    );
    if (unavailable)
      throw new ParaphError(
        "adapter-invalid",
        `The adapter \`${unavailable.name}\` is unavailable. ${unavailable.message}`,
      );
    return adapters.listCapabilities();
  } finally {
    await adapters.close();
  }
}

/** Replaces the place in the compiled rules by the place of the rule in the configuration file. */
function locateRule(finding: LintFinding, { file, text }: ConfigSource): LintFinding {
  const [, index, field] = /^rules\[(\d+)\](?:\.(\w+))?/.exec(finding.file) ?? [];
  const [, number] = (finding.file === "rules" && /^rule-(\d+)-/.exec(finding.policy ?? "")) || [];
  if (index === undefined && number === undefined) return finding;
  const path = ["rules", index === undefined ? Number(number) - 1 : Number(index), ...(field ? [field] : [])];
  const line = findLine(text, path);
  const { line: _, ...rest } = finding;
  const sentence = index === undefined ? finding.sentence : `\`${finding.file}\`: ${finding.sentence}`;
  return { ...rest, file, ...(line !== undefined && { line }), sentence };
}

/** Runs `body`. If the policies cannot be loaded, it runs `otherwise` with the faults. */
function catchLoadFaults<T>(body: () => T, otherwise: (faults: readonly LoadFault[]) => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof PolicyLoadError) return otherwise(error.faults);
    throw error;
  }
}

function markPreset(policy: LocatedPolicy): PolicyTestResult["uncovered"][number] {
  return { ...policy, preset: policy.file.startsWith("presets/") };
}
