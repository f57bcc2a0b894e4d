import { ParaphError } from "@paraph/core";
import type { Config } from "../config/config.ts";
import { createCatalog, createPolicyDocument, createSettings } from "../services/catalog.ts";
import { openAdapters } from "../services/open-adapters.ts";
import { createSystemCredentials, deploymentTenant } from "../system/credentials.ts";
import { type CasesResult, type LocatedPolicy, parseCases, runCases } from "./analysis/index.ts";
import {
  compileRules,
  type LoadFault,
  lintPolicies,
  loadPolicies,
  outlinePolicies,
  type PolicyDocument,
  type PolicyFinding,
  PolicyLoadError,
} from "./cedar/index.ts";

/** The policies of a configuration, for those who write them: nothing here needs a server. */
export interface PolicyWorkbench {
  /** Throws `PolicyLoadError` where the short rules cannot be compiled. */
  createDocument(): PolicyDocument;
  /** Puts cases to the policies. */
  test(files: readonly { readonly file: string; readonly text: string }[]): PolicyTestResult;
  /** `groups`: how many people each has; without it, nothing is said about who can approve. */
  lint(groups?: ReadonlyMap<string, number>): readonly LintFinding[];
  /** The Cedar that the preset and the short rules come to, and what else the rules mean. */
  eject(): EjectedPolicies;
}

export interface PolicyTestResult extends Pick<CasesResult, "cases"> {
  readonly passed: boolean;
  /** What keeps files of cases, or the policies themselves, from being read. */
  readonly faults: readonly LoadFault[];
  /** Policies that no case is about. `preset`: it came with Paraph. */
  readonly uncovered: readonly (LocatedPolicy & { readonly preset: boolean })[];
}

export type LintFinding = PolicyFinding;

export interface EjectedPolicies {
  readonly preset: string;
  /** Undefined where the configuration has none. */
  readonly rules?: string;
  /** Names that the rules add to `unattended`. */
  readonly unattended: readonly string[];
}

export async function createPolicyWorkbench(config: Config, folder: string): Promise<PolicyWorkbench> {
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
    lint: (groups) =>
      catchLoadFaults<readonly LintFinding[]>(
        () => lintPolicies(document(), contracts, groups ? { groups } : {}),
        (faults) => faults.map((fault) => ({ weight: "error", code: "invalid", ...fault })),
      ),
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

/** What the adapters offer. Policies about one that does not open cannot be read, so that is said instead. */
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

/** What became of the policies, or of the faults that keep them from being any. */
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
