import { randomBytes } from "node:crypto";
import type { Json, Progress } from "@paraph/core";
import type { AdapterProcess } from "../adapter-process.ts";
import type { CaseContext } from "../case-context.ts";
import type { ProcessAnswer } from "../process/commands.ts";
import { listTexts, removeFields, replaceTexts } from "../sensitive-fields.ts";
import { fail, pass, skip } from "../verdict.ts";
import type { Verification } from "../verification.ts";

/** Shorter values appear by chance. */
const minSecretLength = 6;

export const sensitiveVerification: Verification<CaseContext> = {
  name: "sensitive",
  rule: "P10",
  claim: "sensitive values stay hidden",
  after: ["reset"],
  appliesTo: ({ contract, test }) =>
    contract.sensitive.length > 0 || Object.keys(test.credentials ?? {}).length > 0,
  async verify(context) {
    const { contract, test } = context;
    const { input } = context.case;
    const long = ({ length }: string) => length >= minSecretLength;
    const secrets = Object.values(test.credentials ?? {}).filter(long);
    const own = listTexts(input, contract.sensitive);
    if (own.length === 0 && secrets.length === 0) {
      const fields = contract.sensitive.map((name) => `\`${name}\``).join(", ");
      return skip(`Add ${fields} to the input of the case.`);
    }
    const canary = randomLetters();
    const performer = await context.pool.startFresh();
    const leaks = await findLeaks(context, performer, input, own.filter(long), secrets);
    // Also tests a random value in place of the real sensitive values. The adapter often rejects a random value, and
    // its fault may quote that value.
    if (own.length > 0) {
      const planted = replaceTexts(input, contract.sensitive, canary);
      leaks.push(...(await findLeaks(context, performer, planted, [canary], secrets)));
    }
    await performer.kill();
    if (containsAny(performer.printedText, [...own.filter(long), canary, ...secrets]))
      leaks.push("the printed text");
    return leaks.length === 0
      ? pass(
          `${formatValueCount(own.length + secrets.length)} in no preview, output, progress, fault or printed text`,
        )
      : fail(`A sensitive value is in ${[...new Set(leaks)].join(", ")}.`);
  },
};

/** Lists the places where any of the values leaked. */
async function findLeaks(
  context: CaseContext,
  performer: AdapterProcess,
  input: Json,
  values: readonly string[],
  secrets: readonly string[],
): Promise<string[]> {
  await context.resetCase();
  const attempt = context.createAttempt({ input });
  const looked = context.contract.previews
    ? await performer.send({ kind: "preview", ...attempt, attempt: 0 })
    : undefined;
  const basis = looked?.kind === "done" ? looked.value.basis : undefined;
  const acted = await performer.send({ kind: "apply", ...attempt, ...(basis !== undefined && { basis }) });
  const output = acted.kind === "done" ? acted.value : null;
  const all = [...values, ...secrets];
  const traces: [string, unknown, readonly string[]][] = [
    ["the preview", looked?.kind === "done" ? looked.value : null, all],
    ["the output", removeFields(output, context.contract.sensitive), values],
    ["the output", output, secrets],
    ["the progress", [readProgress(looked), readProgress(acted)], all],
    ["a fault's code", [readCodes(looked), readCodes(acted)], all],
    ["a fault's message", [readMessage(looked), readMessage(acted)], secrets],
  ];
  return traces.flatMap(([place, trace, hidden]) => (containsAny(trace, hidden) ? [place] : []));
}

function containsAny(trace: unknown, hidden: readonly string[]): boolean {
  const text = (typeof trace === "string" ? trace : JSON.stringify(trace)).toLowerCase();
  return hidden.some((value) => text.includes(value.toLowerCase()));
}

function formatValueCount(values: number): string {
  return values === 1 ? "one value was" : `${values} values were`;
}

function readProgress(answer: ProcessAnswer | undefined): readonly Progress[] {
  return answer && "said" in answer ? answer.said : [];
}

function readCodes(answer: ProcessAnswer | undefined): string {
  return answer?.kind === "fault" ? `${answer.code} ${answer.fault.code}` : "";
}

function readMessage(answer: ProcessAnswer | undefined): string {
  return answer?.kind === "fault" ? answer.fault.message : "";
}

/** Returns random letters. Letters stay the same in every encoding, URL and escaped text. */
function randomLetters(): string {
  return [...randomBytes(20)].map((byte) => String.fromCharCode(97 + (byte % 26))).join("");
}
