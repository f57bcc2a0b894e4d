import { type Capability, CapabilityError, type Contract } from "@paraph/core";
import { type CodeField, findCodeFields } from "./code-fields.ts";
import type { ConcurrencyQueue } from "./concurrency-queue.ts";
import { type CheckFinding, createPassedVerdict, defineCheck, toVerdict } from "./define-check.ts";
import { formatInputPath } from "./input-texts.ts";
import type { SyntaxFault } from "./threads/job.ts";
import type { ThreadPool } from "./threads/thread-pool.ts";

export type FindContract = (name: string) => Contract | undefined;

/**
 * Creates `check.syntax`, which parses each field that the contract declares as code. The check never runs the code.
 */
export function createSyntaxCheck(
  contractOf: FindContract,
  threads: ThreadPool,
  turns: ConcurrencyQueue,
): Capability {
  return defineCheck(
    {
      name: "syntax",
      summary: "Check the syntax of the fields that are declared as code",
      timeout: "10s",
      judge: async ({ capability, input }, { signal }) => {
        const fields = findCodeFields(requireContract(contractOf, capability), input);
        if (fields.length === 0)
          return createPassedVerdict("no-code", "The input has no field that is declared as code.");
        const texts = fields.map(({ text, languages }) => ({ text, languages }));
        const { faults } = await threads.run({ kind: "syntax", texts }, signal);
        return toVerdict(fields.flatMap((field, index) => toSyntaxFindings(field, faults[index])));
      },
    },
    turns,
  );
}

/** [P11] Returns the contract, or throws. Without a contract the check cannot judge the call and must not pass. */
export function requireContract(contractOf: FindContract, capability: string): Contract {
  const contract = contractOf(capability);
  if (!contract)
    throw new CapabilityError(
      "permanent",
      "contract-unknown",
      "The check cannot find the contract of this capability.",
    );
  return contract;
}

/** Returns findings that name the place and never quote the text, because the field may be sensitive. */
function toSyntaxFindings({ place, languages }: CodeField, fault: SyntaxFault | undefined): CheckFinding[] {
  if (!fault) return [];
  const path = formatInputPath(place);
  const as = languages.join(" or ");
  switch (fault.kind) {
    case "at":
      return [
        {
          code: "syntax-invalid",
          path,
          sentence: `\`${path}\` is not valid ${as}: line ${fault.line}, column ${fault.column}.`,
        },
      ];
    case "somewhere":
      return [{ code: "syntax-invalid", path, sentence: `\`${path}\` is not valid ${as}.` }];
    case "nul":
      return [
        {
          code: "nul-character",
          path,
          sentence: `\`${path}\` contains a NUL character, which is not valid in ${as}.`,
        },
      ];
    case "too-complex":
      return [
        {
          code: "too-complex",
          path,
          sentence: `\`${path}\` is nested too deeply or is too large to parse as ${as}.`,
        },
      ];
  }
}
