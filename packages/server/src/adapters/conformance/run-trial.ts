import { openTrial, type Step, type Subject, type TrialOptions } from "./open-trial.ts";
import type { Verdict } from "./verdict.ts";

/** What was proven, one by one. */
export interface TrialReport {
  readonly adapter: string;
  readonly findings: readonly Finding[];
  readonly passed: number;
  readonly failed: number;
  readonly notAsked: number;
}

export interface Finding {
  /** The case, or the adapter as a whole. */
  readonly subject: string;
  readonly verification: string;
  readonly rule?: string;
  readonly claim: string;
  readonly kind: Verdict["kind"];
  readonly message: string;
  readonly ms: number;
}

export interface RunTrialOptions extends TrialOptions {
  /** Once it is aborted, nothing is reported: it throws the reason. */
  readonly signal?: AbortSignal;
  /** Told before each, and after. */
  readonly begins?: (subject: string, claim: string) => void;
  readonly found?: (finding: Finding) => void;
}

/** Puts an adapter through everything its trial asks for. Takes the URL of the trial's module. */
export async function runTrial(url: string, options: RunTrialOptions = {}): Promise<TrialReport> {
  const trial = await openTrial(url, options);
  const findings: Finding[] = [];
  // Whatever is at work then is left, and ended with the adapter's processes.
  const stopped = aborted(options.signal);
  try {
    for (const subject of trial.subjects) {
      for (const step of subject.steps) {
        options.begins?.(subject.name, step.claim);
        const finding = await Promise.race([findingOf(subject, step), stopped]);
        findings.push(finding);
        options.found?.(finding);
      }
    }
  } finally {
    await trial.close();
  }
  const count = (kind: Verdict["kind"]) => findings.filter((one) => one.kind === kind).length;
  return {
    adapter: trial.name,
    findings,
    passed: count("pass"),
    failed: count("fail"),
    notAsked: count("not-asked"),
  };
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  if (signal?.aborted) reject(signal.reason);
  signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  return promise;
}

async function findingOf(subject: Subject, { name, rule, claim, verify }: Step): Promise<Finding> {
  const started = performance.now();
  const verdict = await verify();
  return {
    subject: subject.name,
    verification: name,
    ...(rule !== undefined && { rule }),
    claim,
    ...verdict,
    ms: Math.round(performance.now() - started),
  };
}
