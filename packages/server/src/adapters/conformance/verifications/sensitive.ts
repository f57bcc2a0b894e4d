import { randomBytes } from "node:crypto";
import type { Json, Progress } from "@paraph/core";
import type { Bench } from "../bench.ts";
import type { Answer } from "../performer/order.ts";
import type { Performer } from "../performer.ts";
import { replaced, textsAt, without } from "../sensitive-fields.ts";
import { fail, notAsked, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

/** Shorter ones turn up by chance. */
const shortest = 6;

export const sensitive: Verification<Bench> = {
  name: "sensitive",
  rule: "P10",
  claim: "what is sensitive stays hidden",
  after: ["reset"],
  concerns: ({ contract, trial }) =>
    contract.sensitive.length > 0 || Object.keys(trial.credentials ?? {}).length > 0,
  async verify(bench) {
    const { contract, trial } = bench;
    const { input } = bench.case;
    const long = ({ length }: string) => length >= shortest;
    const secrets = Object.values(trial.credentials ?? {}).filter(long);
    const own = textsAt(input, contract.sensitive);
    if (own.length === 0 && secrets.length === 0) {
      const fields = contract.sensitive.map((name) => `\`${name}\``).join(", ");
      return notAsked(`Give the case an input with ${fields}.`);
    }
    const canary = letters();
    const performer = await bench.troupe.fresh();
    const leaks = await leaked(bench, performer, input, own.filter(long), secrets);
    // Also with what it cannot know, which it may well refuse: that is when values slip into what is said.
    if (own.length > 0) {
      const planted = replaced(input, contract.sensitive, canary);
      leaks.push(...(await leaked(bench, performer, planted, [canary], secrets)));
    }
    await performer.end();
    if (holds(performer.printed, [...own.filter(long), canary, ...secrets])) leaks.push("what was printed");
    return leaks.length === 0
      ? pass(`${counted(own.length + secrets.length)} in no preview, output, progress, fault or print`)
      : fail(`A sensitive value is in ${[...new Set(leaks)].join(", ")}.`);
  },
};

/** Where any of the values came out that should not have. */
async function leaked(
  bench: Bench,
  performer: Performer,
  input: Json,
  values: readonly string[],
  secrets: readonly string[],
): Promise<string[]> {
  await bench.begin();
  const attempt = bench.attempt({ input });
  const looked = bench.contract.previews
    ? await performer.ask({ kind: "preview", ...attempt, attempt: 0 })
    : undefined;
  const basis = looked?.kind === "done" ? looked.value.basis : undefined;
  const acted = await performer.ask({ kind: "apply", ...attempt, ...(basis !== undefined && { basis }) });
  const output = acted.kind === "done" ? acted.value : null;
  const all = [...values, ...secrets];
  const traces: [string, unknown, readonly string[]][] = [
    ["the preview", looked?.kind === "done" ? looked.value : null, all],
    ["the output", without(output, bench.contract.sensitive), values],
    ["the output", output, secrets],
    ["the progress", [saidIn(looked), saidIn(acted)], all],
    ["a fault's code", [codeIn(looked), codeIn(acted)], all],
    ["a fault's message", [messageIn(looked), messageIn(acted)], secrets],
  ];
  return traces.flatMap(([place, trace, hidden]) => (holds(trace, hidden) ? [place] : []));
}

function holds(trace: unknown, hidden: readonly string[]): boolean {
  const text = (typeof trace === "string" ? trace : JSON.stringify(trace)).toLowerCase();
  return hidden.some((value) => text.includes(value.toLowerCase()));
}

function counted(values: number): string {
  return values === 1 ? "one value was" : `${values} values were`;
}

function saidIn(answer: Answer | undefined): readonly Progress[] {
  return answer && "said" in answer ? answer.said : [];
}

function codeIn(answer: Answer | undefined): string {
  return answer?.kind === "fault" ? `${answer.code} ${answer.fault.code}` : "";
}

function messageIn(answer: Answer | undefined): string {
  return answer?.kind === "fault" ? answer.fault.message : "";
}

/** Letters only: they come through a code, an address or an escape as they are. */
function letters(): string {
  return [...randomBytes(20)].map((byte) => String.fromCharCode(97 + (byte % 26))).join("");
}
