import type { OutsideControl } from "./scenario.ts";
import type { ScenarioRun } from "./scenario-run.ts";

/**
 * Runs three calls with unknown outcomes. For the first, a person records that the effect happened. For the second, a
 * person repeats the probe. For the third, a person records that the effect did not happen and retries the call.
 */
export function playFindings(story: ScenarioRun, world: OutsideControl): Promise<unknown>[] {
  const { run, name, client } = story;
  const unknown = async (what: string, capability: string, find: (call: string) => Promise<unknown>) => {
    const { call = "", outcome } = await run(what, capability, { lock: name(what) });
    if (outcome?.kind === "unknown") await find(call);
  };
  return [
    unknown("reset-none", "free.none", (call) =>
      client.act("approver", { kind: "resolve", call, finding: "happened" }),
    ),
    unknown("foggy", "free.probe", async (call) => {
      await client.act("approver", { kind: "probe", call });
      await world.clear(name("foggy"));
      await client.act("approver", { kind: "probe", call });
    }),
    unknown("cut", "free.none", async (call) => {
      await client.act("approver", { kind: "resolve", call, finding: "not-happened" });
      const { body } = await client.act("approver", { kind: "retry", call });
      const again = body.call ?? "";
      await story.waitForEnd({ key: `retry:${call}`, capability: "free.none", call: again });
    }),
  ];
}
