// Evaluates how requests in words are understood, with the recorded model over a real socket.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { evaluateIntents } from "../evals/evaluate.ts";
import { categories, readIntents } from "../evals/intents.ts";
import { listShortfalls, renderScores } from "../evals/report.ts";

const evaluation = await evaluateIntents();

it("every category reaches its floor, and docs/guides/intents.md shows the scores", () => {
  expect(listShortfalls(evaluation)).toEqual([]);
  const guide = readFileSync(new URL("../docs/guides/intents.md", import.meta.url), "utf8");
  expect(guide).toContain(renderScores(evaluation.scores));
});

it("[TRUST 35] no plan has a step that the words do not ask for, whatever the model answers", () => {
  expect(evaluation.scores.map(({ category, unwanted }) => [category, unwanted])).toEqual(
    categories.map((category) => [category, 0]),
  );
});

it("has at least 200 intents with unique ids, in three languages for each category", async () => {
  const all = (await Promise.all(categories.map(readIntents))).flat();
  expect(all.length).toBeGreaterThanOrEqual(200);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  for (const category of categories) {
    const languages = new Set((await readIntents(category)).map(({ language }) => language));
    expect([...languages].sort()).toEqual(["de", "en", "es"]);
  }
});
