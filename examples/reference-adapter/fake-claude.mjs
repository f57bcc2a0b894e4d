// A synthetic Claude Code for tests: it takes the arguments of the real one and answers in its form, without a model.
import { text } from "node:stream/consumers";

if (process.argv.includes("--version")) {
  console.log("0.0.0 (synthetic)");
} else {
  const prompt = await text(process.stdin);
  if (prompt === "hang") await new Promise((resolve) => setTimeout(resolve, 600_000));
  if (prompt === "crash") process.exit(70);
  const status = { busy: 429, refuse: 400 }[prompt] ?? null;
  const answer = `${prompt} (${process.argv.at(-1)}, ${Object.keys(process.env).join()})`;
  console.log(
    JSON.stringify({
      type: "result",
      result: status === null ? answer : "the model's own words",
      is_error: status !== null,
      api_error_status: status,
      total_cost_usd: 0.001,
      usage: { input_tokens: 11, output_tokens: 7 },
    }),
  );
  process.exitCode = status === null ? 0 : 1;
}
