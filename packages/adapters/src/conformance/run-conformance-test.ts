import {
  type ConformanceOptions,
  openConformanceTest,
  type TestStep,
  type TestSubject,
} from "./open-conformance-test.ts";
import type { Verdict } from "./verdict.ts";

/** The findings of a conformance test. */
export interface ConformanceReport {
  readonly adapter: string;
  readonly findings: readonly ConformanceFinding[];
  readonly passed: number;
  readonly failed: number;
  readonly notAsked: number;
}

/** The verdict of one verification. */
export interface ConformanceFinding {
  /** The name of the case, or of the adapter if the verification concerns the adapter as a whole. */
  readonly subject: string;
  readonly verification: string;
  readonly rule?: string;
  readonly claim: string;
  readonly kind: Verdict["kind"];
  readonly message: string;
  readonly ms: number;
}

/** The options of `runConformanceTest`. */
export interface RunConformanceOptions extends ConformanceOptions {
  /** The signal that aborts the run. The run then rejects with the signal's reason and returns no report. */
  readonly signal?: AbortSignal;
  /** Called before each verification. */
  readonly onBegin?: (subject: string, claim: string) => void;
  readonly onFinding?: (finding: ConformanceFinding) => void;
}

/** Runs all verifications of a conformance test. `url` is the module that exports the test. */
export async function runConformanceTest(
  url: string,
  options: RunConformanceOptions = {},
): Promise<ConformanceReport> {
  const test = await openConformanceTest(url, options);
  const findings: ConformanceFinding[] = [];
  // If the run is aborted, the suite abandons the running verification. Closing the test then kills the adapter's
  // processes.
  const stopped = waitForAbort(options.signal);
  try {
    for (const subject of test.subjects) {
      for (const step of subject.steps) {
        options.onBegin?.(subject.name, step.claim);
        const finding = await Promise.race([runStep(subject, step), stopped]);
        findings.push(finding);
        options.onFinding?.(finding);
      }
    }
  } finally {
    await test.close();
  }
  const count = (kind: Verdict["kind"]) => findings.filter((one) => one.kind === kind).length;
  return {
    adapter: test.name,
    findings,
    passed: count("pass"),
    failed: count("fail"),
    notAsked: count("not-asked"),
  };
}

function waitForAbort(signal: AbortSignal | undefined): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  if (signal?.aborted) reject(signal.reason);
  signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  return promise;
}

async function runStep(
  subject: TestSubject,
  { name, rule, claim, verify }: TestStep,
): Promise<ConformanceFinding> {
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
