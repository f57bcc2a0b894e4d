import { lintSource } from "@secretlint/core";
import { secretLintProfiler } from "@secretlint/profiler";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import type { FoundSecret } from "./job.ts";
import { findKnownSecrets } from "./known-secrets.ts";

// It would keep a mark of every rule and text for ever.
secretLintProfiler.setEnabled(false);

/** All recommended rules but one: with it, whoever writes the text could write `secretlint-disable` into it. */
const config = {
  rules: rules
    .filter(({ meta: { id } }) => id !== "@secretlint/secretlint-rule-filter-comments")
    .map((rule) => ({ id: rule.meta.id, rule })),
};

/** Enough to know: a text full of them is not read to its end. */
const maxSecrets = 1_000;

/** Secretlint's recommended rules, and what they do not know. */
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
/** More than the longest secret that any rule knows. */
const windowOverlap = 16_384;

/** The rules' cost grows with the square of what they find at once: windows keep that small. */
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
