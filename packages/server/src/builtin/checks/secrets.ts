import type { Capability, Contract, Json } from "@paraph/core";
import { defineCheck, distinct, type Finding, passedUnless } from "./define-check.ts";
import { isSensitive, type Place, pathOf, textsIn } from "./texts.ts";
import type { Secret } from "./threads/job.ts";
import type { Threads } from "./threads/threads.ts";
import type { Turns } from "./turns.ts";

/** Passwords, keys and tokens in the input. [TRUST 16] A finding says where and of which kind, never what. */
export function secretsCheck(
  contractOf: (name: string) => Contract | undefined,
  threads: Threads,
  turns: Turns,
): Capability {
  return defineCheck(
    {
      what: "secrets",
      summary: "Look for passwords, keys and tokens in the input",
      timeout: "10s",
      judge: async ({ capability, input }, { signal }) => {
        const sheet = sheetOf(input);
        const { secrets } = await threads.run({ kind: "secrets", text: sheet.text }, signal);
        return passedUnless(findingsOf(secrets, sheet, contractOf(capability)?.sensitive ?? []));
      },
    },
    turns,
  );
}

/** The input as one text, a line for each property or string, `name: value`: some secrets show only beside their name. */
interface Sheet {
  readonly text: string;
  readonly lines: readonly Line[];
}

interface Line {
  readonly start: number;
  /** Where the name ends and the value begins; the line's start where there is no name. */
  readonly value: number;
  readonly place: Place;
}

function sheetOf(input: Json): Sheet {
  const lines: Line[] = [];
  const parts: string[] = [];
  let length = 0;
  const write = (part: string) => {
    parts.push(part);
    length += part.length;
  };
  for (const { kind, place, text } of textsIn(input)) {
    const named = kind === "value" && lines.at(-1)?.place === place;
    if (!named) {
      if (length > 0) write("\n");
      lines.push({ start: length, value: length + (kind === "name" ? text.length : 0), place });
    }
    write(kind === "name" ? `${text}: ` : text);
  }
  return { text: parts.join(""), lines };
}

function findingsOf(secrets: readonly Secret[], sheet: Sheet, sensitive: readonly string[]): Finding[] {
  const seen = secrets.map((secret) => ({ secret, line: lineAt(sheet, secret.start) }));
  const isName = ({ secret, line }: (typeof seen)[number]) => secret.end <= line.value;
  const hidden = new Set(seen.filter(isName).map(({ line }) => line.place));
  const findings = seen
    .filter(({ secret, line }) => !isAtHome(secret, line, sensitive))
    .map(({ secret: { like }, line: { place } }) => {
      const path = pathOf(place, hidden);
      const code = `secret-${like}`;
      return { code, path, sentence: `What stands at \`${path}\` looks like a secret (${like}).` };
    });
  return distinct(findings);
}

/** A property named like a password that the contract itself declares sensitive is where a password belongs. */
function isAtHome({ like, start }: Secret, { value, place }: Line, sensitive: readonly string[]): boolean {
  return like === "assignment" && start < value && isSensitive(place, sensitive);
}

function lineAt({ lines }: Sheet, position: number): Line {
  let [low, high] = [0, lines.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (lines[middle]!.start <= position) low = middle;
    else high = middle - 1;
  }
  return lines[low]!;
}
