import { sameJson } from "@paraph/core";
import type { Bench } from "../bench.ts";
import { difference } from "../difference.ts";
import { told } from "../told.ts";
import { fail, notAsked, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

const giveMove = "Give the case `move`: somebody else changes what the preview rests on.";

export const basis: Verification<Bench> = {
  name: "basis",
  rule: "P5",
  claim: "the basis moves when the world does",
  after: ["reset", "preview", "preview-again"],
  concerns: ({ contract }) => contract.previews && contract.effect !== "read",
  async verify(bench) {
    const { move } = bench.case;
    if (!move) return notAsked(giveMove);
    await bench.begin();
    const lead = await bench.troupe.lead();
    const attempt = bench.attempt();
    const before = await lead.ask({ kind: "preview", ...attempt });
    await move(bench.ground);
    const after = await lead.ask({ kind: "preview", ...attempt });
    if (before.kind !== "done") return fail(`The preview failed: ${told(before)}`);
    if (after.kind === "fault") return pass(`once moved, the preview refuses with \`${after.fault.code}\``);
    if (after.kind !== "done") return fail(`Once moved, the preview failed: ${told(after)}`);
    return sameJson(before.value.basis, after.value.basis)
      ? fail("Somebody else changed what it rests on, and the basis is still the same.")
      : pass("it moved with the world");
  },
};

export const basisMoved: Verification<Bench> = {
  name: "basis-moved",
  rule: "P7",
  claim: "on a basis that moved, apply changes nothing and says so",
  after: ["reset", "preview", "preview-again", "basis"],
  concerns: ({ contract }) => contract.previews && contract.idempotency === "probe",
  async verify(bench) {
    const { move } = bench.case;
    if (!move) return notAsked(giveMove);
    await bench.begin();
    const lead = await bench.troupe.lead();
    const approved = await bench.based(lead, bench.attempt());
    await move(bench.ground);
    const before = await bench.picture();
    const answer = await lead.ask({ kind: "apply", ...approved });
    const after = await bench.picture();
    if (after !== before) return fail(`It acted all the same: ${difference(before, after)}.`);
    if (answer.kind !== "fault") return fail(`It changed nothing, but does not say so: ${told(answer)}.`);
    return answer.fault.kind === "ambiguous"
      ? fail(`Nothing changed, and it says that nobody knows: ${told(answer)}`)
      : pass(`it refused with \`${answer.fault.code}\``);
  },
};
