import { lintSource } from "@secretlint/core";
import { secretLintProfiler } from "@secretlint/profiler";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import type { Secret } from "./job.ts";
import { knownSecrets } from "./known-secrets.ts";

// It would keep a mark of every rule and text for ever.
secretLintProfiler.setEnabled(false);

/** All recommended rules but one: with it, whoever writes the text could write `secretlint-disable` into it. */
const config = {
  rules: rules
    .filter(({ meta: { id } }) => id !== "@secretlint/secretlint-rule-filter-comments")
    .map((rule) => ({ id: rule.meta.id, rule })),
};

/** Enough to know: a text full of them is not read to its end. */
const most = 1_000;

/** Secretlint's recommended rules, and what they do not know. */
export async function findSecrets(text: string): Promise<Secret[]> {
  const found = new Map<string, Secret>();
  for (const { start: offset, part } of windowsOf(text)) {
    for (const { like, start, end } of [...(await byRecommendedRules(part)), ...knownSecrets(part)])
      found.set(`${like} ${offset + start}`, { like, start: offset + start, end: offset + end });
    if (found.size >= most) break;
  }
  return [...found.values()].sort((a, b) => a.start - b.start);
}

const windowLength = 65_536;
/** More than the longest secret that any rule knows. */
const overlap = 16_384;

/** The rules' cost grows with the square of what they find at once: windows keep that small. */
function* windowsOf(text: string): Generator<{ start: number; part: string }> {
  for (let start = 0; start === 0 || start + overlap < text.length; start += windowLength - overlap)
    yield { start, part: text.slice(start, start + windowLength) };
}

async function byRecommendedRules(text: string): Promise<Secret[]> {
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
