import type { ObservationPage } from "@paraph/core";
import type { AdapterProcess } from "../adapter-process.ts";
import { describeAnswer } from "../describe-answer.ts";
import type { SuiteContext } from "../suite-context.ts";
import { fail, pass, skip, type Verdict } from "../verdict.ts";
import type { Verification } from "../verification.ts";

export const observeVerification: Verification<SuiteContext> = {
  name: "perceive",
  claim: "it perceives what happens, once, from wherever it is asked to go on",
  appliesTo: ({ adapter: opened }) => opened.perceives,
  async verify({ test: trial, fixture: ground, pool: troupe }) {
    const { triggerEvent: happen } = trial;
    if (!happen) return skip("Give the trial `happen`: it makes something happen that is perceived.");
    await trial.reset(ground);
    const lead = await troupe.main();
    const start = await readAllPages(lead, undefined);
    if ("kind" in start) return start;
    await happen(ground);
    const first = await readAllPages(lead, start.cursor);
    const again = await readAllPages(await troupe.main(), start.cursor);
    if ("kind" in first) return first;
    if ("kind" in again) return again;
    const ids = first.observations.map(({ id }) => id);
    if (ids.length === 0) return fail("Something happened, and it perceived nothing.");
    const repeated = new Set(again.observations.map(({ id }) => id));
    if (!ids.every((id) => repeated.has(id)))
      return fail("The same cursor, given again, did not find the same.");
    const next = await readAllPages(lead, first.cursor);
    if ("kind" in next) return next;
    return next.observations.some(({ id }) => ids.includes(id))
      ? fail("Asked to go on, it perceived the same once more.")
      : pass(`${ids.length} perceived, again from the same cursor, not from the next`);
  },
};

/** Reads all pages that exist now. */
async function readAllPages(
  performer: AdapterProcess,
  from: string | undefined,
): Promise<Pick<ObservationPage, "observations" | "cursor"> | Verdict> {
  const observations: ObservationPage["observations"][number][] = [];
  for (let cursor = from, pages = 0; ; pages++) {
    const answer = await performer.send({ kind: "perceive", ...(cursor !== undefined && { cursor }) });
    if (answer.kind !== "done") return fail(`It did not look: ${describeAnswer(answer)}`);
    observations.push(...answer.value.observations);
    cursor = answer.value.cursor;
    if (!answer.value.more) return { observations, cursor };
    if (pages === 1_000) return fail("It always says that there is more.");
  }
}
