import { canonical, type Json } from "@paraph/core";
import type { Bench } from "../bench.ts";
import { difference } from "../difference.ts";
import { told } from "../told.ts";
import { fail, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

export const preview: Verification<Bench> = {
  name: "preview",
  rule: "P3",
  claim: "preview changes nothing",
  after: ["reset"],
  concerns: ({ contract }) => contract.previews,
  async verify(bench) {
    const before = await bench.begin();
    const looked = await (await bench.troupe.lead()).ask({ kind: "preview", ...bench.attempt() });
    if (looked.kind !== "done") return fail(`It failed: ${told(looked)}`);
    const after = await bench.picture();
    return after === before
      ? pass("the outside is as it was")
      : fail(`It changed something: ${difference(before, after)}.`);
  },
};

/** Admission looks in one process and performance in another: both must see one thing. */
export const previewAgain: Verification<Bench> = {
  name: "preview-again",
  rule: "P5",
  claim: "the same preview twice is the same",
  after: ["reset", "preview"],
  concerns: ({ contract }) => contract.previews,
  async verify(bench) {
    await bench.begin();
    const attempt = bench.attempt();
    const one = await (await bench.troupe.lead()).ask({ kind: "preview", ...attempt });
    const two = await (await bench.troupe.second()).ask({ kind: "preview", ...attempt });
    if (one.kind !== "done" || two.kind !== "done") return fail(`It failed: ${told(one)}; ${told(two)}`);
    const [first, second] = [one, two].map(({ value }) => canonical(value as unknown as Json));
    return first === second
      ? pass("basis and all, in two processes")
      : fail(`Two processes previewed differently: ${difference(first!, second!)}.`);
  },
};
