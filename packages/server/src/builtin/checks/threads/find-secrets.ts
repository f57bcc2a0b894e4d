import { lintSource } from "@secretlint/core";
import { secretLintProfiler } from "@secretlint/profiler";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import type { FoundSecret } from "./job.ts";
import { findKnownSecrets } from "./known-secrets.ts";

// Turns off the profiler, because it would permanently keep an entry for every rule and text.
secretLintProfiler.setEnabled(false);

/**
 * All recommended rules except one, which would let the author of a text disable the check with `secretlint-disable`.
 */
const config = {
  rules: rules
    .filter(({ meta: { id } }) => id !== "@secretlint/secretlint-rule-filter-comments")
    .map((rule) => ({ id: rule.meta.id, rule })),
};

/** The number of secrets at which the search stops. A text with more secrets is not read to its end. */
const maxSecrets = 1_000;

/** Finds secrets by secretlint's recommended rules and by Paraph's own patterns. */
export async function findTextSecrets(text: string): Promise<FoundSecret[]> {
  const found = new Map<string, FoundSecret>();
  for (const { start: offset, part } of splitWindows(text)) {
    for (const { like, start, end } of [...(await findByRecommendedRules(part)), ...findKnownSecrets(part)])
      found.set(`${like} ${offset + start}`, { like, start: offset + start, end: offset + end });
    if (found.size >= maxSecrets) break;
  }
  return [...found.values()].sort((a, b) => a.start - b.start);
}

const windowLength = 65_536;
/** The overlap of adjacent windows, which is longer than the longest secret that any rule knows. */
const windowOverlap = 16_384;

/**
 * Splits a text into windows. The cost of the rules grows with the square of the number of matches in one run, so small
 * windows keep it low.
 */
function* splitWindows(text: string): Generator<{ start: number; part: string }> {
  for (
    let start = 0;
    start === 0 || start + windowOverlap < text.length;
    start += windowLength - windowOverlap
  )
    yield { start, part: text.slice(start, start + windowLength) };
}

async function findByRecommendedRules(text: string): Promise<FoundSecret[]> {
  const { messages } = await lintSource({
    source: { filePath: "input.txt", content: text, ext: ".txt", contentType: "text" },
    options: { config, noPhysicFilePath: true, maskSecrets: true },
  });
  return messages.map(({ ruleId, range: [start, end] }) => ({
    like: ruleId.replace(/^@secretlint\/secretlint-rule-/, ""),
    start,
    end,
  }));
}
