import type { Capability, Contract, Json } from "@paraph/core";
import type { ConcurrencyQueue } from "./concurrency-queue.ts";
import { type CheckFinding, defineCheck, removeDuplicates, toVerdict } from "./define-check.ts";
import { formatInputPath, type InputPlace, isSensitivePlace, walkTexts } from "./input-texts.ts";
import type { FoundSecret } from "./threads/job.ts";
import type { ThreadPool } from "./threads/thread-pool.ts";

/**
 * Creates `check.secrets`, which finds passwords, keys and tokens in the input. [TRUST 16] A finding names the place
 * and the kind of a secret, never its value.
 */
export function createSecretsCheck(
  contractOf: (name: string) => Contract | undefined,
  threads: ThreadPool,
  turns: ConcurrencyQueue,
): Capability {
  return defineCheck(
    {
      name: "secrets",
      summary: "Look for passwords, keys and tokens in the input",
      timeout: "10s",
      judge: async ({ capability, input }, { signal }) => {
        const sheet = buildSheet(input);
        const { secrets } = await threads.run({ kind: "secrets", text: sheet.text }, signal);
        return toVerdict(toSecretFindings(secrets, sheet, contractOf(capability)?.sensitive ?? []));
      },
    },
    turns,
  );
}

/**
 * The input as one text, with one line `name: value` per property or string. The lines include the names, because some
 * secrets are recognizable only beside their name.
 */
interface TextSheet {
  readonly text: string;
  readonly lines: readonly SheetLine[];
}

interface SheetLine {
  readonly start: number;
  /** The position where the name ends. If the line has no name, it is the start of the line. */
  readonly value: number;
  readonly place: InputPlace;
}

function buildSheet(input: Json): TextSheet {
  const lines: SheetLine[] = [];
  const parts: string[] = [];
  let length = 0;
  const write = (part: string) => {
    parts.push(part);
    length += part.length;
  };
  for (const { kind, place, text } of walkTexts(input)) {
    const named = kind === "value" && lines.at(-1)?.place === place;
    if (!named) {
      if (length > 0) write("\n");
      lines.push({ start: length, value: length + (kind === "name" ? text.length : 0), place });
    }
    write(kind === "name" ? `${text}: ` : text);
  }
  return { text: parts.join(""), lines };
}

function toSecretFindings(
  secrets: readonly FoundSecret[],
  sheet: TextSheet,
  sensitive: readonly string[],
): CheckFinding[] {
  const seen = secrets.map((secret) => ({ secret, line: findSheetLine(sheet, secret.start) }));
  const isName = ({ secret, line }: (typeof seen)[number]) => secret.end <= line.value;
  const hidden = new Set(seen.filter(isName).map(({ line }) => line.place));
  const findings = seen
    .filter(({ secret, line }) => !isExpectedSecret(secret, line, sensitive))
    .map(({ secret: { like }, line: { place } }) => {
      const path = formatInputPath(place, hidden);
      const code = `secret-${like}`;
      return { code, path, sentence: `The value at \`${path}\` looks like a secret (${like}).` };
    });
  return removeDuplicates(findings);
}

/**
 * Whether the secret is a password in a property that the contract declares as sensitive. A password is expected there.
 */
function isExpectedSecret(
  { like, start }: FoundSecret,
  { value, place }: SheetLine,
  sensitive: readonly string[],
): boolean {
  return like === "assignment" && start < value && isSensitivePlace(place, sensitive);
}

function findSheetLine({ lines }: TextSheet, position: number): SheetLine {
  let [low, high] = [0, lines.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (lines[middle]!.start <= position) low = middle;
    else high = middle - 1;
  }
  return lines[low]!;
}
