// Usage: npm run evals -- [--check] [--json]
// Evaluates how requests in words are understood. With PARAPH_EVALS_URL, PARAPH_EVALS_MODEL and PARAPH_EVALS_KEY, a live
// model stands behind the grammar instead of the recorded one.
import { parseArgs } from "node:util";
import { evaluateIntents } from "./evaluate.ts";
import { listShortfalls, renderScores } from "./report.ts";

const { values } = parseArgs({
  options: { check: { type: "boolean", default: false }, json: { type: "boolean", default: false } },
});
const { PARAPH_EVALS_URL: url, PARAPH_EVALS_MODEL: name, PARAPH_EVALS_KEY: key } = process.env;
const live = url && name && key ? { options: { url, name, credential: "KEY" }, key } : undefined;
const evaluation = await evaluateIntents(live);
const shortfalls = listShortfalls(evaluation);
if (values.json) process.stdout.write(`${JSON.stringify({ ...evaluation, shortfalls }, null, 2)}\n`);
else process.stdout.write(`model: ${evaluation.model}\n\n${renderScores(evaluation.scores)}\n`);
if (values.check && shortfalls.length > 0) {
  process.stderr.write(`${shortfalls.join("\n")}\n`);
  process.exitCode = 1;
}
