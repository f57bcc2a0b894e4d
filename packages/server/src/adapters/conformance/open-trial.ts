import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ParaphError } from "@paraph/core";
import { Bench } from "./bench.ts";
import type { Company } from "./company.ts";
import { loadTrial } from "./load-trial.ts";
import type { Ground, Trial } from "./trial.ts";
import { openedBy, Troupe } from "./troupe.ts";
import { fail, notAsked, type Verdict } from "./verdict.ts";
import type { Verification } from "./verification.ts";
import { verifications } from "./verifications/index.ts";
import { wholeVerifications } from "./whole/index.ts";

export interface TrialOptions {
  /** Modules that the adapter's processes load first, as URLs. */
  readonly imports?: readonly string[];
  /** How often each case is killed in the middle: 8 times unless said, here or in the case. */
  readonly crashes?: number;
}

/** A trial with its outside set up and its adapter open. */
export interface OpenTrial {
  readonly name: string;
  readonly subjects: readonly Subject[];
  close(): Promise<void>;
}

/** What is tried: the adapter as a whole, or one case. */
export interface Subject {
  readonly name: string;
  readonly steps: readonly Step[];
}

export interface Step extends Pick<Verification<never>, "name" | "rule" | "claim"> {
  verify(): Promise<Verdict>;
}

/** Sets up the outside and opens the adapter in a process of its own. The trial is the module's default export. */
export async function openTrial(
  url: string,
  { imports = [], crashes = 8 }: TrialOptions = {},
): Promise<OpenTrial> {
  const trial = await loadTrial(url);
  const base = await realpath(await mkdtemp(join(tmpdir(), "paraph-trial-")));
  const letGo: (() => Promise<void>)[] = [() => rm(base, { recursive: true, force: true })];
  const close = async () => {
    for (const one of letGo.splice(0).reverse()) await one();
  };
  try {
    const [folder, cache] = [join(base, "ground"), join(base, "compiled")];
    await mkdir(folder);
    const ground: Ground = { ...(await trial.prepare?.({ folder })), folder };
    letGo.push(async () => trial.cleanup?.(ground));
    const troupe = new Troupe({ trial: url, ground, imports, cache });
    letGo.push(() => troupe.close());
    await trial.reset(ground);
    const company = await companyOf(trial, ground, troupe, crashes);
    return { name: trial.name, subjects: subjectsOf(company), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function companyOf(trial: Trial, ground: Ground, troupe: Troupe, crashes: number): Promise<Company> {
  const opened = await openedBy(await troupe.lead());
  const benches = trial.cases.map((one, index) => {
    const offer = opened.offers.find(({ contract }) => contract.name === one.capability);
    if (offer) return new Bench(trial, index, { offer, offered: opened.offers, ground, troupe, crashes });
    throw new ParaphError(
      "adapter-invalid",
      `The trial has a case for \`${one.capability}\`, which the adapter does not offer.`,
    );
  });
  return { trial, ground, troupe, opened, benches };
}

function subjectsOf(company: Company): Subject[] {
  const whole = { name: company.trial.name, steps: stepsOf(wholeVerifications, company) };
  const cases = company.benches.map((bench) => {
    const { capability, title } = bench.case;
    const name = title === undefined ? capability : `${capability} (${title})`;
    return { name, steps: stepsOf(verifications, bench) };
  });
  return [...cases, whole];
}

/** One rests on another: a preview that writes makes an undo look incomplete, and only the first is at fault. */
function stepsOf<S>(all: readonly Verification<S>[], subject: S): Step[] {
  const failed = new Set<string>();
  return all
    .filter(({ concerns }) => concerns(subject))
    .map(({ name, rule, claim, after = [], verify }) => ({
      name,
      ...(rule !== undefined && { rule }),
      claim,
      async verify() {
        const first = after.find((earlier) => failed.has(earlier));
        if (first !== undefined) return notAsked(`Not while \`${first}\` fails.`);
        const verdict = await verify(subject).catch(hookFault);
        if (verdict.kind === "fail") failed.add(name);
        return verdict;
      },
    }));
}

/** What the trial's own code throws is a fault of the trial's, and said as one. */
function hookFault(error: unknown): Verdict {
  return fail(`The trial itself failed: ${error instanceof Error ? error.message : String(error)}`);
}
