import type { ObservationPage } from "@paraph/core";
import type { AdapterProcess } from "../adapter-process.ts";
import { describeAnswer } from "../describe-answer.ts";
import type { SuiteContext } from "../suite-context.ts";
import { fail, pass, skip, type Verdict } from "../verdict.ts";
import type { Verification } from "../verification.ts";

export const observeVerification: Verification<SuiteContext> = {
  name: "observe",
  claim: "it observes each event once, from any cursor",
  appliesTo: ({ adapter }) => adapter.canObserve,
  async verify({ test, fixture, pool }) {
    const { triggerEvent } = test;
    if (!triggerEvent)
      return skip(
        "Add `triggerEvent` to the conformance test. This function must cause an event that the adapter observes.",
      );
    await test.reset(fixture);
    const lead = await pool.main();
    const start = await readAllPages(lead, undefined);
    if ("kind" in start) return start;
    await triggerEvent(fixture);
    const first = await readAllPages(lead, start.cursor);
    const again = await readAllPages(await pool.main(), start.cursor);
    if ("kind" in first) return first;
    if ("kind" in again) return again;
    const ids = first.observations.map(({ id }) => id);
    if (ids.length === 0) return fail("An event was triggered, but the adapter observed nothing.");
    const repeated = new Set(again.observations.map(({ id }) => id));
    if (!ids.every((id) => repeated.has(id)))
      return fail("The same cursor did not return the same observations again.");
    const next = await readAllPages(lead, first.cursor);
    if ("kind" in next) return next;
    return next.observations.some(({ id }) => ids.includes(id))
      ? fail("The next cursor returned the same observations again.")
      : pass(`${ids.length} observed; the same cursor returns them again, but the next cursor does not`);
  },
};

/** Reads all pages of observations that exist now. */
async function readAllPages(
  performer: AdapterProcess,
  from: string | undefined,
): Promise<Pick<ObservationPage, "observations" | "cursor"> | Verdict> {
  const observations: ObservationPage["observations"][number][] = [];
  for (let cursor = from, pages = 0; ; pages++) {
    const answer = await performer.send({ kind: "observe", ...(cursor !== undefined && { cursor }) });
    if (answer.kind !== "done") return fail(`The observation failed: ${describeAnswer(answer)}`);
    observations.push(...answer.value.observations);
    cursor = answer.value.cursor;
    if (!answer.value.more) return { observations, cursor };
    if (pages === 1_000)
      return fail(
        "After 1,000 pages, the adapter still reports `more`. It must report the end of the observations.",
      );
  }
}
