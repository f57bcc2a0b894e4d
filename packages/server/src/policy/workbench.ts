import { ParaphError } from "@paraph/core";
import type { Config } from "../config/config.ts";
import { catalogFrom, documentFrom, settingsFrom } from "../services/catalog.ts";
import { openAdapters } from "../services/open-adapters.ts";
import { deployment, systemCredentials } from "../system/credentials.ts";
import {
  compileRules,
  type Finding,
  type LoadFault,
  lint,
  loadPolicies,
  outlineOf,
  type PolicyDocument,
  PolicyLoadError,
} from "./cedar/index.ts";
import { type CasesResult, casesIn, type Placed, runCases } from "./tools/index.ts";

/** The policies of a configuration, for those who write them: nothing here needs a server. */
export interface Workbench {
  /** Throws `PolicyLoadError` where the short rules cannot be compiled. */
  document(): PolicyDocument;
  /** Puts cases to the policies. */
  test(files: readonly { readonly file: string; readonly text: string }[]): TestResult;
  /** `groups`: how many people each has; without it, nothing is said about who can approve. */
  lint(groups?: ReadonlyMap<string, number>): readonly LintFinding[];
  /** The Cedar that the preset and the short rules come to, and what else the rules mean. */
  eject(): Ejected;
}

export interface TestResult extends Pick<CasesResult, "cases"> {
  readonly passed: boolean;
  /** What keeps files of cases, or the policies themselves, from being read. */
  readonly faults: readonly LoadFault[];
  /** Policies that no case is about. `preset`: it came with Paraph. */
  readonly uncovered: readonly (Placed & { readonly preset: boolean })[];
}

export type LintFinding = Finding;

export interface Ejected {
  readonly preset: string;
  /** Undefined where the configuration has none. */
  readonly rules?: string;
  /** Names that the rules add to `unattended`. */
  readonly unattended: readonly string[];
}

export async function policyWorkbench(config: Config, folder: string): Promise<Workbench> {
  const catalog = catalogFrom(config, await offeredBy(config, folder));
  const contracts = catalog.everything().map(({ contract }) => contract);
  const document = () => documentFrom(config, contracts, folder);
  return {
    document,
    test: (files) => {
      const read = files.map(({ file, text }) => casesIn(file, text));
      const unreadable = read.flatMap(({ faults }) => faults);
      const { cases, uncovered, faults } = loaded<Omit<TestResult, "passed">>(
        () => {
          const whole = document();
          const ran = runCases(
            read.flatMap((each) => each.cases),
            {
              set: loadPolicies(whole, contracts),
              policies: outlineOf(whole).map(({ id, file, line }) => ({ id, file, line })),
              capability: (name) => catalog.everything().find(({ contract }) => contract.name === name),
              stance: settingsFrom(config).enforcement,
            },
          );
          return { ...ran, uncovered: ran.uncovered.map(withPreset), faults: [] };
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
      loaded<readonly LintFinding[]>(
        () => lint(document(), contracts, groups ? { groups } : {}),
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
async function offeredBy(config: Config, folder: string) {
  const credentials = systemCredentials(`${folder}/secrets`);
  const adapters = await openAdapters({
    adapters: config.adapters ?? {},
    folder,
    credential: (name) => credentials.resolve(deployment, name),
    memory: { recall: async () => new Map(), keep: async () => {} },
    changed: async () => {},
    problem: () => {},
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
    return adapters.offered();
  } finally {
    await adapters.close();
  }
}

/** What became of the policies, or of the faults that keep them from being any. */
function loaded<T>(body: () => T, otherwise: (faults: readonly LoadFault[]) => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof PolicyLoadError) return otherwise(error.faults);
    throw error;
  }
}

function withPreset(policy: Placed): TestResult["uncovered"][number] {
  return { ...policy, preset: policy.file.startsWith("presets/") };
}
