import { type Json, sameJson } from "@paraph/core";
import type { Bench } from "../bench.ts";
import { difference } from "../difference.ts";
import { told } from "../told.ts";
import { fail, pass, type Verdict } from "../verdict.ts";
import type { Verification } from "../verification.ts";

/** Always asked in another process than the one that acted: what only that one remembers is lost with it. */
export const idempotency: Verification<Bench> = {
  name: "idempotency",
  rule: "P7",
  claim: "it can be repeated or asked about as declared",
  after: ["reset", "apply", "preview"],
  concerns: ({ contract }) => contract.effect !== "read" && contract.idempotency !== "none",
  verify: (bench) => (bench.contract.idempotency === "probe" ? asked(bench) : repeated(bench)),
};

/** natural and keyed: the same call twice. */
async function repeated(bench: Bench): Promise<Verdict> {
  await bench.begin();
  const lead = await bench.troupe.lead();
  const call = await bench.based(lead, bench.attempt());
  const first = await lead.ask({ kind: "apply", ...call });
  const once = await bench.picture();
  const second = await (await bench.troupe.second()).ask({ kind: "apply", ...call, attempt: 2 });
  const twice = await bench.picture();
  const { idempotency: declared } = bench.contract;
  if (first.kind !== "done") return fail(`The first attempt failed: ${told(first)}`);
  if (second.kind !== "done")
    return fail(`It is ${declared}, and the second attempt failed: ${told(second)}`);
  if (once !== twice) return fail(`It is ${declared}, and twice is not once: ${difference(once, twice)}.`);
  if (declared === "natural") return pass("twice is once");
  return sameJson(first.value, second.value)
    ? pass("the same key twice: one effect, one output")
    : fail("The same key twice gave two different outputs.");
}

/** probe: absent before, present after. */
async function asked(bench: Bench): Promise<Verdict> {
  const start = await bench.begin();
  const lead = await bench.troupe.lead();
  const call = await bench.based(lead, bench.attempt());
  const before = await lead.ask({ kind: "probe", ...call });
  const looked = await bench.picture();
  if (looked !== start) return fail(`Asking changed something: ${difference(start, looked)}.`);
  if (before.kind !== "done") return fail(`The probe failed: ${told(before)}`);
  if (before.value.kind !== "absent")
    return fail(`Nothing was done yet, and the probe says ${before.value.kind}.`);
  const acted = await lead.ask({ kind: "apply", ...call });
  const after = await (await bench.troupe.second()).ask({ kind: "probe", ...call });
  if (acted.kind !== "done") return fail(`It failed: ${told(acted)}`);
  if (after.kind !== "done") return fail(`It is done, and the probe failed: ${told(after)}`);
  if (after.value.kind !== "present") return fail(`It is done, and the probe says ${after.value.kind}.`);
  if (after.unfit)
    return fail(`What the probe found does not fit the output's schema: ${after.unfit.join("; ")}.`);
  const differs = disagreement(acted.value, after.value.output);
  return differs === undefined
    ? pass("absent before, present after")
    : fail(`What the probe found is not what apply said: \`${differs}\` differs.`);
}

/** A probe may know less than apply did, but nothing else. */
function disagreement(said: Json, found: Json): string | undefined {
  if (!isObject(said) || !isObject(found)) return sameJson(said, found) ? undefined : "(the whole)";
  return Object.keys(found).find((name) => !sameJson(said[name], found[name]));
}

function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
